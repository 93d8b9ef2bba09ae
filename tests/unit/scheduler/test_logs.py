"""Log records as lines for people and for programs."""

import json
import logging
import sys

from scheduler.logs import JsonFormatter, TextFormatter, fields
from scheduler.timetext import MICROSECOND, SECOND
from tests.unit.scheduler.builders import START


def record(message: str, **values: object) -> logging.LogRecord:
    made = logging.LogRecord("scheduler.trail", logging.INFO, __file__, 1, message, ("a/b",), None)
    made.created = (START + 1_500 * MICROSECOND) / SECOND
    vars(made).update(fields(**values))
    return made


def test_fields_follow_the_message_quoted_where_they_need_it() -> None:
    line = TextFormatter("%(levelname)s %(message)s").format(
        record("bind %s", node="n1", why='say "when"', count=3, empty="", gone=None)
    )
    assert line == 'INFO bind a/b node=n1 why="say \\"when\\"" count=3 empty=""'


def test_an_object_a_line() -> None:
    line = JsonFormatter().format(record("bind %s", node="n1", victims=2, gone=None))
    assert json.loads(line) == {
        "time": "2026-01-05T00:00:00.001500Z",
        "level": "info",
        "logger": "scheduler.trail",
        "message": "bind a/b",
        "node": "n1",
        "victims": 2,
    }
    assert "\n" not in line


def test_a_traceback_is_a_field() -> None:
    failed = record("bind %s")
    try:
        raise LookupError("oh")
    except LookupError:
        failed.exc_info = sys.exc_info()
    content = json.loads(JsonFormatter().format(failed))
    assert content["exception"].splitlines()[-1] == "LookupError: oh"
    assert TextFormatter("%(message)s").format(failed).splitlines()[0] == "bind a/b"
