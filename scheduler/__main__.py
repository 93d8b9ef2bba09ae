"""``lst-scheduler``: schedule until SIGTERM or SIGINT, or tell what is asked.

Exit codes: 0 ended by a signal, or told · 1 lost the lease of the leader · 3 a bug in this program · 4 bad
usage or configuration · 5 ``explain``: there is no such pod · 6 ``explain``: the API server did not answer as
it should.
"""

import asyncio
import enum
import logging
import os
import sys
from collections.abc import Sequence

from scheduler import logs
from scheduler.commandline import Command, parse
from scheduler.config import Settings
from scheduler.errors import ConfigurationError

_log = logging.getLogger("scheduler")


class ExitCode(enum.IntEnum):
    """How the program ends."""

    STOPPED = 0
    LEASE_LOST = 1
    """Another process decides by now; kube-scheduler ends with 1 then, too. To be started again."""
    BUG = 3
    BAD_USAGE = 4
    NO_SUCH_POD = 5
    NO_ANSWER = 6


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what these arguments ask for, by default the process's own. Returns the exit code."""
    try:
        command = parse(arguments)
        logs.configure(command.settings.log_level, command.settings.log_format)
        return _perform(command)
    except ConfigurationError as error:
        sys.stderr.write(f"lst-scheduler: {error}\n")
        return ExitCode.BAD_USAGE
    except KeyboardInterrupt:  # it came before the event loop took the signal over
        return ExitCode.STOPPED
    except Exception:
        _log.critical("the scheduler ends because of a bug in it; please report what follows", exc_info=True)
        return ExitCode.BUG


def _perform(command: Command) -> ExitCode:
    match command.task:
        case "schedule":
            return asyncio.run(_serve(command.settings))
        case "print-config":
            return _print(command.settings)
        case "explain":
            return asyncio.run(_explain(command))


# Imported late: the HTTP library and pydantic take most of the start-up time, which --help need not pay.


def _import_http() -> None:
    """Import the HTTP library without loading the system's certificates.

    It loads them when it is imported, for a default that is not used here: what is connected by TLS has a
    context of its own (``kube.access``). That would be an eighth of the start-up time.
    """
    before = os.environ.get(_CERTIFICATES)
    os.environ[_CERTIFICATES] = os.devnull
    try:
        import aiohttp  # noqa: F401  # kept loaded for those who use it
    finally:
        if before is None:
            del os.environ[_CERTIFICATES]
        else:
            os.environ[_CERTIFICATES] = before


_CERTIFICATES = "SSL_CERT_FILE"
"""Where OpenSSL looks for the system's certificates, in place of its default."""


async def _serve(settings: Settings) -> ExitCode:
    _import_http()
    from scheduler.serving import End, serve

    end = await serve(settings)
    return ExitCode.LEASE_LOST if end is End.LEASE_LOST else ExitCode.STOPPED


def _print(settings: Settings) -> ExitCode:
    from scheduler.configfile import dump

    sys.stdout.write(dump(settings))
    return ExitCode.STOPPED


async def _explain(command: Command) -> ExitCode:
    _import_http()
    from scheduler.clock import SystemClock
    from scheduler.inquiry import NoSuchPodError, inquire
    from scheduler.kube.errors import RequestError

    try:
        sys.stdout.write(await inquire(command.settings, command.pod, command.output, SystemClock()))
    except NoSuchPodError as error:
        sys.stderr.write(f"lst-scheduler: {error}\n")
        return ExitCode.NO_SUCH_POD
    except RequestError as error:
        sys.stderr.write(f"lst-scheduler: {error}\n")
        return ExitCode.NO_ANSWER
    return ExitCode.STOPPED


if __name__ == "__main__":
    sys.exit(main())
