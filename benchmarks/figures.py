"""Figures of two sides, measured in alternating rounds, and what may be said of them.

Seconds depend on the machine and on its other work; a ratio of medians of runs that alternate on one machine
does so much less. Goals are therefore stated on ratios only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal

Better = Literal["higher", "lower"]

PRECISION: Final = 3
"""Significant digits that are printed; the JSON file holds the figures as measured."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What is measured on both sides.

    Attributes:
        name: what a reader calls it.
        unit: of its values.
        better: which direction is good.
        goal: how many times better our median has to be than theirs; None where it is only shown.
    """

    name: str
    unit: str
    better: Better
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One figure of both sides; a value for each round."""

    figure: Figure
    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def advantage(self) -> float:
        """How many times better our median is, whichever direction is good."""
        ours, theirs = median(self.ours), median(self.theirs)
        return ours / theirs if self.figure.better == "higher" else theirs / ours

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        return None if self.figure.goal is None else self.advantage >= self.figure.goal

    def to_json(self) -> dict[str, Any]:
        """All of it, for a machine."""
        return {
            "name": self.figure.name,
            "unit": self.figure.unit,
            "better": self.figure.better,
            "ours": list(self.ours),
            "theirs": list(self.theirs),
            "advantage": self.advantage,
            "goal": self.figure.goal,
            "reached": self.reached,
        }


def compare(
    figures: Mapping[str, Figure],
    ours: Sequence[Mapping[str, float]],
    theirs: Sequence[Mapping[str, float]],
) -> list[Comparison]:
    """Comparisons in the order of ``figures``; each side gives one mapping of key to value for each round."""
    return [
        Comparison(figure, [one[key] for one in ours], [one[key] for one in theirs])
        for key, figure in figures.items()
    ]


def to_markdown(comparisons: Sequence[Comparison], ours: str, theirs: str) -> str:
    """A table for people: medians (least to greatest), how many times better ours is, the goal."""
    lines = [f"| | {ours} | {theirs} | times better | goal |", "|---|---|---|---|---|"]
    for one in comparisons:
        goal = "" if one.figure.goal is None else f"≥ {one.figure.goal:g}"
        mark = {None: "", True: " ✓", False: " ✗"}[one.reached]
        sides = f"{_spread(one.ours)} | {_spread(one.theirs)}"
        name = f"{one.figure.name}, {one.figure.unit}"
        lines.append(f"| {name} | {sides} | {_short(one.advantage)} | {goal}{mark} |")
    return "\n".join(lines) + "\n"


def _spread(values: Sequence[float]) -> str:
    return f"{_short(median(values))} ({_short(min(values))} to {_short(max(values))})"


def _short(value: float) -> str:
    rounded = float(f"{value:.{PRECISION}g}")
    return f"{rounded:,.0f}" if rounded >= 10 ** (PRECISION - 1) else f"{rounded:g}"
