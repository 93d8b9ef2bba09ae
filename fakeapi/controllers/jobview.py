"""A Job and its pods as the Job controller sees them (``job_controller.go``, ``indexed_job_utils.go``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from fakeapi.controllers import pods as seen
from fakeapi.controllers.failurepolicy import verdict_on
from fakeapi.controllers.indexes import parse_indexes
from fakeapi.kernel.time import Instant
from fakeapi.storage.objects import Object, Version

TRACKING: Final = "batch.kubernetes.io/job-tracking"
"""The finalizer that keeps a pod until its Job has counted it."""
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
FAILURES: Final = "batch.kubernetes.io/job-index-failure-count"
IGNORED_FAILURES: Final = "batch.kubernetes.io/job-index-ignored-failure-count"
"""Annotations of an index's next pod: how many before it failed, counted or not."""
_LARGEST: Final = 2**31 - 1


@dataclass
class JobView:
    """One look at a Job: what its pods did since it was looked at last, and what it wants.

    Attributes:
        job: the Job.
        pods: those it controls, in the order of their creation.
        now: the instant of the look.
    """

    job: Object
    pods: Sequence[Version]
    now: Instant
    spec: dict[str, Any] = field(init=False)
    status: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.spec = self.job["spec"]
        self.status = self.job.get("status") or {}

    # ---- what the Job wants ----

    @property
    def suspended(self) -> bool:
        """Whether it is not to run now."""
        return bool(self.spec.get("suspend"))

    @property
    def indexed(self) -> bool:
        """Whether each of its completions has an index."""
        return self.spec.get("completionMode") == "Indexed"

    @property
    def completions(self) -> int | None:
        """How many pods have to succeed; None for a Job that any success completes."""
        found: int | None = self.spec.get("completions")
        return found

    @property
    def limit_per_index(self) -> int | None:
        """How often each index may fail; None where the Job has one limit for all."""
        found: int | None = self.spec.get("backoffLimitPerIndex")
        return found

    @property
    def replaces_failed_only(self) -> bool:
        """Whether a pod is replaced only once it has ended."""
        return self.spec.get("podReplacementPolicy") == "Failed"

    @property
    def finished(self) -> bool:
        """Whether it has come to its end."""
        return any(
            each["type"] in ("Complete", "Failed") and each["status"] == "True"
            for each in self.status.get("conditions") or ()
        )

    # ---- what its pods do ----

    @cached_property
    def active(self) -> list[Version]:
        """Those that work or will."""
        return [pod for pod in self.pods if seen.is_active(pod.object)]

    @cached_property
    def terminating(self) -> list[Version]:
        """Those on their way out."""
        return [pod for pod in self.pods if seen.is_terminating(pod.object)]

    @cached_property
    def tracked(self) -> list[Version]:
        """Those that have not been counted yet."""
        return [pod for pod in self.pods if TRACKING in seen.finalizers(pod.object)]

    @cached_property
    def new_successes(self) -> list[Version]:
        """Those that have succeeded since the last look."""
        return [pod for pod in self._valid if seen.phase(pod.object) == seen.SUCCEEDED]

    @cached_property
    def new_failures(self) -> list[Version]:
        """Those that have failed since the last look, whether it counts or not."""
        return [pod for pod in self._valid if self.has_failed(pod.object)]

    @cached_property
    def counted_failures(self) -> int:
        """How many pods have failed, those left out that the failure policy ignores."""
        new = sum(verdict_on(self.job, pod.object).counts for pod in self.new_failures)
        return int(self.status.get("failed") or 0) + new

    @property
    def _valid(self) -> list[Version]:
        return [pod for pod in self.tracked if not self.indexed or self.index_of(pod.object) is not None]

    def has_failed(self, pod: Object) -> bool:
        """Whether a pod counts as failed: also one that is being deleted, unless those are waited for."""
        if seen.phase(pod) == seen.FAILED:
            return True
        return not self.replaces_failed_only and seen.is_terminating(pod)

    # ---- indexes ----

    def index_of(self, pod: Object) -> int | None:
        """The index of a pod; None without one that the Job has."""
        text = (pod["metadata"].get("annotations") or {}).get(COMPLETION_INDEX, "")
        if not (text.isascii() and text.isdecimal()):
            return None
        return int(text) if int(text) < (self.completions or 0) else None

    def indexes_of(self, pods: Sequence[Version]) -> set[int]:
        """The indexes that these pods have."""
        return {index for pod in pods if (index := self.index_of(pod.object)) is not None}

    @cached_property
    def succeeded_indexes(self) -> set[int]:
        """The indexes of which a pod has succeeded."""
        before = parse_indexes(self.status.get("completedIndexes") or "", self.completions or 0)
        return before | self.indexes_of(self.new_successes)

    @cached_property
    def failed_indexes(self) -> set[int]:
        """The indexes that have failed more often than they may."""
        before = parse_indexes(self.status.get("failedIndexes") or "", self.completions or 0)
        new = [pod for pod in self.new_failures if self._fails_its_index(pod.object)]
        return before | self.indexes_of(new)

    def _fails_its_index(self, pod: Object) -> bool:
        verdict = verdict_on(self.job, pod)
        if verdict.action == "FailIndex":
            return True
        return verdict.counts and failures_of(pod, FAILURES) >= (self.limit_per_index or 0)

    @cached_property
    def last_failures(self) -> dict[int, Version]:
        """The last failed pod of each index that waits for its next one, to be told how many failed."""
        found: dict[int, Version] = {}
        taken = self.succeeded_indexes | self.failed_indexes | self.indexes_of(self.active)
        for pod in self.new_failures:
            index = self.index_of(pod.object)
            if index is None or index in taken:
                continue
            last = found.get(index)
            if last is None or all_failures_of(last.object) <= all_failures_of(pod.object):
                found[index] = pod
        return found

    @property
    def succeeded(self) -> int:
        """How many pods have succeeded; of an Indexed Job how many indexes."""
        if self.indexed:
            return len(self.succeeded_indexes)
        return int(self.status.get("succeeded") or 0) + len(self.new_successes)


def failures_of(pod: Object, annotation: str) -> int:
    """How many pods of its index failed before a pod, as its annotation tells; 0 where it tells nothing."""
    text = (pod["metadata"].get("annotations") or {}).get(annotation, "")
    number = int(text) if text.isascii() and text.isdecimal() else 0
    return number if number <= _LARGEST else 0


def all_failures_of(pod: Object) -> int:
    """The same, whether they counted or not."""
    return failures_of(pod, FAILURES) + failures_of(pod, IGNORED_FAILURES)
