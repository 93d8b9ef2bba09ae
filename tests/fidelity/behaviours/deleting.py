"""Deletion, bindings, evictions and other sub-resources."""

from typing import Any, Final

from tests.fidelity.behaviours.manifests import SELECTOR, TEMPLATE, config, job, pod
from tests.fidelity.suite import behaviour
from tests.fidelity.transcript import Client

_DELETING: Final = "Deletion"
_SUB: Final = "Sub-resources"


@behaviour(_DELETING)
def delete_bound_pod(client: Client) -> None:
    """A pod on a node ends with grace, which can be shortened and not lengthened."""
    client.create("/api/v1/nodes", {"metadata": {"name": client.namespace}})
    client.create(client.path("pods"), pod(nodeName=client.namespace))
    path = client.path("pods", "pod")
    for seconds in (60, 300, 10):
        client.delete(path, gracePeriodSeconds=seconds)
    client.delete(path, gracePeriodSeconds=0)
    client.get(path)


@behaviour(_DELETING)
def delete_with_finalizer(client: Client) -> None:
    """An object with a finalizer stays until that is gone."""
    client.create(client.path("configmaps"), config(finalizers=["example.com/wait"]))
    path = client.path("configmaps", "config")
    client.delete(path)
    client.patch(path, {"metadata": {"finalizers": ["example.com/wait", "example.com/more"]}})
    client.patch(path, {"metadata": {"finalizers": None}})
    client.get(path)


@behaviour(_DELETING)
def delete_preconditions(client: Client) -> None:
    """A deletion with a wrong uid or version is a conflict."""
    client.create(client.path("configmaps"), config())
    path = client.path("configmaps", "config")
    client.delete(path, {"preconditions": {"uid": "other"}})
    client.delete(path, {"preconditions": {"resourceVersion": "1"}})


@behaviour(_DELETING)
def delete_dry_run(client: Client) -> None:
    """A deletion as a dry run keeps the object."""
    client.create(client.path("configmaps"), config())
    client.delete(client.path("configmaps", "config"), dryRun="All")
    client.get(client.path("configmaps", "config"))


@behaviour(_DELETING)
def delete_collection(client: Client) -> None:
    """A collection is deleted by its labels."""
    for name, tier in (("a", "x"), ("b", "y")):
        client.create(client.path("configmaps"), config(name, {"tier": tier}))
    client.delete(client.path("configmaps"), labelSelector="tier=x")
    client.get(client.path("configmaps"))


@behaviour(_DELETING)
def delete_foreground(client: Client) -> None:
    """A foreground deletion and one that orphans leave the object with a finalizer."""
    for name, policy in (("a", "Foreground"), ("b", "Orphan")):
        client.create(client.path("configmaps"), config(name))
        client.delete(client.path("configmaps", name), propagationPolicy=policy)
        client.get(client.path("configmaps", name))


@behaviour(_DELETING)
def delete_unknown_policy(client: Client) -> None:
    """An unknown propagation policy is refused."""
    client.create(client.path("configmaps"), config())
    client.delete(client.path("configmaps", "config"), propagationPolicy="Sideways")


@behaviour(_DELETING)
def delete_two_policies(client: Client) -> None:
    """Both ways to say what happens to dependents are refused together."""
    client.create(client.path("configmaps"), config())
    both = {"propagationPolicy": "Background", "orphanDependents": True}
    client.delete(client.path("configmaps", "config"), both)


@behaviour(_DELETING)
def delete_negative_grace(client: Client) -> None:
    """A negative grace is one second."""
    client.create("/api/v1/nodes", {"metadata": {"name": client.namespace}})
    client.create(client.path("pods"), pod(nodeName=client.namespace))
    client.delete(client.path("pods", "pod"), gracePeriodSeconds=-5)


