"""Node objects: what a scheduler reads from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.cluster.addresses import host_address
from fakeapi.cluster.nodes import GIBIBYTE, NodeShape, Taint, build_node
from fakeapi.kernel.clock import DEFAULT_START
from fakeapi.machinery.quantity import to_int, to_milli


def test_a_node_offers_what_its_shape_says() -> None:
    shape = NodeShape("gpu-7", chips=8, cpu_milli=127_500, memory_bytes=512 * GIBIBYTE, max_pods=64)
    status = build_node(shape, 7, DEFAULT_START)["status"]
    assert status["allocatable"] == {
        "cpu": "127500m",
        "ephemeral-storage": "1Ti",
        "memory": "512Gi",
        "pods": "64",
        "nvidia.com/gpu": "8",
    }
    assert status["capacity"] == status["allocatable"]
    assert status["capacity"] is not status["allocatable"]


def test_a_node_without_chips_has_no_such_resource() -> None:
    assert "nvidia.com/gpu" not in build_node(NodeShape("cpu", chips=0), 0, 0)["status"]["capacity"]


def test_chips_may_be_another_resource() -> None:
    capacity = build_node(NodeShape("n", chips=4, chip_resource="amd.com/gpu"), 0, 0)["status"]["capacity"]
    assert capacity["amd.com/gpu"] == "4"


def test_a_node_is_ready_and_under_no_pressure() -> None:
    conditions = build_node(NodeShape("n"), 0, DEFAULT_START)["status"]["conditions"]
    assert [(found["type"], found["status"]) for found in conditions] == [
        ("MemoryPressure", "False"),
        ("DiskPressure", "False"),
        ("PIDPressure", "False"),
        ("Ready", "True"),
    ]
    assert {found["lastTransitionTime"] for found in conditions} == {"2026-01-05T00:00:00Z"}


def test_labels_and_taints_come_with_it() -> None:
    shape = NodeShape(
        "n", labels={"rack": "r1"}, taints=(Taint("pool", "NoSchedule", "ml"), Taint("x", "NoExecute"))
    )
    node = build_node(shape, 0, 0)
    assert node["metadata"]["labels"]["rack"] == "r1"
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "n"
    assert node["spec"]["taints"] == [
        {"key": "pool", "value": "ml", "effect": "NoSchedule"},
        {"key": "x", "effect": "NoExecute"},
    ]


def test_the_same_node_is_built_alike_and_two_differ() -> None:
    first, again, other = (
        build_node(NodeShape(name), number, 0) for name, number in (("a", 0), ("a", 0), ("b", 1))
    )
    assert first == again
    assert host_address(first) == "172.16.0.1"
    assert host_address(other) == "172.16.0.2"
    assert first["status"]["nodeInfo"]["machineID"] != other["status"]["nodeInfo"]["machineID"]


@given(st.integers(0, 10**7), st.integers(0, 2**50))
def test_amounts_are_written_exactly(cpu_milli: int, memory_bytes: int) -> None:
    shape = NodeShape("n", cpu_milli=cpu_milli, memory_bytes=memory_bytes)
    capacity = build_node(shape, 0, 0)["status"]["capacity"]
    assert to_milli(capacity["cpu"]) == cpu_milli
    assert to_int(capacity["memory"]) == memory_bytes


def test_less_than_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="node n: chips must be 0 or more, not -1"):
        NodeShape("n", chips=-1)
