"""Paths that are no resource: discovery, OpenAPI, version and health."""

from collections.abc import Callable
from typing import Final

import orjson

from fakeapi.machinery.negotiation import Discovery, negotiate_discovery
from fakeapi.machinery.resources import ResourceTable
from fakeapi.machinery.status import method_not_allowed, no_such_path
from fakeapi.rest import discovery, openapi
from fakeapi.rest.asgi import TEXT, Request, Response, header
from fakeapi.world import World

_HEALTH: Final = ("/healthz", "/livez", "/readyz")
_NOT_MODIFIED: Final = 304
_GROUP_PARTS: Final = 2
_VERSION_PARTS: Final = 3


class NonResource:
    """Answers everything below the root that names no object."""

    def __init__(self, world: World) -> None:
        self._table: Final[ResourceTable] = world.table

    def answer(self, request: Request) -> Response:
        """Answer one request.

        Raises:
            StatusError: 404 for unknown paths, 405 for other methods than GET, 406.
        """
        path = request.path.rstrip("/") or "/"
        if path.startswith(_HEALTH):
            return Response(b"ok", content_type=TEXT)
        body, content_type = self._document(path, request)
        if request.method not in ("GET", "HEAD"):
            raise method_not_allowed()
        tag = discovery.etag(body)
        headers = ((b"etag", tag.encode()), (b"vary", b"Accept"), (b"cache-control", b"public"))
        if header(request.headers, b"if-none-match") == tag:
            return Response(b"", _NOT_MODIFIED, content_type, headers)
        return Response(body, content_type=content_type, headers=headers)

    def _document(self, path: str, request: Request) -> tuple[bytes, bytes]:
        if path.startswith("/openapi/"):
            found = openapi.document(self._table, path, header(request.headers, b"accept"))
            if found is None:
                raise no_such_path()
            return found
        form = Discovery.LEGACY
        if path in ("/api", "/apis"):
            form = negotiate_discovery(header(request.headers, b"accept"))
        value = self._value(path, form, request.server)
        if value is None:
            raise no_such_path()
        return orjson.dumps(value), form.content_type.encode()

    def _value(self, path: str, form: Discovery, address: str) -> object:
        table, legacy = self._table, form is Discovery.LEGACY
        fixed: dict[str, Callable[[], object]] = {
            "/": lambda: {"paths": _paths(table)},
            "/version": discovery.version_info,
            "/api": lambda: (
                discovery.api_versions(table, address) if legacy else discovery.aggregated_core(table, form)
            ),
            "/apis": lambda: (
                discovery.api_group_list(table) if legacy else discovery.aggregated_groups(table, form)
            ),
        }
        if path in fixed:
            return fixed[path]()
        parts = path.strip("/").split("/")
        if parts[0] == "api" and len(parts) == _GROUP_PARTS:
            return discovery.api_resource_list(table, "", parts[1])
        if parts[0] == "apis" and len(parts) == _GROUP_PARTS:
            return discovery.api_group(table, parts[1])
        if parts[0] == "apis" and len(parts) == _VERSION_PARTS:
            return discovery.api_resource_list(table, parts[1], parts[2])
        return None


def _paths(table: ResourceTable) -> list[str]:
    paths = ["/api", "/api/v1", "/apis", *_HEALTH, "/openapi/v2", "/openapi/v3", "/version"]
    for group, versions in table.groups().items():
        if group:
            paths += [f"/apis/{group}", *(f"/apis/{group}/{version}" for version in versions)]
    return sorted(paths)
