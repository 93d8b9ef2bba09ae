"""How far a run's time can be trusted: figures that every result carries."""

from dataclasses import dataclass, field
from typing import TypeAlias

from fakeapi.kernel.time import SECOND, Duration

JsonValue: TypeAlias = str | int | float | bool | list[str]


@dataclass(slots=True)
class Fidelity:
    """Figures gathered while a pace works; durations are nanoseconds."""

    pace: str
    """The name of the pace: ``warp`` or ``settle``."""

    jumps: int = 0
    """How often the clock was moved."""

    forced_moves: int = 0
    """Moves without a proof of idleness. Nothing here makes one; a figure above 0 would void the run."""

    guessed_moves: int = 0
    """Proofs that were guesses (``settle``): silence was taken for idleness."""

    proofs: int = 0
    """How often the scheduler was found idle."""

    wakeups: int = 0
    """Jumps made for the scheduler's own timers and not for an event; counted by whoever decides on them."""

    longest_wait: Duration = 0
    """The longest real wait for one proof."""

    clock_lead: Duration = 0
    """The most that the scheduler's clock, running for real between jumps, was ahead of the simulation."""

    scheduler_cpu: Duration = 0
    """CPU time that the scheduler's processes used, user and system."""

    unread_method: str = ""
    """How unread bytes were looked for at the last proof; see :class:`evaluator.pace.pace.Proof`."""

    unreachable: list[str] = field(default_factory=list)
    """Waits of the scheduler that follow real time only, each kind once; a user has to be told of them."""

    takeover: str = ""
    """From when on the scheduler's clock was virtual, and why not earlier if it was not from its first
    instruction on."""

    def to_json(self) -> dict[str, JsonValue]:
        """The figures under the names of ``result.json``; durations in seconds."""
        return {
            "pace": self.pace,
            "jumps": self.jumps,
            "forced_moves": self.forced_moves,
            "guessed_moves": self.guessed_moves,
            "proofs": self.proofs,
            "wakeups": self.wakeups,
            "longest_wait_s": self.longest_wait / SECOND,
            "clock_lead_s": self.clock_lead / SECOND,
            "scheduler_cpu_s": self.scheduler_cpu / SECOND,
            "unread_method": self.unread_method,
            "unreachable": list(self.unreachable),
            "takeover": self.takeover,
        }
