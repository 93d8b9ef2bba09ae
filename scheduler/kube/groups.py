"""Gangs as clusters know them: which pods belong together, and how many have to run at once.

There are three ways to say it. A pod that says it in more than one belongs to the gang of the first of these:

1. the native API: ``spec.schedulingGroup.podGroupName`` names a ``PodGroup`` of ``scheduling.k8s.io``, whose
   ``spec.schedulingPolicy.gang.minCount`` counts (a ``basic`` policy makes no gang);
2. the label ``scheduling.x-k8s.io/pod-group`` names a ``PodGroup`` of ``scheduling.x-k8s.io``, whose
   ``spec.minMember`` counts;
3. the annotation ``lst.scheduler/gang`` (the prefix can be configured) on a Job's pod template says how many
   pods of the same controller have to run at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from scheduler.laxity import MALFORMED_ANNOTATION, AnnotationKeys
from scheduler.model import GangRef, Notice

Object = Mapping[str, Any]

POD_GROUP_LABEL = "scheduling.x-k8s.io/pod-group"

NATIVE = "scheduling.k8s.io"
COSCHEDULING = "scheduling.x-k8s.io"
"""The API groups that have a ``PodGroup``; both name it alike and shape it differently."""

MOST_MEMBERS = 100_000
"""More members than any cluster has room for: a larger number is a mistake."""


class Group(NamedTuple):
    """What a ``PodGroup`` asks for.

    Attributes:
        least: how many members have to run at once; None for a group that is no gang.
        topology_key: the label of nodes within one value of which the gang is kept where it fits there.
    """

    least: int | None
    topology_key: str | None


@dataclass(frozen=True, slots=True)
class Membership:
    """What a pod says about its gang: the key of the group that it names, or its gang itself.

    Both are None for a pod that is on its own.
    """

    group: str | None = None
    gang: GangRef | None = None
    notices: tuple[Notice, ...] = ()


def group_key(api: str, namespace: str, name: str) -> str:
    """The key of a ``PodGroup``, and of the gang that it makes."""
    return f"{api}/{namespace}/{name}"


def membership(metadata: Object, spec: Object, owner: str, keys: AnnotationKeys) -> Membership:
    """What a pod says about its gang. ``owner``: the uid of its controller, empty without one."""
    group = named_group(metadata, spec)
    if group is not None:
        return Membership(group)
    annotations = metadata.get("annotations") or {}
    text = annotations.get(keys.gang)
    return Membership() if text is None else _annotated(text, annotations, metadata, owner, keys)


def named_group(metadata: Object, spec: Object) -> str | None:
    """The key of the ``PodGroup`` that a pod names; None where it names none."""
    namespace = metadata.get("namespace", "")
    native = (spec.get("schedulingGroup") or {}).get("podGroupName")
    if native:
        return group_key(NATIVE, namespace, native)
    labelled = (metadata.get("labels") or {}).get(POD_GROUP_LABEL)
    return group_key(COSCHEDULING, namespace, labelled) if labelled else None


def _annotated(
    text: str, annotations: Mapping[str, str], metadata: Object, owner: str, keys: AnnotationKeys
) -> Membership:
    wrong = ""
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= MOST_MEMBERS):
        wrong = f"{text!r} is no whole number from 1 to {MOST_MEMBERS}"
    elif not owner:
        wrong = "the pod has no controller whose pods would be its gang"
    if wrong:
        note = f"annotation {keys.gang}: {wrong}; the pod is placed on its own"
        return Membership(notices=(Notice(MALFORMED_ANNOTATION, note),))
    kind, name = _controller(metadata)
    ref = GangRef(
        key=f"owner/{owner}",
        least=int(text),
        topology_key=annotations.get(keys.gang_topology) or None,
        name=f"{kind} {metadata.get('namespace', '')}/{name}",
    )
    return Membership(gang=ref)


def _controller(metadata: Object) -> tuple[str, str]:
    owners = metadata.get("ownerReferences") or ()
    return next((each.get("kind", ""), each.get("name", "")) for each in owners if each.get("controller"))


def read_native(group: Object) -> Group:
    """A ``PodGroup`` of ``scheduling.k8s.io``.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the object is none that an API server would serve.
    """
    spec = group.get("spec") or {}
    gang = (spec.get("schedulingPolicy") or {}).get("gang")
    topology = (spec.get("schedulingConstraints") or {}).get("topology") or ()
    key = next((str(each["key"]) for each in topology), None)
    return Group(None if gang is None else max(1, int(gang["minCount"])), key)


def read_coscheduling(group: Object) -> Group:
    """A ``PodGroup`` of ``scheduling.x-k8s.io``. Raises as ``read_native``."""
    return Group(max(1, int((group.get("spec") or {}).get("minMember") or 1)), None)


READERS = {NATIVE: read_native, COSCHEDULING: read_coscheduling}
"""How a group is read, by its API."""


class Groups:
    """The ``PodGroup`` objects there are."""

    def __init__(self) -> None:
        self._known: dict[str, Group] = {}

    def put_all(self, api: str, groups: Iterable[tuple[str, Group]]) -> set[str]:
        """These, by key, are all the groups of an API. Returns the keys of those that changed."""
        new = dict(groups)
        old = {key for key in self._known if key.startswith(f"{api}/")}
        changed = {key for key in old - new.keys() if self.drop(key)}
        return changed | {key for key, group in new.items() if self.put(key, group)}

    def put(self, key: str, group: Group) -> bool:
        """A group appeared or changed. Returns whether it is any different."""
        if self._known.get(key) == group:
            return False
        self._known[key] = group
        return True

    def drop(self, key: str) -> bool:
        """A group was deleted. Returns whether it was known."""
        return self._known.pop(key, None) is not None

    def knows(self, key: str) -> bool:
        """Whether there is a group with this key."""
        return key in self._known

    def gang(self, member: Membership) -> GangRef | None:
        """The gang of a pod that says this. One whose group is not known has to wait for it."""
        key = member.group
        if key is None:
            return member.gang
        group = self._known.get(key)
        name = f"PodGroup {key.partition('/')[2]}"
        if group is None:
            return GangRef(key, None, name=name)
        return None if group.least is None else GangRef(key, group.least, group.topology_key, name)
