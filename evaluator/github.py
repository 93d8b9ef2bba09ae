"""Workflow commands that GitHub shows beside a change."""

from typing import Literal


def annotation(
    severity: Literal["error", "warning"], title: str, text: str, *, file: str = "", line: str = ""
) -> str:
    """One annotation, as a line; ``file`` and ``line`` place it in the change."""
    place = f"file={_property(file)},line={_property(line)}," if file and line else ""
    return f"::{severity} {place}title={_property(title)}::{_message(text)}\n"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