def _bind(client: Client, node: str, **metadata: Any) -> None:
    body = {"metadata": {"name": "pod", **metadata}, "target": {"kind": "Node", "name": node}}
    client.create(client.path("pods", "pod", "binding"), body)


@behaviour(_SUB)
def bind_twice(client: Client) -> None:
    """A pod is bound once."""
    client.create(client.path("pods"), pod())
    for node in ("one", "two", "one"):
        _bind(client, node)
    client.get(client.path("pods", "pod"))


@behaviour(_SUB)
def bind_other_uid(client: Client) -> None:
    """A binding of a pod with another uid is a conflict."""
    client.create(client.path("pods"), pod())
    _bind(client, "one", uid="other")


@behaviour(_SUB)
def bind_missing_pod(client: Client) -> None:
    """A binding of a pod that is gone is not found."""
    _bind(client, "one")


@behaviour(_SUB)
def bind_without_target(client: Client) -> None:
    """A binding without a node is invalid."""
    client.create(client.path("pods"), pod())
    client.create(client.path("pods", "pod", "binding"), {"metadata": {"name": "pod"}, "target": {}})


@behaviour(_SUB)
def bind_gated_pod(client: Client) -> None:
    """A pod with a scheduling gate cannot be bound."""
    client.create(client.path("pods"), pod(schedulingGates=[{"name": "example.com/wait"}]))
    _bind(client, "one")


@behaviour(_SUB)
def bind_annotations(client: Client) -> None:
    """A binding's annotations and labels go to the pod."""
    client.create(client.path("pods"), pod())
    _bind(client, "one", annotations={"why": "room"}, labels={"rack": "r1"})
    client.get(client.path("pods", "pod"))


@behaviour(_SUB)
def evict_pod(client: Client) -> None:
    """An eviction without a budget deletes the pod."""
    client.create(client.path("pods"), pod())
    client.create(client.path("pods", "pod", "eviction"), {"metadata": {"name": "pod"}})
    client.get(client.path("pods", "pod"))


@behaviour(_SUB)
def evict_missing_pod(client: Client) -> None:
    """An eviction of what is gone is not found."""
    client.create(client.path("pods", "pod", "eviction"), {"metadata": {"name": "pod"}})


@behaviour(_SUB)
def status_ignores_spec(client: Client) -> None:
    """The status sub-resource changes no specification, and the object no status."""
    client.create(client.path("pods"), pod())
    change = {"spec": {"activeDeadlineSeconds": 5}, "status": {"message": "hello"}}
    client.patch(client.path("pods", "pod", "status"), change)
    client.patch(client.path("pods", "pod"), change)


@behaviour(_SUB)
def scale_deployment(client: Client) -> None:
    """The scale sub-resource reads and changes the replicas."""
    root = "/apis/apps/v1"
    spec = {"selector": SELECTOR, "template": TEMPLATE, "replicas": 2}
    client.create(client.path("deployments", root=root), {"metadata": {"name": "d"}, "spec": spec})
    path = client.path("deployments", "d", "scale", root=root)
    client.get(path)
    client.patch(path, {"spec": {"replicas": 5}})
    client.patch(path, {"spec": {"replicas": -1}})


@behaviour(_SUB)
def job_is_immutable(client: Client) -> None:
    """A Job's template, selector and completions cannot be changed; its parallelism can."""
    root = "/apis/batch/v1"
    client.create(client.path("jobs", root=root), job(completions=2))
    path = client.path("jobs", "job", root=root)
    client.patch(path, {"spec": {"completions": 3}})
    client.patch(path, {"spec": {"template": {"spec": {"priority": 3}}}})
    client.patch(path, {"spec": {"parallelism": 2}})


@behaviour(_SUB)
def job_suspend(client: Client) -> None:
    """A Job is suspended and resumed."""
    root = "/apis/batch/v1"
    client.create(client.path("jobs", root=root), job(suspend=True))
    client.patch(client.path("jobs", "job", root=root), {"spec": {"suspend": False}})
