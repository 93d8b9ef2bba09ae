"""How much of its work a pod has behind it, also when the work was begun by a pod before it.

A pod that is preempted or fails loses what it did since its last checkpoint; whoever made it (a Job, say)
makes another one that continues. The pod's own annotation tells what is saved where the training platform
writes it. Where it does not, this module knows: it saw the earlier pod run.

Pods of one controller with the same completion index are one *piece of work*. Those without an index take the
lowest free slot of their controller. A pod without controller is a piece of its own: nothing follows it.
"""

from dataclasses import dataclass, field, replace
from itertools import count
from statistics import median_low

from scheduler.model import Task

MOST_LESSONS = 15
"""Run times of an owner's finished pods from which the expected run time of its next ones is learned."""

MOST_IDLE = 10_000
"""Owners without pods that are remembered, the last ones: between two pods of a job lie moments, not days."""


@dataclass(slots=True)
class _Piece:
    """A piece of work: run time saved by its earlier pods, whether there were any, and its present pod."""

    saved: int = 0
    begun: bool = False
    uid: str = ""


@dataclass(slots=True)
class _Owner:
    """A controller, or a pod without one."""

    pieces: dict[str, _Piece] = field(default_factory=dict)
    lessons: list[int] = field(default_factory=list)


class Progress:
    """Remembers pieces of work."""

    def __init__(self) -> None:
        self._owners: dict[str, _Owner] = {}
        self._places: dict[str, tuple[str, str]] = {}
        """Owner and slot of each pod there is."""
        self._idle: dict[str, None] = {}
        """Owners without pods, the longest idle first."""

    def of(self, task: Task) -> Task:
        """The task with what is left of its work in place of the whole of it."""
        owner, piece = self._find(task)
        whole = task.timing.remaining
        if whole is None and owner.lessons:
            whole = median_low(owner.lessons)
        if whole is None:
            return task
        left = max(0, whole - _saved_before(task, piece)) + _cost_of_start(task, piece)
        if left == task.timing.remaining:
            return task
        return replace(task, timing=replace(task.timing, remaining=left))

    def work_of(self, task: Task) -> str:
        """The name of the task's piece of work, which its successors share; a gang's is that of the gang."""
        if task.gang is not None:
            return task.gang.key
        self._find(task)
        return "/".join(self._places[task.ref.uid])

    def _find(self, task: Task) -> tuple[_Owner, _Piece]:
        place = self._places.get(task.ref.uid) or self._settle(task)
        owner = self._owners[place[0]]
        return owner, owner.pieces[place[1]]

    def _settle(self, task: Task) -> tuple[str, str]:
        """Give a new pod its piece of work."""
        name = task.owner or task.ref.uid
        owner = self._owners.setdefault(name, _Owner())
        self._idle.pop(name, None)
        slots = (f"{task.index}#{n}" if n else task.index or "#" for n in count())
        slot = next(each for each in slots if each not in owner.pieces or not owner.pieces[each].uid)
        owner.pieces.setdefault(slot, _Piece()).uid = task.ref.uid
        place = self._places[task.ref.uid] = (name, slot)
        return place

    def lost(self, task: Task, now: int) -> int:
        """Run time that would be lost if the pod ended now: since its checkpoint, and the next start's cost.

        All that it ever did where nothing follows it.
        """
        _, piece = self._find(task)
        done = _done(task, piece, now)
        if not task.owner:
            return _saved_before(task, piece) + done
        return done - _kept(task, done) + task.restart_cost

    def ended(self, task: Task, now: int, *, succeeded: bool) -> None:
        """Take note that a pod is gone since ``now``. ``task`` is as it was last seen."""
        place = self._places.pop(task.ref.uid, None)
        if place is None:
            return
        owner = self._owners[place[0]]
        piece = owner.pieces[place[1]]
        piece.uid = ""
        if succeeded:
            if task.started is not None:
                owner.lessons = [*owner.lessons, now - task.started][-MOST_LESSONS:]
            owner.pieces[place[1]] = _Piece()
        elif task.started is not None:
            piece.saved = _saved_before(task, piece) + _kept(task, _done(task, piece, now))
            piece.begun = True
        self._rest(place[0])

    def _rest(self, name: str) -> None:
        """Forget an owner some time after its last pod; a pod without controller at once."""
        if any(piece.uid for piece in self._owners[name].pieces.values()):
            return
        self._idle[name] = None
        if len(self._idle) > MOST_IDLE:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            del self._owners[oldest]

    def validate(self) -> None:
        """Check that every pod has exactly one piece of work."""
        held = {
            piece.uid: (name, slot)
            for name, owner in self._owners.items()
            for slot, piece in owner.pieces.items()
            if piece.uid
        }
        assert held == self._places, "a pod has no piece of work, or two"
        assert set(self._idle) == set(self._owners) - {name for name, _ in held.values()}


def _saved_before(task: Task, piece: _Piece) -> int:
    return piece.saved if task.progress is None else task.progress


def _cost_of_start(task: Task, piece: _Piece) -> int:
    """The first start of a piece of work costs nothing extra."""
    return task.restart_cost if piece.begun or task.progress is not None else 0


def _done(task: Task, piece: _Piece, now: int) -> int:
    """Work that the pod did itself by ``now``."""
    if task.started is None:
        return 0
    return max(0, now - task.started - _cost_of_start(task, piece))


def _kept(task: Task, done: int) -> int:
    """What of the pod's own work is in checkpoints."""
    return done // task.checkpoint_interval * task.checkpoint_interval if task.checkpoint_interval else 0
