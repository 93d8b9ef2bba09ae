"""All objects, one global revision, and the listeners and watchers of their changes.

Synchronous and single-threaded by design: no call gives way between reading and
writing, so optimistic concurrency is a comparison and a snapshot together with its
subscription is one step.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from fakeapi.machinery.selectors import select_all
from fakeapi.storage.errors import KeyExists, KeyNotFound, VersionConflict, VersionInFuture
from fakeapi.storage.history import History
from fakeapi.storage.objects import Change, Key, Kind, Object, Version
from fakeapi.storage.watch import DEFAULT_QUEUE_LIMIT, Renderer, Selection, Subscription

DEFAULT_HISTORY_LIMIT: Final = 20_000
"""Changes of one collection that stay resumable: several times what one instant of a large scenario makes."""

Listener: TypeAlias = Callable[[str, Change], None]
"""Called with (storage key, change) after the change is visible."""


class _Collection:
    """The objects of one storage key, in key order on demand."""

    def __init__(self, history_limit: int, revision: int) -> None:
        self.objects: dict[Key, Version] = {}
        self.history = History(history_limit, revision)
        self.watchers: dict[Subscription, str] = {}
        self._sorted: list[Key] | None = None

    def ordered_keys(self) -> list[Key]:
        """Every key in the order of the real server's lists: by namespace, then by name."""
        if self._sorted is None:
            self._sorted = sorted(self.objects)
        return self._sorted

    def record(self, change: Change) -> None:
        """Make a change visible and remember it."""
        key = change.after.key
        if change.kind is Kind.DELETED:
            del self.objects[key]
            self._sorted = None
        else:
            if change.kind is Kind.ADDED:
                self._sorted = None
            self.objects[key] = change.after
        self.history.append(change)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Objects of a collection as they were at one revision, in key order."""

    revision: int
    versions: Sequence[Version]


class Store:
    """Objects by (storage key, namespace, name); see :class:`~fakeapi.machinery.resources.Resource`."""

    def __init__(
        self, history_limit: int = DEFAULT_HISTORY_LIMIT, queue_limit: int = DEFAULT_QUEUE_LIMIT
    ) -> None:
        self._history_limit = history_limit
        self._queue_limit = queue_limit
        self._collections: dict[str, _Collection] = {}
        self._listeners: list[Listener] = []
        self._untold: deque[tuple[str, Change]] = deque()
        self._telling = False
        self._revision = 1

    @property
    def revision(self) -> int:
        """The revision of the newest change anywhere in the store."""
        return self._revision

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` after each change from now on, before the (outermost) write returns.

        A listener may write in its turn. Such a change is visible at once, and told only
        when every listener has heard of the one before, so that all hear one order. What a
        listener raises reaches the writer, whose change stays; listeners after it miss that
        change, and hear of changes made meanwhile when the next one is told.
        """
        self._listeners.append(listener)

    def get(self, collection: str, key: Key) -> Version:
        """The current version.

        Raises:
            KeyNotFound: there is none.
        """
        version = self.find(collection, key)
        if version is None:
            raise KeyNotFound(key)
        return version

    def find(self, collection: str, key: Key) -> Version | None:
        """The current version, or None."""
        found = self._collections.get(collection)
        return None if found is None else found.objects.get(key)

    def count(self, collection: str) -> int:
        """How many objects the collection holds now."""
        found = self._collections.get(collection)
        return 0 if found is None else len(found.objects)

    def iterate(self, collection: str, namespace: str = "") -> Iterator[Version]:
        """Current versions in key order, of one namespace when it is named.

        Who iterates may write meanwhile: what is gone when its turn comes is left out, what
        is new may be.
        """
        home = self._of(collection)
        for key in home.ordered_keys():
            version = home.objects.get(key)
            if version is not None and (not namespace or key[0] == namespace):
                yield version

    def snapshot(
        self, collection: str, namespace: str = "", select: Selection = select_all, at: int | None = None
    ) -> Snapshot:
        """The selected objects now, or as they were at the revision ``at``.

        Raises:
            HistoryExpired: ``at`` is older than the kept history.
            VersionInFuture: ``at`` has not happened.
        """
        if at is not None and at != self._revision:
            return self._past_snapshot(collection, namespace, select, at)
        versions: Iterable[Version] = self.iterate(collection, namespace)
        if select is not select_all:
            versions = (version for version in versions if select(version.object))
        return Snapshot(self._revision, list(versions))

    def _past_snapshot(self, collection: str, namespace: str, select: Selection, at: int) -> Snapshot:
        self.require_past(at)
        home = self._of(collection)
        then: dict[Key, Version | None] = dict(home.objects)
        for change in reversed(list(home.history.since(at))):
            then[change.after.key] = change.before
        kept = sorted((key, version) for key, version in then.items() if version is not None)
        versions = [v for key, v in kept if (not namespace or key[0] == namespace) and select(v.object)]
        return Snapshot(at, versions)

    def create(self, collection: str, key: Key, obj: Object) -> Version:
        """Store a new object; ``metadata.resourceVersion`` is written into it.

        Raises:
            KeyExists: the key is taken.
        """
        if key in self._of(collection).objects:
            raise KeyExists(key)
        return self._commit(collection, Kind.ADDED, None, key, obj)

    def update(self, collection: str, key: Key, obj: Object, expected: int | None = None) -> Version:
        """Replace an object, at ``expected`` revision if one is given.

        Raises:
            KeyNotFound: there is none.
            VersionConflict: it is at another revision than ``expected``.
        """
        before = self.get(collection, key)
        self._expect(before, expected)
        return self._commit(collection, Kind.MODIFIED, before, key, obj)

    def delete(self, collection: str, key: Key, expected: int | None = None) -> Version:
        """Remove an object and return its last state, which carries the revision of the deletion.

        Raises:
            KeyNotFound: there is none.
            VersionConflict: it is at another revision than ``expected``.
        """
        before = self.get(collection, key)
        self._expect(before, expected)
        return self._commit(collection, Kind.DELETED, before, key, before.object)

    def watch(
        self,
        collection: str,
        namespace: str,
        select: Selection,
        wake: Callable[[], None],
        since: int | None = None,
        render: Renderer = Change.line,
    ) -> tuple[Snapshot | None, Subscription]:
        """Subscribe; what happened before comes as a snapshot, or as queued changes after ``since``.

        Both halves come from this one call, so no change is lost or repeated between them.

        Raises:
            HistoryExpired: changes after ``since`` are no longer known.
            VersionInFuture: ``since`` has not happened.
        """
        home = self._of(collection)
        subscription = Subscription(select, self._queue_limit, wake, render)
        snapshot = None
        if since is None:
            snapshot = self.snapshot(collection, namespace, select)
        else:
            self.require_past(since)
            for change in home.history.since(since):
                if not namespace or change.after.key[0] == namespace:
                    subscription.offer(change)
        subscription.revision = self._revision
        home.watchers[subscription] = namespace
        return snapshot, subscription

    def unwatch(self, collection: str, subscription: Subscription) -> None:
        """End a subscription; ending it twice is allowed."""
        self._of(collection).watchers.pop(subscription, None)

    def queued(self) -> int:
        """Watch events that wait in the queues of all watchers."""
        return sum(len(subscription) for home in self._collections.values() for subscription in home.watchers)

    def _of(self, collection: str) -> _Collection:
        home = self._collections.get(collection)
        if home is None:
            home = self._collections[collection] = _Collection(self._history_limit, 0)
        return home

    def require_past(self, revision: int) -> None:
        """Refuse a revision that has not happened yet.

        Raises:
            VersionInFuture: ``revision`` is greater than the current one.
        """
        if revision > self._revision:
            raise VersionInFuture(revision, self._revision)

    @staticmethod
    def _expect(found: Version, expected: int | None) -> None:
        if expected is not None and expected != found.revision:
            raise VersionConflict(expected, found.revision)

    def _commit(self, collection: str, kind: Kind, before: Version | None, key: Key, obj: Object) -> Version:
        self._revision += 1
        metadata = {**obj["metadata"], "resourceVersion": str(self._revision)}
        created = self._revision if before is None else before.created
        after = Version(key, self._revision, {**obj, "metadata": metadata}, created)
        change = Change(kind, self._revision, before, after)
        home = self._of(collection)
        home.record(change)
        for subscription, namespace in list(home.watchers.items()):
            if not namespace or namespace == key[0]:
                subscription.offer(change)
        change.settle()
        if before is not None:
            before.supersede()
        self._tell(collection, change)
        return after

    def _tell(self, collection: str, change: Change) -> None:
        self._untold.append((collection, change))
        if self._telling:
            return  # a listener is writing: the loop below, further up the stack, goes on with this one
        self._telling = True
        try:
            while self._untold:
                told_collection, told = self._untold.popleft()
                for listener in self._listeners:
                    listener(told_collection, told)
        finally:
            self._telling = False
