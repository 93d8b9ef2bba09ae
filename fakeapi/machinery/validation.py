"""Rules for names, labels and annotations, worded as ``k8s.io/apimachinery`` words them.

Each function returns what is wrong, or an empty string. Results are cached where the
same few values come again and again.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from fakeapi.machinery.status import Cause, invalid_value, required_value

_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED: Final = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = rf"({_QUALIFIED})?"

_label_pattern: Final = re.compile(_LABEL)
_subdomain_pattern: Final = re.compile(_SUBDOMAIN)
_qualified_pattern: Final = re.compile(_QUALIFIED)
_label_value_pattern: Final = re.compile(_LABEL_VALUE)

LABEL_LIMIT: Final = 63
"""Characters of a DNS label, of a label value and of the name part of a qualified name (RFC 1035)."""
SUBDOMAIN_LIMIT: Final = 253
"""Characters of a DNS subdomain (RFC 1035)."""
ANNOTATIONS_LIMIT: Final = 256 * 1024
"""Bytes that all annotations of one object may have together, as in the real server."""
_CACHE: Final = 16_384


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} bytes"


@lru_cache(_CACHE)
def dns_subdomain(name: str) -> str:
    """What keeps ``name`` from being a lowercase RFC 1123 subdomain."""
    if len(name) > SUBDOMAIN_LIMIT:
        return _too_long(SUBDOMAIN_LIMIT)
    if _subdomain_pattern.fullmatch(name):
        return ""
    return (
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
        "and must start and end with an alphanumeric character (e.g. 'example.com', "
        f"regex used for validation is '{_SUBDOMAIN}')"
    )


@lru_cache(_CACHE)
def dns_label(name: str) -> str:
    """What keeps ``name`` from being a lowercase RFC 1123 label."""
    if len(name) > LABEL_LIMIT:
        return _too_long(LABEL_LIMIT)
    if _label_pattern.fullmatch(name):
        return ""
    return (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
        f"regex used for validation is '{_LABEL}')"
    )


def path_segment(name: str) -> str:
    """What keeps ``name`` from being one segment of a path: the rule for kinds with free names."""
    if name in (".", ".."):
        return f"may not be '{name}'"
    for illegal in ("/", "%"):
        if illegal in name:
            return f"may not contain '{illegal}'"
    return ""


@lru_cache(_CACHE)
def qualified_name(name: str) -> str:
    """What keeps ``name`` from being a key of a label: an optional DNS prefix, ``/`` and a name."""
    prefix, slash, last = name.rpartition("/")
    if slash:
        if not prefix:
            return "prefix part must be non-empty"
        if wrong := dns_subdomain(prefix):
            return f"prefix part {wrong}"
    if not last:
        return "name part must be non-empty"
    if len(last) > LABEL_LIMIT:
        return f"name part {_too_long(LABEL_LIMIT)}"
    if _qualified_pattern.fullmatch(last):
        return ""
    return (
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        f"regex used for validation is '{_QUALIFIED}')"
    )


@lru_cache(_CACHE)
def label_value(value: str) -> str:
    """What keeps ``value`` from being the value of a label."""
    if len(value) > LABEL_LIMIT:
        return _too_long(LABEL_LIMIT)
    if _label_value_pattern.fullmatch(value):
        return ""
    return (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
        "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
        f"regex used for validation is '{_LABEL_VALUE}')"
    )


_NAME_RULES: Final[dict[tuple[str, str], Callable[[str], str]]] = {
    ("", "namespaces"): dns_label,
    ("", "services"): dns_label,
    ("rbac.authorization.k8s.io", "clusterroles"): path_segment,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): path_segment,
    ("rbac.authorization.k8s.io", "roles"): path_segment,
    ("rbac.authorization.k8s.io", "rolebindings"): path_segment,
}


def object_name(group: str, plural: str, name: str) -> str:
    """What keeps ``name`` from naming an object of that resource."""
    return _NAME_RULES.get((group, plural), dns_subdomain)(name)


def labels(values: dict[str, str], path: str) -> list[Cause]:
    """Every wrong key and value of a label map."""
    causes = [invalid_value(path, key, wrong) for key in values if (wrong := qualified_name(key))]
    causes += [
        invalid_value(path, value, wrong) for value in values.values() if (wrong := label_value(value))
    ]
    return causes


def annotations(values: dict[str, str], path: str) -> list[Cause]:
    """Every wrong key of an annotation map, and its size."""
    causes = [invalid_value(path, key, wrong) for key in values if (wrong := qualified_name(key.lower()))]
    if sum(len(key) + len(value) for key, value in values.items()) > ANNOTATIONS_LIMIT:
        causes.append(
            Cause(path, f"Too long: may not be more than {ANNOTATIONS_LIMIT} bytes", "FieldValueTooLong")
        )
    return causes


def owner_references(references: list[dict[str, Any]], path: str) -> list[Cause]:
    """Every wrong field of the owner references, and a second controller."""
    causes = []
    for index, reference in enumerate(references):
        causes += [
            required_value(f"{path}[{index}].{name}", "must not be empty")
            for name in ("apiVersion", "kind", "name", "uid")
            if not reference.get(name)
        ]
    controllers = [
        f"{owner.get('kind')}/{owner.get('name')}" for owner in references if owner.get("controller")
    ]
    if len(controllers) > 1:
        why = (
            'Only one reference can have Controller set to true. Found "true" in references for '
            f"{controllers[0]} and {controllers[1]}"
        )
        causes.append(invalid_value(path, references, why))
    return causes


def finalizers(names: list[str], path: str) -> list[Cause]:
    """Every wrong finalizer name."""
    return [invalid_value(path, name, wrong) for name in names if (wrong := qualified_name(name))]
