"""Python's cycle collector, told that a server keeps nearly everything it makes."""

import gc
from typing import Final

_COLLECT_AFTER: Final = 200_000
"""Objects made between two collections: one every few seconds under load instead of dozens a second."""


def spare_the_collector() -> None:
    """Let the collector of this process look at new objects only, and seldom.

    A server keeps every object that it makes (versions, events), none of them in cycles; looking through all
    of them again and again would be a fifth to a half of its work.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
