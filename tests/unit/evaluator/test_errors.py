"""Errors say what, where and what next, and how the command ends."""

import pytest
from pydantic import BaseModel, Field, ValidationError

from evaluator import errors
from evaluator.errors import ScenarioError, UserError, describe_problems, shown
from evaluator.exits import ExitCode


def test_an_error_reads_where_what_and_next() -> None:
    error = ScenarioError("a second pod", where="story.py:4", next_step="Rename it.")
    assert str(error) == "story.py:4: a second pod\nRename it."
    assert str(UserError("something")) == "something"


def test_every_error_is_in_the_hierarchy_that_is_drawn() -> None:
    classes = [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, UserError)
    ]
    assert errors.__doc__ is not None
    assert len(classes) == 9
    assert all(each.__name__ in errors.__doc__ for each in classes)


def test_exit_codes_are_those_that_are_documented() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "OK": 0,
        "GATE_FAILED": 1,
        "INTERRUPTED": 2,
        "INTERNAL": 3,
        "USAGE": 4,
        "NOTHING_MATCHED": 5,
        "SCHEDULER_FAILED": 6,
    }


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.ScenarioError, ExitCode.USAGE),
        (errors.ParameterError, ExitCode.USAGE),
        (errors.TraceError, ExitCode.USAGE),
        (errors.FileFormatError, ExitCode.USAGE),
        (errors.NothingMatchedError, ExitCode.NOTHING_MATCHED),
        (errors.SchedulerFailedError, ExitCode.SCHEDULER_FAILED),
        (errors.StuckTimeError, ExitCode.INTERNAL),
    ],
)
def test_an_error_decides_how_the_command_ends(kind: type[UserError], code: ExitCode) -> None:
    assert kind("x").exit_code is code


def test_a_long_value_is_cut() -> None:
    assert shown("a" * 500) == "'" + "a" * 78 + "…"
    assert shown(3) == "3"


def test_problems_are_told_up_to_a_number() -> None:
    class Model(BaseModel):
        numbers: list[int] = Field(max_length=50)

    with pytest.raises(ValidationError) as caught:
        Model.model_validate({"numbers": ["x"] * 20})
    lines = describe_problems(caught.value)
    assert lines[0].startswith("numbers.0 = 'x': Input should be a valid integer")
    assert lines[-1] == "… and 12 more"
