"""The quality-of-service class of pods."""

from typing import Any

import pytest

from fakeapi.registry.qos import qos_class

BOTH = {"cpu": "1", "memory": "1Gi"}


def spec(*resources: dict[str, Any], init: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "containers": [{"resources": one} for one in resources],
        "initContainers": [{"resources": one} for one in init],
    }


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (spec({}), "BestEffort"),
        (spec({"requests": {"nvidia.com/gpu": "8"}, "limits": {"nvidia.com/gpu": "8"}}), "BestEffort"),
        (spec({"requests": {"cpu": "0"}}), "BestEffort"),
        (spec({"requests": {"cpu": "1"}}), "Burstable"),
        (spec({"limits": BOTH, "requests": {"cpu": "1"}}), "Burstable"),
        (spec({"limits": BOTH, "requests": BOTH}), "Guaranteed"),
        (spec({"limits": {"cpu": "1", "memory": "1073741824"}, "requests": BOTH}), "Guaranteed"),
        (spec({"limits": {"cpu": "1", "memory": "1073741825"}, "requests": BOTH}), "Burstable"),
        (spec({"limits": BOTH, "requests": BOTH}, {}), "Burstable"),
        (spec({"limits": BOTH, "requests": BOTH}, init=({"requests": {"cpu": "1"}},)), "Burstable"),
        (spec({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}), "Burstable"),
    ],
)
def test_class(pod: dict[str, Any], expected: str) -> None:
    assert qos_class(pod) == expected
