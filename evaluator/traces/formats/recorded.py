"""What ``evaluator record`` writes: JSON lines, an event of a real cluster each, in the order they were seen.

The first line names the format and its version::

    {"format": "scheduler-evaluator-trace", "version": 1, "started": "2026-01-05T00:00:00Z", …}

Each other line has ``at`` (nanoseconds since ``started``; negative for what happened before) and ``event``:

``node``       node, chips, chip_type, cpu_milli, memory_bytes: it joined, or its allocatable changed
``node-gone``  node
``node-down``  node: Ready is no longer True
``node-up``    node
``job``        job, pods: a Job all of whose pods run at once
``submitted``  pod, job, chips, cpu_milli, memory_bytes, user, queue, priority, deadline_ns, estimate_ns
``started``    pod
``ended``      pod, outcome
``end``        the recording ended; what is still there then is cut off
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.errors import TraceError
from evaluator.scenario.fields import MAX_CHIPS_PER_NODE
from evaluator.traces.account import ImportReport, Section
from evaluator.traces.formats.base import MAX_CHIPS, MAX_CPU_MILLI, MAX_MEMORY_MIB, MEBI, Format, Source
from evaluator.traces.model import Trace, TraceJob, TraceNode, TraceOutage
from evaluator.traces.source import broken, read_lines
from evaluator.traces.table import MAX_ROWS, MAX_SPAN_NS, Row, convert

FORMAT_NAME: Final = "scheduler-evaluator-trace"
VERSION: Final = 1

KEYS: Final = (
    "at", "event", "node", "pod", "job", "pods", "chips", "chip_type", "cpu_milli", "memory_bytes",
    "user", "queue", "priority", "deadline_ns", "estimate_ns", "outcome",
)  # fmt: skip
NODE_EVENTS: Final = ("node", "node-gone")
OUTAGE_EVENTS: Final = ("node-down", "node-up", "node-gone")
JOB_EVENTS: Final = ("job", "submitted", "started", "ended")
END: Final = "end"
EVENTS: Final = tuple(dict.fromkeys((*NODE_EVENTS, *OUTAGE_EVENTS, *JOB_EVENTS, END)))

NEVER_STARTED: Final = "never started while it was recorded"
UNKNOWN_POD: Final = "of a pod whose submission was not recorded"
REPLACEMENT: Final = "a later pod of a job whose pods all run at once; left out"
BEFORE: Final = "submitted before the recording began; submitted at its beginning instead"
CUT_OFF: Final = "still running when the recording ends; its run time ends with it"
NO_LENGTH: Final = "started and ended at one instant"
CHANGED_NODE: Final = "changes the node's allocatable; the greatest is taken"
STILL_DOWN: Final = "still down when the recording ends; the outage ends with it"
STRAY: Final = "of a node that is not in the state that it would end"

_MAX_PRIORITY: Final = 2_000_001_000
"""Value of ``system-node-critical``, the highest there is."""


def _open(source: Source) -> Trace:
    _check_version(source)
    return Trace(
        title="a recorded cluster",
        format="recorded",
        jobs=lambda report: _fold(source, report, "jobs", JOB_EVENTS, _Jobs()),
        nodes=lambda report: _fold(source, report, "nodes", NODE_EVENTS, _Nodes()),
        outages=lambda report: _fold(source, report, "outages", OUTAGE_EVENTS, _Outages()),
    )


def _check_version(source: Source) -> None:
    try:
        header = json.loads(source.header)
        version = header.get("version") if header.get("format") == FORMAT_NAME else None
    except (ValueError, AttributeError, RecursionError) as error:
        raise broken(source.file, 1, "not the first line of a recording") from error
    if version != VERSION:
        raise broken(source.file, 1, f"a recording of version {version!r}; this program reads {VERSION}")


class _Folder(ABC):
    """Takes events, and has what they add up to at the end."""

    @abstractmethod
    def take(self, row: Row) -> None:
        """One event of its kind."""

    @abstractmethod
    def items(self, end_ns: int, section: Section) -> Iterator[Any]:
        """What has come of all events, in order."""


def _fold(
    source: Source, report: ImportReport, noun: str, events: tuple[str, ...], folder: _Folder
) -> Iterator[Any]:
    section, end_ns = report.section(noun), 0

    def rows() -> Iterator[Row | TraceError]:
        nonlocal end_ns
        for row in _rows(source):
            if isinstance(row, TraceError):
                if noun == "jobs":  # each broken line is told once
                    yield row
                continue
            end_ns = max(end_ns, _number(row.text("at")))
            if row.text("event") in events or (noun == "jobs" and row.text("event") not in EVENTS):
                yield row

    for _ in convert(rows(), folder.take, section, source.lenience(report)):
        pass
    yield from folder.items(end_ns, section)


def _number(text: str) -> int:
    plain = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_SPAN_NS))
    return min(int(text), MAX_SPAN_NS) if plain else 0


def _rows(source: Source) -> Iterator[Row | TraceError]:
    lines = read_lines(source.file)
    next(lines, None)
    for count, (number, text) in enumerate(lines, start=1):
        if count > MAX_ROWS:
            raise broken(source.file, number, f"more than {MAX_ROWS:,} events")
        if isinstance(text, TraceError):
            yield text
        elif text.strip():
            yield _row(source, number, text)


def _row(source: Source, number: int, text: str) -> Row | TraceError:
    try:
        event = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        return broken(source.file, number, f"not JSON: {error}")
    if not isinstance(event, Mapping):
        return broken(source.file, number, f"an event is an object, not {type(event).__name__}")
    return Row(source.file, number, {key: _text(event.get(key)) for key in KEYS})


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def _at(row: Row) -> int:
    return row.integer("at", minimum=-MAX_SPAN_NS, maximum=MAX_SPAN_NS)


def _named(row: Row, column: str) -> str:
    return row.text(column) or row.refuse(column, "a name is needed")


@dataclass(slots=True)
class _Pod:
    submit_ns: int
    job: str
    shape: TraceJob
    rows: int = 1
    start_ns: int | None = None
    end_ns: int | None = None
    outcome: str | None = None


class _Jobs(_Folder):
    def __init__(self) -> None:
        self._pods: dict[str, _Pod] = {}
        self._together: dict[str, int] = {}

    def take(self, row: Row) -> None:
        kind = row.choice("event", EVENTS)
        at = _at(row)
        if kind == "job":
            self._together[_named(row, "job")] = row.integer("pods", minimum=1, maximum=MAX_CHIPS)
            return
        name = _named(row, "pod")
        if kind == "submitted":
            if name in self._pods:
                row.refuse("pod", "was submitted already")
            if at < 0:
                row.account.change(BEFORE)
            self._pods[name] = _Pod(at, row.text("job"), _shape(row, name, at))
            return
        self._go_on(row, kind, at, name)

    def _go_on(self, row: Row, kind: str, at: int, name: str) -> None:
        pod = self._pods.get(name)
        if pod is None:
            row.account.drop(UNKNOWN_POD)
            return
        if at < (pod.submit_ns if pod.start_ns is None else pod.start_ns):
            row.refuse("at", "before the event that it follows")
        pod.rows += 1
        if kind == "started":
            pod.start_ns = at if pod.start_ns is None else pod.start_ns
        else:
            pod.end_ns, pod.outcome = at, row.text("outcome") or None
        return

    def items(self, end_ns: int, section: Section) -> Iterator[TraceJob]:
        groups: dict[str, list[_Pod]] = {}
        for name, pod in self._pods.items():
            key = f"job {pod.job}" if self._together.get(pod.job, 1) > 1 else f"pod {name}"
            groups.setdefault(key, []).append(pod)
        made = []
        for pods in groups.values():
            job = self._job(sorted(pods, key=lambda pod: pod.submit_ns), end_ns, section)
            if job is not None:
                made.append(job)
        yield from sorted(made, key=lambda job: job.submit_ns)

    def _job(self, pods: list[_Pod], end_ns: int, section: Section) -> TraceJob | None:
        members = pods[: self._together.get(pods[0].job, 1)]
        later = sum(pod.rows for pod in pods[len(members) :])
        if later:
            section.withdraw(REPLACEMENT, later)
        starts = [pod.start_ns for pod in members if pod.start_ns is not None]
        rows = sum(pod.rows for pod in members)
        if not starts:
            section.withdraw(NEVER_STARTED, rows)
            return None
        start = max(starts)
        if any(pod.end_ns is None for pod in members):
            section.noted[CUT_OFF] += 1
        run = max(pod.end_ns if pod.end_ns is not None else end_ns for pod in members) - start
        if run <= 0:
            section.withdraw(NO_LENGTH, rows)
            return None
        first = members[0]
        return _whole(first, len(members), run, start - first.submit_ns)


def _whole(first: _Pod, pods: int, run_ns: int, wait_ns: int) -> TraceJob:
    shape = first.shape
    return TraceJob(
        id=first.job if pods > 1 else shape.id,
        submit_ns=max(first.submit_ns, 0),
        run_ns=run_ns,
        pods=pods,
        chips=shape.chips,
        cpu_milli=shape.cpu_milli,
        memory_bytes=shape.memory_bytes,
        user=shape.user,
        queue=shape.queue,
        priority=shape.priority,
        deadline_ns=shape.deadline_ns,
        estimate_ns=shape.estimate_ns,
        wait_ns=wait_ns,
        outcome=first.outcome,
    )


def _shape(row: Row, name: str, at: int) -> TraceJob:
    return TraceJob(
        id=name,
        submit_ns=at,
        run_ns=None,
        chips=row.optional_integer("chips", maximum=MAX_CHIPS) or 0,
        cpu_milli=row.optional_integer("cpu_milli", maximum=MAX_CPU_MILLI),
        memory_bytes=row.optional_integer("memory_bytes", maximum=MAX_MEMORY_MIB * MEBI),
        user=row.text("user") or None,
        queue=row.text("queue") or None,
        priority=row.optional_integer("priority", minimum=-_MAX_PRIORITY, maximum=_MAX_PRIORITY),
        deadline_ns=row.optional_integer("deadline_ns", maximum=MAX_SPAN_NS),
        estimate_ns=row.optional_integer("estimate_ns", maximum=MAX_SPAN_NS),
    )


@dataclass(slots=True)
class _Machine:
    chips: int
    chip_type: str | None
    cpu_milli: int | None
    memory_bytes: int | None
    since_ns: int
    until_ns: int | None = field(default=None)


class _Nodes(_Folder):
    def __init__(self) -> None:
        self._machines: dict[str, _Machine] = {}

    def take(self, row: Row) -> None:
        name, at = _named(row, "node"), max(_at(row), 0)
        known = self._machines.get(name)
        if row.text("event") == "node-gone":
            if known is None:
                row.account.drop(STRAY)
                return
            known.until_ns = at
            return
        now = _Machine(
            chips=row.optional_integer("chips", maximum=MAX_CHIPS_PER_NODE) or 0,
            chip_type=row.label("chip_type") or None,
            cpu_milli=row.optional_integer("cpu_milli", maximum=MAX_CPU_MILLI),
            memory_bytes=row.optional_integer("memory_bytes", maximum=MAX_MEMORY_MIB * MEBI),
            since_ns=at if known is None else known.since_ns,
        )
        if known is not None:
            row.account.change(CHANGED_NODE)
            now.chips = max(now.chips, known.chips)
        self._machines[name] = now

    def items(self, end_ns: int, section: Section) -> Iterator[TraceNode]:
        del end_ns, section  # a node that is there at the end stays
        for name, machine in self._machines.items():
            yield TraceNode(
                name=name,
                chips=machine.chips,
                chip_type=machine.chip_type,
                cpu_milli=machine.cpu_milli,
                memory_bytes=machine.memory_bytes,
                since_ns=machine.since_ns,
                until_ns=machine.until_ns,
            )


class _Outages(_Folder):
    def __init__(self) -> None:
        self._down: dict[str, int] = {}
        self._outages: list[TraceOutage] = []

    def take(self, row: Row) -> None:
        name, at = _named(row, "node"), max(_at(row), 0)
        if row.text("event") == "node-down":
            if name in self._down:
                row.account.drop(STRAY)
                return None
            self._down[name] = at
            return None
        since = self._down.pop(name, None)
        if since is None:
            return None if row.text("event") == "node-gone" else row.account.drop(STRAY)
        self._add(name, since, at)
        return None

    def _add(self, name: str, since: int, until: int) -> None:
        self._outages.append(TraceOutage(node=name, start_ns=since, duration_ns=max(until - since, 0)))

    def items(self, end_ns: int, section: Section) -> Iterator[TraceOutage]:
        for name, since in self._down.items():
            section.noted[STILL_DOWN] += 1
            self._add(name, since, end_ns)
        yield from sorted(self._outages, key=lambda outage: outage.start_ns)


def _recognises(header: str) -> bool:
    return header.lstrip().startswith("{") and FORMAT_NAME in header


FORMAT: Final = Format(
    name="recorded",
    about="what evaluator record wrote",
    recognises=_recognises,
    open=_open,
)
