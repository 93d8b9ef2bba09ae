"""A run, or several side by side, as one HTML file that works without a network.

Everything that comes from outside (names, messages, parameters) is escaped by the template; the page
forbids itself to load anything.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluator.compare.comparing import Comparison
from evaluator.files import write_atomically
from evaluator.metrics.metric import PERCENTILE_METHOD
from evaluator.report.assets import asset, plotly
from evaluator.report.charts import COLORS, charts, class_figures
from evaluator.report.compare import compared_section
from evaluator.report.format import NOTHING, count_text, duration_text, metric_text, share_text
from evaluator.report.late import late_list
from evaluator.report.model import ReportedRun, Row, best_of, labels, rows
from evaluator.report.nodemap import NodeMap, node_map
from evaluator.results import Fidelity
from evaluator.scenario.units import parse_rfc3339
from fakeapi.kernel.time import MILLISECOND

TEMPLATE: Final = "report.html.j2"

FATES: Final = ("in time", "late", "no deadline", "cut short", "failed", "still running")
"""What became of a pod on the map, by its number there."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question that a reader has, and its answer for one run."""

    text: str
    detail: str
    best: bool


@dataclass(frozen=True, slots=True)
class Headline:
    """A question that a reader has, and its answers, run by run."""

    question: str
    answers: tuple[Answer, ...]


def write_report(runs: Sequence[ReportedRun], path: Path) -> None:
    """Write the report of one or more runs to ``path``, whole or not at all.

    :raises OSError: if the folder is missing or not writable.
    """
    write_atomically(path, [render(runs).encode()])


def render(runs: Sequence[ReportedRun], comparison: Comparison | None = None) -> str:
    """The page that reports one or more runs; with how two sides differ, if that was found out."""
    names = labels(runs)
    drawn = charts(runs, names)
    classes = class_figures(runs, names)
    maps = [node_map(run.timeline) for run in runs]
    data = {
        "figures": {chart.key: chart.figure for chart in drawn},
        "classes": classes,
        "maps": [_map_data(each, run) for each, run in zip(maps, runs, strict=True)],
        "origin": parse_rfc3339(runs[0].result.start) // MILLISECOND,
    }
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            title=_title(runs),
            runs=runs,
            names=names,
            colors=COLORS,
            headlines=headlines(runs),
            expectations=_expectations(runs),
            comparison=None if comparison is None else compared_section(comparison),
            charts=drawn,
            class_kinds=list(classes),
            maps=maps if any(each.nodes for each in maps) else [],
            fates=FATES,
            page=_script_json(data),
            rows=rows(runs),
            all_rows=_all_rows(runs),
            late=[late_list(run, index) for index, run in enumerate(runs)],
            fidelity=_fidelity_rows(runs),
            facts=[_facts(run) for run in runs],
            notes=list(dict.fromkeys(note for run in runs for note in run.result.notes)),
            percentile_method=PERCENTILE_METHOD,
            plotly=plotly(),
            css=asset("report.css"),
            report_js=asset("report.js"),
            map_js=asset("map.js"),
        )
    )


