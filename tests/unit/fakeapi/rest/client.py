"""An ASGI client in the server's own process: no sockets, and a loop in which waiting takes no time."""

import asyncio
import json
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from fakeapi.kernel.clock import VirtualClock
from fakeapi.rest.api import BODY_LIMIT, KubeApi
from fakeapi.rest.asgi import Message
from fakeapi.rest.watching import WatchTimes
from fakeapi.world import World
from tests.unit.fakeapi.registry.bench import pod

Json = dict[str, Any]
T = TypeVar("T")

JSON: Final = "application/json"
YAML: Final = "application/yaml"
JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"
TABLE: Final = "application/json;as=Table;v=v1;g=meta.k8s.io"

CONFIGS: Final = "/api/v1/namespaces/default/configmaps"
PODS: Final = "/api/v1/namespaces/default/pods"
NODES: Final = "/api/v1/nodes"
LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
DEPLOYMENTS: Final = "/apis/apps/v1/namespaces/default/deployments"

_STEPS: Final = 20
"""Turns of the loop in which everything that can happen now has happened."""


class _NoWaiting(selectors.SelectSelector):
    """Where the loop would wait for its next timer, time jumps there."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing will ever happen: the server waits for ever")
        self.now += timeout
        return super().select(0)


class TimelessLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only where everybody waits for it."""

    def __init__(self) -> None:
        self._waits = _NoWaiting()
        super().__init__(self._waits)

    def time(self) -> float:
        return self._waits.now


def run(scene: Coroutine[Any, Any, T]) -> T:
    """What the scene comes to."""
    with asyncio.Runner(loop_factory=TimelessLoop) as runner:
        return runner.run(scene)


@dataclass
class Answer:
    """What a request was answered with."""

    code: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def json(self) -> Json:
        """The body, which is one JSON object."""
        value: Json = json.loads(self.body)
        return value

    @property
    def events(self) -> list[tuple[str, Json]]:
        """The body of a watch: type and object of each event."""
        return events(self.body)

    @property
    def warnings(self) -> list[str]:
        """The ``Warning`` headers."""
        return [value.decode() for name, value in self.headers if name == b"warning"]

    @property
    def names(self) -> list[str]:
        """The names in a list."""
        return [item["metadata"]["name"] for item in self.json["items"]]

    def header(self, name: bytes) -> bytes | None:
        """The value of a header."""
        return dict(self.headers).get(name)


def events(stream: bytes) -> list[tuple[str, Json]]:
    """Type and object of each line of a watch."""
    lines = [json.loads(line) for line in stream.splitlines()]
    return [(line["type"], line["object"]) for line in lines]


@dataclass
class Exchange:
    """One request as the server's callables see it."""

    requests: list[Message]
    sent: list[Message] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> Message:
        if self.requests:
            return self.requests.pop(0)
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    def answer(self) -> Answer:
        """What was sent, checked to be what ASGI asks for."""
        start, *parts = self.sent
        assert start["type"] == "http.response.start"
        assert all(part["type"] == "http.response.body" for part in parts)
        assert [bool(part.get("more_body")) for part in parts] == [True] * (len(parts) - 1) + [False]
        body = b"".join(part.get("body", b"") for part in parts)
        length = dict(start["headers"]).get(b"content-length")
        assert length is None or int(length) == len(body)
        return Answer(start["status"], list(start["headers"]), body)


class Stream:
    """An open watch."""

    def __init__(self, exchange: Exchange, task: "asyncio.Task[None]") -> None:
        self._exchange = exchange
        self._task = task

    @property
    def code(self) -> int:
        """The status code, which has been sent."""
        return int(self._exchange.sent[0]["status"])

    @property
    def events(self) -> list[tuple[str, Json]]:
        """All events so far."""
        return events(b"".join(part.get("body", b"") for part in self._exchange.sent[1:]))

    @property
    def told(self) -> list[tuple[str, str]]:
        """All events so far: type and name."""
        return [(kind, obj["metadata"].get("name", "")) for kind, obj in self.events]

    @property
    def over(self) -> bool:
        """Whether the server has ended the answer."""
        return self._task.done()

    async def leave(self) -> None:
        """Disconnect."""
        self._exchange.left.set()
        await settle()

    def cancel(self) -> None:
        """End the request as a server does that stops."""
        self._task.cancel()

    async def end(self) -> Answer:
        """Wait until the server ends the answer."""
        await self._task
        return self._exchange.answer()


