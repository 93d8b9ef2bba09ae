"""One recording: three resources followed until time is up, the user stops it, or the server is given up."""

import asyncio
import contextlib
import secrets
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.record.client import Change, Client, Snapshot
from evaluator.record.journal import Journal
from evaluator.record.kubeconfig import Access
from evaluator.record.observer import Names, Observer
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import SECOND

PODS: Final = "/api/v1/pods"
NODES: Final = "/api/v1/nodes"
JOBS: Final = "/apis/batch/v1/jobs"

SALT_BYTES: Final = 32
"""Bytes of the key of anonymous names; it is not kept, so that nobody can look names up later."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be recorded."""

    chip_resource: str
    anonymise: bool
    duration_ns: int | None = None
    """None: until it is stopped."""
    progress: Callable[[int], None] = lambda _written: None
    """Told how many events were written."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a recording ended."""

    interrupted: bool
    left_out: int


async def record(access: Access, journal: Journal, plan: Plan) -> Outcome:
    """Record a cluster. SIGINT and SIGTERM end the recording, and what was recorded is whole.

    :raises TraceError: if the server refuses or is given up; what was recorded until then is in the file.
    """
    async with Client(access) as client:
        started = await client.now()
        origin = monotonic_ns()
        observer = Observer(
            started_ns=started,
            now=lambda: started + monotonic_ns() - origin,
            names=Names(secrets.token_bytes(SALT_BYTES) if plan.anonymise else None),
            chip_resource=plan.chip_resource,
        )
        journal.begin(started, chip_resource=plan.chip_resource, anonymised=plan.anonymise)
        try:
            interrupted = await _follow_all(client, observer, journal, plan)
        finally:
            journal.add([observer.end()])
    return Outcome(interrupted, observer.left_out)


async def _follow_all(client: Client, observer: Observer, journal: Journal, plan: Plan) -> bool:
    """Follow until the end; whether a signal was it."""
    stopped = asyncio.Event()
    with _stopping(stopped):
        followers: list[asyncio.Future[None]] = [
            asyncio.ensure_future(_follow(client, path, observer, journal, plan))
            for path in (NODES, JOBS, PODS)
        ]
        stop: asyncio.Future[bool] = asyncio.ensure_future(stopped.wait())
        limit = None if plan.duration_ns is None else plan.duration_ns / SECOND
        try:
            await _first_failure(followers, stop, limit)
            return stopped.is_set()
        finally:
            for follower in followers:
                follower.cancel()
            stop.cancel()
            await asyncio.gather(*followers, stop, return_exceptions=True)


async def _first_failure(
    followers: Sequence["asyncio.Future[None]"], stop: "asyncio.Future[bool]", limit: float | None
) -> None:
    """Wait until the stop, the limit, or a task's error, which is raised. A follower may end by itself."""
    deadline = None if limit is None else asyncio.get_running_loop().time() + limit
    tasks: set[asyncio.Future[None] | asyncio.Future[bool]] = {*followers, stop}
    while stop in tasks:
        left = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        done, tasks = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        if not done:
            return


@contextlib.contextmanager
def _stopping(stopped: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


async def _follow(client: Client, path: str, observer: Observer, journal: Journal, plan: Plan) -> None:
    async for seen in client.follow(path, optional=path == JOBS):
        journal.add(_events(observer, path, seen))
        plan.progress(journal.written)


def _events(observer: Observer, path: str, seen: Snapshot | Change) -> Iterator[dict[str, object]]:
    if isinstance(seen, Snapshot):
        if path == NODES:
            yield from observer.all_nodes(seen.objects)
        elif path == PODS:
            yield from observer.all_pods(seen.objects)
        else:
            for job in seen.objects:
                yield from observer.job(job)
        return
    if path == NODES:
        yield from (observer.node_gone if seen.gone else observer.node)(seen.object)
    elif path == PODS:
        yield from (observer.pod_gone if seen.gone else observer.pod)(seen.object)
    elif not seen.gone:
        yield from observer.job(seen.object)
