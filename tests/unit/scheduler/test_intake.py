"""What the API server tells beside pods and nodes: groups, budgets, namespaces, gates."""

import asyncio

from scheduler.config import Settings, Victims
from scheduler.intake import Intake
from scheduler.kube.access import Access, BearerToken
from scheduler.kube.client import Client
from scheduler.kube.connection import Connection
from scheduler.messages import (
    BudgetGone,
    BudgetSeen,
    BudgetsListed,
    Happening,
    NamespaceGone,
    NamespaceSeen,
    NamespacesListed,
    PodGone,
    PodSeen,
    PodsListed,
)
from tests.unit.scheduler.builders import GPU, Object, node_object, pod_object
from tests.unit.scheduler.fake_server import FakeApi
from tests.unit.scheduler.playing import QUICK, bound, gpus, played, scheduling

GROUP_LABEL = "scheduling.x-k8s.io/pod-group"


def member(name: str, chips: int = 4, group: str = "train") -> Object:
    return pod_object(name, gpus(chips), metadata={"labels": {GROUP_LABEL: group}})


def group(name: str = "train", least: int = 2) -> Object:
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"minMember": least}}


def native(name: str, least: int) -> Object:
    policy = {"gang": {"minCount": least}}
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"schedulingPolicy": policy}}


def message(api: FakeApi, pod: str) -> str:
    conditions = api.objects["pods"][pod]["status"].get("conditions", [])
    return str(conditions[0]["message"]) if conditions else ""


@played
async def test_a_gang_waits_for_its_group_and_for_its_members(api: FakeApi) -> None:
    api.put("pods", member("a"))
    async with scheduling(api):
        await api.until(lambda: message(api, "a"))
        api.put("groups", group())
        await api.until(lambda: "1 of" in message(api, "a"))
        assert not api.sent("binding")
        api.put("pods", member("b"))
        await bound(api, "a", "b")


@played
async def test_a_gang_without_room_for_all_takes_no_room(api: FakeApi) -> None:
    api.put("groups", group())
    for name in ("a", "b"):
        api.put("pods", member(name, 5))
    async with scheduling(api):
        await api.until(lambda: message(api, "b"))
        assert not api.sent("binding")
        api.put("nodes", node_object("m", 8))
        await bound(api, "a", "b")
    assert {api.node_of("a"), api.node_of("b")} == {"m", "n"}


@played
async def test_a_native_group(api: FakeApi) -> None:
    spec = {"schedulingGroup": {"podGroupName": "train"}}
    api.put("native-groups", native("train", 2))
    api.put("pods", pod_object("a", gpus(4), spec=spec))
    async with scheduling(api):
        await api.until(lambda: message(api, "a"))
        api.put("pods", pod_object("b", gpus(4), spec=spec))
        await bound(api, "a", "b")


@played
async def test_a_smaller_group_lets_those_go_that_are_there(api: FakeApi) -> None:
    api.put("groups", group(least=3))
    api.put("pods", member("a"))
    async with scheduling(api):
        await api.until(lambda: message(api, "a"))
        api.put("groups", group(least=1))
        await bound(api, "a")


@played
async def test_a_server_without_the_api_of_groups_has_none_until_it_has(api: FakeApi) -> None:
    api.fail("scheduling.k8s.io", 404, times=1)
    api.fail("scheduling.x-k8s.io", 404, times=2)
    api.put("pods", pod_object("alone", gpus(1)))
    async with scheduling(api):
        await bound(api, "alone")
        assert len(api.sent("scheduling.k8s.io")) == 1, "nothing refers to it: it is not asked again"
        api.put("groups", group(least=1))
        api.put("pods", member("a"))
        await bound(api, "a")


@played
async def test_members_that_have_succeeded_are_not_waited_for_after_a_restart(api: FakeApi) -> None:
    api.put("groups", group(least=2))
    api.succeeded.append(member("done"))
    api.put("pods", member("a"))
    async with scheduling(api):
        await bound(api, "a")


@played
async def test_finished_pods_are_not_listed_where_there_is_no_gang(api: FakeApi) -> None:
    api.put("pods", pod_object("a", gpus(1)))
    async with scheduling(api):
        await bound(api, "a")
    assert not api.sent("phase%3DSucceeded")


