"""Emptying a node as ``kubectl drain --ignore-daemonsets --force --delete-emptydir-data`` does.

Every pod of the node is evicted through the API, so that disruption budgets hold; a pod that its budget
does not let go is asked for again every 5 s, for as long as it takes (kubectl's ``--timeout`` is 0 by
default). Pods of DaemonSets stay. One difference: kubectl removes pods that have ended as well, which
hold nothing.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from fakeapi.cluster.kubelet import Kubelet
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import Event, EventQueue, Rank
from fakeapi.kernel.time import SECOND, Duration, Instant
from fakeapi.machinery.status import StatusError
from fakeapi.storage.objects import Key

RETRY: Final[Duration] = 5 * SECOND
"""Between two tries for a pod whose budget has no room (``kubectl/pkg/drain/drain.go``)."""
_TOO_MANY_REQUESTS: Final = 429
_NOT_FOUND: Final = 404

Evict: TypeAlias = Callable[[Key], None]
"""Asks for a pod's eviction.

Raises:
    StatusError: it is refused.
"""


class Drains:
    """The drains that go on."""

    def __init__(self, queue: EventQueue, clock: Clock, kubelet: Kubelet, evict: Evict) -> None:
        self._queue = queue
        self._clock = clock
        self._kubelet = kubelet
        self._evict = evict
        self._waiting: dict[str, Event] = {}
        """Node → its next try."""

    def begin(self, node: str) -> None:
        """Evict the pods of a node, and go on until all are gone."""
        self.give_up(node)
        self._try(node, self._clock.now())

    def give_up(self, node: str) -> None:
        """Ask for no more pods of that node."""
        event = self._waiting.pop(node, None)
        if event is not None:
            event.cancel()

    def _try(self, node: str, at: Instant) -> None:
        self._waiting.pop(node, None)
        # All of them first: whoever may not go is asked for again, whoever may goes now.
        refused = [key for key in self._kubelet.evictable(node) if not self._asked(key)]
        if refused:
            later = at + RETRY
            self._waiting[node] = self._queue.schedule(
                later, Rank.CONTROLLER, partial(self._try, node, later), "drain", background=True
            )

    def _asked(self, key: Key) -> bool:
        """Whether the pod goes, or is gone."""
        try:
            self._evict(key)
        except StatusError as refusal:
            if refusal.code == _TOO_MANY_REQUESTS:
                return False
            if refusal.code != _NOT_FOUND:
                raise
        return True
