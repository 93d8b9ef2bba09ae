"""Gangs: which pods belong together, and how many of them are still wanted.

A gang *forms* when enough members exist to bring it to its least number at once. Members beyond that, and
those that come later, are placed on their own.
"""

from collections import Counter
from collections.abc import Iterable

from scheduler.model import GangRef, Task

MOST_BEGUN = 10_000
"""Gangs that have no member just now and are remembered, the last ones."""


class Gang:
    """The members of one gang."""

    __slots__ = ("done", "members", "pausing", "placed", "ref", "waiting")

    def __init__(self, ref: GangRef) -> None:
        self.ref = ref
        self.members: set[str] = set()
        """All of them, by uid."""
        self.waiting: dict[str, Task] = {}
        """Members that wait to be placed and may be, by uid."""
        self.pausing: set[str] = set()
        """Members that wait after a refused binding."""
        self.placed: set[str] = set()
        """Members that are bound or about to be, and not ending."""
        self.done = 0
        """Members that ended with success."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.ref.name or self.ref.key

    @property
    def wanted(self) -> int | None:
        """How many members have to be placed at once; 0 or less for none, None for unknown."""
        return None if self.ref.least is None else self.ref.least - len(self.placed) - self.done

    def ready(self) -> list[Task]:
        """Those that wait, in their order: by creation, then index, then name."""
        return sorted(self.waiting.values(), key=_seniority)

    @property
    def half(self) -> bool:
        """Whether a part of it holds room without being able to work, and others wait."""
        return (
            self.wanted is not None
            and self.wanted > 0
            and bool(self.placed and (self.waiting or self.pausing))
        )


def _seniority(task: Task) -> tuple[int, int, str, str]:
    number = int(task.index) if task.index.isdecimal() else 0
    return (task.created, number, task.ref.namespace, task.ref.name)


class Gangs:
    """All gangs that have members."""

    def __init__(self) -> None:
        self._gangs: dict[str, Gang] = {}
        self._of: dict[str, str] = {}
        """The gang of each member."""
        self._begun: dict[str, int] = {}
        """Gangs without members of which some have succeeded, and how many: the others may come again."""

    def get(self, key: str) -> Gang | None:
        """The gang, None when it has no members."""
        return self._gangs.get(key)

    def values(self) -> Iterable[Gang]:
        """All of them."""
        return self._gangs.values()

    def gang_of(self, uid: str) -> Gang | None:
        """The gang of a pod, None for a pod on its own."""
        key = self._of.get(uid)
        return None if key is None else self._gangs[key]

    def note(self, task: Task, *, waits: bool, placed: bool, pauses: bool = False) -> set[str]:
        """Take note of a pod, member or not. Returns the gangs that are concerned, by key."""
        uid, key = task.ref.uid, None if task.gang is None else task.gang.key
        concerned = self.drop(uid) if self._of.get(uid, key) != key else set()
        if task.gang is None:
            return concerned
        gang = self._gangs.get(task.gang.key)
        if gang is None:
            gang = self._gangs[task.gang.key] = Gang(task.gang)
            gang.done = self._begun.pop(task.gang.key, 0)
        gang.ref = task.gang
        self._of[uid] = task.gang.key
        gang.members.add(uid)
        gang.waiting.pop(uid, None)
        gang.placed.discard(uid)
        gang.pausing.discard(uid)
        if pauses:
            gang.pausing.add(uid)
        if waits:
            gang.waiting[uid] = task
        elif placed:
            gang.placed.add(uid)
        return {*concerned, task.gang.key}

    def drop(self, uid: str, *, succeeded: bool = False) -> set[str]:
        """Forget a pod. Returns the gangs that are concerned, by key."""
        key = self._of.pop(uid, None)
        if key is None:
            return set()
        gang = self._gangs[key]
        gang.waiting.pop(uid, None)
        gang.placed.discard(uid)
        gang.pausing.discard(uid)
        gang.members.discard(uid)
        gang.done += succeeded
        if not gang.members:
            del self._gangs[key]
            self._remember(gang)
        return {key}

    def _remember(self, gang: Gang) -> None:
        """A gang of which all succeeded is over, and its name may be used again."""
        if 0 < gang.done < (gang.ref.least or 0):
            self._begun[gang.ref.key] = gang.done
            if len(self._begun) > MOST_BEGUN:
                del self._begun[next(iter(self._begun))]

    def set_done(self, done: Iterable[str]) -> set[str]:
        """So many members have succeeded, a gang's key for each. Returns the gangs that are concerned."""
        concerned = set()
        for key, times in Counter(done).items():
            gang = self._gangs.get(key)
            if gang is None:
                self._begun[key] = max(times, self._begun.get(key, 0))
            elif gang.done < times:
                gang.done = times
                concerned.add(key)
        return concerned

    def validate(self) -> None:
        """Check that every member is in its gang, in one state."""
        assert set(self._of.values()) == set(self._gangs), "a gang without members was kept"
        for gang in self._gangs.values():
            assert not gang.placed & gang.waiting.keys(), f"{gang.name} has a member twice"
            assert gang.placed | gang.waiting.keys() <= gang.members
            assert all(self._of[uid] == gang.ref.key for uid in gang.members)
