"""What a Job's ``podFailurePolicy`` says of a failed pod (``pod_failure_policy.go``)."""

from typing import Any, NamedTuple

from fakeapi.storage.objects import Object


class Verdict(NamedTuple):
    """Whether a failure counts, which action its rule names, and the message that fails the Job with it."""

    counts: bool = True
    action: str | None = None
    message: str | None = None


def verdict_on(job: Object, pod: Object) -> Verdict:
    """The verdict of the first rule that matches a failed pod; it counts when none does."""
    policy = job["spec"].get("podFailurePolicy") or {}
    for number, rule in enumerate(policy.get("rules") or ()):
        matched = _matched(rule, pod)
        if matched is None:
            continue
        action = rule["action"]
        if action != "FailJob":
            return Verdict(action != "Ignore", action)
        return Verdict(True, action, f"{matched} matching FailJob rule at index {number}")
    return Verdict()


def _matched(rule: dict[str, Any], pod: Object) -> str | None:
    """What about the pod matches a rule, as the beginning of its message; None for nothing."""
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    codes = rule.get("onExitCodes")
    if codes is not None:
        container = _container(codes, pod)
        if container is None:
            return None
        code = container["state"]["terminated"]["exitCode"]
        return f"Container {container['name']} for pod {name} failed with exit code {code}"
    for pattern in rule.get("onPodConditions") or ():
        for each in (pod.get("status") or {}).get("conditions") or ():
            if (each["type"], each["status"]) == (pattern["type"], pattern.get("status", "True")):
                return f"Pod {name} has condition {each['type']}"
    return None


def _container(codes: dict[str, Any], pod: Object) -> dict[str, Any] | None:
    status = pod.get("status") or {}
    for kind in ("containerStatuses", "initContainerStatuses"):
        for each in status.get(kind) or ():
            code = ((each.get("state") or {}).get("terminated") or {}).get("exitCode")
            if not code or codes.get("containerName") not in (None, each["name"]):
                continue
            if (code in codes["values"]) == (codes["operator"] == "In"):
                found: dict[str, Any] = each
                return found
    return None
