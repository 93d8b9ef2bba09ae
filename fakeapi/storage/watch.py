"""A watcher's side of the store: a bounded queue of ready-made lines.

A watcher that does not keep up is cut off and never blocks a writer; it resumes
from its last version, and meets ``Expired`` only if the history has moved past it.
"""

from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

from fakeapi.machinery.selectors import select_all
from fakeapi.storage.objects import Change, Kind, Object

Selection: TypeAlias = Callable[[Object], bool]
"""Whether an object is one that this watcher or list asked for."""


Renderer: TypeAlias = Callable[[Change, Kind], bytes]
"""Makes the line of one event; most watchers share :meth:`~fakeapi.storage.objects.Change.line`."""


class Subscription:
    """Events for one watcher, in order, from the moment of its snapshot on."""

    def __init__(
        self,
        select: Selection,
        limit: int,
        wake: Callable[[], None],
        render: Renderer = Change.line,
    ) -> None:
        self._render = render
        self._select = select
        self._limit = limit
        self._wake = wake
        self._lines: deque[bytes] = deque()
        self.overflowed = False
        """The queue was full: this watch must end. Nothing is queued any more."""
        self.revision = 0
        """The revision of the newest change offered, selected or not: what a bookmark may promise."""

    def __len__(self) -> int:
        return len(self._lines)

    def offer(self, change: Change) -> None:
        """Queue the change as seen here: entering the selection is an addition, leaving it a deletion."""
        self.revision = change.revision
        kind = self._seen_as(change)
        if kind is None or self.overflowed:
            return
        if len(self._lines) >= self._limit:
            self.overflowed = True
            self._lines.clear()
        else:
            self._lines.append(self._render(change, kind))
        self._wake()

    def _seen_as(self, change: Change) -> Kind | None:
        select = self._select
        if select is select_all:
            return change.kind
        before = change.before is not None and select(change.before.object)
        after = change.kind is not Kind.DELETED and select(change.after.object)
        if before:
            return Kind.MODIFIED if after else Kind.DELETED
        return Kind.ADDED if after else None

    def take(self) -> bytes:
        """Everything queued, as one block of bytes; empty when there is nothing."""
        block = b"".join(self._lines)
        self._lines.clear()
        return block


DEFAULT_QUEUE_LIMIT: Final = 100_000
"""Events one watcher may have waiting: ten thousand pods created at one instant, several changes each."""
