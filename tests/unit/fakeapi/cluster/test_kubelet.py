"""What becomes of bound pods, seen from the store, with virtual instants asserted exactly."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from fakeapi.cluster.kubelet import Kubelet
from fakeapi.cluster.ledger import WorkStarted
from fakeapi.cluster.podrecord import IllegalTransition, PodDefaults
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.events import EventQueue
from fakeapi.kernel.time import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Change, Kind
from fakeapi.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakeapi.storage.objects import Key
    from tests.unit.fakeapi.cluster.conftest import Bench

START = "2026-01-05T00:00:00Z"


def finished(bench: Bench) -> dict[str, Any]:
    """The ``terminated`` of the pod ``job`` as it was last seen."""
    last = bench.last["default", "job"].after.object
    terminated: dict[str, Any] = last["status"]["containerStatuses"][0]["state"]["terminated"]
    return terminated


class TestStart:
    def test_a_bound_pod_runs_at_the_same_instant(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        assert bench.phase(key) == "Pending"
        bench.settle()
        assert bench.phase(key) == "Running"
        assert bench.elapsed == 0

    def test_a_pod_created_with_a_node_starts_too(self, bench: Bench) -> None:
        key = bench.pod(node="n1")
        bench.settle()
        assert bench.phase(key) == "Running"
        assert bench.conditions(key)["PodScheduled"]["status"] == "True"

    def test_an_unbound_pod_is_left_alone(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1s"})
        bench.wait(DAY)
        assert bench.phase(key) == "Pending"
        assert bench.kubelet.holds() == {}

    def test_the_start_delay_is_waited_for(self, bench: Bench) -> None:
        key = bench.pod(life={"start-delay": "90s"})
        bench.wait(5 * SECOND)
        bench.bind(key)
        bench.settle()
        assert bench.phase(key) == "Pending"
        assert bench.container(key)["state"] == {"waiting": {"reason": "ContainerCreating"}}
        bench.wait(90 * SECOND - 1)
        assert bench.phase(key) == "Pending"
        bench.wait(1)
        assert bench.phase(key) == "Running"
        assert bench.status(key)["startTime"] == "2026-01-05T00:00:05Z"
        assert bench.container(key)["state"]["running"]["startedAt"] == "2026-01-05T00:01:35Z"

    def test_the_default_start_delay_holds_for_pods_that_say_nothing(self) -> None:
        clock = VirtualClock()
        queue, store = EventQueue(clock.now()), Store()
        Kubelet(store, queue, clock, PodDefaults(start_delay=MINUTE)).attach()
        store.create(NODES.storage_key, ("", "n1"), {"metadata": {"name": "n1"}})
        pod = {
            "metadata": {"name": "p", "namespace": "d", "uid": "u"},
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]},
        }
        store.create(PODS.storage_key, ("d", "p"), pod)
        queue.run_due(clock.now())
        assert queue.peek() == clock.now() + MINUTE

    def test_a_pod_on_a_missing_node_stays_pending_until_the_node_is_created(self, bench: Bench) -> None:
        key = bench.pod(life={"start-delay": "1m"})
        bench.bind(key, "n2")
        bench.wait(HOUR)
        assert bench.phase(key) == "Pending"
        bench.node("n2")
        bench.wait(MINUTE)
        assert bench.phase(key) == "Running"

    def test_a_pod_whose_node_goes_before_it_starts_stays_pending(self, bench: Bench) -> None:
        key = bench.pod(life={"start-delay": "1m"})
        bench.bind(key)
        bench.store.delete(NODES.storage_key, ("", "n1"))
        bench.wait(HOUR)
        assert bench.phase(key) == "Pending"
        bench.node("n1")
        bench.wait(MINUTE)
        assert bench.phase(key) == "Running"

    def test_pods_that_were_bound_before_the_kubelet_came_are_taken_up(self, bench: Bench) -> None:
        key = bench.pod(node="n1")
        late = Kubelet(bench.store, bench.queue, bench.clock)
        late.attach()
        assert late.holders("n1") == (key,)

    def test_nothing_is_written_while_listening(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1h"})
        before = bench.store.revision
        bench.bind(key)
        bench.ask_deletion(key)
        assert bench.store.revision == before + 2


class TestEnd:
    def test_a_pod_succeeds_exactly_its_run_time_after_its_start(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "90m"})
        bench.bind(key)
        bench.wait(90 * MINUTE - 1)
        assert bench.phase(key) == "Running"
        bench.wait(1)
        assert bench.phase(key) == "Succeeded"
        terminated = bench.container(key)["state"]["terminated"]
        assert terminated["exitCode"] == 0
        assert terminated["reason"] == "Completed"
        assert terminated["startedAt"] == START
        assert terminated["finishedAt"] == "2026-01-05T01:30:00Z"

    def test_it_fails_with_its_exit_code(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1m", "exit-code": "3"})
        bench.bind(key)
        bench.wait(MINUTE)
        assert bench.phase(key) == "Failed"
        assert bench.container(key)["state"]["terminated"]["exitCode"] == 3
        assert bench.container(key)["state"]["terminated"]["reason"] == "Error"

    def test_without_a_run_time_it_runs_for_ever(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        bench.wait(1000 * DAY)
        assert bench.phase(key) == "Running"
        assert bench.queue.peek() is None

    def test_a_pod_that_ended_stays_visible_and_holds_nothing(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1m"})
        bench.bind(key)
        bench.wait(DAY)
        assert bench.exists(key)
        assert bench.kubelet.holds() == {}

    def test_an_ended_pod_that_is_asked_to_go_is_removed(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1m"})
        bench.bind(key)
        bench.wait(HOUR)
        bench.ask_deletion(key)
        bench.settle()
        assert not bench.exists(key)

    def test_what_somebody_else_ended_is_over(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1h"})
        bench.bind(key)
        bench.wait(MINUTE)
        bench.change(key, status={**bench.status(key), "phase": "Failed", "reason": "Evicted"})
        assert bench.kubelet.holds() == {}
        bench.wait(DAY)
        assert bench.status(key)["reason"] == "Evicted"
        assert bench.queue.peek() is None

    def test_a_changed_run_time_counts_from_the_start(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        bench.wait(MINUTE)
        bench.relive(key, run_time="5m")
        bench.wait(4 * MINUTE - 1)
        assert bench.phase(key) == "Running"
        bench.wait(1)
        assert bench.phase(key) == "Succeeded"

    def test_a_run_time_that_is_over_already_ends_the_pod_now(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1h"})
        bench.bind(key)
        bench.wait(10 * MINUTE)
        bench.relive(key, run_time="5m")
        bench.settle()
        assert bench.phase(key) == "Succeeded"
        assert bench.container(key)["state"]["terminated"]["finishedAt"] == "2026-01-05T00:10:00Z"


class TestGracefulDeletion:
    def test_containers_stop_after_their_stop_time_and_hold_the_node_until_then(self, bench: Bench) -> None:
        key = bench.pod(life={"stop-time": "10s"})
        bench.bind(key)
        bench.wait(HOUR)
        bench.ask_deletion(key, grace_s=30)
        bench.wait(10 * SECOND - 1)
        assert bench.kubelet.holders("n1") == (key,)
        assert bench.phase(key) == "Running"
        bench.wait(1)
        assert not bench.exists(key)
        assert bench.kubelet.holds() == {}
        assert finished(bench)["exitCode"] == 143
        assert finished(bench)["finishedAt"] == "2026-01-05T01:00:10Z"

    def test_a_pod_that_says_nothing_stops_within_a_second(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        bench.wait(HOUR)
        bench.ask_deletion(key)
        bench.wait(SECOND - 1)
        assert bench.exists(key)
        bench.wait(1)
        assert not bench.exists(key)

    def test_one_that_is_deaf_is_killed_when_its_grace_period_is_over(self, bench: Bench) -> None:
        key = bench.pod(life={"stop-time": "1h"})
        bench.bind(key)
        bench.settle()
        bench.ask_deletion(key, grace_s=30)
        bench.wait(30 * SECOND - 1)
        assert bench.exists(key)
        bench.wait(1)
        assert not bench.exists(key)
        assert finished(bench)["exitCode"] == 137

    def test_a_stop_time_as_long_as_the_grace_period_is_in_time(self, bench: Bench) -> None:
        key = bench.pod(life={"stop-time": "30s"})
        bench.bind(key)
        bench.settle()
        bench.ask_deletion(key, grace_s=30)
        bench.wait(30 * SECOND)
        assert finished(bench)["exitCode"] == 143

    @pytest.mark.parametrize(("code", "phase"), [("0", "Succeeded"), ("7", "Failed")])
    def test_one_that_finishes_by_itself_before_that_finishes_as_such(
        self, bench: Bench, code: str, phase: str
    ) -> None:
        key = bench.pod(life={"run-time": "1m", "stop-time": "20s", "exit-code": code})
        bench.bind(key)
        bench.wait(50 * SECOND)
        bench.ask_deletion(key)
        bench.wait(10 * SECOND)
        assert not bench.exists(key)
        assert finished(bench)["exitCode"] == int(code)
        last = bench.last[key]
        assert last.kind is Kind.DELETED
        assert last.after.object["status"]["phase"] == phase

    def test_work_that_is_complete_as_it_stops_is_complete(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1m", "stop-time": "10s"})
        bench.bind(key)
        bench.wait(50 * SECOND)
        bench.ask_deletion(key)
        bench.wait(10 * SECOND)
        assert finished(bench)["exitCode"] == 0

    def test_a_service_that_would_restart_does_not_while_it_is_deleted(self, bench: Bench) -> None:
        key = bench.pod(restart="Always", life={"run-time": "1m", "stop-time": "20s"})
        bench.bind(key)
        bench.wait(50 * SECOND)
        bench.ask_deletion(key)
        bench.wait(10 * SECOND)
        assert not bench.exists(key)

    def test_a_shorter_grace_period_counts_from_when_it_is_asked_for(self, bench: Bench) -> None:
        key = bench.pod(life={"stop-time": "1h"})
        bench.bind(key)
        bench.settle()
        bench.ask_deletion(key, grace_s=600)
        bench.wait(MINUTE)
        bench.ask_deletion(key, grace_s=5)
        bench.wait(5 * SECOND - 1)
        assert bench.exists(key)
        bench.wait(1)
        assert not bench.exists(key)

    def test_an_earlier_end_of_grace_is_not_put_off_by_a_later_request(self, bench: Bench) -> None:
        key = bench.pod(life={"stop-time": "1h"})
        bench.bind(key)
        bench.settle()
        bench.ask_deletion(key, grace_s=30)
        bench.wait(29 * SECOND)
        bench.ask_deletion(key, grace_s=20)
        bench.wait(SECOND)
        assert not bench.exists(key)

    def test_a_pod_that_waits_for_its_start_is_removed_at_once(self, bench: Bench) -> None:
        key = bench.pod(life={"start-delay": "1h"})
        bench.bind(key)
        bench.wait(MINUTE)
        bench.ask_deletion(key)
        assert bench.kubelet.holders("n1") == (key,)
        bench.settle()
        assert not bench.exists(key)
        assert bench.queue.peek() is None

    def test_a_pod_on_a_missing_node_is_removed_at_once(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key, "n2")
        bench.ask_deletion(key)
        bench.settle()
        assert not bench.exists(key)

    def test_removal_without_grace_cancels_what_was_to_come(self, bench: Bench) -> None:
        key = bench.pod(life={"run-time": "1h"})
        bench.bind(key)
        bench.wait(MINUTE)
        bench.remove(key)
        assert bench.kubelet.holds() == {}
        assert bench.queue.peek() is None

    def test_a_new_pod_of_the_same_name_lives_its_own_life(self, bench: Bench) -> None:
        bench.bind(bench.pod(life={"run-time": "1h"}))
        bench.wait(MINUTE)
        bench.remove(("default", "job"))
        key = bench.pod(life={"run-time": "2h"})
        bench.bind(key)
        bench.wait(2 * HOUR - 1)
        assert bench.phase(key) == "Running"
        bench.wait(1)
        assert bench.phase(key) == "Succeeded"


class TestFinalizers:
    def test_they_keep_the_object_and_not_the_capacity(self, bench: Bench) -> None:
        key = bench.pod(finalizers=("example.org/count",))
        bench.bind(key)
        bench.wait(HOUR)
        bench.ask_deletion(key)
        bench.wait(SECOND)
        assert bench.phase(key) == "Failed"
        assert bench.kubelet.holds() == {}
        metadata = bench.get(key)["metadata"]
        assert metadata["deletionGracePeriodSeconds"] == 0
        assert metadata["deletionTimestamp"] == "2026-01-05T01:00:00Z"

    def test_a_pod_that_never_started_fails_and_stays(self, bench: Bench) -> None:
        key = bench.pod(finalizers=("example.org/count",), life={"start-delay": "1h"})
        bench.bind(key)
        bench.wait(MINUTE)
        bench.ask_deletion(key)
        bench.settle()
        assert bench.phase(key) == "Failed"
        assert bench.kubelet.holds() == {}

    def test_a_forced_deletion_kills_at_once(self, bench: Bench) -> None:
        key = bench.pod(finalizers=("example.org/count",), life={"stop-time": "20s"})
        bench.bind(key)
        bench.settle()
        bench.ask_deletion(key, grace_s=0)
        bench.settle()
        assert bench.phase(key) == "Failed"
        assert bench.container(key)["state"]["terminated"]["exitCode"] == 137


class TestRestarts:
    def starts(self, bench: Bench, life: dict[str, str], restart: str, until: int) -> list[int]:
        """Seconds since the beginning at which containers started."""
        seen: list[int] = []

        def watch(collection: str, change: Change) -> None:
            if collection == PODS.storage_key and change.kind is Kind.MODIFIED:
                statuses = change.after.object["status"].get("containerStatuses")
                if statuses and "running" in statuses[0]["state"]:
                    seen.append(bench.elapsed // SECOND)

        bench.store.listen(watch)
        bench.bind(bench.pod(restart=restart, life=life))
        bench.wait(until)
        return seen

    def test_the_back_off_doubles_from_ten_seconds_to_five_minutes(self, bench: Bench) -> None:
        life = {"run-time": "1s", "exit-code": "1"}
        starts = self.starts(bench, life, "OnFailure", 20 * MINUTE)
        waits = [later - earlier - 1 for earlier, later in pairwise(starts)]
        assert waits == [0, 10, 20, 40, 80, 160, 300, 300]

    def test_containers_that_run_long_restart_at_once_each_time(self, bench: Bench) -> None:
        starts = self.starts(bench, {"run-time": "11m"}, "Always", 34 * MINUTE)
        assert [start // 60 for start in starts] == [0, 11, 22, 33]

    def test_a_good_end_is_the_end_unless_the_pod_always_restarts(self, bench: Bench) -> None:
        bench.bind(bench.pod(restart="OnFailure", life={"run-time": "1m"}))
        bench.wait(HOUR)
        assert bench.phase(("default", "job")) == "Succeeded"

    def test_a_crash_loop_looks_like_one(self, bench: Bench) -> None:
        key = bench.pod(restart="Always", life={"run-time": "1m", "exit-code": "9"})
        bench.bind(key)
        bench.wait(2 * MINUTE)
        status = bench.container(key)
        assert bench.phase(key) == "Running"
        assert status["state"]["waiting"] == {
            "reason": "CrashLoopBackOff",
            "message": "back-off 10s restarting failed container=main "
            "pod=job_default(00000000-0000-4000-8000-000000000001)",
        }
        assert status["lastState"]["terminated"]["exitCode"] == 9
        assert status["restartCount"] == 1
        assert not status["ready"]
        assert bench.conditions(key)["Ready"]["reason"] == "ContainersNotReady"
        bench.wait(10 * SECOND)
        status = bench.container(key)
        assert status["state"] == {"running": {"startedAt": "2026-01-05T00:02:10Z"}}
        assert status["restartCount"] == 2
        assert bench.conditions(key)["Ready"]["status"] == "True"
        assert bench.conditions(key)["Ready"]["lastTransitionTime"] == "2026-01-05T00:02:10Z"

    def test_a_pod_that_backs_off_keeps_its_node(self, bench: Bench) -> None:
        key = bench.pod(restart="Always", life={"run-time": "1m"})
        bench.bind(key)
        bench.wait(2 * MINUTE)
        assert bench.kubelet.holders("n1") == (key,)

    def test_a_pod_that_is_deleted_as_it_backs_off_goes_at_once(self, bench: Bench) -> None:
        key = bench.pod(restart="Always", life={"run-time": "1m", "exit-code": "9"})
        bench.bind(key)
        bench.wait(2 * MINUTE)
        bench.ask_deletion(key)
        bench.settle()
        assert not bench.exists(key)
        assert finished(bench)["exitCode"] == 9


class TestOrder:
    def test_what_ends_gives_its_node_back_before_what_starts_takes_it(self, bench: Bench) -> None:
        seen: list[tuple[str, str]] = []
        bench.store.listen(
            lambda _, change: (
                seen.append((change.after.key[1], change.after.object["status"]["phase"]))
                if change.kind is Kind.MODIFIED
                else None
            )
        )
        later = bench.pod("later", life={"start-delay": "1m"})
        bench.bind(later)
        bench.bind(bench.pod("first", life={"run-time": "1m"}))
        bench.wait(MINUTE)
        assert seen[-2:] == [("first", "Succeeded"), ("later", "Running")]

    def test_parts_of_seconds_are_kept_in_time_and_cut_in_timestamps(self, bench: Bench) -> None:
        bench.wait(900 * MILLISECOND)
        key = bench.pod(life={"run-time": "1.5s"})
        bench.bind(key)
        bench.wait(1500 * MILLISECOND - 1)
        assert bench.phase(key) == "Running"
        bench.wait(1)
        terminated = bench.container(key)["state"]["terminated"]
        assert (terminated["startedAt"], terminated["finishedAt"]) == (START, "2026-01-05T00:00:02Z")

    def test_a_listener_that_removes_what_ended_is_no_trouble(self, bench: Bench) -> None:
        def tidy(collection: str, change: Change) -> None:
            if collection != PODS.storage_key or change.kind is not Kind.MODIFIED:
                return
            if change.after.object["status"]["phase"] in ("Failed", "Succeeded"):
                bench.store.delete(PODS.storage_key, change.after.key)

        bench.store.listen(tidy)
        stopped, done = bench.pod("stopped"), bench.pod("done", life={"run-time": "1m"})
        bench.bind(stopped)
        bench.bind(done)
        bench.settle()
        bench.ask_deletion(stopped)
        bench.wait(HOUR)
        assert not bench.exists(stopped)
        assert not bench.exists(done)


def test_an_impossible_signal_raises_with_the_story_of_the_pod(bench: Bench) -> None:
    key = bench.pod(life={"run-time": "1m"})
    bench.bind(key)
    bench.settle()
    event = bench.kubelet._records[key].event
    assert event is not None
    bench.wait(MINUTE)
    with pytest.raises(IllegalTransition) as raised:
        event.action()  # as if the queue had run it twice
    told = str(raised.value).splitlines()
    assert told[0] == ("pod default/job (00000000-0000-4000-8000-000000000001) on node n1, which ended")
    assert told[1:] == [
        "  2026-01-05T00:00:00.000000Z STRANDED heard NODE_CAME: its node was created",
        "  2026-01-05T00:00:00.000000Z STARTING heard START_DUE: its start delay is over",
        "  2026-01-05T00:01:00.000000Z RUNNING heard RUN_OVER: its run time is over",
        "  2026-01-05T00:01:00.000000Z ENDED heard RUN_OVER: its run time is over",
    ]
    assert bench.kubelet.story(key) == str(raised.value)


class TestImages:
    def test_a_node_that_has_the_image_starts_a_pod_sooner(self, bench: Bench) -> None:
        life = {"start-delay": "2m", "warm-start-delay": "5s", "run-time": "1m"}
        cold = bench.pod("cold", life=life)
        bench.bind(cold)
        bench.wait(2 * MINUTE - 1)
        assert bench.phase(cold) == "Pending"
        early = bench.pod("early", life=life)  # the pull is not over yet
        bench.bind(early)
        bench.wait(1)
        warm = bench.pod("warm", life=life)
        bench.bind(warm)
        bench.wait(5 * SECOND)
        assert [bench.phase(key) for key in (cold, warm, early)] == ["Running", "Running", "Pending"]
        other = bench.pod("other", life=life, containers=[{"name": "main", "image": "other"}])
        bench.bind(other)
        bench.wait(5 * SECOND)
        assert bench.phase(other) == "Pending"

    def test_without_a_word_of_warm_nodes_all_are_alike(self, bench: Bench) -> None:
        for name in ("one", "two"):
            key = bench.pod(name, life={"start-delay": "1m"})
            bench.bind(key)
            bench.wait(MINUTE - 1)
            assert bench.phase(key) == "Pending"
            bench.wait(1)
            assert bench.phase(key) == "Running"

    def test_the_world_has_defaults_for_both(self, make_bench: Callable[[PodDefaults], Bench]) -> None:
        bench = make_bench(PodDefaults(start_delay=MINUTE, warm_start_delay=SECOND))
        bench.node()
        for name, delay in (("one", MINUTE), ("two", SECOND)):
            key = bench.pod(name)
            bench.bind(key)
            bench.wait(delay - 1)
            assert bench.phase(key) == "Pending"
            bench.wait(1)
            assert bench.phase(key) == "Running"


class TestWork:
    def owned(self, bench: Bench, name: str, **life: str) -> Key:
        said = {word.replace("_", "-"): text for word, text in life.items()}
        key = bench.pod(name, life={"run-time": "1h", "checkpoint-interval": "10m", **said})
        owner = {"kind": "Job", "name": "job", "uid": "j", "controller": True}
        # Owners are there from the creation on; the bench's pods get theirs by being made again.
        obj = bench.get(key)
        bench.remove(key)
        bench.store.create(
            PODS.storage_key, key, {**obj, "metadata": {**obj["metadata"], "ownerReferences": [owner]}}
        )
        return key

    def test_the_next_pod_of_a_job_goes_on_where_the_last_was_saved(self, bench: Bench) -> None:
        bench.bind(self.owned(bench, "one"))
        bench.bind(self.owned(bench, "two"))
        bench.wait(25 * MINUTE)
        bench.remove(("default", "one"))
        three = self.owned(bench, "three", restart_cost="3m")
        bench.bind(three)
        bench.wait(43 * MINUTE - 1)
        assert bench.phase(three) == "Running"
        bench.wait(1)
        assert bench.phase(three) == "Succeeded"
        accounts = bench.accounts()
        assert (accounts["one"].kept, accounts["one"].lost) == (20 * MINUTE, 5 * MINUTE)
        assert (accounts["three"].kept, accounts["three"].overhead) == (40 * MINUTE, 3 * MINUTE)
        assert WorkStarted(three, 20 * MINUTE) in bench.work

    def test_a_pod_that_is_asked_to_stop_leaves_its_work_to_the_next(self, bench: Bench) -> None:
        one = self.owned(bench, "one", checkpoint_on_stop="true", stop_time="9s")
        bench.bind(one)
        bench.wait(25 * MINUTE)
        bench.ask_deletion(one)
        two = self.owned(bench, "two", start_delay="1m")
        bench.bind(two)
        bench.wait(36 * MINUTE)
        assert bench.phase(two) == "Succeeded"
        assert bench.accounts()["one"].kept == 25 * MINUTE

    def test_a_restart_in_the_same_pod_pays_for_it(self, bench: Bench) -> None:
        life = {"run-time": "1h", "exit-code": "1", "checkpoint-interval": "25m", "restart-cost": "2m"}
        key = bench.pod(life=life, restart="OnFailure")
        bench.bind(key)
        bench.wait(HOUR)
        assert bench.container(key)["restartCount"] == 1
        bench.relive(key, exit_code="0")
        bench.wait(12 * MINUTE)
        assert bench.phase(key) == "Succeeded"
        account = bench.accounts()["job"]
        assert (account.kept, account.lost, account.overhead) == (HOUR, 10 * MINUTE, 2 * MINUTE)

    def test_a_service_loses_nothing(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        bench.wait(HOUR)
        bench.ask_deletion(key)
        bench.wait(MINUTE)
        account = bench.accounts()["job"]
        assert (account.kept, account.lost, account.overhead) == (HOUR, 0, SECOND)
