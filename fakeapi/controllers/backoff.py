"""How long a Job waits before it replaces failed pods (``backoff_utils.go``)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fakeapi.controllers.pods import finished_at
from fakeapi.kernel.time import MINUTE, SECOND, Duration, Instant
from fakeapi.storage.objects import Version

FIRST: Final[Duration] = 10 * SECOND
"""After the first failure (``DefaultJobPodFailureBackOff``), doubled with each further one in a row."""
LONGEST: Final[Duration] = 10 * MINUTE
"""``MaxJobPodFailureBackOff``."""
_ENOUGH_DOUBLINGS: Final = 10
"""10 s doubled ten times is more than the longest."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """A Job's failures in a row, and when the last one was."""

    failures: int = 0
    last: Instant = 0

    def after(self, successes: Sequence[Version], failures: Sequence[Version]) -> "Backoff":
        """What follows from pods that have ended since: a success ends the row."""
        ends = sorted(finished_at(pod.object) for pod in failures)
        if successes:
            last_success = max(finished_at(pod.object) for pod in successes)
            ends = [end for end in ends if end > last_success]
            return Backoff(len(ends), ends[-1]) if ends else Backoff()
        return Backoff(self.failures + len(ends), ends[-1]) if ends else self

    def until(self) -> Instant:
        """The instant from which on a failed pod may be replaced."""
        if not self.failures:
            return 0
        return self.last + min(FIRST << min(self.failures - 1, _ENOUGH_DOUBLINGS), LONGEST)
