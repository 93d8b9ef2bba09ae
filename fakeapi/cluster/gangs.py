"""Gangs: pods that work together or not at all.

A gang forms when as many of its members run as it needs, and works from that instant on, in one session
(:mod:`fakeapi.cluster.work`): all of its members have the same progress, and the same last checkpoint.
Who joins later works along. When a member of a gang that works is lost, the others exit at the same
instant, since their next collective operation fails; and the whole restarts. While a gang waits to form,
a member's loss harms nobody: the others wait on.

A member that is asked to stop takes the gang's work to a halt at once. If it saves its work before it
stops, it saves the gang's: training frameworks agree on a checkpoint when one of their processes is told
to end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from fakeapi.cluster.podrecord import PodRecord
from fakeapi.cluster.work import Ending, Piece, Session, Terms
from fakeapi.kernel.time import Instant
from fakeapi.storage.objects import Key

Name: TypeAlias = tuple[str, str]
"""(namespace, gang)."""


@dataclass(slots=True, eq=False)
class _Gang:
    running: dict[Key, PodRecord] = field(default_factory=dict)
    """Members whose containers run, in the order in which they started."""
    session: Session | None = None


class Gangs:
    """All gangs of the world; each change costs no more than the gang has members.

    Args:
        replan: called for a member whose end has moved.
        lose_peer: called for a member that has to exit since another was lost, with that one's key.
    """

    def __init__(
        self,
        replan: Callable[[PodRecord, Instant], None],
        lose_peer: Callable[[PodRecord, Key, Instant], None],
    ) -> None:
        self._gangs: dict[Name, _Gang] = {}
        self._replan: Final = replan
        self._lose_peer: Final = lose_peer

    def members(self, namespace: str, gang: str) -> tuple[Key, ...]:
        """The members that run."""
        found = self._gangs.get((namespace, gang))
        return () if found is None else tuple(found.running)

    def works(self, namespace: str, gang: str) -> bool:
        """Whether the gang makes progress."""
        found = self._gangs.get((namespace, gang))
        return found is not None and found.session is not None

    def join(self, record: PodRecord, piece: Piece, at: Instant) -> None:
        """The containers of a member started."""
        gang = self._gangs.setdefault(_name(record), _Gang())
        gang.running[record.key] = record
        if gang.session is not None:
            self._take_part(record, gang.session, at)
        elif len(gang.running) >= record.life.gang_size:
            self._form(gang, piece, record, at)

    def _form(self, gang: _Gang, piece: Piece, last: PodRecord, at: Instant) -> None:
        terms = Terms.of(tuple(member.life for member in gang.running.values()))
        gang.session = Session(piece, terms, at)
        for member in gang.running.values():
            self._take_part(member, gang.session, at)
        self._replan_others(gang, last, at)  # the last is about to enter its state, and is planned there

    @staticmethod
    def _take_part(record: PodRecord, session: Session, at: Instant) -> None:
        record.session, record.joined = session, session.progress(at)

    def halt(self, record: PodRecord, at: Instant) -> None:
        """A member was asked to stop: the gang's work halts."""
        gang = self._gangs.get(_name(record))
        if gang is None or record.key not in gang.running:
            return
        if gang.session is None:  # it waits no longer
            self.leave(record, at, Ending.CUT_SHORT)
            return
        gang.session.halt(at)
        self._replan_others(gang, record, at)

    def change(self, record: PodRecord, at: Instant) -> None:
        """The annotations of a member that works have changed: they are the gang's terms too."""
        gang = self._gangs.get(_name(record))
        if gang is None or gang.session is None:
            return
        gang.session.change(Terms.of(tuple(member.life for member in gang.running.values())))
        self._replan_others(gang, record, at)

    def _replan_others(self, gang: _Gang, record: PodRecord, at: Instant) -> None:
        for member in gang.running.values():
            if member is not record:
                self._replan(member, at)

    def leave(self, record: PodRecord, at: Instant, ending: Ending) -> None:
        """The containers of a member ended: a gang that worked has ended its session."""
        name = _name(record)
        gang = self._gangs.get(name)
        if gang is None or gang.running.pop(record.key, None) is None:
            return
        session = gang.session
        if session is not None and record.session is session:
            session.settle(at, ending)
            gang.session = None
            self._scatter(gang, record, at, ending)
        if not gang.running:
            del self._gangs[name]

    def _scatter(self, gang: _Gang, lost: PodRecord, at: Instant, ending: Ending) -> None:
        """Every other member ends too, at this instant: by itself where the work is at its end."""
        others = list(gang.running.values())
        gang.running.clear()
        for member in others:
            if ending in (Ending.CUT_SHORT, Ending.SAVED):
                self._lose_peer(member, lost.key, at)

    def validate(self) -> None:
        """Check every invariant.

        Raises:
            AssertionError: one does not hold.
        """
        for name, gang in self._gangs.items():
            assert gang.running, f"nobody is in gang {name}"
            for member in gang.running.values():
                assert member.session is gang.session, member.story()
            if gang.session is not None:
                least = min(member.life.gang_size for member in gang.running.values())
                assert len(gang.running) >= least, f"gang {name} works with {len(gang.running)} of {least}"


def _name(record: PodRecord) -> Name:
    assert record.life.gang is not None, "only members of a gang are told here"
    return record.key[0], record.life.gang
