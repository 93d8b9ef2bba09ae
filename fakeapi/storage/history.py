"""A bounded ring of a collection's changes: what a watch resumes from, and how to see the past."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from itertools import islice
from operator import attrgetter

from fakeapi.storage.errors import HistoryExpired
from fakeapi.storage.objects import Change


class History:
    """The last ``limit`` changes of one collection, oldest first."""

    def __init__(self, limit: int, revision: int) -> None:
        self._changes: deque[Change] = deque(maxlen=limit)
        self._forgotten = revision
        """Every change up to and including this revision may be missing from the ring."""

    def append(self, change: Change) -> None:
        """Add the newest change; the oldest falls out when the ring is full."""
        if len(self._changes) == self._changes.maxlen:
            self._forgotten = self._changes[0].revision
        self._changes.append(change)

    def since(self, revision: int) -> Iterator[Change]:
        """Changes after ``revision``, oldest first.

        Raises:
            HistoryExpired: changes after ``revision`` have fallen out of the ring.
        """
        if revision < self._forgotten:
            raise HistoryExpired(revision, self._forgotten)
        newer = self._count_after(revision)
        return islice(self._changes, len(self._changes) - newer, None)

    def _count_after(self, revision: int) -> int:
        # Watches resume near the newest end, where walking back beats a bisection of a linked deque.
        count = 0
        for change in reversed(self._changes):
            if change.revision <= revision:
                return count
            count += 1
            if count == _WALK_LIMIT:
                return len(self._changes) - bisect_right(
                    list(self._changes), revision, key=attrgetter("revision")
                )
        return count


_WALK_LIMIT = 64
"""Steps back before a bisection is cheaper."""
