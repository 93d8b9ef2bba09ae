"""Rules for taints of nodes and tolerations of pods (``ValidateTolerations``, ``validateNodeTaints``)."""

from collections.abc import Sequence
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.status import Cause, duplicate_value, invalid_value, required_value
from fakeapi.registry.causes import JsonObject, label_key, not_supported

TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def toleration_causes(tolerations: Sequence[JsonObject], path: str) -> list[Cause]:
    """What is wrong with a pod's tolerations."""
    causes: list[Cause] = []
    for index, toleration in enumerate(tolerations):
        if toleration.get("operator") != "Exists" or toleration.get("value") or not _is_plain(toleration):
            causes += _toleration(toleration, f"{path}[{index}]")
    return causes


def _is_plain(toleration: JsonObject) -> bool:
    """Whether an ``Exists`` toleration is certainly in order, as the default ones are."""
    effect, key = toleration.get("effect"), toleration.get("key") or "any"
    if effect is None:
        return "tolerationSeconds" not in toleration and not validation.qualified_name(key)
    return effect == "NoExecute" and not validation.qualified_name(key)


def _toleration(toleration: JsonObject, path: str) -> list[Cause]:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    effect = toleration.get("effect", "")
    causes = label_key(key, f"{path}.key") if key else []
    if not key and operator != "Exists":
        why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes.append(invalid_value(f"{path}.operator", operator, why))
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes.append(invalid_value(f"{path}.effect", effect, why))
    causes += _toleration_value(operator, toleration.get("value", ""), f"{path}.operator")
    if effect and effect not in TAINT_EFFECTS:
        causes.append(not_supported(f"{path}.effect", effect, TAINT_EFFECTS))
    return causes


def _toleration_value(operator: str, value: str, field: str) -> list[Cause]:
    if operator in ("Equal", ""):
        wrong = validation.label_value(value)
        return [invalid_value(field, value, wrong)] if wrong else []
    if operator == "Exists":
        why = "value must be empty when `operator` is 'Exists'"
        return [invalid_value(field, value, why)] if value else []
    if operator in ("Lt", "Gt"):  # behind a feature gate that is off
        return [not_supported(field, operator, ("Equal", "Exists", "Lt", "Gt"))]
    return [not_supported(field, operator, ("Equal", "Exists"))]


def taint_causes(taints: Sequence[JsonObject], path: str) -> list[Cause]:
    """What is wrong with a node's taints."""
    causes, seen = [], set()
    for index, taint in enumerate(taints):
        field, key, effect = f"{path}[{index}]", taint.get("key", ""), taint.get("effect", "")
        causes += label_key(key, f"{field}.key")
        if wrong := validation.label_value(taint.get("value") or ""):
            causes.append(invalid_value(f"{field}.value", taint["value"], wrong))
        if not effect:
            causes.append(required_value(f"{field}.effect"))
        elif effect not in TAINT_EFFECTS:
            causes.append(not_supported(f"{field}.effect", effect, TAINT_EFFECTS))
        if (key, effect) in seen:
            repeated = duplicate_value(field, taint)
            why = f"{repeated.message}: taints must be unique by key and effect pair"
            causes.append(Cause(field, why, repeated.reason))
        seen.add((key, effect))
    return causes
