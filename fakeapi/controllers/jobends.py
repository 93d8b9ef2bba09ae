"""When a Job is over, and why (``syncJob`` of ``job_controller.go``, ``success_policy.go``)."""

from typing import Any, NamedTuple

from fakeapi.controllers import pods as seen
from fakeapi.controllers.failurepolicy import verdict_on
from fakeapi.controllers.indexes import parse_indexes
from fakeapi.controllers.jobview import JobView
from fakeapi.kernel.time import SECOND, Instant, parse_instant


class End(NamedTuple):
    """That a Job succeeds or fails, with the reason and the message of its conditions."""

    succeeds: bool
    reason: str
    message: str


def early_end(view: JobView) -> End | None:
    """The end that does not wait for active pods: they are deleted. None while there is none."""
    return (
        _met_before(view)
        or _by_failure_policy(view)
        or _by_limit(view)
        or _by_index(view)
        or _by_success(view)
    )


def completes(view: JobView, active: int) -> End | None:
    """The end of a Job that has got its successes; None while it has not."""
    if view.completions is None:
        over = view.succeeded > 0 and active == 0
    else:
        over = view.succeeded >= view.completions and active == 0
    return End(True, "CompletionsReached", "Reached expected number of succeeded pods") if over else None


def deadline(view: JobView) -> Instant | None:
    """When a Job that runs has been active for as long as it may; None for never."""
    seconds, started = view.spec.get("activeDeadlineSeconds"), view.status.get("startTime")
    if seconds is None or started is None or view.suspended:
        return None
    return parse_instant(started) + int(seconds) * SECOND


def _met_before(view: JobView) -> End | None:
    """What an earlier look has decided."""
    for kind, succeeds in (("SuccessCriteriaMet", True), ("FailureTarget", False)):
        for each in view.status.get("conditions") or ():
            if each["type"] == kind and each["status"] == "True":
                return End(succeeds, each.get("reason", ""), each.get("message", ""))
    return None


def _by_failure_policy(view: JobView) -> End | None:
    if not view.spec.get("podFailurePolicy"):
        return None
    for pod in view.pods:
        if view.has_failed(pod.object):
            message = verdict_on(view.job, pod.object).message
            if message is not None:
                return End(False, "PodFailurePolicy", message)
    return None


def _by_limit(view: JobView) -> End | None:
    limit = int(view.spec["backoffLimit"])
    if view.counted_failures > limit or _restarted_too_often(view, limit):
        return End(False, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    until = deadline(view)
    if until is not None and view.now >= until:
        return End(False, "DeadlineExceeded", "Job was active longer than specified deadline")
    return None


def _restarted_too_often(view: JobView, limit: int) -> bool:
    if view.spec["template"]["spec"].get("restartPolicy") != "OnFailure":
        return False
    count = sum(
        seen.restarts(pod.object) for pod in view.pods if seen.phase(pod.object) in ("Running", "Pending")
    )
    return count > 0 if limit == 0 else count >= limit


def _by_index(view: JobView) -> End | None:
    if not view.indexed or view.limit_per_index is None:
        return None
    failed, most = len(view.failed_indexes), view.spec.get("maxFailedIndexes")
    if most is not None and failed > most:
        message = "Job has exceeded the specified maximal number of failed indexes"
        return End(False, "MaxFailedIndexesExceeded", message)
    if failed and failed + len(view.succeeded_indexes) >= (view.completions or 0):
        return End(False, "FailedIndexes", "Job has failed indexes")
    return None


def _by_success(view: JobView) -> End | None:
    policy: dict[str, Any] = view.spec.get("successPolicy") or {}
    if not view.indexed or not view.succeeded_indexes:
        return None
    for number, rule in enumerate(policy.get("rules") or ()):
        if _meets(rule, view):
            return End(True, "SuccessPolicy", f"Matched rules at index {number}")
    return None


def _meets(rule: dict[str, Any], view: JobView) -> bool:
    count = rule.get("succeededCount")
    if rule.get("succeededIndexes") is None:
        return count is not None and len(view.succeeded_indexes) >= count
    wanted = parse_indexes(rule["succeededIndexes"], view.completions or 0)
    have = len(wanted & view.succeeded_indexes)
    return bool(wanted) and (have == len(wanted) or (count is not None and have >= count))
