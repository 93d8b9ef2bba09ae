"""Whose line it was: errors inside a scenario's file, told with its own lines and no others."""

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final

from pydantic import ValidationError

from evaluator.errors import ScenarioError, UserError, describe_problems

MAX_FRAMES: Final = 6
"""Innermost lines of a user's code that are shown; deeper recursion repeats itself."""

_LANGUAGE = Path(__file__).resolve().parent
_PROJECT = _LANGUAGE.parent
_LIBRARIES = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib"))


@contextmanager
def blamed(path: Path) -> Iterator[None]:
    """Turn what a scenario's code raises into a :class:`ScenarioError` that shows its own lines."""
    try:
        yield
    except UserError:
        raise
    except SyntaxError as error:
        raise ScenarioError(
            f"not Python: {error.msg}",
            where=f"{error.filename or path}:{error.lineno or 1}",
            next_step=f"  {error.text.strip()}" if error.text else None,
        ) from error
    except (Exception, SystemExit) as error:
        frames = _user_frames(error.__traceback__, path)
        if not frames or _is_ours(error.__traceback__):
            raise
        raise ScenarioError(
            _told(error), where=_innermost(frames, path), next_step=_listed(frames) or None
        ) from error


def _told(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        return f"{error.title}: {'; '.join(describe_problems(error))}"
    name = type(error).__name__
    return f"the scenario raised {name}: {error}" if str(error) else f"the scenario raised {name}"


def _user_frames(trace: TracebackType | None, path: Path) -> list[traceback.FrameSummary]:
    """The frames that are neither this program's nor a library's."""
    frames = traceback.extract_tb(trace)
    return [frame for frame in frames if frame.filename == str(path) or _is_users(frame.filename)]


def _is_users(filename: str) -> bool:
    if filename.startswith("<"):
        return False
    file = Path(filename).resolve()
    return not file.is_relative_to(_PROJECT) and not any(file.is_relative_to(each) for each in _LIBRARIES)


def _is_ours(trace: TracebackType | None) -> bool:
    """Whether it happened in code of ours that is no part of the language scenarios are written in."""
    innermost = Path(traceback.extract_tb(trace)[-1].filename).resolve()
    return innermost.is_relative_to(_PROJECT) and not innermost.is_relative_to(_LANGUAGE)


def _innermost(frames: list[traceback.FrameSummary], path: Path) -> str:
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else str(path)


def _listed(frames: list[traceback.FrameSummary]) -> str:
    return "\n".join(
        f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames[-MAX_FRAMES:]
    )
