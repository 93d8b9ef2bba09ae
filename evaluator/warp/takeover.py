"""Replacing the time functions of one program image, and the words by which it is steered from then on."""

from collections.abc import Callable
from typing import Final, Self

from evaluator.warp import code, threads
from evaluator.warp.clock import MovedClock
from evaluator.warp.code import ClockWords, clock_code
from evaluator.warp.errors import ImageGone, NoVdso
from evaluator.warp.memory import Memory, open_memory, refused
from evaluator.warp.procfs import forget_use, vdso_span, vdso_used
from evaluator.warp.vdso import Patch, parse, plan


class Takeover:
    """The vDSO of one program image, found and planned for; replaced once :meth:`install` was called."""

    def __init__(self, pid: int, start: int, memory: Memory, patch: Patch, image: bytes) -> None:
        self._pid = pid
        self._start = start
        self._memory = memory
        self._patch = patch
        self._original = {at: image[at : at + len(jump)] for at, jump in patch.jumps.items()}
        self._slot = 0
        code_ = clock_code()
        self._data: Final = start + patch.home + code_.data
        self._left_over = code.unpack_data(image[patch.home + code_.data :])

    @classmethod
    def find(cls, pid: int) -> Self:
        """Look at a process's vDSO and plan what to write; nothing is written yet.

        Raises:
            WarpUnavailable: it has no vDSO, one that does not fit, or may not be written to.
            ProcessVanished: there is no such process.
        """
        try:
            span = vdso_span(pid)
        except OSError as error:
            raise refused(pid, error) from error
        if span is None:
            raise NoVdso(f"process {pid} has no vDSO (was the kernel started with vdso=0?)")
        memory = open_memory(pid, span.start)
        try:
            image = memory.read(span.start, len(span))
            return cls(pid, span.start, memory, plan(parse(image), clock_code()), image)
        except BaseException:
            memory.close()
            raise

    @property
    def inherited(self) -> ClockWords | None:
        """The words of a clock that moves already: a forked child's, or left by a killed evaluator."""
        return self._left_over if self._original == dict(self._patch.jumps) else None

    def shares(self, clock: MovedClock) -> bool:
        """Whether the program reads just this clock already, as a child does after a fork; if so, steer it.

        Its words are a copy, which from here on has to be kept in step by :meth:`shift`.
        """
        words = self.inherited
        if words is None or not clock.matches(words):
            return False
        self._slot = words.slot
        return True

    def install(self, clock: MovedClock) -> None:
        """Write the code and let the functions jump to it.

        The program must stand, and not in the middle of what changes.
        """
        self._memory.write(self._home().start, clock_code().with_data(clock.data()))
        self._slot = 0
        # The jumps last: until then nothing leads to the code.
        for address, jump in self._jumps():
            self._memory.write(address, jump)
        forget_use(self._pid)  # our own writing is use of the pages as well

    def install_running(self, make: Callable[[], MovedClock]) -> MovedClock:
        """Stop the program at a harmless place, :meth:`install`, and let it go on.

        The clock is made once the program stands: until then it reads its clock, and must not see less later.

        Raises:
            WarpUnavailable, ProcessVanished: see :func:`evaluator.warp.threads.stop_outside`.
        """
        threads.stop_outside(self._pid, self._entrances(), self._home())
        try:
            clock = make()
            self.install(clock)
        finally:
            threads.resume(self._pid)
        return clock

    def _entrances(self) -> list[range]:
        return [range(at, at + len(jump)) for at, jump in self._jumps()]

    def _jumps(self) -> list[tuple[int, bytes]]:
        return [(self._start + offset, jump) for offset, jump in self._patch.jumps.items()]

    def _home(self) -> range:
        home = self._start + self._patch.home
        return range(home, home + len(clock_code().image))

    def shift(self, nanoseconds: int) -> None:
        """Change the shift for every reader at once; see the comments in ``vdso_x86_64.S``.

        Raises:
            ImageGone: the program has ended.
        """
        self._slot ^= 1
        for offset, data in code.shift_update(self._slot, nanoseconds):
            self._memory.write(self._data + offset, data)

    def is_alive(self) -> bool:
        """Whether the program still runs: its process has neither ended nor started another one."""
        try:
            self._memory.read(self._data, 1)
        except ImageGone:
            return False
        return True

    def was_read(self) -> bool | None:
        """Whether the program has read its clock here since the replacement; None where that is not known.

        The replacement cannot leave a mark (the program may not write to its vDSO), the processor does: it
        marks each page that is used, and reading the clock uses the pages of the original functions and of
        the replacement.
        """
        return vdso_used(self._pid)

    def read(self, address: int, size: int) -> bytes:
        """Read the program's memory.

        Raises:
            ImageGone: the program has ended.
            OSError: there is nothing at that address.
        """
        return self._memory.read(address, size)

    def leave_running(self, clock: MovedClock) -> None:
        """Keep the replacement and let the clock run on by itself.

        Several words change, of which no thread may have read some and not yet the others.
        """
        threads.stop_outside(self._pid, self._entrances(), self._home())
        try:
            self._memory.write(self._data, clock.data())
        finally:
            threads.resume(self._pid)

    def restore(self) -> None:
        """Put the original functions back. Must not be called once the monotonic clock has jumped."""
        threads.stop_outside(self._pid, self._entrances(), self._home())
        try:
            for offset, original in self._original.items():
                self._memory.write(self._start + offset, original)
        finally:
            threads.resume(self._pid)

    def close(self) -> None:
        """Let go of the program's memory."""
        self._memory.close()
