"""A comparison as a table of 80 columns, as Markdown, and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluator.compare.bootstrap import CONFIDENCE, RESAMPLES, SEED
from evaluator.compare.comparing import Comparison, Difference
from evaluator.metrics.metric import Metric
from evaluator.report.format import NOTHING, metric_text
from evaluator.report.markdown import escaped
from evaluator.report.model import COMPARED
from evaluator.report.sweep import groups_text, metric_label
from evaluator.report.terminal import WIDTH
from evaluator.words import counted

JSON_VERSION: Final = 1
"""Version of the JSON's schema."""


def shown(comparison: Comparison, names: Sequence[str] = ()) -> list[Difference]:
    """The differences that were asked for; else those of the usual metrics that were measured."""
    if names:
        return [comparison.of(name) for name in names]
    usual = [name for name, _ in COMPARED]
    found = {one.name: one for one in comparison.differences}
    return [found[name] for name in usual if name in found and found[name].difference is not None]


def value_text(metric: Metric, value: float | None) -> str:
    """A value in the metric's unit."""
    return metric_text(metric.model_copy(update={"value": value}))


def difference_text(metric: Metric, value: float | None) -> str:
    """A difference with its sign; of shares in points, lest it be taken for a share of a share."""
    if value is None:
        return NOTHING
    text = value_text(metric, abs(value)).replace(" %", " pts")
    return f"{'+' if value > 0 else '−' if value < 0 else ''}{text}"


def interval_text(one: Difference) -> str:
    """The interval, or why there is none."""
    if one.interval is None:
        return one.why_none
    low, high = one.interval
    return f"{difference_text(one.metric, low)} to {difference_text(one.metric, high)}"


def effect_text(one: Difference) -> str:
    """The effect size with its sign."""
    return NOTHING if one.effect is None else f"{one.effect:+.2f}"


def basis(comparison: Comparison) -> str:
    """What was compared, and how the intervals were made."""
    count = len(comparison.seeds)
    seeds = f"seed {comparison.seeds[0]}" if count == 1 else f"means over {count} paired seeds"
    drawn = {one.drawn for one in comparison.differences if one.drawn}
    method = "BCa over seeds" if "seeds" in drawn else "percentile over jobs"
    made = f"{method}, {RESAMPLES} resamples, seed {SEED}" if drawn else "none could be made"
    return f"{seeds}, {counted(comparison.jobs, 'paired job')}; intervals at {CONFIDENCE:.0%}: {made}."


def group_notes(comparison: Comparison, names: Sequence[str]) -> list[str]:
    """Where the runs of a side fall into two groups, of neither of which their mean is."""
    return [
        f"{side}, {metric_label(one.name)}: {groups_text(one.metric, groups)}; the mean is of neither."
        for one in shown(comparison, names)
        for side, groups in zip((comparison.a, comparison.b), one.groups, strict=True)
        if groups is not None
    ]


def reservations(comparison: Comparison) -> list[str]:
    """What a reader has to bear in mind."""
    judged = sum(one.interval is not None for one in comparison.differences)
    notes = [
        *comparison.notes,
        f"One interval in {round(1 / (1 - CONFIDENCE))} misses the truth by chance; here are {judged}.",
    ]
    if any(one.drawn == "jobs" for one in comparison.differences):
        notes.append(
            "Jobs of one run queue behind each other: intervals over jobs speak of these arrivals, and are "
            "too narrow for others. Several seeds tell more."
        )
    return notes


EFFECT: Final = (
    "effect: matched-pairs rank-biserial correlation, −1 to 1; above 0 where pairs favour B (for facts "
    "that are neither good nor bad: where B is greater)."
)


