"""Mistakes in a scenario that contradict nothing: work that no node can hold, deadlines that nobody can meet.

What contradicts itself (a second pod of a name, a class that nothing defines) does not load at all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from evaluator.scenario.manifests import node_labels
from evaluator.scenario.model import Job, Manifest, Node, Pod
from evaluator.scenario.plan import Arrival, LoadedScenario
from evaluator.scenario.units import format_bytes, format_cpu, format_duration, parse_duration

Severity: TypeAlias = Literal["error", "warning"]


class Code(Enum):
    """What can be found, by a code that stays the same."""

    BROKEN = "E001"
    """The scenario does not load: it raises, or contradicts itself."""
    FITS_NOWHERE = "E101"
    """No node of the scenario, however empty, can hold the pod."""
    SELECTS_NOTHING = "E102"
    """No node has the labels that the pod insists on."""
    GANG_FITS_NOWHERE = "E103"
    """All nodes of the scenario together, however empty, cannot hold the gang."""
    LATE_FROM_THE_START = "W201"
    """The deadline comes before the pod could have finished, started at once."""
    AFTER_THE_END = "W202"
    """It would arrive after the end of the run."""

    @property
    def severity(self) -> Severity:
        """Errors are never meant; warnings may be (an overload that is to be studied)."""
        return "error" if self.value.startswith("E") else "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake, at the line that made it; equal ones of one line are counted."""

    code: Code
    where: str
    """``file:line``; empty where an item comes from no line, such as a trace's."""
    text: str
    count: int = 1


def lint(scenario: LoadedScenario) -> list[Finding]:
    """Everything that is found, in the order of the scenario's arrivals."""
    found: dict[tuple[Code, str], Finding] = {}
    cluster = _Cluster(scenario)
    for arrival in scenario.arrivals:
        for code, text in _mistakes(arrival, scenario, cluster):
            before = found.get((code, arrival.where))
            count = 1 if before is None else before.count + 1
            found[code, arrival.where] = Finding(code, arrival.where, before.text if before else text, count)
    return list(found.values())


def _mistakes(arrival: Arrival, scenario: LoadedScenario, cluster: "_Cluster") -> Iterator[tuple[Code, str]]:
    if scenario.until_ns is not None and arrival.at_ns > scenario.until_ns:
        late = format_duration(arrival.at_ns - scenario.until_ns)
        yield Code.AFTER_THE_END, f"{type(arrival.item).__name__} arrives {late} after the end of the run"
    if isinstance(arrival.item, Pod | Job):
        yield from cluster.mistakes(arrival.item)
        yield from _hopeless(arrival.item, arrival.at_ns, scenario.start_ns)


def _hopeless(pod: Pod | Job, at_ns: int, start_ns: int) -> Iterator[tuple[Code, str]]:
    deadline_ns = pod.deadline_ns(at_ns, start_ns)
    if deadline_ns is None or pod.run_ns is None:
        return
    delay_ns = 0 if pod.start_delay is None else int(parse_duration(pod.start_delay))
    stages = -(-pod.needed // pod.pods) if isinstance(pod, Job) else 1
    late_ns = at_ns + (delay_ns + pod.run_ns) * stages - deadline_ns
    if late_ns > 0:
        late = format_duration(late_ns)
        yield (
            Code.LATE_FROM_THE_START,
            f"{_kind(pod)} {pod.key} would be {late} late even if it started at once",
        )


_Shape: TypeAlias = tuple[int, int, int]
"""Chips, thousandths of a core, bytes of memory."""


class _Cluster:
    """The nodes that there will ever be, each seen as empty."""

    def __init__(self, scenario: LoadedScenario) -> None:
        self._nodes: Final = [(_shape(node), node_labels(node)) for node in scenario.nodes()]
        # Nodes may come as manifests, or be made by somebody else's controller: then nothing is known.
        self._known = bool(self._nodes) and not any(
            isinstance(arrival.item, Manifest) and arrival.item.object["kind"] == "Node"
            for arrival in scenario.arrivals
        )
        self._matching: dict[tuple[tuple[str, str], ...], list[_Shape]] = {}

    def mistakes(self, pod: Pod | Job) -> Iterator[tuple[Code, str]]:
        """What keeps a pod, or the pods of a Job, from every node; and a gang from all of them."""
        if not self._known:
            return
        shapes, asked = self._shapes(pod.node_selector), _shape(pod)
        named = f"{_kind(pod)} {pod.key}"
        if not shapes:
            wanted = ", ".join(f"{key}={value}" for key, value in pod.node_selector.items())
            yield Code.SELECTS_NOTHING, f"{named} wants a node with {wanted}, which none has"
        elif not any(all(have >= want for have, want in zip(shape, asked, strict=True)) for shape in shapes):
            yield Code.FITS_NOWHERE, f"{named} asks for {_told(asked)}; the nodes have {_most(shapes)}"
        elif isinstance(pod, Job) and pod.gang:
            room = self._room_for(asked, pod.node_selector)
            if room < pod.pods:
                each = f"{pod.pods} pods of {_told(asked)}"
                yield Code.GANG_FITS_NOWHERE, f"{named} needs {each} at once; the nodes have room for {room}"

    def _room_for(self, asked: "_Shape", selector: Mapping[str, str]) -> int:
        """How many such pods all nodes together hold when they are empty."""
        chosen = [shape for shape, labels in self._nodes if selector.items() <= labels.items()]
        return sum(
            min(have // want for have, want in zip(shape, asked, strict=True) if want) for shape in chosen
        )

    def _shapes(self, selector: Mapping[str, str]) -> list[_Shape]:
        """The distinct shapes of the nodes with these labels."""
        key = tuple(selector.items())
        if key not in self._matching:
            chosen = {shape for shape, labels in self._nodes if selector.items() <= labels.items()}
            self._matching[key] = sorted(chosen)
        return self._matching[key]


def _kind(work: Pod | Job) -> str:
    return "job" if isinstance(work, Job) else "pod"


def _shape(item: Node | Pod | Job) -> _Shape:
    return item.chips, item.cpu_milli, item.memory_bytes


def _told(shape: _Shape) -> str:
    chips, cpu_milli, memory = shape
    return f"{chips} chips, {format_cpu(cpu_milli)} cores, {format_bytes(memory)}"


def _most(shapes: list[_Shape]) -> str:
    return f"at most {_told(max(shapes))}" if len(shapes) == 1 else " or ".join(map(_told, shapes[-3:]))
