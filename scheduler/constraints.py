"""What pods and nodes say about where pods may go: taints, selectors, affinity, spread. Plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Taint:
    """What a node says to keep pods away (``spec.taints``)."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Toleration:
    """Which taints a pod puts up with (``spec.tolerations``); an empty key or effect stands for all."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on a label or field: ``In``, ``NotIn``, ``Exists``, ``DoesNotExist``, ``Gt``, ``Lt``."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """One term of a node affinity: it holds where all of its conditions hold."""

    labels: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


class Preference(NamedTuple):
    """One term of a preferred node affinity: what it is worth on a node where it holds, from 1 to 100."""

    weight: int
    term: NodeTerm


class Port(NamedTuple):
    """A port of the host that a container takes; ``0.0.0.0`` is every address of the host."""

    protocol: str
    number: int
    address: str = "0.0.0.0"  # noqa: S104 - as Kubernetes writes "all addresses": nothing listens here


Selector = tuple[Requirement, ...]
"""A label selector: all of its requirements hold. Without any it matches everything."""


@dataclass(frozen=True, slots=True)
class PodTerm:
    """One term of a required pod affinity or anti-affinity.

    Attributes:
        topology_key: the label of nodes whose values are the domains.
        selector: which pods by their labels, ``matchLabels``, ``matchLabelKeys`` and ``mismatchLabelKeys``
            included; None for no pod.
        namespaces: which pods by their namespace's name. The pod's own stands here where the term names
            neither namespaces nor a selector of them.
        namespace_selector: which pods by their namespace's labels; None for no more than ``namespaces``.
    """

    topology_key: str
    selector: Selector | None
    namespaces: tuple[str, ...] = ()
    namespace_selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """A topology spread constraint with ``DoNotSchedule``, over pods of the same namespace.

    Attributes:
        topology_key: the label of nodes whose values are the domains.
        max_skew: by how many matching pods a domain may exceed the one with the fewest.
        selector: which pods, ``matchLabelKeys`` included; None for no pod.
        min_domains: with fewer domains than this the fewest counts as 0.
        honour_affinity: only nodes that the pod's node selector and affinity admit count
            (``nodeAffinityPolicy``).
        honour_taints: only nodes whose taints the pod tolerates count (``nodeTaintsPolicy``).
    """

    topology_key: str
    max_skew: int
    selector: Selector | None
    min_domains: int = 1
    honour_affinity: bool = True
    honour_taints: bool = False


def selects(selector: Selector | None, labels: Mapping[str, str]) -> bool:
    """Whether the selector matches these labels; None matches nothing."""
    return selector is not None and all(holds(each, labels) for each in selector)


def holds(requirement: Requirement, values: Mapping[str, str]) -> bool:
    """Whether the condition holds of these labels or fields."""
    value = values.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt" if value is not None and len(requirement.values) == 1:
            return compares(value, requirement.operator, requirement.values[0])
    return False


def compares(left: str, operator: str, right: str) -> bool:
    """``left < right`` or ``left > right`` as 64-bit integers; false when one is none, as in Kubernetes."""
    try:
        a, b = int(left), int(right)
    except ValueError:
        return False
    if not (_is_plain(left) and _is_plain(right)) or max(abs(a), abs(b)) >= _INT64:
        return False
    return a < b if operator == "Lt" else a > b


_INT64 = 1 << 63


def _is_plain(text: str) -> bool:
    """Whether it is what Go reads as an integer: Python also allows spaces, underscores, other digits."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit()
