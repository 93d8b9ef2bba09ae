"""More than one write under way: no more than allowed, decisions first, and a pod's own in their order."""

import asyncio
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scheduler.kube.client import Client
from scheduler.kube.errors import UnreachableError
from scheduler.kube.pauses import Pauses
from scheduler.messages import Announce, Bind, MarkUnschedulable, Nominate, Preempt
from scheduler.model import PodRef
from scheduler.writer import Decided, Writer
from tests.unit.scheduler.builders import START, ref


class Slow(Client):
    """A client whose calls last some turns of the event loop, and sometimes fail; it keeps what went on."""

    def __init__(self, lasts: list[int], failures: set[int]) -> None:
        self._lasts = lasts
        self._failures = failures
        self._calls = 0
        self.under_way: list[str] = []
        self.most = 0
        self.began: list[tuple[str, str]] = []
        """What and for which pod."""
        self.doubled = False

    async def _call(self, what: str, pod: PodRef) -> None:
        self._calls += 1
        number = self._calls
        self.doubled |= pod.name in self.under_way
        self.began.append((what, pod.name))
        self.under_way.append(pod.name)
        self.most = max(self.most, len(self.under_way))
        for _ in range(self._lasts[number % len(self._lasts)]):
            await asyncio.sleep(0)
        self.under_way.remove(pod.name)
        if number in self._failures:
            raise UnreachableError("gone")

    async def bind(self, ref: PodRef, node: str, annotations: Mapping[str, str] | None = None) -> None:
        del annotations
        await self._call(f"bind {node}", ref)

    async def announce_disruption(self, ref: PodRef, why: str, now: int) -> None:
        del why, now
        await self._call("disrupt", ref)

    async def delete(self, ref: PodRef) -> None:
        await self._call("delete", ref)

    async def nominate(self, ref: PodRef, node: str) -> None:
        await self._call(f"nominate {node}", ref)

    async def pod(self, ref: PodRef) -> Any:
        await self._call("look", ref)
        return {}

    async def mark_unschedulable(self, mark: MarkUnschedulable, now: int) -> None:
        del now
        await self._call("mark", mark.ref)

    async def record(self, announcement: Announce, now: int) -> None:
        del now
        await self._call(f"record {announcement.note}", announcement.ref)


def played(
    client: Slow, limit: int, actions: list[Decided | MarkUnschedulable | Announce], turns: int
) -> None:
    async def run() -> None:
        writer = Writer(client, lambda _: None, lambda _: None, Pauses(0.0, 0.0), lambda: START, limit=limit)
        for action in actions:
            writer.submit(action, START)
        running = asyncio.create_task(writer.run())
        for _ in range(turns):
            await asyncio.sleep(0)
        assert not running.done()
        assert client.under_way == []
        running.cancel()
        await asyncio.wait((running,))

    asyncio.run(run())


TURNS = 3_000
"""Far more than all calls of an example take one after the other."""

PODS = st.sampled_from("abcd").map(ref)
ACTIONS = st.one_of(
    st.builds(Bind, PODS, st.sampled_from(("n", "m"))),
    st.builds(Nominate, PODS, st.sampled_from(("n", ""))),
    st.builds(Preempt, PODS, st.none(), st.just("why")),
    st.builds(MarkUnschedulable, PODS, st.just("why"), st.booleans()),
    st.builds(
        Announce, PODS, st.just("Normal"), st.just("Scheduled"), st.just("Binding"), st.sampled_from("xyz")
    ),
)


@given(
    limit=st.integers(1, 5),
    actions=st.lists(ACTIONS, max_size=20),
    lasts=st.lists(st.integers(0, 8), min_size=1, max_size=7),
    failures=st.sets(st.integers(1, 30), max_size=5),
)
def test_never_more_than_allowed_and_never_two_for_one_pod(
    limit: int,
    actions: list[Decided | MarkUnschedulable | Announce],
    lasts: list[int],
    failures: set[int],
) -> None:
    client = Slow(lasts, failures)
    played(client, limit, actions, TURNS)
    assert client.most <= limit
    assert not client.doubled
    for pod in "abcd":
        wanted = [f"bind {each.node}" for each in actions if isinstance(each, Bind) and each.ref.name == pod]
        assert [what for what, name in client.began if name == pod and what.startswith("bind")] == wanted


def test_the_limit_is_used() -> None:
    client = Slow([5], set())
    played(client, 3, [Bind(ref(name), "n") for name in "abcd"], TURNS)
    assert client.most == 3
    assert [name for _, name in client.began] == ["a", "b", "c", "d"]


def test_what_does_not_decide_waits_until_no_decision_waits_to_be_sent() -> None:
    client = Slow([2], set())
    event = Announce(ref("e"), "Normal", "Scheduled", "Binding", "x")
    mark = MarkUnschedulable(ref("m"), "why", True)
    played(client, 2, [event, mark, *(Bind(ref(name), "n") for name in "abc")], TURNS)
    assert [name for _, name in client.began] == ["a", "b", "c", "m", "e"]


def test_a_pod_s_next_write_lets_others_pass_until_its_turn() -> None:
    client = Slow([4], set())
    played(client, 2, [Nominate(ref("a"), "n"), Bind(ref("a"), "n"), Bind(ref("b"), "n")], TURNS)
    assert client.began == [("nominate n", "a"), ("bind n", "b"), ("bind n", "a")]
