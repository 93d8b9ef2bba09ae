"""Slack, and what annotations say about it."""

import pytest

from scheduler.laxity import (
    AnnotationKeys,
    DefaultClass,
    Work,
    hopeless,
    latest_start,
    read_timing,
    read_work,
    slack,
)
from scheduler.model import Notice, Timing
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import START

KEYS = AnnotationKeys.under("lst.scheduler/")
DEADLINE, DURATION = "lst.scheduler/deadline", "lst.scheduler/expected-duration"


def read(**annotations: str) -> tuple[Timing, tuple[Notice, ...]]:
    return read_timing(
        {f"lst.scheduler/{key.replace('_', '-')}": text for key, text in annotations.items()},
        START,
        KEYS,
        DefaultClass(),
    )


def test_slack_is_what_remains_beside_the_work() -> None:
    timing = Timing(START + 4 * HOUR, HOUR, stated=True)
    assert slack(timing, START) == 3 * HOUR
    assert slack(timing, START + 5 * HOUR) == -2 * HOUR
    assert latest_start(timing) == START + 3 * HOUR


def test_without_a_deadline_there_is_no_slack() -> None:
    assert slack(Timing(), START) is None
    assert not hopeless(Timing(), START)


def test_hopeless_is_what_misses_its_deadline_even_if_it_starts_now() -> None:
    timing = Timing(START + HOUR, HOUR, stated=True)
    assert not hopeless(timing, START)
    assert hopeless(timing, START + 1)


def test_a_deadline_from_the_default_class_makes_nothing_hopeless() -> None:
    timing = DefaultClass(HOUR).timing(START)
    assert timing.deadline == START + HOUR
    assert not hopeless(timing, START + 2 * HOUR)


@pytest.mark.parametrize("deadline", ["4h", "2026-01-05T04:00:00Z", "2026-01-05T05:00:00+01:00"])
def test_a_deadline_is_an_instant_or_a_span_since_creation(deadline: str) -> None:
    assert read(deadline=deadline, expected_duration="90m") == (
        Timing(START + 4 * HOUR, 90 * MINUTE, stated=True),
        (),
    )


def test_other_prefixes() -> None:
    keys = AnnotationKeys.under("example.com/")
    annotations = {"example.com/deadline": "1h", "example.com/expected-duration": "1m", DEADLINE: "9h"}
    assert read_timing(annotations, START, keys, DefaultClass()) == (
        Timing(START + HOUR, MINUTE, stated=True),
        (),
    )


def test_a_pod_that_states_nothing_is_of_the_default_class() -> None:
    assert read() == (Timing(), ())
    assert read_timing({}, START, KEYS, DefaultClass(HOUR)) == (Timing(START + HOUR), ())


def test_a_duration_alone_counts_in_the_default_class() -> None:
    assert read(expected_duration="1h") == (Timing(None, HOUR), ())
    found, _ = read_timing({DURATION: "1h"}, START, KEYS, DefaultClass(4 * HOUR))
    assert found == Timing(START + 4 * HOUR, HOUR)


def test_a_deadline_without_duration_is_used_and_said() -> None:
    timing, notices = read(deadline="4h")
    assert timing == Timing(START + 4 * HOUR, None, stated=True)
    assert latest_start(timing) == START + 4 * HOUR
    assert [each.reason for each in notices] == ["UnknownDuration"]
    assert DURATION in notices[0].note


@pytest.mark.parametrize(
    ("annotations", "named"),
    [
        ({"deadline": "tomorrow", "expected_duration": "1h"}, [(DEADLINE, "'tomorrow'")]),
        ({"deadline": "4", "expected_duration": "1h"}, [(DEADLINE, "'4'")]),
        ({"deadline": "4h", "expected_duration": "60"}, [(DURATION, "'60'")]),
        ({"deadline": "", "expected_duration": "-1h"}, [(DEADLINE, "''"), (DURATION, "'-1h'")]),
    ],
)
def test_malformed_values_lead_to_the_default_class_and_are_named(
    annotations: dict[str, str], named: list[tuple[str, str]]
) -> None:
    timing, notices = read(**annotations)
    assert timing == Timing()
    assert [each.reason for each in notices] == ["MalformedAnnotation"] * len(named)
    for notice, (field, value) in zip(notices, named, strict=True):
        assert field in notice.note
        assert value in notice.note
        assert notice.note.endswith("the pod is scheduled in the default class")


def test_a_default_duration_counts_where_none_is_stated() -> None:
    default = DefaultClass(8 * HOUR, duration=2 * HOUR)
    timing, notices = read_timing({DEADLINE: "4h"}, START, KEYS, default)
    assert timing == Timing(START + 4 * HOUR, 2 * HOUR, stated=True)
    assert [each.note for each in notices] == [
        f"annotation {DURATION} is missing beside {DEADLINE}: the default of 2h counts"
    ]
    assert read_timing({}, START, KEYS, default) == (Timing(START + 8 * HOUR, 2 * HOUR), ())


def test_what_is_known_of_the_work() -> None:
    stated = {
        DEADLINE: "4h",
        DURATION: "90m",
        KEYS.checkpoint_interval: "10m",
        KEYS.restart_cost: "2m",
        KEYS.progress: "20m",
    }
    assert read_work(stated, START, KEYS, DefaultClass()) == Work(
        Timing(START + 4 * HOUR, 90 * MINUTE, stated=True), 10 * MINUTE, 2 * MINUTE, 20 * MINUTE, ()
    )
    assert read_work({}, START, KEYS, DefaultClass()) == Work(Timing(), None, 0, None, ())


def test_malformed_values_about_the_work_are_left_out_and_named() -> None:
    stated = {KEYS.checkpoint_interval: "soon", KEYS.restart_cost: "-1s", KEYS.progress: "10"}
    work = read_work(stated, START, KEYS, DefaultClass())
    assert work[:4] == (Timing(), None, 0, None)
    for notice, (key, value) in zip(work.notices, stated.items(), strict=True):
        assert notice.reason == "MalformedAnnotation"
        assert key in notice.note
        assert repr(value) in notice.note
        assert notice.note.endswith("it is left out of account")


def test_every_key_can_be_named() -> None:
    keys = AnnotationKeys("a/deadline-duration", "a/execution-duration", "b/interval", "b/cost", "b/saved")
    stated = {"a/deadline-duration": "2h", "a/execution-duration": "1h", "b/interval": "5m", "b/saved": "0s"}
    assert read_work(stated, START, keys, DefaultClass()) == Work(
        Timing(START + 2 * HOUR, HOUR, stated=True), 5 * MINUTE, 0, 0, ()
    )
