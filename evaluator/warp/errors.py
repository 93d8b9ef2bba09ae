"""What can go wrong while a process's clock is taken over."""

from typing import Final

SETTLE: Final = "--pace settle"
"""The alternative that works wherever the clock of a process cannot be moved."""


class WarpError(Exception):
    """Root of this package's errors. The message is meant for the user."""


class WarpUnavailable(WarpError):
    """The clock of this process cannot be moved here.

    ``reason`` says what is in the way, ``alternative`` what to do instead.
    """

    def __init__(self, reason: str, alternative: str = f"run with {SETTLE}") -> None:
        self.reason = reason
        self.alternative = alternative
        super().__init__(f"the process's clock cannot be moved: {reason}; {alternative}")


class NoVdso(WarpUnavailable):
    """The process has no vDSO; one that is just starting a program has none for a moment."""


class StartFailed(WarpError):
    """The program could not be started at all, or ended before its clock was taken over."""


class ProcessVanished(WarpError):
    """The process has ended."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        super().__init__(f"process {pid} is gone")


class ImageGone(WarpError):
    """The program that was looked at runs no more: its process ended, or runs another program now."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        super().__init__(f"process {pid} has ended or started another program")
