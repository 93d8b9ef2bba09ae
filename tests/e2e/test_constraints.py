"""Constraints between pods, by our scheduler as a process: they hold where the API server shows them."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.evaluator_command import evaluator, require_success

SCENARIO = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters

APART = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "apart"}}}
BESIDE = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "beside"}}}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
RUN = {"fakeapi.world/run-time": "1h"}


def pod(name, labels, **spec):
    container = {"name": "c", "image": "i", "ports": spec.pop("ports", [])}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": labels, "annotations": RUN},
        "spec": {
            "schedulerName": "lst-scheduler", "restartPolicy": "Never", "containers": [container], **spec
        },
    }


def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
    s.nodes("n", count=2, chips=8)
    anti = {"podAntiAffinity": {REQUIRED: [APART]}}
    for number in range(3):
        s.apply(pod(f"apart-{number}", {"app": "apart"}, affinity=anti))
    for number in range(4):
        s.apply(pod(f"beside-{number}", {"app": "beside"}, affinity={"podAffinity": {REQUIRED: [BESIDE]}}))
    for number in range(3):
        s.apply(pod(f"port-{number}", {"app": "port"}, ports=[{"containerPort": 80, "hostPort": 80}]))
"""


def test_pods_are_kept_apart_and_together(tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text(SCENARIO)
    require_success(evaluator("run", file, "--scheduler", "lst", "--out", tmp_path / "out", "--quiet"))
    lines = (tmp_path / "out" / "timeline.jsonl").read_text().splitlines()
    events: list[dict[str, Any]] = [json.loads(line) for line in lines]
    bound = {event["pod"].removeprefix("default/"): event for event in events if event["kind"] == "pod_bound"}
    assert len(bound) == 10
    first = [event for event in bound.values() if event["at_ns"] < 10**9]
    places = {name: event["node"] for name, event in bound.items() if event in first}
    assert {places[name] for name in places if name.startswith("beside")} <= {"n-0", "n-1"}
    assert len({node for name, node in places.items() if name.startswith("beside")}) == 1
    for kind in ("apart", "port"):
        nodes = [node for name, node in places.items() if name.startswith(kind)]
        assert sorted(nodes) == ["n-0", "n-1"], "two at once, one on each node; the third waits for an end"
