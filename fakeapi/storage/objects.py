"""One version of one object, and one change from a version to the next.

Objects are plain JSON dictionaries, frozen by agreement from the moment they
enter the store: whoever wants a change makes a new dictionary that may share
the unchanged parts.
"""

from enum import Enum
from typing import Any, Final, TypeAlias

import orjson

Object: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]
"""(namespace, name); the namespace of a cluster-wide object is empty."""


class Kind(Enum):
    """What a change did; the values are Kubernetes' watch event types."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


class Version:
    """An object as it was at one revision, with its JSON made once and shared by everybody who sends it."""

    __slots__ = ("_json", "created", "key", "object", "revision")

    def __init__(self, key: Key, revision: int, obj: Object, created: int) -> None:
        self.key: Final = key
        self.revision: Final = revision
        self.object: Final = obj
        self.created: Final = created
        """The revision of this object's creation: its place in the order of arrival."""
        self._json: bytes | None = None

    @property
    def json(self) -> bytes:
        """The object's JSON."""
        if self._json is None:
            self._json = orjson.dumps(self.object)
        return self._json

    def supersede(self) -> None:
        """Give the JSON back: there is a newer version, and few ask for this one."""
        self._json = None


class Change:
    """One step of a collection's history: what was, what is, at which revision."""

    __slots__ = ("_departed", "_lines", "after", "before", "kind", "revision")

    def __init__(self, kind: Kind, revision: int, before: Version | None, after: Version) -> None:
        self.kind: Final = kind
        self.revision: Final = revision
        self.before: Final = before
        """The version before the change; None when it was created."""
        self.after: Final = after
        """The version after; of a deletion the last state at the revision of the deletion."""
        self._lines: dict[Kind, bytes] | None = None
        self._departed: Version | None = None

    def seen_as(self, kind: Kind) -> Version:
        """The version that an event of that type shows.

        An object that leaves a watcher's selection is shown as it last was inside, at the
        revision of the change: so does the real server.
        """
        if kind is not Kind.DELETED or self.kind is Kind.DELETED or self.before is None:
            return self.after
        if self._departed is None:
            metadata = {**self.before.object["metadata"], "resourceVersion": str(self.revision)}
            last = {**self.before.object, "metadata": metadata}
            self._departed = Version(self.after.key, self.revision, last, self.after.created)
        return self._departed

    def line(self, kind: Kind) -> bytes:
        """The watch event of this change as one line of JSON, made once for all watchers of the moment."""
        if self._lines is None:
            self._lines = {}
        line = self._lines.get(kind)
        if line is None:
            line = event_line(kind.value, self.seen_as(kind).json)
            self._lines[kind] = line
        return line

    def settle(self) -> None:
        """Give the lines back once all watchers have them; who resumes later has them made again."""
        self._lines = None


def event_line(event_type: str, obj: bytes) -> bytes:
    """One watch event: its type and the JSON of its object, in a line."""
    return b'{"type":"%s","object":%s}\n' % (event_type.encode(), obj)
