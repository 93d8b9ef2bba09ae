"""Two groups are found where there are two, and rarely where there is one."""

import numpy as np
import pytest

from evaluator.modes import LEAST_VALUES, TwoGroups, two_groups


def test_two_groups_far_apart_are_found_in_any_order() -> None:
    values = [900.0, 10.0, 12.0, 905.0, 11.0, 910.0, 9.0, 13.0, 899.0, 14.0]
    assert two_groups(values) == TwoGroups(11.5, 6, 902.5, 4)
    assert two_groups(values[::-1]) == two_groups(values)


@pytest.mark.parametrize(
    "values",
    [
        [5.0] * 10,
        [float(value) for value in range(10)],
        [0.0] * 9 + [9.0],  # an outlier
        [0.0] * 3 + [9.0] * (LEAST_VALUES - 4),  # too few
    ],
)
def test_one_group_is_none(values: list[float]) -> None:
    assert two_groups(values) is None


def test_neighbouring_counts_are_no_groups() -> None:
    values = [0.0, 1.0] * 5
    assert two_groups(values, step=1.0) is None
    assert two_groups([value / 40 for value in values], step=1 / 40) is None
    assert two_groups([value * 7 for value in values], step=1.0) is not None


@pytest.mark.parametrize("count", [8, 10, 20])
def test_one_mode_is_rarely_taken_for_two_and_two_far_apart_rarely_missed(count: int) -> None:
    chance = np.random.default_rng(count)
    false = sum(two_groups(list(chance.normal(size=count))) is not None for _ in range(400))
    assert false <= 12
    half = count // 2
    found = sum(
        two_groups([*chance.normal(0, 1, half), *chance.normal(15, 1, count - half)]) is not None
        for _ in range(100)
    )
    assert found >= 95
