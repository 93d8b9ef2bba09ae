"""Starting a program as a child that ends with us, held before its first instruction if wanted."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self, TypeAlias

from evaluator.warp import ptrace
from evaluator.warp.errors import StartFailed
from fakeapi.kernel.clock import monotonic_ns, real_sleep
from fakeapi.kernel.time import SECOND

Stream: TypeAlias = int | IO[Any] | None
"""What :class:`subprocess.Popen` takes for a standard stream."""

_LAUNCHER: Final = Path(__file__).with_name("launcher.py")

_LAUNCH_LIMIT_S: Final = 30.0
"""How long the launcher may take to become the program: normally some 20 ms, more on a starved machine."""

_POLL_S: Final = 200e-6
"""Pause between two looks at whether it has: short beside the 20 ms."""

_MESSAGE_LIMIT: Final = 65_536


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start."""

    argv: Sequence[str]
    """The program and its arguments; the program is looked up in the PATH of ``env``."""

    env: Mapping[str, str] | None = None
    """Its whole environment; None: ours."""

    cwd: Path | None = None
    stdin: Stream = subprocess.DEVNULL
    stdout: Stream = None
    stderr: Stream = None

    def program(self) -> str:
        """The file to run.

        Raises:
            StartFailed: there is no such program, or it may not be run.
        """
        if not self.argv:
            raise StartFailed("no program was given")
        name = self.argv[0]
        if os.sep in name:
            path = str((self.cwd or Path()) / name)
            found = path if os.access(path, os.X_OK) and not os.path.isdir(path) else None
        else:
            found = shutil.which(name, path=(self.env or os.environ).get("PATH", os.defpath))
        if found is None:
            raise StartFailed(f"{name!r} is not a program that can be run here: check its name and its mode")
        return os.path.abspath(found)


class Child:
    """A started program: its process, its session, its end.

    It leads a session of its own, so that Ctrl-C at our terminal does not reach it before us, and the kernel
    kills it when the thread that started it ends: start programs from a thread that lives as long as they.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen
        self._killed = False
        self.pid: Final = popen.pid

    @classmethod
    def start(cls, launch: Launch) -> Self:
        """Start a program.

        Raises:
            StartFailed: it cannot be started.
        """
        child, channel = cls._prepare(launch)
        with channel:
            child._give_order(channel, launch)
            child._await_program(channel, launch)
        return child

    @classmethod
    def start_held(cls, launch: Launch) -> tuple[Self, OSError | None]:
        """Start a program and hold it, traced, before its first instruction.

        The second value is None; or the reason why it could not be held, and then it runs already.

        Raises:
            StartFailed: it cannot be started.
        """
        child, channel = cls._prepare(launch)
        with channel:
            refusal = child._seize()
            child._give_order(channel, launch)
            if refusal is None:
                child._await_exec(channel, launch)
            else:
                child._await_program(channel, launch)
        return child, refusal

    @classmethod
    def _prepare(cls, launch: Launch) -> tuple[Self, socket.socket]:
        launch.program()  # a wrong name is told before anything runs
        ours, theirs = socket.socketpair()
        ours.settimeout(_LAUNCH_LIMIT_S)
        command = [sys.executable, "-I", "-S", "-X", "utf8", str(_LAUNCHER), str(theirs.fileno())]
        try:
            with theirs:
                popen = subprocess.Popen(
                    command,
                    cwd=launch.cwd,
                    stdin=launch.stdin,
                    stdout=launch.stdout,
                    stderr=launch.stderr,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
        except OSError as error:
            ours.close()
            raise StartFailed(f"no process could be started: {error}") from error
        child = cls(popen)
        if child._receive(ours, launch, 1) != b"R":
            raise StartFailed(f"{launch.argv[0]!r} cannot be started: its launcher ended, {child.kill()}")
        return child, ours

    def _give_order(self, channel: socket.socket, launch: Launch) -> None:
        order = {
            "parent": os.getpid(),
            "program": launch.program(),
            "argv": list(launch.argv),
            "env": dict(os.environ if launch.env is None else launch.env),
        }
        channel.sendall(json.dumps(order).encode())
        channel.shutdown(socket.SHUT_WR)

    def _seize(self) -> OSError | None:
        try:
            ptrace.seize(self.pid, ptrace.OPTION_TRACE_EXEC | ptrace.OPTION_EXIT_KILL)
        except OSError as error:
            return error
        return None

    def _await_exec(self, channel: socket.socket, launch: Launch) -> None:
        """Wait for the stop in the new image; signals that come before it are passed on."""
        give_up = monotonic_ns() + int(_LAUNCH_LIMIT_S * SECOND)
        try:
            while monotonic_ns() < give_up:
                stop = ptrace.wait_stop(self.pid, block=False)
                if stop is None:
                    real_sleep(_POLL_S)
                elif stop.event == ptrace.EVENT_EXEC:
                    return
                else:
                    ptrace.resume(self.pid, stop.pending_signal)
        except ProcessLookupError:
            self._await_program(channel, launch)
            raise StartFailed(f"{launch.argv[0]!r} ended at once, status {self._popen.wait()}") from None
        self.kill()
        raise StartFailed(f"{launch.argv[0]!r} did not start within {_LAUNCH_LIMIT_S:g} s")

    def _await_program(self, channel: socket.socket, launch: Launch) -> None:
        """Wait until the launcher's end of the channel closes: by itself when the program starts."""
        message = self._receive(channel, launch, _MESSAGE_LIMIT)
        if message:
            self.kill()
            raise StartFailed(f"{launch.argv[0]!r} cannot be started: {message.decode(errors='replace')}")

    def _receive(self, channel: socket.socket, launch: Launch, size: int) -> bytes:
        try:
            return channel.recv(size)
        except TimeoutError as error:
            self.kill()
            raise StartFailed(f"{launch.argv[0]!r} did not start within {_LAUNCH_LIMIT_S:g} s") from error

    def exit_status(self) -> int | None:
        """The exit status once it has ended (negative: the signal that ended it); None while it runs."""
        return self._popen.poll()

    def await_exit(self, limit_s: float) -> int | None:
        """The exit status once it has ended; None if it has not within ``limit_s`` real seconds."""
        with suppress(subprocess.TimeoutExpired):
            return self._popen.wait(limit_s)
        return None

    def stop(self, grace_s: float) -> int:
        """End it: SIGTERM, and SIGKILL to its whole group after ``grace_s`` real seconds. Its exit status."""
        if self._popen.poll() is None:
            self._signal_group(signal.SIGTERM)
            # A stopped process does not notice SIGTERM before it goes on.
            self._signal_group(signal.SIGCONT)
            self.await_exit(grace_s)
        return self.kill()

    def kill(self) -> int:
        """End it and everything in its group at once. Its exit status."""
        if not self._killed:
            self._killed = True  # the group's number may belong to somebody else later on
            self._signal_group(signal.SIGKILL)
        return self._popen.wait()

    def _signal_group(self, number: int) -> None:
        # Its process group has its number, and outlives it while children of it are left.
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)
