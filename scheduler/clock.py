"""The time, for those who need it: the only module of the scheduler that asks the machine."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the present instant."""

    def now(self) -> int:
        """Nanoseconds since the Unix epoch."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Nanoseconds since the Unix epoch."""
        return time.time_ns()
