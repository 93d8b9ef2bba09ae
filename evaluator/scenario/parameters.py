"""``--set key=value``: text from a command line as a scenario's typed parameters."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin

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


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that ``--set`` can change."""

    name: str
    kind: str
    """Its type and bounds in words: ``int, 0 to 500``."""
    default: object
    """None where it is required."""
    required: bool
    meaning: str

    def line(self) -> str:
        """All of it in one line."""
        default = "required" if self.required else f"default {shown(self.default)}"
        return f"{self.name} ({self.kind}, {default}){f': {self.meaning}' if self.meaning else ''}"


def parameters_in(model: type[ScenarioParameters]) -> Iterator[Parameter]:
    """The parameters that a scenario declares, in its order."""
    for name, field in model.model_fields.items():
        required = field.is_required()
        default = None if required else field.get_default(call_default_factory=True)
        yield Parameter(name, _kind(field), default, required, field.description or "")


def describe_parameters(model: type[ScenarioParameters]) -> str:
    """The parameters that can be set, one a line: name, type, bounds, default and meaning."""
    lines = [f"  {parameter.line()}" for parameter in parameters_in(model)]
    return "\n".join(["Parameters that can be set:", *lines]) if lines else "This scenario has no parameters."


def _kind(field: FieldInfo) -> str:
    name, bounds = _type_text(field.annotation), _bounds(field)
    return f"{name}, {bounds}" if bounds else name


def _type_text(annotation: object) -> str:
    """A type as a person would write it; bounds inside of it are left out."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " or ".join(map(str, arguments))
    if origin is Annotated:
        return _type_text(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_type_text, arguments))
    if annotation is NoneType:
        return "None"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


def _bounds(field: FieldInfo) -> str:
    """What limits its value, in words."""
    said = {}
    for each in field.metadata:
        for word in ("gt", "ge", "lt", "le"):
            bound = getattr(each, word, None)
            if bound is not None:
                said[word] = bound
    if said.keys() == {"ge", "le"}:
        return f"{said['ge']} to {said['le']}"
    words = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
    return " and ".join(f"{words[word]} {bound}" for word, bound in said.items())
