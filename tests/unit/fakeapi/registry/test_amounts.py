"""Amounts of resources: names, quantities, requests against limits. Messages are the real server's."""

import pytest

from fakeapi.registry.amounts import is_extended, node_amounts, requirements
from tests.unit.fakeapi.registry.bench import Json

PATH = "spec.containers[0].resources"
GPU = "nvidia.com/gpu"


def told(resources: Json, claims: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    return [(one.field.removeprefix(PATH), one.message) for one in requirements(resources, PATH, claims)]


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        (GPU, True),
        ("cpu", False),
        ("kubernetes.io/thing", False),
        ("sub.kubernetes.io/thing", False),
        ("requests.nvidia.com/gpu", False),
        ("a/b/c", False),
        ("Upper/gpu", False),
    ],
)
def test_extended_resources(resource: str, *, expected: bool) -> None:
    assert is_extended(resource) is expected


@pytest.mark.parametrize(
    "resources",
    [
        {},
        {"requests": {"cpu": "100m", "memory": "1Gi", "ephemeral-storage": "1Gi"}},
        {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}},
        {"requests": {GPU: "2"}, "limits": {GPU: "2"}},
        {"requests": {GPU: "2"}, "limits": {GPU: "2000m"}},
        {"requests": {"hugepages-2Mi": "4Mi"}, "limits": {"hugepages-2Mi": "4Mi"}},
        {"requests": {"kubernetes.io/anything": "500m"}},
    ],
)
def test_what_is_in_order(resources: Json) -> None:
    assert told(resources) == []


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        (
            {"limits": {"cpu": "-1"}},
            [(".limits[cpu]", 'Invalid value: "-1": must be greater than or equal to 0')],
        ),
        (
            {"limits": {GPU: "500m"}, "requests": {GPU: "500m"}},
            [
                (f".limits[{GPU}]", 'Invalid value: "500m": must be an integer'),
                (f".requests[{GPU}]", 'Invalid value: "500m": must be an integer'),
            ],
        ),
        (
            {"limits": {"foo": "1"}},
            [
                (
                    ".limits[foo]",
                    'Invalid value: "foo": must be a standard resource type or fully qualified',
                ),
                (".limits[foo]", 'Invalid value: "foo": must be a standard resource for containers'),
            ],
        ),
        (
            {"limits": {"pods": "1"}},
            [(".limits[pods]", 'Invalid value: "pods": must be a standard resource for containers')],
        ),
        (
            {"requests": {GPU: "2"}},
            [(".limits", "Required value: Limit must be set for non overcommitable resources")],
        ),
        (
            {"requests": {GPU: "1"}, "limits": {GPU: "2"}},
            [(".requests", f'Invalid value: "1": must be equal to {GPU} limit of 2')],
        ),
        (
            {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}},
            [(".requests", 'Invalid value: "2": must be less than or equal to cpu limit of 1')],
        ),
        (
            {"limits": {"cpu": "many"}},
            [
                (
                    ".limits[cpu]",
                    'Invalid value: "many": quantities must match the regular expression '
                    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                )
            ],
        ),
    ],
)
def test_what_is_wrong(resources: Json, expected: list[tuple[str, str]]) -> None:
    assert told(resources) == expected


def test_a_malformed_request_is_not_compared_with_its_limit() -> None:
    assert [field for field, _ in told({"requests": {"cpu": "x"}, "limits": {"cpu": "1"}})] == [
        ".requests[cpu]"
    ]


def test_a_name_with_two_slashes_is_told_twice() -> None:
    found = told({"limits": {"foo/bar/x": "1"}})
    assert len(found) == 2
    assert found[1][1].endswith("doesn't follow extended resource name standard")


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([{"name": "a"}], []),
        ([{"name": "a", "request": "x"}, {"name": "a", "request": "y"}], []),
        ([{"name": ""}], [(".claims[0]", "Required value")]),
        ([{"name": "a"}, {"name": "a"}], [(".claims[1]", 'Duplicate value: "a"')]),
        (
            [{"name": "c"}],
            [
                (
                    ".claims[0]",
                    'Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b',
                )
            ],
        ),
    ],
)
def test_claims_are_those_of_the_pod(claims: list[Json], expected: list[tuple[str, str]]) -> None:
    assert told({"claims": claims}, frozenset("ba")) == expected


def test_a_pod_without_claims_has_none_to_name() -> None:
    ((_, message),) = told({"claims": [{"name": "c"}]})
    assert message.endswith("must be one of the names in pod.spec.resourceClaims which is empty")


def test_nodes_count_what_is_whole() -> None:
    amounts = {"cpu": "7500m", "pods": "110", GPU: "1500m", "vendor/thing": "-1"}
    found = [(one.field, one.message) for one in node_amounts(amounts, "status.capacity")]
    assert found == [
        (f"status.capacity.{GPU}", 'Invalid value: "1500m": must be an integer'),
        ("status.capacity.vendor/thing", 'Invalid value: "-1": must be greater than or equal to 0'),
    ]
