"""From state to state: what a kubelet does about one pod, as a table of transitions.

What is heard of (a deletion, a changed annotation) only plans anew; what falls due writes,
and its write comes last, since other listeners of the store answer to it at once.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

from fakeapi.cluster.books import Books
from fakeapi.cluster.gangs import Gangs
from fakeapi.cluster.holdings import Holdings
from fakeapi.cluster.ledger import Ledger
from fakeapi.cluster.pieces import Pieces
from fakeapi.cluster.podrecord import IllegalTransition, PodRecord, Signal, State
from fakeapi.cluster.podstatus import Runs
from fakeapi.cluster.podwriter import PodWriter
from fakeapi.cluster.work import Ending
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import SECOND, Instant
from fakeapi.storage.objects import Key

BROKEN_EXIT: Final = 1
"""What a program exits with when its next call to a chip fails, or its next collective operation."""
REBOOTED_EXIT: Final = 255
"""What containerd reports of containers that it cannot find after a reboot; the reason is ``Unknown``."""

Transition: TypeAlias = "Callable[[Lifecycle, PodRecord, Instant], None]"


class Lifecycle:
    """Moves pods through their states: has their status written, plans in the queue, releases nodes."""

    def __init__(self, writer: PodWriter, queue: EventQueue, holdings: Holdings, books: Books) -> None:
        self._writer = writer
        self._queue = queue
        self._holdings = holdings
        self._books = books
        self.ledger: Final = Ledger(Pieces(), Gangs(self._replan, self._lose_peer))

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

    def _change_life(self, record: PodRecord, at: Instant) -> None:
        self.ledger.change(record, at)
        self._enter(record, record.state, at)

    def _take(self, record: PodRecord, at: Instant) -> None:
        self._enter(record, State.STARTING, at)

    def _leave(self, record: PodRecord, at: Instant) -> None:
        self._enter(record, State.LEAVING, at)

    def _ask_to_stop(self, record: PodRecord, at: Instant) -> None:
        record.stop_asked = at
        record.kill_at = at + (record.grace_s or 0) * SECOND
        self.ledger.ask_to_stop(record, at)
        self._enter(record, State.STOPPING, at)

    def _hurry(self, record: PodRecord, at: Instant) -> None:
        assert record.kill_at is not None
        record.kill_at = min(record.kill_at, at + (record.grace_s or 0) * SECOND)
        self._enter(record, State.STOPPING, at)

    def _accept_end(self, record: PodRecord, at: Instant) -> None:
        self._release(record, at)
        self._enter(record, State.ENDED, at)

    def _accept_end_and_leave(self, record: PodRecord, at: Instant) -> None:
        self._release(record, at)
        self._enter(record, State.LEAVING, at)

    def _ignore(self, record: PodRecord, at: Instant) -> None:
        """Nothing follows from this signal in this state."""

    def _lose(self, record: PodRecord, at: Instant) -> None:
        """The node is down: the work ends here, and nobody is left to say so."""
        self.ledger.halt(record, at, Ending.CUT_SHORT)
        record.cause = "node_failure"
        self._enter(record, State.LOST, at)

    def _leave_unseen(self, record: PodRecord, at: Instant) -> None:
        """Asked to go from a node that is down: it waits for its kubelet's word, unless there is no node."""
        if not self._writer.has_node(record):
            self._enter(record, State.LEAVING, at)

    def _lose_peer(self, record: PodRecord, peer: Key, at: Instant) -> None:
        if record.state is State.RUNNING:
            record.lost_peer = (at, "/".join(peer))
            self._enter(record, State.RUNNING, at)

    # ---- what falls due ----

    def _acknowledge(self, record: PodRecord, at: Instant) -> None:
        record.acknowledged = True
        if not self._admit(record, at):
            return
        self._enter(record, State.STARTING, at)
        self._writer.creating(record, at)

    def _admit(self, record: PodRecord, at: Instant) -> bool:
        """Whether the kubelet takes the pod; it is Failed where not."""
        if record.requests is not None:
            return True
        refusal = self._books.of(record.node).admit(record, self._writer.pod(record)["spec"])
        if refusal is None:
            return True
        self._release(record, at)
        self._enter(record, State.ENDED, at)
        self._writer.rejected(record, at, refusal)
        return False

    def _start(self, record: PodRecord, at: Instant) -> None:
        if not self._writer.has_node(record):
            self._enter(record, State.STRANDED, at)
            return
        if not self._admit(record, at):
            return
        record.runs = Runs.begin(at)
        pod = self._writer.pod(record)
        self._books.of(record.node).pull(pod["spec"])
        if record.broken:  # while its images were pulled
            self._exit_for_chips(record, at)
            return
        self.ledger.begin(record, pod, at, first=True)
        self._enter(record, State.RUNNING, at)
        self._writer.running(record, at)

    def _finish_run(self, record: PodRecord, at: Instant) -> None:
        self._exit(record, at, record.own_ending, record.life.exit_code)

    def _exit(
        self,
        record: PodRecord,
        at: Instant,
        ending: Ending,
        exit_code: int,
        reason: str = "",
        message: str = "",
    ) -> None:
        """The containers ended by themselves; the restart policy says what follows."""
        assert record.runs is not None
        self.ledger.halt(record, at, ending)
        record.runs = record.runs.end(at, exit_code, reason, message)
        if not record.restarts_after(exit_code):
            self._end(record, at)
        elif record.fell(at) or record.broken:
            self._enter(record, State.BACKING_OFF, at)
            self._writer.backing_off(record, at)
        else:
            self._restart(record, at)

    def _exit_for_chips(self, record: PodRecord, at: Instant) -> None:
        record.cause = "chip_failure"
        message = self._books.of(record.node).complaint(record)
        self._exit(record, at, Ending.CUT_SHORT, BROKEN_EXIT, message=message)

    def _exit_for_peer(self, record: PodRecord, at: Instant) -> None:
        assert record.lost_peer is not None
        _, peer = record.lost_peer
        record.cause, record.lost_peer = "peer", None
        message = f"lost {peer}, another member of gang {record.life.gang}"
        self._exit(record, at, Ending.CUT_SHORT, BROKEN_EXIT, message=message)

    def _come_back(self, record: PodRecord, at: Instant) -> None:
        """The node is up again: its containers are gone, and its kubelet does what is due."""
        record.broken = not self._books.of(record.node).chips.works(record.chips)
        if record.grace_s is not None:
            self._enter(record, State.LEAVING, at)
        elif record.runs is None:
            record.bound = at
            self._enter(record, State.STARTING, at)
        elif record.runs.current.finished is None:
            self._exit(record, at, Ending.CUT_SHORT, REBOOTED_EXIT, "Unknown")
        else:
            self._enter(record, State.BACKING_OFF, at)

    def _resume(self, record: PodRecord, at: Instant) -> None:
        record.lengthen_back_off()
        self._restart(record, at)

    def _restart(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        record.runs = record.runs.again(at)
        self.ledger.begin(record, self._writer.pod(record), at, first=False)
        self._enter(record, State.RUNNING, at)
        self._writer.running(record, at)

    def _end(self, record: PodRecord, at: Instant) -> None:
        devices = self._writer.devices(record)
        self._release(record, at)
        self._enter(record, State.ENDED, at)
        self._writer.ended(record, at, devices)

    def _stop(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        assert record.due is not None
        self.ledger.halt(record, at, record.due.ending)
        record.runs = record.runs.end(at, record.due.exit_code)
        self._remove(record, at)

    def _stop_for_chips(self, record: PodRecord, at: Instant) -> None:
        assert record.runs is not None
        record.cause = "chip_failure"
        self.ledger.halt(record, at, Ending.CUT_SHORT)
        message = self._books.of(record.node).complaint(record)
        record.runs = record.runs.end(at, BROKEN_EXIT, message=message)
        self._remove(record, at)

    def _remove(self, record: PodRecord, at: Instant) -> None:
        devices = self._writer.devices(record)
        self._release(record, at)
        self._enter(record, State.ENDED, at)
        record.grace_s = 0
        if record.runs is not None and record.runs.current.finished is None:
            record.runs = record.runs.end(at, REBOOTED_EXIT, "Unknown")  # its node was down meanwhile
        self._writer.gone(record, at, devices)

    def _release(self, record: PodRecord, at: Instant) -> None:
        """The pod holds its node no longer; releasing twice is allowed."""
        if not self._holdings.release(record.node, record.key):
            return
        self.ledger.close(record, at)
        self._books.of(record.node).release(record)


_L = Lifecycle
_EACH_STATE: Final[Mapping[State, Mapping[Signal, Transition]]] = {
    State.STRANDED: {
        Signal.NODE_CAME: _L._take,
        Signal.NODE_DIED: _L._lose,
        Signal.DELETION_ASKED: _L._leave,
        Signal.LIFE_CHANGED: _L._ignore,
        Signal.ENDED_ELSEWHERE: _L._accept_end,
    },
    State.STARTING: {
        Signal.CREATING_DUE: _L._acknowledge,
        Signal.START_DUE: _L._start,
        Signal.DELETION_ASKED: _L._leave,
        Signal.LIFE_CHANGED: _L._replan,
        Signal.ENDED_ELSEWHERE: _L._accept_end,
        Signal.NODE_DIED: _L._lose,
        Signal.CHIPS_FAILED: _L._ignore,
        Signal.CHIPS_BACK: _L._ignore,
    },
    State.RUNNING: {
        Signal.RUN_OVER: _L._finish_run,
        Signal.PEER_LOST: _L._exit_for_peer,
        Signal.DELETION_ASKED: _L._ask_to_stop,
        Signal.LIFE_CHANGED: _L._change_life,
        Signal.ENDED_ELSEWHERE: _L._accept_end,
        Signal.NODE_DIED: _L._lose,
        Signal.CHIPS_FAILED: _L._exit_for_chips,
        Signal.CHIPS_BACK: _L._ignore,
    },
    State.BACKING_OFF: {
        Signal.BACK_OFF_OVER: _L._resume,
        Signal.DELETION_ASKED: _L._leave,
        Signal.LIFE_CHANGED: _L._ignore,
        Signal.ENDED_ELSEWHERE: _L._accept_end,
        Signal.NODE_DIED: _L._lose,
        Signal.CHIPS_FAILED: _L._replan,
        Signal.CHIPS_BACK: _L._replan,
    },
    State.STOPPING: {
        Signal.STOP_DUE: _L._stop,
        Signal.DELETION_ASKED: _L._hurry,
        Signal.LIFE_CHANGED: _L._change_life,
        Signal.ENDED_ELSEWHERE: _L._accept_end_and_leave,
        Signal.NODE_DIED: _L._lose,
        Signal.CHIPS_FAILED: _L._stop_for_chips,
        Signal.CHIPS_BACK: _L._ignore,
    },
    State.LEAVING: {
        Signal.REMOVAL_DUE: _L._remove,
        Signal.DELETION_ASKED: _L._ignore,
        Signal.LIFE_CHANGED: _L._ignore,
        Signal.ENDED_ELSEWHERE: _L._accept_end_and_leave,
        Signal.NODE_DIED: _L._ignore,
        Signal.CHIPS_FAILED: _L._ignore,
        Signal.CHIPS_BACK: _L._ignore,
    },
    State.LOST: {
        Signal.NODE_BACK: _L._come_back,
        Signal.DELETION_ASKED: _L._leave_unseen,
        Signal.LIFE_CHANGED: _L._ignore,
        Signal.ENDED_ELSEWHERE: _L._accept_end,
        Signal.CHIPS_FAILED: _L._ignore,
        Signal.CHIPS_BACK: _L._ignore,
    },
    State.ENDED: {
        Signal.DELETION_ASKED: _L._leave,
        Signal.LIFE_CHANGED: _L._ignore,
    },
}
_TRANSITIONS: Final[Mapping[tuple[State, Signal], Transition]] = {
    (state, signal): transition
    for state, answers in _EACH_STATE.items()
    for signal, transition in {**answers, Signal.REMOVED: _L._accept_end}.items()
}
"""What follows from a signal in a state. A pair that is not here is a bug, and raises."""
