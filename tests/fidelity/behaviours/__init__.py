"""Every behaviour; importing this fills the table."""

from tests.fidelity.behaviours import deleting, kinds, patching, reading, refusals, watching
from tests.fidelity.suite import BEHAVIOURS

__all__ = ["BEHAVIOURS", "deleting", "kinds", "patching", "reading", "refusals", "watching"]
