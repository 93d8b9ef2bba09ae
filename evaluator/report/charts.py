"""The charts of the HTML report, as the JSON figures that plotly.js draws.

Colours and fonts of axes are left to the page, which knows whether it is light or dark; runs are told apart
by colour and by dash, for those who see no colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from markupsafe import escape

from evaluator.metrics.classes import KINDS
from evaluator.metrics.steps import Steps
from evaluator.report.failures import failure_marks
from evaluator.report.model import ReportedRun
from evaluator.report.outcomes import OUTCOMES, ClassOutcomes, outcomes
from evaluator.scenario.units import format_rfc3339, parse_rfc3339
from evaluator.timeline import HardwareFailed

Figure: TypeAlias = dict[str, Any]
"""A figure in plotly's JSON form: ``data`` and ``layout``."""

COLORS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's colours, which those with a colour vision deficiency can tell apart as well."""

DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""One for each colour."""

MAX_POINTS: Final = 2_000
"""Steps of one line: more than a wide screen has columns, and the file stays small."""

MAX_WAIT_POINTS: Final = 200
"""Points of one distribution: half a per cent each."""

LEAST_WAIT_S: Final = 1.0
"""Waits below this are drawn as this: the axis is logarithmic, and a second is nothing to wait."""


OUTCOME_STYLE: Final = {
    "in time": ("#009E73", ""),
    "late": ("#D55E00", "/"),
    "unfinished": ("#CC79A7", "x"),
    "not due yet": ("#999999", "."),
}
"""Colour and pattern of each outcome, told apart without colour as well."""

BAR_HEIGHT: Final = 26
"""Pixels of a bar and the gap after it."""

BARS_MARGIN: Final = 110
"""Pixels of legend and axis."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure, and the words around it."""

    key: str
    title: str
    text: str
    figure: Figure


def charts(runs: Sequence[ReportedRun], names: Sequence[str]) -> list[Chart]:
    """The charts of some runs, on shared axes."""
    return [
        Chart(
            "held",
            "Chips in use",
            "Chips held by jobs, and as a thin line the usable ones; ▼ marks failed hardware.",
            _held(runs, names),
        ),
        Chart(
            "pending",
            "Jobs waiting",
            "Jobs that were submitted and had no node yet.",
            _pending(runs, names),
        ),
        Chart(
            "waits",
            "How long jobs waited",
            f"Share of jobs that waited at most so long; waits below {LEAST_WAIT_S:g} s are drawn there.",
            _waits(runs, names),
        ),
    ]


def class_figures(runs: Sequence[ReportedRun], names: Sequence[str]) -> dict[str, Figure]:
    """What became of deadlines: a figure for each kind of class that there is more than one of."""
    told = {kind: outcomes(runs, kind) for kind in KINDS}
    first = next(iter(told))
    return {
        kind: _bars(found, names)
        for kind, found in told.items()
        if found and (kind == first or len(found) > 1)
    }


def _line(index: int, name: str, x: Sequence[Any], y: Sequence[float], **more: Any) -> Figure:
    style = {"color": COLORS[index % len(COLORS)], "dash": DASHES[index % len(DASHES)], "width": 2}
    # plotly.js takes a few tags in a name for mark-up.
    told = str(escape(name))
    trace = {"type": "scatter", "mode": "lines", "name": told, "x": list(x), "y": list(y), "line": style}
    return {**trace, **more}


def _steps(index: int, name: str, run: ReportedRun, steps: Steps, **more: Any) -> Figure:
    """A line of steps over the instants of virtual time, drawn to the end of the run."""
    start_ns = parse_rfc3339(run.result.start)
    until = run.window_ns[1]
    drawn = [*steps, (until, steps[-1][1])] if steps else []
    instants = [format_rfc3339(start_ns + at_ns) for at_ns, _ in drawn]
    trace = _line(index, name, instants, [value for _, value in drawn], **more)
    trace["line"]["shape"] = "hv"
    return trace


