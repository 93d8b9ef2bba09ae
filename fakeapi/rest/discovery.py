"""What is served, as clients ask for it before anything else: legacy and aggregated discovery, the version.

Pure functions of the resource table: a custom kind shows up as soon as its row does.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from fakeapi.machinery.negotiation import DISCOVERY_GROUP, Discovery
from fakeapi.machinery.resources import Resource, ResourceTable
from fakeapi.machinery.schema import packaged

JsonObject: TypeAlias = dict[str, Any]
GroupVersionKind: TypeAlias = tuple[str, str, str]

BUILD: Final = "fakeapi"
"""Build metadata of the version: whoever reads it sees that this is no ordinary server."""

_READ_AND_WRITE: Final = ("get", "patch", "update")
_CREATE: Final = ("create",)
# Sub-resources that exchange another kind than that of their resource.
_SUBRESOURCE_KINDS: Final[dict[str, GroupVersionKind]] = {
    "binding": ("", "v1", "Binding"),
    "eviction": ("policy", "v1", "Eviction"),
    "scale": ("autoscaling", "v1", "Scale"),
    "token": ("authentication.k8s.io", "v1", "TokenRequest"),
}
_CREATED_ONLY: Final = ("binding", "eviction", "token")
_VERSION: Final = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?", re.ASCII)
_STABILITY: Final = {"alpha": 0, "beta": 1, None: 2}
_UNORDERED: Final = -1


def subresource_kind(resource: Resource, subresource: str) -> GroupVersionKind:
    """(group, version, kind) that a sub-resource exchanges."""
    return _SUBRESOURCE_KINDS.get(subresource, (resource.group, resource.version, resource.kind))


def subresource_verbs(subresource: str) -> tuple[str, ...]:
    """The verbs of a sub-resource, sorted."""
    return _CREATE if subresource in _CREATED_ONLY else _READ_AND_WRITE


def by_preference(versions: Iterable[str]) -> list[str]:
    """API versions, the preferred first: stable, beta, alpha; the greater number before the smaller one."""
    return sorted(versions, key=_preference, reverse=True)


def _preference(version: str) -> tuple[int, int, int]:
    match = _VERSION.fullmatch(version)
    if match is None:
        return _UNORDERED, 0, 0
    return _STABILITY[match[2]], int(match[1]), int(match[3] or 0)


def etag(body: bytes) -> str:
    """The entity tag of a document, in quotes, as the real server makes it."""
    return f'"{hashlib.sha512(body).hexdigest().upper()}"'


# ---- legacy -----------------------------------------------------------------------------------


def api_versions(table: ResourceTable, address: str) -> JsonObject:
    """The document at ``/api``; ``address`` is the server's own ``host:port``."""
    return {
        "kind": "APIVersions",
        "versions": by_preference(table.groups().get("", ())),
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def api_group_list(table: ResourceTable) -> JsonObject:
    """The document at ``/apis``."""
    groups = [_group(group, versions) for group, versions in table.groups().items() if group]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def api_group(table: ResourceTable, group: str) -> JsonObject | None:
    """The document at ``/apis/GROUP``, or None where no such group is served."""
    versions = table.groups().get(group) if group else None
    return None if versions is None else {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)}


def _group(group: str, versions: Iterable[str]) -> JsonObject:
    entries = [
        {"groupVersion": f"{group}/{version}", "version": version} for version in by_preference(versions)
    ]
    return {"name": group, "versions": entries, "preferredVersion": entries[0]}


def api_resource_list(table: ResourceTable, group: str, version: str) -> JsonObject | None:
    """The document at ``/api/v1`` or ``/apis/GROUP/VERSION``, or None where no such version is served."""
    rows = _rows(table, group, version)
    if not rows:
        return None
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": rows[0].api_version,
        "resources": [entry for row in rows for entry in _legacy_entries(row)],
    }


def _rows(table: ResourceTable, group: str, version: str) -> list[Resource]:
    found = [row for row in table if (row.group, row.version) == (group, version)]
    return sorted(found, key=lambda row: row.plural)


def _legacy_entries(row: Resource) -> Iterable[JsonObject]:
    yield {
        "name": row.plural,
        "singularName": row.singular,
        "namespaced": row.namespaced,
        "kind": row.kind,
        "verbs": sorted(row.verbs),
        **_names(row),
    }
    for subresource in sorted(row.subresources):
        group, version, kind = subresource_kind(row, subresource)
        foreign = (group, version) != (row.group, row.version)
        yield {
            "name": f"{row.plural}/{subresource}",
            "singularName": "",
            "namespaced": row.namespaced,
            **({"group": group, "version": version} if foreign else {}),
            "kind": kind,
            "verbs": list(subresource_verbs(subresource)),
        }


def _names(row: Resource) -> JsonObject:
    names = {"shortNames": list(row.short_names), "categories": list(row.categories)}
    return {field: values for field, values in names.items() if values}


# ---- aggregated -------------------------------------------------------------------------------


def aggregated_core(table: ResourceTable, form: Discovery) -> JsonObject:
    """The document at ``/api`` for clients that want all of it at once."""
    return _aggregated(table, [""] if "" in table.groups() else [], form)


def aggregated_groups(table: ResourceTable, form: Discovery) -> JsonObject:
    """The document at ``/apis`` for clients that want all of it at once."""
    return _aggregated(table, [group for group in table.groups() if group], form)


def _aggregated(table: ResourceTable, groups: Iterable[str], form: Discovery) -> JsonObject:
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"{DISCOVERY_GROUP}/{form.value}",
        "metadata": {},
        "items": [_aggregated_group(table, group) for group in groups],
    }


def _aggregated_group(table: ResourceTable, group: str) -> JsonObject:
    versions = [
        {
            "version": version,
            "resources": [_aggregated_resource(row) for row in _rows(table, group, version)],
            "freshness": "Current",
        }
        for version in by_preference(table.groups()[group])
    ]
    return {"metadata": {"name": group} if group else {}, "versions": versions}


def _aggregated_resource(row: Resource) -> JsonObject:
    subresources = [
        {
            "subresource": name,
            "responseKind": _response_kind(row, subresource_kind(row, name)),
            "verbs": list(subresource_verbs(name)),
        }
        for name in sorted(row.subresources)
    ]
    return {
        "resource": row.plural,
        "responseKind": _response_kind(row, (row.group, row.version, row.kind)),
        "scope": "Namespaced" if row.namespaced else "Cluster",
        "singularResource": row.singular,
        "verbs": sorted(row.verbs),
        **_names(row),
        **({"subresources": subresources} if subresources else {}),
    }


def _response_kind(row: Resource, gvk: GroupVersionKind) -> JsonObject:
    """A kind as discovery says it: a group and version that are the resource's own stay empty."""
    group, version, kind = gvk
    if (group, version) == (row.group, row.version):
        group = version = ""
    return {"group": group, "version": version, "kind": kind}


# ---- version ----------------------------------------------------------------------------------


def release() -> str:
    """The release of Kubernetes whose kinds are served, such as ``1.37.2``."""
    return packaged().source.rpartition(" v")[2]


def version_info() -> JsonObject:
    """The document at ``/version``."""
    major, minor, _ = release().split(".", 2)
    return {
        "major": major,
        "minor": minor,
        "gitVersion": f"v{release()}+{BUILD}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": "",
    }
