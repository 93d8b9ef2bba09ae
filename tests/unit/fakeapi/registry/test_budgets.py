"""Disruption budgets under evictions. Codes and messages are the real server's."""

from typing import Any

import pytest

from fakeapi.machinery.resources import POD_DISRUPTION_BUDGETS, PODS
from fakeapi.machinery.status import StatusError
from fakeapi.registry.options import NO_OPTIONS, WriteOptions
from fakeapi.registry.pods import evict
from tests.unit.fakeapi.registry.bench import NOW, Bench, Json, binding, pod, refusal

LABELS = {"app": "serve"}


def running(bench: Bench, name: str = "pod", *, ready: bool = True, labels: Json | None = None) -> None:
    manifest = pod(name, nodeName="n1")
    manifest["metadata"]["labels"] = LABELS if labels is None else labels
    bench.create(PODS, manifest)
    condition = {"type": "Ready", "status": str(ready)}
    bench.status(PODS, name, phase="Running", conditions=[condition])


def budget(bench: Bench, name: str = "budget", status: Json | None = None, **spec: Any) -> None:
    whole = {"minAvailable": 1, "selector": {"matchLabels": LABELS}, **spec}
    bench.create(POD_DISRUPTION_BUDGETS, {"metadata": {"name": name}, "spec": whole})
    if status is not None:
        bench.status(POD_DISRUPTION_BUDGETS, name, observedGeneration=1, **status)


def eviction(bench: Bench, name: str = "pod", options: WriteOptions = NO_OPTIONS) -> None:
    evict(bench.registry, "default", name, {"metadata": {"name": name}}, options)


def too_many(bench: Bench, name: str = "pod") -> str:
    before = bench.store.revision
    error = refusal(lambda: eviction(bench, name))
    assert bench.store.revision == before
    assert (error.code, error.reason) == (429, "TooManyRequests")
    assert error.message == "Cannot evict pod as it would violate the pod's disruption budget."
    return cause(error)


def cause(error: StatusError) -> str:
    assert error.details is not None
    (found,) = error.details["causes"]
    assert found["reason"] == "DisruptionBudget"
    message: str = found["message"]
    return message


def ends(bench: Bench, name: str = "pod") -> bool:
    return "deletionTimestamp" in bench.get(PODS, name)["metadata"]


def test_a_budget_that_nobody_has_counted_lets_nobody_go(bench: Bench) -> None:
    running(bench)
    budget(bench)
    error = refusal(lambda: eviction(bench))
    assert cause(error) == "The disruption budget budget is still being processed by the server."
    assert error.headers == ((b"retry-after", b"10"),)


def test_a_budget_without_room(bench: Bench) -> None:
    running(bench)
    budget(bench, status={"desiredHealthy": 1, "currentHealthy": 1})
    assert too_many(bench) == "The disruption budget budget needs 1 healthy pods and has 1 currently"


NO = "The disruption budget budget does not allow evicting pods currently"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({}, NO),
        ({"status": "False", "reason": "InsufficientPods", "message": ""}, NO),
        (
            {"status": "False", "reason": "InsufficientPods", "message": "few"},
            f"{NO} (InsufficientPods): few",
        ),
        ({"status": "True", "reason": "SufficientPods", "message": "many"}, NO),
        (
            {"status": "False", "reason": "SyncFailed", "message": "oops"},
            f"{NO} because it failed sync: oops",
        ),
    ],
)
def test_why_there_is_no_room(bench: Bench, condition: Json, message: str) -> None:
    running(bench)
    whole = {"type": "DisruptionAllowed", "lastTransitionTime": NOW, **condition}
    conditions = [whole] if condition else []
    budget(bench, status={"desiredHealthy": 1, "currentHealthy": 2, "conditions": conditions})
    assert too_many(bench) == message


def test_room_is_taken(bench: Bench) -> None:
    for name in ("a", "b"):
        running(bench, name)
    budget(bench, status={"disruptionsAllowed": 1, "desiredHealthy": 1, "currentHealthy": 2})
    eviction(bench, "a")
    assert ends(bench, "a")
    status = bench.get(POD_DISRUPTION_BUDGETS, "budget")["status"]
    assert status["disruptionsAllowed"] == 0
    assert status["disruptedPods"] == {"a": NOW}
    too_many(bench, "b")