@played
async def test_a_gated_pod_is_bound_once_its_gates_are_gone(api: FakeApi) -> None:
    api.put("pods", pod_object("gated", gpus(1), spec={"schedulingGates": [{"name": "later"}]}))
    api.put("pods", pod_object("other", gpus(1)))
    async with scheduling(api):
        await bound(api, "other")
        assert not api.node_of("gated")
        api.put("pods", pod_object("gated", gpus(1)))
        await bound(api, "gated")


@played
async def test_namespaces_are_selected_by_their_labels(api: FakeApi) -> None:
    term = {
        "topologyKey": "host",
        "labelSelector": {"matchLabels": {"app": "db"}},
        "namespaceSelector": {"matchLabels": {"team": "data"}},
    }
    repels = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    api.put("nodes", node_object("n", 8, metadata={"labels": {"host": "n"}}))
    api.put("namespaces", {"metadata": {"name": "default", "labels": {"team": "data"}}})
    api.put("pods", pod_object("db", gpus(1), metadata={"labels": {"app": "db"}}, spec={"nodeName": "n"}))
    api.put("pods", pod_object("a", gpus(1), spec={"affinity": repels}))
    async with scheduling(api):
        await api.until(lambda: message(api, "a"))
        api.put("namespaces", {"metadata": {"name": "default", "labels": {"team": "web"}}})
        await bound(api, "a")


# Fed as happenings --------------------------------------------------------------------------------


async def _fed(api: FakeApi, settings: Settings, told: list[Happening], until: type) -> None:
    """Follow the server until it has told a happening of this kind."""
    seen = asyncio.Event()

    def feed(event: Happening) -> None:
        told.append(event)
        if isinstance(event, until):
            seen.set()

    async with Connection(Access(api.url, None, None, BearerToken()), "me") as connection:
        running = asyncio.create_task(Intake(settings, Client(connection, "me"), feed, QUICK).run())
        try:
            async with asyncio.timeout(60):
                await seen.wait()
                await api.until(lambda: all(map(api.watching, ("budgets", "namespaces", "pods"))))
                await _changes(api, told)
        finally:
            running.cancel()
            await asyncio.wait((running,))


async def _changes(api: FakeApi, told: list[Happening]) -> None:
    """Take everything away that the server has."""
    for kind in ("budgets", "namespaces"):
        for name in list(api.objects[kind]):
            api.put(kind, api.objects[kind][name])
            api.remove(kind, name)
    for name in list(api.objects["pods"]):
        pod = api.objects["pods"][name]
        pod["status"]["phase"] = "Succeeded"
        api.remove("pods", name)
    while not any(isinstance(each, PodGone) for each in told):
        await asyncio.sleep(0)


BUDGET: Object = {
    "metadata": {"namespace": "default", "name": "b"},
    "spec": {"selector": {}},
    "status": {"disruptionsAllowed": 1},
}


@played
async def test_what_is_fed_and_in_which_order(api: FakeApi) -> None:
    api.put("budgets", BUDGET)
    api.put("namespaces", {"metadata": {"name": "default"}})
    api.put("pods", pod_object("a", {GPU: "1"}, spec={"nodeName": "n"}))
    told: list[Happening] = []
    await _fed(api, Settings(victims=Victims.CONTROLLED), told, PodsListed)
    kinds = [type(each) for each in told]
    first = kinds.index(PodsListed)
    assert {BudgetsListed, NamespacesListed} <= set(kinds[:first]), "pods are listed last"
    assert {PodGone} <= set(kinds[first:])
    assert PodGone("uid-a", succeeded=True) in told
    assert {BudgetSeen, BudgetGone, NamespaceSeen, NamespaceGone} <= {*kinds}
    assert PodSeen not in kinds[:first]


@played
async def test_budgets_are_followed_only_where_pods_are_preempted(api: FakeApi) -> None:
    api.put("pods", pod_object("a", gpus(1)))
    async with scheduling(api):
        await bound(api, "a")
    assert not api.sent("poddisruptionbudgets")
