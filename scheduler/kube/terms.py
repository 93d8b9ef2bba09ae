"""Affinity, spread and host ports of a pod's specification, read into the scheduler's model."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scheduler.constraints import NodeTerm, PodTerm, Port, Preference, Requirement, Selector, Spread

Object = Mapping[str, Any]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
DO_NOT_SCHEDULE = "DoNotSchedule"

_HONOUR = "Honor"
"""``Honor`` of ``nodeAffinityPolicy`` and ``nodeTaintsPolicy``."""
_EVERY_ADDRESS = Port("", 0).address


def node_terms(spec: Object) -> tuple[NodeTerm, ...] | None:
    """The required node affinity; None without one."""
    required = _affinity(spec, "nodeAffinity").get(REQUIRED)
    return tuple(map(_node_term, required.get("nodeSelectorTerms") or ())) if required else None


def preferences(spec: Object) -> tuple[Preference, ...]:
    """The preferred node affinity."""
    preferred = _affinity(spec, "nodeAffinity").get(PREFERRED) or ()
    return tuple(
        Preference(each.get("weight") or 1, _node_term(each.get("preference") or {})) for each in preferred
    )


def pod_terms(metadata: Object, spec: Object, kind: str) -> tuple[PodTerm, ...]:
    """The required terms of ``podAffinity`` or ``podAntiAffinity``."""
    return tuple(_pod_term(metadata, term) for term in _affinity(spec, kind).get(REQUIRED) or ())


def spreads(metadata: Object, spec: Object) -> tuple[Spread, ...]:
    """The topology spread constraints that must hold."""
    return tuple(
        Spread(
            topology_key=each["topologyKey"],
            max_skew=each["maxSkew"],
            selector=_selector(metadata, each),
            min_domains=each.get("minDomains") or 1,
            honour_affinity=each.get("nodeAffinityPolicy", _HONOUR) == _HONOUR,
            honour_taints=each.get("nodeTaintsPolicy") == _HONOUR,
        )
        for each in spec.get("topologySpreadConstraints") or ()
        if each.get("whenUnsatisfiable", DO_NOT_SCHEDULE) == DO_NOT_SCHEDULE
    )


def host_ports(spec: Object) -> tuple[Port, ...]:
    """The ports of the host that containers take, sidecars included."""
    return tuple(sorted(set(_host_ports(spec))))


def _host_ports(spec: Object) -> Iterator[Port]:
    for container in (*spec["containers"], *(spec.get("initContainers") or ())):
        for port in container.get("ports") or ():
            if number := port.get("hostPort"):
                address = port.get("hostIP") or _EVERY_ADDRESS
                yield Port(port.get("protocol") or "TCP", number, address)


def _affinity(spec: Object, kind: str) -> Object:
    found: Object = (spec.get("affinity") or {}).get(kind) or {}
    return found


def _node_term(term: Object) -> NodeTerm:
    return NodeTerm(_requirements(term.get("matchExpressions")), _requirements(term.get("matchFields")))


def _pod_term(metadata: Object, term: Object) -> PodTerm:
    named = tuple(term.get("namespaces") or ())
    chosen = label_selector(term.get("namespaceSelector"))
    own = () if named or chosen is not None else (metadata.get("namespace", ""),)
    return PodTerm(
        topology_key=term["topologyKey"],
        selector=_selector(metadata, term),
        namespaces=named or own,
        namespace_selector=chosen,
    )


def label_selector(selector: Object | None) -> Selector | None:
    """A ``LabelSelector``; without any requirement it selects everything, and None selects nothing."""
    if selector is None:
        return None
    exact = ((key, "In", (value,)) for key, value in (selector.get("matchLabels") or {}).items())
    return (*(Requirement(*each) for each in exact), *_requirements(selector.get("matchExpressions")))


def _selector(metadata: Object, term: Object) -> Selector | None:
    """``labelSelector``, with what ``matchLabelKeys`` and ``mismatchLabelKeys`` take from the pod itself."""
    selector = label_selector(term.get("labelSelector"))
    if selector is None:
        return None
    labels = metadata.get("labels") or {}
    same = ((key, "In", (labels[key],)) for key in term.get("matchLabelKeys") or () if key in labels)
    other = ((key, "NotIn", (labels[key],)) for key in term.get("mismatchLabelKeys") or () if key in labels)
    return (*selector, *(Requirement(*each) for each in (*same, *other)))


def _requirements(expressions: Iterable[Object] | None) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(each["key"], each["operator"], tuple(each.get("values") or ()))
        for each in expressions or ()
    )
