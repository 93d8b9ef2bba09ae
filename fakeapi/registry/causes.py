"""Causes that rules of several kinds give, in the words of ``apimachinery/pkg/util/validation/field``.

Lists of supported values keep the order in which they are given: the real server's own is fixed for
each field, and not always sorted.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from fakeapi.machinery import validation
from fakeapi.machinery.status import (
    Cause,
    duplicate_value,
    forbidden_value,
    invalid_value,
    required_value,
    unsupported_value,
)

JsonObject = dict[str, Any]

IMMUTABLE: Final = "field is immutable"
NOT_NEGATIVE: Final = "must be greater than or equal to 0"
POSITIVE: Final = "must be greater than zero"


def not_supported(field: str, value: object, supported: Sequence[str]) -> Cause:
    """The value is not one of a closed list, which is told in its own order."""
    message = unsupported_value(field, value, ()).message + ", ".join(f'"{name}"' for name in supported)
    return Cause(field, message, "FieldValueNotSupported")


def not_found_value(field: str, value: object, why: str = "") -> Cause:
    """The value refers to something that is not there."""
    rest = invalid_value(field, value, why).message.removeprefix("Invalid value")
    return Cause(field, f"Not found{rest if why else rest.removesuffix(': ')}", "FieldValueNotFound")


_PERCENT: Final = re.compile(r"([0-9]+)%")
_WHOLE: Final = 100
"""Percent."""


def number_or_percent(amount: int | str, field: str) -> list[Cause]:
    """What is wrong with a number, or a share of something, that is not negative."""
    if isinstance(amount, int):
        return [] if amount >= 0 else [invalid_value(field, amount, NOT_NEGATIVE)]
    if _PERCENT.fullmatch(amount):
        return []
    why = (
        "a valid percent string must be a numeric string followed by an ending '%' "
        "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
    )
    return [invalid_value(field, amount, why)]


def at_most_whole(amount: int | str, field: str) -> list[Cause]:
    """What is wrong with a share that is more than everything."""
    if isinstance(amount, str) and _PERCENT.fullmatch(amount) and is_more(amount, _WHOLE):
        return [invalid_value(field, amount, "must not be greater than 100%")]
    return []


def is_more(amount: int | str | None, than: int) -> bool:
    """Whether a number, or the number before the ``%`` of a share, is greater; what is neither is 0."""
    if isinstance(amount, str):
        match = _PERCENT.fullmatch(amount)
        digits = match[1].lstrip("0") if match else ""
        return len(digits) > len(str(than)) or int(digits or 0) > than
    return (amount or 0) > than


def immutable(field: str, after: object, *, changed: bool) -> list[Cause]:
    """The refusal of a change to a field that never changes."""
    return [invalid_value(field, after, IMMUTABLE)] if changed else []


def negatives(holder: JsonObject, path: str, names: Iterable[str]) -> list[Cause]:
    """The named numbers of an object that are less than zero."""
    return [
        invalid_value(f"{path}.{name}", holder[name], NOT_NEGATIVE)
        for name in names
        if (holder.get(name) or 0) < 0
    ]


def label_key(key: str, field: str) -> list[Cause]:
    """What is wrong with the key of a label."""
    wrong = validation.qualified_name(key)
    return [invalid_value(field, key, wrong)] if wrong else []


def dns_label(name: str, field: str) -> list[Cause]:
    """What is wrong with a name that must be a DNS label."""
    wrong = validation.dns_label(name)
    return [invalid_value(field, name, wrong)] if wrong else []


def dns_subdomain(name: str, field: str) -> list[Cause]:
    """What is wrong with a name that must be a DNS subdomain."""
    wrong = validation.dns_subdomain(name)
    return [invalid_value(field, name, wrong)] if wrong else []


def label_values(values: Sequence[str], field: str) -> list[Cause]:
    """What is wrong with a list of values of labels."""
    return [
        invalid_value(f"{field}[{index}]", value, wrong)
        for index, value in enumerate(values)
        if (wrong := validation.label_value(value))
    ]


def label_selector(selector: JsonObject | None, path: str) -> list[Cause]:
    """What is wrong with a ``LabelSelector``."""
    if not selector:
        return []
    causes = validation.labels(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        causes += _expression(expression, f"{path}.matchExpressions[{index}]")
    return causes


def _expression(expression: JsonObject, path: str) -> list[Cause]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    causes = set_operator(operator, values, path)
    if operator not in SET_OPERATORS:
        causes.append(invalid_value(f"{path}.operator", operator, "not a valid selector operator"))
    return (
        causes + label_key(expression.get("key", ""), f"{path}.key") + label_values(values, f"{path}.values")
    )


_CONDITION_STATUSES: Final = ("False", "True", "Unknown")
_REASON: Final = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_BAD_REASON: Final = (
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', "
    "regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
)


def condition_causes(conditions: Sequence[JsonObject], path: str) -> list[Cause]:
    """What is wrong with a list of ``metav1.Condition``."""
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind = condition.get("type", "")
        if kind in seen:
            causes.append(duplicate_value(f"{path}[{index}]", kind))
        seen.add(kind)
        causes += _condition(condition, f"{path}[{index}]")
    return causes


def _condition(condition: JsonObject, path: str) -> list[Cause]:
    kind, status, reason = (condition.get(name) or "" for name in ("type", "status", "reason"))
    causes = label_key(kind, f"{path}.type") if kind else [required_value(f"{path}.type", "is required")]
    if not status:
        causes.append(required_value(f"{path}.status"))
    elif status not in _CONDITION_STATUSES:
        causes.append(not_supported(f"{path}.status", status, _CONDITION_STATUSES))
    if not condition.get("lastTransitionTime"):
        causes.append(required_value(f"{path}.lastTransitionTime"))
    if not reason:
        causes.append(required_value(f"{path}.reason"))
    elif not _REASON.fullmatch(reason):
        causes.append(invalid_value(f"{path}.reason", reason, _BAD_REASON))
    return causes


SET_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")


def set_operator(operator: str, values: Sequence[str], path: str) -> list[Cause]:
    """What is wrong with the values of an operator over sets, if it is one."""
    field = f"{path}.values"
    if operator in ("In", "NotIn") and not values:
        return [required_value(field, "must be specified when `operator` is 'In' or 'NotIn'")]
    if operator in ("Exists", "DoesNotExist") and values:
        why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        return [forbidden_value(field, why)]
    return []
