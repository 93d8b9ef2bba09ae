"""When a running workload may be taken for another one, and how long a place is held."""

from dataclasses import dataclass

from scheduler.timetext import MINUTE, format_span


@dataclass(frozen=True, slots=True)
class PreemptionRules:
    """The rules of preemption under the orders that look at deadlines.

    Attributes:
        hysteresis: how much more slack (or how much later a deadline) a victim must have. It is more than
            ``lead``: so a workload that was preempted cannot become more urgent than the one it gave way to.
        lead: a preemption is considered when a waiting workload's slack has come down to this, and not
            before: until then room may free by itself.
        last_chance: at this slack nothing is hoped for any more that does not end already.
        minimum_run: a workload that started runs at least so long before it may be taken.
        budget: how often one piece of work may be taken.
        hold: how long a place is held for a preemptor whose victims do not end, and how long half a gang may
            hold chips, before that is given up.
        unmanaged: pods without a controller may be taken. Nothing would make them again: their work is lost.
    """

    hysteresis: int = 15 * MINUTE
    lead: int = 10 * MINUTE
    last_chance: int = MINUTE
    minimum_run: int = 5 * MINUTE
    budget: int = 3
    hold: int = 5 * MINUTE
    unmanaged: bool = False

    def problem(self) -> str:
        """What does not fit together, in the words of the configuration; empty when all does."""
        if self.hysteresis <= self.lead:
            return (
                f"hysteresis ({format_span(self.hysteresis)}) has to be more than lead "
                f"({format_span(self.lead)}): otherwise two workloads could take each other's place in turn"
            )
        if self.last_chance > self.lead:
            last_chance, lead = format_span(self.last_chance), format_span(self.lead)
            return f"lastChance ({last_chance}) has to be at most lead ({lead})"
        return ""
