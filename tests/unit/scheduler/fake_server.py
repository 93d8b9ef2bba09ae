"""A tiny API server for the scheduler's tests: what it needs of the real thing, and failures on demand.

It runs in the test's own event loop. It keeps pods, nodes and events, serves list and watch with a history,
takes bindings, status patches and events, and records every request.
"""

import asyncio
import ssl
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import orjson
from aiohttp import web

from tests.unit.scheduler.builders import Object

BOUND_S = 20.0
"""How long a condition may take to become true; reached only when a test fails."""

_FINISHED = {"Succeeded", "Failed"}


@dataclass
class Failure:
    """What to answer instead, a number of times, to requests whose "METHOD path" contains a text.

    ``status`` 0 cuts the connection; with ``late`` the request takes effect first.
    """

    where: str
    status: int
    times: int = 1
    late: bool = False


@dataclass
class _Watcher:
    kind: str
    queue: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)


def status_body(code: int, reason: str, message: str = "on demand") -> Object:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }


def _answer(body: object, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(body), status=status, content_type="application/json")


def _refusal(code: int, reason: str, message: str = "on demand") -> web.Response:
    return _answer(status_body(code, reason, message), code)


_PATHS = {
    "pods": "/api/v1/pods",
    "nodes": "/api/v1/nodes",
    "namespaces": "/api/v1/namespaces",
    "budgets": "/apis/policy/v1/poddisruptionbudgets",
    "native-groups": "/apis/scheduling.k8s.io/v1beta1/podgroups",
    "groups": "/apis/scheduling.x-k8s.io/v1alpha1/podgroups",
}
"""The collections, by the name that tests give them."""


def _at(found: Object, path: str) -> Any:
    """The value at a path such as ``regarding.uid``."""
    for name in path.split("."):
        found = found.get(name, {})
    return found


