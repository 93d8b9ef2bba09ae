"""One measured figure, and how it is measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from evaluator.metrics.ledger import Ledger

Better: TypeAlias = Literal["lower", "higher", "none"]
"""Which direction of a metric is an improvement; ``none`` where it is only a fact."""

Number = TypeVar("Number", int, float)


class Metric(BaseModel):
    """One measured figure, with all that is needed to read it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    value: float | None = Field(description="null where there was nothing to measure")
    unit: str = Field(description="s, h, 1/h, jobs, pods, ratio (a share), factor or index")
    better: Better
    definition: str = Field(default="", description="what exactly was computed")


@dataclass(frozen=True, slots=True)
class Measure:
    """How a figure is measured: a pure function of the ledger, and how to read what it returns."""

    name: str
    unit: str
    better: Better
    definition: str
    compute: Callable[[Ledger], float | None]

    def of(self, ledger: Ledger) -> Metric:
        """The figure for one run."""
        return Metric(
            value=self.compute(ledger), unit=self.unit, better=self.better, definition=self.definition
        )


PERCENTILE_METHOD = (
    "Percentiles are nearest-rank: the smallest value that at least so many percent do not exceed."
)
"""The method, as it is told to readers."""


def percentile(values: Sequence[Number], percent: int) -> Number | None:
    """The nearest-rank percentile of values in any order; none if there are none."""
    if not values:
        return None
    rank = -(-percent * len(values) // 100)  # rounded up
    return sorted(values)[max(rank, 1) - 1]


def mean(values: Sequence[Number]) -> float | None:
    """The arithmetic mean; none if there are no values."""
    return sum(values) / len(values) if values else None
