"""Exit codes of the ``fakeapi`` command; the numbers are part of the public interface."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How the program ended."""

    STOPPED = 0
    """Asked to stop by SIGINT or SIGTERM, and stopped."""
    INTERNAL = 3
    """A bug of ours; what was said on standard error is worth a report."""
    USAGE = 4
    """An option that cannot be used: unknown, out of bounds, or an address or file that is not to be had."""
