"""A sweep as one HTML file that works offline: a table for each setting, a dot for each seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.report.assets import asset
from evaluator.report.charts import COLORS
from evaluator.report.format import metric_text
from evaluator.report.html import environment
from evaluator.report.sweep import group_notes, metric_label, middle_text, range_text, runs_text
from evaluator.sweep.summary import Cell, Spread, settings

TEMPLATE: Final = "sweep.html.j2"

STRIP: Final = 200.0
"""Width of a strip of dots, in its own units."""
MARGIN: Final = 6.0
"""Room for half a dot at both ends of a strip."""


@dataclass(frozen=True, slots=True)
class Dot:
    """One seed's value on a strip."""

    x: float
    told: str


@dataclass(frozen=True, slots=True)
class Strip:
    """One scheduler's values of one metric, on the axis that all schedulers of the setting share."""

    scheduler: str
    color: str
    runs: str
    middle: str
    range: str
    middle_x: float | None
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric of one setting, the schedulers one below the other."""

    name: str
    label: str
    definition: str
    strips: tuple[Strip, ...]


def render_sweep(
    found: Sequence[Cell], metrics: Sequence[str], failures: Sequence[tuple[str, str]], title: str
) -> str:
    """The page of a sweep.

    :param failures: folder and reason of each run that has no result.
    """
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            title=title,
            settings={name: _panels(cells, metrics) for name, cells in settings(found).items()},
            notes={name: group_notes(cells, metrics) for name, cells in settings(found).items()},
            failures=failures,
            width=STRIP,
            css=asset("report.css"),
        )
    )


def _panels(cells: Sequence[Cell], metrics: Sequence[str]) -> list[Panel]:
    return [_panel(cells, name) for name in metrics]


def _panel(cells: Sequence[Cell], name: str) -> Panel:
    spreads = [cell.spread(name) for cell in cells]
    values = [value for spread in spreads if spread is not None for value in spread.values]
    least, greatest = (min(values), max(values)) if values else (0.0, 0.0)
    strips = tuple(
        _strip(cell, spread, COLORS[index % len(COLORS)], least, greatest)
        for index, (cell, spread) in enumerate(zip(cells, spreads, strict=True))
    )
    definition = next((spread.metric.definition for spread in spreads if spread is not None), "")
    return Panel(name, metric_label(name), definition, strips)


def _strip(cell: Cell, spread: Spread | None, color: str, least: float, greatest: float) -> Strip:
    def x(value: float) -> float:
        share = (value - least) / (greatest - least) if greatest > least else 0.5
        return round(MARGIN + share * (STRIP - 2 * MARGIN), 1)

    dots: tuple[Dot, ...] = ()
    middle_x = None
    if spread is not None and spread.metric.value is not None:
        middle_x = x(spread.metric.value)
        dots = tuple(
            Dot(x(value), f"seed {seed}: {metric_text(spread.metric.model_copy(update={'value': value}))}")
            for seed, value in zip(spread.seeds, spread.values, strict=True)
        )
    return Strip(
        cell.scheduler, color, runs_text(cell), middle_text(spread), range_text(spread), middle_x, dots
    )
