"""What items do to the world: machines that fail and come back, Jobs that outlive them."""

import asyncio
from pathlib import Path

import pytest

from evaluator.errors import ScenarioError
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from evaluator.timeline import (
    HardwareFailed,
    HardwareRepaired,
    JobEnded,
    NodeChanged,
    NodeRemoved,
    PodBound,
    PodEnded,
)
from evaluator.trial import Trial
from evaluator.wakeups import WakeupRules
from fakeapi.kernel.time import HOUR, MINUTE, SECOND
from tests.support.trials import InstantPace, first_fit


def told(folder: Path, *lines: str) -> LoadedScenario:
    file = folder / "story.py"
    file.write_text(
        "from evaluator.scenario import *\n"
        "def scenario(s, rng):\n"
        "    s.nodes('n', count=2, chips=4, labels={'rack': 'r1'})\n"
        + "".join(f"    {line}\n" for line in lines)
    )
    return load_scenario(file)


def played(folder: Path, *lines: str) -> Trial:
    trial = Trial(told(folder, *lines), "test", "test-scheduler", WakeupRules(horizon=10 * SECOND, step=0))
    pace = InstantPace(trial, first_fit, None)
    trial.close(asyncio.run(trial.play(pace, lambda: pace.requests)))
    return trial


def ends(trial: Trial) -> list[tuple[int, str, str | None]]:
    """Minute, outcome and cause of each pod's end."""
    return [
        (event.at_ns // MINUTE, event.outcome, event.cause)
        for event in trial.timeline
        if isinstance(event, PodEnded)
    ]


def test_failed_chips_take_the_pods_on_them_and_are_repaired(tmp_path: Path) -> None:
    trial = played(
        tmp_path,
        "s.job('j', chips=4, run_time='2h', checkpoint='30m')",
        "s.fail_chips('n-0', 3, at='1h', repair_after='10m')",
    )
    assert ends(trial)[0] == (60, "evicted", "chip_failure")
    failed = [event for event in trial.timeline if isinstance(event, HardwareFailed)]
    repaired = [event for event in trial.timeline if isinstance(event, HardwareRepaired)]
    assert [(event.what, event.chips, event.at_ns) for event in failed] == [("chips", 3, HOUR)]
    assert [event.at_ns for event in repaired] == [70 * MINUTE]
    (done,) = [event for event in trial.timeline if isinstance(event, JobEnded)]
    assert done.outcome == "succeeded"
    assert done.at_ns < 2 * HOUR + 2 * MINUTE, "it went on from its last checkpoint"


def test_more_chips_than_are_left_are_all_that_are_left(tmp_path: Path) -> None:
    trial = played(
        tmp_path,
        "s.pod('a', run_time='3h')",
        "s.fail_chips('n-0', 3, at='1h')",
        "s.fail_chips('n-0', 3, at='2h')",
    )
    assert [event.chips for event in trial.timeline if isinstance(event, HardwareFailed)] == [3, 1]


def test_an_outage_takes_all_nodes_with_its_labels(tmp_path: Path) -> None:
    trial = played(
        tmp_path, "s.pod('a', run_time='9h')", "s.outage({'rack': 'r1'}, at='1h', recover_after='2h')"
    )
    failed = [event for event in trial.timeline if isinstance(event, HardwareFailed)]
    assert [(event.node, event.group) for event in failed] == [("n-0", "rack=r1"), ("n-1", "rack=r1")]
    assert len([event for event in trial.timeline if isinstance(event, HardwareRepaired)]) == 2


def test_a_cordoned_node_takes_pods_again_when_it_is_opened(tmp_path: Path) -> None:
    trial = played(
        tmp_path,
        "s.remove_node('n-1', at='10m')",
        "s.cordon('n-0', at='10m', open_after='1h')",
        "s.pod('a', at='20m', chips=1, run_time='1h')",
    )
    (bound,) = [event for event in trial.timeline if isinstance(event, PodBound)]
    assert bound.at_ns == 70 * MINUTE
    assert any(isinstance(event, NodeRemoved) for event in trial.timeline)


def test_a_drained_node_s_pods_are_evicted_and_made_again_elsewhere(tmp_path: Path) -> None:
    trial = played(
        tmp_path, "s.job('j', chips=1, run_time='2h', checkpoint='10m')", "s.drain('n-0', at='1h')"
    )
    assert ends(trial)[0][1:] == ("evicted", "eviction")
    assert [event.node for event in trial.timeline if isinstance(event, PodBound)] == ["n-0", "n-1"]
    assert any(isinstance(event, NodeChanged) and not event.schedulable for event in trial.timeline)


def test_failures_are_drawn_with_the_seed_and_only_while_something_runs(tmp_path: Path) -> None:
    lines = (
        "s.pod('a', run_time='200h')",
        "s.failures('independent', per_1000_node_days=500, at='1h', until='150h')",
    )
    first, second = (
        [event for event in played(tmp_path, *lines).timeline if isinstance(event, HardwareFailed)]
        for _ in range(2)
    )
    assert first == second
    assert first
    assert all(HOUR <= event.at_ns <= 150 * HOUR for event in first)


def test_what_would_happen_after_everything_is_done_does_not(tmp_path: Path) -> None:
    trial = played(tmp_path, "s.pod('a', run_time='1h')", "s.crash('n-0', at='5h')")
    assert not any(isinstance(event, HardwareFailed) for event in trial.timeline)
    assert trial.virtual == HOUR


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("s.crash('n-7', at='1h')", "names the node 'n-7', which nothing adds"),
        ("s.outage({'rack': 'r2'}, at='1h')", "rack=r2, and there is none"),
        ("s.node('late', at='2h'); s.drain('late', at='1h')", "1h before it joins"),
    ],
)
def test_machines_that_are_not_there_are_named_before_anything_starts(
    tmp_path: Path, line: str, why: str
) -> None:
    with pytest.raises(ScenarioError, match=why):
        told(tmp_path, line)
