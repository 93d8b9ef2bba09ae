"""watch: a stream of changes that starts with a snapshot, a bookmark, or a revision.

Time-outs and bookmarks run on real time: a watch asks for five to ten minutes, which
in virtual time would be thousands of reconnects.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from fakeapi.machinery.status import forbidden_value
from fakeapi.registry.failures import translate
from fakeapi.registry.registry import Registry
from fakeapi.rest.asgi import JSON, Receive, Send
from fakeapi.rest.present import Presenter
from fakeapi.rest.read import invalid_options, revision_of
from fakeapi.rest.request import RequestInfo
from fakeapi.rest.selection import selection_of
from fakeapi.rest.traffic import Address, Traffic
from fakeapi.storage.errors import StoreError
from fakeapi.storage.store import Snapshot
from fakeapi.storage.watch import Subscription

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""Annotation of the bookmark that closes the initial events; client-go waits for it without end."""


@dataclass(frozen=True, slots=True)
class WatchTimes:
    """Real-time limits of a watch, in seconds."""

    default_timeout_s: float = 2700.0
    """How long a watch lasts that does not say: within the real server's 30 to 60 minutes."""

    bookmark_every_s: float = 60.0
    """How often a quiet watch that asked for bookmarks gets one, as the real server does it."""


@dataclass(frozen=True, slots=True)
class _Start:
    """How a watch begins, from its parameters."""

    since: int | None
    initial_events_end: bool
    bookmarks: bool
    timeout_s: float


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

    Raises:
        StatusError: before anything was sent: 400 or 422 for bad parameters, 410 for a revision
            that is no longer known.
    """
    start = _start_of(info, times)
    bell = asyncio.Event()
    snapshot, subscription = _subscribe(registry, info, presenter, start, bell)
    traffic.watches[subscription] = client
    try:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", JSON)]})
        first = b"" if snapshot is None else _initial(presenter, snapshot, start)
        # An empty first part makes the headers leave now: clients wait for them before they read.
        await send({"type": "http.response.body", "body": first, "more_body": True})
        traffic.end()
        try:
            stream = _Stream(presenter, subscription, bell, start, times)
            await stream.run(receive, send)
        finally:
            traffic.in_flight += 1  # the caller ends every request once; this one was ended above
    finally:
        del traffic.watches[subscription]
        registry.store.unwatch(info.resource.storage_key, subscription)


def _subscribe(
    registry: Registry, info: RequestInfo, presenter: Presenter, start: _Start, bell: asyncio.Event
) -> tuple[Snapshot | None, Subscription]:
    try:
        return registry.store.watch(
            info.resource.storage_key,
            info.namespace,
            selection_of(info),
            bell.set,
            start.since,
            presenter.renderer(),
        )
    except StoreError as error:
        raise translate(error, info.resource, info.name) from None


def _start_of(info: RequestInfo, times: WatchTimes) -> _Start:
    initial = info.text("sendInitialEvents")
    match = info.text("resourceVersionMatch")
    if initial and match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise invalid_options([forbidden_value("resourceVersionMatch", why)])
    if match and not initial:
        why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        raise invalid_options([forbidden_value("resourceVersionMatch", why)])
    bookmarks = info.flag("allowWatchBookmarks")
    wants_initial = info.flag("sendInitialEvents")
    if wants_initial and not bookmarks:
        why = "sendInitialEvents requires setting allowWatchBookmarks to true"
        raise invalid_options([forbidden_value("allowWatchBookmarks", why)])
    revision = revision_of(info)
    # Without a revision, and at "0", a watch begins with what there is; so does one with initial events.
    from_now = wants_initial or (not revision and not initial)
    since = None if from_now else revision
    timeout = info.number("timeoutSeconds") or times.default_timeout_s
    return _Start(since, wants_initial, bookmarks, float(timeout))


def _initial(presenter: Presenter, snapshot: Snapshot, start: _Start) -> bytes:
    # In the order of creation, as a fresh watch of the real server replays it from its cache by key.
    lines = [presenter.added(version) for version in snapshot.versions]
    if start.initial_events_end:
        lines.append(presenter.bookmark(snapshot.revision, {INITIAL_EVENTS_END: "true"}))
    return b"".join(lines)


class _Stream:
    """The part of a watch after its beginning."""

    def __init__(
        self,
        presenter: Presenter,
        subscription: Subscription,
        bell: asyncio.Event,
        start: _Start,
        times: WatchTimes,
    ) -> None:
        self._presenter = presenter
        self._subscription = subscription
        self._bell = bell
        self._start = start
        self._times = times
        self._over = False
        self._bookmark_due = False

    async def run(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self._start.timeout_s, self._finish)
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
        if self._start.bookmarks and not self._subscription.overflowed:
            farewell = self._subscription.take() + self._bookmark()
        await send({"type": "http.response.body", "body": farewell})

    def _bookmark(self) -> bytes:
        return self._presenter.bookmark(self._subscription.revision, None)

    def _finish(self) -> None:
        self._over = True
        self._bell.set()

    def _remind_later(self, loop: asyncio.AbstractEventLoop) -> asyncio.TimerHandle | None:
        self._bookmark_due = False
        if not self._start.bookmarks:
            return None
        return loop.call_later(self._times.bookmark_every_s, self._remind)

    def _remind(self) -> None:
        self._bookmark_due = True
        self._bell.set()

    async def _notice_leaving(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._finish()
