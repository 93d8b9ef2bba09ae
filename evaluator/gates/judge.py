"""Runs held to rules, to what their scenarios expect, and to a baseline. Pure: no file is read here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from evaluator.errors import NothingMatchedError, UsageError
from evaluator.gates.baseline import Baseline
from evaluator.gates.rules import Rule, Rules
from evaluator.metrics.metric import Metric
from evaluator.results import RunResult

Baselines = Mapping[tuple[str, str], Baseline]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run, and the name by which messages call it."""

    name: str
    result: RunResult


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one gate for one run."""

    run: str
    metric: str
    gate: str
    """The gate in words, its source included."""
    value: float | None
    passed: bool
    why: str
    """What stands against it, with value, bound and the baseline's spread; empty when it passed."""


def judge(runs: Sequence[JudgedRun], rules: Rules, baselines: Baselines | None) -> list[Verdict]:
    """Every verdict, run by run: what its scenario expects first, then the rules in their order.

    :raises UsageError: a run is not complete, or a rule needs a baseline that there is not.
    :raises NothingMatchedError: nothing says what should hold.
    """
    for run in runs:
        if not run.result.complete:
            raise UsageError(
                f"{run.name}: the run is not complete, so it cannot be judged: {run.result.ended}",
                next_step="Repeat it.",
            )
    verdicts = [verdict for run in runs for verdict in (*_expected(run), *_ruled(run, rules, baselines))]
    if not verdicts:
        raise NothingMatchedError(
            "nothing says what should hold: the scenarios expect nothing, and no rule concerns these runs",
            next_step="Write s.expect(…) into the scenario, or give --rules FILE.",
        )
    return verdicts


def _expected(run: JudgedRun) -> Iterator[Verdict]:
    for one in run.result.expectations:
        why = "" if one.holds else f"{_shown(one.value)} is not {one.op} {one.bound:g}"
        yield Verdict(run.name, one.metric, f"the scenario expects {one.text}", one.value, one.holds, why)


def _ruled(run: JudgedRun, rules: Rules, baselines: Baselines | None) -> Iterator[Verdict]:
    result = run.result
    for rule in rules.gate:
        if not rule.concerns(result.scenario, result.scheduler):
            continue
        metric = result.metrics.get(rule.metric)
        if rule.at_most is not None:
            yield _bounded(run, rule, metric, "at most", rule.at_most)
        if rule.at_least is not None:
            yield _bounded(run, rule, metric, "at least", rule.at_least)
        if rule.no_worse_than_baseline:
            yield _compared(run, rule, metric, _baseline_for(run, baselines))


def _bounded(run: JudgedRun, rule: Rule, metric: Metric | None, word: str, bound: float) -> Verdict:
    value = None if metric is None else metric.value
    passed = value is not None and (value <= bound if word == "at most" else value >= bound)
    why = "" if passed else f"{_shown(value)}, which is not {word} {bound:g}"
    return Verdict(run.name, rule.metric, f"{rule.metric} {word} {bound:g}", value, passed, why)


def _baseline_for(run: JudgedRun, baselines: Baselines | None) -> Baseline:
    result = run.result
    if baselines is None:
        raise UsageError("a rule compares with a baseline", next_step="Give --baseline FOLDER.")
    found = baselines.get((result.scenario, result.scheduler))
    if found is None or found.parameters != result.parameters:
        what = "has other parameters" if found else "is not there"
        raise UsageError(
            f"{run.name}: the baseline of {result.scenario} with {result.scheduler} {what}",
            next_step="Run evaluator baseline update with runs of that kind.",
        )
    return found


def _compared(run: JudgedRun, rule: Rule, metric: Metric | None, baseline: Baseline) -> Verdict:
    before = baseline.metrics.get(rule.metric, ())
    value = None if metric is None else metric.value
    gate = f"{rule.metric} no worse than the baseline"
    if metric is None or metric.better == "none":
        raise UsageError(f"{rule.metric}: neither more nor less of it is better, so it cannot be compared")
    if not before or value is None:
        passed = not before and value is None
        why = "" if passed else f"{_shown(value)}, and the baseline has {len(before)} values"
        return Verdict(run.name, rule.metric, gate, value, passed, why)
    worst = tolerated(before, lower_is_better=metric.better == "lower", slack=rule.slack)
    passed = value <= worst if metric.better == "lower" else value >= worst
    least, most = min(before), max(before)
    spread = f"{len(before)} runs of the baseline: {least:g} to {most:g}, median {median(before):g}"
    why = "" if passed else f"{_shown(value)} is worse than {worst:g} ({spread})"
    return Verdict(run.name, rule.metric, gate, value, passed, why)


def tolerated(before: Sequence[float], *, lower_is_better: bool, slack: float) -> float:
    """The worst value that does not count as worse than these.

    A random scheduler is worse than the worst of n runs once in n + 1 runs, so that this alone would flake.
    Its own range is granted once more beyond the worst, which makes a false alarm rare and not impossible,
    and ``slack`` times the median on top. More runs in the baseline make it sharper.
    """
    reach = max(before) - min(before) + slack * abs(median(before))
    return max(before) + reach if lower_is_better else min(before) - reach


NOTHING: Final = "there was nothing to measure"


def _shown(value: float | None) -> str:
    return NOTHING if value is None else f"{value:g}"
