"""A sweep as tables: in a terminal of 80 columns, and as Markdown for a pull request."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.metrics.metric import Metric
from evaluator.modes import TwoGroups
from evaluator.report.format import NOTHING, metric_text
from evaluator.report.markdown import escaped
from evaluator.report.model import COMPARED
from evaluator.report.terminal import WIDTH
from evaluator.sweep.summary import Cell, Spread, settings

METRICS_PER_TABLE: Final = 3
"""Metrics side by side in a terminal: what fits beside the names of schedulers."""

LABELS: Final = dict(COMPARED)


def metric_label(name: str) -> str:
    """A metric in words, where there are some."""
    return LABELS.get(name, name)


def middle_text(spread: Spread | None) -> str:
    """The median over the seeds, in the metric's unit."""
    return NOTHING if spread is None else metric_text(spread.metric)


def range_text(spread: Spread | None) -> str:
    """From the least to the greatest value over the seeds; one value where all are equal."""
    if spread is None or not spread.values:
        return ""
    least, greatest = (
        metric_text(spread.metric.model_copy(update={"value": value}))
        for value in (spread.least, spread.greatest)
    )
    return "all equal" if spread.least == spread.greatest else f"{least} to {greatest}"


def runs_text(cell: Cell) -> str:
    """How many runs the figures are of, and how many are missing."""
    done = len(cell.results)
    return str(done) if done == cell.asked else f"{done} of {cell.asked}"


def group_notes(cells: Sequence[Cell], metrics: Sequence[str]) -> list[str]:
    """Where values fall into two groups, so that the median is of neither or hides one."""
    notes = []
    for cell in cells:
        for name in metrics:
            spread = cell.spread(name)
            groups = None if spread is None else spread.groups
            if spread is not None and groups is not None:
                told = groups_text(spread.metric, groups)
                notes.append(f"{cell.scheduler}, {metric_label(name)}: {told}; the median hides that.")
    return notes


def groups_text(metric: Metric, groups: TwoGroups) -> str:
    """Two groups in words: how many runs around which value."""
    low, high = (
        metric_text(metric.model_copy(update={"value": value})) for value in (groups.low, groups.high)
    )
    return f"two groups, {groups.low_count} runs around {low} and {groups.high_count} around {high}"


def print_sweep(console: Console, found: Sequence[Cell], metrics: Sequence[str]) -> None:
    """The median of each metric over the seeds, and below it the least and the greatest value."""
    width = min(WIDTH, console.width)
    for setting, cells in settings(found).items():
        console.print(Text(setting, style="bold"), width=width)
        for first in range(0, len(metrics), METRICS_PER_TABLE):
            table = Table(box=None, pad_edge=False, header_style="bold")
            table.add_column("", style="cyan", overflow="fold")
            table.add_column("runs", justify="right")
            chosen = metrics[first : first + METRICS_PER_TABLE]
            for name in chosen:
                table.add_column(Text(metric_label(name)), justify="right", overflow="fold")
            for cell in cells:
                figures = [_figure(cell.spread(name)) for name in chosen]
                table.add_row(Text(cell.scheduler), Text(runs_text(cell)), *figures)
            console.print(table, width=width)
            console.print()
        for note in group_notes(cells, metrics):
            console.print(Text(f"{note}\n", style="yellow"), width=width)
    console.print(Text(EXPLANATION, style="dim"), width=width)


EXPLANATION: Final = (
    "Medians over the seeds, below each the least and the greatest value. Whether two schedulers differ is "
    "for evaluator compare to say."
)


def _figure(spread: Spread | None) -> Text:
    return Text(middle_text(spread)).append(f"\n{range_text(spread)}", style="dim")


def sweep_markdown(found: Sequence[Cell], metrics: Sequence[str]) -> str:
    """The same in GitHub's flavour of Markdown."""
    return "\n".join(_lines(found, metrics)) + "\n"


def _lines(found: Sequence[Cell], metrics: Sequence[str]) -> Iterator[str]:
    for setting, cells in settings(found).items():
        yield f"### {escaped(setting)}"
        yield ""
        yield f"| scheduler | runs | {' | '.join(escaped(metric_label(name)) for name in metrics)} |"
        yield f"|---|---:|{'---:|' * len(metrics)}"
        for cell in cells:
            figures = " | ".join(_markdown_figure(cell.spread(name)) for name in metrics)
            yield f"| {escaped(cell.scheduler)} | {runs_text(cell)} | {figures} |"
        yield ""
        for note in group_notes(cells, metrics):
            yield f"> {escaped(note)}"
            yield ""
    yield EXPLANATION


def _markdown_figure(spread: Spread | None) -> str:
    told = escaped(range_text(spread))
    return f"**{escaped(middle_text(spread))}**" + (f"<br>{told}" if told else "")
