"""From state to state: what a kubelet does about one pod, as a table of transitions.

What is heard of (a deletion, a changed annotation) only plans anew; what falls due writes,
and its write comes last, since other listeners of the store answer to it at once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from fakeapi.cluster import podstatus
from fakeapi.cluster.addresses import PodAddresses, host_address
from fakeapi.cluster.holdings import Holdings
from fakeapi.cluster.podconditions import Json
from fakeapi.cluster.podrecord import IllegalTransition, PodRecord, Signal, State
from fakeapi.cluster.podstatus import Addresses, Runs, has_ended
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import SECOND, Instant, format_instant, parse_instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Object
from fakeapi.storage.store import Store

_PODS: Final = PODS.storage_key
_NODES: Final = NODES.storage_key

Transition: TypeAlias = "Callable[[Lifecycle, PodRecord, Instant], None]"


class Lifecycle:
    """Moves pods through their states: writes to the store, plans in the queue, releases nodes."""

    def __init__(self, store: Store, queue: EventQueue, holdings: Holdings) -> None:
        self._store = store
        self._queue = queue
        self._holdings = holdings
        self._addresses = PodAddresses()

    def signal(self, record: PodRecord, signal: Signal, at: Instant) -> None:
        """Let something happen to a pod.

        Raises:
            IllegalTransition: it cannot happen to a pod in that state.
        """
        transition = _TRANSITIONS.get((record.state, signal))
        record.remember(at, signal)
        if transition is None:
            raise IllegalTransition(record.story())
        transition(self, record, at)

    def _enter(self, record: PodRecord, state: State, at: Instant) -> None:
        """Change the state and plan what comes next, not before ``at``."""
        if record.event is not None:
            record.event.cancel()
            record.event = None
        record.state = state
        due = record.due = record.next_due()
        if due is not None:
            when = max(due.at, at)
            action = partial(self.signal, record, due.signal, when)
            record.event = self._queue.schedule(when, due.rank, action, due.signal.name)

    # ---- what is heard of ----

    def _replan(self, record: PodRecord, at: Instant) -> None:
        self._enter(record, record.state, at)

    def _take(self, record: PodRecord, at: Instant) -> None:
        self._enter(record, State.STARTING, at)

    def _leave(self, record: PodRecord, at: Instant) -> None:
        self._enter(record, State.LEAVING, at)

    def _ask_to_stop(self, record: PodRecord, at: Instant) -> None:
        record.stop_asked = at
        record.kill_at = at + (record.grace_s or 0) * SECOND
        self._enter(record, State.STOPPING, at)

    def _hurry(self, record: PodRecord, at: Instant) -> None:
        assert record.kill_at is not None
        record.kill_at = min(record.kill_at, at + (record.grace_s or 0) * SECOND)
        self._enter(record, State.STOPPING, at)

    def _accept_end(self, record: PodRecord, at: Instant) -> None:
        self._holdings.release(record.node, record.key)
        self._enter(record, State.ENDED, at)

    def _accept_end_and_leave(self, record: PodRecord, at: Instant) -> None:
        self._holdings.release(record.node, record.key)
        self._enter(record, State.LEAVING, at)

    def _forget(self, record: PodRecord, at: Instant) -> None:
        self._holdings.release(record.node, record.key)
        self._enter(record, State.ENDED, at)

    def _ignore(self, record: PodRecord, at: Instant) -> None:
        """Nothing follows from this signal in this state."""

    # ---- what falls due ----

    def _acknowledge(self, record: PodRecord, at: Instant) -> None:
        record.acknowledged = True
        self._enter(record, State.STARTING, at)
        pod = self._object(record)
        self._write(record, podstatus.creating(pod, at, self._host_address(record)))

    def _start(self, record: PodRecord, at: Instant) -> None:
        if self._store.find(_NODES, ("", record.node)) is None:
            self._enter(record, State.STRANDED, at)
            return
        record.runs = Runs.begin(at)
        self._enter(record, State.RUNNING, at)
        pod, host = self._object(record), self._host_address(record)
        own = host if pod["spec"].get("hostNetwork") else self._addresses.next()
        self._write(record, podstatus.running(pod, at, record.runs, Addresses(host, own)))

    def _finish_run(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        exit_code = record.life.exit_code
        record.runs = record.runs.end(at, exit_code)
        if not record.restarts_after(exit_code):
            self._end(record, at)
        elif record.fell(at):
            self._enter(record, State.BACKING_OFF, at)
            pod = self._object(record)
            self._write(record, podstatus.backing_off(pod, at, record.runs, record.back_off))
        else:
            self._restart(record, at)

    def _resume(self, record: PodRecord, at: Instant) -> None:
        record.lengthen_back_off()
        self._restart(record, at)

    def _restart(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        record.runs = record.runs.again(at)
        self._enter(record, State.RUNNING, at)
        self._write(record, podstatus.running(self._object(record), at, record.runs, None))

    def _end(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        self._holdings.release(record.node, record.key)
        self._enter(record, State.ENDED, at)
        self._write(record, podstatus.ended(self._object(record), at, record.runs))

    def _stop(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        assert record.due is not None
        record.runs = record.runs.end(at, record.due.exit_code)
        self._remove(record, at)

    def _remove(self, record: PodRecord, at: Instant) -> None:
        self._holdings.release(record.node, record.key)
        self._enter(record, State.ENDED, at)
        record.grace_s = 0
        pod = last = self._object(record)
        held = bool(pod["metadata"].get("finalizers"))
        if not has_ended(pod):
            if record.runs is not None:
                last = {**pod, "status": podstatus.ended(pod, at, record.runs)}
            elif held:
                last = {**pod, "status": podstatus.never_started(pod, at)}
        if held:
            last = _without_grace(last)
        if last is not pod:
            self._store.update(_PODS, record.key, last)
        if not held and self._is_there(record):  # a listener may have removed it at the update
            self._store.delete(_PODS, record.key)

    # ---- the store ----

    def _object(self, record: PodRecord) -> Object:
        return self._store.get(_PODS, record.key).object

    def _write(self, record: PodRecord, status: Json) -> None:
        self._store.update(_PODS, record.key, {**self._object(record), "status": status})

    def _host_address(self, record: PodRecord) -> str | None:
        node = self._store.find(_NODES, ("", record.node))
        return None if node is None else host_address(node.object)

    def _is_there(self, record: PodRecord) -> bool:
        version = self._store.find(_PODS, record.key)
        return version is not None and bool(version.object["metadata"]["uid"] == record.uid)


def _without_grace(pod: Object) -> Object:
    """The pod as the real server leaves it when its kubelet is done and finalizers hold it.

    It is removed with the last of its finalizers, since no grace is left.
    """
    metadata = pod["metadata"]
    grace_s = metadata.get("deletionGracePeriodSeconds") or 0
    if not grace_s:
        return pod
    asked = parse_instant(metadata["deletionTimestamp"]) - grace_s * SECOND
    ending = {"deletionTimestamp": format_instant(asked), "deletionGracePeriodSeconds": 0}
    return {**pod, "metadata": {**metadata, **ending}}


_TRANSITIONS: Final[Mapping[tuple[State, Signal], Transition]] = {
    (State.STRANDED, Signal.NODE_CAME): Lifecycle._take,
    (State.STRANDED, Signal.DELETION_ASKED): Lifecycle._leave,
    (State.STRANDED, Signal.LIFE_CHANGED): Lifecycle._ignore,
    (State.STRANDED, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end,
    (State.STRANDED, Signal.REMOVED): Lifecycle._forget,
    (State.STARTING, Signal.CREATING_DUE): Lifecycle._acknowledge,
    (State.STARTING, Signal.START_DUE): Lifecycle._start,
    (State.STARTING, Signal.DELETION_ASKED): Lifecycle._leave,
    (State.STARTING, Signal.LIFE_CHANGED): Lifecycle._replan,
    (State.STARTING, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end,
    (State.STARTING, Signal.REMOVED): Lifecycle._forget,
    (State.RUNNING, Signal.RUN_OVER): Lifecycle._finish_run,
    (State.RUNNING, Signal.DELETION_ASKED): Lifecycle._ask_to_stop,
    (State.RUNNING, Signal.LIFE_CHANGED): Lifecycle._replan,
    (State.RUNNING, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end,
    (State.RUNNING, Signal.REMOVED): Lifecycle._forget,
    (State.BACKING_OFF, Signal.BACK_OFF_OVER): Lifecycle._resume,
    (State.BACKING_OFF, Signal.DELETION_ASKED): Lifecycle._leave,
    (State.BACKING_OFF, Signal.LIFE_CHANGED): Lifecycle._ignore,
    (State.BACKING_OFF, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end,
    (State.BACKING_OFF, Signal.REMOVED): Lifecycle._forget,
    (State.STOPPING, Signal.STOP_DUE): Lifecycle._stop,
    (State.STOPPING, Signal.DELETION_ASKED): Lifecycle._hurry,
    (State.STOPPING, Signal.LIFE_CHANGED): Lifecycle._replan,
    (State.STOPPING, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end_and_leave,
    (State.STOPPING, Signal.REMOVED): Lifecycle._forget,
    (State.LEAVING, Signal.REMOVAL_DUE): Lifecycle._remove,
    (State.LEAVING, Signal.DELETION_ASKED): Lifecycle._ignore,
    (State.LEAVING, Signal.LIFE_CHANGED): Lifecycle._ignore,
    (State.LEAVING, Signal.ENDED_ELSEWHERE): Lifecycle._accept_end_and_leave,
    (State.LEAVING, Signal.REMOVED): Lifecycle._forget,
    (State.ENDED, Signal.DELETION_ASKED): Lifecycle._leave,
    (State.ENDED, Signal.LIFE_CHANGED): Lifecycle._ignore,
    (State.ENDED, Signal.REMOVED): Lifecycle._forget,
}
"""What follows from a signal in a state. A pair that is not here is a bug, and raises."""