def print_compare(console: Console, comparison: Comparison, names: Sequence[str]) -> None:
    """The differences, the interval of each below it."""
    width = min(WIDTH, console.width)
    console.print(Text(f"A: {comparison.a}\nB: {comparison.b}\n{basis(comparison)}\n"), width=width)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", style="cyan", overflow="fold")
    table.add_column("A", justify="right")
    table.add_column("B", justify="right")
    table.add_column("B − A", justify="right", overflow="fold", max_width=26)
    table.add_column("effect", justify="right")
    table.add_column("", overflow="fold", max_width=14)
    reasons: dict[str, int] = {}
    for one in shown(comparison, names):
        difference = Text(difference_text(one.metric, one.difference))
        if one.interval is not None:
            difference.append(f"\n{interval_text(one)}", style="dim")
        mark = f" ({reasons.setdefault(one.why_none, len(reasons) + 1)})" if one.why_none else ""
        style = "bold" if one.verdict in {"A better", "B better"} else "dim"
        table.add_row(
            Text(metric_label(one.name)),
            value_text(one.metric, one.a),
            value_text(one.metric, one.b),
            difference,
            effect_text(one),
            Text(one.verdict + mark, style=style),
        )
    console.print(table, width=width)
    console.print()
    numbered = [f"({number}) {reason}" for reason, number in reasons.items()]
    for text in (*numbered, *group_notes(comparison, names), EFFECT, *reservations(comparison)):
        console.print(Text(text, style="dim"), width=width)


def compare_markdown(comparison: Comparison, names: Sequence[str]) -> str:
    """The comparison in GitHub's flavour of Markdown."""
    return "\n".join(_lines(comparison, names)) + "\n"


def _lines(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    yield f"### {escaped(comparison.a)} (A) against {escaped(comparison.b)} (B)"
    yield ""
    yield escaped(basis(comparison))
    yield ""
    yield "| | A | B | B − A | interval | effect | |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for one in shown(comparison, names):
        cells = (
            metric_label(one.name),
            value_text(one.metric, one.a),
            value_text(one.metric, one.b),
            difference_text(one.metric, one.difference),
            interval_text(one),
            effect_text(one),
        )
        winner = one.verdict in {"A better", "B better"}
        yield f"| {' | '.join(map(escaped, cells))} | {f'**{one.verdict}**' if winner else one.verdict} |"
    yield ""
    for text in (*group_notes(comparison, names), EFFECT, *reservations(comparison)):
        yield f"- {escaped(text)}"


@dataclass(frozen=True, slots=True)
class Section:
    """The comparison as a page shows it."""

    a: str
    b: str
    basis: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Texts under each word of the head; the last is the verdict."""
    notes: tuple[str, ...]


def compared_section(comparison: Comparison) -> Section:
    """The comparison as a page shows it."""
    rows = tuple(
        (
            metric_label(one.name),
            value_text(one.metric, one.a),
            value_text(one.metric, one.b),
            difference_text(one.metric, one.difference),
            interval_text(one),
            effect_text(one),
            one.verdict,
        )
        for one in shown(comparison)
    )
    head = ("", "A", "B", "B − A", f"{CONFIDENCE:.0%} interval", "effect", "verdict")
    notes = (*group_notes(comparison, ()), EFFECT, *reservations(comparison))
    return Section(comparison.a, comparison.b, basis(comparison), head, rows, notes)


def compare_json(comparison: Comparison) -> bytes:
    """The comparison, every metric of it, for programs."""
    document = {
        "version": JSON_VERSION,
        "a": comparison.a,
        "b": comparison.b,
        "seeds": comparison.seeds,
        "paired_jobs": comparison.jobs,
        "confidence": CONFIDENCE,
        "resamples": RESAMPLES,
        "notes": reservations(comparison),
        "differences": {
            one.name: {
                "unit": one.metric.unit,
                "better": one.metric.better,
                "a": one.a,
                "b": one.b,
                "difference": one.difference,
                "interval": one.interval,
                "resampled": one.drawn,
                "why_no_interval": one.why_none or None,
                "two_groups": {"a": one.groups[0], "b": one.groups[1]},
                "effect": one.effect,
                "verdict": one.verdict,
            }
            for one in comparison.differences
        },
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
