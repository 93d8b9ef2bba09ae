"""Carry out the core's decisions, one request after the other.

Bindings, preemptions and nominations come first and go out in the order of the decisions, so that the API
sees one history and not a race; then the conditions of pods that wait; Events last, since they inform and
nothing hangs on them.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

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

_log = logging.getLogger(__name__)

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
    ) -> None:
        """``report`` gets what became of decisions; ``pod_read`` a pod that was read anew out of doubt."""
        self._client = client
        self._report = report
        self._pod_read = pod_read
        self._pauses = pauses
        self._now = now
        self._decisions: deque[Decided] = deque()
        self._marks: dict[str, _Note] = {}
        self._announcements: deque[_Note] = deque()
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
        while True:
            if self._decisions:
                await self._carry_out(self._decisions.popleft())
            elif self._marks:
                uid, mark = next(iter(self._marks.items()))
                if await self._written(mark) and self._marks.get(uid) is mark:
                    del self._marks[uid]
            elif self._announcements:
                if await self._written(self._announcements[0]):
                    self._announcements.popleft()
            else:
                self._work.clear()
                await self._work.wait()

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
            await self._client.nominate(ref, nomination.node)
        except RequestError as error:  # it informs: the core holds the place all the same
            _log.info("nominating %s/%s: %s", ref.namespace, ref.name, error)

    async def _bind(self, binding: Bind) -> None:
        try:
            await self._client.bind(binding.ref, binding.node)
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
            await self._client.mark_unschedulable(note.content, note.at)
        else:
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


_DOUBTFUL = frozenset({HTTP_NOT_FOUND, HTTP_CONFLICT})
"""Refusals of a binding that say that the pod is not as we think."""

_MOOT = frozenset({HTTP_NOT_FOUND, HTTP_CONFLICT})
"""Refusals of a note that leave nothing to do: the pod is gone or another now, or the Event exists."""
