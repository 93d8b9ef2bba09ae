"""Starting a scheduler under the wanted pace, and knowing when it is ready."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from evaluator.errors import UsageError
from evaluator.pace.errors import ProcessGone
from evaluator.pace.pace import Pace
from evaluator.pace.proven import WarpPace
from evaluator.pace.settle import SettlePace
from evaluator.pace.tree import ProcessTree, TreeGone
from evaluator.schedulers.profiles import LaunchContext, LaunchProfile
from evaluator.schedulers.runtime import kick_of
from evaluator.traffic import ServerTraffic
from evaluator.warp.clock import ClockMode
from evaluator.warp.launch import Child, Launch
from evaluator.warp.process import WarpedProcess
from fakeapi.kernel.clock import Clock, monotonic_ns
from fakeapi.kernel.time import MINUTE, SECOND, Duration

PACES: Final = ("warp", "settle")
_STOP_GRACE_S: Final = 2.0
"""Real seconds that a scheduler has to end after SIGTERM before it is killed."""
_READY_LIMIT: Final[Duration] = 60 * SECOND
"""Real time within which a scheduler must have asked for something; a cold start takes a few seconds."""
_READY_POLL_S: Final = 0.005
_START_ALLOWANCE: Final[Duration] = MINUTE
"""Real time that a scheduler's start may take before its clock is ahead of the run: many times the usual."""


@dataclass(slots=True)
class StartedScheduler:
    """A scheduler's process, the pace that it is driven at, and where its log goes."""

    command: list[str]
    pace: Pace
    log_path: Path
    _child: Child
    _traffic: ServerTraffic
    _quiet: Duration

    @property
    def requests(self) -> int:
        """Requests that it has made so far, watches included."""
        return self._traffic.requests

    async def ready(self) -> None:
        """Wait until it has connected, asked for what it needs and fallen silent.

        Raises:
            ProcessGone: it ended before.
        """
        begun = last_change = monotonic_ns()
        seen = 0
        while True:
            await asyncio.sleep(_READY_POLL_S)
            now = monotonic_ns()
            if (status := self._child.exit_status()) is not None:
                raise ProcessGone(self._child.pid, status)
            if self._traffic.requests != seen or self._traffic.in_flight:
                seen, last_change = self._traffic.requests, now
            if seen and now - last_change >= self._quiet:
                return
            if not seen and now - begun >= _READY_LIMIT:
                raise UsageError(
                    f"{self.command[0]} asked the API server for nothing in {_READY_LIMIT // SECOND} s",
                    next_step=f"Does it read the kubeconfig it was given? Its log is {self.log_path}.",
                )

    def stop(self) -> None:
        """Let go of its clock and end it, with all its descendants; calling twice is allowed."""
        self.pace.close()
        self._child.stop(_STOP_GRACE_S)


def start_scheduler(
    profile: LaunchProfile,
    context: LaunchContext,
    traffic: ServerTraffic,
    clock: Clock,
    *,
    pace: str,
    log: IO[bytes],
    idle_limit_s: float,
) -> StartedScheduler:
    """Start a scheduler; its clock shows virtual time from its first instruction where that can be done.

    Raises:
        UsageError: there is no such pace.
        WarpError: it cannot be started, or its clock cannot be moved.
        SchedulerFailedError: the profile's program is not to be found.
    """
    command = profile.command(context)
    launch = Launch(command, _environment(profile), stdout=log, stderr=subprocess.STDOUT)
    limit = int(idle_limit_s * SECOND)
    if pace == "warp":
        kick = profile.kick or kick_of(Path(launch.program()))
        # A running clock would be ahead by what the start takes for real; so it begins earlier.
        early = _START_ALLOWANCE if profile.clock is ClockMode.RUNNING else 0
        process = WarpedProcess.start(launch, mode=profile.clock, kick=kick, now=clock.now() - early)
        assert process.child is not None, "it was started here"
        child, chosen = process.child, WarpPace(process, traffic, now=clock.now(), limit=limit)
        return StartedScheduler(command, chosen, _path(log), child, traffic, profile.quiet)
    if pace == "settle":
        child = Child.start(launch)
        tree = ProcessTree(child.pid)
        settled = SettlePace(
            traffic, limit=limit, pid=child.pid, exit_status=child.exit_status, cpu=lambda: _cpu(tree)
        )
        return StartedScheduler(command, settled, _path(log), child, traffic, profile.quiet)
    raise UsageError(
        f"--pace = {pace!r}: there is no such pace", next_step=f"Choose one of {', '.join(PACES)}."
    )


def _environment(profile: LaunchProfile) -> Mapping[str, str]:
    # What the user set wins: somebody who tunes the collector means it.
    return {**profile.environment, **os.environ}


def _cpu(tree: ProcessTree) -> Duration:
    try:
        tree.refresh()
        return tree.cpu()
    except TreeGone:
        return 0


def _path(log: IO[bytes]) -> Path:
    return Path(log.name)
