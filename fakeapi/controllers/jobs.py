"""The Job controller: pods for Jobs, and what became of them in the Jobs' status.

Follows ``pkg/controller/job``. A new or changed Job is looked at in the instant of the change; what its pods
do is looked at one second later, all of that second at once (``SyncJobBatchPeriod``). Failed pods are
replaced after 10 s, doubled with each further failure up to ten minutes. A finished Job with
``ttlSecondsAfterFinished`` is deleted with its pods when that is over (``pkg/controller/ttlafterfinished``).

Differences: no Events are recorded, pods without a controller are not adopted, and a look that would change
nothing does not take place.
"""

from typing import Any, Final

from fakeapi.controllers import pods as seen
from fakeapi.controllers.backoff import Backoff
from fakeapi.controllers.failurepolicy import verdict_on
from fakeapi.controllers.jobsync import Step, look_at
from fakeapi.controllers.jobview import (
    COMPLETION_INDEX,
    FAILURES,
    IGNORED_FAILURES,
    TRACKING,
    JobView,
    failures_of,
)
from fakeapi.controllers.owners import Json, controller_of
from fakeapi.controllers.worklist import WorkList
from fakeapi.kernel.clock import Clock
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import SECOND, Duration, Instant
from fakeapi.machinery.resources import PODS, builtin
from fakeapi.machinery.status import StatusError
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.registry.registry import Registry
from fakeapi.storage.objects import Change, Key, Kind, Object, Version

JOBS: Final = builtin("jobs", "batch")
BATCH: Final[Duration] = 1 * SECOND
"""What pods do within it is looked at together (``SyncJobBatchPeriod``)."""
OURS: Final = "kubernetes.io/job-controller"
"""``spec.managedBy`` of Jobs that are this controller's, as those without one are."""
_NOT_FOUND: Final = 404
_INDEX_VARIABLE: Final = "JOB_COMPLETION_INDEX"


class JobController:
    """Looks after all Jobs."""

    def __init__(self, registry: Registry, queue: EventQueue, clock: Clock) -> None:
        self._registry = registry
        self._store = registry.store
        self._pods = seen.ControlledPods(registry.store, JOBS.kind)
        self._jobs: WorkList[Key] = WorkList(queue, clock, self._sync, "job")
        self._orphans: WorkList[Key] = WorkList(queue, clock, self._let_go, "pod of a job that is over")
        self._expiring: WorkList[Key] = WorkList(queue, clock, self._expire, "finished job")
        self._backoffs: dict[str, Backoff] = {}

    def attach(self) -> None:
        """Take up what exists, and listen from now on."""
        self._store.listen(self._hear)
        for version in self._store.iterate(PODS.storage_key):
            self._pods.hear(Change(Kind.ADDED, version.revision, None, version))
        for version in self._store.iterate(JOBS.storage_key):
            self._jobs.add(version.key)

    # ---- listening -----------------------------------------------------------------------------

    def _hear(self, collection: str, change: Change) -> None:
        if collection == PODS.storage_key:
            self._pods.hear(change)
            self._hear_pod(change)
        elif collection == JOBS.storage_key:
            self._hear_job(change)

    def _hear_pod(self, change: Change) -> None:
        pod = change.after.object
        owner = controller_of(pod)
        if owner is None or owner.get("kind") != JOBS.kind or change.kind is Kind.ADDED:
            return
        key = (change.after.key[0], str(owner["name"]))
        job = self._store.find(JOBS.storage_key, key)
        if job is None or job.object["metadata"]["uid"] != owner["uid"] or _finished(job.object):
            if change.kind is not Kind.DELETED and TRACKING in seen.finalizers(pod):
                self._orphans.add(change.after.key)
            return
        assert change.before is not None
        if change.kind is Kind.DELETED or _told_by(pod) != _told_by(change.before.object):
            self._jobs.add(key, after=BATCH)

    def _hear_job(self, change: Change) -> None:
        key, job = change.after.key, change.after.object
        if change.kind is Kind.DELETED:
            self._forget(key, job)
        elif _finished(job):
            self._jobs.forget(key)
            self._release(job)
            ttl = job["spec"].get("ttlSecondsAfterFinished")
            if ttl is not None and (change.before is None or not _finished(change.before.object)):
                self._expiring.add(key, after=int(ttl) * SECOND)
        elif change.before is None or _wants(job) != _wants(change.before.object):
            self._jobs.add(key)

    def _forget(self, key: Key, job: Object) -> None:
        self._jobs.forget(key)
        self._expiring.forget(key)
        self._release(job)

    def _release(self, job: Object) -> None:
        """A Job is over: it holds none of its pods any more."""
        uid = job["metadata"]["uid"]
        self._backoffs.pop(uid, None)
        for pod in self._pods.of(uid):
            if TRACKING in seen.finalizers(pod.object):
                self._orphans.add(pod.key)

    # ---- what falls due ----------------------------------------------------------------------------

    def _sync(self, key: Key, at: Instant) -> Instant | None:
        found = self._store.find(JOBS.storage_key, key)
        if found is None or found.object["spec"].get("managedBy", OURS) != OURS:
            return None
        job, uid = found.object, found.object["metadata"]["uid"]
        view = JobView(job, self._pods.of(uid), at)
        if view.finished:
            return None
        step = look_at(view, self._backoffs.get(uid, Backoff()))
        self._carry_out(view, step)
        self._backoffs[uid] = step.backoff
        self._write(key, step.status)
        return step.again

    def _carry_out(self, view: JobView, step: Step) -> None:
        namespace = view.job["metadata"]["namespace"]
        for index in step.make:
            self._registry.create(PODS, namespace, _pod(view, index))
        for pod in step.delete:
            self._delete(pod)
        for pod in dict.fromkeys((*step.count, *step.delete)):
            self._let_go(pod.key, view.now)

    def _delete(self, pod: Version) -> None:
        options = DeleteOptions(uid=pod.object["metadata"]["uid"], propagation="Background")
        delete(self._registry, PODS, *pod.key, options)

    def _let_go(self, key: Key, _: Instant) -> None:
        """What tracks a pod is taken off: it may go."""
        pod = self._store.find(PODS.storage_key, key)
        if pod is not None and TRACKING in seen.finalizers(pod.object):
            seen.without_finalizer(self._registry, pod, TRACKING)

    def _write(self, key: Key, status: Json) -> None:
        def edit(obj: Json) -> Json:
            return {**obj, "status": status}

        self._registry.modify(JOBS, *key, edit, subresource="status")

    def _expire(self, key: Key, _: Instant) -> None:
        job = self._store.find(JOBS.storage_key, key)
        if job is None or not _finished(job.object):
            return
        options = DeleteOptions(uid=job.object["metadata"]["uid"], propagation="Foreground")
        try:
            delete(self._registry, JOBS, *key, options)
        except StatusError as error:
            if error.code != _NOT_FOUND:
                raise


