"""``--set key=value``: text from a command line as a scenario's typed parameters."""

import difflib
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from evaluator.errors import ParameterError, describe_problems, shown


class ScenarioParameters(BaseModel):
    """Base of a scenario's ``Parameters``: its fields can be set by ``--set key=value``."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False, validate_default=True
    )


def parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """``["nodes=6", "speedup=10"]`` as a mapping; the last of equal keys holds.

    :raises ParameterError: for a text without ``=`` or without a key.
    """
    assignments = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ParameterError(
                "not an assignment", where=f"--set {text}", next_step="Write --set KEY=VALUE."
            )
        assignments[key.strip()] = value.strip()
    return assignments


def make_parameters(
    model: type[ScenarioParameters], assignments: Mapping[str, str], scenario: str
) -> ScenarioParameters:
    """The scenario's parameters: its defaults, and what was set.

    :raises ParameterError: naming key, value and what is allowed.
    """
    for key in assignments:
        if key not in model.model_fields:
            raise _unknown(key, assignments[key], model, scenario)
    try:
        return model.model_validate_strings(dict(assignments))
    except ValidationError as error:
        raise ParameterError(
            "; ".join(describe_problems(error)),
            where=f"parameters of {scenario}",
            next_step=describe_parameters(model),
        ) from error


def _unknown(key: str, value: str, model: type[ScenarioParameters], scenario: str) -> ParameterError:
    close = difflib.get_close_matches(key, model.model_fields, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return ParameterError(
        f"{scenario} has no parameter {shown(key)}{meant}",
        where=f"--set {key}={value}",
        next_step=describe_parameters(model),
    )


def describe_parameters(model: type[ScenarioParameters]) -> str:
    """The parameters that can be set, one a line: name, type, default and meaning."""
    if not model.model_fields:
        return "This scenario has no parameters."
    lines = (_describe_parameter(name, field) for name, field in model.model_fields.items())
    return "Parameters that can be set:\n" + "\n".join(lines)


def _describe_parameter(name: str, field: FieldInfo) -> str:
    kind = field.annotation.__name__ if isinstance(field.annotation, type) else str(field.annotation)
    default = "required" if field.is_required() else f"default {shown(field.default)}"
    meaning = f": {field.description}" if field.description else ""
    return f"  {name} ({kind}, {default}){meaning}"
