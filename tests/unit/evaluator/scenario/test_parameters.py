"""Text of the form key=value."""

from typing import Annotated, Literal

import pytest
from pydantic import Field

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
        load: Annotated[float, Field(gt=0, le=3)] = Field(default=0.5, description="how much")
        nodes: Annotated[int, Field(ge=1, le=9)] = 3
        limit: Annotated[float, Field(ge=1)] | None = None
        cluster: Literal["whole", "failed"] = "whole"

    assert describe_parameters(Parameters).splitlines()[1:] == [
        "  jobs (int, required)",
        "  factor (float | None, default None)",
        "  load (float, more than 0 and at most 3, default 0.5): how much",
        "  nodes (int, 1 to 9, default 3)",
        "  limit (float | None, default None)",
        "  cluster (whole or failed, default 'whole')",
    ]
