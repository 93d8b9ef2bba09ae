"""One life of the scheduler: it comes up, stands by or leads, and ends for one of two reasons.

What only some ask for (the election, the listener and its libraries) is imported when it is: the start-up of
the others does not pay for it.
"""

import asyncio
import enum
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from scheduler.clock import SystemClock
from scheduler.config import Settings
from scheduler.kube.access import find_access
from scheduler.kube.client import Client
from scheduler.kube.connection import Connection
from scheduler.kube.pauses import Pauses
from scheduler.runtime import Runtime
from scheduler.witness import Witness

if TYPE_CHECKING:
    from scheduler.election import Elector
    from scheduler.instruments import Instruments

_log = logging.getLogger(__name__)


class End(enum.Enum):
    """Why it ended."""

    STOPPED = "a signal came"
    LEASE_LOST = "the lease was lost"


async def serve(settings: Settings) -> End:
    """Schedule until a signal comes or the lease is lost.

    Raises:
        ConfigurationError: what is set does not work here.
    """
    stopped = _stop_signal()
    access = find_access(settings.kubeconfig, os.environ)
    instruments = _instruments(settings)
    witness = instruments or Witness()
    async with Connection(access, settings.scheduler_name, witness.failed) as connection:
        client = Client(connection, reporter=settings.scheduler_name)
        elector = _elector(settings, connection)
        leading = elector is None
        runtime = Runtime(settings, client, SystemClock(), Pauses(), witness=witness, leading=leading)
        async with _listening(settings, runtime, elector, instruments):
            witness.leads(leading)
            return await _live(runtime, elector, witness, stopped)


async def _live(
    runtime: Runtime, elector: "Elector | None", witness: Witness, stopped: asyncio.Future[None]
) -> End:
    works = [asyncio.create_task(runtime.run())]
    if elector is not None:
        works.append(asyncio.create_task(_lead(runtime, elector, witness)))
    await asyncio.wait((*works, stopped), return_when=asyncio.FIRST_COMPLETED)
    over = [work for work in works if work.done()]
    for work in works:
        work.cancel()
    await asyncio.wait(works)
    for work in over:
        work.result()  # only losing the lease ends one without an exception
    if elector is not None and not over:
        await elector.release()  # nothing is under way any more
    return End.LEASE_LOST if over else End.STOPPED


async def _lead(runtime: Runtime, elector: "Elector", witness: Witness) -> None:
    """Decide while the lease is ours; return once it is lost."""
    await elector.acquire()
    witness.leads(True)
    runtime.lead()
    await elector.hold()


def _elector(settings: Settings, connection: Connection) -> "Elector | None":
    if not settings.election.enabled:
        return None
    import socket
    import uuid

    from scheduler.election import Elector, MachineTime
    from scheduler.kube.leases import LeaseLock

    # As kube-scheduler: the host's name is for people, the rest tells the processes of a host apart.
    identity = f"{socket.gethostname()}_{uuid.uuid4()}"
    lock = LeaseLock(connection, settings.election.namespace, settings.election.name)
    return Elector(lock, settings.election, identity, MachineTime(SystemClock()))


def _instruments(settings: Settings) -> "Instruments | None":
    if settings.listen is None:
        return None
    from scheduler.instruments import Instruments

    return Instruments()


@asynccontextmanager
async def _listening(
    settings: Settings, runtime: Runtime, elector: "Elector | None", instruments: "Instruments | None"
) -> AsyncIterator[None]:
    """Serve health and metrics, if that is asked for."""
    if settings.listen is None or instruments is None:
        yield
        return
    from scheduler.listener import Listener

    instruments.watch(runtime.census)
    listener = Listener(
        settings.listen,
        healthy=lambda: elector.ailment if elector is not None else "",
        ready=lambda: "" if runtime.informed else "pods and nodes are not listed yet",
        metrics=instruments.exposition,
    )
    async with listener:
        yield


def _stop_signal() -> asyncio.Future[None]:
    """A future that is done once the process is asked to end."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[None] = loop.create_future()

    def stop(name: str) -> None:
        if not stopped.done():
            _log.info("ending on %s", name)
            stopped.set_result(None)

    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop, each.name)
    return stopped
