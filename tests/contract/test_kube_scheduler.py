"""A stock kube-scheduler works: it places pods, says why others wait, and tells both by events."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.kube_scheduler import running_kube_scheduler
from tests.support.polling import eventually
from tests.support.servers import ApiServer


@pytest.fixture(scope="module", autouse=True)
def scheduler_log(
    kube_scheduler: Path, server: ApiServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The scheduler at work while the module's tests run; its output."""
    with running_kube_scheduler(kube_scheduler, server, tmp_path_factory.mktemp("kube-scheduler")) as log:
        yield log


@pytest.fixture
def room(api: Api) -> Iterator[str]:
    """The label of nodes that only this test's pods ask for; the nodes are removed afterwards."""
    label = api.unique("room")
    yield label
    api.core.delete_collection_node(label_selector=f"room={label}")


def _chip_pod(room: str, chips: int, **spec: Any) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": str(chips)}}
    return {
        "containers": [{"name": "main", "image": "i", "resources": resources}],
        "nodeSelector": {"room": room},
        **spec,
    }


def _condition(api: Api, name: str, wanted: str) -> Any:
    conditions = api.core.read_namespaced_pod(name, api.namespace).status.conditions or []
    return next((condition for condition in conditions if condition.type == wanted), None)


def _reasons(api: Api, name: str) -> set[str]:
    found = api.events.list_namespaced_event(api.namespace, field_selector=f"regarding.name={name}")
    return {event.reason for event in found.items}


def test_a_pod_is_bound_to_the_node_with_room_and_an_event_tells_it(api: Api, room: str) -> None:
    small = api.create_node(chips=2, labels={"room": room})
    large = api.create_node(chips=8, labels={"room": room})
    api.create_pod("a", spec=_chip_pod(room, 4))

    def is_placed() -> None:
        assert api.core.read_namespaced_pod("a", api.namespace).spec.node_name == large

    eventually(is_placed)
    assert _condition(api, "a", "PodScheduled").status == "True"
    eventually(lambda: "Scheduled" in _reasons(api, "a"), what="the event Scheduled")
    assert small != large


def test_many_pods_at_once_are_all_bound_within_the_capacity(api: Api, room: str) -> None:
    nodes = {api.create_node(labels={"room": room}) for _ in range(4)}
    for number in range(16):
        api.create_pod(f"p{number}", spec=_chip_pod(room, 2))

    def are_placed() -> None:
        placed = [pod.spec.node_name for pod in api.core.list_namespaced_pod(api.namespace).items]
        assert {name: placed.count(name) for name in nodes} == dict.fromkeys(nodes, 4)

    eventually(are_placed)


def test_a_pod_without_room_waits_with_a_reason_until_there_is_room(api: Api, room: str) -> None:
    api.create_node(chips=2, labels={"room": room})
    api.create_pod("a", spec=_chip_pod(room, 4))

    def says_why() -> None:
        condition = _condition(api, "a", "PodScheduled")
        assert condition is not None
        assert (condition.status, condition.reason) == ("False", "Unschedulable")
        assert "Insufficient nvidia.com/gpu" in condition.message

    eventually(says_why)
    eventually(lambda: "FailedScheduling" in _reasons(api, "a"), what="the event FailedScheduling")
    large = api.create_node(chips=8, labels={"room": room})

    def is_placed() -> None:
        assert api.core.read_namespaced_pod("a", api.namespace).spec.node_name == large

    eventually(is_placed)


def test_a_pod_of_a_higher_class_preempts_a_lower_one(api: Api, room: str) -> None:
    urgent = api.unique("urgent")
    api.scheduling.create_priority_class({"metadata": {"name": urgent}, "value": 1000})
    api.create_node(chips=4, labels={"room": room})
    api.create_pod("low", spec=_chip_pod(room, 4, terminationGracePeriodSeconds=3600))
    eventually(lambda: api.core.read_namespaced_pod("low", api.namespace).spec.node_name)
    api.create_pod("high", spec=_chip_pod(room, 4, priorityClassName=urgent))

    def is_preempted() -> None:
        low = api.core.read_namespaced_pod("low", api.namespace)
        assert low.metadata.deletion_timestamp
        conditions = {condition.type: condition for condition in low.status.conditions}
        assert conditions["DisruptionTarget"].reason == "PreemptionByScheduler"
        assert api.core.read_namespaced_pod("high", api.namespace).status.nominated_node_name

    eventually(is_preempted)


def test_a_cordoned_node_gets_no_pod(api: Api, room: str) -> None:
    # Cordoned from the start: a scheduler sees nodes and pods by separate watches, in any order.
    api.create_node(cordoned=True, labels={"room": room})
    api.create_pod("a", spec=_chip_pod(room, 1))

    def waits() -> None:
        condition = _condition(api, "a", "PodScheduled")
        assert condition is not None
        assert "unschedulable" in condition.message

    eventually(waits)


def test_the_scheduler_meets_no_answer_that_it_cannot_read(api: Api, room: str, scheduler_log: Path) -> None:
    """Informers of every kind it watches have synchronised, and none complains."""
    api.create_node(labels={"room": room})
    api.create_pod("a", spec=_chip_pod(room, 1))
    eventually(lambda: api.core.read_namespaced_pod("a", api.namespace).spec.node_name)
    for line in scheduler_log.read_text().splitlines():
        assert "failed to list" not in line.lower(), line
        assert "unable to decode" not in line.lower(), line
        assert "not fall back" not in line.lower(), line
