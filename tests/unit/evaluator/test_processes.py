"""Closed loops: who waits for what, when it goes on, and whose line it was when it goes wrong."""

import asyncio
from pathlib import Path
from textwrap import dedent, indent

import pytest

from evaluator.errors import ScenarioError
from evaluator.processes import MAX_STEPS_AT_ONCE
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from evaluator.timeline import HardwareFailed, NodeAdded, PodEnded, PodSubmitted
from evaluator.trial import Trial
from evaluator.wakeups import WakeupRules
from fakeapi.kernel.time import MINUTE, SECOND
from tests.support.trials import InstantPace, Scheduler, first_fit, idle_scheduler

HEAD = """\
from evaluator.scenario import *

def scenario(s, rng):
    s.settings(start="2026-01-05T08:00:00Z")
    s.nodes("n", count=1, chips=4, labels={"rack": "a"})
    s.process(person(s, rng))

def person(s, rng):
"""
FIRST_LINE = HEAD.count("\n") + 1


def told(folder: Path, steps: str) -> LoadedScenario:
    """A scenario with one node of four chips and one person, who takes these steps."""
    file = folder / "story.py"
    file.write_text(HEAD + indent(dedent(steps).strip("\n"), "    ") + "\n")
    return load_scenario(file)


def played(story: LoadedScenario, scheduler: Scheduler = first_fit) -> tuple[Trial, str]:
    trial = Trial(story, "test", "test-scheduler", WakeupRules(horizon=10 * SECOND, step=0))
    pace = InstantPace(trial, scheduler, None)
    why = asyncio.run(trial.play(pace, lambda: pace.requests))
    trial.close(why)
    return trial, why


def submissions(trial: Trial) -> list[tuple[float, str]]:
    """Minute and name of each submission."""
    return [
        (event.at_ns / MINUTE, event.pod.partition("/")[2])
        for event in trial.timeline
        if isinstance(event, PodSubmitted)
    ]


def mistake(folder: Path, steps: str, line: int = 1) -> ScenarioError:
    """The error of these steps; it has to be blamed on that one of their lines."""
    with pytest.raises(ScenarioError) as caught:
        played(told(folder, steps))
    assert caught.value.where == f"{folder / 'story.py'}:{FIRST_LINE + line - 1}"
    return caught.value


def test_a_person_who_waits_for_each_job_before_the_next(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        yield s.after("30m")
        for number in range(3):
            job = s.pod(f"p-{number}", chips=1, run_time="10m")
            yield s.until(job.finished)
            assert s.outcome(job) == "succeeded"
            yield s.after("5m")
        """,
    )
    trial, why = played(story)
    assert submissions(trial) == [(30, "p-0"), (45, "p-1"), (60, "p-2")]
    assert why == "everything is done"


def test_what_failed_is_submitted_again(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        tries = 0
        outcome = None
        while outcome != "succeeded":
            job = s.pod("train", chips=1, run_time="10m", exit_code=1 if tries < 2 else 0)
            assert s.outcome(job) is None
            yield s.until(job.finished)
            outcome = s.outcome(job)
            s.delete("train", at="0s")
            tries += 1
            yield s.after("1m")
        """,
    )
    trial, _ = played(story)
    assert submissions(trial) == [(0, "train"), (11, "train"), (22, "train")]
    outcomes = [event.outcome for event in trial.timeline if isinstance(event, PodEnded)]
    assert outcomes == ["failed", "failed", "succeeded"]


