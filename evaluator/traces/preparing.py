"""The options of a replay, and the one order in which they are applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evaluator.traces import fitting, rules, transforms
from evaluator.traces.model import Trace, TraceNode
from fakeapi.kernel.time import DAY

DEFAULT_DEADLINES: Final = rules.FILL
"""Recorded deadlines that can be met stay; every other job gets one drawn from Chronus' factors."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a trace is made into a workload. Instants count from its first submission."""

    start_ns: int = 0
    """Leave out what is submitted before."""
    end_ns: int | None = None
    """Leave out what is submitted from then on."""
    sample: Fraction = Fraction(1)
    """Keep each job with this probability."""
    jobs: int | None = None
    """Keep so many jobs, after window and sample."""
    speedup: Fraction = Fraction(1)
    """Divide gaps between arrivals."""
    load: Fraction | None = None
    """Divide them until this share of the cluster's chips is offered; instead of ``speedup``."""
    deadlines: str = DEFAULT_DEADLINES
    estimates: str = rules.RECORDED
    seed: int = 0
    """Of the sample, the deadlines and the estimates."""


def options_of(
    *,
    start_day: float = 0.0,
    days: float | None = None,
    load: float | None = None,
    deadlines: str = DEFAULT_DEADLINES,
    estimates: str = rules.RECORDED,
    seed: int = 0,
) -> Options:
    """Options as a scenario's parameters tell them.

    :param start_day: days after the first submission at which the replay begins.
    :param days: how many days are replayed; none: all that are left.
    """
    start_ns = int(start_day * DAY)
    return Options(
        start_ns=start_ns,
        end_ns=None if days is None else start_ns + int(days * DAY),
        load=None if load is None else Fraction(load),
        deadlines=deadlines,
        estimates=estimates,
        seed=seed,
    )


def pool(chips: int, size: int) -> list[TraceNode]:
    """Nodes of one size that have so many chips together; the last one has what is left."""
    whole, rest = divmod(chips, size)
    sizes = [size] * whole + ([rest] if rest else [])
    return [TraceNode(name=f"node-{number:04d}", chips=each) for number, each in enumerate(sizes)]


def prepare(trace: Trace, options: Options, nodes: Sequence[TraceNode] = ()) -> Trace:
    """The trace as a workload: window, sample, number, fit to the nodes, arrivals, deadlines, estimates.

    :param nodes: the cluster that it is fitted to; without nodes nothing is split or dropped for its size,
    and a load is one of the capacity that the trace tells of itself.
    :raises TraceError: if an option is no rule; a load of an unknown capacity is refused when it is read.
    """
    made = transforms.from_first(trace)
    if options.start_ns or options.end_ns is not None:
        made = transforms.window(made, options.start_ns, options.end_ns)
    if options.sample != 1:
        made = transforms.sample(made, options.sample, options.seed)
    if options.jobs is not None:
        made = transforms.first_jobs(made, options.jobs)
    if nodes:
        made = fitting.fit(made, nodes)
    if options.load is not None:
        capacity = sum(node.chips for node in nodes) if nodes else trace.capacity_chips or 0
        made = transforms.scale_to_load(made, capacity, options.load)
    elif options.speedup != 1:
        made = transforms.speed_up(made, options.speedup)
    made = rules.with_deadlines(made, options.deadlines, options.seed)
    return rules.with_estimates(made, options.estimates, options.seed)
