"""The account of all work: who works on what, what was kept and lost, and who wants to know."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from fakeapi.cluster.gangs import Gangs
from fakeapi.cluster.pieces import Pieces
from fakeapi.cluster.podrecord import CutShortBy, PodRecord
from fakeapi.cluster.work import Ending, Session, Terms
from fakeapi.kernel.time import Duration, Instant
from fakeapi.storage.objects import Key, Object


@dataclass(frozen=True, slots=True)
class WorkStarted:
    """A pod's containers are about to run for the first time."""

    pod: Key
    restored: Duration
    """Saved work of its piece that it takes up."""


@dataclass(frozen=True, slots=True)
class WorkEnded:
    """A bound pod is about to hold its node no longer. held = kept + lost + overhead, all in nanoseconds."""

    pod: Key
    held: Duration
    """From its binding until now."""
    kept: Duration
    """Work that counts: finished, or saved by a checkpoint."""
    lost: Duration
    """Work that has to be done again."""
    cause: CutShortBy | None
    """What cut it short, where that is something that the API does not tell."""

    @property
    def overhead(self) -> Duration:
        """Start-up, restart cost, waiting for its gang, stopping, sitting on a node that is down."""
        return self.held - self.kept - self.lost


WorkListener: TypeAlias = Callable[[WorkStarted | WorkEnded], None]
"""Called before the change that it tells of is written."""


class Ledger:
    """Begins, halts and closes the work of pods."""

    def __init__(self, pieces: Pieces, gangs: Gangs) -> None:
        self.pieces: Final = pieces
        self.gangs: Final = gangs
        self._listeners: list[WorkListener] = []

    def listen(self, listener: WorkListener) -> None:
        """Tell ``listener`` of all work from now on."""
        self._listeners.append(listener)

    def begin(self, record: PodRecord, pod: Object, at: Instant, *, first: bool) -> None:
        """The pod's containers start, for the first time or again."""
        record.cause = record.lost_peer = None
        if record.piece is None or record.piece.done:
            record.piece = self.pieces.of(pod, record.life)
        if first and record.piece.saved:
            self._tell(WorkStarted(record.key, record.piece.saved))
        if record.life.gang is None:
            record.session = Session(record.piece, Terms.of((record.life,)), at)
            record.joined = record.session.base
        else:
            self.gangs.join(record, record.piece, at)

    def change(self, record: PodRecord, at: Instant) -> None:
        """Other annotations hold for the work that goes on."""
        if record.session is None:
            return
        if record.life.gang is None:
            record.session.change(Terms.of((record.life,)))
        else:
            self.gangs.change(record, at)

    def ask_to_stop(self, record: PodRecord, at: Instant) -> None:
        """The pod was asked to stop. By itself it may yet be done before it has stopped; a gang halts."""
        if record.life.gang is not None:
            self.gangs.halt(record, at)

    def halt(self, record: PodRecord, at: Instant, ending: Ending) -> None:
        """The pod's containers work no longer; halting twice is allowed."""
        session = record.session
        if record.life.gang is not None:
            self.gangs.leave(record, at, ending)
        elif session is not None:
            if record.stop_asked is not None and ending in (Ending.SAVED, Ending.CUT_SHORT):
                session.halt(record.stop_asked)
            session.settle(at, ending)
        if session is not None:
            kept, lost = session.shares(record.joined)
            record.kept += kept
            record.lost += lost
            record.session = None

    def close(self, record: PodRecord, at: Instant) -> None:
        """The pod holds its node no longer."""
        self.halt(record, at, Ending.CUT_SHORT)
        self.pieces.release(record.uid)
        if record.piece is not None and record.piece.done:
            self.pieces.forget(record.piece)
        held = at - record.held_since
        assert record.kept + record.lost <= held, f"more work than time\n{record.story()}"
        self._tell(WorkEnded(record.key, held, record.kept, record.lost, record.cause))

    def _tell(self, event: WorkStarted | WorkEnded) -> None:
        for listener in self._listeners:
            listener(event)
