"""The annotations of the world: what is read, and what admission hears about the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.cluster.annotations import (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_ON_STOP,
    EXIT_CODE,
    GANG,
    GANG_SIZE,
    MAX_DURATION,
    REPORT_PROGRESS,
    RESTART_COST,
    RUN_TIME,
    START_DELAY,
    STOP_TIME,
    WARM_START_DELAY,
    WORK,
    BadAnnotation,
    Life,
    check,
    life_of,
)
from fakeapi.kernel.time import HOUR, MINUTE, SECOND, format_duration


def pod(annotations: dict[str, str] | None) -> dict[str, object]:
    return {"metadata": {"name": "job", "annotations": annotations}}


@pytest.mark.parametrize("annotations", [None, {}, {"other.example/run-time": "5s"}])
def test_a_pod_that_says_nothing_runs_for_ever_and_leaves_the_rest_open(
    annotations: dict[str, str] | None,
) -> None:
    assert life_of(annotations) == Life(run_time=None, start_delay=None, stop_time=None, exit_code=0)


def test_every_annotation_is_read() -> None:
    said = {RUN_TIME: "1h30m", START_DELAY: "0s", STOP_TIME: "2.5s", EXIT_CODE: "137"}
    assert life_of(said) == Life(90 * MINUTE, 0, 5 * SECOND // 2, 137)
    assert check(pod(said)) == []


def test_work_and_gangs_are_read() -> None:
    said = {
        WARM_START_DELAY: "2s",
        CHECKPOINT_INTERVAL: "10m",
        CHECKPOINT_ON_STOP: "true",
        RESTART_COST: "1m",
        WORK: "w",
        REPORT_PROGRESS: "lst.scheduler/progress",
        GANG: "g",
        GANG_SIZE: "4",
    }
    life = life_of(said)
    assert (life.warm_start_delay, life.checkpoint_interval) == (2 * SECOND, 10 * MINUTE)
    assert (life.checkpoint_on_stop, life.restart_cost, life.work) == (True, MINUTE, "w")
    assert (life.report_progress, life.gang, life.gang_size) == ("lst.scheduler/progress", "g", 4)
    assert check(pod(said)) == []


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (CHECKPOINT_INTERVAL, "0s", "must be longer than 0s"),
        (CHECKPOINT_ON_STOP, "yes", 'must be "true" or "false"'),
        (WORK, " ", "must name something, or be left out"),
        (GANG, "", "must name something, or be left out"),
        (GANG_SIZE, "0", "must be a whole number from 1 to 100000"),
        (GANG_SIZE, "two", "must be a whole number from 1 to 100000"),
        (REPORT_PROGRESS, "fakeapi.world/x", "must not begin with fakeapi.world/"),
    ],
)
def test_work_that_cannot_be_read_is_refused(name: str, text: str, why: str) -> None:
    (cause,) = check(pod({name: text}))
    assert cause.message == f'Invalid value: "{text}": {why}'


def test_progress_is_reported_in_an_annotation() -> None:
    (cause,) = check(pod({REPORT_PROGRESS: "not a key"}))
    assert "must be the key of an annotation: name part" in cause.message


@pytest.mark.parametrize(("name", "text", "beside"), [(GANG, "g", GANG_SIZE), (GANG_SIZE, "2", GANG)])
def test_a_gang_and_its_size_go_together(name: str, text: str, beside: str) -> None:
    (cause,) = check(pod({name: text}))
    assert (cause.field, cause.message) == (
        f"metadata.annotations[{name}]",
        f'Invalid value: "{text}": needs {beside} beside it',
    )


def test_equal_texts_are_parsed_once() -> None:
    assert life_of({RUN_TIME: "17h"}) is life_of({RUN_TIME: "17h", "other": "x"})


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (RUN_TIME, "90", "'90' is not a duration: write a number with a unit, such as 90s, 1.5h or 1h30m"),
        (RUN_TIME, "0s", "must be longer than 0s"),
        (RUN_TIME, "-1h", "must be longer than 0s"),
        (RUN_TIME, "101000d", "must be at most 36500d"),
        (START_DELAY, "-1s", "must be 0s or longer"),
        (
            STOP_TIME,
            "soon",
            "'soon' is not a duration: write a number with a unit, such as 90s, 1.5h or 1h30m",
        ),
        (EXIT_CODE, "-1", "must be a whole number from 0 to 255"),
        (EXIT_CODE, "256", "must be a whole number from 0 to 255"),
        (EXIT_CODE, "", "must be a whole number from 0 to 255"),
        (EXIT_CODE, "1.0", "must be a whole number from 0 to 255"),
        (EXIT_CODE, "1" * 40, "must be a whole number from 0 to 255"),
        (EXIT_CODE, "٣", "must be a whole number from 0 to 255"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_field_and_the_value(name: str, text: str, why: str) -> None:
    (cause,) = check(pod({name: text}))
    assert cause.field == f"metadata.annotations[{name}]"
    assert cause.message == f'Invalid value: "{text}": {why}'
    with pytest.raises(BadAnnotation) as raised:
        life_of({name: text})
    assert (raised.value.name, raised.value.value, raised.value.why) == (name, text, why)


def test_every_wrong_annotation_is_told_at_once() -> None:
    causes = check(pod({RUN_TIME: "x", EXIT_CODE: "y", START_DELAY: "1s"}))
    assert [cause.field for cause in causes] == [
        f"metadata.annotations[{RUN_TIME}]",
        f"metadata.annotations[{EXIT_CODE}]",
    ]


def test_a_misspelt_name_is_refused_and_not_ignored() -> None:
    (cause,) = check(pod({"fakeapi.world/runtime": "90m"}))
    assert cause.reason == "FieldValueNotSupported"
    assert '"fakeapi.world/runtime"' in cause.message
    assert f'"{RUN_TIME}"' in cause.message


@given(st.integers(1, MAX_DURATION))
def test_any_duration_is_read_back_exactly(duration: int) -> None:
    assert life_of({RUN_TIME: format_duration(duration)}).run_time == duration


@given(st.integers(0, 10 * HOUR), st.integers(0, 10 * HOUR), st.integers(0, 255))
def test_check_is_silent_exactly_when_a_life_can_be_read(delay: int, stop: int, code: int) -> None:
    said = {START_DELAY: format_duration(delay), STOP_TIME: format_duration(stop), EXIT_CODE: str(code)}
    assert life_of(said) == Life(None, delay, stop, code)
    assert check(pod(said)) == []
