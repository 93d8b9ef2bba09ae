"""Events live an hour after their last change."""

import pytest

from fakeapi.kernel.time import HOUR, MINUTE
from fakeapi.machinery.resources import CORE_EVENTS
from fakeapi.registry.deletion import delete
from fakeapi.registry.expiry import EventExpiry
from tests.unit.fakeapi.registry.bench import CONFIG_MAPS, Bench


@pytest.fixture(autouse=True)
def _expiry(bench: Bench) -> None:
    EventExpiry(bench.store, bench.clock).attach()


def event(bench: Bench, name: str) -> None:
    about = {"kind": "Pod", "name": "p", "namespace": "default"}
    bench.create(CORE_EVENTS, {"metadata": {"name": name}, "involvedObject": about})


def names(bench: Bench) -> list[str]:
    return [version.key[1] for version in bench.store.iterate(CORE_EVENTS.storage_key)]


def test_an_event_is_gone_after_an_hour(bench: Bench) -> None:
    event(bench, "a")
    bench.wait(HOUR - MINUTE)
    event(bench, "b")
    assert names(bench) == ["a", "b"]
    bench.wait(MINUTE)
    event(bench, "c")
    assert names(bench) == ["b", "c"]


def test_a_change_prolongs_it(bench: Bench) -> None:
    event(bench, "a")
    bench.wait(HOUR - MINUTE)
    bench.modify(CORE_EVENTS, "a", lambda obj: {**obj, "count": 2})
    bench.wait(HOUR - MINUTE)
    event(bench, "b")
    assert names(bench) == ["a", "b"]
    bench.wait(MINUTE)
    event(bench, "c")
    assert names(bench) == ["b", "c"]


def test_one_that_was_deleted_and_created_again_counts_from_then(bench: Bench) -> None:
    event(bench, "a")
    bench.wait(HOUR - MINUTE)
    delete(bench.registry, CORE_EVENTS, "default", "a")
    event(bench, "a")
    bench.wait(MINUTE)
    event(bench, "b")
    assert names(bench) == ["a", "b"]


def test_other_kinds_stay(bench: Bench) -> None:
    bench.create(CONFIG_MAPS, {"metadata": {"name": "a"}})
    bench.wait(10 * HOUR)
    event(bench, "a")
    assert bench.exists(CONFIG_MAPS, "a")
