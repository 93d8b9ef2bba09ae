"""Which pod does which piece of work: identities, and the slots of controllers whose pods are all alike."""

import heapq
from dataclasses import dataclass, field
from typing import Any, Final

from fakeapi.cluster.annotations import REPORT_PROGRESS, BadAnnotation, Life, life_of
from fakeapi.cluster.work import Identity, Piece
from fakeapi.kernel.time import Instant, format_duration
from fakeapi.storage.objects import Object

COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
"""The annotation in which the Job controller tells a pod its index."""


@dataclass(slots=True)
class _Slots:
    """The pieces of a controller whose pods bear no index."""

    pieces: dict[int, Piece] = field(default_factory=dict)
    """Those that were begun and are not done."""
    free: list[int] = field(default_factory=list)
    """A heap of slots that nobody does."""
    following: int = 0
    """The lowest slot that nobody ever had."""
    held: int = 0

    def lowest(self) -> int:
        return self.free[0] if self.free else self.following

    def take(self) -> int:
        self.held += 1
        if self.free:
            return heapq.heappop(self.free)
        self.following += 1
        return self.following - 1

    def give_back(self, slot: int) -> None:
        self.held -= 1
        piece = self.pieces.get(slot)
        if piece is not None and piece.done:
            del self.pieces[slot]
        else:
            heapq.heappush(self.free, slot)


class Pieces:
    """All pieces of work that were begun and are not done."""

    def __init__(self) -> None:
        self._named: dict[Identity, Piece] = {}
        self._slots: dict[str, _Slots] = {}
        self._holders: dict[str, tuple[str, int]] = {}
        """Pod's uid → the (controller, slot) that it holds."""

    def __len__(self) -> int:
        return len(self._named) + sum(len(slots.pieces) for slots in self._slots.values())

    def claim(self, pod: Object) -> None:
        """A pod exists: where its work has no other name, it takes the lowest slot that nobody does."""
        controller = _controller(pod)
        if controller is None or _identity(pod, life_of(pod["metadata"].get("annotations"))) is not None:
            return
        uid = pod["metadata"]["uid"]
        if uid not in self._holders:
            self._holders[uid] = (controller, self._slots.setdefault(controller, _Slots()).take())

    def release(self, uid: str) -> None:
        """The pod ends, or is about to: another may go on with what it did; releasing twice is allowed."""
        held = self._holders.pop(uid, None)
        if held is not None:
            controller, slot = held
            slots = self._slots[controller]
            slots.give_back(slot)
            if not slots.held and not slots.pieces:
                del self._slots[controller]

    def of(self, pod: Object, life: Life) -> Piece:
        """The piece of work that a pod does; a new one where none was begun under its name."""
        identity = _identity(pod, life)
        if identity is not None:
            piece = self._named.get(identity)
            if piece is None:
                piece = self._named[identity] = Piece(identity)
            return piece
        held = self._holders.get(pod["metadata"]["uid"])
        if held is None:
            return Piece()  # without a controller: nobody will take it up
        controller, slot = held
        return self._slots[controller].pieces.setdefault(slot, Piece())

    def forget(self, piece: Piece) -> None:
        """The piece is done: the next of its name begins anew."""
        if piece.name is not None and self._named.get(piece.name) is piece and not piece.sessions:
            del self._named[piece.name]

    def report(self, pod: Object, at: Instant) -> None:
        """Tell a pod that is about to be created how much of its work is saved, if it wants to be told.

        A training platform does so at admission; ``pod`` is not stored yet, and is changed in place.
        """
        annotations: dict[str, str] | None = pod["metadata"].get("annotations")
        if not annotations or REPORT_PROGRESS not in annotations:
            return
        try:
            life = life_of(annotations)
        except BadAnnotation:
            return  # the check that follows says what is wrong
        piece = self._expected(pod, life)
        saved = 0 if piece is None or piece.done else piece.saved_at(at)
        if saved and life.report_progress is not None:
            annotations[life.report_progress] = format_duration(saved)

    def _expected(self, pod: Object, life: Life) -> Piece | None:
        identity = _identity(pod, life)
        if identity is not None:
            return self._named.get(identity)
        slots = self._slots.get(_controller(pod) or "")
        return None if slots is None else slots.pieces.get(slots.lowest())


def _identity(pod: Object, life: Life) -> Identity | None:
    """The name of a pod's work; None where its slot, or the pod itself, is what tells."""
    metadata: dict[str, Any] = pod["metadata"]
    if life.gang is not None:
        return ("gang", metadata.get("namespace", ""), life.gang)
    if life.work is not None:
        return ("work", metadata.get("namespace", ""), life.work)
    index = (metadata.get("annotations") or {}).get(COMPLETION_INDEX)
    controller = None if index is None else _controller(pod)
    return None if controller is None or index is None else ("index", controller, index)


def _controller(pod: Object) -> str | None:
    for owner in pod["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return str(owner["uid"])
    return None
