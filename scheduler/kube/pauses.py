"""How long to wait after failed requests."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """Pauses after failures, in seconds: the first, doubled up to the longest (client-go: 0.8 and 30)."""

    first_s: float = 0.8
    longest_s: float = 30.0

    def after(self, failures: int) -> float:
        """The pause after so many failures in a row."""
        return min(self.first_s * float(1 << min(failures - 1, _ENOUGH_DOUBLINGS)), self.longest_s)


_ENOUGH_DOUBLINGS = 32
"""Bounds the exponent, far beyond what any sensible longest pause needs."""
