"""What the running program tells those who measure it. By default nobody does, and nothing is timed."""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from scheduler.decision import Decision

Write = Literal["bind", "preempt", "nominate", "condition", "event"]
"""What is written to the API server."""

_UNTIMED = nullcontext()


class Witness:
    """Watches the program at work. This one looks away; ``instruments`` has one that counts."""

    def decided(self, decision: Decision) -> None:
        """Something was decided."""

    def deciding(self) -> AbstractContextManager[None]:
        """A context that lasts as long as a round of decisions."""
        return _UNTIMED

    def writing(self, write: Write) -> AbstractContextManager[None]:  # noqa: ARG002  # for those who count
        """A context that lasts as long as a write, successful or not."""
        return _UNTIMED

    def failed(self, method: str, code: int) -> None:
        """A request got this status for an answer, or 0: none."""

    def leads(self, leading: bool) -> None:
        """This process decides now, or does not."""
