"""Runs of a sweep on this machine, each in a process of its own, so many at a time.

A child has a process group of its own: Ctrl-C reaches this process alone, which passes one SIGINT on, and a
child that is cleaning up is not hit by a second one. If this process is killed, each child gets SIGTERM from
the kernel (see ``evaluator.cli.child``), and the schedulers are killed when their evaluators end.
"""

import asyncio
import signal
import subprocess
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evaluator.exits import ExitCode
from evaluator.sweep.grid import Request
from evaluator.sweep.keeping import LOG_FILE, prepare

GRACE_S: Final = 20.0
"""Real seconds that an interrupted run has to end its scheduler and write what it measured."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run whose process has ended."""

    request: Request
    code: int
    """Its exit status; negative: the signal that ended it."""


Tell = Callable[[Ended], None]
"""Told of each run as it ends."""


@dataclass(slots=True)
class _Floor:
    """Where runs are performed, and whether more may begin."""

    out: Path
    command: Sequence[str]
    waiting: list[Request]
    tell: Tell
    children: set[Process] = field(default_factory=set)
    stopping: int = 0
    """How often it was asked to stop."""

    def stop(self) -> None:
        """Begin no more; interrupt what runs, and at the second call kill it."""
        self.stopping += 1
        number = signal.SIGINT if self.stopping == 1 else signal.SIGKILL
        for child in self.children:
            with suppress(ProcessLookupError):
                child.send_signal(number)

    async def work(self) -> None:
        """Perform one run after the other, until none is left."""
        while self.waiting and not self.stopping:
            request = self.waiting.pop(0)
            self.tell(Ended(request, await self._perform(request)))

    async def _perform(self, request: Request) -> int:
        folder = self.out / request.folder
        prepare(folder, request)
        with (folder / LOG_FILE).open("wb") as log:
            child = await asyncio.create_subprocess_exec(
                *self.command,
                *request.arguments(folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        self.children.add(child)
        try:
            if self.stopping:  # it was asked while the child started
                child.send_signal(signal.SIGINT)
            return await child.wait()
        finally:
            self.children.discard(child)


async def perform_here(
    requests: Sequence[Request], out: Path, command: Sequence[str], *, jobs: int, tell: Tell
) -> bool:
    """Perform runs, ``jobs`` at a time; whether all of them were, or SIGINT or SIGTERM came before.

    :param out: folder in which each run has its own.
    :param command: what runs ``evaluator``, before its arguments.
    :raises OSError: a folder cannot be written, or no process can be started.
    """
    floor = _Floor(out, command, list(requests), tell)
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, floor.stop)
    workers = [asyncio.create_task(floor.work()) for _ in range(min(jobs, len(requests)))]
    try:
        await _all_of(workers, floor)
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
    return not floor.stopping


async def _all_of(workers: Sequence["asyncio.Task[None]"], floor: _Floor) -> None:
    """Wait for the workers; where one fails, or is too slow to stop, no child stays behind."""
    watch = asyncio.create_task(_kill_the_slow(floor))
    try:
        await asyncio.gather(*workers)
    except BaseException:
        floor.stop()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    finally:
        watch.cancel()


async def _kill_the_slow(floor: _Floor) -> None:
    """Once stopping, kill what is still there after the time of grace."""
    while not floor.stopping:
        await asyncio.sleep(_LOOK_S)
    await asyncio.sleep(GRACE_S)
    floor.stop()


_LOOK_S: Final = 0.2
"""Real seconds between two looks at whether to stop: short beside the time of grace."""


def exit_code(code: int) -> ExitCode:
    """What the exit status of a run's process means."""
    try:
        return ExitCode(code)
    except ValueError:
        return ExitCode.INTERNAL  # killed, or ended in a way that it never should