async def settle() -> None:
    """Let happen what can happen without time passing."""
    for _ in range(_STEPS):
        await asyncio.sleep(0)


class Client:
    """A world with its API."""

    def __init__(
        self,
        *,
        history_limit: int = 20_000,
        body_limit: int = BODY_LIMIT,
        times: WatchTimes | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock, history_limit=history_limit, controllers=False)
        self.api = KubeApi(self.world, body_limit, times)

    @property
    def revision(self) -> int:
        """The revision of the newest change."""
        return self.world.store.revision

    def exchange(
        self,
        method: str,
        url: str,
        body: object = None,
        content_type: str = JSON,
        accept: str = "",
    ) -> tuple[Json, Exchange]:
        """A request: its scope and its messages; a ``body`` that is not bytes is sent as JSON."""
        path, _, query = url.partition("?")
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        headers = [(b"accept", accept.encode())] if accept else []
        if raw or content_type != JSON:
            headers.append((b"content-type", content_type.encode()))
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(path),
            "query_string": query.encode(),
            "headers": headers,
            "client": ("127.0.0.1", 1),
        }
        return scope, Exchange([{"type": "http.request", "body": raw, "more_body": False}])

    def ask(
        self, method: str, url: str, body: object = None, content_type: str = JSON, accept: str = ""
    ) -> Answer:
        """The whole answer to a request; a watch is answered when it has timed out."""
        return run(self._ask(method, url, body, content_type, accept))

    async def _ask(self, *request: Any) -> Answer:
        scope, exchange = self.exchange(*request)
        await self.api(scope, exchange.receive, exchange.send)
        assert self.api.traffic.in_flight == 0
        assert not self.api.traffic.watches
        return exchange.answer()

    async def watch(self, url: str, accept: str = "") -> Stream:
        """Open a watch; the events that are due have been sent."""
        scope, exchange = self.exchange("GET", url, accept=accept)
        task = asyncio.create_task(self._serve(scope, exchange))
        await settle()
        return Stream(exchange, task)

    async def _serve(self, scope: Json, exchange: Exchange) -> None:
        await self.api(scope, exchange.receive, exchange.send)

    # ---- in short ----

    def get(self, url: str, accept: str = "") -> Answer:
        return self.ask("GET", url, accept=accept)

    def post(self, url: str, body: object, content_type: str = JSON) -> Answer:
        return self.ask("POST", url, body, content_type)

    def put(self, url: str, body: object) -> Answer:
        return self.ask("PUT", url, body)

    def patch(self, url: str, body: object, content_type: str = MERGE_PATCH) -> Answer:
        return self.ask("PATCH", url, body, content_type)

    def delete(self, url: str, body: object = None) -> Answer:
        return self.ask("DELETE", url, body)

    def config(self, name: str, **labels: str) -> Json:
        """Create a ConfigMap; the created object."""
        return created(self.post(CONFIGS, {"metadata": {"name": name, "labels": labels}}))

    def refused(
        self, code: int, method: str, url: str, body: object = None, content_type: str = JSON
    ) -> Json:
        """The ``Status`` of a refusal, which has changed nothing."""
        before = self.revision
        answer = self.ask(method, url, body, content_type)
        assert answer.code == code, answer.body
        assert self.revision == before
        return status_of(answer)


def created(answer: Answer) -> Json:
    """The object of a successful creation."""
    assert answer.code == 201, answer.body
    return answer.json


def fine(answer: Answer, code: int = 200) -> Json:
    """The object that a request is answered with which is not refused."""
    assert answer.code == code, answer.body
    return answer.json


def running(client: Client, **spec: Any) -> None:
    """Create a pod that runs on the node ``n1``."""
    client.post(NODES, {"metadata": {"name": "n1"}})
    client.post(PODS, pod(nodeName="n1", **spec))
    client.world.run_due()
    assert client.get(f"{PODS}/pod").json["status"]["phase"] == "Running"


def status_of(answer: Answer) -> Json:
    """The ``Status`` of a refusal, with all that belongs into one."""
    status = answer.json
    assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
    assert status["code"] == answer.code
    assert status["reason"]
    assert status["message"]
    return status
