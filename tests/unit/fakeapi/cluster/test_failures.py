"""Failures over time, drawn or played."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from fakeapi.cluster.failuremodel import FailureModel
from fakeapi.cluster.failures import Failures, Outage
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.fakeapi.cluster.conftest import Bench


@pytest.fixture
def bench(make_bench: Callable[[], Bench]) -> Bench:
    made = make_bench()
    for number in range(4):
        made.machine(f"n{number}", labels={"rack": f"r{number // 2}"})
    return made


def failures_of(bench: Bench, seed: int = 1) -> Failures:
    return Failures(bench.machines, bench.store, bench.queue, bench.clock, Chance(seed))


def told(bench: Bench) -> list[tuple[str, str, str, int]]:
    return [(event.happening, event.node, event.what, event.chips) for event in bench.hardware]


class TestPlayed:
    def test_outages_begin_and_end_when_they_did(self, bench: Bench) -> None:
        now = bench.clock.now()
        failures_of(bench).play(
            [
                Outage(now + MINUTE, "n0", HOUR),
                Outage(now + 2 * MINUTE, "n1", HOUR, chips=2, group="cable"),
                Outage(now + 3 * MINUTE, "gone", HOUR),
            ]
        )
        assert (len(bench.queue), bench.queue.peek()) == (1, None)  # one ahead, and no reason to go on
        bench.wait(2 * MINUTE)
        assert not bench.machines.is_up("n0")
        assert bench.machines.failed_chips("n1") == (0, 1)
        bench.wait(HOUR - 1)
        assert bench.machines.is_up("n0")
        assert bench.machines.failed_chips("n1") == (0, 1)
        bench.wait(1)
        assert told(bench) == [
            ("failed", "n0", "node", 4),
            ("failed", "n1", "chips", 2),
            ("repaired", "n0", "node", 4),
            ("repaired", "n1", "chips", 2),
        ]
        assert [event.group for event in bench.hardware[:2]] == [None, "cable"]

    def test_a_node_is_back_after_the_last_of_its_outages(self, bench: Bench) -> None:
        now = bench.clock.now()
        failures_of(bench).play([Outage(now, "n0", HOUR), Outage(now + MINUTE, "n0", MINUTE)])
        bench.wait(30 * MINUTE)
        assert not bench.machines.is_up("n0")
        bench.wait(30 * MINUTE)
        assert bench.machines.is_up("n0")

    def test_a_node_that_is_removed_meanwhile_is_not_repaired(self, bench: Bench) -> None:
        now = bench.clock.now()
        failures_of(bench).play([Outage(now, "n0", HOUR), Outage(now, "n1", HOUR, chips=1)])
        bench.wait(MINUTE)
        for node in ("n0", "n1"):
            bench.machines.remove(node)
        bench.wait(DAY)
        assert [event.happening for event in bench.hardware] == ["failed", "failed"]

    def test_more_chips_than_work_fail_no_more(self, bench: Bench) -> None:
        now = bench.clock.now()
        outages = [Outage(now + after * SECOND, "n0", HOUR, chips=4) for after in range(2)]
        failures_of(bench).play(outages)
        bench.wait(DAY)
        assert told(bench) == [("failed", "n0", "chips", 4), ("repaired", "n0", "chips", 4)]

    def test_they_must_stand_in_the_order_of_time(self, bench: Bench) -> None:
        now = bench.clock.now()
        failures_of(bench).play([Outage(now + HOUR, "n0", 1), Outage(now, "n1", 1)])
        with pytest.raises(ValueError, match="outages must stand in the order of time"):
            bench.wait(HOUR)


class TestDrawn:
    def test_nothing_is_planned_far_ahead(self, bench: Bench) -> None:
        failures_of(bench).draw(FailureModel(outages_per_1000_node_days=1000))
        assert (len(bench.queue), bench.queue.peek()) == (1, None)
        bench.wait(100 * DAY)
        assert len(bench.hardware) > 100
        assert len(bench.queue) < 100

    def test_the_same_seed_fails_the_same(self, make_bench: Callable[[], Bench]) -> None:
        def history(seed: int) -> list[tuple[str, str, str, int]]:
            bench = make_bench()
            for number in range(4):
                bench.machine(f"n{number}")
            failures_of(bench, seed).draw(FailureModel(outages_per_1000_node_days=100))
            bench.wait(100 * DAY)
            return told(bench)

        assert history(1) == history(1)
        assert history(1) != history(2)

    def test_the_rate_follows_the_number_of_nodes(self, make_bench: Callable[[], Bench]) -> None:
        bench = make_bench()
        model = FailureModel.independent(outages_per_1000_node_days=100)
        failures_of(bench).draw(model)
        assert bench.queue.peek_background() is None
        for number in range(100):
            bench.machine(f"n{number}", chips=0)
        bench.wait(100 * DAY)
        first = Counter(event.happening for event in bench.hardware)["failed"]
        assert first == pytest.approx(1000, rel=0.5)  # less: a node that is down does not fail again
        for number in range(10, 100):
            bench.machines.remove(f"n{number}")
        bench.hardware.clear()
        bench.wait(100 * DAY)
        assert Counter(event.happening for event in bench.hardware)["failed"] < first / 5

    def test_those_that_fail_together_stand_in_one_rack_and_are_repaired_together(self, bench: Bench) -> None:
        model = FailureModel(
            outages_per_1000_node_days=10, together=((2, 1),), topology="rack", again_share=0
        )
        failures_of(bench).draw(model)
        while not bench.hardware:
            bench.wait(DAY)
        one, two = bench.hardware[:2]
        assert {one.node, two.node} in ({"n0", "n1"}, {"n2", "n3"})
        assert (one.group, one.what) == (two.group, "node") == ("failure-1", "node")

    def test_a_fault_may_come_back_after_its_repair(self, bench: Bench) -> None:
        model = FailureModel(
            outages_per_1000_node_days=1,
            together=((1, 1),),
            again_share=0.99,
            chip_share=1,
            repair="exponential",
        )
        failures_of(bench).draw(model)
        while len(bench.hardware) < 20:
            bench.wait(DAY)
        assert len({(event.node, event.what) for event in bench.hardware[:20]}) == 1

    def test_it_ends_when_it_is_told_to(self, bench: Bench) -> None:
        until = bench.clock.now() + 10 * DAY
        failures_of(bench).draw(FailureModel(outages_per_1000_node_days=1000), until=until)
        bench.wait(1000 * DAY)
        assert len(bench.queue) == 0
        bench.hardware.clear()
        bench.wait(1000 * DAY)
        assert bench.hardware == []
