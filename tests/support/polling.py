"""Waiting for another process, with a bound: the only way in which a test waits."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from fakeapi.kernel.clock import monotonic_ns, real_sleep
from fakeapi.kernel.time import SECOND

T = TypeVar("T")

WITHIN_S: Final = 20.0
"""How long a check may take to hold. Reached only where something is broken: far above any slow machine."""

PAUSE_S: Final = 0.02
"""Between two looks: short beside a person's patience, long beside the cost of one look."""


def eventually(check: Callable[[], T], *, within: float = WITHIN_S, what: str = "") -> T:
    """The first true answer of ``check``, asked again and again.

    A check that raises ``AssertionError`` has not held yet, so that it may be written as plain asserts; one
    that returns ``None`` or ``True`` holds, and so does any other true value, which is returned. A lambda
    cannot assert: its ``None`` is an answer, such as a field that is not set yet, and does not hold.

    Raises:
        AssertionError: it did not hold within that many seconds; what the last look saw is the cause.
    """
    deadline = monotonic_ns() + int(within * SECOND)
    asserts = getattr(check, "__name__", "") != "<lambda>"
    while True:
        last: AssertionError | None = None
        try:
            answer = check()
        except AssertionError as error:
            last = error
        else:
            if answer or (answer is None and asserts):
                return answer
        if monotonic_ns() > deadline:
            wanted = what or getattr(check, "__name__", "the check")
            raise AssertionError(f"{wanted}: not so within {within:g} s") from last
        real_sleep(PAUSE_S)


async def until(check: Callable[[], bool], *, within: float = WITHIN_S) -> None:
    """Return once ``check`` holds, while the event loop goes on with its other work.

    Raises:
        TimeoutError: it did not hold within that many seconds.
    """
    async with asyncio.timeout(within):
        while not check():
            await asyncio.sleep(PAUSE_S / 10)  # in one process: the other side answers sooner
