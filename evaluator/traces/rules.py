"""Deadlines and estimates that a trace is given where it has none, or other ones.

Chronus' recorded deadlines (Gao et al., SoCC 2021) lie between 1.10 and 5.0 run times after submission, p50
1.97, p90 3.12, p99 4.2. The rule ``chronus`` draws from that distribution, linear between these points:
each deadline can be met by a job that starts at once.
"""

import dataclasses
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from evaluator.errors import TraceError, shown
from evaluator.scenario.distributions import CHRONUS_FACTORS, quantile
from evaluator.traces.account import ImportReport
from evaluator.traces.model import Trace, TraceJob
from evaluator.traces.table import MAX_SPAN_NS
from evaluator.traces.transforms import map_jobs
from fakeapi.kernel.chance import Chance

DEADLINE_STREAM: Final = "trace-deadline"
ESTIMATE_STREAM: Final = "trace-estimate"

RECORDED: Final = "recorded"
NONE: Final = "none"
CHRONUS: Final = "chronus"
FILL: Final = "fill"
EXACT: Final = "exact"

DRAWN: Final = "deadline drawn from Chronus' factors"
FIXED: Final = "deadline a fixed factor of the run time"
REMOVED: Final = "deadline left out"
REPLACED: Final = "deadline replaced by another"
ESTIMATED: Final = "estimate drawn around the run time"
NO_ESTIMATE: Final = "estimate is the run time"

MAX_FACTOR: Final = 1000
MAX_SIGMA: Final = 5
"""Standard deviation of an estimate's logarithm: at 5, one estimate in six is 150 times too long."""

_FACTOR: Final = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)x", re.ASCII)
_SIGMA: Final = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)", re.ASCII)


def with_deadlines(trace: Trace, rule: str, seed: int) -> Trace:
    """The trace with deadlines by a rule.

    ``recorded`` keeps what the trace says; ``none`` leaves all out; ``chronus`` draws one for each job;
    ``fill`` draws one only for jobs that have none, or one that cannot be met; ``3x`` sets that factor of
    the run time. Jobs that the trace calls best effort get none, nor do jobs whose end is not known.

    :raises TraceError: if it is no rule.
    """
    factor = _parsed_factor(rule)
    if rule == RECORDED:
        return trace

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob]:
        section, chance = report.section("jobs"), Chance(seed).stream(DEADLINE_STREAM)

        def given(job: TraceJob) -> TraceJob:
            if rule == FILL and job.deadline_ns is not None and job.deadline_ns >= (job.run_ns or 0):
                return job
            if job.deadline_ns is not None:
                section.changed[REMOVED if rule == NONE else REPLACED] += 1
            deadline = None
            if rule != NONE and job.run_ns is not None and not job.best_effort:
                section.invented[DRAWN if factor is None else FIXED] += 1
                times = Fraction(quantile(CHRONUS_FACTORS, chance.random())) if factor is None else factor
                deadline = min(math.ceil(job.run_ns * times), MAX_SPAN_NS)
            return dataclasses.replace(job, deadline_ns=deadline, soft_deadlines=())

        return given

    return map_jobs(trace, change)


def _parsed_factor(rule: str) -> Fraction | None:
    if rule in {RECORDED, NONE, CHRONUS, FILL}:
        return None
    match = _FACTOR.fullmatch(rule)
    if match is None or not 1 <= Fraction(match[1]) <= MAX_FACTOR:
        raise TraceError(
            f"{shown(rule)} is no rule for deadlines",
            where="deadlines",
            next_step=f"One of {RECORDED}, {NONE}, {CHRONUS}, {FILL}, or a factor from 1x to {MAX_FACTOR}x.",
        )
    return Fraction(match[1])


def with_estimates(trace: Trace, rule: str, seed: int) -> Trace:
    """The trace with estimates by a rule: what the scheduler is told of a run time that it cannot know.

    ``recorded`` keeps what the trace says, ``exact`` tells the run time; a number is the standard deviation
    of the logarithm of estimate / run time, whose median is 1.

    :raises TraceError: if it is no rule.
    """
    sigma = _parsed_sigma(rule)
    if rule == RECORDED:
        return trace

    def change(report: ImportReport) -> Callable[[TraceJob], TraceJob]:
        section, chance = report.section("jobs"), Chance(seed).stream(ESTIMATE_STREAM)

        def estimated(job: TraceJob) -> TraceJob:
            if job.run_ns is None:
                return job
            section.invented[NO_ESTIMATE if sigma is None else ESTIMATED] += 1
            times = 1.0 if sigma is None else math.exp(chance.gauss(0.0, sigma))
            estimate = (
                job.run_ns if sigma is None else min(max(1, int(job.run_ns * Fraction(times))), MAX_SPAN_NS)
            )
            return dataclasses.replace(job, estimate_ns=estimate)

        return estimated

    return map_jobs(trace, change)


def _parsed_sigma(rule: str) -> float | None:
    if rule in {RECORDED, EXACT}:
        return None
    match = _SIGMA.fullmatch(rule)
    if match is None or float(match[1]) > MAX_SIGMA:
        raise TraceError(
            f"{shown(rule)} is no rule for estimates",
            where="estimates",
            next_step=f"One of {RECORDED}, {EXACT}, or a number from 0 to {MAX_SIGMA}, such as 0.5.",
        )
    return float(match[1])
