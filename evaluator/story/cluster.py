"""The cluster as it was at any event of a timeline: what is free on each node, who waits, who runs where.

Room is judged by chips, CPU, memory, chip type, readiness and cordon, which is what a timeline knows. What
else may keep a pod from a node (affinity, taints, volumes, a limit on pods) is not in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluator.timeline import (
    Event,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodBound,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    refuse,
)


@dataclass(frozen=True, slots=True)
class Wants:
    """What one pod asks of a node."""

    chips: int
    cpu_milli: int
    memory_bytes: int
    chip_type: str | None = None

    @classmethod
    def of(cls, pod: PodSubmitted) -> "Wants":
        """The request of a pod."""
        return cls(pod.chips, pod.cpu_milli, pod.memory_bytes, pod.chip_type)


@dataclass(slots=True)
class Stay:
    """A pod from its submission to its end."""

    submitted: PodSubmitted
    node: str | None = None
    bound_ns: int | None = None
    started_ns: int | None = None
    restored_ns: int = 0
    message: str = ""
    """The last one that said why there was no place for it."""

    @property
    def pod(self) -> str:
        """Its name, ``namespace/name``."""
        return self.submitted.pod

    @property
    def job(self) -> str:
        """The job that it belongs to; a pod without one is a job itself."""
        return self.submitted.job or self.submitted.pod

    @property
    def wants(self) -> Wants:
        """What it asks of a node."""
        return Wants.of(self.submitted)

    def slack_ns(self, at_ns: int) -> int | None:
        """Deadline − now − expected work that is left; none without a deadline or a duration."""
        expected = self.submitted.expected_ns if self.submitted.run_ns is None else self.submitted.run_ns
        if self.submitted.deadline_ns is None or expected is None:
            return None
        done = 0 if self.started_ns is None else at_ns - self.started_ns + self.restored_ns
        return self.submitted.deadline_ns - at_ns - max(0, expected - done)


@dataclass(slots=True)
class Machine:
    """A node: what it offers, and which pods hold it."""

    name: str
    chip_type: str | None
    chips: int
    cpu_milli: int
    memory_bytes: int
    ready: bool = True
    schedulable: bool = True
    held_chips: int = 0
    held_cpu_milli: int = 0
    held_memory_bytes: int = 0
    pods: dict[str, Stay] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Whether a scheduler may put something here."""
        return self.ready and self.schedulable

    @property
    def free_chips(self) -> int:
        """Chips that are usable and that nobody holds."""
        return max(0, self.chips - self.held_chips) if self.usable else 0

    def fits(self, wants: Wants) -> int:
        """How many pods like this have room here at once."""
        if not self.usable or (wants.chip_type is not None and wants.chip_type != self.chip_type):
            return 0
        return _times(
            (self.chips - self.held_chips, wants.chips),
            (self.cpu_milli - self.held_cpu_milli, wants.cpu_milli),
            (self.memory_bytes - self.held_memory_bytes, wants.memory_bytes),
        )

    def could_ever_fit(self, wants: Wants) -> bool:
        """Whether such a pod has room here while nothing else runs."""
        typed = wants.chip_type is None or wants.chip_type == self.chip_type
        return (
            typed
            and wants.chips <= self.chips
            and wants.cpu_milli <= self.cpu_milli
            and wants.memory_bytes <= self.memory_bytes
        )

    def take(self, stay: Stay, sign: int) -> None:
        """Let a pod hold its request, or give it back (``sign`` −1)."""
        wants = stay.wants
        self.held_chips += sign * wants.chips
        self.held_cpu_milli += sign * wants.cpu_milli
        self.held_memory_bytes += sign * wants.memory_bytes
        if sign > 0:
            self.pods[stay.pod] = stay
        else:
            self.pods.pop(stay.pod, None)


UNBOUNDED = 1_000_000
"""Pods that ask for nothing have room so many times: more than any gang has members."""


