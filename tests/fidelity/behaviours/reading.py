"""Lists: selectors, pages, versions, forms; and what discovery says."""

from typing import Final

from tests.fidelity.behaviours.manifests import config, pod
from tests.fidelity.suite import Play, add, behaviour
from tests.fidelity.transcript import Client

_READING: Final = "Lists and selectors"

_SELECTORS: Final = {
    "equal": "tier=a",
    "double-equal": "tier==a",
    "unequal": "tier!=a",
    "in": "tier in (a,b)",
    "notin": "tier notin (a,b)",
    "exists": "tier",
    "not-exists": "!tier",
    "and": "tier,tier!=b",
    "greater": "rank>1",
    "less": "rank<2",
    "malformed": "tier in (a",
    "bad-value": "tier=not a value!",
    "bad-number": "rank>many",
}

_POD_FIELDS: Final = {
    "name": "metadata.name=one",
    "name-unequal": "metadata.name!=one",
    "node": "spec.nodeName=",
    "phase": "status.phase=Pending",
    "phase-and-name": "status.phase!=Running,metadata.name=two",
    "scheduler": "spec.schedulerName=default-scheduler",
    "unsupported": "spec.priority=1",
    "malformed": "metadata.name",
}


def _selecting(parameter: str, selector: str) -> Play:
    def play(client: Client) -> None:
        for name, labels in (
            ("one", {"tier": "a", "rank": "1"}),
            ("two", {"tier": "b", "rank": "2"}),
            ("none", {}),
        ):
            client.create(client.path("pods"), pod(name, labels))
        client.get(client.path("pods"), **{parameter: selector})

    return play


for _name, _selector in _SELECTORS.items():
    add(
        _READING,
        f"labels-{_name}",
        f"Pods are listed by the labels `{_selector}`.",
        _selecting("labelSelector", _selector),
    )
for _name, _selector in _POD_FIELDS.items():
    add(
        _READING,
        f"fields-{_name}",
        f"Pods are listed by the fields `{_selector}`.",
        _selecting("fieldSelector", _selector),
    )


def _three(client: Client) -> str:
    for name in ("a", "b", "c"):
        client.create(client.path("configmaps"), config(name))
    return client.path("configmaps")


@behaviour(_READING)
def pages(client: Client) -> None:
    """A list comes in pages, and the last one has no continuation."""
    path = _three(client)
    first = client.get(path, limit=2)
    client.answers[-1]["body"]["metadata"]["continue"] = "<continue>"
    client.get(path, limit=2, **{"continue": first["metadata"]["continue"]})


@behaviour(_READING)
def pages_bad_continue(client: Client) -> None:
    """A continuation that no server gave is refused."""
    client.get(_three(client), limit=2, **{"continue": "nonsense"})


@behaviour(_READING)
def list_from_any_version(client: Client) -> None:
    """Lists from version 0, from one not older than, and from exactly one."""
    path = _three(client)
    version = client.get(path)["metadata"]["resourceVersion"]
    client.get(path, resourceVersion=version, resourceVersionMatch="NotOlderThan")
    client.get(path, resourceVersion=version, resourceVersionMatch="Exact")


@behaviour(_READING)
def list_match_without_version(client: Client) -> None:
    """How to match a version is refused without a version."""
    client.get(client.path("configmaps"), resourceVersionMatch="Exact")


@behaviour(_READING)
def list_unknown_match(client: Client) -> None:
    """An unknown way to match a version is refused."""
    client.get(client.path("configmaps"), resourceVersion="1", resourceVersionMatch="Roughly")


@behaviour(_READING)
def list_exact_zero(client: Client) -> None:
    """Exactly version 0 is refused."""
    client.get(client.path("configmaps"), resourceVersion="0", resourceVersionMatch="Exact")


@behaviour(_READING)
def list_bad_version(client: Client) -> None:
    """A version that is no number is refused."""
    client.get(client.path("configmaps"), resourceVersion="new")


@behaviour(_READING)
def list_bad_limit(client: Client) -> None:
    """A limit that is no number is refused."""
    client.get(client.path("configmaps"), limit="many")


@behaviour(_READING)
def list_as_metadata(client: Client) -> None:
    """A list shows metadata alone to who asks for it."""
    client.get(_three(client), accept="application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")


@behaviour(_READING)
def read_as_metadata(client: Client) -> None:
    """An object shows metadata alone to who asks for it."""
    path = _three(client)
    client.get(f"{path}/a", accept="application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")


@behaviour(_READING)
def empty_table(client: Client) -> None:
    """An empty table has its columns."""
    client.get(client.path("pods"), accept="application/json;as=Table;v=v1;g=meta.k8s.io")


@behaviour(_READING)
def not_acceptable(client: Client) -> None:
    """A form that no server writes is not acceptable."""
    client.get(client.path("pods"), accept="image/png")


@behaviour("Discovery")
def discovery_core(client: Client) -> None:
    """The versions of the core group."""
    client.get("/api")
    client.answers[-1]["body"]["serverAddressByClientCIDRs"] = "<addresses>"


@behaviour("Discovery")
def discovery_unknown_group(client: Client) -> None:
    """An unknown group, version or resource is not found."""
    client.get("/apis/none.example.com")
    client.get("/apis/apps/v9")
    client.get("/api/v1/nothings")


for _group in ("batch", "policy", "scheduling.k8s.io", "coordination.k8s.io", "events.k8s.io", "apps"):

    def _discover(client: Client, group: str = _group) -> None:
        client.get(f"/apis/{group}")

    add(
        "Discovery",
        f"discovery-{_group.partition('.')[0]}",
        f"The versions of the group {_group}.",
        _discover,
    )
