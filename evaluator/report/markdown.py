"""Runs as Markdown for a pull request: what a reviewer reads first, the rest folded away.

GitHub's flavour. Whatever comes from outside is escaped, so that no name makes a link, a mention or a tag.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from evaluator.report.format import NOTHING, count_text, duration_text, metric_text
from evaluator.report.model import ReportedRun, labels, rows

LATE_SHOWN: Final = 5
"""Late jobs of one run that are named."""

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]()#+!|~<>@:-])")
"""Characters that begin something in Markdown: each may be written after a backslash."""


def escaped(text: object) -> str:
    """Text that stands for itself in Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(text).split())).replace("\\<", "&lt;").replace("\\>", "&gt;")


def markdown(runs: Sequence[ReportedRun]) -> str:
    """The summary of one or more runs."""
    return "\n".join(_lines(runs)) + "\n"


def _lines(runs: Sequence[ReportedRun]) -> Iterator[str]:
    names = labels(runs)
    titles = dict.fromkeys(run.result.scenario_title or run.result.scenario for run in runs)
    yield f"### {' · '.join(map(escaped, titles))}"
    yield ""
    yield from _warnings(runs, names)
    yield from _expectations(runs, names)
    yield from _figures(runs, names)
    yield from _late(runs, names)
    yield from _fidelity(runs, names)
    yield from _notes(runs)


def _warnings(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[str]:
    for run, name in zip(runs, names, strict=True):
        if not run.result.complete:
            yield f"> **{escaped(name)} is not complete:** {escaped(run.result.ended)}"
            yield ""
        if run.result.fidelity.forced_moves:
            moves = count_text(run.result.fidelity.forced_moves)
            yield f"> **Do not trust {escaped(name)}:** time was moved {moves} times without proof"
            yield ""


def _expectations(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[str]:
    texts = dict.fromkeys(each.text for run in runs for each in run.result.expectations)
    if not texts:
        return
    yield from _head("expectation", names)
    for text in texts:
        cells = [_expected(run, text) for run in runs]
        yield f"| {escaped(text)} | {' | '.join(cells)} |"
    yield ""


def _expected(run: ReportedRun, text: str) -> str:
    found = next((each for each in run.result.expectations if each.text == text), None)
    if found is None:
        return NOTHING
    value = "" if found.value is None else f" {found.value:,.4g}"
    return f"{'✅' if found.holds else '❌'}{value}"


def _figures(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[str]:
    yield from _head("", names)
    for row in rows(runs):
        cells = [
            f"**{metric_text(metric)}**" if best else metric_text(metric)
            for metric, best in zip(row.metrics, row.best, strict=True)
        ]
        yield f"| {escaped(row.label)} | {' | '.join(cells)} |"
    yield ""


def _head(first: str, names: Sequence[str]) -> Iterator[str]:
    yield f"| {first} | {' | '.join(map(escaped, names))} |"
    yield f"|---|{'---:|' * len(names)}"


def _late(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[str]:
    for run, name in zip(runs, names, strict=True):
        late = run.late_jobs()
        if late:
            named = [f"{escaped(job.job)} by {duration_text(job.late_s)}" for job in late[:LATE_SHOWN]]
            more = len(late) - len(named)
            rest = f" and {count_text(more)} more" if more else ""
            yield f"Latest with {escaped(name)}: {', '.join(named)}{rest}"
            yield ""


def _fidelity(runs: Sequence[ReportedRun], names: Sequence[str]) -> Iterator[str]:
    yield "<details><summary>How far the times can be trusted</summary>"
    yield ""
    for run, name in zip(runs, names, strict=True):
        fidelity = run.result.fidelity
        yield (
            f"- {escaped(name)}: {escaped(fidelity.pace)}, {count_text(fidelity.jumps)} jumps, "
            f"{count_text(fidelity.forced_moves)} forced, {count_text(fidelity.guessed_moves)} guessed, "
            f"clock lead {duration_text(fidelity.clock_lead_s)}, seed {run.result.seed}, workload "
            f"`{escaped(run.result.scenario_digest[:DIGEST_SHOWN])}`"
        )
    yield ""
    yield "</details>"


DIGEST_SHOWN: Final = 12
"""Characters of a digest: enough to tell two apart by eye."""


def _notes(runs: Sequence[ReportedRun]) -> Iterator[str]:
    notes = list(dict.fromkeys(note for run in runs for note in run.result.notes))
    if not notes:
        return
    yield ""
    yield "<details><summary>What was changed on the way in</summary>"
    yield ""
    for note in notes:
        number = "" if note.count is None else f"{count_text(note.count)} "
        yield f"- {escaped(note.topic)}: {number}{escaped(note.text)}"
    yield ""
    yield "</details>"
