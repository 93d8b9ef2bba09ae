"""The pace of silence: what it waits for, and that it never claims to know."""

import asyncio

import pytest

from evaluator.pace.errors import NotQuiescent, ProcessGone
from evaluator.pace.pace import Pace, Proof
from evaluator.pace.settle import SettlePace
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import HOUR, MILLISECOND, SECOND
from tests.unit.evaluator.pace.fakes import FakeTraffic

CUSHION = 5 * MILLISECOND


def pace(traffic: FakeTraffic, **options: int) -> SettlePace:
    """A pace with a short cushion."""
    return SettlePace(traffic, cushion=CUSHION, limit=options.get("limit", 20 * SECOND))


def idle(settle: SettlePace) -> Proof:
    """One guess."""
    return asyncio.run(settle.idle())


def test_silence_for_the_length_of_the_cushion_is_taken_for_idleness() -> None:
    settle = pace(FakeTraffic())
    proof = idle(settle)
    assert proof.guessed
    assert proof.waited >= CUSHION
    assert proof.method == "silence"


def test_a_request_begins_the_silence_anew() -> None:
    left = 4

    def another(traffic: FakeTraffic) -> None:
        nonlocal left
        if left:
            left -= 1
            traffic.requests += 1

    assert idle(pace(FakeTraffic(on_look=another))).waited >= 4 * CUSHION
    assert left == 0


@pytest.mark.parametrize(
    ("traffic", "condition"),
    [
        (FakeTraffic(flying=1), "requests in flight"),
        (FakeTraffic(waiting={("h", 1): 9}), "unsent bytes"),
    ],
)
def test_unfinished_business_is_no_silence(traffic: FakeTraffic, condition: str) -> None:
    with pytest.raises(NotQuiescent) as failure:
        idle(pace(traffic, limit=20 * MILLISECOND))
    assert failure.value.condition == condition


def test_requests_without_end_are_no_silence() -> None:
    def another(traffic: FakeTraffic) -> None:
        traffic.requests += 1

    with pytest.raises(NotQuiescent, match="requests within"):
        idle(pace(FakeTraffic(on_look=another), limit=20 * MILLISECOND))


def test_an_end_is_noticed() -> None:
    settle = SettlePace(FakeTraffic(), pid=7, exit_status=lambda: 3)
    with pytest.raises(ProcessGone, match=r"process 7\) is gone: exited with status 3"):
        idle(settle)


def test_its_figures_say_that_it_guessed() -> None:
    settle: Pace = SettlePace(FakeTraffic(), cushion=CUSHION, cpu=lambda: 5 * SECOND)

    async def run() -> None:
        for number in range(3):
            await settle.begin_instant()
            settle.jump(DEFAULT_START + number * HOUR)
            await settle.end_instant()
            await settle.idle()
            assert settle.next_wakeup() is None
        settle.close()

    asyncio.run(run())
    figures = settle.fidelity.to_json()
    assert settle.name == figures["pace"] == "settle"
    assert (figures["jumps"], figures["proofs"], figures["guessed_moves"]) == (3, 3, 3)
    assert (figures["scheduler_cpu_s"], figures["wakeups"], figures["clock_lead_s"]) == (5.0, 0, 0.0)


def test_a_cushion_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than 0 ns, not 0"):
        SettlePace(FakeTraffic(), cushion=0)
