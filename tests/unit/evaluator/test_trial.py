"""The run loop against a scheduler that is a function: instants are asserted exactly."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from evaluator.arriving import RefusedArrival
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from evaluator.timeline import (
    HardwareFailed,
    HardwareRepaired,
    PodBound,
    PodEnded,
    PodStarted,
    PodSubmitted,
    RunEnded,
)
from evaluator.trial import Progress, Trial
from evaluator.wakeups import WakeupRules
from fakeapi.cluster.failures import Outage
from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND, Duration
from fakeapi.machinery.resources import NODES
from tests.support.trials import InstantPace, Scheduler, first_fit, idle_scheduler

EVERY = WakeupRules(horizon=10 * SECOND, step=0)


def scenario(folder: Path, *lines: str) -> LoadedScenario:
    """A scenario with one node of one chip and these further items."""
    file = folder / "story.py"
    body = "\n".join(f"    s.replay([{line}])" for line in lines)
    file.write_text(
        "from evaluator.scenario import *\n"
        "def scenario(s, rng):\n"
        "    s.nodes('n', count=1, chips=1)\n" + body + "\n"
    )
    return load_scenario(file)


def played(
    story: LoadedScenario,
    scheduler: Scheduler = first_fit,
    *,
    rules: WakeupRules = EVERY,
    timer: int | None = None,
) -> tuple[Trial, InstantPace, str]:
    """A trial of the story, played to its end."""
    trial = Trial(story, "test", "test-scheduler", rules)
    pace = InstantPace(trial, scheduler, timer)
    why = asyncio.run(trial.play(pace, lambda: pace.requests))
    trial.close(why)
    return trial, pace, why


def moments(trial: Trial, kind: type) -> list[float]:
    """Seconds at which events of a kind happened."""
    return [event.at_ns / SECOND for event in trial.timeline if isinstance(event, kind)]


def test_time_goes_from_event_to_event(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Pod(name='a', at='1m', chips=1, run_time='10m')",
        "Pod(name='b', at='2m', chips=1, run_time='5m', start_delay='30s')",
    )
    trial, pace, why = played(story)
    assert why == "everything is done"
    assert moments(trial, PodSubmitted) == [60, 120]
    assert moments(trial, PodBound) == [60, 660]
    assert moments(trial, PodStarted) == [60, 690]
    assert moments(trial, PodEnded) == [660, 990]
    assert pace.jumps == [1 * MINUTE, 2 * MINUTE, 11 * MINUTE, 690 * SECOND, 990 * SECOND]


def test_capacity_freed_at_an_instant_is_there_for_what_arrives_at_it(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Pod(name='a', at='0s', chips=1, run_time='10m')",
        "Pod(name='b', at='10m', chips=1, run_time='10m')",
    )
    trial, _, _ = played(story)
    assert moments(trial, PodBound) == [0, 600]
    order = [type(event) for event in trial.timeline if event.at_ns == 10 * MINUTE]
    assert order.index(PodEnded) < order.index(PodSubmitted) < order.index(PodBound)


def test_nodes_stand_before_the_scheduler_starts(tmp_path: Path) -> None:
    trial = Trial(scenario(tmp_path), "test", "test-scheduler", EVERY)
    assert trial.world.store.count(NODES.storage_key) == 1


def test_the_end_tells_what_is_left(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='1m', chips=1, run_time='1m')")
    trial, _, why = played(story, idle_scheduler)
    assert why == "nothing is left to happen, 1 pods still wait for a node"
    assert trial.timeline[-1] == RunEnded(at_ns=1 * MINUTE, why=why, pending=1, running=0)


def test_the_scenarios_end_stops_the_run(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Settings(until='5m')", "Pod(name='a', at='1m', chips=1, run_time='1h')")
    trial, pace, why = played(story)
    assert why == "the scenario's end was reached"
    assert pace.jumps[-1] == 5 * MINUTE
    assert trial.timeline[-1] == RunEnded(at_ns=5 * MINUTE, why=why, pending=0, running=1)


def late_binder(seconds: int) -> Scheduler:
    """Binds first-fit, but only at instants that are a multiple of so many seconds."""

    def schedule(trial: Trial) -> int:
        since = trial.clock.now() - trial.scenario.start_ns
        return 0 if since % (seconds * SECOND) else first_fit(trial)

    return schedule


def test_the_schedulers_own_timers_are_visited_while_pods_wait(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='62s', chips=1, run_time='1m')")
    trial, pace, _ = played(story, late_binder(5), timer=SECOND)
    assert moments(trial, PodBound) == [65]
    assert [jump / SECOND for jump in pace.jumps] == [62, 63, 64, 65, 125]
    assert pace.fidelity.wakeups == 3


def test_timers_are_left_alone_past_the_horizon(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='62s', chips=1, run_time='1m')")
    _, pace, why = played(story, late_binder(60), timer=SECOND)
    assert [jump / SECOND for jump in pace.jumps] == [62 + step for step in range(11)]
    assert "1 pods still wait" in why


def test_an_arrival_is_no_help_where_new_pods_wait_for_no_timer(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='62s', chips=1, run_time='1m')")
    _, pace, _ = played(story, late_binder(5), rules=WakeupRules(step=0, after_arrivals=False), timer=SECOND)
    assert [jump / SECOND for jump in pace.jumps] == [62]


def test_pods_of_other_schedulers_hold_no_time(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='62s', chips=1, run_time='1m', scheduler_name='other')")
    trial, pace, why = played(story, idle_scheduler, timer=SECOND)
    assert (len(pace.jumps), why) == (1, "everything is done")
    assert trial.recorder.counts.submitted == 1


def test_deleting_what_is_gone_does_nothing(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Pod(name='a', at='1m', chips=1, run_time='1h')",
        "Delete(at='2m', pod='a', grace='0s')",
        "Delete(at='3m', pod='a')",
    )
    trial, _, _ = played(story)
    ended = [event for event in trial.timeline if isinstance(event, PodEnded)]
    assert [(event.at_ns, event.outcome) for event in ended] == [(2 * MINUTE, "deleted")]


def test_a_refused_object_is_named(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Manifest(at='1m', object={'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'x'},"
        " 'spec': {'containers': []}})",
    )
    with pytest.raises(RefusedArrival, match=r"spec\.containers: Required value"):
        played(story)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("{'containers': 'one'}", "cannot unmarshal string"),
        ("{'contaners': []}", "unknown field spec.contaners"),
    ],
)
def test_an_object_of_a_wrong_shape_is_refused(tmp_path: Path, spec: str, why: str) -> None:
    story = scenario(
        tmp_path,
        "Manifest(at='1m', object={'apiVersion': 'v1', 'kind': 'Pod',"
        f" 'metadata': {{'name': 'x'}}, 'spec': {spec}}})",
    )
    with pytest.raises(RefusedArrival, match=f"Pod 'x' was refused: .*{why}"):
        played(story)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Manifest(at='1m', object={'apiVersion': 'example.com/v1', 'kind': 'Thing',"
        " 'metadata': {'name': 'x'}})",
    )
    with pytest.raises(RefusedArrival, match=r"no kind 'Thing' is served in 'example\.com/v1'"):
        played(story)


def test_a_scenario_can_be_played_again(tmp_path: Path) -> None:
    story = scenario(
        tmp_path,
        "Pod(name='a', at='1m', chips=1, run_time='1m')",
        "Manifest(at='1m', object={'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x'}})",
    )
    first, _, _ = played(story)
    second, _, _ = played(story)
    assert first.timeline == second.timeline


def test_progress_tells_where_the_run_is(tmp_path: Path) -> None:
    told: list[Progress] = []
    story = scenario(tmp_path, "Pod(name='a', at='1m', chips=1, run_time='1m')")
    trial = Trial(story, "test", "test-scheduler", EVERY, told.append)
    pace = InstantPace(trial, first_fit)
    asyncio.run(trial.play(pace, lambda: pace.requests))
    assert told
    last = trial.progress()
    assert (last.virtual, last.submitted, last.finished, last.pending) == (2 * MINUTE, 1, 1, 0)
    assert _is_sorted(progress.virtual for progress in told)


def _is_sorted(values: Iterable[int]) -> bool:
    listed = list(values)
    return listed == sorted(listed)


def with_outage(story: LoadedScenario, length: Duration) -> tuple[Trial, str]:
    """A trial of the story, whose only chip fails after a minute for so long."""
    trial = Trial(story, "test", "test-scheduler", EVERY)
    (node,) = trial.world.machines.names()
    outage = Outage(story.start_ns + MINUTE, node, length, chips=1)
    trial.world.failures.play([outage])
    pace = InstantPace(trial, first_fit, None)
    return trial, asyncio.run(trial.play(pace, lambda: pace.requests))


def test_pods_that_wait_are_given_the_time_of_a_repair(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='2m', chips=1, run_time='1m')")
    trial, why = with_outage(story, 10 * DAY)
    assert why == "everything is done"
    assert moments(trial, PodBound) == [864_060]


def test_a_repair_that_takes_too_long_is_not_waited_for(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', at='2m', chips=1, run_time='1m')")
    _, why = with_outage(story, 40 * DAY)
    assert why == "nothing is left to happen, 1 pods still wait for a node"


def test_failures_and_repairs_keep_no_run_going(tmp_path: Path) -> None:
    story = scenario(tmp_path, "Pod(name='a', chips=1, run_time='2m')")
    trial, why = with_outage(story, HOUR)
    assert (why, moments(trial, HardwareFailed)) == ("everything is done", [60])
    assert moments(trial, HardwareRepaired) == []


def test_chips_are_what_the_scenario_calls_them(tmp_path: Path) -> None:
    trial = Trial(
        scenario(tmp_path, "Settings(chip_resource='example.org/npu')"), "test", "test-scheduler", EVERY
    )
    (node,) = trial.world.machines.names()
    assert trial.world.machines.chips(node) == 1
