"""What follows from one look at a Job: pods to make and to delete, its status, when to look again.

Follows ``syncJob``, ``manageJob`` and ``trackJobStatusAndRemoveFinalizers`` of ``job_controller.go``. Nothing
is written here. What the real controller writes in two steps, first the uids of ended pods and then their
count, is one step here, since no write of ours is ever lost.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from fakeapi.controllers import pods as seen
from fakeapi.controllers.backoff import Backoff
from fakeapi.controllers.failurepolicy import verdict_on
from fakeapi.controllers.indexes import format_indexes
from fakeapi.controllers.jobends import End, completes, deadline, early_end
from fakeapi.controllers.jobview import JobView, all_failures_of
from fakeapi.kernel.time import Instant, format_instant
from fakeapi.storage.objects import Version

MOST_PODS: Final = 500
"""Pods that one look makes or deletes at most (``MaxPodCreateDeletePerSync``)."""


@dataclass
class Step:
    """What to do about a Job, and what it is like then.

    Attributes:
        status: its status after that.
        make: an index for each pod to make, None for one without.
        delete: pods to delete.
        count: pods that are counted now: what tracks them is taken off.
        again: when to look again at the latest; None for when something changes.
        backoff: its failures in a row.
    """

    status: dict[str, Any]
    backoff: Backoff
    make: list[int | None] = field(default_factory=list)
    delete: list[Version] = field(default_factory=list)
    count: list[Version] = field(default_factory=list)
    again: Instant | None = None


def look_at(view: JobView, backoff: Backoff) -> Step:
    """Decide about a Job that is not finished."""
    return _Sync(view, backoff).run()


class _Sync:
    def __init__(self, view: JobView, backoff: Backoff) -> None:
        self._view = view
        self._step = Step(_begun(view), backoff.after(view.new_successes, view.new_failures))
        self._active = len(view.active)
        self._end: End | None = None

    def run(self) -> Step:
        view, step = self._view, self._step
        # The start that this look sets counts for the deadline already.
        view.status = step.status
        self._end = early_end(view)
        if self._end is not None:
            step.delete = list(view.active)
        elif not seen.is_ending(view.job):
            self._manage()
        self._active += len(step.make) - len(step.delete)
        if self._end is None:
            self._end = completes(view, self._active)
            if self._end is None:
                self._look_again(deadline(view))
                if not seen.is_ending(view.job):
                    self._tell_suspension()
        self._count()
        self._tell()
        return step

    def _look_again(self, at: Instant | None) -> None:
        if at is not None and (self._step.again is None or at < self._step.again):
            self._step.again = at

    # ---- pods ----

    def _manage(self) -> None:
        view, step = self._view, self._step
        if view.suspended:
            step.delete = self._superfluous(len(view.active))
            return
        wanted = self._wanted()
        step.delete = self._superfluous(max(0, len(view.active) - wanted))[:MOST_PODS]
        if step.delete:
            return  # either deletions or creations in one look
        leaving = len(view.terminating) if view.replaces_failed_only else 0
        missing = wanted - leaving - len(view.active)
        if missing > 0:
            self._make(min(missing, MOST_PODS))

    def _wanted(self) -> int:
        view = self._view
        parallelism = int(view.spec["parallelism"])
        if view.completions is None:
            return len(view.active) if view.succeeded else parallelism
        return max(0, min(parallelism, view.completions - view.succeeded))

    def _make(self, count: int) -> None:
        view, step = self._view, self._step
        if view.limit_per_index is None and step.backoff.until() > view.now:
            self._look_again(step.backoff.until())
            return
        if not view.indexed:
            step.make = [None] * count
            return
        pending = self._pending_indexes(count)
        if view.limit_per_index is not None:
            ready = {index: _may_follow(view, index) for index in pending}
            waiting = [at for at in ready.values() if at > view.now]
            pending = [index for index, at in ready.items() if at <= view.now]
            if waiting:
                self._look_again(min(waiting))
        step.make = list(pending)

    def _pending_indexes(self, count: int) -> list[int]:
        view = self._view
        taken = view.succeeded_indexes | view.indexes_of(view.active)
        if view.replaces_failed_only:
            taken |= view.indexes_of(view.terminating)
        if view.limit_per_index is not None:
            taken |= view.failed_indexes
        found: list[int] = []
        for index in range(view.completions or 0):
            if len(found) == count:
                break
            if index not in taken:
                found.append(index)
        return found

    def _superfluous(self, least: int) -> list[Version]:
        """At least so many active pods to remove: those whose index is taken or none of the Job's first."""
        view = self._view
        removed: list[Version] = []
        left = list(view.active)
        if view.indexed:
            kept: dict[int, Version] = {}
            for pod in reversed(seen.first_to_remove(view.active)):
                index = view.index_of(pod.object)
                if index is None or index in kept:
                    removed.append(pod)
                else:
                    kept[index] = pod
            left = list(kept.values())
        if len(removed) < least:
            removed += seen.first_to_remove(left)[: least - len(removed)]
        return removed

    # ---- the status ----

    def _count(self) -> None:
        """Count the pods that have ended, and all of a Job that is over."""
        view, status = self._view, self._step.status
        failed = 0
        for pod in view.tracked:
            if not self._may_count(pod):
                continue
            self._step.count.append(pod)
            failed += self._counts_as_failed(pod)
        status["failed"] = int(status.get("failed") or 0) + failed
        status["succeeded"] = view.succeeded
        if view.indexed:
            status["completedIndexes"] = format_indexes(view.succeeded_indexes)
            if view.limit_per_index is not None:
                status["failedIndexes"] = format_indexes(view.failed_indexes)

    def _may_count(self, pod: Version) -> bool:
        view = self._view
        if seen.is_ending(view.job) or self._end is not None or seen.phase(pod.object) == seen.SUCCEEDED:
            return True
        if not view.has_failed(pod.object):
            return False
        if view.limit_per_index is None:
            return True
        index = view.index_of(pod.object)
        # The index's next pod has to know how often it failed: the last one is kept until then.
        waits = index is not None and view.last_failures.get(index) is pod
        return not waits or index in self._step.make

    def _counts_as_failed(self, pod: Version) -> bool:
        view = self._view
        if seen.phase(pod.object) == seen.SUCCEEDED:
            return False
        over = self._end is not None and not self._end.succeeds
        if not view.has_failed(pod.object) and not over:
            return False
        if view.indexed and view.index_of(pod.object) is None:
            return False
        return verdict_on(view.job, pod.object).counts

    def _tell_suspension(self) -> None:
        view, status = self._view, self._step.status
        if view.suspended:
            if _ensure(status, "Suspended", "True", "JobSuspended", "Job suspended", view.now):
                status.pop("startTime", None)
        elif _ensure(status, "Suspended", "False", "JobResumed", "Job resumed", view.now):
            status["startTime"] = format_instant(view.now)
            self._look_again(deadline(view))

    def _tell(self) -> None:
        view, step = self._view, self._step
        status = step.status
        deleted = {pod.key for pod in step.delete}
        ready = sum(seen.is_ready(pod.object) for pod in view.active if pod.key not in deleted)
        # One without a node, or whose containers never ran, is gone at once: nothing of it terminates.
        leaving = len(view.terminating) + len(step.delete)
        status.update(active=self._active, ready=ready, terminating=leaving, uncountedTerminatedPods={})
        for name in ("active", "succeeded", "failed", "completedIndexes"):
            if not status.get(name):
                status.pop(name, None)
        if self._end is not None:
            self._conclude(self._end, leaving)

    def _conclude(self, end: End, leaving: int) -> None:
        view, status = self._view, self._step.status
        interim = "SuccessCriteriaMet" if end.succeeds else "FailureTarget"
        _ensure(status, interim, "True", end.reason, end.message, view.now)
        if leaving:
            return  # it is over when they are gone
        final = "Complete" if end.succeeds else "Failed"
        _ensure(status, final, "True", end.reason, end.message, view.now)
        if end.succeeds:
            status["completionTime"] = format_instant(view.now)


