"""Text of the form key=value."""

import pytest

from evaluator.errors import ParameterError
from evaluator.scenario.parameters import ScenarioParameters, describe_parameters, parse_assignments


def test_assignments_are_taken_apart_at_the_first_equals_sign() -> None:
    assert parse_assignments(["a=1", "b = x=y ", "a=2", "empty="]) == {"a": "2", "b": "x=y", "empty": ""}


@pytest.mark.parametrize("text", ["nodes", "=6", " =6"])
def test_what_is_no_assignment_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="not an assignment"):
        parse_assignments([text])


def test_parameters_are_described_one_a_line() -> None:
    class Parameters(ScenarioParameters):
        jobs: int
        factor: float | None = None

    assert describe_parameters(Parameters).splitlines()[1:] == [
        "  jobs (int, required)",
        "  factor (float | None, default None)",
    ]
