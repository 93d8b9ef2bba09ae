"""Which fields a field selector may name for which resource, and how their text is read from an object.

Supported fields, their defaults and the wording of refusals follow the ``strategy.go``
and ``conversion.go`` files of ``k8s.io/kubernetes``; the grammar is that of
``k8s.io/apimachinery/pkg/fields``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fakeapi.machinery.labelgrammar import SelectorError, quoted
from fakeapi.machinery.resources import Resource
from fakeapi.machinery.schema import message_for

Object: TypeAlias = dict[str, Any]
Read: TypeAlias = Callable[[Object], str]
"""The text of one field of an object; a field that is missing has one too, mostly the empty text."""

_PART: Final = re.compile(r"(?:\\.|[^\\,]|\\\Z)+", re.DOTALL)
"""What stands between commas; an escaped comma is part of a value."""
_TERM: Final = re.compile(r"(.*?)(!=|==|=)(.*)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.?)|([,=])", re.DOTALL)
_NAME: Final = "metadata.name"
_NAMESPACE: Final = "metadata.namespace"


@dataclass(frozen=True, slots=True)
class Term:
    """``path=value``, or ``path!=value`` when not ``equal``."""

    path: str
    value: str
    equal: bool


def parse_terms(text: str) -> list[Term]:
    """The terms of a field selector's text, in sorted order.

    Raises:
        SelectorError: a term has no operator, or an escape is wrong.
    """
    return [_term(part, text) for part in sorted(_PART.findall(text))]


def _term(part: str, text: str) -> Term:
    match = _TERM.fullmatch(part)
    if match is None:
        raise SelectorError(f"invalid selector: '{text}'; can't understand '{part}'")
    return Term(match[1], _unescaped(match[3]), match[2] != "!=")


def _unescaped(value: str) -> str:
    def replace(match: re.Match[str]) -> str:
        if match[2] is not None:
            raise SelectorError(f"invalid field selector: unescaped character in value: {ord(match[2])}")
        if match[1] not in ("\\", ",", "="):
            raise SelectorError(f"invalid field selector: invalid escape sequence: \\{match[1]}")
        return match[1]

    return _ESCAPED.sub(replace, value)


def require_supported(path: str, resource: Resource) -> None:
    """Refuse a field that the real server does not select this resource by.

    Raises:
        SelectorError: in the words of the real server, which differ by resource.
    """
    if path == _NAME or path in resource.selectable:
        return
    # Kinds without fields of their own go by a general rule, which knows no scope.
    general = not resource.selectable and _is_native(resource)
    if path == _NAMESPACE and (resource.namespaced or general):
        return
    if general:
        known = f'only "{_NAME}", "{_NAMESPACE}"'
        raise SelectorError(f"{quoted(path)} is not a known field selector: {known}")
    if (resource.group, resource.plural) == ("batch", "jobs"):
        raise SelectorError(f"field label {quoted(path)} not supported for Job")
    if (resource.group, resource.plural) == ("resource.k8s.io", "resourceslices"):
        kind = f"{resource.api_version}, Kind={resource.kind}"
        raise SelectorError(f"field label not supported for {kind}: {path}")
    raise SelectorError(f"field label not supported: {path}")


def _is_native(resource: Resource) -> bool:
    """Whether Kubernetes itself defines the kind."""
    return message_for(resource.group, resource.version, resource.kind) is not None


def reader(path: str, resource: Resource) -> Read:
    """How the text of that field is read from an object of that resource."""
    special = _SPECIAL.get((resource.group, resource.plural), {}).get(path)
    return special or _at(path)


def plain_text_path(path: str, resource: Resource) -> tuple[str, str] | None:
    """(section, field) of a field that is text, two steps deep and empty when missing; else None."""
    steps = path.split(".")
    if len(steps) != _PLAIN_DEPTH or path in _SPECIAL.get((resource.group, resource.plural), {}):
        return None
    return (steps[0], steps[1]) if _is_native(resource) or steps[0] == "metadata" else None


_PLAIN_DEPTH: Final = 2


def _at(path: str) -> Read:
    steps = path.split(".")

    def read(obj: Object) -> str:
        value: Any = obj
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
            if value is None:
                return ""
        return value if isinstance(value, str) else _text(value)

    return read


def _text(value: object) -> str:
    """A number or truth value as Go formats it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _or(default: str, path: str) -> Read:
    read = _at(path)
    return lambda obj: read(obj) or default


def _first(*paths: str) -> Read:
    reads = [_at(path) for path in paths]
    return lambda obj: next(filter(None, (read(obj) for read in reads)), "")


def _pod_ip(obj: Object) -> str:
    status = obj.get("status") or {}
    addresses = status.get("podIPs")
    return str((addresses[0].get("ip") if addresses else status.get("podIP")) or "")


def _never(_: Object) -> str:
    return ""


_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
# Events are stored in the newer of their two forms; a selector of either view reads either form.
_EVENT: Final[dict[str, Read]] = {
    **{
        f"involvedObject.{name}": _first(f"regarding.{name}", f"involvedObject.{name}") for name in _REFERENCE
    },
    **{f"regarding.{name}": _first(f"regarding.{name}", f"involvedObject.{name}") for name in _REFERENCE},
    "reportingComponent": _first("reportingController", "reportingComponent"),
    "reportingController": _first("reportingController", "reportingComponent"),
    "source": _first(
        "deprecatedSource.component", "source.component", "reportingController", "reportingComponent"
    ),
}
_SPECIAL: Final[dict[tuple[str, str], dict[str, Read]]] = {
    ("", "events"): _EVENT,
    ("events.k8s.io", "events"): _EVENT,
    ("", "nodes"): {"spec.unschedulable": _or("false", "spec.unschedulable")},
    ("", "pods"): {
        "spec.host": _at("spec.nodeName"),  # the name that the first clients used
        "spec.hostNetwork": _or("false", "spec.hostNetwork"),
        "status.podIP": _pod_ip,
        "status.podIPs": _never,  # accepted by the real server, which has no value for it
    },
    ("", "replicationcontrollers"): {"status.replicas": _or("0", "status.replicas")},
    ("batch", "jobs"): {"status.successful": _or("0", "status.succeeded")},
}
"""Fields whose text is not simply the text at their path: (group, plural) → path → how to read it."""
