"""Machines that fail and are repaired, and what pods and nodes show of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakeapi.cluster.chips import chip_id
from fakeapi.cluster.machines import HardwareEvent, NoSuchChip, UnknownMachine
from fakeapi.cluster.nodes import CHIP_RESOURCE
from fakeapi.kernel.time import HOUR, MINUTE, SECOND
from fakeapi.machinery.resources import NODES

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakeapi.storage.objects import Key
    from tests.unit.fakeapi.cluster.conftest import Bench


@pytest.fixture
def bench(make_bench: Callable[[], Bench]) -> Bench:
    """A bench with two machines of four chips."""
    made = make_bench()
    made.machine("n1")
    made.machine("n2")
    return made


def start(
    bench: Bench, name: str = "job", chips: int = 0, restart: str = "Never", node: str = "n1", **life: str
) -> Key:
    said = {word.replace("_", "-"): text for word, text in life.items()}
    key = bench.pod(name, life={"run-time": "1h", **said}, chips=chips, restart=restart)
    bench.bind(key, node)
    bench.settle()
    return key


class TestChips:
    def test_pods_hold_the_lowest_free_chips_and_show_them(self, bench: Bench) -> None:
        one, two = start(bench, "one", chips=1), start(bench, "two", chips=2)
        assert (bench.kubelet.chips_of(one), bench.kubelet.chips_of(two)) == ((0,), (1, 2))
        (status,) = bench.container(two)["allocatedResourcesStatus"]
        assert status["name"] == CHIP_RESOURCE
        assert status["resources"] == [
            {"resourceID": chip_id("n1", chip), "health": "Healthy"} for chip in (1, 2)
        ]

    def test_a_failure_shrinks_allocatable_and_kills_those_who_hold_the_chip(self, bench: Bench) -> None:
        one, two = start(bench, "one", chips=2), start(bench, "two", chips=1)
        bench.wait(MINUTE)
        bench.after(0, lambda: bench.machines.fail_chips("n1", 1, group="g"))
        bench.settle()
        status = bench.get_node()["status"]
        assert (status["capacity"][CHIP_RESOURCE], status["allocatable"][CHIP_RESOURCE]) == ("4", "3")
        assert (bench.phase(one), bench.phase(two)) == ("Failed", "Running")
        container = bench.container(one)
        assert container["state"]["terminated"]["exitCode"] == 1
        assert container["state"]["terminated"]["message"] == f"chip 0 ({chip_id('n1', 0)}) failed"
        health = [each["health"] for each in container["allocatedResourcesStatus"][0]["resources"]]
        assert health == ["Unhealthy", "Healthy"]
        assert bench.hardware == [HardwareEvent("failed", "n1", "chips", 1, "g")]
        account = bench.accounts()["one"]
        assert (account.lost, account.cause) == (MINUTE, "chip_failure")

    def test_a_repair_gives_them_back(self, bench: Bench) -> None:
        assert bench.machines.fail_chips("n1", 3) == (0, 1, 2)
        assert bench.machines.fail_chips("n1", 3) == (3,)
        assert bench.machines.fail_chips("n1", 3) == ()
        assert bench.machines.repair_chips("n1", (1, 1)) == (1,)
        assert bench.get_node()["status"]["allocatable"][CHIP_RESOURCE] == "1"
        assert bench.machines.repair_chips("n1") == (0, 2, 3)
        assert bench.machines.repair_chips("n1") == ()
        assert bench.get_node()["status"]["allocatable"][CHIP_RESOURCE] == "4"
        assert [event.chips for event in bench.hardware] == [3, 1, 1, 3]

    def test_chips_can_be_named(self, bench: Bench) -> None:
        assert bench.machines.fail_chips("n1", chips=(2, 0)) == (0, 2)
        assert bench.machines.fail_chips("n1", chips=(0,)) == ()
        assert bench.machines.failed_chips("n1") == (0, 2)
        assert bench.machines.chips("n1") == 4
        with pytest.raises(NoSuchChip, match="node n1 has 4 chips, numbered from 0: there is no chip 4"):
            bench.machines.fail_chips("n1", chips=(4,))
        with pytest.raises(NoSuchChip):
            bench.machines.repair_chips("n1", (-1,))

    def test_a_container_that_would_restart_backs_off_until_its_chip_is_repaired(self, bench: Bench) -> None:
        key = start(bench, chips=1, restart="OnFailure", checkpoint_interval="1m")
        bench.wait(90 * SECOND)
        bench.after(0, lambda: bench.machines.fail_chips("n1"))
        bench.wait(HOUR)
        assert bench.container(key)["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        bench.after(0, lambda: bench.machines.repair_chips("n1"))
        bench.settle()
        assert (bench.phase(key), bench.container(key)["restartCount"]) == ("Running", 1)
        bench.wait(59 * MINUTE)
        assert bench.phase(key) == "Succeeded"
        account = bench.accounts()["job"]
        assert (account.kept, account.lost, account.overhead) == (HOUR, 30 * SECOND, HOUR)
        assert account.cause is None

    def test_a_chip_that_fails_during_the_image_pull_fails_the_start(self, bench: Bench) -> None:
        key = start(bench, chips=1, start_delay="1m")
        bench.after(SECOND, lambda: bench.machines.fail_chips("n1"))
        bench.wait(59 * SECOND)
        assert bench.phase(key) == "Pending"
        bench.wait(SECOND)
        assert (bench.phase(key), bench.accounts()["job"].cause) == ("Failed", "chip_failure")

    def test_a_pod_that_stops_is_ended_by_its_chip(self, bench: Bench) -> None:
        key = start(bench, chips=1, stop_time="20s", checkpoint_on_stop="true")
        bench.ask_deletion(key)
        bench.after(SECOND, lambda: bench.machines.fail_chips("n1"))
        bench.wait(SECOND)
        assert not bench.exists(key)
        last = bench.last[key].after.object["status"]["containerStatuses"][0]
        assert last["state"]["terminated"]["exitCode"] == 1


class TestAdmission:
    def test_too_few_chips_that_work(self, bench: Bench) -> None:
        bench.machines.fail_chips("n1", 3)
        key = start(bench, chips=2)
        status = bench.status(key)
        assert (status["phase"], status["reason"]) == ("Failed", "UnexpectedAdmissionError")
        assert status["message"] == (
            "Pod was rejected: Allocate failed due to requested number of devices unavailable for "
            "nvidia.com/gpu. Requested: 2, Available: 1, which is unexpected"
        )
        assert bench.kubelet.holders("n1") == ()
        assert bench.accounts()["job"].held == 0

    @pytest.mark.parametrize(
        ("requests", "reason", "message"),
        [
            ({"cpu": "129"}, "OutOfcpu", "cpu, requested: 129000, used: 0, capacity: 128000"),
            ({"memory": "2Ti"}, "OutOfmemory", f"memory, requested: {2 << 40}, used: 0, capacity: {1 << 40}"),
            (
                {"ephemeral-storage": "2Ti"},
                "OutOfephemeral-storage",
                f"ephemeral-storage, requested: {2 << 40}, used: 0, capacity: {1 << 40}",
            ),
        ],
    )
    def test_too_little_of_something(
        self, bench: Bench, requests: dict[str, str], reason: str, message: str
    ) -> None:
        container = {"name": "main", "image": "i", "resources": {"requests": requests}}
        key = bench.pod(containers=[container])
        bench.bind(key)
        bench.settle()
        status = bench.status(key)
        assert (status["phase"], status["reason"]) == ("Failed", reason)
        assert status["message"] == f"Pod was rejected: Node didn't have enough resource: {message}"

    def test_too_many_pods(self, bench: Bench) -> None:
        bench.machine("small", max_pods=1)
        first, second = start(bench, "first", node="small"), start(bench, "second", node="small")
        assert (bench.phase(first), bench.phase(second)) == ("Running", "Failed")
        assert bench.status(second)["reason"] == "OutOfpods"
        assert "pods, requested: 1, used: 1, capacity: 1" in bench.status(second)["message"]

    def test_what_ended_leaves_room(self, bench: Bench) -> None:
        start(bench, "first", chips=4)
        bench.wait(HOUR)
        assert bench.phase(start(bench, "second", chips=4)) == "Running"

    def test_a_refused_pod_takes_nothing(self, bench: Bench) -> None:
        container = {"name": "c", "image": "i", "resources": {"limits": {"cpu": "999", CHIP_RESOURCE: "4"}}}
        bench.bind(bench.pod("greedy", containers=[container]))
        bench.settle()
        assert bench.phase(start(bench, "modest", chips=4)) == "Running"

    def test_a_node_that_tells_fewer_chips_than_work_gives_no_more(self, bench: Bench) -> None:
        node = bench.get_node()
        allocatable = {**node["status"]["allocatable"], CHIP_RESOURCE: "1"}
        told = {**node, "status": {**node["status"], "allocatable": allocatable}}
        bench.store.update(NODES.storage_key, ("", "n1"), told)
        key = start(bench, chips=2)
        assert "Requested: 2, Available: 1" in bench.status(key)["message"]

    def test_a_node_without_the_resource_does_not_refuse_for_it(self, bench: Bench) -> None:
        bench.machine("plain", chips=0)
        key = start(bench, chips=2, node="plain")
        assert bench.phase(key) == "Running"
        assert bench.kubelet.chips_of(key) == ()


class TestCrash:
    def test_the_cluster_hears_of_it_when_the_grace_period_is_over(self, bench: Bench) -> None:
        key = start(bench)
        bench.wait(10 * MINUTE)
        bench.after(0, lambda: bench.machines.crash("n1", group="rack"))
        bench.wait(50 * SECOND - 1)
        assert (bench.ready()["status"], bench.taints()) == ("True", [])
        assert bench.conditions(key)["Ready"]["status"] == "True"
        bench.wait(1)
        ready = bench.ready()
        assert (ready["status"], ready["reason"]) == ("Unknown", "NodeStatusUnknown")
        assert ready["message"] == "Kubelet stopped posting node status."
        assert ready["lastHeartbeatTime"] == "2026-01-05T00:00:00Z"
        assert ready["lastTransitionTime"] == "2026-01-05T00:10:50Z"
        assert bench.taints() == [
            ("node.kubernetes.io/unreachable", "NoSchedule"),
            ("node.kubernetes.io/unreachable", "NoExecute"),
        ]
        assert (bench.phase(key), bench.conditions(key)["Ready"]["status"]) == ("Running", "False")
        assert bench.hardware == [HardwareEvent("failed", "n1", "node", 4, "rack")]

    def test_its_pods_work_no_longer_and_stay(self, bench: Bench) -> None:
        key = start(bench, checkpoint_interval="4m")
        bench.after(10 * MINUTE, lambda: bench.machines.crash("n1"))
        bench.wait(5 * HOUR)
        assert (bench.phase(key), bench.kubelet.holders("n1")) == ("Running", (key,))
        bench.ask_deletion(key)
        bench.wait(HOUR)
        assert bench.exists(key)
        bench.remove(key)
        account = bench.accounts()["job"]
        assert (account.kept, account.lost, account.cause) == (8 * MINUTE, 2 * MINUTE, "node_failure")
        assert account.overhead == 6 * HOUR - 10 * MINUTE

    def test_crashing_twice_is_crashing_once(self, bench: Bench) -> None:
        assert bench.machines.is_up("n1")
        assert bench.machines.crash("n1")
        assert not bench.machines.crash("n1")
        assert not bench.machines.is_up("n1")
        assert bench.machines.recover("n1")
        assert not bench.machines.recover("n1")
        assert [event.happening for event in bench.hardware] == ["failed", "repaired"]

    def test_a_machine_that_is_back_within_the_grace_period_was_never_away(self, bench: Bench) -> None:
        boot = bench.get_node()["status"]["nodeInfo"]["bootID"]
        bench.machines.crash("n1")
        bench.wait(49 * SECOND)
        bench.machines.recover("n1")
        bench.wait(HOUR)
        assert (bench.ready()["status"], bench.taints()) == ("True", [])
        assert bench.ready()["lastTransitionTime"] == "2026-01-05T00:00:00Z"
        assert bench.get_node()["status"]["nodeInfo"]["bootID"] != boot

    def test_back_again_it_is_ready_and_its_pods_have_failed(self, bench: Bench) -> None:
        never, always = start(bench, "never"), start(bench, "always", restart="Always")
        bench.after(MINUTE, lambda: bench.machines.crash("n1"))
        bench.after(HOUR, lambda: bench.machines.recover("n1"))
        bench.wait(HOUR)
        assert (bench.ready()["status"], bench.taints()) == ("True", [])
        terminated = bench.container(never)["state"]["terminated"]
        assert (bench.phase(never), terminated["exitCode"], terminated["reason"]) == (
            "Failed",
            255,
            "Unknown",
        )
        assert (bench.phase(always), bench.container(always)["restartCount"]) == ("Running", 1)
        assert bench.container(always)["lastState"]["terminated"]["exitCode"] == 255
        assert bench.conditions(always)["Ready"]["status"] == "True"
        bench.wait(HOUR)
        assert bench.container(always)["restartCount"] == 2

    def test_pods_that_were_to_go_are_gone_when_it_is_back(self, bench: Bench) -> None:
        key = start(bench)
        bench.machines.crash("n1")
        bench.ask_deletion(key)
        bench.wait(HOUR)
        bench.after(0, lambda: bench.machines.recover("n1"))
        bench.settle()
        assert not bench.exists(key)
        last = bench.last[key].after.object["status"]
        assert last["phase"] == "Failed"

    def test_a_pod_bound_to_a_machine_that_is_down_starts_when_it_is_back(self, bench: Bench) -> None:
        bench.machines.crash("n1")
        key = start(bench, start_delay="10s")
        bench.wait(MINUTE)
        assert bench.phase(key) == "Pending"
        bench.after(0, lambda: bench.machines.recover("n1"))
        bench.wait(10 * SECOND)
        assert bench.phase(key) == "Running"

    def test_chips_that_fail_meanwhile_are_told_of_later(self, bench: Bench) -> None:
        key = start(bench, chips=1, restart="OnFailure")
        bench.machines.crash("n1")
        bench.machines.fail_chips("n1")
        assert bench.get_node()["status"]["allocatable"][CHIP_RESOURCE] == "4"
        assert [event.chips for event in bench.hardware] == [4, 0]
        bench.after(SECOND, lambda: bench.machines.recover("n1"))
        bench.wait(MINUTE)
        assert bench.get_node()["status"]["allocatable"][CHIP_RESOURCE] == "3"
        assert bench.container(key)["state"]["waiting"]["reason"] == "CrashLoopBackOff"

    def test_a_lost_pod_that_somebody_ends_has_ended(self, bench: Bench) -> None:
        key = start(bench)
        bench.machines.crash("n1")
        bench.change(key, status={**bench.status(key), "phase": "Failed"})
        assert bench.kubelet.holders("n1") == ()
        bench.after(0, lambda: bench.machines.recover("n1"))
        bench.settle()
        assert bench.phase(key) == "Failed"


class TestRemoval:
    def test_a_removed_machine_takes_its_pods_along(self, bench: Bench) -> None:
        key = start(bench)
        bench.after(MINUTE, lambda: bench.machines.remove("n1"))
        bench.wait(HOUR)
        assert bench.machines.names() == ["n2"]
        assert bench.phase(key) == "Running"
        bench.ask_deletion(key)
        bench.settle()
        assert not bench.exists(key)
        assert bench.accounts()["job"].lost == MINUTE

    def test_another_machine_of_that_name_is_new(self, bench: Bench) -> None:
        key = start(bench, restart="OnFailure")
        bench.machines.fail_chips("n1")
        bench.after(0, lambda: bench.machines.remove("n1"))
        bench.wait(HOUR)
        bench.machine("n1")
        bench.settle()
        assert bench.machines.failed_chips("n1") == ()
        assert (bench.phase(key), bench.container(key)["restartCount"]) == ("Running", 1)

    def test_pods_that_wait_to_go_are_gone_with_the_node(self, bench: Bench) -> None:
        key = start(bench)
        bench.machines.crash("n1")
        bench.ask_deletion(key)
        bench.store.delete(NODES.storage_key, ("", "n1"))
        bench.settle()
        assert not bench.exists(key)

    def test_what_is_not_there_is_named(self, bench: Bench) -> None:
        with pytest.raises(UnknownMachine, match="there is no node 'n9'; there are n1, n2"):
            bench.machines.crash("n9")
        for number in range(3, 9):
            bench.machine(f"n{number}")
        with pytest.raises(UnknownMachine, match="there are n1, n2, n3, n4, n5 and 3 more"):
            bench.machines.drain("n9")

    def test_where_there_is_nothing_that_is_said(self, make_bench: Callable[[], Bench]) -> None:
        with pytest.raises(UnknownMachine, match="there are no nodes yet"):
            make_bench().machines.cordon("n1")


class TestService:
    def test_a_cordoned_node_is_tainted_until_it_is_not(self, bench: Bench) -> None:
        bench.machines.cordon("n1")
        assert bench.get_node()["spec"]["unschedulable"] is True
        assert bench.taints() == [("node.kubernetes.io/unschedulable", "NoSchedule")]
        revision = bench.store.revision
        bench.machines.cordon("n1")
        assert bench.store.revision == revision
        bench.machines.uncordon("n1")
        assert bench.get_node()["spec"] == {}

    def test_the_taint_follows_whoever_cordons(self, bench: Bench) -> None:
        node = bench.get_node()
        bench.store.update(NODES.storage_key, ("", "n1"), {**node, "spec": {"unschedulable": True}})
        bench.settle()
        assert bench.taints() == [("node.kubernetes.io/unschedulable", "NoSchedule")]
        node = bench.get_node()
        open_again = {**node, "spec": {"taints": node["spec"]["taints"]}}
        bench.store.update(NODES.storage_key, ("", "n1"), open_again)
        bench.settle()
        assert bench.taints() == []

    def test_a_drain_evicts_all_and_asks_again_for_those_that_may_not_go(self, bench: Bench) -> None:
        one, two = start(bench, "one"), start(bench, "two")
        bench.protected.add(two)
        bench.after(0, lambda: bench.machines.drain("n1"))
        bench.wait(4 * SECOND)
        assert (bench.exists(one), bench.exists(two)) == (False, True)
        assert bench.get_node()["spec"]["unschedulable"] is True
        assert bench.queue.peek() is not None  # two has a run time
        bench.protected.clear()
        bench.wait(SECOND - 1)
        assert "deletionTimestamp" not in bench.get(two)["metadata"]
        bench.wait(1)
        assert "deletionTimestamp" in bench.get(two)["metadata"]

    def test_a_drain_that_is_held_up_keeps_no_run_going(self, bench: Bench) -> None:
        key = bench.pod()
        bench.bind(key)
        bench.settle()
        bench.protected.add(key)
        bench.machines.drain("n1")
        assert bench.queue.peek() is None

    def test_a_drain_is_given_up_where_the_node_is_opened_or_goes(self, bench: Bench) -> None:
        for key in (start(bench, "one"), start(bench, "two", node="n2")):
            bench.protected.add(key)
        for node in ("n1", "n2"):
            bench.machines.drain(node)
        bench.machines.uncordon("n1")
        bench.store.delete(NODES.storage_key, ("", "n2"))
        bench.protected.clear()
        bench.wait(MINUTE)
        assert all(bench.exists(("default", name)) for name in ("one", "two"))

    def test_daemons_stay(self, bench: Bench) -> None:
        key = start(bench)
        owner = {"kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
        bench.change_metadata(key, ownerReferences=[owner])
        bench.machines.drain("n1")
        bench.wait(MINUTE)
        assert bench.exists(key)
