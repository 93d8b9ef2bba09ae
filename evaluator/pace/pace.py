"""What the run loop needs of a pace, and what a pace needs of the server: two interfaces and a receipt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from evaluator.pace.fidelity import Fidelity
from fakeapi.kernel.time import Duration, Instant

Address: TypeAlias = tuple[str, int]
"""Host and port of a client's end of a connection, as in ASGI's ``scope["client"]``."""


class SocketLike(Protocol):
    """The part of a socket that is looked at; uvloop's and asyncio's transport sockets have it."""

    def fileno(self) -> int:
        """The file descriptor, or -1 once closed."""
        ...


class Traffic(Protocol):
    """What the server says about the scheduler's requests. All of it is read from the server's own loop."""

    @property
    def requests(self) -> int:
        """Requests begun so far, watches included. It never falls."""
        ...

    @property
    def in_flight(self) -> int:
        """Requests begun and not yet answered in whole. A watch that has sent its headers does not count."""
        ...

    @property
    def connections(self) -> int:
        """A counter that grows whenever :meth:`sockets` or :meth:`listeners` would answer differently."""
        ...

    def unsent(self) -> Mapping[Address, int]:
        """Bytes that wait in user space for the kernel, watch queues and write buffers together, by client.

        Clients that have none need not be listed. The address tells whose they are: a slow reader that
        merely looks on must not hold time.
        """
        ...

    def take_written(self) -> set[Address]:
        """The clients that anything was written to since the last question."""
        ...

    def sockets(self) -> Sequence[SocketLike]:
        """The server's ends of all open connections; the same object for as long as one is open."""
        ...

    def listeners(self) -> Sequence[SocketLike]:
        """The sockets on which the server accepts connections."""
        ...


@dataclass(frozen=True, slots=True)
class Proof:
    """Why time may move now."""

    guessed: bool
    """True when silence alone spoke for idleness (``settle``); False when every condition was checked."""

    waited: Duration
    """Real nanoseconds from the question to the answer."""

    cpu: Duration
    """CPU time of the scheduler's processes so far; 0 where it cannot be read."""

    method: str
    """How unread bytes were looked for: ``sock_diag``, ``proc_net``, ``unacked``; ``silence``: a guess."""


class Pace(Protocol):
    """Waits until the scheduler is idle and moves its clock.

    One instant of a run is ``await begin_instant``, ``jump``, the instant's events, ``await end_instant``,
    ``await idle``. Outside of ``begin_instant`` … ``end_instant`` a jump wakes the scheduler at once.
    """

    @property
    def name(self) -> str:
        """``warp`` or ``settle``."""
        ...

    @property
    def fidelity(self) -> Fidelity:
        """The figures gathered so far; the same object until the end."""
        ...

    async def idle(self) -> Proof:
        """Wait until the scheduler has nothing to do.

        Raises:
            NotQuiescent: no proof within the limit; the message names the condition that failed.
            ProcessGone: the scheduler ended while it was waited for.
        """
        ...

    async def begin_instant(self) -> None:
        """Hold the scheduler where its kind allows it, so that it sees all events of an instant at once."""
        ...

    def jump(self, to: Instant) -> None:
        """Move the scheduler's clock forward to ``to``; never back, a lead is kept and accounted for."""
        ...

    async def end_instant(self) -> None:
        """Give the instant's bytes to the kernel as far as they fit, then let the scheduler run again."""
        ...

    def next_wakeup(self) -> Instant | None:
        """When the idle scheduler will wake by itself; None when only an event can wake it.

        The answer describes the state that the last :meth:`idle` proved.
        """
        ...

    def close(self) -> None:
        """Let go of the scheduler; it keeps running unless somebody ends it. Calling twice is allowed."""
        ...
