"""A process whose clock is moved: the face of this package."""

import os
import sys
from collections.abc import Collection, Iterable
from typing import Final, Self

from evaluator.warp import ptrace, threads
from evaluator.warp.clock import ClockMode, MovedClock, monotonic_of
from evaluator.warp.errors import ProcessVanished, StartFailed, WarpUnavailable
from evaluator.warp.family import Family
from evaluator.warp.launch import Child, Launch
from evaluator.warp.takeover import Takeover
from evaluator.warp.threads import Kick
from fakeapi.kernel.clock import monotonic_ns, real_sleep
from fakeapi.kernel.time import MILLISECOND, Duration, Instant

FROM_THE_START: Final = "before its first instruction"
WHILE_RUNNING: Final = "while it was running (attached)"

_FOLLOW_LIMIT: Final[Duration] = 250 * MILLISECOND
"""How long a started program is followed through further execve calls (env, shell wrappers) unless it reads
its clock earlier, which every runtime does within its first milliseconds."""

_FOLLOW_POLL_S: Final = 500e-6
"""Pause between two looks while following: a runtime's start takes milliseconds, a look half a one."""

_ENDING_LIMIT_S: Final = 5.0
"""How long an ending process may take to be gone: a core file of some gigabytes takes seconds."""


class WarpedProcess:
    """A running process, perhaps with children, whose clocks show what we say.

    Neither its program nor its files are changed, only the vDSO's time functions in its memory are replaced.
    What it asks the kernel for directly stays real: absolute ``clock_nanosleep`` and futex waits, timers of
    the kernel (``timerfd``, ``setitimer``), and raw ``clock_gettime`` system calls. One such wait is
    CPython's for its interpreter lock: under a moved clock a thread that computes keeps the lock until it
    gives it up by itself.

    All methods must be called by the thread that started it.
    """

    def __init__(
        self, pid: int, clock: MovedClock, kick: Kick, takeover: Takeover, child: Child | None, how: str
    ) -> None:
        self.pid: Final = pid
        self.kick: Final = kick
        self.child: Final = child
        self.taken_over = how
        """Since when its clock is ours, a phrase."""
        self._clock = clock
        self._family = Family(pid, clock, takeover, self._replaced)
        self._greatest_lead: Duration = 0
        self._paused = False

    @classmethod
    def attach(cls, pid: int, *, mode: ClockMode, kick: Kick, now: Instant) -> Self:
        """Take over the clock of a running process; it then shows ``now``.

        Its monotonic clock goes on from where it is; its real-time clock may go back this once.

        Raises:
            WarpUnavailable: it cannot be done here; the message names the alternative.
            ProcessVanished: there is no such process.
        """
        require_platform()
        return cls._take_running(pid, mode, kick, now, None, WHILE_RUNNING)

    @classmethod
    def start(cls, launch: Launch, *, mode: ClockMode, kick: Kick, now: Instant) -> Self:
        """Start a program whose clock shows ``now`` from its first instruction on.

        Where it may not be held at its start, its clock is taken over shortly after and :attr:`taken_over`
        says why. In the running mode its clock has run ahead by the time that its start took; to begin a
        simulation without that lead, start it with an earlier ``now``.

        Raises:
            StartFailed: it cannot be started, or ended at once.
            WarpUnavailable: its clock cannot be moved; it has been ended.
        """
        require_platform()
        child, refusal = Child.start_held(launch)
        try:
            if refusal is not None:
                how = f"shortly after its start (it could not be held: {refusal.strerror})"
                return cls._take_running(child.pid, mode, kick, now, child, how)
            return cls._take_held(child, mode, kick, now)
        except (ProcessLookupError, ProcessVanished) as error:
            raise StartFailed(f"{launch.argv[0]!r} ended at once, status {child.kill()}") from error
        except BaseException:
            child.kill()
            raise

    @classmethod
    def _take_running(
        cls, pid: int, mode: ClockMode, kick: Kick, now: Instant, child: Child | None, how: str
    ) -> Self:
        takeover = Takeover.find(pid)
        left_over = takeover.inherited

        def begin() -> MovedClock:
            real = monotonic_ns()
            seen = real if left_over is None else monotonic_of(left_over, real)
            return MovedClock.begin(mode, now, real, seen)

        return cls(pid, takeover.install_running(begin), kick, takeover, child, how)

    @classmethod
    def _take_held(cls, child: Child, mode: ClockMode, kick: Kick, now: Instant) -> Self:
        takeover = Takeover.find(child.pid)
        clock = MovedClock.begin(mode, now, monotonic_ns())
        takeover.install(clock)
        process = cls(child.pid, clock, kick, takeover, child, FROM_THE_START)
        process._follow()
        return process

    def _follow(self) -> None:
        """Let the held program go, and hold it again at each execve until it has read its clock."""
        give_up = monotonic_ns() + _FOLLOW_LIMIT
        ptrace.resume(self.pid)
        while not self.clock_was_read() and monotonic_ns() < give_up:
            stop = ptrace.wait_stop(self.pid, block=False)
            if stop is None:
                real_sleep(_FOLLOW_POLL_S)
            else:
                self._retake_if_replaced(stop)
                ptrace.resume(self.pid, stop.pending_signal)
        stop = ptrace.interrupt(self.pid)
        self._retake_if_replaced(stop)
        ptrace.detach(self.pid, stop.pending_signal)

    def _retake_if_replaced(self, stop: ptrace.Stop) -> None:
        if stop.event == ptrace.EVENT_EXEC:
            self._family.restart_first()

    @property
    def mode(self) -> ClockMode:
        """What its clock does between jumps."""
        return self._clock.mode

    def clock(self) -> Instant:
        """What its real-time clock shows now."""
        return self._clock.reading(monotonic_ns())

    def clock_at(self, real: Duration) -> Instant:
        """What its real-time clock showed, since the last jump, at ``real`` on the monotonic one."""
        return self._clock.reading(real)

    def monotonic(self) -> Duration:
        """What its monotonic clock shows now."""
        return self._clock.monotonic(monotonic_ns())

    def lead(self, now: Instant) -> Duration:
        """The most that its clock has been seen ahead of the simulation, which stands at ``now``."""
        self._greatest_lead = max(self._greatest_lead, self.clock() - now)
        return self._greatest_lead

    def clock_was_read(self) -> bool | None:
        """Whether the process has read its clock since it is ours; None where the kernel does not tell.

        A program that has worked for a while and has not does not use the vDSO: its clock cannot be moved.
        """
        return self._family.first.was_read()

    def jump(self, to: Instant) -> None:
        """Move its clock forward to ``to`` and wake it; a clock that is ahead of ``to`` stays as it is.

        Raises:
            ProcessVanished: it has ended.
        """
        if self._paused or self.kick is Kick.GO:
            self.move(to)
            self.wake()
        else:
            self.pause()
            self.move(to)
            self.resume()

    def move(self, to: Instant) -> None:
        """Move its clock like :meth:`jump` and wake nobody.

        Raises:
            ProcessVanished: it has ended.
        """
        shift = self._clock.move(to, monotonic_ns())
        self.lead(to)
        if shift is not None:
            self._family.shift(shift)

    def wake(self, pollers: Collection[tuple[int, int]] = ()) -> None:
        """Make its sleeping threads look at the clock; nothing while it is paused, :meth:`resume` does it.

        ``pollers`` names, by process and thread, those of a Go program that are known to wait on epoll: to
        wake them is enough for its runtime to look at all timers, and spares the others the trouble. Without
        them all are woken.

        Raises:
            ProcessVanished: it has ended.
        """
        if self._paused:
            return
        if self.kick is Kick.GO and pollers:
            threads.urge_threads(pollers)
            return
        if self.kick is Kick.EPOLL:
            self.pause()
            self.resume()
            return
        self._family.each(threads.urge)

    def pause(self) -> None:
        """Stop it, and return when it stands. It may be stopped already.

        Raises:
            ProcessVanished: it has ended.
        """
        self._family.each(threads.stop)
        self._paused = True

    def resume(self) -> None:
        """Let it run after :meth:`pause`; waits in ``epoll_wait`` end, so that it looks at its clock.

        Raises:
            ProcessVanished: it has ended.
        """
        self._paused = False
        self._family.each(threads.resume)

    def read_memory(self, pid: int, address: int, size: int) -> bytes:
        """Read memory of one of its processes.

        Raises:
            ProcessVanished: that process is not one of them (any more).
        """
        return self._family.member(pid).read(address, size)

    def adopt(self, pids: Iterable[int]) -> None:
        """Put further processes, its descendants, under the same clock.

        Those already there are passed over unless they run another program by now, whose clock then has to be
        taken over again. In between a program can see the machine's time: call this often.

        Raises:
            WarpUnavailable: the clock of one cannot be moved.
            ProcessVanished: the first process has ended.
        """
        self._family.adopt(pids)

    def exit_status(self) -> int | None:
        """The exit status of a process that was started here and has ended; None otherwise."""
        return None if self.child is None else self.child.exit_status()

    def final_status(self) -> int | None:
        """The exit status of a process that is ending; None when it was not started here, or goes on.

        A process gives up its memory before its parent is told of its end, and writes its core in between.
        """
        return None if self.child is None else self.child.await_exit(_ENDING_LIMIT_S)

    def detach(self) -> None:
        """Let go of it. Calling twice is allowed.

        Its monotonic clock must never go back, so the original functions are restored only when that clock
        shows the machine's own time, which means: when it has never jumped. Otherwise the replacement stays
        and both clocks run on from where they are, at real speed.
        """
        self._family.let_go()

    def _replaced(self) -> None:
        self.taken_over = f"{self.taken_over}; again shortly after it started another program"


def require_platform() -> None:
    """Check that this is Linux on x86-64.

    Raises:
        WarpUnavailable: it is something else.
    """
    if sys.platform != "linux":
        raise WarpUnavailable(f"that needs Linux, this is {sys.platform}")
    if os.uname().machine != "x86_64":
        raise WarpUnavailable(f"that needs an x86-64 processor, this is {os.uname().machine}")