def _finished(job: Object) -> bool:
    return JobView(job, (), 0).finished


def _wants(job: Object) -> tuple[Any, ...]:
    """What a Job says that a look depends on, beside its pods."""
    return (job["metadata"].get("generation"), "deletionTimestamp" in job["metadata"])


def _told_by(pod: Object) -> tuple[Any, ...]:
    """What a pod says that a look depends on."""
    return (seen.phase(pod), seen.is_ready(pod), seen.is_ending(pod), seen.restarts(pod))


def _pod(view: JobView, index: int | None) -> Json:
    """The pod for an index of a Job, or for none."""
    job, template = view.job, view.spec["template"]
    if index is None:
        return _tracked(seen.pod_from(template, JOBS, job))
    name = job["metadata"]["name"]
    ending = f"-{index}-"
    pod = _tracked(
        seen.pod_from(template, JOBS, job, base=name[: seen.TEMPLATE_NAME_LIMIT - len(ending)] + ending)
    )
    metadata = pod["metadata"]
    metadata["annotations"] = {**metadata.get("annotations", {}), COMPLETION_INDEX: str(index)}
    metadata["labels"] = {**metadata.get("labels", {}), COMPLETION_INDEX: str(index)}
    if view.limit_per_index is not None:
        metadata["annotations"].update(_failures_before(view, index))
    pod["spec"] = {**_with_index_variable(pod["spec"]), "hostname": f"{name}-{index}"}
    return pod


def _tracked(pod: Json) -> Json:
    held = pod["metadata"].get("finalizers", [])
    pod["metadata"]["finalizers"] = held if TRACKING in held else [*held, TRACKING]
    return pod


def _failures_before(view: JobView, index: int) -> dict[str, str]:
    last = view.last_failures.get(index)
    if last is None:
        return {FAILURES: "0"}
    counts = verdict_on(view.job, last.object).counts
    counted = failures_of(last.object, FAILURES) + counts
    ignored = failures_of(last.object, IGNORED_FAILURES) + (not counts)
    return {FAILURES: str(counted), **({IGNORED_FAILURES: str(ignored)} if ignored else {})}


def _with_index_variable(spec: Json) -> Json:
    """The specification with the index in each container's environment."""
    field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{COMPLETION_INDEX}']"}
    variable = {"name": _INDEX_VARIABLE, "valueFrom": {"fieldRef": field}}

    def told(container: Json) -> Json:
        known = container.get("env") or []
        if any(each["name"] == _INDEX_VARIABLE for each in known):
            return container
        return {**container, "env": [*known, variable]}

    kinds = [kind for kind in ("initContainers", "containers") if spec.get(kind)]
    return {**spec, **{kind: [told(each) for each in spec[kind]] for kind in kinds}}