def test_a_job_of_several_pods_is_waited_for_in_whole(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        job = s.job("sweep", pods=2, completions=4, chips=2, run_time="10m")
        yield s.until(job.started)
        s.pod("beside", chips=0, run_time="1m")
        yield s.until(job.finished)
        s.pod(f"after-{s.outcome(job)}", chips=1, run_time="1m")
        """,
    )
    trial, _ = played(story)
    # A Job's next pods come a second after the first have ended, and so does its own end.
    assert submissions(trial)[2] == (0, "beside")
    assert submissions(trial)[-1] == (20 + 2 / 60, "after-succeeded")


def test_who_waits_too_long_gives_up(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        job = s.pod("never", chips=99, run_time="1m")
        yield s.until(job.started, timeout="20m")
        s.delete("never", at="0s")
        yield s.until(job.finished)
        s.pod(f"then-{s.outcome(job)}", chips=1, run_time="1m")
        """,
    )
    trial, _ = played(story)
    assert submissions(trial) == [(0, "never"), (20, "then-deleted")]


def test_what_ended_without_a_start_is_not_waited_for_any_more(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        job = s.pod("never", chips=99, run_time="1m")
        s.delete("never", at="7m")
        yield s.until(job.started)
        s.pod("then", chips=1, run_time="1m")
        """,
    )
    assert submissions(played(story)[0])[-1] == (7, "then")


def test_somebody_comes_when_the_queue_is_short(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        for number in range(8):
            s.pod(f"p-{number}", chips=1, run_time="10m", user="ada", queue="a" if number % 2 else "b")
        assert (s.waiting(), s.running()) == (8, 0)
        yield s.until(lambda: s.waiting() <= 4)
        assert (s.waiting(user="ada"), s.waiting(user="bob"), s.running(queue="a")) == (4, 0, 2)
        yield s.until(lambda: s.waiting() == 0)
        s.pod("last", chips=1, run_time="1m")
        """,
    )
    assert submissions(played(story)[0])[-1] == (10, "last")


def test_people_come_in_the_morning(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        for day in range(2):
            yield s.until_time("09:30")
            s.pod(f"{s.date:%a}-{s.now}".replace(" ", "").replace(":", "").replace(",", "").lower(),
                  chips=1, run_time="1h")
        yield s.until_time("09:30")
        s.pod("third", chips=1, run_time="1h")
        """,
    )
    assert submissions(played(story)[0]) == [
        (90, "mon-13000"),
        (90 + 24 * 60, "tue-1day13000"),
        (90 + 48 * 60, "third"),
    ]


def test_whatever_can_be_said_can_be_said_later(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        yield s.after("5m")
        s.nodes("m", count=2, chips=1, labels={"rack": "b"})
        s.outage({"rack": "b"}, at="10m", recover_after="1m")
        s.pod("urgent", chips=1, run_time="8m", priority=7, namespace="elsewhere")
        s.pod("urgent-too", chips=1, run_time="8m", priority=7)
        s.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}")

        def other(s):
            s.pod("of-another", chips=1, run_time="1m")
            yield s.after("0s")

        s.process(other(s), at="6m")
        """,
    )
    trial, _ = played(story)
    assert submissions(trial) == [(5, "urgent"), (5, "urgent-too"), (6, "of-another")]
    added = [(event.at_ns, event.node) for event in trial.timeline if isinstance(event, NodeAdded)]
    assert added[1:] == [(5 * MINUTE, "m-0"), (5 * MINUTE, "m-1")]
    failed = [event.node for event in trial.timeline if isinstance(event, HardwareFailed)]
    assert failed == ["m-0", "m-1"]


def test_each_run_has_processes_of_its_own(tmp_path: Path) -> None:
    story = told(
        tmp_path,
        """
        draw = rng.stream("person")
        for number in range(4):
            yield s.after(minutes(draw.randint(1, 50)))
            s.pod(f"p-{number}", chips=draw.randint(1, 4), run_time="30m")
        """,
    )
    first, second = played(story)[0], played(story)[0]
    assert first.timeline == second.timeline
    assert len(submissions(first)) == 4
    other = load_scenario(story.path, seed=1)
    assert other.digest != story.digest
    assert submissions(played(other)[0]) != submissions(first)


