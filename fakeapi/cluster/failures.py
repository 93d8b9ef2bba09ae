"""Failures over time: drawn from a model with the world's seed, or played from a record.

One event at a time is planned ahead, never a calendar. All of them are background
(:mod:`fakeapi.kernel.events`): that something will fail some day is no reason for a run to go on.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from fakeapi.cluster.failuremodel import Draws, FailureModel
from fakeapi.cluster.machines import Machines
from fakeapi.cluster.roster import Roster
from fakeapi.kernel.chance import Chance
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import Event, EventQueue, Rank
from fakeapi.kernel.time import Duration, Instant
from fakeapi.storage.store import Store


@dataclass(frozen=True, slots=True)
class Outage:
    """Something that is out of order from one instant to another."""

    at: Instant
    node: str
    duration: Duration
    chips: int = 0
    """How many chips are; 0: the whole node is."""
    group: str | None = None
    """Outages of one common cause share it."""


class Failures:
    """Lets machines fail and be repaired."""

    def __init__(
        self, machines: Machines, store: Store, queue: EventQueue, clock: Clock, chance: Chance
    ) -> None:
        self._machines = machines
        self._queue = queue
        self._clock = clock
        self._chance = chance
        self._store = store
        self._down: dict[str, int] = {}
        """Node → outages of the whole node that go on: it is up again after the last of them."""

    def draw(self, model: FailureModel, *, until: Instant | None = None) -> None:
        """Draw failures from now on, until an instant if one is given; nodes that join later fail too."""
        roster = Roster(self._store, model.topology)
        roster.attach()
        draws = Draws(model, self._chance)
        _Drawing(self, self._machines, roster, draws, self._queue, self._clock, until).begin()

    def play(self, outages: Iterable[Outage]) -> None:
        """Play outages from a record, in the order of their instants; unknown nodes are passed over.

        Raises:
            ValueError: later, if one lies before the one ahead of it.
        """
        self._play_next(iter(outages))

    def _play_next(self, outages: Iterator[Outage]) -> None:
        outage = next(outages, None)
        if outage is not None:
            if outage.at < self._clock.now():
                raise ValueError(f"outages must stand in the order of time: {outage}")
            self._queue.schedule(
                outage.at, Rank.FAILURE, partial(self._play, outage, outages), "outage", background=True
            )

    def _play(self, outage: Outage, rest: Iterator[Outage]) -> None:
        self.happen(outage)
        self._play_next(rest)

    def happen(self, outage: Outage, repaired: Callable[[], None] | None = None) -> bool:
        """Let an outage begin now, and plan its end; whether anything failed.

        Args:
            outage: what fails.
            repaired: called when it works again.
        """
        node = outage.node
        if not self._machines.exists(node):
            return False
        if outage.chips:
            failed = self._machines.fail_chips(node, outage.chips, group=outage.group)
            if not failed:
                return False
            end = partial(self._repair_chips, node, failed, repaired)
        else:
            self._down[node] = self._down.get(node, 0) + 1
            self._machines.crash(node, group=outage.group)
            end = partial(self._recover, node, repaired)
        at = self._clock.now() + outage.duration
        self._queue.schedule(at, Rank.REPAIR, end, "repair", background=True)
        return True

    def _repair_chips(self, node: str, chips: tuple[int, ...], repaired: Callable[[], None] | None) -> None:
        if self._machines.exists(node):
            self._machines.repair_chips(node, chips)
            if repaired is not None:
                repaired()

    def _recover(self, node: str, repaired: Callable[[], None] | None) -> None:
        self._down[node] -= 1
        if self._down[node]:
            return
        del self._down[node]
        if self._machines.exists(node):
            self._machines.recover(node)
            if repaired is not None:
                repaired()


class _Drawing:
    """A model at work: a stream of causes whose rate follows the number of nodes."""

    def __init__(
        self,
        failures: Failures,
        machines: Machines,
        roster: Roster,
        draws: Draws,
        queue: EventQueue,
        clock: Clock,
        until: Instant | None,
    ) -> None:
        self._failures = failures
        self._machines = machines
        self._roster = roster
        self._draws = draws
        self._queue = queue
        self._clock = clock
        self._until = until
        self._numbers = count(1)
        self._hazard = 0.0
        """What has to gather until the next cause."""
        self._counted: tuple[Instant, int] = (clock.now(), 0)
        """Since when it gathers, over how many nodes."""
        self._event: Event | None = None
        self._resized = False

    def begin(self) -> None:
        self._hazard = self._draws.hazard()
        self._roster.on_change = self._note_resize
        self._plan()

    def _note_resize(self) -> None:
        """The number of nodes changed: the plan is made anew once in this instant."""
        if not self._resized:
            self._resized = True
            self._queue.schedule(
                self._clock.now(), Rank.CONTROLLER, self._replan, "failure rate", background=True
            )

    def _replan(self) -> None:
        self._resized = False
        self._gather()
        self._plan()

    def _gather(self) -> None:
        since, nodes = self._counted
        self._hazard -= (self._clock.now() - since) * nodes * self._draws.model.causes_per_node_ns

    def _plan(self) -> None:
        if self._event is not None:
            self._event.cancel()
            self._event = None
        now, nodes = self._clock.now(), len(self._roster)
        self._counted = (now, nodes)
        if not nodes:
            return
        at = now + max(1, int(max(0.0, self._hazard) / (nodes * self._draws.model.causes_per_node_ns)))
        if self._until is None or at <= self._until:
            self._event = self._queue.schedule(at, Rank.FAILURE, self._strike, "failure", background=True)

    def _strike(self) -> None:
        """A cause: one node, or several together."""
        self._event = None
        size = self._draws.together()
        nodes = self._roster.pick(size, self._draws.index)
        group = f"failure-{next(self._numbers)}" if len(nodes) > 1 else None
        chips = self._draws.chips() if size == 1 and self._draws.takes_chips() else 0
        duration = self._draws.repair()
        for node in nodes:
            self._fail(node, min(chips, self._machines.chips(node)), duration, group)
        self._hazard = self._draws.hazard()
        self._plan()

    def _fail(self, node: str, chips: int, duration: Duration, group: str | None = None) -> None:
        outage = Outage(self._clock.now(), node, duration, chips, group)
        self._failures.happen(outage, partial(self._note_repair, node, chips))

    def _note_repair(self, node: str, chips: int) -> None:
        """It was repaired: the fault may come back."""
        after = self._draws.again()
        if after is None:
            return
        at = self._clock.now() + after
        if self._until is None or at <= self._until:
            action = partial(self._come_back, node, chips)
            self._queue.schedule(at, Rank.FAILURE, action, "failure again", background=True)

    def _come_back(self, node: str, chips: int) -> None:
        self._fail(node, chips, self._draws.repair())
