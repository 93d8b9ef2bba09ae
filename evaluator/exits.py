"""Exit codes of every command, so that a pipeline can tell "worse" from "broken"."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the status of an ended command means. The numbers are part of the public interface."""

    OK = 0
    """The command did what was asked; where gates were judged, all of them pass."""

    GATE_FAILED = 1
    """Everything ran, and at least one gate or expectation does not hold: the scheduler is worse."""

    INTERRUPTED = 2
    """Stopped by Ctrl-C or SIGTERM; what was measured until then is kept."""

    INTERNAL = 3
    """A bug of ours, or virtual time that could not be moved with proof. Never the scenario's fault."""

    USAGE = 4
    """A bad command line, scenario, parameter, trace or input file; nothing was judged."""

    NOTHING_MATCHED = 5
    """The request was well-formed and selected nothing: no run, no scenario, no job of that name."""

    SCHEDULER_FAILED = 6
    """The scheduler under test did not start, crashed, exited early or hung; what was measured is kept."""
