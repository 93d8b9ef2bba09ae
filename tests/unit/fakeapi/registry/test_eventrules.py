"""Rules of events in both of their groups. Messages are the real server's."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from fakeapi.machinery.resources import CORE_EVENTS, EVENTS, NAMESPACES, Resource
from tests.unit.fakeapi.registry.bench import Bench, Json, causes, refusal


def refused(bench: Bench, resource: Resource, **fields: Any) -> dict[str, str]:
    obj = {"metadata": {"name": "a"}, **fields}
    return causes(refusal(lambda: bench.create(resource, obj)))


def create(bench: Bench, resource: Resource, **fields: Any) -> Json:
    return bench.create(resource, {"metadata": {"name": "a"}, **fields})


def update(bench: Bench, resource: Resource, change: Callable[[Json], object], subresource: str = "") -> Json:
    def edit(obj: Json) -> Json:
        copied = copy.deepcopy(obj)
        change(copied)
        return copied

    return bench.modify(resource, "a", edit, subresource).object


def not_changed(
    bench: Bench, resource: Resource, change: Callable[[Json], object], subresource: str = ""
) -> dict[str, str]:
    return causes(refusal(lambda: update(bench, resource, change, subresource)))


ABOUT = {"kind": "Pod", "name": "p", "namespace": "default"}
STRICT = {
    "regarding": ABOUT,
    "eventTime": "2026-01-05T00:00:00.000000Z",
    "reportingController": "example.com/scheduler",
    "reportingInstance": "one",
    "action": "Binding",
    "reason": "Scheduled",
    "type": "Normal",
}


@pytest.mark.parametrize(("about", "home"), [(ABOUT, "default"), ({"kind": "Node", "name": "n"}, "default")])
def test_events_are_where_their_object_is(bench: Bench, about: Json, home: str) -> None:
    bench.create(CORE_EVENTS, {"metadata": {"name": "a"}, "involvedObject": about}, home)


def test_events_elsewhere_are_refused(bench: Bench) -> None:
    message = 'Invalid value: "other": does not match event.namespace'
    about = {**ABOUT, "namespace": "other"}
    assert refused(bench, CORE_EVENTS, involvedObject=about) == {"involvedObject.namespace": message}
    create(bench, NAMESPACES)
    error = refusal(lambda: bench.create(CORE_EVENTS, {"metadata": {"name": "e"}, "involvedObject": {}}, "a"))
    assert causes(error) == {"involvedObject.namespace": 'Invalid value: "": does not match event.namespace'}


def test_a_complete_event_in_the_newer_form(bench: Bench) -> None:
    create(bench, EVENTS, **STRICT)


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("reportingInstance", "reportingInstance"),
        ("action", "action"),
        ("reason", "reason"),
        ("eventTime", "eventTime"),
    ],
)
def test_the_newer_form_demands(bench: Bench, field: str, shown: str) -> None:
    fields = {name: value for name, value in STRICT.items() if name != field}
    assert refused(bench, EVENTS, **fields)[shown] == "Required value"


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"type": "X"}, "type", 'Invalid value: "": has invalid value: X'),
        ({"action": "a" * 129}, "action", 'Invalid value: "": can have at most 128 characters'),
        ({"note": "a" * 1025}, "message", 'Invalid value: "": can have at most 1024 characters'),
        ({"deprecatedCount": 2}, "count", 'Invalid value: "": needs to be unset'),
        ({"deprecatedSource": {"component": "c"}}, "source", 'Invalid value: "": needs to be unset'),
    ],
)
def test_the_newer_form_refuses(bench: Bench, fields: Json, field: str, message: str) -> None:
    assert refused(bench, EVENTS, **{**STRICT, **fields}) == {field: message}


def test_a_controller_has_a_name(bench: Bench) -> None:
    found = refused(bench, EVENTS, **{**STRICT, "reportingController": "a b"})
    assert list(found) == ["reportingController"]
    error = refusal(lambda: create(bench, EVENTS, **{**STRICT, "reportingController": ""}))
    assert "reportingController: Required value" in error.message
    older = {**STRICT, "reportingComponent": "a b", "involvedObject": ABOUT}
    assert list(refused(bench, CORE_EVENTS, **older)) == ["reportingComponent"]


def test_refusals_of_events_name_the_older_kind(bench: Bench) -> None:
    error = refusal(lambda: create(bench, EVENTS, **{**STRICT, "type": "X"}))
    assert error.message.startswith('Event "a" is invalid: type')


SHORT = {
    "series.count": 'Invalid value: "": should be at least 2',
    "series.lastObservedTime": "Required value",
}


def test_a_series_has_two_events_and_a_last_one(bench: Bench) -> None:
    assert refused(bench, EVENTS, **STRICT, series={}) == SHORT


def test_an_event_only_grows_its_series(bench: Bench) -> None:
    create(bench, EVENTS, **STRICT)
    series = {"count": 2, "lastObservedTime": STRICT["eventTime"]}
    assert update(bench, EVENTS, lambda o: o.update(series=series))["series"] == series
    assert not_changed(bench, EVENTS, lambda o: o.update(reason="Other")) == {
        "reason": 'Invalid value: "Other": field is immutable'
    }
    assert not_changed(bench, EVENTS, lambda o: o.update(series={"count": 1})) == SHORT


def test_an_event_of_the_core_group_changes_freely(bench: Bench) -> None:
    create(bench, CORE_EVENTS, involvedObject=ABOUT, reason="R", count=1)
    assert update(bench, CORE_EVENTS, lambda o: o.update(count=2, reason="S"))["deprecatedCount"] == 2
