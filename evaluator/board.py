"""What a user sees of a cluster: which of the jobs wait, which run, and how those that are over ended."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evaluator.timeline import Event, JobEnded, JobSubmitted, PodBound, PodEnded, PodStarted, PodSubmitted

JobKey: TypeAlias = tuple[Literal["pod", "job"], str]
"""Kind, and ``namespace/name``."""


@dataclass(slots=True)
class _Stay:
    """A pod that has not ended."""

    user: str | None
    queue: str | None
    job: str | None
    bound: bool = False


@dataclass(slots=True)
class Board:
    """Follows a timeline."""

    _stays: dict[str, _Stay] = field(default_factory=dict)
    _outcomes: dict[JobKey, str] = field(default_factory=dict)
    _started: set[JobKey] = field(default_factory=set)

    def follow(self, event: Event) -> list[tuple[JobKey, Literal["started", "finished"]]]:
        """Take an event in; what became of which pods and jobs by it."""
        match event:
            case PodSubmitted():
                self._stays[event.pod] = _Stay(event.user, event.queue, event.job)
                self.forget(("pod", event.pod))
            case JobSubmitted():
                self.forget(("job", event.job))
            case PodBound():
                self._stays[event.pod].bound = True
            case PodStarted():
                job = self._stays[event.pod].job
                keys: list[JobKey] = [("pod", event.pod)]
                if job is not None and ("job", job) not in self._started:
                    keys.append(("job", job))
                self._started.update(keys)
                return [(key, "started") for key in keys]
            case PodEnded():
                self._stays.pop(event.pod, None)
                self._outcomes["pod", event.pod] = event.outcome
                return [(("pod", event.pod), "finished")]
            case JobEnded():
                self._outcomes["job", event.job] = event.outcome
                return [(("job", event.job), "finished")]
            case _:
                pass
        return []

    def forget(self, key: JobKey) -> None:
        """A pod or Job of this name is submitted anew."""
        self._outcomes.pop(key, None)
        self._started.discard(key)

    def outcome(self, key: JobKey) -> str | None:
        """How it ended; None as long as it has not."""
        return self._outcomes.get(key)

    def is_past(self, key: JobKey, what: Literal["started", "finished"]) -> bool:
        """Whether it has started, or ended; what ended without a start will not start any more."""
        return key in self._outcomes or (what == "started" and key in self._started)

    def count(self, *, waiting: bool, user: str | None, queue: str | None) -> int:
        """How many pods wait for a node, or hold one."""
        return sum(
            stay.bound is not waiting
            and (user is None or stay.user == user)
            and (queue is None or stay.queue == queue)
            for stay in self._stays.values()
        )
