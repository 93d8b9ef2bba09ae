"""Short sleeps that are as short as they say.

Linux lets every wait of a thread last up to 50 µs longer, to gather wake-ups. That is half
of what the pace rests between two looks at a working scheduler.
"""

import ctypes
from typing import Final

_PR_SET_TIMERSLACK: Final = 29
_LEAST_NS: Final = 1
"""0 would mean the default."""


def sleep_precisely() -> None:
    """Let waits of this thread end on time. Where the kernel refuses they end later, as before."""
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, _LEAST_NS, 0, 0, 0)
