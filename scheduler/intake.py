"""What the API server tells, as happenings for the decision core.

Each collection is followed by a reflector of its own. Pods come last: what is said of their gangs, budgets
and namespaces is known by then, so that the first decisions do not hang on which list came first.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from scheduler.config import Settings
from scheduler.kube.budgets import budget_of
from scheduler.kube.client import (
    BUDGETS,
    COSCHEDULING_GROUPS,
    NAMESPACES,
    NATIVE_GROUPS,
    NODES,
    PODS,
    SUCCEEDED_PODS,
    Client,
)
from scheduler.kube.groups import COSCHEDULING, NATIVE, READERS, Group, Groups, group_key, named_group
from scheduler.kube.objects import SUCCEEDED, Reader, node_of
from scheduler.kube.pauses import Pauses
from scheduler.kube.reflector import Reflector, list_all
from scheduler.messages import (
    BudgetGone,
    BudgetSeen,
    BudgetsListed,
    Happening,
    NamespaceGone,
    NamespaceSeen,
    NamespacesListed,
    NodeGone,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
)
from scheduler.model import DisruptionBudget, Labels, Node, Task

_log = logging.getLogger(__name__)

Object = Mapping[str, Any]
_Read = TypeVar("_Read")

_MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError)
"""What reading an object fails with when it is not what an API server would serve."""

_DELETED = "DELETED"


class Intake:
    """Follows all that decisions need, and feeds it to ``feed``."""

    def __init__(
        self, settings: Settings, client: Client, feed: Callable[[Happening], None], pauses: Pauses
    ) -> None:
        """``pauses``: how long to wait after failed requests."""
        self._client = client
        self._feed = feed
        self._groups = Groups()
        self._reader = Reader(
            settings.scheduler_name, settings.annotation_keys, settings.default_class, self._groups
        )
        self._members: dict[str, dict[str, Object]] = {}
        """The unfinished pods that name a ``PodGroup``, by its key and their uid."""
        self._group_of: dict[str, str] = {}
        """The key of the ``PodGroup`` that such a pod names, by its uid."""
        reflect = partial(Reflector, client, pauses=pauses)
        self._native = reflect(
            NATIVE_GROUPS,
            partial(self._groups_listed, NATIVE),
            partial(self._group_changed, NATIVE),
            optional=True,
        )
        self._coscheduling = reflect(
            COSCHEDULING_GROUPS,
            partial(self._groups_listed, COSCHEDULING),
            partial(self._group_changed, COSCHEDULING),
            optional=True,
        )
        self._before_pods = [
            reflect(NODES, self._nodes_listed, self._node_changed),
            reflect(NAMESPACES, self._namespaces_listed, self._namespace_changed),
            self._native,
            self._coscheduling,
        ]
        if settings.preemption is not None:
            self._before_pods.append(reflect(BUDGETS, self._budgets_listed, self._budget_changed))
        self._pods = reflect(PODS, self._pods_listed, self._pod_changed)

    async def run(self) -> None:
        """Follow everything until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for each in self._before_pods:
                tasks.create_task(each.run())
            for each in self._before_pods:
                await each.first_list()
            tasks.create_task(self._pods.run())

    @property
    def received(self) -> int:
        """Pieces of input read so far: tells whether anything came between two looks."""
        return self._pods.received + sum(each.received for each in self._before_pods)

    # Pods -----------------------------------------------------------------------------------------

    async def _pods_listed(self, pods: list[Object]) -> None:
        self._members.clear()
        self._group_of.clear()
        tasks = [task for task in map(self._task, pods) if task is not None]
        _log.info("listed %d unfinished pods, %d of them hold room or wait for us", len(pods), len(tasks))
        gangs = any(task.gang is not None for task in tasks)
        self._feed(PodsListed(tuple(tasks), await self._members_done() if gangs else ()))

    async def _members_done(self) -> tuple[str, ...]:
        """The gang's key for each member that has succeeded and still exists."""
        pods, _ = await list_all(self._client, SUCCEEDED_PODS)
        keys = (_readable(self._reader.gang_key, "pod", pod) for pod in pods)
        return tuple(sorted(key for key in keys if key is not None))

    def pod_read(self, pod: Object) -> None:
        """Take note of a pod that was read apart from the watch."""
        self._pod_changed("MODIFIED", pod)

    def _pod_changed(self, kind: str, pod: Object) -> None:
        task = None if kind == _DELETED else self._task(pod)
        if task is not None:
            self._feed(PodSeen(task))
            return
        uid = str((pod.get("metadata") or {}).get("uid"))
        self._leave_group(uid)
        self._feed(PodGone(uid, succeeded=(pod.get("status") or {}).get("phase") == SUCCEEDED))

    def _task(self, pod: Object) -> Task | None:
        task = _readable(self._reader.task, "pod", pod)
        if task is not None and task.ours:
            self._join_group(pod, task.ref.uid)
        return task

    # Groups of pods -------------------------------------------------------------------------------

    def _join_group(self, pod: Object, uid: str) -> None:
        key = named_group(pod["metadata"], pod["spec"])
        if self._group_of.get(uid) != key:
            self._leave_group(uid)
        if key is None:
            return
        self._group_of[uid] = key
        self._members.setdefault(key, {})[uid] = pod
        if not self._groups.knows(key):
            (self._native if key.startswith(f"{NATIVE}/") else self._coscheduling).want()

    def _leave_group(self, uid: str) -> None:
        key = self._group_of.pop(uid, None)
        if key is not None:
            del self._members[key][uid]
            if not self._members[key]:
                del self._members[key]

    async def _groups_listed(self, api: str, groups: list[Object]) -> None:
        read = ((_key(api, each), _group(api, each)) for each in groups)
        known = [(key, group) for key, group in read if group is not None]
        self._read_again(self._groups.put_all(api, known))

    def _group_changed(self, api: str, kind: str, found: Object) -> None:
        key = _key(api, found)
        group = None if kind == _DELETED else _group(api, found)
        changed = self._groups.drop(key) if group is None else self._groups.put(key, group)
        if changed:
            self._read_again({key})

    def _read_again(self, keys: Iterable[str]) -> None:
        """Tell the members of these groups anew: they belong to another gang now."""
        for key in sorted(keys):
            for pod in list(self._members.get(key, {}).values()):
                self._pod_changed("MODIFIED", pod)

    # Nodes, budgets and namespaces ----------------------------------------------------------------

    async def _nodes_listed(self, nodes: list[Object]) -> None:
        read = [node for node in map(_node, nodes) if node is not None]
        _log.info("listed %d nodes", len(read))
        self._feed(NodesListed(tuple(read)))

    def _node_changed(self, kind: str, found: Object) -> None:
        node = None if kind == _DELETED else _node(found)
        self._feed(NodeSeen(node) if node is not None else NodeGone(_name(found)))

    async def _budgets_listed(self, budgets: list[Object]) -> None:
        read = (_budget(each) for each in budgets)
        self._feed(BudgetsListed(tuple(budget for budget in read if budget is not None)))

    def _budget_changed(self, kind: str, found: Object) -> None:
        budget = None if kind == _DELETED else _budget(found)
        if budget is not None:
            self._feed(BudgetSeen(budget))
        else:
            self._feed(BudgetGone(str((found.get("metadata") or {}).get("namespace")), _name(found)))

    async def _namespaces_listed(self, namespaces: list[Object]) -> None:
        self._feed(NamespacesListed(tuple((_name(each), _labels(each)) for each in namespaces)))

    def _namespace_changed(self, kind: str, found: Object) -> None:
        name = _name(found)
        self._feed(NamespaceGone(name) if kind == _DELETED else NamespaceSeen(name, _labels(found)))


# Reading ------------------------------------------------------------------------------------------


def _readable(read: Callable[[Object], _Read | None], what: str, found: Object) -> _Read | None:
    try:
        return read(found)
    except _MISSHAPEN as error:
        _log.warning("cannot read the %s %s, it is left out of account: %r", what, _full_name(found), error)
        return None


def _node(found: Object) -> Node | None:
    return _readable(node_of, "node", found)


def _budget(found: Object) -> DisruptionBudget | None:
    return _readable(budget_of, "disruption budget", found)


def _group(api: str, found: Object) -> Group | None:
    return _readable(READERS[api], "PodGroup", found)


def _key(api: str, found: Object) -> str:
    return group_key(api, str((found.get("metadata") or {}).get("namespace", "")), _name(found))


def _labels(found: Object) -> Labels:
    return frozenset(((found.get("metadata") or {}).get("labels") or {}).items())


def _name(found: Object) -> str:
    return str((found.get("metadata") or {}).get("name"))


def _full_name(found: Object) -> str:
    metadata = found.get("metadata") or {}
    return (
        "/".join(str(metadata[key]) for key in ("namespace", "name") if metadata.get(key)) or "without a name"
    )
