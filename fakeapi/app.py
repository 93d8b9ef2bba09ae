"""The whole server as one ASGI callable: who may ask, and which side answers."""

import hmac
from typing import Final

from fakeapi.machinery.status import unauthorized
from fakeapi.rest.api import BODY_LIMIT, KubeApi
from fakeapi.rest.asgi import (
    App,
    Headers,
    Message,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    header,
    refusal,
    send_response,
)
from fakeapi.rest.control import PREFIX, Steering, control_app
from fakeapi.world import World

_OPEN_PATHS: Final = frozenset(("/healthz", "/livez", "/readyz"))
"""Asked by whoever watches over the server, who has no token; they tell nothing else."""


class Application:
    """Kubernetes paths go straight to :class:`KubeApi`, ``/_fakeapi`` to the control side.

    No middleware lies between a client and the Kubernetes side, since that is the hot path.
    """

    def __init__(self, kube: KubeApi, control: App, token: str = "") -> None:
        self.kube: Final = kube
        self._control = control
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection's request, or follow the server's life."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003, "reason": "not spoken here"})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        client = tuple(scope.get("client") or ("", 0))
        written_to = self.kube.traffic.writing_to

        async def told_send(message: Message) -> None:
            written_to(client)
            await send(message)

        await self._answer(path, scope, receive, told_send)

    async def _answer(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        if path not in _OPEN_PATHS and not self._may_ask(scope["headers"]):
            await send_response(send, refusal(unauthorized()))
        elif path == PREFIX or path.startswith(PREFIX + "/"):
            await self._control(scope, receive, send)
        else:
            await self.kube(scope, receive, send)

    def respond(self, request: Request) -> Response:
        """The answer to a request for an object or a list, without the ways of ASGI: see ``connection``."""
        if not self._may_ask(request.headers):
            return refusal(unauthorized())
        return self.kube.respond(request)

    def _may_ask(self, headers: Headers) -> bool:
        if not self._token:
            return True
        scheme, _, token = header(headers, b"authorization").partition(" ")
        # Compared as bytes: a text with other letters than ASCII would make the comparison raise.
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token)


async def _live(receive: Receive, send: Send) -> None:
    """The life of a server that asks for it: there is nothing to set up and nothing to tear down."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def create_app(
    world: World,
    *,
    token: str = "",
    body_limit: int = BODY_LIMIT,
    steering: Steering = Steering.DRIVEN,
    speed: float | None = None,
) -> Application:
    """Everything that a world serves.

    Args:
        world: what is served.
        token: bearer token that requests must carry; empty for none.
        body_limit: bytes of a request's body that are read at most.
        steering: who moves the world's clock.
        speed: virtual seconds for a real one, where the clock runs by itself.
    """
    return Application(KubeApi(world, body_limit), control_app(world, steering, speed), token)
