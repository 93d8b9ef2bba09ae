"""Any sequence of what clients can do to pods, checked against a model that only knows instants.

The model keeps for every pod when it has to run, and when it has to end at the latest;
the kubelet's own ``validate`` runs after each step and each instant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
    run_state_machine_as_test,
)

from fakeapi.kernel.time import SECOND, Duration, Instant, format_duration, format_instant
from fakeapi.storage.objects import Change, Kind

if TYPE_CHECKING:
    from tests.unit.fakeapi.cluster.conftest import Bench

LONGEST = 6
"""Seconds: short, so that many things fall on one instant."""
seconds = st.integers(0, LONGEST)


@dataclass
class Expected:
    """What has to become of one pod, in instants."""

    bound: Instant | None = None
    delay: Duration = 0
    run_time: Duration | None = None
    stop_time: Duration = SECOND
    node: str = ""
    asked: Instant | None = None
    kill_at: Instant | None = None

    @property
    def start(self) -> Instant | None:
        return None if self.bound is None else self.bound + self.delay

    @property
    def ran(self) -> bool:
        """Whether its containers start before its deletion is asked for."""
        return self.start is not None and (self.asked is None or self.start <= self.asked)

    @property
    def end(self) -> Instant | None:
        """When it stops holding its node; None for never."""
        if self.start is None:
            return None
        if not self.ran:
            return self.asked
        ends = [] if self.run_time is None else [self.start + self.run_time]
        if self.asked is not None and self.kill_at is not None:
            ends += [self.asked + self.stop_time, self.kill_at]
        return min(ends, default=None)


class PodsOfOneNode(RuleBasedStateMachine):
    """Pods come, are bound, deleted, removed and told to live otherwise, while time passes."""

    pods = Bundle("pods")

    def __init__(self, make_bench: Callable[[], Bench]) -> None:
        super().__init__()
        self.bench = make_bench()
        self.bench.node()
        self.bench.store.listen(self.note)
        self.expected: dict[str, Expected] = {}
        self.started: dict[str, Instant] = {}
        self.ended: dict[str, Instant] = {}
        self.count = 0

    def note(self, _: str, change: Change) -> None:
        name = change.after.key[1]
        if name not in self.expected or change.kind is Kind.DELETED:
            return
        phase = change.after.object["status"]["phase"]
        if phase == "Running":
            self.started.setdefault(name, self.bench.clock.now())
        if phase in ("Succeeded", "Failed"):
            assert name in self.started, "ended without a start"
            self.ended.setdefault(name, self.bench.clock.now())

    @rule(
        target=pods,
        delay=st.none() | seconds,
        run_time=st.none() | st.integers(1, LONGEST),
        bound=st.booleans(),
        stop_time=st.none() | seconds,
    )
    def create(self, delay: int | None, run_time: int | None, stop_time: int | None, bound: bool) -> str:
        self.count += 1
        name = f"p{self.count}"
        life = {"start-delay": delay, "run-time": run_time, "stop-time": stop_time}
        self.expected[name] = Expected(
            delay=(delay or 0) * SECOND,
            run_time=None if run_time is None else run_time * SECOND,
            stop_time=SECOND if stop_time is None else stop_time * SECOND,
        )
        said = {word: f"{length}s" for word, length in life.items() if length is not None}
        self.bench.pod(name, life=said)
        if bound:
            self.bind(name, "n1")
        return name

    @rule(name=pods, node=st.sampled_from(("n1", "n1", "nowhere")))
    def bind(self, name: str, node: str) -> None:
        expected = self.expected[name]
        if not expected.node:
            expected.node = node
            expected.bound = self.bench.clock.now() if node == "n1" else None
            self.bench.bind(("default", name), node)

    @rule(name=pods, grace_s=seconds)
    def ask_deletion(self, name: str, grace_s: int) -> None:
        key, expected, now = ("default", name), self.expected[name], self.bench.clock.now()
        if not expected.node or not self.bench.exists(key) or expected.asked is not None:
            return
        self.bench.settle()
        if name not in self.ended:
            expected.asked, expected.kill_at = now, now + grace_s * SECOND
        self.bench.ask_deletion(key, grace_s)

    @rule(name=pods, run_time=st.integers(1, LONGEST))
    def relive(self, name: str, run_time: int) -> None:
        key, expected = ("default", name), self.expected[name]
        self.bench.settle()
        if not self.bench.exists(key) or name in self.ended:
            return
        if expected.start is None or expected.start + run_time * SECOND > self.bench.clock.now():
            expected.run_time = run_time * SECOND
            self.bench.relive(key, run_time=format_duration(expected.run_time))

    @rule(name=consumes(pods))
    def remove(self, name: str) -> None:
        self.bench.settle()
        if self.bench.exists(("default", name)):
            self.bench.remove(("default", name))
        del self.expected[name]

    @rule(name=consumes(pods), target=pods)
    def replace(self, name: str) -> str:
        """Another pod takes the name of one that is removed."""
        self.remove(name)
        self.started.pop(name, None)
        self.ended.pop(name, None)
        self.expected[name] = Expected()
        self.bench.pod(name)
        return name

    @rule(length=st.integers(0, LONGEST // 2))
    def wait(self, length: int) -> None:
        self.bench.wait(length * SECOND)

    @invariant()
    def everything_happened_when_it_had_to(self) -> None:
        self.bench.settle()
        now = self.bench.clock.now()
        self.bench.kubelet.validate()
        holders = {key[1] for key in self.bench.kubelet.holders("n1")}
        for name, expected in self.expected.items():
            if expected.node != "n1":
                continue
            assert expected.bound is not None
            over = expected.end is not None and expected.end <= now
            assert (name in holders) != over, f"{name} holds its node wrongly: {expected}"
            if expected.ran and expected.start is not None and expected.start <= now:
                assert self.started[name] == expected.start
            else:
                assert name not in self.started
            if over and expected.ran:
                assert self.ended[name] == expected.end
        held_elsewhere = {key[1] for key in self.bench.kubelet.holders("nowhere")}
        waiting = {
            name
            for name, expected in self.expected.items()
            if expected.node == "nowhere" and not expected.asked
        }
        assert held_elsewhere == waiting


def test_every_pod_starts_holds_and_ends_when_it_has_to(make_bench: Callable[[], Bench]) -> None:
    class Machine(PodsOfOneNode):
        def __init__(self) -> None:
            super().__init__(make_bench)

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=100, stateful_step_count=40, deadline=None)
    )


@given(
    run_time=st.integers(1, LONGEST),
    stop_time=seconds,
    grace_s=seconds,
    asked=seconds,
    exit_code=st.sampled_from((0, 1)),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixture only makes benches
def test_a_stopping_pod_ends_as_what_came_first(
    make_bench: Callable[[], Bench], run_time: int, stop_time: int, grace_s: int, asked: int, exit_code: int
) -> None:
    bench = make_bench()
    bench.node()
    life = {"run-time": f"{run_time}s", "stop-time": f"{stop_time}s", "exit-code": str(exit_code)}
    key = bench.pod(life=life)
    bench.bind(key)
    bench.wait(asked * SECOND)
    if bench.phase(key) == "Running":
        bench.ask_deletion(key, grace_s)
    bench.wait(3 * LONGEST * SECOND)
    ends = [(run_time, exit_code), (asked + stop_time, 143), (asked + grace_s, 137)]
    expected = ends[0] if run_time <= asked else min(ends, key=lambda end: end[0])
    terminated = bench.last[key].after.object["status"]["containerStatuses"][0]["state"]["terminated"]
    finished = bench.clock.start + expected[0] * SECOND
    assert (terminated["finishedAt"], terminated["exitCode"]) == (format_instant(finished), expected[1])
