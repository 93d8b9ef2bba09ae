"""A small program that tells its clocks, and talks by lines: what the tests of this package move."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from evaluator.warp.clock import ClockMode
from evaluator.warp.launch import Launch
from evaluator.warp.process import WarpedProcess
from evaluator.warp.threads import Kick
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.kernel.time import Instant

CLOCKS: Final = Path(__file__).parents[3] / "programs" / "clocks.py"
PROGRAM: Final = (sys.executable, str(CLOCKS))


@dataclass
class Victim:
    """A program under a moved clock."""

    process: WarpedProcess
    orders: IO[str]
    answers: IO[str]

    def answer(self) -> dict[str, Any]:
        """The next line it says."""
        line = self.answers.readline()
        assert line, "it ended instead of answering"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, order: str = "tell") -> dict[str, Any]:
        """Send an order and read the answer."""
        self.send(order)
        return self.answer()

    def send(self, order: str) -> None:
        """Send an order."""
        self.orders.write(order + "\n")
        self.orders.flush()


@contextmanager
def started(
    mode: ClockMode,
    argv: Sequence[str] = PROGRAM,
    *,
    now: Instant = DEFAULT_START,
) -> Iterator[Victim]:
    """Start the program under a moved clock."""
    with piped() as (stdin, stdout, orders, answers):
        launch = Launch(argv, stdin=stdin, stdout=stdout)
        process = WarpedProcess.start(launch, mode=mode, kick=Kick.EPOLL, now=now)
        stdin.close()
        stdout.close()
        try:
            yield Victim(process, orders, answers)
        finally:
            process.detach()
            assert process.child is not None
            process.child.kill()


@contextmanager
def attached(mode: ClockMode, *, now: Instant = DEFAULT_START) -> Iterator[tuple[Victim, dict[str, Any]]]:
    """Start the program by itself, hear its first answer, then take over its clock."""
    with subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as popen:
        assert popen.stdin is not None
        assert popen.stdout is not None
        first = json.loads(popen.stdout.readline())
        process = WarpedProcess.attach(popen.pid, mode=mode, kick=Kick.EPOLL, now=now)
        try:
            yield Victim(process, popen.stdin, popen.stdout), first
        finally:
            process.detach()
            popen.kill()


@contextmanager
def piped() -> Iterator[tuple[IO[Any], IO[Any], IO[str], IO[str]]]:
    """The ends of two pipes: for the program to read and to write, for us to write and to read."""
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    with (
        open(their_in, "rb") as stdin,
        open(their_out, "wb") as stdout,
        open(our_out, "w", encoding="utf-8") as orders,
        open(our_in, encoding="utf-8") as answers,
    ):
        yield stdin, stdout, orders, answers
