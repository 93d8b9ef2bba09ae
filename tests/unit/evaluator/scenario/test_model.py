"""The vocabulary of scenarios: what may be said, and how it is refused when it may not."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from evaluator.errors import describe_problems
from evaluator.scenario import Delete, Manifest, NodePool, Pod, PriorityClass, Settings, Toleration, minutes
from evaluator.scenario.fields import Item
from evaluator.scenario.units import parse_rfc3339
from fakeapi.kernel.time import HOUR, MINUTE, SECOND

START = parse_rfc3339("2026-01-05T00:00:00Z")


def complaint(make: Callable[..., Item], fields: Mapping[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        make(**fields)
    return "; ".join(describe_problems(caught.value))


def test_a_pod_is_read_as_integers() -> None:
    pod = Pod(
        name="a",
        at="9h",
        chips=2,
        cpu="500m",
        memory="2Gi",
        run_time=minutes(90),
        expected="2h",
        deadline="4h",
    )
    assert (pod.cpu_milli, pod.memory_bytes, pod.run_ns, pod.expected_ns) == (
        500,
        2**31,
        90 * MINUTE,
        2 * HOUR,
    )
    assert pod.key == "default/a"


def test_the_scheduler_is_shown_the_run_time_unless_another_estimate_is_given() -> None:
    assert Pod(name="a", run_time="1h").expected_ns == HOUR
    assert Pod(name="a", run_time="1h", expected="3h").expected_ns == 3 * HOUR
    assert Pod(name="a").expected_ns is None


def test_a_deadline_counts_from_submission_or_is_an_instant() -> None:
    nine = 9 * HOUR
    assert Pod(name="a", deadline="4h").deadline_ns(nine, START) == 13 * HOUR
    assert Pod(name="a", deadline="2026-01-05T11:00:00Z").deadline_ns(nine, START) == 11 * HOUR
    assert Pod(name="a").deadline_ns(nine, START) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"run_time": 90}, 'run_time = 90: a number without a unit; write "90s", "90m" or "90h"'),
        ({"at": 5}, "at = 5: a number without a unit"),
        ({"deadline": 4.5}, "deadline = 4.5: a number without a unit"),
        ({"memory": 64}, "memory = 64: a number without a unit"),
        ({"cpu": "much"}, "cpu = 'much': not a Kubernetes quantity"),
        ({"chips": -1}, "chips = -1: Input should be greater than or equal to 0"),
        ({"chips": 1.5}, "chips = 1.5: Input should be a valid integer"),
        ({"run_time": "0s"}, "work takes time"),
        ({"grace": "1500ms"}, "grace periods in whole seconds"),
        ({"name": "Not_A_Name"}, "name = 'Not_A_Name': not a Kubernetes name"),
        ({"name": 3}, "name = 3: Input should be a valid string"),
        ({"user": "a b"}, "user = 'a b'"),
        ({"gpus": 2}, "gpus: there is no such field"),
        ({"priority": 1, "priority_class": "high"}, "cannot both be given"),
        ({"priority": 2_000_000_000}, "priority = 2000000000"),
        ({"exit_code": 256}, "exit_code = 256"),
    ],
)
def test_a_mistake_is_told_with_field_and_value(fields: dict[str, Any], expected: str) -> None:
    assert expected in complaint(Pod, {"name": "a", **fields})


def test_a_missing_name_is_told() -> None:
    assert complaint(Pod, {}) == "name: required and not given"


def test_items_cannot_be_changed() -> None:
    pod = Pod(name="a")
    with pytest.raises(ValidationError):
        pod.chips = 3


def test_a_pool_is_so_many_nodes_with_names_that_sort() -> None:
    nodes = NodePool(name="gpu", count=11, chips=8, cpu=4, labels={"a": "b"}).nodes()
    assert [node.name for node in nodes][:3] == ["gpu-00", "gpu-01", "gpu-02"]
    assert [node.name for node in nodes] == sorted(node.name for node in nodes)
    assert {(node.chips, node.cpu_milli, node.labels["a"]) for node in nodes} == {(8, 4000, "b")}
    assert NodePool(name="gpu", count=0).nodes() == []
    assert [node.name for node in NodePool(name="gpu", count=10).nodes()][-1] == "gpu-9"


def test_settings_begin_on_a_monday() -> None:
    settings = Settings(until="2d")
    assert (settings.start_ns, settings.until_ns) == (START, 48 * HOUR)
    assert Settings().until_ns is None


def test_the_start_is_an_instant() -> None:
    assert "the start of the run is an instant" in complaint(Settings, {"start": "9h"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"kind": "Job", "metadata": {"name": "a"}}, "needs apiVersion"),
        ({"apiVersion": "v1", "metadata": {"name": "a"}}, "needs kind"),
        ({"apiVersion": "v1", "kind": "Pod", "metadata": {}}, "needs metadata.name"),
        ({"apiVersion": "v1", "kind": "Pod"}, "needs metadata.name"),
    ],
)
def test_a_manifest_must_be_an_object(given: dict[str, Any], expected: str) -> None:
    assert expected in complaint(Manifest, {"object": given})


def test_a_manifest_may_leave_its_name_to_the_server() -> None:
    metadata = {"generateName": "a-"}
    assert Manifest(object={"apiVersion": "v1", "kind": "Pod", "metadata": metadata}).object["kind"] == "Pod"


def test_a_number_for_a_priority_means_a_class_made_for_it() -> None:
    assert Pod(name="a", priority=100).class_name == "scenario-priority-100"
    assert Pod(name="a", priority=-5).class_name == "scenario-priority-minus-5"
    assert Pod(name="a", priority_class="high").class_name == "high"
    assert Pod(name="a").class_name is None


def test_other_items_refuse_what_cannot_be() -> None:
    assert "value = 2000000000" in complaint(PriorityClass, {"name": "a", "value": 2_000_000_000})
    assert "effect = 'Never'" in complaint(Toleration, {"effect": "Never"})
    assert "at: required" in complaint(Delete, {"pod": "a"})
    assert Delete(at="1m", pod="a", grace=minutes(0.5)).grace == 30 * SECOND
