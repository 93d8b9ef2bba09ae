"""The processes under one moved clock: a first one and those that it starts."""

from collections.abc import Callable, Iterable
from typing import Final

from evaluator.warp import threads
from evaluator.warp.clock import ClockMode, MovedClock
from evaluator.warp.errors import ImageGone, NoVdso, ProcessVanished, WarpUnavailable
from evaluator.warp.procfs import thread_state
from evaluator.warp.takeover import Takeover
from fakeapi.kernel.clock import monotonic_ns
from fakeapi.kernel.time import MILLISECOND, Duration

_START_LIMIT: Final[Duration] = 100 * MILLISECOND
"""How long a process may be without a vDSO while it starts a program: some hundred times what that takes."""

_DEAD: Final = frozenset("ZXx")


class Family:
    """All processes that read one clock; each has words of its own, which are kept in step.

    ``replaced`` is called when the first process turned out to run another program than the one known, and
    its clock was taken over again.
    """

    def __init__(self, pid: int, clock: MovedClock, takeover: Takeover, replaced: Callable[[], None]) -> None:
        self._first: Final = pid
        self._clock: Final = clock
        self._replaced = replaced
        self._members = {pid: takeover}
        self._bare_since: dict[int, Duration] = {}

    @property
    def first(self) -> Takeover:
        """The first process's.

        Raises:
            ProcessVanished: it has ended.
        """
        return self.member(self._first)

    def member(self, pid: int) -> Takeover:
        """One process's.

        Raises:
            ProcessVanished: it is not one of them (any more).
        """
        takeover = self._members.get(pid)
        if takeover is None:
            raise ProcessVanished(pid)
        return takeover

    def restart_first(self) -> None:
        """Take over another program that the first process is about to begin and is held at."""
        self._members.pop(self._first).close()
        self._members[self._first] = Takeover.find(self._first)
        self.first.install(self._clock)

    def adopt(self, pids: Iterable[int]) -> None:
        """Take in those that are not members, and anew those that run another program by now.

        Raises:
            WarpUnavailable: the clock of one cannot be moved.
            ProcessVanished: the first process has ended.
        """
        for pid in pids:
            member = self._members.get(pid)
            if member is None:
                self._adopt(pid)
            elif not member.is_alive():
                self._lost(pid)

    def shift(self, nanoseconds: Duration) -> None:
        """Change the shift for all.

        Raises:
            ProcessVanished: the first process has ended.
        """
        for pid, takeover in list(self._members.items()):
            try:
                takeover.shift(nanoseconds)
            except ImageGone:
                self._lost(pid)

    def each(self, action: threads.Action) -> None:
        """Do something to every process.

        Raises:
            ProcessVanished: the first process has ended.
        """
        for pid in list(self._members):
            try:
                action(pid)
            except ProcessVanished:
                self._lost(pid)

    def let_go(self) -> None:
        """End it: the clocks run on, or are the machine's again if that does not set them back.

        One that reads its clock without pause, as a hung one may, keeps the clock that it has.
        """
        members, self._members = self._members, {}
        on = self._clock.running_on(monotonic_ns())
        for takeover in members.values():
            try:
                if not self._clock.moved:
                    takeover.restore()
                elif self._clock.mode is ClockMode.FROZEN:
                    takeover.leave_running(on)
            except (ProcessVanished, ImageGone, WarpUnavailable):
                pass
            finally:
                takeover.close()

    def _adopt(self, pid: int) -> None:
        if any(threads.share_memory(pid, member) for member in self._members):
            return  # a copy in all but memory, which is replaced in a moment: its turn comes then
        try:
            takeover = Takeover.find(pid)
        except ProcessVanished:  # it was short-lived
            return
        except NoVdso:
            self._wait_for_vdso(pid)
            return
        self._bare_since.pop(pid, None)
        try:
            if not takeover.shares(self._clock):
                takeover.install_running(lambda: self._clock)
        except (ProcessVanished, ImageGone):
            takeover.close()
            return
        self._members[pid] = takeover

    def _wait_for_vdso(self, pid: int) -> None:
        """Pass over a process that is just starting a program; a program without a vDSO is an error."""
        now = monotonic_ns()
        if now - self._bare_since.setdefault(pid, now) > _START_LIMIT:
            raise NoVdso(f"process {pid}, a descendant of process {self._first}, has no vDSO")

    def _lost(self, pid: int) -> None:
        """A member ended, or runs another program now, whose clock then has to be taken over again."""
        self._members.pop(pid).close()
        if thread_state(pid, pid) not in _DEAD:
            self._adopt(pid)
        if pid == self._first:
            if pid not in self._members:
                raise ProcessVanished(pid)
            self._replaced()
