"""The whole scheduler, short of its process, against a small API server."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.unit.scheduler.builders import GPU, node_object, pod_object
from tests.unit.scheduler.fake_server import FakeApi
from tests.unit.scheduler.playing import Case, bound, gpus, played, scheduling


@played
async def test_pods_that_are_there_and_pods_that_come_are_bound(api: FakeApi) -> None:
    api.put("pods", pod_object("old", gpus(2)))
    async with scheduling(api):
        await bound(api, "old")
        api.put("pods", pod_object("new", gpus(6)))
        await bound(api, "new")
        await api.until(lambda: len(api.events) == 2)
    assert api.sent("binding") == [
        "POST /api/v1/namespaces/default/pods/old/binding",
        "POST /api/v1/namespaces/default/pods/new/binding",
    ]


@played
async def test_the_event_of_a_binding(api: FakeApi) -> None:
    api.put("pods", pod_object("a", gpus(1)))
    async with scheduling(api):
        await api.until(lambda: api.events)
    (event,) = api.events.values()
    name = event["metadata"].pop("name")
    assert name.startswith("a.")
    assert event == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "default"},
        "eventTime": "2026-01-05T00:00:00.000000Z",
        "reportingController": "lst-scheduler",
        "reportingInstance": "lst-scheduler",
        "action": "Binding",
        "reason": "Scheduled",
        "type": "Normal",
        "note": "Successfully assigned default/a to n",
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": "default", "name": "a", "uid": "uid-a"},
    }


@played
async def test_a_pod_without_room_is_marked_and_bound_when_room_comes(api: FakeApi) -> None:
    api.put("pods", pod_object("big", gpus(9)))
    async with scheduling(api):
        await api.until(lambda: api.events)
        (condition,) = api.objects["pods"]["big"]["status"]["conditions"]
        assert condition == {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": f"0/1 nodes are available: 1 Insufficient {GPU}.",
            "lastTransitionTime": "2026-01-05T00:00:00Z",
        }
        assert api.reasons() == ["FailedScheduling"]
        api.put("nodes", node_object("m", 16))
        await bound(api, "big")
    assert api.node_of("big") == "m"


@played
async def test_room_is_free_when_a_pod_finishes(api: FakeApi) -> None:
    first = pod_object("first", gpus(8), spec={"nodeName": "n"})
    api.put("pods", first)
    api.put("pods", pod_object("second", gpus(8)))
    async with scheduling(api):
        await api.until(lambda: "FailedScheduling" in api.reasons())
        api.put("pods", {**first, "status": {"phase": "Succeeded"}})
        await bound(api, "second")


@played
async def test_pods_of_other_schedulers_are_left_alone(api: FakeApi) -> None:
    api.put("pods", pod_object("other", gpus(1), spec={"schedulerName": "default-scheduler"}))
    api.put("pods", pod_object("ours", gpus(1)))
    async with scheduling(api):
        await bound(api, "ours")
        await api.until(lambda: api.events)
    assert not api.node_of("other")


@played
async def test_bindings_go_before_conditions_and_these_before_events(api: FakeApi) -> None:
    for name, count in (("a", 9), ("b", 4), ("c", 4), ("d", 9)):
        api.put("pods", pod_object(name, gpus(count)))
    async with scheduling(api):
        await api.until(lambda: len(api.events) == 4)
    writes = [
        (method, path.rsplit("/", 2)[-2 if "events" not in path else -1])
        for method, path, body in api.requests
        if body
    ]
    assert writes == [
        ("POST", "b"),
        ("POST", "c"),
        ("PATCH", "a"),
        ("PATCH", "d"),
        *[("POST", "events")] * 4,
    ]


@played
async def test_a_failed_binding_is_tried_again_after_a_pause(api: FakeApi) -> None:
    api.fail("binding", 500)
    api.put("pods", pod_object("a", gpus(1)))
    async with scheduling(api):
        await bound(api, "a")
        await api.until(lambda: len(api.events) == 2)
    assert len(api.sent("binding")) == 2
    assert api.reasons() == ["FailedScheduling", "Scheduled"]


@played
async def test_a_binding_whose_answer_got_lost_is_found_out(api: FakeApi) -> None:
    api.fail("binding", 0, late=True)
    api.put("pods", pod_object("a", gpus(1)))
    async with scheduling(api):
        await api.until(lambda: api.sent("GET /api/v1/namespaces/default/pods/a"))
        api.put("pods", pod_object("b", gpus(7)))
        await bound(api, "b")
        await api.until(lambda: "Scheduled" in api.reasons())
    assert len(api.sent("pods/a/binding")) == 1


@played
async def test_a_conflict_shows_that_somebody_else_was_quicker(api: FakeApi) -> None:
    api.fail("watch=true", 500, times=1)
    api.put("pods", pod_object("a", gpus(8)))
    api.fail("binding", 409)
    async with scheduling(api):
        await api.until(lambda: api.sent("GET /api/v1/namespaces/default/pods/a"))
        await bound(api, "a")


@played
async def test_a_pod_that_is_gone_when_it_is_bound_is_forgotten(api: FakeApi) -> None:
    api.fail("binding", 404)
    api.fail("GET /api/v1/namespaces/default/pods/a", 404)
    api.put("pods", pod_object("a", gpus(8)))
    async with scheduling(api):
        await api.until(lambda: api.sent("GET /api/v1/namespaces/default/pods/a"))
        api.put("pods", pod_object("b", gpus(8)))
        await bound(api, "b")
        await api.until(lambda: "Scheduled" in api.reasons())
    assert len(api.sent("pods/a/binding")) == 1


@played
async def test_notes_are_tried_again_while_the_server_is_in_trouble(api: FakeApi) -> None:
    api.fail("/status", 503, times=2)
    api.fail("events", 429, times=2)
    api.put("pods", pod_object("big", gpus(9)))
    async with scheduling(api):
        await api.until(lambda: api.events)
    assert len(api.sent("/status")) == 3
    assert len(api.sent("events")) == 3


@played
async def test_notes_that_are_refused_do_not_hold_up_anything(api: FakeApi) -> None:
    api.fail("/status", 403)
    api.fail("events", 503, times=5)
    api.put("pods", pod_object("big", gpus(9)))
    async with scheduling(api):
        await api.until(lambda: len(api.sent("events")) == 5)
        api.put("pods", pod_object("small", gpus(1)))
        await bound(api, "small")
        await api.until(lambda: api.events)
    assert len(api.sent("/status")) == 1
    assert api.reasons() == ["Scheduled"]


@played
async def test_watches_are_resumed_where_they_ended(api: FakeApi) -> None:
    async with scheduling(api):
        for name in "abc":
            await api.until(lambda: api.watching("pods"))
            api.put("pods", pod_object(name, gpus(1)))
            await bound(api, name)
            api.end_watches("pods")
            await api.until(lambda: not api.watching("pods"))
        await api.until(lambda: api.watching("pods"))
    assert len(api.sent("GET /api/v1/pods?")) - len(api.sent("watch=true&allowWatchBookmarks=true")) <= 1
    versions = [path for path in api.sent("GET /api/v1/pods?") if "watch=true" in path]
    assert len(versions) == len(set(versions)), "a watch began again from an old version"


@played
async def test_changes_during_an_outage_are_not_lost(api: FakeApi) -> None:
    async with scheduling(api):
        await api.until(lambda: api.watching("pods"))
        api.fail("watch=true", 0, times=3)
        api.fail("watch=true", 502, times=3)
        api.end_watches()
        await api.until(lambda: not api.watching("pods"))
        api.put("pods", pod_object("a", gpus(1)))
        await bound(api, "a")


@played
async def test_when_history_is_gone_everything_is_listed_again(api: FakeApi) -> None:
    api.put("pods", pod_object("gone", gpus(8), spec={"nodeName": "n"}))
    async with scheduling(api):
        await api.until(lambda: api.watching("pods"))
        api.end_watches("pods")
        await api.until(lambda: not api.watching("pods"))
        del api.objects["pods"]["gone"]
        api.objects["pods"]["a"] = pod_object("a", gpus(8))
        api.forget_history()
        await bound(api, "a")


@played
async def test_history_may_go_in_the_midst_of_a_watch(api: FakeApi) -> None:
    gone = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
    async with scheduling(api):
        await api.until(lambda: api.watching("pods"))
        api.objects["pods"]["a"] = pod_object("a", gpus(8))
        api.say("pods", {"type": "ERROR", "object": gone})
        await bound(api, "a")


@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(b"}{\n", id="no JSON"),
        pytest.param(b"[]\n", id="no event"),
        pytest.param(b'{"type":"ADDED","object":{}}\n', id="no object"),
        pytest.param(b'{"type":"ERROR","object":{"code":500}}\n', id="an error"),
    ],
)
def test_nonsense_on_the_watch_is_survived(nonsense: bytes) -> None:
    async def play(api: FakeApi) -> None:
        async with scheduling(api):
            await api.until(lambda: api.watching("pods"))
            api.say("pods", nonsense)
            api.put("pods", pod_object("a", gpus(8)))
            await bound(api, "a")

    Case(play)()


@played
async def test_an_object_that_cannot_be_read_is_left_out_of_account(api: FakeApi) -> None:
    broken = pod_object("broken", gpus(8))
    del broken["spec"]["containers"]
    api.put("pods", broken)
    api.put("nodes", {"metadata": {"name": "odd"}, "status": {"allocatable": {"cpu": "lots"}}})
    async with scheduling(api):
        api.put("pods", pod_object("a", gpus(8)))
        await bound(api, "a")
        await api.until(lambda: api.events)


@played
async def test_bookmarks_carry_the_version_on(api: FakeApi) -> None:
    async with scheduling(api):
        await api.until(lambda: api.watching("nodes"))
        api.say("nodes", {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "77"}}})
        api.end_watches("nodes")
        await api.until(lambda: api.sent("resourceVersion=77"))


def test_lists_come_in_pages() -> None:
    async def run() -> None:
        async with FakeApi(page_size=2) as api:
            for i in range(5):
                api.put("nodes", node_object(f"n{i}", 1))
                api.put("pods", pod_object(f"p{i}", gpus(1)))
            async with scheduling(api):
                await bound(api, *(f"p{i}" for i in range(5)))
                await api.until(lambda: len(api.events) == 5)

    asyncio.run(run())


def test_an_idle_scheduler_has_no_timers() -> None:
    """With a pod that cannot be placed, too. The server has a loop of its own here, since it has timers."""
    with serving_apart() as (api, loop):
        api.put("nodes", node_object("n", 8))
        api.put("pods", pod_object("a", gpus(1)))
        api.put("pods", pod_object("big", gpus(9)))

        async def run() -> list[str]:
            async with scheduling(api):
                told = asyncio.run_coroutine_threadsafe(api.until(lambda: len(api.events) == 2), loop)
                await asyncio.wrap_future(told)
                return await timers_once_settled()

        assert asyncio.run(run()) == []


@contextmanager
def serving_apart() -> Iterator[tuple[FakeApi, asyncio.AbstractEventLoop]]:
    """A server that runs in a thread, with its event loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    api = asyncio.run_coroutine_threadsafe(FakeApi().__aenter__(), loop).result()
    try:
        yield api, loop
    finally:
        asyncio.run_coroutine_threadsafe(api.__aexit__(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


MOST_TURNS = 100_000
"""Turns of the event loop in which the last answer surely has been read."""


async def timers_once_settled() -> list[str]:
    """The event loop's timers, once the last request is over; those that stay are returned."""
    loop: Any = asyncio.get_running_loop()
    for _ in range(MOST_TURNS):
        live = [repr(handle) for handle in loop._scheduled if not handle.cancelled()]
        if not live:
            return []
        await asyncio.sleep(0)
    return live
