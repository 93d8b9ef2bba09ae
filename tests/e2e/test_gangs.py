"""Gangs placed by our scheduler as a process: all members at once, whatever says that they are one."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.evaluator_command import evaluator, require_success, result_in

LABEL = "scheduling.x-k8s.io/pod-group"
COSCHEDULING = """
    s.apply({"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
             "metadata": {"name": name}, "spec": {"minMember": 2}})
"""
NATIVE = """
    s.apply({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
             "metadata": {"name": name}, "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})
"""
SCENARIO = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters


def gang(s: Scenario[ScenarioParameters], name: str) -> None:
    for member in range(2):
        s.apply({{"apiVersion": "v1", "kind": "Pod",
                 "metadata": {{"name": f"{{name}}-{{member}}", {label}
                              "annotations": {{"fakeapi.world/run-time": "1h", "fakeapi.world/gang": name,
                                               "fakeapi.world/gang-size": "2"}}}},
                 "spec": {{"schedulerName": "lst-scheduler", "restartPolicy": "Never", {spec}
                          "containers": [{{"name": "main", "image": "train",
                                          "resources": {{"limits": {{"nvidia.com/gpu": "3"}}}}}}]}}}})
    {group}


def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
    s.nodes("n", count=2, chips=4)
    gang(s, "one")
    gang(s, "two")
"""


def played(folder: Path, **how: str) -> list[dict[str, Any]]:
    file = folder / "told.py"
    file.write_text(SCENARIO.format(**how))
    require_success(evaluator("run", file, "--scheduler", "lst", "--out", folder / "out", "--quiet"))
    lines = (folder / "out" / "timeline.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(
            {"label": f'"labels": {{"{LABEL}": name}},', "spec": "", "group": COSCHEDULING.strip()},
            id="coscheduling",
        ),
        pytest.param(
            {"label": "", "spec": '"schedulingGroup": {"podGroupName": name},', "group": NATIVE.strip()},
            id="native",
        ),
    ],
)
def test_two_gangs_of_which_one_fits_run_one_after_the_other(tmp_path: Path, how: dict[str, str]) -> None:
    events = played(tmp_path, **how)
    bound = {event["pod"]: event["at_ns"] for event in events if event["kind"] == "pod_bound"}
    hour = 3600 * 10**9
    assert bound["default/one-0"] == bound["default/one-1"] < hour
    assert hour < bound["default/two-0"] == bound["default/two-1"] < 2 * hour
    assert result_in(tmp_path / "out")["jobs"]["finished"] == 2, "two gangs"
