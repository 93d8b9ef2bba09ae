"""What is sent, in which order, and what becomes moot meanwhile."""

import asyncio
from collections.abc import Mapping
from typing import Any

from scheduler.kube.client import Client
from scheduler.kube.errors import ApiError, RequestError, UnreachableError
from scheduler.kube.pauses import Pauses
from scheduler.messages import (
    Announce,
    Bind,
    BindDone,
    BindRefused,
    Happening,
    MarkUnschedulable,
    Nominate,
    PodGone,
    Preempt,
    PreemptRefused,
)
from scheduler.model import PodRef
from scheduler.writer import Decided, Writer
from tests.unit.scheduler.builders import START, ref

NO_PAUSE = Pauses(0.0, 0.0)


class Scripted(Client):
    """A client that sends nothing and fails as told; what it was asked is kept."""

    def __init__(self, **failures: list[RequestError]) -> None:
        self.failures = failures
        self.asked: list[str] = []
        self.done = asyncio.Event()

    def _ask(self, what: str, which: str) -> None:
        self.asked.append(f"{what} {which}")
        if failures := self.failures.get(what):
            raise failures.pop(0)

    async def bind(self, ref: PodRef, node: str, annotations: Mapping[str, str] | None = None) -> None:
        self._ask("bind", " ".join((ref.name, node, *(annotations or {}).values())))

    async def announce_disruption(self, ref: PodRef, why: str, now: int) -> None:
        assert now == START
        self._ask("disrupt", f"{ref.name} {why}")

    async def delete(self, ref: PodRef) -> None:
        self._ask("delete", ref.name)

    async def nominate(self, ref: PodRef, node: str) -> None:
        self._ask("nominate", f"{ref.name} {node}".rstrip())

    async def pod(self, ref: PodRef) -> Any:
        self._ask("look", ref.name)
        return {"metadata": {"name": ref.name}}

    async def mark_unschedulable(self, mark: MarkUnschedulable, now: int) -> None:  # noqa: ARG002  # as the base
        self._ask("mark", f"{mark.ref.name} {mark.message}{' first' if mark.first else ''}")

    async def record(self, announcement: Announce, now: int) -> None:  # noqa: ARG002  # as the base
        if announcement.note == "the end":
            self.done.set()
        else:
            self._ask("record", announcement.note)


def mark(name: str, message: str = "why", first: bool = True) -> MarkUnschedulable:
    return MarkUnschedulable(ref(name), message, first)


def note(text: str) -> Announce:
    return Announce(ref("a"), "Normal", "Scheduled", "Binding", text)


def written(client: Scripted, *actions: Decided | MarkUnschedulable | Announce) -> list[object]:
    """Let a writer send these actions. Returns what it reported."""
    reported: list[object] = []

    def report(event: Happening) -> None:
        reported.append(event)

    def pod_read(pod: Mapping[str, Any]) -> None:
        reported.append(f"read {pod['metadata']['name']}")

    async def run() -> None:
        writer = Writer(client, report, pod_read, NO_PAUSE, lambda: START)
        for action in (*actions, note("the end")):
            writer.submit(action, START)
        running = asyncio.create_task(writer.run())
        await client.done.wait()
        running.cancel()
        await asyncio.wait((running,))

    asyncio.run(run())
    return reported


def test_bindings_in_their_order_then_conditions_then_events() -> None:
    client = Scripted()
    reported = written(
        client, note("x"), mark("c"), Bind(ref("b"), "n"), mark("d"), Bind(ref("a"), "m"), note("y")
    )
    assert client.asked == [
        "bind b n",
        "bind a m",
        "mark c why first",
        "mark d why first",
        "record x",
        "record y",
    ]
    assert reported == [BindDone(ref("b"), "n"), BindDone(ref("a"), "m")]


def test_a_condition_that_is_no_longer_true_is_not_sent() -> None:
    client = Scripted()
    written(client, mark("a"), Bind(ref("a"), "n"))
    assert client.asked == ["bind a n"]


def test_only_the_last_condition_is_sent_and_it_is_still_the_first_that_the_pod_sees() -> None:
    client = Scripted()
    written(client, mark("a", "one"), mark("b"), mark("a", "two", first=False))
    assert client.asked == ["mark b why first", "mark a two first"]


def test_a_refused_binding() -> None:
    client = Scripted(bind=[ApiError(500, "", "boom")])
    assert written(client, Bind(ref("a"), "n")) == [BindRefused(ref("a"), "n", "500: boom")]
    assert client.asked == ["bind a n"]


def test_a_conflict_is_looked_into() -> None:
    client = Scripted(bind=[ApiError(409, "Conflict", "x")])
    assert written(client, Bind(ref("a"), "n")) == ["read a", BindRefused(ref("a"), "n", "409 Conflict: x")]


def test_a_binding_without_answer_is_looked_into() -> None:
    client = Scripted(bind=[UnreachableError("x")])
    assert written(client, Bind(ref("a"), "n")) == ["read a", BindRefused(ref("a"), "n", "x")]


def test_a_pod_that_is_gone() -> None:
    client = Scripted(bind=[ApiError(404, "", "")], look=[ApiError(404, "", "")])
    assert written(client, Bind(ref("a"), "n")) == [PodGone("uid-a"), BindRefused(ref("a"), "n", "404: ")]


def test_a_look_that_fails_too() -> None:
    for failure in (UnreachableError("y"), ApiError(500, "", "")):
        client = Scripted(bind=[UnreachableError("x")], look=[failure])
        assert written(client, Bind(ref("a"), "n")) == [BindRefused(ref("a"), "n", "x")]


def test_notes_are_tried_again_five_times_at_most() -> None:
    client = Scripted(mark=[ApiError(503, "", "")] * 9, record=[UnreachableError("")])
    written(client, mark("a"), note("x"), note("y"))
    assert client.asked == ["mark a why first"] * 5 + ["record x", "record x", "record y"]


def test_notes_that_are_moot_or_refused_are_let_go() -> None:
    for code in (403, 404, 409):
        client = Scripted(mark=[ApiError(code, "", "")], record=[ApiError(code, "", "")])
        written(client, mark("a"), note("x"), note("y"))
        assert client.asked == ["mark a why first", "record x", "record y"]


def preempt(name: str) -> Preempt:
    return Preempt(ref(name), ref("urgent"), "for urgent")


def test_a_victim_is_told_before_it_is_deleted_and_decisions_keep_their_order() -> None:
    client = Scripted()
    assert written(client, preempt("v"), Nominate(ref("urgent"), "n"), Bind(ref("b"), "n")) == [
        BindDone(ref("b"), "n")
    ]
    assert client.asked == ["disrupt v for urgent", "delete v", "nominate urgent n", "bind b n"]


def test_a_victim_that_the_server_keeps_is_reported() -> None:
    client = Scripted(delete=[ApiError(429, "TooManyRequests", "later")])
    (refused,) = written(client, preempt("v"))
    assert isinstance(refused, PreemptRefused)
    assert refused.victim == ref("v")
    assert "later" in refused.why


def test_a_victim_that_is_gone_is_no_refusal() -> None:
    gone = ApiError(404, "NotFound", "no such pod")
    client = Scripted(disrupt=[gone], look=[gone])
    assert written(client, preempt("v")) == [PodGone(ref("v").uid)]
    assert client.asked == ["disrupt v for urgent", "look v"]


def test_a_nomination_that_fails_holds_up_nothing() -> None:
    client = Scripted(nominate=[UnreachableError("away")])
    assert written(client, Nominate(ref("a"), ""), Bind(ref("b"), "n")) == [BindDone(ref("b"), "n")]
