"""What a controller has to look at, and when: its work queue, on the queue of events."""

from collections.abc import Callable
from functools import partial
from typing import Final, Generic, TypeVar

from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import Event, EventQueue, Rank
from fakeapi.kernel.time import SECOND, Duration, Instant
from fakeapi.machinery.status import StatusError

FIRST_RETRY: Final[Duration] = 1 * SECOND
"""After a refused write, doubled each time (``DefaultJobApiBackOff`` of ``job_controller.go``)."""
LAST_RETRY: Final[Duration] = 60 * SECOND
"""Up to this (``MaxJobApiBackOff``)."""

_K = TypeVar("_K")


class WorkList(Generic[_K]):
    """Keys that wait to be synchronised, each once, at the earliest instant that was asked for."""

    def __init__(
        self, queue: EventQueue, clock: Clock, sync: Callable[[_K, Instant], Instant | None], label: str
    ) -> None:
        """``sync`` brings what a key names to where it should be, and returns when to look again.

        It may raise ``StatusError`` when the API refuses something: then it is tried again after a pause.
        That is background: a cluster in which nothing else will happen does not wait for it.
        """
        self._queue = queue
        self._clock = clock
        self._sync = sync
        self._label = label
        self._waiting: dict[_K, Event] = {}
        self._refusals: dict[_K, int] = {}

    def add(self, key: _K, *, after: Duration = 0) -> None:
        """Look at a key ``after`` so long, or when it was to be looked at if that is sooner."""
        self._add(key, self._clock.now() + after)

    def _add(self, key: _K, at: Instant, *, background: bool = False) -> None:
        waiting = self._waiting.get(key)
        if waiting is not None:
            if waiting.at <= at:
                return
            waiting.cancel()
        run = partial(self._run, key, at)
        self._waiting[key] = self._queue.schedule(
            at, Rank.CONTROLLER, run, self._label, background=background
        )

    def forget(self, key: _K) -> None:
        """Look at a key no more."""
        self._refusals.pop(key, None)
        waiting = self._waiting.pop(key, None)
        if waiting is not None:
            waiting.cancel()

    def _run(self, key: _K, at: Instant) -> None:
        self._waiting.pop(key, None)
        try:
            again = self._sync(key, at)
        except StatusError:
            refusals = self._refusals[key] = self._refusals.get(key, 0) + 1
            self._add(key, at + min(FIRST_RETRY << (refusals - 1), LAST_RETRY), background=True)
            return
        self._refusals.pop(key, None)
        if again is not None:
            self._add(key, max(again, at))
