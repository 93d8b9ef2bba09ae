"""Figures of failures: what is refused, and that what is drawn has the figures that it was asked for."""

from statistics import mean, median
from typing import Any

import pytest

from fakeapi.cluster.failuremodel import Draws, FailureModel
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import DAY, HOUR, SECOND

MANY = 20_000


def draws(model: FailureModel, seed: int = 1) -> Draws:
    return Draws(model, Chance(seed))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"outages_per_1000_node_days": 0}, "outages_per_1000_node_days must be greater than 0"),
        ({"repair_median": 0}, "repair_median must be longer than 0s"),
        ({"repair_mean": HOUR}, "repair_mean must be no shorter than repair_median"),
        ({"again_share": 1}, "again_share must be at least 0 and less than 1"),
        ({"again_within": 0}, "again_within must be longer than 0s"),
        ({"chip_share": 1.1}, "chip_share must be from 0 to 1"),
        ({"together": ()}, "together must be counts from 1 with weights"),
        ({"together": ((0, 1),)}, "together must be counts from 1 with weights"),
        ({"chips_at_once": ((1, 0),)}, "chips_at_once must be counts from 1 with weights"),
    ],
)
def test_figures_that_make_no_sense_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FailureModel(**wrong)


def test_repairs_have_the_published_median_mean_and_tail() -> None:
    drawn = draws(FailureModel())
    lengths = sorted(drawn.repair() for _ in range(MANY))
    assert median(lengths) / HOUR == pytest.approx(20.4, rel=0.05)
    assert lengths[int(MANY * 0.9)] / HOUR == pytest.approx(244, rel=0.1)  # of this distribution, exactly
    assert lengths[0] >= SECOND
    # The mean of a tail like that is not to be had from a few thousand draws; half of it is in the top 3 %.
    assert 60 * HOUR < mean(lengths) < 240 * HOUR


def test_independent_failures_have_exponential_repairs_and_no_memory() -> None:
    model = FailureModel.independent()
    drawn = draws(model)
    lengths = [drawn.repair() for _ in range(MANY)]
    assert mean(lengths) / HOUR == pytest.approx(133, rel=0.05)
    assert median(lengths) / HOUR == pytest.approx(133 * 0.693, rel=0.05)
    assert {drawn.together() for _ in range(100)} == {1}
    assert {drawn.again() for _ in range(100)} == {None}
    assert model.causes_per_node_ns == pytest.approx(4.18 / 1000 / DAY)


def test_reboots_are_short() -> None:
    drawn = draws(FailureModel().reboots())
    assert median(drawn.repair() for _ in range(MANY)) / HOUR == pytest.approx(1, rel=0.1)


def test_shares_come_out_as_asked_for() -> None:
    drawn = draws(FailureModel())
    sizes = [drawn.together() for _ in range(MANY)]
    assert sizes.count(1) / MANY == pytest.approx(499 / 529, abs=0.01)
    assert max(sizes) == 8
    again = [drawn.again() for _ in range(MANY)]
    assert again.count(None) / MANY == pytest.approx(0.63, abs=0.02)
    assert all(after <= DAY for after in again if after is not None)
    chips = sum(drawn.takes_chips() for _ in range(MANY)) / MANY
    assert chips * 499 / 584 == pytest.approx(0.53, abs=0.02)
    assert {drawn.chips() for _ in range(MANY)} == {1, 2, 4, 8}


def test_all_outages_together_make_the_rate() -> None:
    model = FailureModel()
    outages = model.causes_per_node_ns * (584 / 529) / (1 - 0.37)
    assert outages * 1000 * DAY == pytest.approx(4.18)


def test_no_single_failures_no_chips() -> None:
    assert FailureModel(together=((2, 1),)).chip_share_of_single == 0


def test_the_seed_decides_and_each_purpose_by_itself() -> None:
    def repairs(seed: int, others: int) -> list[int]:
        drawn = draws(FailureModel(), seed)
        for _ in range(others):
            drawn.together()
            drawn.hazard()
        return [drawn.repair() for _ in range(5)]

    assert repairs(1, 0) == repairs(1, 9)
    assert repairs(1, 0) != repairs(2, 0)