def test_who_still_waits_at_the_end_is_ended_there(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    story = told(
        tmp_path,
        f"""
        job = s.pod("never", chips=99, run_time="1m")
        try:
            yield s.until(job.finished)
        finally:
            s.pod("too-late", chips=1)
            open({str(mark)!r}, "w").close()
        """,
    )
    trial, why = played(story)
    assert why == "nothing is left to happen, 1 pods still wait for a node, 1 process still waiting"
    assert mark.exists()
    assert submissions(trial) == [(0, "never")]


@pytest.mark.parametrize("scheduler", [first_fit, idle_scheduler])
def test_the_digest_tells_of_processes_before_they_run(tmp_path: Path, scheduler: Scheduler) -> None:
    one = told(tmp_path, "yield s.after('1m')")
    digest = one.digest
    played(one, scheduler)
    assert told(tmp_path, "yield s.after('2m')").digest != digest == one.digest


# ---- mistakes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "line", "what"),
    [
        ("yield s.after('1m')\nyield '2m'", 2, "process person yields '2m'"),
        ("yield s.after('1m')\n{}['x']", 2, "the scenario raised KeyError: 'x'"),
        ("yield s.after(5)", 1, "a number without a unit"),
        ("yield s.until('done')", 1, "'done' is nothing to wait for"),
        ("yield s.until_time('25:00')", 1, "'25:00' is no time of the day"),
        ("yield s.until(lambda: 1 / 0)", 1, "ZeroDivisionError"),
        ("yield s.after('1m')\ns.process(person)", 2, "is no process"),
        ("yield s.after('1m')\ns.expect('wait_max < 1')", 2, "a process expects nothing"),
        ("yield s.after('1m')\ns.note('a', 'b')", 2, "s.note belongs before the run"),
        ("yield s.after('1m')\ns.settings(until='1h')", 2, "s.settings belongs before the run"),
        ("yield s.after('1m')\ns.crash('m-0', at='5m')", 2, "crash names the node 'm-0', which nothing adds"),
        ("yield s.after('1m')\ns.outage({'rack': 'z'}, at='5m')", 2, "takes the nodes with rack=z"),
        ("s.pod('a', chips=1)\nyield s.after('1m')\ns.pod('a', chips=1)", 3, "already exists"),
        ("s.pod('a', priority_class='b')\nyield s.after('1m')", 1, "no PriorityClass with name b was found"),
        ("while True: yield s.after('0s')", 1, "process person never lets time go on"),
        ("while True: yield s.after('3000d')", 1, "process person still goes on after"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, steps: str, line: int, what: str) -> None:
    assert what in str(mistake(tmp_path, steps, line))


def test_a_process_that_does_not_end_when_it_is_told_to_is_named(tmp_path: Path) -> None:
    steps = """
        try:
            yield s.after("200d")
        except GeneratorExit:
            yield s.after("1m")
        """
    story = told(tmp_path, steps.replace('s.after("200d")', "s.until(lambda: False)"))
    with pytest.raises(ScenarioError, match="process person yields when it is told to end"):
        played(story)


def test_before_the_run_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_text("def scenario(s, rng):\n    s.nodes('n', count=1)\n    s.waiting()\n")
    with pytest.raises(ScenarioError, match="nothing runs yet") as caught:
        load_scenario(file)
    assert caught.value.where == f"{file}:3"


def test_an_instant_that_cannot_be_read_is_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_text(
        "def scenario(s, rng):\n    s.nodes('n', count=1)\n    s.process(p(s), at='soon')\n"
        "def p(s):\n    yield s.after('1m')\n"
    )
    with pytest.raises(ScenarioError, match="at = 'soon'") as caught:
        load_scenario(file)
    assert caught.value.where == f"{file}:3"


def test_many_steps_at_one_instant_are_fine(tmp_path: Path) -> None:
    assert MAX_STEPS_AT_ONCE > 1000
    story = told(tmp_path, "for _ in range(1000): yield s.after('0s')\ns.pod('p', run_time='1m')")
    assert submissions(played(story)[0]) == [(0, "p")]
