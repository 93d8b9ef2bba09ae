"""A request's path, method and query, parsed once into a frozen value.

Everything later reads the value; nobody looks at the URL again. Verbs are decided
here: a GET without a name is a list, with ``watch`` it is a watch.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from fakeapi.machinery.resources import Resource, ResourceTable
from fakeapi.machinery.status import bad_request, method_not_allowed, no_such_path, unsupported

_MAX_QUERY_FIELDS: Final = 64
"""Parameters in one query: more than any client sends, few enough to be cheap."""
_NO_QUERY: Final[dict[str, list[str]]] = {}
_UNSERVED: Final = frozenset(
    ("attach", "ephemeralcontainers", "exec", "finalize", "log", "portforward", "proxy", "resize", "token")
)
"""Sub-resources of real servers that would need a kubelet, or a controller that is not here."""
_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_SUBRESOURCE_VERBS: Final = {
    "binding": ("create",),
    "eviction": ("create",),
    "status": ("get", "update", "patch"),
    "scale": ("get", "update", "patch"),
}


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """What a request is about. ``namespace`` is empty for cluster-wide kinds and for all namespaces."""

    verb: str
    resource: Resource
    namespace: str
    name: str
    subresource: str
    query: dict[str, list[str]]

    def text(self, parameter: str) -> str:
        """The (first) value of a query parameter, or an empty string."""
        values = self.query.get(parameter)
        return values[0] if values else ""

    def flag(self, parameter: str) -> bool:
        """Whether a boolean query parameter is set."""
        return _is_set(self.query, parameter)

    def number(self, parameter: str) -> int | None:
        """A query parameter that is a number, or None where it is missing.

        Raises:
            StatusError: 400 for anything else.
        """
        if parameter not in self.query:
            return None
        text = self.text(parameter)
        if not _INTEGER.fullmatch(text) or not _LEAST <= int(text) <= _GREATEST:
            raise bad_request(f'invalid value for {parameter}: "{text}": must be a 64-bit integer')
        return int(text)


_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}")
_LEAST: Final = -(2**63)
_GREATEST: Final = 2**63 - 1


def _is_set(query: dict[str, list[str]], parameter: str) -> bool:
    # As the real server reads booleans: everything but "0" and "false" sets it, an empty text too.
    return parameter in query and query[parameter][0].lower() not in ("0", "false")


def parse_query(query_string: bytes) -> dict[str, list[str]]:
    """The parameters of a query.

    Raises:
        StatusError: 400 for too many parameters or text that is not UTF-8.
    """
    if not query_string:
        return _NO_QUERY
    try:
        return parse_qs(
            query_string.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MAX_QUERY_FIELDS,
            errors="strict",
        )
    except ValueError as error:
        raise bad_request(f"the query cannot be read: {error}") from None


def parse_request(table: ResourceTable, method: str, path: str, query_string: bytes) -> RequestInfo:
    """What a request below ``/api`` or ``/apis`` is about.

    Raises:
        StatusError: 404 for a path where nothing is served, 405 for a method that does not
            apply there, 501 for sub-resources of real servers that are not served, 400 for a bad query.
    """
    resource, namespace, name, subresource = _locate(table, path)
    query = parse_query(query_string)
    verb = _verb(method, name, query)
    _require_served(resource, verb, namespace, name, subresource)
    return RequestInfo(verb, resource, namespace, name, subresource, query)


def _locate(table: ResourceTable, path: str) -> tuple[Resource, str, str, str]:
    parts = path.strip("/").split("/")
    if parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    else:
        group, version, rest = parts[1], parts[2], parts[3:]
    namespace = ""
    if rest[0] == "watch":
        raise unsupported("the paths below /watch/: ask for ?watch=true")
    if rest[0] == "namespaces" and len(rest) > _NAMESPACE_PREFIX and rest[2] not in _OF_NAMESPACES:
        namespace, rest = rest[1], rest[2:]
    resource = table.get(group, version, rest[0])
    if resource is None or len(rest) > _LONGEST or "" in rest:
        raise no_such_path()
    if namespace and not resource.namespaced:
        raise no_such_path()
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > _NAMESPACE_PREFIX else ""
    if name and resource.namespaced and not namespace:
        raise no_such_path()
    return resource, namespace, name, subresource


_OF_NAMESPACES: Final = ("finalize", "status")
"""Sub-resources of a namespace itself, where others are resources in it."""
_NAMESPACE_PREFIX: Final = 2
"""Parts that ``namespaces/NAME`` takes before the resource of an object in it."""
_LONGEST: Final = 3
"""Parts of ``resource/name/subresource``."""


def _verb(method: str, name: str, query: dict[str, list[str]]) -> str:
    if method == "GET":
        if name:
            return "get"
        return "watch" if _is_set(query, "watch") else "list"
    verb = _VERBS.get(method)
    if verb is None:
        raise method_not_allowed()
    if verb == "delete" and not name:
        return "deletecollection"
    return verb


def _require_served(resource: Resource, verb: str, namespace: str, name: str, subresource: str) -> None:
    if subresource:
        if subresource in _UNSERVED:
            raise unsupported(f"{resource.plural}/{subresource}")
        if subresource not in resource.subresources:
            raise no_such_path()
        if verb not in _SUBRESOURCE_VERBS[subresource]:
            raise method_not_allowed(resource)
        return
    takes_name = verb not in ("create", "list", "watch", "deletecollection")
    if verb not in resource.verbs or takes_name != bool(name):
        raise method_not_allowed(resource)
    if resource.namespaced and not namespace and verb in ("create", "deletecollection"):
        raise method_not_allowed(resource)  # all namespaces together can only be looked at
