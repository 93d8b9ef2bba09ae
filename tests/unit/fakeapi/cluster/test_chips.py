"""The chips of one node: who gets which, and what a failure takes."""

import pytest

from fakeapi.cluster.chips import Chips, chip_id

A, B = ("default", "a"), ("default", "b")


@pytest.fixture
def chips() -> Chips:
    return Chips("n1", 4)


def test_the_lowest_free_ones_are_given(chips: Chips) -> None:
    assert chips.take(A, 2) == (0, 1)
    assert chips.take(B, 1) == (2,)
    chips.give_back((0, 1))
    assert chips.take(B, 3) == (0, 1, 3)
    assert chips.take(A, 1) is None
    assert chips.held() == dict.fromkeys((0, 1, 2, 3), B)


def test_nothing_is_taken_where_there_is_too_little(chips: Chips) -> None:
    assert chips.take(A, 5) is None
    assert chips.free() == [0, 1, 2, 3]


def test_a_failure_names_those_who_hold_the_chips_and_nobody_else(chips: Chips) -> None:
    chips.take(A, 2)
    chips.take(B, 1)
    assert chips.lowest_healthy(9) == (0, 1, 2, 3)
    assert chips.fail((3, 1)) == (A,)
    assert (chips.healthy, chips.lowest_healthy(1)) == (2, (0,))
    assert not chips.works((0, 1))
    assert chips.works((0, 2))
    assert chips.names((3, 1)) == f"chip 1 ({chip_id('n1', 1)}), chip 3 ({chip_id('n1', 3)})"
    assert [each["health"] for each in chips.health((0, 1))] == ["Healthy", "Unhealthy"]


def test_failed_chips_are_not_given_until_they_are_repaired(chips: Chips) -> None:
    chips.fail((0,))
    assert chips.take(A, 3) == (1, 2, 3)
    assert chips.take(B, 1) is None
    assert chips.repair((0, 1)) == (A,)
    assert chips.take(B, 1) == (0,)


def test_fewer_chips_forget_the_failures_of_those_that_are_gone(chips: Chips) -> None:
    chips.fail((0, 3))
    chips.resize(2)
    assert (chips.failed, chips.healthy) == ({0}, 1)


def test_a_chip_has_the_same_name_in_every_run() -> None:
    assert len({chip_id(node, index) for node in ("n1", "n2") for index in range(8)}) == 16
