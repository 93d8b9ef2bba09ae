"""Runtime classes: their overhead and their nodes become the pod's."""

import pytest

from fakeapi.machinery.resources import builtin
from tests.unit.fakeapi.registry.bench import Bench, Json, refusal

RUNTIME_CLASSES = builtin("runtimeclasses", "node.k8s.io")


@pytest.fixture(autouse=True)
def _class(bench: Bench) -> None:
    bench.create(
        RUNTIME_CLASSES,
        {
            "metadata": {"name": "sandbox"},
            "handler": "runsc",
            "overhead": {"podFixed": {"cpu": "250m"}},
            "scheduling": {
                "nodeSelector": {"sandbox": "yes"},
                "tolerations": [{"key": "sandbox", "operator": "Exists"}],
            },
        },
    )


def test_a_pod_takes_what_its_class_needs(bench: Bench) -> None:
    spec = bench.pod(runtimeClassName="sandbox", nodeSelector={"gpu": "yes"})["spec"]
    assert spec["overhead"] == {"cpu": "250m"}
    assert spec["nodeSelector"] == {"gpu": "yes", "sandbox": "yes"}
    assert [one["key"] for one in spec["tolerations"]][-1] == "sandbox"


def test_the_overhead_may_be_repeated(bench: Bench) -> None:
    bench.pod(runtimeClassName="sandbox", overhead={"cpu": "250m"})


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "nobody"}, 'pod rejected: RuntimeClass "nobody" not found'),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"runtimeClassName": "sandbox", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"runtimeClassName": "sandbox", "nodeSelector": {"sandbox": "no"}},
            "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; "
            "pod.spec.nodeSelector[sandbox] = no",
        ),
    ],
)
def test_what_contradicts_the_class_is_refused(bench: Bench, spec: Json, why: str) -> None:
    error = refusal(lambda: bench.pod("a", **spec))
    assert (error.code, error.message) == (403, f'pods "a" is forbidden: {why}')