def _times(*free_and_asked: tuple[int, int]) -> int:
    found = UNBOUNDED
    for free, asked in free_and_asked:
        if asked:
            found = min(found, free // asked)
    return max(0, found)


@dataclass(slots=True)
class Cluster:
    """The state after the events applied so far."""

    machines: dict[str, Machine] = field(default_factory=dict)
    stays: dict[str, Stay] = field(default_factory=dict)
    """Pods that have not ended, by name."""
    waiting: dict[str, Stay] = field(default_factory=dict)
    """Those of them without a node, in the order of submission."""
    nominated: dict[str, str] = field(default_factory=dict)
    """Waiting pod → the node on which room is made for it."""
    at_ns: int = 0
    free_chips: int = 0
    """Of all nodes that may be used."""

    def apply(self, event: Event) -> Machine | None:
        """Take one event in.

        Returns:
            The node on which more or less is free after it, if any.

        Raises:
            FileFormatError: the event cannot follow those before it.
        """
        self.at_ns = event.at_ns
        match event:
            case PodSubmitted():
                self.stays[event.pod] = self.waiting[event.pod] = Stay(event)
            case PodBound():
                return self._bind(event)
            case PodStarted():
                stay = self._stay(event)
                stay.started_ns, stay.restored_ns = event.at_ns, event.restored_ns
            case PodUnschedulable():
                self._stay(event).message = event.message
            case PodNominated():
                self.nominated[event.pod] = event.node
            case PodEnded():
                return self._end(event)
            case NodeAdded() | NodeChanged() | NodeRemoved():
                return self._change(event)
            case _:
                pass
        return None

    def nominated_to(self, node: str) -> list[str]:
        """Waiting pods for which room is made on a node."""
        return [pod for pod, chosen in self.nominated.items() if chosen == node]

    def with_room(self, wants: Wants) -> Iterator[Machine]:
        """Nodes on which such a pod has room."""
        return (machine for machine in self.machines.values() if machine.fits(wants))

    def _stay(self, event: PodBound | PodStarted | PodUnschedulable | PodEnded) -> Stay:
        stay = self.stays.get(event.pod)
        if stay is None:
            refuse(event, f"{event.kind} of pod {event.pod}, which is not in the cluster")
        return stay

    def _bind(self, event: PodBound) -> Machine:
        stay = self._stay(event)
        machine = self._machine(event, event.node)
        stay.node, stay.bound_ns = event.node, event.at_ns
        self.waiting.pop(event.pod, None)
        self.nominated.pop(event.pod, None)
        self.free_chips -= machine.free_chips
        machine.take(stay, +1)
        self.free_chips += machine.free_chips
        return machine

    def _end(self, event: PodEnded) -> Machine | None:
        stay = self._stay(event)
        del self.stays[event.pod]
        self.waiting.pop(event.pod, None)
        self.nominated.pop(event.pod, None)
        machine = self.machines.get(stay.node or "")
        if machine is None or event.pod not in machine.pods:  # its node left, or came back as a new one
            return None
        self.free_chips -= machine.free_chips
        machine.take(stay, -1)
        self.free_chips += machine.free_chips
        return machine

    def _machine(self, event: Event, name: str) -> Machine:
        machine = self.machines.get(name)
        if machine is None:
            refuse(event, f"{event.kind} at node {name}, which is not in the cluster")
        return machine

    def _change(self, event: NodeAdded | NodeChanged | NodeRemoved) -> Machine:
        if isinstance(event, NodeAdded):
            machine = self.machines[event.node] = Machine(event.node, event.chip_type, 0, 0, 0)
        else:
            machine = self._machine(event, event.node)
        self.free_chips -= machine.free_chips
        if isinstance(event, NodeRemoved):
            machine.ready = False
            del self.machines[event.node]
            return machine
        machine.chips, machine.cpu_milli = event.chips, event.cpu_milli
        machine.memory_bytes = event.memory_bytes
        if isinstance(event, NodeChanged):
            machine.ready, machine.schedulable = event.ready, event.schedulable
        self.free_chips += machine.free_chips
        return machine
