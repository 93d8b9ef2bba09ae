"""What becomes of objects whose owners are deleted."""

import pytest

from fakeapi.controllers.garbage import GarbageCollector
from fakeapi.machinery.resources import builtin
from tests.unit.fakeapi.controllers.conftest import Cluster, Json

MAPS = builtin("configmaps")
SECRETS = builtin("secrets")


def owner(cluster: Cluster, name: str = "owner") -> Json:
    return cluster.create(MAPS, {"metadata": {"name": name}})


def reference(to: Json, *, blocks: bool = True, uid: str = "") -> Json:
    metadata = to["metadata"]
    return {
        "apiVersion": "v1",
        "kind": to["kind"],
        "name": metadata["name"],
        "uid": uid or metadata["uid"],
        "blockOwnerDeletion": blocks,
    }


def dependent(cluster: Cluster, *owners: Json, name: str = "dependent", **fields: object) -> Json:
    metadata = {"name": name, "ownerReferences": list(owners), **fields}
    return cluster.create(SECRETS, {"metadata": metadata})


def left(cluster: Cluster, name: str = "dependent") -> list[str] | None:
    """The names of a dependent's owners; None when it is gone."""
    found = cluster.find(SECRETS, name)
    return None if found is None else [each["name"] for each in found["metadata"].get("ownerReferences", ())]


def test_dependents_go_with_their_only_owner(cluster: Cluster) -> None:
    dependent(cluster, reference(owner(cluster)))
    cluster.delete(MAPS, "owner")
    cluster.run()
    assert left(cluster) is None


def test_dependents_of_dependents_go_as_well(cluster: Cluster) -> None:
    first = dependent(cluster, reference(owner(cluster)))
    dependent(cluster, reference(first), name="second")
    cluster.delete(MAPS, "owner")
    cluster.run()
    assert (left(cluster), left(cluster, "second")) == (None, None)


def test_one_with_another_owner_stays_and_forgets_the_first(cluster: Cluster) -> None:
    dependent(cluster, reference(owner(cluster)), reference(owner(cluster, "other")))
    cluster.delete(MAPS, "owner")
    cluster.run()
    assert left(cluster) == ["other"]


@pytest.mark.parametrize("uid", ["", "another"])
def test_one_whose_owner_is_not_there_goes_at_once(cluster: Cluster, uid: str) -> None:
    there = owner(cluster)
    if not uid:
        cluster.delete(MAPS, "owner")
    dependent(cluster, reference(there, uid=uid))
    cluster.run()
    assert left(cluster) is None


def test_foreground_the_owner_waits_for_those_that_block_it(cluster: Cluster) -> None:
    there = owner(cluster)
    dependent(cluster, reference(there), finalizers=["example.com/held"])
    dependent(cluster, reference(there, blocks=False), name="free")
    cluster.delete(MAPS, "owner", propagation="Foreground")
    cluster.run()
    waiting = cluster.find(MAPS, "owner")
    assert waiting is not None
    assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]

    def release(obj: Json) -> Json:
        return {**obj, "metadata": {**obj["metadata"], "finalizers": []}}

    cluster.registry.modify(SECRETS, "default", "dependent", release)
    cluster.run()
    assert cluster.find(MAPS, "owner") is None
    assert left(cluster) is None
    assert left(cluster, "free") is None


def test_orphans_stay_without_the_reference(cluster: Cluster) -> None:
    dependent(cluster, reference(owner(cluster)))
    cluster.delete(MAPS, "owner", propagation="Orphan")
    cluster.run()
    assert cluster.find(MAPS, "owner") is None
    assert left(cluster) == []


def test_what_is_there_before_the_collector_is_taken_up() -> None:
    cluster = Cluster(controllers=False)
    dependent(cluster, reference(owner(cluster)))
    cluster.delete(MAPS, "owner")
    cluster.run()
    assert left(cluster) == ["owner"]
    GarbageCollector(cluster.registry, cluster.world.queue, cluster.clock).attach()
    cluster.run()
    assert left(cluster) is None
