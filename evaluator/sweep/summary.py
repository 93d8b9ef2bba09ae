"""What came of a sweep, cell by cell: the spread of each metric over the seeds. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from evaluator.metrics.metric import Metric
from evaluator.modes import TwoGroups, two_groups, value_step
from evaluator.results import RunResult
from evaluator.sweep.grid import Request

DEFAULT_METRICS: Final = ("deadline_miss_rate", "tardiness_max", "wait_p50", "wait_p99", "utilization")
"""What is shown unless somebody asks for other metrics: deadlines, waiting, use."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A run of the grid, and its result; none if it failed or was not performed."""

    request: Request
    result: RunResult | None


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of one metric over the seeds of a cell."""

    metric: Metric
    """Unit, direction and definition; its value is the median, none where nothing was measured."""
    seeds: tuple[int, ...]
    values: tuple[float, ...]
    """In the order of ``seeds``; runs in which there was nothing to measure are left out."""
    step: float
    """The least difference that values can have; 0 where they are not counted."""

    @property
    def least(self) -> float:
        """The smallest value; there is one."""
        return min(self.values)

    @property
    def greatest(self) -> float:
        """The greatest value; there is one."""
        return max(self.values)

    @property
    def groups(self) -> TwoGroups | None:
        """The two groups that the values fall into, if they do."""
        return two_groups(self.values, self.step)


@dataclass(frozen=True, slots=True)
class Cell:
    """One scheduler at one point of the parameters, over all seeds."""

    scenario: str
    assignments: Mapping[str, str]
    scheduler: str
    asked: int
    """Runs that belong to it."""
    results: tuple[RunResult, ...]
    """Those that were performed, in the order of the grid."""

    @property
    def setting(self) -> str:
        """The scenario and its parameters, in words."""
        told = ", ".join(f"{key} = {value}" for key, value in self.assignments.items())
        return f"{self.scenario}, {told}" if told else self.scenario

    def spread(self, name: str) -> Spread | None:
        """The metric over the seeds; none if no run knows it."""
        known = [(result.seed, result.metrics[name]) for result in self.results if name in result.metrics]
        if not known:
            return None
        told = [(seed, metric.value) for seed, metric in known if metric.value is not None]
        values = tuple(value for _, value in told)
        middle = known[0][1].model_copy(update={"value": median(values) if values else None})
        return Spread(middle, tuple(seed for seed, _ in told), values, value_step(name, middle, self.results))


def cells(runs: Iterable[Kept]) -> list[Cell]:
    """The cells of a sweep: setting by setting, the schedulers of each beside each other."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], dict[str, list[Kept]]] = {}
    for run in runs:
        asked = run.request
        setting = groups.setdefault((asked.name, tuple(asked.assignments.items())), {})
        setting.setdefault(asked.scheduler, []).append(run)
    return [
        Cell(
            scenario,
            dict(assignments),
            scheduler,
            len(group),
            tuple(run.result for run in group if run.result is not None),
        )
        for (scenario, assignments), schedulers in groups.items()
        for scheduler, group in schedulers.items()
    ]


def settings(found: Sequence[Cell]) -> dict[str, list[Cell]]:
    """Cells by setting, in their order: what belongs side by side."""
    grouped: dict[str, list[Cell]] = {}
    for cell in found:
        grouped.setdefault(cell.setting, []).append(cell)
    return grouped
