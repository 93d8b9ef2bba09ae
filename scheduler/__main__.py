"""``lst-scheduler``: run the scheduler until SIGTERM or SIGINT.

Exit codes: 0 ended by a signal · 3 a bug in this program · 4 bad usage or configuration.
"""

import asyncio
import enum
import logging
import os
import signal
import sys
from collections.abc import Sequence

from scheduler.commandline import parse
from scheduler.config import Settings
from scheduler.errors import ConfigurationError

_log = logging.getLogger("scheduler")

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class ExitCode(enum.IntEnum):
    """How the program ends."""

    STOPPED = 0
    BUG = 3
    BAD_USAGE = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scheduler with these arguments, by default the process's own. Returns the exit code."""
    try:
        command = parse(arguments)
        logging.basicConfig(level=command.log_level.upper(), format=_LOG_FORMAT, stream=sys.stderr)
        asyncio.run(_serve(command.settings))
    except ConfigurationError as error:
        sys.stderr.write(f"lst-scheduler: {error}\n")
        return ExitCode.BAD_USAGE
    except KeyboardInterrupt:  # it came before the event loop took the signal over
        return ExitCode.STOPPED
    except Exception:
        _log.critical("the scheduler ends because of a bug in it; please report what follows", exc_info=True)
        return ExitCode.BUG
    return ExitCode.STOPPED


async def _serve(settings: Settings) -> None:
    """Schedule until a signal comes."""
    stopped = _stop_signal()
    # Imported late: the HTTP library takes most of the start-up time, which --help need not pay.
    from scheduler.clock import SystemClock
    from scheduler.kube.access import find_access
    from scheduler.kube.client import Client
    from scheduler.kube.connection import Connection
    from scheduler.kube.pauses import Pauses
    from scheduler.runtime import Runtime

    access = find_access(settings.kubeconfig, os.environ)
    async with Connection(access, user_agent=settings.scheduler_name) as connection:
        client = Client(connection, reporter=settings.scheduler_name)
        runtime = Runtime(settings, client, SystemClock(), Pauses())
        running = asyncio.create_task(runtime.run())
        await asyncio.wait((running, stopped), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()  # it ends by itself only with an exception
        running.cancel()
        await asyncio.wait((running,))


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


if __name__ == "__main__":
    sys.exit(main())
