"""Watches: where they begin, what enters and leaves a selection, how they end."""

from typing import Final

from tests.fidelity.behaviours.manifests import config, pod
from tests.fidelity.suite import behaviour
from tests.fidelity.transcript import Client

_GROUP: Final = "Watches"


def _version(client: Client) -> str:
    return str(client.get(client.path("configmaps"))["metadata"]["resourceVersion"])


@behaviour(_GROUP)
def watch_changes(client: Client) -> None:
    """A watch from a version tells every change since, in order."""
    version = _version(client)
    for name in ("a", "b"):
        client.create(client.path("configmaps"), config(name))
    client.patch(client.path("configmaps", "a"), {"data": {"key": "1"}})
    client.delete(client.path("configmaps", "b"))
    client.watch(client.path("configmaps"), resourceVersion=version)


@behaviour(_GROUP)
def watch_from_zero(client: Client) -> None:
    """A watch from version 0 begins with what there is."""
    client.create(client.path("configmaps"), config())
    client.get(client.path("configmaps"))
    client.watch(client.path("configmaps"), resourceVersion="0")


@behaviour(_GROUP)
def watch_from_now(client: Client) -> None:
    """A watch without a version begins with what there is."""
    client.create(client.path("configmaps"), config())
    client.watch(client.path("configmaps"))


@behaviour(_GROUP)
def watch_labels(client: Client) -> None:
    """An object that enters a selection is added, one that leaves it deleted."""
    version = _version(client)
    client.create(client.path("configmaps"), config())
    for tier in ("a", "b", "a"):
        client.patch(client.path("configmaps", "config"), {"metadata": {"labels": {"tier": tier}}})
    client.watch(client.path("configmaps"), resourceVersion=version, labelSelector="tier=a")


@behaviour(_GROUP)
def watch_bound_pods(client: Client) -> None:
    """A watch of the pods without a node is told of a binding as a deletion."""
    client.create("/api/v1/nodes", {"metadata": {"name": client.namespace}})
    version = str(client.get(client.path("pods"))["metadata"]["resourceVersion"])
    client.create(client.path("pods"), pod())
    target = {"target": {"kind": "Node", "name": client.namespace}}
    client.create(client.path("pods", "pod", "binding"), {"metadata": {"name": "pod"}, **target})
    client.watch(client.path("pods"), resourceVersion=version, fieldSelector="spec.nodeName=")


@behaviour(_GROUP)
def watch_one_object(client: Client) -> None:
    """A watch of one name tells of no other."""
    version = _version(client)
    for name in ("a", "b"):
        client.create(client.path("configmaps"), config(name))
    client.watch(client.path("configmaps"), resourceVersion=version, fieldSelector="metadata.name=a")


@behaviour(_GROUP)
def watch_list(client: Client) -> None:
    """A list as a watch ends with a bookmark that says so."""
    client.create(client.path("configmaps"), config())
    client.watch(
        client.path("configmaps"),
        sendInitialEvents="true",
        resourceVersionMatch="NotOlderThan",
        allowWatchBookmarks="true",
    )


@behaviour(_GROUP)
def watch_list_without_match(client: Client) -> None:
    """A list as a watch is refused without how to match the version."""
    client.watch(client.path("configmaps"), sendInitialEvents="true", allowWatchBookmarks="true")


@behaviour(_GROUP)
def watch_bad_version(client: Client) -> None:
    """A watch from a version that is no number is refused."""
    client.watch(client.path("configmaps"), resourceVersion="new")


@behaviour(_GROUP)
def watch_bad_selector(client: Client) -> None:
    """A watch with a selector that cannot be read is refused."""
    client.watch(client.path("configmaps"), labelSelector="a in (")
