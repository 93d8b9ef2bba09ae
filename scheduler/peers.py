"""Which pods are where, for what depends on that: pod affinity and anti-affinity, topology spread.

Semantics and wording are those of kube-scheduler's filter plugins PodTopologySpread and InterPodAffinity, in
this order. Terms that an existing pod has against others count in both directions, as there.

A *view* holds all that a search for one pod needs, so that a node costs a few look-ups. Who matches a term is
remembered between searches and kept up to date as pods come and go.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import NamedTuple

from scheduler.constraints import PodTerm, Selector, Spread, selects
from scheduler.fit import Space, repels, selected
from scheduler.model import Demand, Labels

SPREAD = "node(s) didn't match pod topology spread constraints"
SPREAD_UNLABELLED = f"{SPREAD} (missing required label)"
NO_FRIENDS = "node(s) didn't match pod affinity rules"
FOES = "node(s) didn't match pod anti-affinity rules"
FOE_OF_OTHERS = "node(s) didn't satisfy existing pods anti-affinity rules"

MOST_WATCHED = 512
"""Conditions on pods whose matches are remembered; beyond that all are forgotten and found again at need."""


class Kin(NamedTuple):
    """What terms on pods look at."""

    namespace: str
    labels: Labels


class _Pod(NamedTuple):
    kin: Kin
    node: str
    terms: tuple[PodTerm, ...]
    ending: bool


_Places = dict[str, str]
"""Nodes of pods, by uid."""


class View:
    """Where a pod may go, as far as other pods are concerned, as things are now."""

    __slots__ = ("_foe_of", "_foes", "_friends", "_spread")

    def __init__(
        self,
        spread: list[tuple[str, dict[str, int], int]],
        friends: list[tuple[str, set[str] | None]],
        foes: dict[str, set[str]],
        foe_of: dict[str, set[str]],
    ) -> None:
        """Sets are of values by topology key.

        ``spread``: key, matching pods by domain, and how many are the most for one more to be allowed.
        ``friends``: domains with a pod that matches; None where being the first is allowed.
        """
        self._spread = spread
        self._friends = friends
        self._foes = foes
        self._foe_of = foe_of

    def objection(self, labels: Mapping[str, str]) -> str | None:
        """Why the pod may not go to a node with these labels; None when it may."""
        for key, counts, most in self._spread:
            value = labels.get(key)
            if value is None:
                return SPREAD_UNLABELLED
            if counts.get(value, 0) > most:
                return SPREAD
        for key, domains in self._friends:
            if key not in labels or (domains is not None and labels[key] not in domains):
                return NO_FRIENDS
        if _among(labels, self._foes):
            return FOES
        return FOE_OF_OTHERS if _among(labels, self._foe_of) else None


def _among(labels: Mapping[str, str], domains: Mapping[str, set[str]]) -> bool:
    return any(labels.get(key) in values for key, values in domains.items())


class Peers:
    """All pods that hold room, with what terms look at."""

    def __init__(self, rooms: Mapping[str, Space]) -> None:
        """``rooms`` is looked at, never changed: the nodes there are, by name."""
        self._rooms = rooms
        self._pods: dict[str, _Pod] = {}
        self._by_kin: dict[Kin, dict[str, None]] = {}
        self._terms: dict[PodTerm, _Places] = {}
        """Anti-affinity terms in force, with the pods that have them."""
        self._namespaces: dict[str, dict[str, str]] = {}
        self._watched: dict[Hashable, tuple[Callable[[Kin], bool], _Places]] = {}
        self._domains: dict[Hashable, tuple[int, list[dict[str, str]]]] = {}
        self.terms_version = 0
        """Counts the changes to the set of anti-affinity terms in force and to namespaces."""

    @property
    def repel(self) -> bool:
        """Whether any pod has a term against others."""
        return bool(self._terms)

    def put(self, uid: str, node: str, kin: Kin, demand: Demand, *, ending: bool) -> None:
        """Let a pod be on a node, and nowhere else."""
        pod = _Pod(kin, node, demand.anti_affinity, ending)
        if self._pods.get(uid) == pod:
            return
        self.drop(uid)
        self._pods[uid] = pod
        self._by_kin.setdefault(kin, {})[uid] = None
        for term in pod.terms:
            if term not in self._terms:
                self.terms_version += 1
            self._terms.setdefault(term, {})[uid] = node
        for matches, places in self._watched.values():
            if matches(kin):
                places[uid] = node

    def drop(self, uid: str) -> None:
        """Let a pod be nowhere."""
        pod = self._pods.pop(uid, None)
        if pod is None:
            return
        same = self._by_kin[pod.kin]
        del same[uid]
        if not same:
            del self._by_kin[pod.kin]
        for term in dict.fromkeys(pod.terms):
            del self._terms[term][uid]
            if not self._terms[term]:
                del self._terms[term]
                self.terms_version += 1
        for _, places in self._watched.values():
            places.pop(uid, None)

    def set_namespaces(self, namespaces: Iterable[tuple[str, Labels]]) -> None:
        """These are all namespaces there are."""
        self._namespaces = {name: dict(labels) for name, labels in namespaces}
        self._rethink()

    def set_namespace(self, name: str, labels: Labels | None) -> bool:
        """Add, change or (None) forget a namespace. Returns whether anything changed."""
        if self._namespaces.get(name) == (None if labels is None else dict(labels)):
            return False
        if labels is None:
            del self._namespaces[name]
        else:
            self._namespaces[name] = dict(labels)
        self._rethink()
        return True

    def _rethink(self) -> None:
        self._watched.clear()
        self.terms_version += 1

    def repelling(self, kin: Kin) -> tuple[PodTerm, ...]:
        """The terms in force that are against such a pod, in no particular but a repeatable order."""
        return tuple(term for term in self._terms if self._matches(term, kin))

    def _matches(self, term: PodTerm, kin: Kin) -> bool:
        if kin.namespace not in term.namespaces and not (
            term.namespace_selector is not None
            and selects(term.namespace_selector, self._namespaces.get(kin.namespace, {}))
        ):
            return False
        return selects(term.selector, dict(kin.labels))

    # Views ----------------------------------------------------------------------------------------

    def view(self, demand: Demand, kin: Kin, shape: int) -> View | None:
        """What a search for such a pod has to look at, None for nothing.

        ``shape`` is the cluster's: it changes with the nodes.
        """
        if not demand.looks_at_pods and not self._terms:
            return None
        spread = self._spread(demand, kin, shape) if demand.spread else []
        foes = ((term.topology_key, self._who(term)) for term in demand.anti_affinity)
        foe_of = ((term.topology_key, self._terms[term]) for term in self.repelling(kin))
        return View(spread, self._friends(demand.affinity, kin), self._values(foes), self._values(foe_of))

    def _who(self, term: PodTerm) -> _Places:
        unplaced = (term.selector, term.namespaces, term.namespace_selector)
        return self._watch(("term", unplaced), lambda kin: self._matches(term, kin))

    def _watch(self, key: Hashable, matches: Callable[[Kin], bool]) -> _Places:
        known = self._watched.get(key)
        if known is None:
            if len(self._watched) >= MOST_WATCHED:
                self._watched.clear()
            found = [same for kin, same in self._by_kin.items() if matches(kin)]
            places = {uid: self._pods[uid].node for same in found for uid in same}
            known = self._watched[key] = (matches, places)
        return known[1]

    def _values(self, places: Iterable[tuple[str, _Places]]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for key, nodes in places:
            found.setdefault(key, set()).update(self._values_of(key, nodes))
        return found

    def _values_of(self, key: str, places: _Places) -> Iterable[str]:
        for node in places.values():
            room = self._rooms.get(node)
            if room is not None and key in room.labels:
                yield room.labels[key]

    def _friends(self, terms: tuple[PodTerm, ...], kin: Kin) -> list[tuple[str, set[str] | None]]:
        if not terms:
            return []
        friends = self._watch(("all", terms), lambda kin: all(self._matches(term, kin) for term in terms))
        domains = [(term.topology_key, set(self._values_of(term.topology_key, friends))) for term in terms]
        if not any(values for _, values in domains) and all(self._matches(term, kin) for term in terms):
            return [(key, None) for key, _ in domains]  # the first of them may go anywhere
        return [*domains]

    def _spread(self, demand: Demand, kin: Kin, shape: int) -> list[tuple[str, dict[str, int], int]]:
        found = []
        domains = self._eligible(demand, shape)
        for spread, eligible in zip(demand.spread, domains, strict=True):
            counts = dict.fromkeys(eligible.values(), 0)
            for uid, node in self._alike(spread.selector, kin.namespace).items():
                if node in eligible and not self._pods[uid].ending:
                    counts[eligible[node]] += 1
            fewest = min(counts.values(), default=0) if len(counts) >= spread.min_domains else 0
            itself = selects(spread.selector, dict(kin.labels))
            found.append((spread.topology_key, counts, fewest + spread.max_skew - itself))
        return found

    def _alike(self, selector: Selector | None, namespace: str) -> _Places:
        if not selector:
            return {}  # neither no selector nor one that matches all counts any pod, as in kube-scheduler
        return self._watch(
            ("alike", namespace, selector),
            lambda kin: kin.namespace == namespace and selects(selector, dict(kin.labels)),
        )

    def _eligible(self, demand: Demand, shape: int) -> list[dict[str, str]]:
        """For each constraint the domain of each node that counts for it."""
        key = (demand.spread, demand.node_selector, demand.node_terms, demand.tolerations)
        known = self._domains.get(key)
        if known is not None and known[0] == shape:
            return known[1]
        keys = [spread.topology_key for spread in demand.spread]
        rooms = [room for room in self._rooms.values() if all(key in room.labels for key in keys)]
        found = [
            {
                room.node.name: room.labels[spread.topology_key]
                for room in rooms
                if _counts(spread, demand, room)
            }
            for spread in demand.spread
        ]
        if len(self._domains) >= MOST_WATCHED:
            self._domains.clear()
        self._domains[key] = (shape, found)
        return found

    def validate(self, holders: Mapping[str, str]) -> None:
        """Check against the nodes of all pods that hold room, and everything remembered against itself."""
        assert {uid: pod.node for uid, pod in self._pods.items()} == holders, "peers differ from the accounts"
        assert {uid for same in self._by_kin.values() for uid in same} == set(self._pods)
        for term, places in self._terms.items():
            assert places == {uid: pod.node for uid, pod in self._pods.items() if term in pod.terms}
        for matches, places in self._watched.values():
            assert places == {uid: pod.node for uid, pod in self._pods.items() if matches(pod.kin)}


def _counts(spread: Spread, demand: Demand, room: Space) -> bool:
    if spread.honour_affinity and not selected(demand, room):
        return False
    return not (spread.honour_taints and repels(room.node.taints, demand.tolerations))
