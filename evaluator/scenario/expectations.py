"""What a scenario expects of a run: a metric, a comparison and a bound, as objects and as text."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Comparison: TypeAlias = Literal["<=", ">=", "<", ">"]

_HOLDS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_TEXT: Final = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\S+)\s*")


class ExpectationOutcome(BaseModel):
    """An expectation and what a run made of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    text: str = Field(description="the expectation as it can be written")
    metric: str
    op: Comparison
    bound: float
    value: float | None = Field(description="null where there was nothing to measure")
    holds: bool = Field(description="false where there was nothing to measure")


class Expectation(BaseModel):
    """What should hold at the end of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    op: Comparison
    bound: float

    def __str__(self) -> str:
        """As :func:`parse_expectation` reads it."""
        return f"{self.metric} {self.op} {self.bound!r}"

    def __bool__(self) -> bool:
        """Refuse ``0 < x < 1``, of which Python would keep the last half alone.

        :raises TypeError: always.
        """
        raise TypeError("an expectation has no truth before the run; write one s.expect(…) for each bound")

    def outcome(self, value: float | None) -> ExpectationOutcome:
        """Whether it holds for a measured value; it does not where there was nothing to measure."""
        return ExpectationOutcome(
            text=str(self),
            metric=self.metric,
            op=self.op,
            bound=self.bound,
            value=value,
            holds=value is not None and _HOLDS[self.op](value, self.bound),
        )


@dataclass(frozen=True, slots=True)
class Quantity:
    """A metric that can be compared with a bound."""

    metric: str

    def __le__(self, bound: float) -> Expectation:
        return Expectation(metric=self.metric, op="<=", bound=bound)

    def __ge__(self, bound: float) -> Expectation:
        return Expectation(metric=self.metric, op=">=", bound=bound)

    def __lt__(self, bound: float) -> Expectation:
        return Expectation(metric=self.metric, op="<", bound=bound)

    def __gt__(self, bound: float) -> Expectation:
        return Expectation(metric=self.metric, op=">", bound=bound)


def parse_expectation(text: str) -> Expectation:
    """``"deadlines_missed <= 0"`` as an expectation.

    :raises ValueError: if it is no comparison of a name with a finite number.
    """
    match = _TEXT.fullmatch(text)
    bound = _number(match[3]) if match else math.nan
    if match is None or not math.isfinite(bound):
        raise ValueError(f"{text!r} is no expectation; write METRIC <= NUMBER, or with >=, < or >")
    return Expectation.model_validate({"metric": match[1], "op": match[2], "bound": bound})


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