def test_a_dry_eviction_asks_and_takes_nothing(bench: Bench) -> None:
    running(bench)
    budget(bench, status={"disruptionsAllowed": 1})
    before = bench.store.revision
    eviction(bench, options=WriteOptions(dry_run=True))
    assert bench.store.revision == before
    bench.status(POD_DISRUPTION_BUDGETS, "budget", disruptionsAllowed=0)
    assert refusal(lambda: eviction(bench, options=WriteOptions(dry_run=True))).code == 429


def test_other_pods_are_not_covered(bench: Bench) -> None:
    running(bench, labels={"app": "other"})
    budget(bench)
    eviction(bench)
    assert ends(bench)


def test_a_budget_without_a_selector_covers_nobody_and_an_empty_one_everybody(bench: Bench) -> None:
    running(bench, "a", labels={})
    budget(bench, "nobody", selector=None)
    eviction(bench, "a")
    budget(bench, "everybody", selector={}, status={})
    running(bench, "b", labels={})
    assert "everybody" in too_many(bench, "b")


def test_a_budget_whose_selector_nobody_can_read_covers_nobody(bench: Bench) -> None:
    running(bench)
    budget(bench, status={})
    stored = bench.store.get(POD_DISRUPTION_BUDGETS.storage_key, ("default", "budget"))
    unreadable = {"matchExpressions": [{"key": "app", "operator": "Resembles"}]}
    spoiled = {**stored.object, "spec": {**stored.object["spec"], "selector": unreadable}}
    bench.store.update(POD_DISRUPTION_BUDGETS.storage_key, stored.key, spoiled)
    eviction(bench)
    assert ends(bench)


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_a_pod_that_serves_nobody_goes_anyway(bench: Bench, phase: str) -> None:
    running(bench)
    budget(bench, status={})
    bench.status(PODS, "pod", phase=phase)
    eviction(bench)
    assert not bench.exists(PODS, "pod") or ends(bench)


def test_an_unready_pod_goes_where_enough_are_healthy(bench: Bench) -> None:
    running(bench, ready=False)
    budget(bench, status={"desiredHealthy": 1, "currentHealthy": 1})
    eviction(bench)
    assert ends(bench)


def test_an_unready_pod_stays_where_too_few_are(bench: Bench) -> None:
    running(bench, ready=False)
    budget(bench, status={"desiredHealthy": 1, "currentHealthy": 0})
    too_many(bench)


def test_an_unready_pod_goes_where_the_budget_says_so(bench: Bench) -> None:
    running(bench, ready=False)
    budget(bench, status={"desiredHealthy": 1}, unhealthyPodEvictionPolicy="AlwaysAllow")
    eviction(bench)
    assert ends(bench)


def test_two_budgets_are_one_too_many(bench: Bench) -> None:
    running(bench)
    budget(bench, "a", status={"disruptionsAllowed": 1})
    budget(bench, "b", status={"disruptionsAllowed": 1})
    error = refusal(lambda: eviction(bench))
    assert error.code == 500
    assert error.message.startswith("This pod has more than one PodDisruptionBudget")


def test_a_status_that_makes_no_sense_is_not_believed(bench: Bench) -> None:
    running(bench)
    budget(bench)
    stored = bench.registry.get(POD_DISRUPTION_BUDGETS, "default", "budget")
    for status, message in (
        ({"disruptionsAllowed": -1}, f"{NO}: pdb disruptions allowed is negative"),
        (
            {"disruptionsAllowed": 1, "disruptedPods": {f"p{index}": NOW for index in range(2001)}},
            f"{NO}: too many pending evictions not confirmed by PDB controller",
        ),
    ):
        changed = {**stored.object, "status": {"observedGeneration": 1, **status}}
        bench.store.update(POD_DISRUPTION_BUDGETS.storage_key, stored.key, changed)
        error = refusal(lambda: eviction(bench))
        assert (error.code, cause(error)) == (403, message)
        assert error.message.startswith('poddisruptionbudget.policy "budget" is forbidden: ')


def test_a_bound_pod_is_evicted_once(bench: Bench) -> None:
    running(bench)
    budget(bench, status={"disruptionsAllowed": 2})
    eviction(bench)
    eviction(bench)
    assert bench.get(POD_DISRUPTION_BUDGETS, "budget")["status"]["disruptionsAllowed"] == 1
    assert binding("pod")["metadata"]["name"] == "pod"
