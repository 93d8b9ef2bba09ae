"""Expectations: said with operators or as text, and judged by what was measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics import MEASURES
from evaluator.scenario.expectations import Comparison, Expectation, Quantity, parse_expectation
from evaluator.scenario.measures import QUANTITIES

WAIT = Quantity("wait")
OPERATORS: list[Comparison] = ["<=", ">=", "<", ">"]


def test_operators_make_expectations() -> None:
    made = [WAIT <= 1, WAIT >= 1, WAIT < 1, WAIT > 1]
    assert [each.op for each in made] == OPERATORS
    assert {(each.metric, each.bound) for each in made} == {("wait", 1.0)}


@given(st.sampled_from(OPERATORS), st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_an_expectation_reads_back_as_the_same(op: Comparison, bound: float) -> None:
    expectation = Expectation(metric="wait", op=op, bound=bound)
    assert parse_expectation(str(expectation)) == expectation


@pytest.mark.parametrize(
    "text", ["", "wait", "wait <=", "True", "wait = 1", "wait <= many", "wait < nan", "a b < 1"]
)
def test_what_is_no_comparison_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no expectation"):
        parse_expectation(text)


@pytest.mark.parametrize(
    ("value", "holding"), [(0.5, ["<=", "<"]), (1.0, ["<=", ">="]), (2.0, [">=", ">"]), (None, [])]
)
def test_what_was_measured_decides(value: float | None, holding: list[str]) -> None:
    outcomes = [Expectation(metric="wait", op=op, bound=1).outcome(value) for op in OPERATORS]
    assert [each.op for each in outcomes if each.holds] == holding
    assert {each.value for each in outcomes} == {value}


def test_two_bounds_at_once_are_refused() -> None:
    with pytest.raises(TypeError, match=r"one s\.expect"):
        assert 0 < WAIT < 1


def test_every_quantity_is_a_metric() -> None:
    assert set(QUANTITIES) <= {each.name for each in MEASURES}
