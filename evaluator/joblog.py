"""Jobs in the timeline: what somebody submitted as one thing, though it is many pods.

A job is a batch Job, a Deployment or its kin, a PodGroup whose pods have no other controller, or a pod by
itself; the last has no lines of its own. A ReplicaSet of a Deployment is part of that. What belongs to a
controller that is not known here is a job from its first pod to its last, as a PodGroup is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.scenario.facts import PodFacts
from evaluator.scenario.jobfacts import SERVICES, JobFacts, ReadPod, group_of, job_facts, least_members
from evaluator.timeline import JobEnded, JobSubmitted, Outcome, Timeline
from fakeapi.storage.objects import Change, Key, Kind, Object

_MAKERS: Final = ("Job", *SERVICES)
"""Kinds of objects that are jobs from their creation on."""
_GROUP: Final = "PodGroup"


@dataclass(slots=True)
class Counts:
    """How many jobs there have been; services are counted as submitted alone."""

    submitted: int = 0
    finished: int = 0
    failed: int = 0

    def end(self, outcome: Outcome) -> None:
        """A job came to its end."""
        if outcome == "succeeded":
            self.finished += 1
        else:
            self.failed += 1


@dataclass(slots=True)
class _Maker:
    """A controller's object."""

    kind: str
    key: Key
    parent: str | None
    """The uid of the controller's own controller."""
    ended: bool = False


@dataclass(slots=True)
class _Group:
    """A job that is known by its pods."""

    alive: set[Key] = field(default_factory=set)
    worst: Outcome = "succeeded"
    reason: str = ""


class JobLog:
    """Writes the beginnings and ends of jobs.

    Args:
        timeline: where they are written.
        now_ns: nanoseconds since the start of the run.
        read: reads the facts of a pod that is submitted now.
    """

    def __init__(self, timeline: Timeline, now_ns: Callable[[], int], read: ReadPod) -> None:
        self.counts: Final = Counts()
        self._timeline = timeline
        self._now_ns = now_ns
        self._read = read
        self._makers: dict[str, _Maker] = {}
        self._least: dict[Key, int] = {}
        """PodGroup → the members that it needs."""
        self._groups: dict[str, _Group] = {}
        self._group_of: dict[Key, str] = {}

    # ---- objects that are jobs ---------------------------------------------------------------------

    def hear(self, change: Change) -> None:
        """An object other than a pod or a node was created, changed or removed."""
        kind = change.after.object.get("kind")
        if kind in _MAKERS:
            self._hear_maker(str(kind), change)
        elif kind == _GROUP:
            if change.kind is Kind.DELETED:
                self._least.pop(change.after.key, None)
            else:
                self._least[change.after.key] = least_members(change.after.object)

    def _hear_maker(self, kind: str, change: Change) -> None:
        obj, key = change.after.object, change.after.key
        uid = obj["metadata"]["uid"]
        if change.kind is Kind.ADDED:
            maker = self._makers[uid] = _Maker(kind, key, _controller(obj).get("uid"))
            if maker.parent not in self._makers:
                self._submit(key, job_facts(obj, self._read))
            return
        known = self._makers.get(uid)
        if known is None:
            return
        if kind == "Job" and not known.ended:
            self._look_for_end(known, obj)
        if change.kind is Kind.DELETED:
            del self._makers[uid]
            if not known.ended and known.parent not in self._makers:
                self._end(known, "deleted", "Deleted")

    def _look_for_end(self, job: _Maker, obj: Object) -> None:
        for condition in (obj.get("status") or {}).get("conditions") or ():
            if condition.get("status") == "True" and condition.get("type") in ("Complete", "Failed"):
                outcome: Outcome = "succeeded" if condition["type"] == "Complete" else "failed"
                self._end(job, outcome, str(condition.get("reason") or condition["type"]))
                return

    def _submit(self, key: Key, facts: JobFacts) -> None:
        self.counts.submitted += 1
        pod = facts.pod
        self._timeline.append(
            JobSubmitted(
                at_ns=self._now_ns(),
                job="/".join(key),
                controller=facts.controller,
                pods=facts.pods,
                parallel=facts.parallel,
                gang=facts.gang,
                chips=facts.chips,
                service=facts.service,
                deadline_ns=pod.deadline_ns,
                expected_ns=pod.expected_ns,
                run_ns=pod.run_ns,
                priority=pod.priority,
                user=pod.user,
                queue=pod.queue,
            )
        )

    def _end(self, job: _Maker, outcome: Outcome, reason: str) -> None:
        job.ended = True
        if job.kind not in SERVICES:
            self.counts.end(outcome)
        self._tell_end("/".join(job.key), outcome, reason)

    def _tell_end(self, job: str, outcome: Outcome, reason: str) -> None:
        self._timeline.append(JobEnded(at_ns=self._now_ns(), job=job, outcome=outcome, reason=reason))

    # ---- pods of jobs --------------------------------------------------------------------------------

    def submit_pod(self, key: Key, pod: Object, facts: PodFacts) -> str | None:
        """A pod was created; the job that it belongs to, or None if it is one itself."""
        owner = _controller(pod)
        if owner:
            uid = owner["uid"]
            maker = self._makers.get(uid)
            while maker is not None and maker.parent in self._makers:
                maker = self._makers[maker.parent]
            if maker is not None:
                return "/".join(maker.key)
            return self._submit_member(key, str(owner["kind"]), (key[0], str(owner["name"])), facts)
        group = group_of(pod)
        if group is not None:
            return self._submit_member(key, _GROUP, (key[0], group), facts)
        self.counts.submitted += 1
        return None

    def _submit_member(self, pod: Key, controller: str, job: Key, facts: PodFacts) -> str:
        name = "/".join(job)
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group()
            least = self._least.get(job, 1) if controller == _GROUP else 1
            self._submit(job, JobFacts(controller, least, least, controller == _GROUP, False, facts))
        group.alive.add(pod)
        self._group_of[pod] = name
        return name

    def end_pod(self, key: Key, job: str | None, outcome: Outcome, reason: str) -> None:
        """A pod ended: with it its job, if it was one itself or the last of its group."""
        if job is None:
            self.counts.end(outcome)
            return
        name = self._group_of.pop(key, None)
        if name is None:
            return
        group = self._groups[name]
        group.alive.discard(key)
        if outcome != "succeeded" and group.worst == "succeeded":
            group.worst, group.reason = outcome, reason
        if not group.alive:
            del self._groups[name]
            self.counts.end(group.worst)
            self._tell_end(name, group.worst, group.reason or reason)


def _controller(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """The reference to the object's controller; empty where it has none."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            found: Mapping[str, Any] = owner
            return found
    return {}