class FakeApi:
    """The server. Use it as an asynchronous context manager."""

    def __init__(self, tls: ssl.SSLContext | None = None, page_size: int = 500) -> None:
        self.objects: dict[str, dict[str, Object]] = {kind: {} for kind in _PATHS}
        self.succeeded: list[Object] = []
        """Pods that have ended with success and still exist."""
        self.events: dict[str, Object] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.peers: set[object] = set()
        self.failures: list[Failure] = []
        self.url = ""
        self._tls = tls
        self._page_size = page_size
        self._version = 0
        self._history: list[tuple[int, str, bytes]] = []
        self._oldest = 0
        self._watchers: list[_Watcher] = []
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._middleware])
        for kind, path in _PATHS.items():
            app.router.add_get(path, partial(self._read, kind))
        app.router.add_get("/api/v1/namespaces/{namespace}/pods/{name}", self._get_pod)
        app.router.add_post("/api/v1/namespaces/{namespace}/pods/{name}/binding", self._bind)
        app.router.add_patch("/api/v1/namespaces/{namespace}/pods/{name}/status", self._patch_status)
        app.router.add_post("/apis/events.k8s.io/v1/namespaces/{namespace}/events", self._create_event)
        app.router.add_get("/apis/events.k8s.io/v1/namespaces/{namespace}/events", self._list_events)
        app.router.add_get("/apis/events.k8s.io/v1/events", self._list_events)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._tls)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"{'https' if self._tls else 'http'}://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.end_watches()
        await self._runner.cleanup()

    # What tests do and look at ------------------------------------------------------------------------

    def put(self, kind: str, found: Object) -> None:
        """Create or replace an object; a pod that has finished leaves the watches as deleted."""
        key = found["metadata"]["name"]
        found = deepcopy(found)
        if found.get("status", {}).get("phase") in _FINISHED:
            self.remove(kind, key)
            return
        known = key in self.objects[kind]
        found["metadata"]["resourceVersion"] = self._next()
        self.objects[kind][key] = found
        self._emit(kind, "MODIFIED" if known else "ADDED", found)

    def remove(self, kind: str, name: str) -> None:
        """Delete an object."""
        found = self.objects[kind].pop(name)
        found["metadata"]["resourceVersion"] = self._next()
        self._emit(kind, "DELETED", found)

    def end_watches(self, kind: str = "") -> None:
        """End the watches of a kind, or all, in an orderly way."""
        for watcher in self._watchers:
            if kind in ("", watcher.kind):
                watcher.queue.put_nowait(None)

    def say(self, kind: str, event: object) -> None:
        """Send something of our own to the watchers of a kind."""
        data = event if isinstance(event, bytes) else orjson.dumps(event) + b"\n"
        for watcher in self._watchers:
            if watcher.kind == kind:
                watcher.queue.put_nowait(data)

    def forget_history(self) -> None:
        """Answer 410 to everyone who wants to resume from before now."""
        self._version += 1
        self._history.clear()
        self._oldest = self._version

    def fail(self, where: str, status: int, times: int = 1, late: bool = False) -> None:
        """Let the next requests fail whose "METHOD path" contains this text."""
        self.failures.append(Failure(where, status, times, late))

    async def until(self, check: Callable[[], object]) -> None:
        """Wait until the check is true, looking again after each request and change."""
        async with asyncio.timeout(BOUND_S), self._changed:
            await self._changed.wait_for(lambda: bool(check()))

    def watching(self, kind: str) -> int:
        return sum(watcher.kind == kind for watcher in self._watchers)

    def node_of(self, pod: str) -> str:
        return str(self.objects["pods"][pod]["spec"].get("nodeName", ""))

    def sent(self, text: str) -> list[str]:
        """The requests so far that contain this text, as "METHOD path"."""
        return [f"{method} {path}" for method, path, _ in self.requests if text in f"{method} {path}"]

    def reasons(self) -> list[str]:
        return [event["reason"] for event in self.events.values()]

    # Plumbing -----------------------------------------------------------------------------------------

    def _next(self) -> str:
        self._version += 1
        return str(self._version)

    def _emit(self, kind: str, change: str, found: Object) -> None:
        line = orjson.dumps({"type": change, "object": found}) + b"\n"
        self._history.append((self._version, kind, line))
        self.say(kind, line)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    @web.middleware
    async def _middleware(self, request: web.Request, handler: Any) -> web.StreamResponse:
        body = await request.read()
        self.requests.append((request.method, request.path_qs, orjson.loads(body) if body else None))
        self.headers.append(dict(request.headers))
        self.peers.add(request.transport.get_extra_info("peername") if request.transport else None)
        try:
            failure = self._failure_for(f"{request.method} {request.path_qs}")
            if failure is None:
                response: web.StreamResponse = await handler(request)
                return response
            if failure.late:
                await handler(request)
            return self._fail(request, failure)
        finally:
            await self._notify()

    def _failure_for(self, request: str) -> Failure | None:
        for failure in self.failures:
            if failure.times and failure.where in request:
                failure.times -= 1
                return failure
        return None

    def _fail(self, request: web.Request, failure: Failure) -> web.Response:
        if failure.status == 0:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        return _refusal(failure.status, "OnDemand")

    # Handlers -----------------------------------------------------------------------------------------

    async def _read(self, kind: str, request: web.Request) -> web.StreamResponse:
        if request.query.get("fieldSelector") == "status.phase=Succeeded":
            return _answer({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": self.succeeded})
        if request.query.get("watch") == "true":
            return await self._watch(request, kind)
        start = int(request.query.get("continue") or 0)
        found = list(self.objects[kind].values())
        rest = len(found) - start - self._page_size
        metadata = {
            "resourceVersion": str(self._version),
            "continue": str(start + self._page_size) if rest > 0 else "",
        }
        return _answer(
            {"kind": "List", "metadata": metadata, "items": found[start : start + self._page_size]}
        )

    async def _watch(self, request: web.Request, kind: str) -> web.StreamResponse:
        since = int(request.query["resourceVersion"])
        if since < self._oldest:
            return _refusal(410, "Expired")
        watcher = _Watcher(kind)
        for version, of, line in self._history:
            if version > since and of == kind:
                watcher.queue.put_nowait(line)
        self._watchers.append(watcher)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        await self._notify()
        try:
            while (item := await watcher.queue.get()) is not None:
                await response.write(item)
        finally:
            self._watchers.remove(watcher)
        return response

    async def _get_pod(self, request: web.Request) -> web.Response:
        pod = self.objects["pods"].get(request.match_info["name"])
        return _answer(pod) if pod is not None else _refusal(404, "NotFound")

    async def _bind(self, request: web.Request) -> web.Response:
        body = orjson.loads(await request.read())
        pod = self.objects["pods"].get(request.match_info["name"])
        if pod is None:
            return _refusal(404, "NotFound")
        if pod["metadata"]["uid"] != body["metadata"]["uid"] or pod["spec"].get("nodeName"):
            return _refusal(409, "Conflict")
        bound = deepcopy(pod)
        bound["spec"]["nodeName"] = body["target"]["name"]
        if annotations := body["metadata"].get("annotations"):
            bound["metadata"]["annotations"] = {**bound["metadata"].get("annotations", {}), **annotations}
        self.put("pods", bound)
        return _answer({"kind": "Status", "status": "Success"}, 201)

    async def _patch_status(self, request: web.Request) -> web.Response:
        assert request.content_type == "application/strategic-merge-patch+json"
        patch = orjson.loads(await request.read())
        pod = self.objects["pods"].get(request.match_info["name"])
        if pod is None:
            return _refusal(404, "NotFound")
        if pod["metadata"]["uid"] != patch["metadata"]["uid"]:
            return _refusal(409, "Conflict")
        changed = deepcopy(pod)
        conditions = {each["type"]: each for each in changed["status"].get("conditions", [])}
        for each in patch["status"]["conditions"]:
            conditions[each["type"]] = {**conditions.get(each["type"], {}), **each}
        changed["status"]["conditions"] = list(conditions.values())
        self.put("pods", changed)
        return _answer(changed)

    async def _list_events(self, request: web.Request) -> web.Response:
        field, _, value = request.query["fieldSelector"].partition("=")
        found = [event for event in self.events.values() if _at(event, field) == value]
        return _answer({"kind": "EventList", "metadata": {"resourceVersion": "1"}, "items": found})

    async def _create_event(self, request: web.Request) -> web.Response:
        event = orjson.loads(await request.read())
        name = event["metadata"]["name"]
        if name in self.events:
            return _refusal(409, "AlreadyExists")
        self.events[name] = event
        return _answer(event, 201)
