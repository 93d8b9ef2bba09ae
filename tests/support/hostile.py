"""A run in which every text that comes from outside tries to become something else."""

from evaluator.report.model import ReportedRun
from evaluator.scenario import Note
from evaluator.scenario.loader import load_scenario
from evaluator.timeline import Timeline
from tests.support.happenings import (
    begin,
    bound,
    disrupted,
    end,
    ended,
    failed,
    node,
    pod,
    refused,
)
from tests.support.reports import fidelity, reported

HOSTILE = "</script><script>window.stolen=1</script><img src=https://example.org/x onerror=window.stolen=1>"
"""Ends the script that it stands in, or becomes an element where it is not escaped."""


def hostile_timeline() -> Timeline:
    """A late job whose names, messages and owners are hostile."""
    name, place = f"ns/{HOSTILE}", f"node-{HOSTILE}"
    return Timeline(
        [
            begin(HOSTILE, scenario=HOSTILE),
            node(place, chip_type=HOSTILE),
            pod(0, name, 8, due=30, user=HOSTILE, queue=HOSTILE, chip_type=HOSTILE),
            refused(0, name, HOSTILE),
            bound(1, name, place),
            failed(2, place, group=HOSTILE),
            disrupted(3, name, "chip_failure", HOSTILE),
            ended(3, name, place, "evicted", cause="chip_failure", lost=2),
            end(60),
        ]
    )


def hostile_run() -> ReportedRun:
    """The same as a run to report."""
    return reported(
        load_scenario("quickstart"),
        hostile_timeline(),
        HOSTILE,
        scenario=HOSTILE,
        scenario_title=HOSTILE,
        scheduler_command=[HOSTILE],
        scheduler_version=HOSTILE,
        ended=HOSTILE,
        complete=False,
        parameters={HOSTILE: HOSTILE},
        notes=[Note(topic=HOSTILE, text=HOSTILE)],
        versions={HOSTILE: HOSTILE},
        fidelity=fidelity(pace=HOSTILE, takeover=HOSTILE, unreachable=[HOSTILE]),
    )
