"""What can go wrong while a run waits for its scheduler."""


class PaceError(Exception):
    """The run cannot go on because of the scheduler's process. The message is meant for the user."""


class NotQuiescent(PaceError):
    """The scheduler did not become idle within the limit, so time must not move.

    ``condition`` names what failed: ``requests in flight``, ``unsent bytes``, ``unread bytes``,
    ``unaccepted requests``, ``processor time`` or ``running threads``. ``seen`` holds what was observed.
    """

    def __init__(self, condition: str, limit_s: float, seen: list[str]) -> None:
        self.condition = condition
        self.limit_s = limit_s
        self.seen = seen
        lines = "".join(f"\n  {line}" for line in seen)
        super().__init__(
            f"the scheduler was not idle within {limit_s:g} s of real time, so virtual time stays where "
            f"it is: {condition}.{lines}"
        )


class ProcessGone(PaceError):
    """The scheduler ended while the run still needed it.

    ``status`` is the exit status as :class:`subprocess.Popen` gives it (negative: ended by that signal),
    None when the process is not ours to ask.
    """

    def __init__(self, pid: int, status: int | None) -> None:
        self.pid = pid
        self.status = status
        super().__init__(f"the scheduler (process {pid}) is gone: {describe_status(status)}")


class WrongMoment(PaceError):
    """A bug of the caller: a step was asked for in an order that cannot hold."""


def describe_status(status: int | None) -> str:
    """A sentence for an exit status in :class:`subprocess.Popen`'s convention."""
    if status is None:
        return "its exit status is not known, it was not started by this program"
    if status < 0:
        return f"ended by signal {-status}"
    return f"exited with status {status}"
