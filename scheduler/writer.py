"""Carry out the core's decisions, so many requests at once as is allowed: by default one after the other.

Bindings, preemptions and nominations come first and go out in the order of the decisions, so that the API
sees one history and not a race; then the conditions of pods that wait; Events last, since they inform and
nothing hangs on them. Where more than one write may be under way, those that concern the same pod still come
one after the other.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from scheduler.kube.client import Client
from scheduler.kube.errors import HTTP_CONFLICT, HTTP_NOT_FOUND, ApiError, RequestError, UnreachableError
from scheduler.kube.pauses import Pauses
from scheduler.messages import (
    Announce,
    Bind,
    BindDone,
    BindRefused,
    Happening,
    MarkUnschedulable,
    Nominate,
    PodGone,
    Preempt,
    PreemptRefused,
)
from scheduler.model import PodRef
from scheduler.witness import Witness

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

MOST_ATTEMPTS = 5
"""How often a condition or an Event is tried while the server is in trouble, before it is let go."""


Decided: TypeAlias = Bind | Preempt | Nominate
"""What changes where pods are, or will be."""


@dataclass(slots=True)
class _Note:
    """A condition or an Event to write, decided at ``at``."""

    content: MarkUnschedulable | Announce
    at: int
    attempts: int = 0


class Writer:
    """Sends what it is given, in the background, and reports the fate of bindings."""

    def __init__(
        self,
        client: Client,
        report: Callable[[Happening], None],
        pod_read: Callable[[Mapping[str, Any]], None],
        pauses: Pauses,
        now: Callable[[], int],
        *,
        limit: int = 1,
        annotations: Callable[[Bind], Mapping[str, str]] = lambda _: {},
        witness: Witness | None = None,
    ) -> None:
        """``report`` gets what became of decisions; ``pod_read`` a pod that was read anew out of doubt.

        ``limit`` is how many writes may be under way at once; ``annotations`` goes into a binding.
        """
        self._client = client
        self._report = report
        self._pod_read = pod_read
        self._pauses = pauses
        self._now = now
        self._decisions: deque[Decided] = deque()
        self._marks: dict[str, _Note] = {}
        self._announcements: deque[_Note] = deque()
        self._limit = limit
        self._annotations = annotations
        self._witness = witness or Witness()
        self._busy: set[str] = set()
        """The pods, by uid, that a write is under way for."""
        self._work = asyncio.Event()

    def submit(self, action: Decided | MarkUnschedulable | Announce, now: int) -> None:
        """Send this when its turn comes."""
        if isinstance(action, Bind):
            # Why the pod waited is no longer true.
            self._marks.pop(action.ref.uid, None)
            self._decisions.append(action)
        elif isinstance(action, Preempt | Nominate):
            self._decisions.append(action)
        elif isinstance(action, MarkUnschedulable):
            self._mark(action, now)
        else:
            self._announcements.append(_Note(action, now))
        self._work.set()

    def _mark(self, mark: MarkUnschedulable, now: int) -> None:
        unsent = self._marks.pop(mark.ref.uid, None)
        if unsent is not None and isinstance(unsent.content, MarkUnschedulable):
            mark = MarkUnschedulable(mark.ref, mark.message, mark.first or unsent.content.first)
        self._marks[mark.ref.uid] = _Note(mark, now)

    async def run(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as senders:
            for _ in range(self._limit):
                senders.create_task(self._keep_sending())

    async def _keep_sending(self) -> None:
        while True:
            job = self._next()
            if job is None:
                self._work.clear()
                await self._work.wait()
                continue
            uid, sending = job
            self._busy.add(uid)
            await sending
            self._busy.discard(uid)
            self._work.set()  # another sender may have left out this pod's next write

    def _next(self) -> tuple[str, Coroutine[Any, Any, None]] | None:
        """What to send now, and for which pod; None while there is nothing, or its pod's turn is not over."""
        if self._decisions:
            decided = self._take_from(self._decisions, lambda each: _subject(each).uid)
            return None if decided is None else (_subject(decided).uid, self._carry_out(decided))
        if self._marks:
            uid = next((uid for uid in self._marks if uid not in self._busy), None)
            return None if uid is None else (uid, self._write_mark(uid, self._marks[uid]))
        note = self._take_from(self._announcements, lambda each: each.content.ref.uid)
        return None if note is None else (note.content.ref.uid, self._write_announcement(note))

    def _take_from(self, queue: deque[_T], uid_of: Callable[[_T], str]) -> _T | None:
        """The first of a queue whose pod is not busy, taken out of it."""
        place = next((place for place, each in enumerate(queue) if uid_of(each) not in self._busy), None)
        if place is None:
            return None
        found = queue[place]
        del queue[place]
        return found

    async def _write_mark(self, uid: str, mark: _Note) -> None:
        if await self._written(mark) and self._marks.get(uid) is mark:
            del self._marks[uid]

    async def _write_announcement(self, note: _Note) -> None:
        if not await self._written(note):
            self._announcements.appendleft(note)

    async def _carry_out(self, decided: Decided) -> None:
        match decided:
            case Bind():
                await self._bind(decided)
            case Preempt():
                await self._preempt(decided)
            case Nominate():
                await self._nominate(decided)

    async def _preempt(self, preemption: Preempt) -> None:
        victim = preemption.victim
        try:
            with self._witness.writing("preempt"):
                await self._client.announce_disruption(victim, preemption.why, self._now())
                await self._client.delete(victim)
        except RequestError as error:
            _log.warning("preempting %s/%s: %s", victim.namespace, victim.name, error)
            if isinstance(error, ApiError) and error.code in _DOUBTFUL:
                await self._look(victim)  # gone, or another pod by now: then its place is free anyway
            else:
                self._report(PreemptRefused(victim, str(error)))

    async def _nominate(self, nomination: Nominate) -> None:
        ref = nomination.ref
        try:
            with self._witness.writing("nominate"):
                await self._client.nominate(ref, nomination.node)
        except RequestError as error:  # it informs: the core holds the place all the same
            _log.info("nominating %s/%s: %s", ref.namespace, ref.name, error)

    async def _bind(self, binding: Bind) -> None:
        try:
            with self._witness.writing("bind"):
                await self._client.bind(binding.ref, binding.node, self._annotations(binding))
        except RequestError as error:
            _log.warning(
                "binding %s/%s to %s: %s", binding.ref.namespace, binding.ref.name, binding.node, error
            )
            if not isinstance(error, ApiError) or error.code in _DOUBTFUL:
                await self._look(binding.ref)
            self._report(BindRefused(binding.ref, binding.node, str(error)))
        else:
            self._report(BindDone(binding.ref, binding.node))

    async def _look(self, ref: PodRef) -> None:
        """Read how a pod really is: the binding may have worked without an answer, or the pod be gone."""
        try:
            pod = await self._client.pod(ref)
        except ApiError as error:
            if error.code == HTTP_NOT_FOUND:
                self._report(PodGone(ref.uid))
        except UnreachableError:
            return  # then the watch will tell
        else:
            self._pod_read(pod)

    async def _written(self, note: _Note) -> bool:
        """Write a note. Returns whether it is dealt with; if not, it is to be tried again."""
        try:
            await self._send(note)
        except RequestError as error:
            return await self._let_go(note, error)
        return True

    async def _send(self, note: _Note) -> None:
        if isinstance(note.content, MarkUnschedulable):
            with self._witness.writing("condition"):
                await self._client.mark_unschedulable(note.content, note.at)
        else:
            with self._witness.writing("event"):
                await self._client.record(note.content, note.at)

    async def _let_go(self, note: _Note, error: RequestError) -> bool:
        if isinstance(error, ApiError) and error.code in _MOOT:
            return True
        note.attempts += 1
        passing = not isinstance(error, ApiError) or error.passing
        if not passing or note.attempts >= MOST_ATTEMPTS:
            _log.warning(
                "gave up telling pod %s/%s: %s", note.content.ref.namespace, note.content.ref.name, error
            )
            return True
        # The server is in trouble: sparing it for a moment is right for all that waits here.
        await asyncio.sleep(self._pauses.after(note.attempts))
        return False


def _subject(decided: Decided) -> PodRef:
    """The pod that the write is to."""
    return decided.victim if isinstance(decided, Preempt) else decided.ref


_DOUBTFUL = frozenset({HTTP_NOT_FOUND, HTTP_CONFLICT})
"""Refusals of a binding that say that the pod is not as we think."""

_MOOT = frozenset({HTTP_NOT_FOUND, HTTP_CONFLICT})
"""Refusals of a note that leave nothing to do: the pod is gone or another now, or the Event exists."""
