"""Events of the core group and of events.k8s.io are one collection in two forms."""

from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.resources import CORE_EVENTS, EVENTS, PODS
from fakeapi.registry import views
from tests.unit.fakeapi.registry.bench import Bench, Json

OLD = {
    "metadata": {"name": "a"},
    "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
    "reason": "R",
    "message": "M",
    "type": "Normal",
    "source": {"component": "c", "host": "h"},
    "firstTimestamp": "2026-01-05T00:00:00Z",
    "lastTimestamp": "2026-01-05T00:00:00Z",
    "count": 2,
}


def test_an_old_event_in_both_forms(bench: Bench) -> None:
    stored = bench.create(CORE_EVENTS, dict(OLD))
    assert (stored["apiVersion"], stored["kind"]) == ("events.k8s.io/v1", "Event")
    assert stored["regarding"] == OLD["involvedObject"]
    assert (stored["note"], stored["deprecatedCount"]) == ("M", 2)
    shown = views.shown(CORE_EVENTS, stored)
    assert (shown["apiVersion"], shown["kind"]) == ("v1", "Event")
    fields = {name: value for name, value in OLD.items() if name != "metadata"}
    assert {name: shown[name] for name in fields} == fields
    assert (shown["reportingComponent"], shown["reportingInstance"]) == ("", "")
    assert "regarding" not in shown


def test_a_new_event_in_the_old_form(bench: Bench) -> None:
    new = {
        "metadata": {"name": "b"},
        "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "eventTime": "2026-01-05T00:00:00.000000Z",
        "reportingController": "x/y",
        "reportingInstance": "i",
        "action": "Binding",
        "reason": "Scheduled",
        "note": "text",
        "type": "Normal",
    }
    shown = views.shown(CORE_EVENTS, bench.create(EVENTS, new))
    assert shown["involvedObject"] == {"kind": "Pod", "name": "p", "namespace": "default"}
    assert (shown["message"], shown["reportingComponent"], shown["source"]) == ("text", "x/y", {})


def test_a_change_through_the_old_form_changes_the_one_event(bench: Bench) -> None:
    bench.create(CORE_EVENTS, dict(OLD))
    changed = bench.modify(CORE_EVENTS, "a", lambda obj: {**obj, "count": 3, "message": "again"})
    assert (changed.object["deprecatedCount"], changed.object["note"]) == (3, "again")
    current = bench.registry.get(EVENTS, "default", "a")
    assert bench.modify(CORE_EVENTS, "a", lambda obj: obj) is current


def test_other_kinds_are_no_views(bench: Bench) -> None:
    obj = bench.pod()
    assert views.shown(PODS, obj) is obj
    assert views.to_stored(PODS, obj) is obj
    assert not views.is_view(EVENTS)


NAMES = st.sampled_from([*OLD, "eventTime", "series", "reportingComponent", "reportingInstance", "related"])


@given(st.dictionaries(NAMES, st.integers()))
def test_nothing_is_lost_on_the_way_there_and_back(obj: Json) -> None:
    shown = views.shown(CORE_EVENTS, views.to_stored(CORE_EVENTS, obj))
    assert {name: shown[name] for name in obj} == obj
