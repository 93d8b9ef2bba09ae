"""The warp pace with running clocks: a Go program, and the asyncio program for comparison.

Between jumps such a clock runs for real, so an instant is met late by what the program's clock has run ahead:
never early, late by no more than twice the lead that the figures tell (once because the begin of a wait is
known only by when the program was seen idle, once until its answer) plus a millisecond to which time-outs are
rounded.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from evaluator.pace.errors import NotQuiescent, ProcessGone, WrongMoment
from evaluator.warp.clock import ClockMode
from evaluator.warp.threads import Kick
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import DAY, HOUR, MILLISECOND, MINUTE, SECOND, Duration, Instant
from tests.unit.evaluator.pace.rig import Rig, Said, rig, running_worker

LEAD_IN: Duration = MINUTE
"""How much earlier than the simulation the program's clock begins, so that its start makes no lead."""

Story = Callable[[Rig], Awaitable[None]]


@pytest.fixture(
    params=[
        "asyncio",
        pytest.param("go", marks=pytest.mark.peer),
        pytest.param("go beside uvloop", marks=pytest.mark.peer),
    ]
)
def drive(request: pytest.FixtureRequest) -> Callable[[Story], None]:
    """Runs a story with either program, and with the server in either kind of event loop."""

    def start() -> Any:
        if request.param == "asyncio":
            return running_worker(lead_in=LEAD_IN)
        go_worker: Path = request.getfixturevalue("go_worker")
        return rig([str(go_worker)], ClockMode.RUNNING, Kick.GO, lead_in=LEAD_IN)

    def run(story: Story) -> None:
        async def main() -> None:
            async with start() as started:
                await story(started)

        (uvloop.run if "uvloop" in request.param else asyncio.run)(main())

    return run


def tolerance(started: Rig) -> Duration:
    """How late an instant may be met in virtual time."""
    return 2 * started.pace.fidelity.clock_lead + MILLISECOND


def assert_met(started: Rig, said: Said, instant: Instant) -> None:
    """The program's clock showed this instant when it answered, or a tolerable time later."""
    assert 0 <= said.wall - instant <= tolerance(started)


def assert_never_back(answers: list[Said]) -> None:
    """Neither clock has gone back."""
    for earlier, later in itertools.pairwise(answers):
        assert later.monotonic >= earlier.monotonic
        assert later.wall >= earlier.wall


def test_a_question_is_answered_at_its_instant(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        for number in range(1, 6):
            await started.at(DEFAULT_START + number * DAY, f"say {number}")
        answers = started.server.said
        assert started.words() == ["1", "2", "3", "4", "5"]
        for number, said in enumerate(answers, 1):
            assert_met(started, said, DEFAULT_START + number * DAY)
        assert_never_back(answers)
        assert answers[-1].monotonic - answers[0].monotonic >= 4 * DAY - tolerance(started)

    drive(story)


def test_a_timer_fires_on_time_and_not_before(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        begun = DEFAULT_START + HOUR
        await started.at(begun, "after 5400 done")
        wakeup = started.pace.next_wakeup()
        assert wakeup is not None
        assert_met(started, Said("", wakeup, 0, 0), begun + 5400 * SECOND)
        await started.at(begun + 5399 * SECOND, "say not-yet")
        assert started.words() == ["not-yet"]
        await started.until(begun + DAY)
        assert started.words() == ["not-yet", "done"]
        assert_met(started, started.server.said[-1], begun + 5400 * SECOND)

    drive(story)


def test_a_ticker_ticks_at_each_period(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        begun = DEFAULT_START + HOUR
        await started.at(begun, "every 600 50")
        await started.until(begun + DAY)
        answers = started.server.said
        assert started.words() == [f"tick{number}" for number in range(1, 51)]
        for number, said in enumerate(answers, 1):
            assert_met(started, said, begun + number * 600 * SECOND)
        assert_never_back(answers)

    drive(story)


def test_time_stands_while_the_program_computes(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        instant = DEFAULT_START + HOUR
        before = started.pace.fidelity.scheduler_cpu
        await started.at(instant, "burn 0.2")
        (said,) = started.server.said
        assert said.at == instant
        assert started.pace.fidelity.scheduler_cpu - before >= 200 * MILLISECOND
        # Its own clock went on meanwhile, which is what the lead tells.
        assert said.wall - instant >= 200 * MILLISECOND // 2
        assert_met(started, said, instant)

    drive(story)


def test_a_jump_behind_the_lead_moves_nothing_back(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        instant = DEFAULT_START + HOUR
        await started.at(instant, "burn 0.1")
        await started.at(instant + MILLISECOND, "say soon")
        await started.at(instant + DAY, "say later")
        answers = started.server.said
        assert_never_back(answers)
        assert answers[1].wall > instant + MILLISECOND
        assert_met(started, answers[2], instant + DAY)

    drive(story)


def test_events_may_follow_in_the_same_instant(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        await started.at(DEFAULT_START + HOUR, "say first", "after 60 done")
        await started.pace.begin_instant()
        started.server.push("say second")
        await started.pace.end_instant()
        with pytest.raises(WrongMoment, match="next_wakeup"):
            started.pace.next_wakeup()
        await started.pace.idle()
        assert started.words() == ["first", "second"]
        assert started.pace.fidelity.jumps == 1
        await started.until(DEFAULT_START + DAY)
        assert_met(started, started.server.said[-1], DEFAULT_START + HOUR + MINUTE)

    drive(story)


@pytest.mark.parametrize("order", ["exit 5", "crash"])
def test_an_end_is_noticed(drive: Callable[[Story], None], order: str) -> None:
    async def story(started: Rig) -> None:
        with pytest.raises(ProcessGone) as failure:
            await started.at(DEFAULT_START + HOUR, order)
        assert failure.value.status not in (0, None)

    drive(story)


def test_spinning_is_told(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        started.pace.limit = 300 * MILLISECOND
        with pytest.raises(NotQuiescent, match=r"runs \(state R\)") as failure:
            await started.at(DEFAULT_START + HOUR, "spin")
        assert failure.value.condition in ("processor time", "running threads")

    drive(story)


def test_life_goes_on_after_the_watch_is_closed(drive: Callable[[Story], None]) -> None:
    async def story(started: Rig) -> None:
        begun = DEFAULT_START + HOUR
        await started.at(begun, "after 1000 done", "close")
        assert started.server.ended_watches == 1
        await started.until(begun + DAY)
        assert "done" in started.words()
        assert_met(started, started.server.said[-1], begun + 1000 * SECOND)

    drive(story)
