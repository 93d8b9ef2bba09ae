"""Rules for where a pod wants to be: node and pod affinity, and spreading over topologies.

Follows ``validateAffinity`` and ``validateTopologySpreadConstraints`` of ``pkg/apis/core/validation``.
"""

from collections.abc import Sequence
from typing import Final

from fakeapi.machinery import validation
from fakeapi.machinery.status import Cause, duplicate_value, forbidden_value, invalid_value, required_value
from fakeapi.registry.causes import (
    POSITIVE,
    SET_OPERATORS,
    JsonObject,
    label_key,
    label_selector,
    label_values,
    not_supported,
    set_operator,
)

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_GREATEST_WEIGHT: Final = 100
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_INCLUSION_POLICIES: Final = ("Honor", "Ignore")
_ORDER_OPERATORS: Final = ("Gt", "Lt")


def affinity_causes(affinity: JsonObject, path: str) -> list[Cause]:
    """What is wrong with a pod's affinity."""
    causes = []
    if node := affinity.get("nodeAffinity"):
        causes += _node_affinity(node, f"{path}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        if pods := affinity.get(name):
            causes += _pod_affinity(pods, f"{path}.{name}")
    return causes


def _node_affinity(affinity: JsonObject, path: str) -> list[Cause]:
    causes = []
    if (required := affinity.get(_REQUIRED)) is not None:
        field = f"{path}.{_REQUIRED}.nodeSelectorTerms"
        terms = required.get("nodeSelectorTerms") or []
        if not terms:
            causes.append(required_value(field, "must have at least one node selector term"))
        for index, term in enumerate(terms):
            causes += _node_term(term, f"{field}[{index}]", strict=True)
    for index, term in enumerate(affinity.get(_PREFERRED) or ()):
        field = f"{path}.{_PREFERRED}[{index}]"
        causes += _weight(term, field)
        causes += _node_term(term.get("preference") or {}, f"{field}.preference", strict=False)
    return causes


def _weight(term: JsonObject, path: str) -> list[Cause]:
    weight = term.get("weight", 0)
    if 0 < weight <= _GREATEST_WEIGHT:
        return []
    return [invalid_value(f"{path}.weight", weight, "must be in the range 1-100")]


def _node_term(term: JsonObject, path: str, *, strict: bool) -> list[Cause]:
    causes = []
    for index, one in enumerate(term.get("matchExpressions") or ()):
        causes += _node_expression(one, f"{path}.matchExpressions[{index}]", strict=strict)
    for index, one in enumerate(term.get("matchFields") or ()):
        causes += _node_field(one, f"{path}.matchFields[{index}]")
    return causes


def _node_expression(expression: JsonObject, path: str, *, strict: bool) -> list[Cause]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    causes = set_operator(operator, values, path)
    if operator in _ORDER_OPERATORS:
        if len(values) != 1:
            why = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            causes.append(required_value(f"{path}.values", why))
    elif operator not in SET_OPERATORS:
        causes.append(invalid_value(f"{path}.operator", operator, "not a valid selector operator"))
    causes += label_key(expression.get("key", ""), f"{path}.key")
    # A preference with values that no label can have is let pass, as the real server does.
    return causes + (label_values(values, f"{path}.values") if strict else [])


def _node_field(expression: JsonObject, path: str) -> list[Cause]:
    operator, values = expression.get("operator", ""), expression.get("values") or []
    causes = []
    if operator not in ("In", "NotIn"):
        causes.append(invalid_value(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        causes.append(required_value(f"{path}.values", why))
    key = expression.get("key", "")
    if key != "metadata.name":
        return [*causes, invalid_value(f"{path}.key", key, "not a valid field selector key")]
    return causes + [
        invalid_value(f"{path}.values[{index}]", value, wrong)
        for index, value in enumerate(values)
        if (wrong := validation.dns_subdomain(value))
    ]


def _pod_affinity(affinity: JsonObject, path: str) -> list[Cause]:
    causes = []
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        causes += _pod_term(term, f"{path}.{_REQUIRED}[{index}]")
    for index, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        field = f"{path}.{_PREFERRED}[{index}]"
        causes += _weight(weighted, field)
        causes += _pod_term(weighted.get("podAffinityTerm") or {}, f"{field}.podAffinityTerm")
    return causes


def _pod_term(term: JsonObject, path: str) -> list[Cause]:
    causes = label_selector(term.get("labelSelector"), f"{path}.labelSelector")
    causes += label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    causes += [
        invalid_value(f"{path}.namespace", name, wrong)
        for name in term.get("namespaces") or ()
        if (wrong := validation.dns_label(name))
    ]
    causes += _label_keys(term, path)
    key = term.get("topologyKey", "")
    if not key:
        causes.append(required_value(f"{path}.topologyKey", "can not be empty"))
    return causes + label_key(key, f"{path}.topologyKey")


def _label_keys(term: JsonObject, path: str) -> list[Cause]:
    """What is wrong with ``matchLabelKeys`` and ``mismatchLabelKeys``; they are in the selector by now."""
    causes = []
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        causes += _key_names(term.get(name) or (), term.get("labelSelector"), f"{path}.{name}")
    mismatched = term.get("mismatchLabelKeys") or ()
    causes += [
        invalid_value(
            f"{path}.matchLabelKeys[{index}]", key, "exists in both matchLabelKeys and mismatchLabelKeys"
        )
        for index, key in enumerate(term.get("matchLabelKeys") or ())
        if key in mismatched
    ]
    return causes + _keys_told_twice(term, path)


def _key_names(keys: Sequence[str], selector: JsonObject | None, path: str) -> list[Cause]:
    if keys and selector is None:
        return [forbidden_value(path, "must not be specified when labelSelector is not set")]
    return [cause for index, key in enumerate(keys) for cause in label_key(key, f"{path}[{index}]")]


def _keys_told_twice(term: JsonObject, path: str) -> list[Cause]:
    keys, selector = list(term.get("matchLabelKeys") or ()), term.get("labelSelector") or {}
    seen, causes = set(selector.get("matchLabels") or ()), []
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key", "")
        if key in keys and key in seen:
            why = "exists in both matchLabelKeys and labelSelector"
            causes.append(invalid_value(f"{path}[{keys.index(key)}]", key, why))
        seen.add(key)
    return causes


def spread_causes(constraints: Sequence[JsonObject], path: str) -> list[Cause]:
    """What is wrong with a pod's topology spread constraints."""
    causes = []
    for index, constraint in enumerate(constraints):
        field = f"{path}[{index}]"
        causes += _spread(constraint, field)
        causes += _spread_repeated(constraint, constraints[index + 1 :], field)
        causes += _spread_options(constraint, field)
    return causes


def _spread(constraint: JsonObject, path: str) -> list[Cause]:
    causes = []
    if (skew := constraint.get("maxSkew", 0)) <= 0:
        causes.append(invalid_value(f"{path}.maxSkew", skew, POSITIVE))
    if not constraint.get("topologyKey"):
        causes.append(required_value(f"{path}.topologyKey", "can not be empty"))
    if (action := constraint.get("whenUnsatisfiable", "")) not in _ACTIONS:
        causes.append(not_supported(f"{path}.whenUnsatisfiable", action, _ACTIONS))
    return causes


def _spread_repeated(constraint: JsonObject, others: Sequence[JsonObject], path: str) -> list[Cause]:
    key, action = constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")
    pairs = [(other.get("topologyKey", ""), other.get("whenUnsatisfiable", "")) for other in others]
    if (key, action) not in pairs:
        return []
    return [duplicate_value(f"{path}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")]


def _spread_options(constraint: JsonObject, path: str) -> list[Cause]:
    causes = []
    if (domains := constraint.get("minDomains")) is not None:
        action = constraint.get("whenUnsatisfiable", "")
        causes += _min_domains(domains, action, f"{path}.minDomains")
    for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        policy = constraint.get(name)
        if policy is not None and policy not in _INCLUSION_POLICIES:
            causes.append(not_supported(f"{path}.{name}", policy, _INCLUSION_POLICIES))
    causes += _label_keys(constraint, path)
    return causes + label_selector(constraint.get("labelSelector"), f"{path}.labelSelector")


def _min_domains(domains: int, action: str, path: str) -> list[Cause]:
    causes = [] if domains > 0 else [invalid_value(path, domains, POSITIVE)]
    if action != "DoNotSchedule":
        why = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        causes.append(invalid_value(path, domains, why))
    return causes