def _held(runs: Sequence[ReportedRun], names: Sequence[str]) -> Figure:
    data = [_steps(index, names[index], run, run.held(MAX_POINTS)) for index, run in enumerate(runs)]
    for index, run in enumerate(runs):
        usable = _steps(
            index, f"{names[index]}: usable", run, run.usable(MAX_POINTS), showlegend=False, opacity=0.5
        )
        usable["line"]["width"] = 1
        data.append(usable)
        if any(isinstance(event, HardwareFailed) for event in run.timeline):
            data.append(_failures(index, run))
    return {"data": data, "layout": _layout("chips", {"type": "date"})}


def _failures(index: int, run: ReportedRun) -> Figure:
    """Marks on the line of usable chips where hardware failed."""
    start_ns = parse_rfc3339(run.result.start)
    marks = failure_marks(run.timeline, run.ledger.usable_chips)
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "failures",
        "showlegend": False,
        "x": [format_rfc3339(start_ns + mark.at_ns) for mark in marks],
        "y": [mark.usable for mark in marks],
        "text": [str(escape(mark.text)) for mark in marks],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"symbol": "triangle-down", "size": 9, "color": COLORS[index % len(COLORS)]},
    }


def _bars(classes: Sequence[ClassOutcomes], names: Sequence[str]) -> Figure:
    """Lying bars, one for each class and run, parted by outcome."""
    several = len(names) > 1
    rows = [(each, index) for each in reversed(classes) for index in reversed(range(len(names)))]
    labels = [
        f"{escape(each.name)} · {escape(names[index])}" if several else str(escape(each.name))
        for each, index in rows
    ]
    data = []
    for outcome in OUTCOMES:
        numbers = [each.counts[index].get(outcome, 0) for each, index in rows]
        color, pattern = OUTCOME_STYLE[outcome]
        bar = {"type": "bar", "orientation": "h", "name": outcome, "x": numbers, "y": labels}
        marker = {"color": color, "pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.25}}
        if any(numbers):
            data.append({**bar, "marker": marker})
    layout = _layout("", {"title": {"text": "jobs with a deadline"}, "rangemode": "tozero"})
    layout["legend"]["traceorder"] = "normal"
    layout |= {"barmode": "stack", "hovermode": "closest", "bargap": 0.25}
    layout["yaxis"] = {"automargin": True, "type": "category"}
    layout["height"] = BARS_MARGIN + BAR_HEIGHT * len(rows)
    return {"data": data, "layout": layout}


def _pending(runs: Sequence[ReportedRun], names: Sequence[str]) -> Figure:
    data = [_steps(index, names[index], run, run.pending(MAX_POINTS)) for index, run in enumerate(runs)]
    return {"data": data, "layout": _layout("jobs", {"type": "date"})}


def _waits(runs: Sequence[ReportedRun], names: Sequence[str]) -> Figure:
    data = []
    for index, run in enumerate(runs):
        points = run.waits_s(MAX_WAIT_POINTS)
        waits = [max(LEAST_WAIT_S, wait) for wait, _ in points]
        trace = _line(index, names[index], waits, [share for _, share in points])
        trace["line"]["shape"] = "hv"
        data.append(trace)
    axis = {
        "type": "log",
        "tickvals": [value for value, _ in _WAIT_TICKS],
        "ticktext": [text for _, text in _WAIT_TICKS],
    }
    layout = _layout("share of jobs", axis)
    layout["yaxis"].update({"tickformat": ".0%", "range": [0, 1.02]})
    return {"data": data, "layout": layout}


_WAIT_TICKS: Final = (
    (1, "1s"), (10, "10s"), (60, "1m"), (600, "10m"), (3600, "1h"), (6 * 3600, "6h"),
    (86_400, "1d"), (7 * 86_400, "1w"), (30 * 86_400, "30d"), (365 * 86_400, "1y"),
)  # fmt: skip
"""Waits, in seconds, that an axis names."""


def _layout(unit: str, x_axis: Figure) -> Figure:
    return {
        "margin": {"l": 56, "r": 12, "t": 8, "b": 40},
        "hovermode": "x unified",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "showlegend": True,
        "xaxis": {"automargin": True, **x_axis},
        "yaxis": {"title": {"text": unit}, "rangemode": "tozero", "automargin": True},
    }
