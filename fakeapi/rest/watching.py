"""watch: a stream of changes that starts with a snapshot, a bookmark, or a revision.

Time-outs and bookmarks run on real time: a watch asks for five to ten minutes, which
in virtual time would be thousands of reconnects.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import orjson

from fakeapi.registry.failures import translate
from fakeapi.registry.registry import Registry
from fakeapi.rest.asgi import JSON, Receive, Response, Send, send_response
from fakeapi.rest.options import ListOptions, list_options
from fakeapi.rest.present import Presenter
from fakeapi.rest.request import RequestInfo
from fakeapi.rest.selection import selection_of
from fakeapi.rest.traffic import Address, Traffic
from fakeapi.storage.errors import StoreError
from fakeapi.storage.objects import event_line
from fakeapi.storage.store import Snapshot
from fakeapi.storage.watch import Selection, Subscription

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""Annotation of the bookmark that closes the initial events; client-go waits for it without end."""


@dataclass(frozen=True, slots=True)
class WatchTimes:
    """Real-time limits of a watch, in seconds."""

    default_timeout_s: float = 2700.0
    """How long a watch lasts that does not say: within the real server's 30 to 60 minutes."""

    bookmark_every_s: float = 60.0
    """How often a quiet watch that asked for bookmarks gets one, as the real server does it."""


async def watch(
    registry: Registry,
    info: RequestInfo,
    presenter: Presenter,
    receive: Receive,
    send: Send,
    traffic: Traffic,
    client: Address,
    times: WatchTimes,
) -> None:
    """Answer a watch until it times out, its queue overflows or the client leaves.

    A revision that is no longer known, or not yet, is told in the stream, as its only event.

    Raises:
        StatusError: before anything was sent, 400 or 422 for bad parameters.
    """
    select, options = selection_of(info), list_options(info)
    bell = asyncio.Event()
    try:
        snapshot, subscription = _subscribe(registry, info, presenter, select, options, bell.set)
    except StoreError as error:
        refusal = translate(error, info.resource, info.name)
        await send_response(send, Response(event_line("ERROR", orjson.dumps(refusal.to_json()))))
        return
    traffic.watches[subscription] = client
    try:
        first = b"" if snapshot is None else _initial(presenter, snapshot, options)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", JSON)]})
        # An empty first part makes the headers leave now: clients wait for them before they read.
        await send({"type": "http.response.body", "body": first, "more_body": True})
        traffic.end()
        try:
            await _Stream(presenter, subscription, bell, options, times).run(receive, send)
        finally:
            traffic.in_flight += 1  # the caller ends every request once; this one was ended above
    finally:
        del traffic.watches[subscription]
        registry.store.unwatch(info.resource.storage_key, subscription)


def _subscribe(
    registry: Registry,
    info: RequestInfo,
    presenter: Presenter,
    select: Selection,
    options: ListOptions,
    wake: Callable[[], None],
) -> tuple[Snapshot | None, Subscription]:
    store = registry.store
    store.require_past(options.revision)
    # Without initial events a watch goes on from the revision that it names, or from now.
    since = None if options.initial_events else options.revision or store.revision
    return store.watch(info.resource.storage_key, info.namespace, select, wake, since, presenter.renderer())


def _initial(presenter: Presenter, snapshot: Snapshot, options: ListOptions) -> bytes:
    # In the order of keys, as the real server replays them from its cache.
    lines = [presenter.added(version) for version in snapshot.versions]
    if options.bookmarks:
        lines.append(presenter.bookmark(snapshot.revision, {INITIAL_EVENTS_END: "true"}))
    return b"".join(lines)


class _Stream:
    """The part of a watch after its beginning."""

    def __init__(
        self,
        presenter: Presenter,
        subscription: Subscription,
        bell: asyncio.Event,
        options: ListOptions,
        times: WatchTimes,
    ) -> None:
        self._presenter = presenter
        self._subscription = subscription
        self._bell = bell
        self._options = options
        self._times = times
        self._over = False
        self._bookmark_due = False

    async def run(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._options.timeout_s or self._times.default_timeout_s, self._finish)
        leaving = asyncio.create_task(self._notice_leaving(receive))
        reminder = self._remind_later(loop)
        try:
            while not self._over:
                await self._bell.wait()
                self._bell.clear()
                await self._pass_on(send)
                if self._bookmark_due:
                    reminder = self._remind_later(loop)
            await self._close(send)
        finally:
            timer.cancel()
            leaving.cancel()
            if reminder is not None:
                reminder.cancel()

    async def _pass_on(self, send: Send) -> None:
        block = self._subscription.take()
        if self._bookmark_due:
            block += self._bookmark()
        if block:
            await send({"type": "http.response.body", "body": block, "more_body": True})
        if self._subscription.overflowed:
            self._over = True

    async def _close(self, send: Send) -> None:
        farewell = b""
        if self._options.bookmarks and not self._subscription.overflowed:
            farewell = self._subscription.take() + self._bookmark()
        await send({"type": "http.response.body", "body": farewell})

    def _bookmark(self) -> bytes:
        return self._presenter.bookmark(self._subscription.revision, None)

    def _finish(self) -> None:
        self._over = True
        self._bell.set()

    def _remind_later(self, loop: asyncio.AbstractEventLoop) -> asyncio.TimerHandle | None:
        self._bookmark_due = False
        if not self._options.bookmarks:
            return None
        return loop.call_later(self._times.bookmark_every_s, self._remind)

    def _remind(self) -> None:
        self._bookmark_due = True
        self._bell.set()

    async def _notice_leaving(self, receive: Receive) -> None:
        try:
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._finish()  # also when the connection breaks in another way
