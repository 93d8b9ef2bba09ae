"""The facts of a trace, drawn small in a terminal."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from evaluator.traces.facts import Facts, JobFacts, arrivals_by_part, demand_by_part
from evaluator.traces.figures import busiest_hour, gap_variation, peak, percentiles
from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND

BARS: Final = " ▁▂▃▄▅▆▇█"
"""Heights of one character, from nothing to full."""

MAX_LISTED: Final = 8
"""Kinds that are listed; the rarer ones are counted together."""

MAX_CONTROL: Final = ord(" ")
"""Characters below this one steer a terminal: text from a file is shown without them."""

_MILLI: Final = 1000
_GIBI: Final = 2**30


def draw(facts: Facts, console: Console) -> None:
    """Print everything that is known of a trace."""
    draw_facts(facts, console)
    console.print("\nimport report", style="bold")
    for text, number in facts.report.lines():
        console.print(f"{'' if number is None else f'{number:,}':>12}  {_clean(text)}", markup=False)


def draw_facts(facts: Facts, console: Console) -> None:
    """Print what jobs and nodes are like, without how they were read."""
    console.print(f"{_clean(facts.trace.title)}  ({facts.trace.format})", markup=False, style="bold")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _lines(facts):
        table.add_row(_escaped(label), _escaped(value))
    console.print(table)


def sparkline(values: Sequence[int]) -> str:
    """The values as characters of rising height; only a zero is blank."""
    top = max(values, default=0)
    steps = len(BARS) - 1
    return "".join(BARS[-(-value * steps // top)] if value > 0 else BARS[0] for value in values)


def _lines(facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("Computer", "Installation", "Acknowledge", "Conversion"):
        if name in facts.trace.facts:
            yield name.lower(), facts.trace.facts[name]
    if facts.jobs.jobs:
        yield from _demand(facts)
        yield from _times(facts.jobs)
        yield from _arrivals(facts.jobs)
    if facts.nodes.nodes:
        yield from _nodes(facts)
    if facts.outages.outages:
        yield from _outages(facts)


def _demand(facts: Facts) -> Iterator[tuple[str, str]]:
    jobs, capacity = facts.jobs, facts.capacity
    yield "jobs", f"{jobs.jobs:,} ({jobs.pods:,} pods) in {_span(jobs.span_ns)}"
    yield "chips of a job", _kinds({f"{chips}": number for chips, number in jobs.chips.items()}, jobs.jobs)
    yield "chip-hours", f"{jobs.chip_ns / HOUR:,.0f}"
    if jobs.without_end:
        yield "without an end", f"{jobs.without_end:,} jobs, not counted in chip-hours"
    load = f", {jobs.offered / capacity:.1%} of {capacity:,}" if capacity else ""
    yield "chips offered", f"{jobs.offered:,.1f} on average{load}"
    yield "peak at once", _peak(peak(jobs.held), capacity)
    if jobs.waits:
        yield "peak as recorded", _peak(peak(jobs.recorded), capacity)
    yield "demand", f"▕{sparkline(demand_by_part(jobs))}▏"


def _peak(chips: int, capacity: int | None) -> str:
    return f"{chips:,} chips" + (f", {chips / capacity:.0%} of {capacity:,}" if capacity else "")


def _times(jobs: JobFacts) -> Iterator[tuple[str, str]]:
    for label, values in (("run time", jobs.runs), ("wait", jobs.waits)):
        if values:
            yield label, _percentiles(percentiles(values, 1), _span)
    for label, factors in (
        ("deadline / run", jobs.deadline_factors),
        ("estimate / run", jobs.estimate_factors),
    ):
        if factors:
            yield label, f"{_percentiles(percentiles(factors, 1), _plain)}  ({len(factors):,} jobs)"
    if jobs.best_effort:
        yield "best effort", f"{jobs.best_effort:,} jobs"
    if jobs.outcomes:
        yield "outcomes", _kinds(jobs.outcomes, jobs.outcomes.total())
    for label, names in (("users", jobs.users), ("queues", jobs.queues)):
        if names:
            yield label, f"{len(names):,}: {_kinds(names, jobs.jobs)}"


def _arrivals(jobs: JobFacts) -> Iterator[tuple[str, str]]:
    rate = f"{jobs.jobs / (jobs.span_ns / HOUR):,.1f} an hour" if jobs.span_ns else "all at once"
    variation = gap_variation(jobs.submits)
    burst = "" if variation is None else f"; coefficient of variation of gaps {variation:.1f}"
    yield "arrivals", f"{rate}, busiest {busiest_hour(jobs.submits):,}{burst}"
    yield "", f"▕{sparkline(arrivals_by_part(jobs))}▏"


def _nodes(facts: Facts) -> Iterator[tuple[str, str]]:
    nodes = facts.nodes
    memory = f", {nodes.memory_bytes / _GIBI:,.0f} GiB" if nodes.memory_bytes else ""
    cores = f", {nodes.cpu_milli / _MILLI:,.0f} cores" if nodes.cpu_milli else ""
    yield "nodes", f"{nodes.nodes:,} with {nodes.chips:,} chips{cores}{memory}"
    yield "chips of a node", _kinds({f"{chips}": n for chips, n in nodes.nodes_by_chips.items()}, nodes.nodes)
    yield "chip types", _kinds(nodes.chips_by_type, nodes.chips)


def _outages(facts: Facts) -> Iterator[tuple[str, str]]:
    outages = facts.outages
    yield "outages", f"{outages.outages:,} of {outages.nodes:,} nodes; at most {outages.peak:,} down at once"
    yield "outage", _percentiles(percentiles(outages.lengths, 1), _span)
    yield "causes", _kinds(outages.causes, outages.outages)


def _kinds(counts: Mapping[str, int], total: int) -> str:
    common = Counter(counts).most_common()
    texts = [f"{name} {number / max(total, 1):.1%}" for name, number in common[:MAX_LISTED]]
    if len(common) > MAX_LISTED:
        texts.append(f"{len(common) - MAX_LISTED} more")
    return ", ".join(texts)


def _percentiles(values: Mapping[str, float] | None, text: Callable[[float], str]) -> str:
    return "  ".join(f"{name} {text(value)}" for name, value in (values or {}).items())


def _plain(number: float) -> str:
    return f"{number:,.2f}"


def _span(ns: float) -> str:
    """A duration in the unit in which it is easily read."""
    for name, unit in (("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if ns >= 2 * unit:
            return f"{ns / unit:,.1f} {name}"
    return f"{ns / SECOND:,.1f} s"


def _clean(text: str) -> str:
    """Text from a file without what steers a terminal."""
    return "".join(letter if ord(letter) >= MAX_CONTROL and letter.isprintable() else "�" for letter in text)


def _escaped(text: str) -> str:
    return escape(_clean(text))
