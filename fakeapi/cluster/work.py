"""Pieces of work, and what becomes of the work that pods do on them.

A *piece of work* outlives the pods that do it: when its pod is killed, the next pod of the same piece
takes it up where it was saved. A *session* is one uninterrupted stretch of work on a piece, by one pod or
by a gang. A session begins with the restart cost, unless it is the first of its piece, and then works at
the speed of the clock. What it had saved when it ends is *kept*; the rest is *lost*, and has to be done
again. Everything else that a pod holds its node for is *overhead*:

    held = kept + lost + overhead

in integer nanoseconds, for every pod. Work without an end (a service) saves nothing and repeats nothing: all
of it is kept.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from fakeapi.cluster.annotations import Life
from fakeapi.kernel.time import Duration, Instant

Identity: TypeAlias = tuple[str, str, str]
"""(how a piece of work is told, where, what)."""


class Ending(Enum):
    """How a session ended, which decides what of it is saved."""

    FINISHED = "its work is done"
    FAILED = "it came to its end and failed"
    SAVED = "it was asked to stop, and saved its work before it did"
    CUT_SHORT = "it was cut short"


@dataclass(frozen=True, slots=True)
class Terms:
    """How a piece of work is done: what its pods' annotations say of it."""

    total: Duration | None
    """The whole work; None: it has no end."""
    interval: Duration | None
    """Further work after which it is saved each time; None: never before the end."""
    restart_cost: Duration

    @classmethod
    def of(cls, lives: "tuple[Life, ...]") -> "Terms":
        """The terms of those who work together: those of the slowest of them."""
        totals = [life.run_time for life in lives if life.run_time is not None]
        intervals = [life.checkpoint_interval for life in lives if life.checkpoint_interval is not None]
        return cls(
            total=max(totals) if len(totals) == len(lives) else None,
            interval=max(intervals) if len(intervals) == len(lives) else None,
            restart_cost=max(life.restart_cost for life in lives),
        )


@dataclass(slots=True, eq=False)
class Piece:
    """A piece of work: how often it was begun, how much of it is saved."""

    name: "Identity | None" = None
    """What its pods call it; None where its slot, or its only pod, is what tells."""
    saved: Duration = 0
    starts: int = 0
    done: bool = False
    sessions: "list[Session]" = field(default_factory=list)
    """Who works on it now: one, except where a pod that is stopping already has a successor."""

    def saved_at(self, at: Instant) -> Duration:
        """What is saved by ``at``, by those who still work on it too."""
        if not self.sessions:
            return self.saved
        return max(self.saved, *(session.checkpoint(session.progress(at)) for session in self.sessions))


class Session:
    """One stretch of work on a piece.

    Attributes:
        base: the saved work that it started from.
        began: when it began to work, after the restart cost.
    """

    __slots__ = ("_ending", "_floor", "_halted", "_progress", "_saved", "_terms", "base", "began", "piece")

    def __init__(self, piece: Piece, terms: Terms, at: Instant) -> None:
        if piece.done:
            piece.saved, piece.starts, piece.done = 0, 0, False  # it is done once more, from its beginning
        self.piece: Final = piece
        self.base: Final = piece.saved_at(at)
        self.began: Final = at + (terms.restart_cost if piece.starts else 0)
        self._terms = terms
        self._halted: Instant | None = None
        self._ending: Ending | None = None
        self._progress = self._saved = self._floor = 0
        piece.starts += 1
        piece.sessions.append(self)

    @property
    def settled(self) -> bool:
        """Whether it has ended."""
        return self._ending is not None

    @property
    def end(self) -> Instant | None:
        """When its work will be, or was, done; None when that will not happen."""
        if self._terms.total is None or self._halted is not None:
            return None
        if self._ending not in (None, Ending.FINISHED, Ending.FAILED):
            return None
        return self.began + max(0, self._terms.total - self.base)

    def change(self, terms: Terms) -> None:
        """Other terms hold from now on."""
        self._terms = terms

    def halt(self, at: Instant) -> None:
        """Its work stops here, though it has not ended; halting twice is allowed."""
        if self._halted is None:
            self._halted = at

    def progress(self, at: Instant) -> Duration:
        """Work of the piece that is done by ``at``, saved or not."""
        if self._ending is not None:
            return self._progress
        until = at if self._halted is None else min(at, self._halted)
        done = self.base + max(0, until - self.began)
        total = self._terms.total
        return done if total is None else max(self.base, min(done, total))

    def checkpoint(self, progress: Duration) -> Duration:
        """What is saved when that much is done."""
        if self._terms.total is None:
            return progress
        interval = self._terms.interval
        return self.base if interval is None else progress - (progress - self.base) % interval

    def settle(self, at: Instant, ending: Ending) -> None:
        """The session ends; its piece has what it saved."""
        progress = self.progress(at)
        self._saved = self._saved_by(progress, ending)
        self._progress, self._ending = progress, ending
        self._floor = max(self.base, self.piece.saved)
        self.piece.sessions.remove(self)
        if ending is Ending.FINISHED:
            self.piece.done = True
        elif self._terms.total is not None:
            self.piece.saved = max(self.piece.saved, self._saved)

    def _saved_by(self, progress: Duration, ending: Ending) -> Duration:
        if ending in (Ending.FINISHED, Ending.SAVED):
            return progress
        if ending is Ending.FAILED and progress > self.base:
            # What failed at its very end is not taken up there: it would fail again at once.
            return self.checkpoint(progress - 1)
        return self.checkpoint(progress)

    def shares(self, joined: Duration) -> tuple[Duration, Duration]:
        """What one who joined at that progress did: (kept, lost).

        What somebody else had saved meanwhile is not kept twice.
        """
        assert self._ending is not None, "only a session that has ended can be accounted for"
        done = self._progress - joined
        kept = min(done, max(0, self._saved - max(joined, self._floor)))
        return kept, done - kept
