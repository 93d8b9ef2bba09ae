"""Events live one hour, as in a real cluster (``--event-ttl``), in the cluster's own time."""

from collections import deque
from typing import Final

from fakeapi.kernel.clock import Clock
from fakeapi.kernel.time import HOUR, Instant
from fakeapi.machinery.resources import EVENTS
from fakeapi.storage.objects import Change, Key, Kind
from fakeapi.storage.store import Store

EVENT_TTL: Final = HOUR


class EventExpiry:
    """Deletes events an hour after their last change.

    Looks only when an event is written: without new events there is nothing to bound.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._written: deque[tuple[Instant, Key, int]] = deque()

    def attach(self) -> None:
        """Begin to listen to the store."""
        self._store.listen(self._hear)

    def _hear(self, collection: str, change: Change) -> None:
        if collection != EVENTS.storage_key or change.kind is Kind.DELETED:
            return
        now = self._clock.now()
        self._written.append((now, change.after.key, change.revision))
        while self._written and self._written[0][0] + EVENT_TTL <= now:
            _, key, revision = self._written.popleft()
            found = self._store.find(collection, key)
            if found is not None and found.revision == revision:  # not rewritten since
                self._store.delete(collection, key)