def _map_data(drawn: NodeMap, run: ReportedRun) -> dict[str, Any]:
    """The map as its script reads it: starts as differences from one to the next, which are short."""
    start_ns, end_ns = run.window_ns
    data = asdict(drawn)
    data["since"] = [after - before for before, after in pairwise([0, *drawn.since])]
    return {**data, "start": start_ns // MILLISECOND, "end": end_ns // MILLISECOND}


def environment() -> Environment:
    """Where templates come from: everything in them is escaped, and a name that is missing is an error."""
    templates = Environment(
        loader=PackageLoader("evaluator.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(duration=duration_text, count=count_text, share=share_text, metric=metric_text)
    templates.globals["nothing"] = NOTHING
    return templates


def _script_json(value: Any) -> Markup:
    """JSON that may stand in a script element: no text in it can end the element or open a comment."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  escaped above


def _title(runs: Sequence[ReportedRun]) -> str:
    titles = list(dict.fromkeys(run.result.scenario_title or run.result.scenario for run in runs))
    return " · ".join(titles)


def headlines(runs: Sequence[ReportedRun]) -> list[Headline]:
    """What a reader wants to know first."""
    return [
        _headline("Were deadlines met?", runs, "deadline_miss_rate", _deadline_answer),
        _headline("How long did jobs wait?", runs, "wait_p90", _wait_answer),
        _headline("How full was the cluster?", runs, "utilization", _usage_answer),
        _headline("Was everything done?", runs, "makespan", _done_answer),
    ]


def _headline(
    question: str,
    runs: Sequence[ReportedRun],
    judged_by: str,
    answer: Callable[[ReportedRun], tuple[str, str]],
) -> Headline:
    best = best_of([run.metric(judged_by) for run in runs])
    return Headline(question, tuple(Answer(*answer(run), best=best[index]) for index, run in enumerate(runs)))


def _deadline_answer(run: ReportedRun) -> tuple[str, str]:
    rate, due = run.value("deadline_miss_rate"), run.value("deadlines_due") or 0
    later = run.value("deadlines_not_due") or 0
    rest = f"; {count_text(later)} not due yet" if later else ""
    if rate is None:
        return NOTHING, f"no job has a deadline that can be judged{rest}"
    missed = count_text(run.value("deadlines_missed") or 0)
    return f"{share_text(rate)} missed", f"{missed} of {count_text(due)} jobs late or unfinished{rest}"


def _wait_answer(run: ReportedRun) -> tuple[str, str]:
    median, worst = metric_text(run.metric("wait_p50")), metric_text(run.metric("wait_max"))
    return metric_text(
        run.metric("wait_p90")
    ), f"90 % waited at most so long; half {median}, the longest {worst}"


def _usage_answer(run: ReportedRun) -> tuple[str, str]:
    hours = metric_text(run.metric("chip_hours"))
    return metric_text(run.metric("utilization")), f"of usable chips held, {hours} of chip time"


def _done_answer(run: ReportedRun) -> tuple[str, str]:
    jobs = run.result.jobs
    left = [
        f"{count_text(number)} {word}"
        for number, word in ((jobs.failed, "failed"), (jobs.running, "running"), (jobs.pending, "pending"))
        if number
    ]
    detail = f"{count_text(jobs.finished)} of {count_text(jobs.submitted)} jobs finished"
    return metric_text(run.metric("makespan")), ", ".join([detail, *left])


def _all_rows(runs: Sequence[ReportedRun]) -> list[Row]:
    """Every metric that any of the runs has, in the order in which it was measured."""
    names = dict.fromkeys(name for run in runs for name in run.result.metrics)
    return [
        Row(name, name, metrics, best_of(metrics))
        for name in names
        for metrics in [tuple(run.metric(name) for run in runs)]
    ]


@dataclass(frozen=True, slots=True)
class ExpectationCell:
    """Whether an expectation holds in one run, and the value that says so."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class ExpectationRow:
    """One expectation of the scenario, run by run."""

    text: str
    cells: tuple[ExpectationCell, ...]


def _expectations(runs: Sequence[ReportedRun]) -> list[ExpectationRow]:
    texts = dict.fromkeys(each.text for run in runs for each in run.result.expectations)
    return [ExpectationRow(text, tuple(_expected(run, text) for run in runs)) for text in texts]


def _expected(run: ReportedRun, text: str) -> ExpectationCell:
    found = next((each for each in run.result.expectations if each.text == text), None)
    if found is None:
        return ExpectationCell(NOTHING, holds=True)
    value = NOTHING if found.value is None else f"{found.value:,.4g}"
    return ExpectationCell(f"{'✓ holds' if found.holds else '✗ broken'}, {value}", found.holds)


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact of several runs, with its meaning."""

    name: str
    meaning: str
    texts: tuple[str, ...]


def _fidelity_rows(runs: Sequence[ReportedRun]) -> list[FactRow]:
    found = [
        FactRow(
            name.removesuffix("_s").replace("_", " "),
            field.description or "",
            tuple(_fact_text(name, getattr(run.result.fidelity, name)) for run in runs),
        )
        for name, field in Fidelity.model_fields.items()
    ]
    wall = FactRow(
        "wall time", "real time that the run took", tuple(duration_text(run.result.wall_s) for run in runs)
    )
    virtual = tuple(duration_text(run.result.virtual_s) for run in runs)
    return [*found, wall, FactRow("virtual time", "virtual time that passed", virtual)]


def _fact_text(name: str, value: str | float | list[str]) -> str:
    match value:
        case str():
            return value or NOTHING
        case list():
            return "; ".join(value) or "none"
        case _:
            return duration_text(value) if name.endswith("_s") else count_text(value)


def _facts(run: ReportedRun) -> list[tuple[str, str]]:
    """What it takes to run it again, and to know that it was the same."""
    result = run.result
    given = ", ".join(f"{name} = {value}" for name, value in result.parameters.items() if value is not None)
    return [
        ("scenario", result.scenario),
        ("seed", str(result.seed)),
        ("parameters", given or "none"),
        ("scheduler", " ".join(result.scheduler_command) or result.scheduler),
        ("scheduler version", result.scheduler_version or "unknown"),
        ("start", result.start),
        ("ended", result.ended),
        ("workload", result.scenario_digest),
        ("timeline", result.timeline_digest or "unknown"),
        (
            "made with",
            ", ".join(f"{name} {version}" for name, version in result.versions.items()) or "unknown",
        ),
    ]
