"""The decision core: what happened goes in, what to do comes out.

Nothing here does I/O, waits, or reads a clock, and nothing depends on the order in which a set or the network
delivers: the same happenings at the same instants make the same actions.

A change that may help a pending pod makes the core ask for one gathering window; at its end a *round* decides
over everything known by then. After a round every pending pod has its answer: a binding, or the reason why it
waits. Other changes (the echo of our own writes, heartbeats, room that helps nobody) cause nothing.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scheduler import explain
from scheduler.cluster import Cluster
from scheduler.fit import fits
from scheduler.messages import (
    Action,
    Announce,
    BackOff,
    BackOffOver,
    Bind,
    BindDone,
    BindRefused,
    Gather,
    Happening,
    MarkUnschedulable,
    NodeGone,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    WindowOver,
)
from scheduler.model import Node, PodRef, Task
from scheduler.pending import DemandClass, Queue, Waiting
from scheduler.placement import BEST_FIT, Packing
from scheduler.policy import Policy, Rank
from scheduler.room import Room
from scheduler.timetext import SECOND

FIRST_PAUSE = 1 * SECOND
LONGEST_PAUSE = 10 * SECOND
"""After a refused binding a pod pauses, twice as long each time: as kube-scheduler, from 1 to 10 s."""

GRAIN = SECOND
"""Slack is taken at whole seconds. Creation times, to which deadlines refer, are no finer; and a decision
must not hang on how many milliseconds it took to learn of a change."""


class Core:
    """Everything that the scheduler knows, and what follows from it."""

    def __init__(self, policy: Policy, chip_kinds: tuple[str, ...], packing: Packing = BEST_FIT) -> None:
        self._cluster = Cluster(chip_kinds, packing)
        self._queue = Queue(policy)
        self._tasks: dict[str, Task] = {}
        self._assumed: dict[str, str] = {}
        """Pods that we placed, by uid, with their node, until the API shows them there."""
        self._pausing: set[str] = set()
        self._refusals: dict[str, int] = {}
        self._unlisted = {PodsListed, NodesListed}
        self._gained: set[str] = set()
        """Nodes on which some stuck class may fit now."""
        self._due = False
        """Something changed that may help a pending pod."""
        self._gathering = False
        self._now = 0
        """The instant of the last happening, to the grain."""
        self._on: dict[type, Callable[[Any], Iterable[Action]]] = {
            PodsListed: self._pods_listed,
            NodesListed: self._nodes_listed,
            PodSeen: lambda event: self._pod_seen(event.task),
            PodGone: lambda event: self._pod_gone(event.uid),
            NodeSeen: lambda event: self._node_seen(event.node),
            NodeGone: lambda event: self._node_gone(event.name),
            BindDone: self._bind_done,
            BindRefused: self._bind_refused,
            BackOffOver: lambda event: self._back_off_over(event.uid),
        }

    def handle(self, event: Happening, now: int) -> list[Action]:
        """Take note of what happened at the instant ``now``. Returns what to do, in this order."""
        self._now = now // GRAIN * GRAIN
        if isinstance(event, WindowOver):
            return self._round()
        actions = [*self._on[type(event)](event)]
        if self._due and not self._gathering and not self._unlisted and len(self._queue):
            self._gathering = True
            actions.append(Gather())
        return actions

    # Pods -----------------------------------------------------------------------------------------

    def _pods_listed(self, event: PodsListed) -> Iterator[Action]:
        self._unlisted.discard(PodsListed)
        listed = {task.ref.uid for task in event.tasks}
        for uid in [uid for uid in self._tasks if uid not in listed]:
            yield from self._pod_gone(uid)
        for task in event.tasks:
            yield from self._pod_seen(task)

    def _pod_seen(self, task: Task) -> Iterator[Action]:
        uid = task.ref.uid
        old = self._tasks.get(uid)
        if old == task:
            return
        self._tasks[uid] = task
        if task.node:
            self._assumed.pop(uid, None)  # the API's word outranks our guess
            self._settle(uid)
        place = task.node or self._assumed.get(uid, "")
        if place:
            self._queue.drop(uid)
            self._gain(self._cluster.put(uid, place, task.demand))
        else:
            self._gain(self._cluster.release(uid))
            yield from self._waits(task, old)

    def _waits(self, task: Task, old: Task | None) -> Iterator[Action]:
        known = old.notices if old is not None else ()
        for notice in task.notices:
            if notice not in known:
                yield Announce(task.ref, "Warning", notice.reason, "Scheduling", notice.note)
        if task.ref.uid not in self._pausing and self._queue.put(task):
            self._due = True

    def _pod_gone(self, uid: str) -> Iterable[Action]:
        self._tasks.pop(uid, None)
        self._assumed.pop(uid, None)
        self._settle(uid)
        self._queue.drop(uid)
        self._gain(self._cluster.release(uid))
        return ()

    def _settle(self, uid: str) -> None:
        self._refusals.pop(uid, None)
        self._pausing.discard(uid)

    # Nodes ----------------------------------------------------------------------------------------

    def _nodes_listed(self, event: NodesListed) -> Iterator[Action]:
        self._unlisted.discard(NodesListed)
        listed = {node.name for node in event.nodes}
        for name in [name for name in self._cluster.rooms if name not in listed]:
            yield from self._node_gone(name)
        for node in event.nodes:
            yield from self._node_seen(node)

    def _node_seen(self, node: Node) -> Iterable[Action]:
        self._gain(self._cluster.set_node(node))
        return ()

    def _node_gone(self, name: str) -> Iterable[Action]:
        self._cluster.drop_node(name)
        self._gained.discard(name)
        return ()

    def _gain(self, room: Room | None) -> None:
        """Look whether a room that changed can now hold a pod that was stuck."""
        if room is None or room.node.name in self._gained:
            return
        if self._fits_a_stuck_class(room):
            self._gained.add(room.node.name)
            self._due = True

    def _fits_a_stuck_class(self, room: Room) -> bool:
        return any(fits(group.demand, room) for group in self._queue.stuck)

    # Our own writes -------------------------------------------------------------------------------

    def _bind_done(self, event: BindDone) -> Iterator[Action]:
        self._settle(event.ref.uid)
        task = self._tasks.get(event.ref.uid)
        if task is not None:
            note = explain.assigned(task, event.node, self._now)
            yield Announce(event.ref, "Normal", "Scheduled", "Binding", note)

    def _bind_refused(self, event: BindRefused) -> Iterator[Action]:
        uid = event.ref.uid
        if self._assumed.get(uid) != event.node:
            return  # gone, or seen bound meanwhile: the API has had the last word
        del self._assumed[uid]
        refusals = self._refusals.get(uid, 0)
        self._refusals[uid] = refusals + 1
        self._pausing.add(uid)
        self._gain(self._cluster.release(uid))
        note = explain.refused(event.node, event.why)
        yield Announce(event.ref, "Warning", "FailedScheduling", "Binding", note)
        yield BackOff(uid, min(FIRST_PAUSE << refusals, LONGEST_PAUSE))

    def _back_off_over(self, uid: str) -> Iterable[Action]:
        if uid in self._pausing:
            self._pausing.discard(uid)
            self._due = self._queue.put(self._tasks[uid]) or self._due
        return ()

    # Rounds ---------------------------------------------------------------------------------------

    def _round(self) -> list[Action]:
        self._gathering = False
        self._due = False
        self._queue.turn(self._now)
        self._reopen_what_gained()
        tried, bindings = self._place()
        return [*bindings, *self._answers(tried)]

    def _reopen_what_gained(self) -> None:
        rooms = [self._cluster.rooms[name] for name in sorted(self._gained)]
        self._gained.clear()
        for group in [
            group for group in self._queue.stuck if any(fits(group.demand, room) for room in rooms)
        ]:
            self._queue.reopen(group)

    def _place(self) -> tuple[list[DemandClass], list[Action]]:
        """Place pods, least rank first, until none fits. Returns the classes left over and the bindings."""
        stuck: list[DemandClass] = []
        bindings: list[Action] = []
        heads: list[tuple[Rank, str, DemandClass]] = [(*group.head(), group) for group in self._queue.open]
        heapq.heapify(heads)
        while heads:
            _, uid, group = heads[0]
            room = self._cluster.best(group.demand)
            if room is None:
                heapq.heappop(heads)
                self._queue.give_up(group)
                stuck.append(group)
                continue
            bindings.append(self._assume(self._tasks[uid].ref, group, room))
            if group:
                heapq.heapreplace(heads, (*group.head(), group))
            else:
                heapq.heappop(heads)
        return stuck, bindings

    def _assume(self, ref: PodRef, group: DemandClass, room: Room) -> Bind:
        node = room.node.name
        self._queue.drop(ref.uid)
        self._cluster.put(ref.uid, node, group.demand)
        self._assumed[ref.uid] = node
        return Bind(ref, node)

    def _answers(self, tried: list[DemandClass]) -> list[Action]:
        """The reasons for the pods that wait without one, or with one that no longer holds."""
        asking = {waiting.task.ref.uid: waiting for waiting in self._queue.take_unanswered()}
        for group in [*tried, *(self._queue.class_of(waiting) for waiting in asking.values())]:
            if self._explain(group):
                asking.update((uid, self._queue[uid]) for uid in group.uids())
        marks: list[Action] = []
        notes: list[Action] = []
        for waiting in sorted(asking.values(), key=lambda waiting: waiting.rank):
            message = self._queue.class_of(waiting).message
            assert message is not None
            if waiting.message != message:
                marks.append(self._mark(waiting, message))
                notes.append(Announce(waiting.task.ref, "Warning", "FailedScheduling", "Scheduling", message))
        return [*marks, *notes]

    def _mark(self, waiting: Waiting, message: str) -> MarkUnschedulable:
        first = waiting.message is None
        waiting.message = message
        return MarkUnschedulable(waiting.task.ref, message, first)

    def _explain(self, group: DemandClass) -> bool:
        """Bring the class's message up to date with the nodes there are. Returns whether it changed.

        Pods that come and go alone do not refresh it: under load that would rewrite the condition of every
        waiting pod whenever one finishes, for counts that are out of date a moment later.
        """
        shape = self._cluster.shape
        if group.shape == shape:
            return False
        group.shape = shape
        before, group.message = group.message, explain.why_nowhere(group.demand, self._cluster.rooms.values())
        return group.message != before

    def validate(self) -> None:
        """Check every invariant of the state: an ``AssertionError`` is a bug in this program."""
        self._cluster.validate()
        self._queue.validate()
        for uid, task in self._tasks.items():
            place = task.node or self._assumed.get(uid, "")
            assert self._cluster.place_of(uid) == place, f"{task.ref} holds room at the wrong place"
            waits = not place and uid not in self._pausing
            assert (uid in self._queue) == waits, (
                f"{task.ref} waits though it should not, or does not though it should"
            )
        assert self._assumed.keys() | self._pausing | self._refusals.keys() <= self._tasks.keys(), (
            "a gone pod is kept"
        )
        assert not any(self._tasks[uid].node for uid in self._assumed), "a bound pod is still assumed"
        for name, room in self._cluster.rooms.items():
            assert name in self._gained or not self._fits_a_stuck_class(room), (
                f"{name} could hold a pod held for stuck"
            )
        ready = not self._unlisted and len(self._queue) > 0
        assert self._gathering or not (self._due and ready), "a decision is due and nobody will make it"