def _begun(view: JobView) -> dict[str, Any]:
    """The status to begin with: a Job that may run has a start."""
    status = dict(view.status)
    status["conditions"] = [dict(each) for each in status.get("conditions") or ()]
    if not status["conditions"]:
        del status["conditions"]
    if "startTime" not in status and not view.suspended:
        status["startTime"] = format_instant(view.now)
    return status


def _may_follow(view: JobView, index: int) -> Instant:
    """When an index that has failed may have its next pod."""
    last = view.last_failures.get(index)
    if last is None:
        return 0
    return Backoff(all_failures_of(last.object) + 1, seen.finished_at(last.object)).until()


def _ensure(status: dict[str, Any], kind: str, value: str, reason: str, message: str, now: Instant) -> bool:
    """Let a condition say this; none is made only to say False. Returns whether anything changed."""
    conditions = list(status.get("conditions") or ())
    text = format_instant(now)
    new = {
        "type": kind,
        "status": value,
        "lastProbeTime": text,
        "lastTransitionTime": text,
        "reason": reason,
        "message": message,
    }
    for place, old in enumerate(conditions):
        if old["type"] == kind:
            if (old["status"], old.get("reason"), old.get("message")) == (value, reason, message):
                return False
            conditions[place] = new
            break
    else:
        if value == "False":
            return False
        conditions.append(new)
    status["conditions"] = conditions
    return True
