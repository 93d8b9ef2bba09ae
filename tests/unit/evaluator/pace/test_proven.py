"""The warp pace with a real asyncio program under a frozen clock: virtual instants are met exactly.

The same program under a running clock, and a Go program, are in ``test_proven_running.py``.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from evaluator.pace.errors import NotQuiescent, ProcessGone, WrongMoment
from evaluator.pace.tree import ProcessTree
from evaluator.pace.unread import BY_SOCK_DIAG
from evaluator.warp.process import FROM_THE_START
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import DAY, HOUR, MILLISECOND, MINUTE, SECOND, Duration
from tests.unit.evaluator.pace.rig import Rig, frozen_worker

SHORT: Duration = 300 * MILLISECOND
"""A limit for proofs that must fail."""


def drive(story: Callable[[Rig], Awaitable[None]], limit: Duration | None = None) -> None:
    """Run a story with the asyncio program under a frozen clock."""

    async def main() -> None:
        async with frozen_worker() as rig:
            if limit is not None:
                rig.pace.limit = limit
            await story(rig)

    asyncio.run(main())


def test_an_answer_shows_the_instant_of_its_question() -> None:
    async def story(rig: Rig) -> None:
        for number in range(1, 4):
            await rig.at(DEFAULT_START + number * DAY, f"say hello{number}")
        assert [(said.words, said.wall) for said in rig.server.said] == [
            (f"hello{number}", DEFAULT_START + number * DAY) for number in range(1, 4)
        ]

    drive(story)


def test_a_timer_fires_at_its_exact_instant() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + MINUTE, "after 90 done")
        assert rig.pace.next_wakeup() == DEFAULT_START + 150 * SECOND
        await rig.until(DEFAULT_START + HOUR)
        (said,) = rig.server.said
        assert (said.words, said.wall, said.at) == ("done", DEFAULT_START + 150 * SECOND, said.wall)
        assert rig.pace.next_wakeup() is None

    drive(story)


def test_a_timer_that_an_event_interrupts_keeps_its_instant() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + MINUTE, "after 90 done")
        await rig.at(DEFAULT_START + MINUTE + 12_345_678_901, "say between")
        await rig.until(DEFAULT_START + HOUR)
        # What is left of the time-out is waited for in whole milliseconds, the last of which is rounded up.
        late = rig.server.said[-1].wall - (DEFAULT_START + 150 * SECOND)
        assert rig.words() == ["between", "done"]
        assert 0 <= late < MILLISECOND

    drive(story)


def test_a_ticker_of_a_hundred_days_stays_exact() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START, "every 21600 400")
        await rig.until(DEFAULT_START + 101 * DAY)
        walls = [said.wall for said in rig.server.said]
        assert walls == [DEFAULT_START + number * 6 * HOUR for number in range(1, 401)]
        assert rig.pace.fidelity.jumps == 402  # one for each tick, one to the start, one to the end

    drive(story)


def test_a_program_that_computes_is_waited_for() -> None:
    async def story(rig: Rig) -> None:
        before = rig.pace.fidelity.scheduler_cpu
        await rig.at(DEFAULT_START + HOUR, "burn 0.2")
        (said,) = rig.server.said
        assert (said.words, said.wall) == ("burnt", DEFAULT_START + HOUR)
        assert rig.pace.fidelity.scheduler_cpu - before >= 200 * MILLISECOND
        # The wait begins when time has moved, the burning a little earlier, when the program was woken.
        assert rig.pace.fidelity.longest_wait >= 150 * MILLISECOND

    drive(story)


def test_all_events_of_an_instant_are_seen_before_it_ends() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, *(f"say {number}" for number in range(200)))
        assert sorted(map(int, rig.words())) == list(range(200))
        assert {said.wall for said in rig.server.said} == {DEFAULT_START + HOUR}

    drive(story)


def test_more_bytes_than_buffers_hold_do_not_stall_the_instant() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, *["ignored " + "x" * 60_000 for _ in range(200)], "say end")
        assert rig.words() == ["end"]

    drive(story)


def test_the_same_orders_give_the_same_answers_twice() -> None:
    records: list[list[tuple[str, int, int]]] = []

    async def story(rig: Rig) -> None:
        for number in range(20):
            await rig.at(
                rig.now + 977 * MILLISECOND, f"after {number * 0.37:.2f} late{number}", f"say {number}"
            )
        await rig.until(DEFAULT_START + HOUR)
        records.append([(said.words, said.wall, said.monotonic) for said in rig.server.said])

    drive(story)
    drive(story)
    assert len(records[0]) == 40
    assert records[0] == records[1]


def test_a_request_without_an_answer_holds_time() -> None:
    async def story(rig: Rig) -> None:
        rig.server.hold = True
        rig.pace.jump(DEFAULT_START + MINUTE)
        rig.server.push("say waiting")
        with pytest.raises(NotQuiescent) as failure:
            await rig.pace.idle()
        assert failure.value.condition == "requests in flight"
        rig.server.answer_held()
        await rig.pace.idle()
        assert rig.words() == ["waiting"]

    drive(story, limit=SHORT)


def test_a_program_that_spins_is_named_with_its_state() -> None:
    async def story(rig: Rig) -> None:
        with pytest.raises(NotQuiescent, match=r"processor time|running threads") as failure:
            await rig.at(DEFAULT_START + MINUTE, "spin")
        assert "runs (state R)" in str(failure.value)
        assert "stands still between jumps" in str(failure.value)

    drive(story, limit=SHORT)


def test_a_program_that_does_not_read_holds_time() -> None:
    async def story(rig: Rig) -> None:
        # Held, it reads nothing; the pace does not know, and must find out from the kernel.
        rig.process.pause()
        rig.server.push("say late")
        with pytest.raises(NotQuiescent) as failure:
            await rig.pace.idle()
        assert failure.value.condition == "unread bytes"
        assert "9 bytes not read by 127.0.0.1:" in str(failure.value)
        rig.process.resume()
        await rig.pace.idle()
        assert rig.words() == ["late"]
        assert rig.pace.fidelity.unread_method == BY_SOCK_DIAG

    drive(story, limit=SHORT)


@pytest.mark.parametrize(("order", "status"), [("exit 7", 7), ("exit 0", 0), ("crash", -signal.SIGABRT)])
def test_a_program_that_ends_is_told_with_its_status(order: str, status: int) -> None:
    async def story(rig: Rig) -> None:
        with pytest.raises(ProcessGone) as failure:
            await rig.at(DEFAULT_START + MINUTE, order)
        assert failure.value.status == status

    drive(story)


def test_a_program_that_ended_between_two_instants_is_noticed() -> None:
    async def story(rig: Rig) -> None:
        assert rig.process.child is not None
        rig.process.child.kill()
        with pytest.raises(ProcessGone) as failure:
            rig.pace.jump(DEFAULT_START + MINUTE)
        assert failure.value.status == -signal.SIGKILL

    drive(story)


def test_a_closed_watch_is_no_obstacle() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + MINUTE, "close", "after 60 timer")
        assert rig.server.ended_watches == 1
        await rig.until(DEFAULT_START + HOUR)
        assert rig.words() == ["closed", "timer"]
        assert rig.server.said[-1].wall == DEFAULT_START + 2 * MINUTE

    drive(story)


def test_a_child_process_counts_and_shares_the_clock() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, "child 0.2")
        (said,) = rig.server.said
        assert said.wall == DEFAULT_START + HOUR
        assert said.words == f"child:{DEFAULT_START + HOUR}"

    drive(story)


def test_a_sleep_that_no_jump_reaches_is_reported() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, "thread 5")
        assert rig.pace.next_wakeup() is None
        (text,) = rig.pace.fidelity.unreachable
        assert "clock_nanosleep" in text
        assert "--pace settle" in text

    drive(story)


def test_the_figures_of_a_run() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, "after 60 x")
        await rig.until(DEFAULT_START + 2 * HOUR)
        figures = rig.pace.fidelity.to_json()
        assert (figures["pace"], figures["forced_moves"], figures["guessed_moves"]) == ("warp", 0, 0)
        assert (figures["jumps"], figures["clock_lead_s"]) == (3, 0.0)
        assert figures["takeover"] == FROM_THE_START

    drive(story)


def test_steps_out_of_order_are_refused() -> None:
    async def story(rig: Rig) -> None:
        await rig.pace.begin_instant()
        with pytest.raises(WrongMoment, match="idle"):
            await rig.pace.idle()
        with pytest.raises(WrongMoment, match="twice"):
            await rig.pace.begin_instant()
        rig.pace.jump(DEFAULT_START + MINUTE)
        await rig.pace.end_instant()
        with pytest.raises(WrongMoment, match="next_wakeup"):
            rig.pace.next_wakeup()
        with pytest.raises(WrongMoment, match="without"):
            await rig.pace.end_instant()
        await rig.pace.idle()
        assert rig.pace.next_wakeup() is None

    drive(story)


def test_a_server_in_uvloop_meets_the_same_instants() -> None:
    async def main() -> list[tuple[str, int]]:
        async with frozen_worker() as rig:
            await rig.at(DEFAULT_START + HOUR, "every 0.25 40", "after 3.1 between", *["say x"] * 20)
            await rig.until(DEFAULT_START + DAY)
            return [(said.words, said.wall) for said in rig.server.said]

    assert uvloop.run(main()) == asyncio.run(main())


def test_a_closed_pace_leaves_the_program_running_with_its_clock() -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + HOUR, "say before")
        rig.pace.close()
        rig.pace.close()
        rig.server.push("say after")
        while len(rig.server.said) < 2:
            await asyncio.sleep(0)
        before, after = rig.server.said
        assert after.wall > before.wall
        assert after.monotonic > before.monotonic

    drive(story)


def test_a_program_stopped_between_two_calls_is_let_go_until_it_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(rig: Rig) -> None:
        await rig.at(DEFAULT_START + MINUTE, "after 60 timer")
        caught = iter([True, True, False])
        monkeypatch.setattr(ProcessTree, "is_outside_of_waits", lambda _: next(caught))
        await rig.pace.begin_instant()
        assert list(caught) == []  # twice it was found awake, let go, and proven idle again
        rig.pace.jump(DEFAULT_START + 2 * MINUTE)
        await rig.pace.end_instant()
        await rig.pace.idle()
        assert rig.words() == ["timer"]

    drive(story)
