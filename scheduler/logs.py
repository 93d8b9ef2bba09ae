"""The log on standard error: lines for people, or JSON objects for programs.

A record's fields (``fields``) follow its message as ``key=value``, or stand in the object by their names.
"""

import json
import logging
import sys
from collections.abc import Mapping
from typing import Any

from scheduler.timetext import MICROSECOND, SECOND, format_microsecond

_FIELDS = "fields"
_LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure(level: str, form: str) -> None:
    """Log from this level on, as ``text`` or ``json``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter(_LINE))
    logging.basicConfig(level=level.upper(), handlers=[handler])


def fields(**values: Any) -> dict[str, Any]:
    """The ``extra`` of a record with these fields; those that are None are left out."""
    return {_FIELDS: {name: value for name, value in values.items() if value is not None}}


def _fields_of(record: logging.LogRecord) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(record, _FIELDS, {})
    return found


class TextFormatter(logging.Formatter):
    """A line: time, level, origin, message, fields."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # the base's name
        """The line without a traceback."""
        named = (f" {name}={_plain(value)}" for name, value in _fields_of(record).items())
        return super().formatMessage(record) + "".join(named)


def _plain(value: object) -> str:
    if isinstance(value, str) and value and not any(mark in value for mark in ' "=\n'):
        return value
    return json.dumps(value, ensure_ascii=False)


class JsonFormatter(logging.Formatter):
    """An object a line: ``time`` (RFC 3339, UTC), ``level``, ``logger``, ``message``, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as an object; a traceback is its ``exception``."""
        instant = round(record.created * SECOND / MICROSECOND) * MICROSECOND
        content = {
            "time": format_microsecond(instant),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields_of(record),
        }
        if record.exc_info:
            content["exception"] = self.formatException(record.exc_info)
        return json.dumps(content, ensure_ascii=False)
