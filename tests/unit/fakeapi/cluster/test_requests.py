"""What a pod asks its node for."""

from typing import Any

import pytest

from fakeapi.cluster.requests import amounts_of, container_requests, pod_requests

GPU = "nvidia.com/gpu"


def container(cpu: str | None = None, *, always: bool = False, **limits: str) -> dict[str, Any]:
    made: dict[str, Any] = {"name": "c", "resources": {"requests": {"cpu": cpu} if cpu else {}}}
    if limits:
        made["resources"]["limits"] = limits
    return {**made, "restartPolicy": "Always"} if always else made


def test_amounts_are_whole_numbers() -> None:
    assert amounts_of({"cpu": "1500m", "memory": "2Gi", GPU: "4"}) == {
        "cpu": 1500,
        "memory": 2 << 30,
        GPU: 4,
    }


def test_a_request_that_is_left_out_is_the_limit() -> None:
    assert container_requests({"resources": {"limits": {GPU: "2"}}}) == {GPU: 2}
    assert container_requests(container("1", memory="1")) == {"cpu": 1000, "memory": 1}
    assert container_requests({}) == {}


def test_containers_count_together_and_the_greatest_moment_of_start_up_counts() -> None:
    spec = {"containers": [container("1"), container("2")], "initContainers": [container("4")]}
    assert pod_requests(spec) == {"cpu": 4000}
    spec["initContainers"] = [container("1", always=True), container("2"), container("1", always=True)]
    assert pod_requests(spec) == {"cpu": 5000}


def test_a_sidecar_runs_beside_the_init_containers_after_it() -> None:
    init = [container("1", always=True), container("9")]
    assert pod_requests({"containers": [container("1")], "initContainers": init}) == {"cpu": 10_000}


@pytest.mark.parametrize(
    ("more", "expected"),
    [({"overhead": {"cpu": "500m"}}, 1500), ({"resources": {"requests": {"cpu": "3"}}}, 3000)],
)
def test_overhead_and_the_pods_own_requests_count(more: dict[str, Any], expected: int) -> None:
    assert pod_requests({"containers": [container("1")], **more}) == {"cpu": expected}
