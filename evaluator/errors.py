"""Errors that a person can act on.

::

    UserError                  what went wrong, where, and what to do next
    ├── UsageError             the command line asks for something that cannot be
    ├── ScenarioError          a scenario file is missing, broken or contradicts itself
    │   └── ParameterError     a ``--set key=value`` does not fit the scenario's parameters
    ├── TraceError             a recorded trace is missing or holds what it should not
    ├── FileFormatError        a timeline or a result does not follow its schema
    ├── NothingMatchedError    the request is fine and selects nothing
    ├── SchedulerFailedError   the scheduler under test did not start, crashed or hung
    └── StuckTimeError         virtual time could not move with proof

Commands catch :class:`UserError` in one place, print it without a traceback and leave with its ``exit_code``.
Any other exception is a bug of this program and keeps its traceback.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from evaluator.exits import ExitCode

MAX_SHOWN_PROBLEMS = 8
"""Problems listed for one object; the rest are counted, so that one broken file cannot fill a terminal."""

MAX_SHOWN_VALUE = 80
"""Characters of an offending value that are shown; enough to recognise it, short enough for one line."""


class UserError(Exception):
    """Something that the reader of the message can put right.

    :param what: what was wrong, with the offending value.
    :param where: file and line, field or object; ``None`` where ``what`` already says it.
    :param next_step: what to do about it.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, what: str, *, where: str | None = None, next_step: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.next_step = next_step

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n{self.next_step}" if self.next_step else text


class UsageError(UserError):
    """The command line asks for something that cannot be."""


class ScenarioError(UserError):
    """A scenario file is missing, broken or contradicts itself."""


class ParameterError(ScenarioError):
    """A ``--set key=value`` does not fit the scenario's parameters."""


class TraceError(UserError):
    """A recorded trace is missing, incomplete or holds a value that it should not."""


class FileFormatError(UserError):
    """A timeline or a result file does not follow its documented schema."""


class NothingMatchedError(UserError):
    """A well-formed request that selects nothing."""

    exit_code = ExitCode.NOTHING_MATCHED


class SchedulerFailedError(UserError):
    """The scheduler under test did not start, crashed, exited early or hung."""

    exit_code = ExitCode.SCHEDULER_FAILED


class StuckTimeError(UserError):
    """Virtual time could not be moved with proof that the scheduler had nothing to do."""

    exit_code = ExitCode.INTERNAL


def shown(value: object) -> str:
    """``repr`` of an offending value, cut to a length that fits a message."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_VALUE else f"{text[: MAX_SHOWN_VALUE - 1]}…"


def describe_problems(error: ValidationError) -> list[str]:
    """One line for each problem pydantic found: field path, offending value, what is wrong with it."""
    details = error.errors(include_url=False)
    lines = [_describe_problem(detail) for detail in details[:MAX_SHOWN_PROBLEMS]]
    if len(details) > MAX_SHOWN_PROBLEMS:
        lines.append(f"… and {len(details) - MAX_SHOWN_PROBLEMS} more")
    return lines


def _describe_problem(detail: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in detail["loc"])
    message = str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] == "missing":
        return f"{field}: required and not given"
    if detail["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return f"{field}: there is no such field"
    if not field:
        return message
    return f"{field} = {shown(detail['input'])}: {message}"
