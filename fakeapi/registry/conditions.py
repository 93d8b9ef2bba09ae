"""Conditions in a status: one entry of each type, with the time of its last change of status."""

from typing import Any

from fakeapi.registry.defaults import JsonObject


def with_condition(obj: JsonObject, condition: dict[str, Any], now_text: str) -> JsonObject:
    """A copy of the object whose status has ``condition``; the unchanged parts are shared.

    ``lastTransitionTime`` is ``now_text``, or stays when the status of the condition did not change.
    """
    status = obj.get("status") or {}
    conditions = list(status.get("conditions") or ())
    position = next((i for i, found in enumerate(conditions) if found["type"] == condition["type"]), None)
    since = now_text
    if position is not None and conditions[position].get("status") == condition["status"]:
        since = conditions[position].get("lastTransitionTime", now_text)
    stamped = {"lastProbeTime": None, "lastTransitionTime": since, **condition}
    if position is None:
        conditions.append(stamped)
    else:
        conditions[position] = stamped
    return {**obj, "status": {**status, "conditions": conditions}}
