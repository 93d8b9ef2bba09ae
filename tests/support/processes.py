"""Real processes of the suites: started with their output kept, ended whatever happens."""

import contextlib
import os
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.support.polling import eventually

STOP_S: Final = 15.0
"""Seconds that a process has to end by itself once asked; a real API server drains its watches first."""

START_S: Final = 60.0
"""Seconds that a process has to become ready; a real API server needs some ten on a busy machine."""

SHOWN_LOG: Final = 4000
"""Characters from the end of a process's output that a failure shows."""


class ProcessFailed(Exception):
    """A process ended before it was ready, or did not become ready; holds the end of its output."""


@contextlib.contextmanager
def running(
    command: Sequence[str],
    *,
    log: Path,
    ready: Callable[[], bool] = lambda: True,
    environment: Mapping[str, str] | None = None,
    within: float = START_S,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the block ends; its output goes to the file ``log``.

    Raises:
        ProcessFailed: it ended, or was not ready in time.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
    try:
        _await_ready(process, ready, log, within)
        yield process
    finally:
        stop(process)


def _await_ready(
    process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path, within: float
) -> None:
    def is_ready_or_ended() -> bool:
        return process.poll() is not None or ready()

    name = Path(str(process.args[0] if isinstance(process.args, list) else process.args)).name
    try:
        eventually(is_ready_or_ended, within=within, what=f"{name} ready")
    except AssertionError as error:
        raise ProcessFailed(f"{name} is not ready within {within:g} s:\n{tail(log)}") from error
    if process.poll() is not None:
        raise ProcessFailed(f"{name} ended with status {process.returncode}:\n{tail(log)}")


def stop(process: subprocess.Popen[bytes]) -> int:
    """Ask the process to end, kill it if it does not; its exit status."""
    process.terminate()
    try:
        return process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def tail(log: Path) -> str:
    """The end of a process's output, for a failure's message."""
    return log.read_text(errors="replace")[-SHOWN_LOG:]


def free_port() -> int:
    """A TCP port of the loopback address that nothing listens on now.

    For programs that cannot choose a port themselves and tell it; another process could take it first.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
