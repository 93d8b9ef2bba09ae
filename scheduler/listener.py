"""A small HTTP server for those who look after the process: ``/healthz``, ``/readyz`` and ``/metrics``.

It answers and does nothing by itself. Imported only where it is listened.
"""

import logging
from collections.abc import Callable
from typing import Self

from aiohttp import web

from scheduler.errors import ConfigurationError
from scheduler.formats import format_address

_log = logging.getLogger(__name__)

EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
"""Prometheus' text format."""

UNAVAILABLE = 503


class Listener:
    """The server. Use it as an asynchronous context manager."""

    def __init__(
        self,
        listen: tuple[str, int],
        healthy: Callable[[], str],
        ready: Callable[[], str],
        metrics: Callable[[], bytes],
    ) -> None:
        """``healthy`` and ``ready`` say what is in the way, nothing when nothing is."""
        self._listen = listen

        async def health(_: web.Request) -> web.Response:
            return _told(healthy())

        async def readiness(_: web.Request) -> web.Response:
            return _told(ready())

        async def exposition(_: web.Request) -> web.Response:
            return web.Response(body=metrics(), headers={"Content-Type": EXPOSITION})

        application = web.Application()
        for path, handler in (
            ("/healthz", health),
            ("/livez", health),
            ("/readyz", readiness),
            ("/metrics", exposition),
        ):
            application.router.add_get(path, handler)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)
        self.port = 0
        """The port on which it listens."""

    async def __aenter__(self) -> Self:
        """Listen.

        Raises:
            ConfigurationError: the address cannot be had.
        """
        await self._runner.setup()
        host, port = self._listen
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self._runner.cleanup()
            where = format_address(self._listen)
            raise ConfigurationError(f"cannot listen at {where}: {error}: choose another --listen") from error
        self.port = self._runner.addresses[0][1]
        _log.info("health and metrics at http://%s", format_address((host, self.port)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()


def _told(obstacle: str) -> web.Response:
    return web.Response(text=obstacle or "ok", status=UNAVAILABLE if obstacle else 200)
