"""The decision core: what happened goes in, what to do comes out.

Nothing here does I/O, waits, or reads a clock, and nothing depends on the order in which a set or the network
delivers: the same happenings at the same instants make the same actions.

A change that may help a pending pod makes the core ask for one gathering window; at its end a *round* decides
over everything known by then. After a round every pending pod has its answer: a binding, a place that is held
for it, or the reason why it waits. Other changes (the echo of our own writes, heartbeats, room that helps
nobody) cause nothing. Where the passing of time alone can change a decision, the core asks to be woken then.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scheduler import explain
from scheduler.invariants import validate
from scheduler.knowledge import Knowledge
from scheduler.messages import (
    Action,
    Announce,
    BackOff,
    BackOffOver,
    BindDone,
    BindRefused,
    BudgetGone,
    BudgetSeen,
    BudgetsListed,
    Gather,
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
    PreemptRefused,
    Wake,
    WindowOver,
    Woken,
)
from scheduler.model import Task
from scheduler.placement import BEST_FIT, Packing
from scheduler.policy import Policy
from scheduler.round import Round
from scheduler.rules import PreemptionRules
from scheduler.timetext import SECOND

if TYPE_CHECKING:
    from scheduler.census import Census

FIRST_PAUSE = 1 * SECOND
LONGEST_PAUSE = 10 * SECOND
"""After a refused binding a pod pauses, twice as long each time: as kube-scheduler, from 1 to 10 s."""

GRAIN = SECOND
"""Slack is taken at whole seconds. Creation times, to which deadlines refer, are no finer; and a decision
must not hang on how many milliseconds it took to learn of a change."""


class Core:
    """Everything that the scheduler knows, and what follows from it."""

    def __init__(
        self,
        policy: Policy,
        chip_kinds: tuple[str, ...],
        packing: Packing = BEST_FIT,
        rules: PreemptionRules | None = None,
    ) -> None:
        """``rules``: when running workloads are taken for others; None for never, whatever the policy."""
        self._known = Knowledge(policy, chip_kinds, packing, rules)
        self._refusals: dict[str, int] = {}
        self._unlisted = {PodsListed, NodesListed}
        self._gathering = False
        self._restored = False
        self._wake_at: int | None = None
        """The instant for which the core has asked to be woken."""
        self._on: dict[type, Callable[[Any], Iterable[Action] | None]] = {
            PodsListed: self._pods_listed,
            NodesListed: self._nodes_listed,
            PodSeen: lambda event: self._pod_seen(event.task),
            PodGone: lambda event: self._pod_gone(event.uid, succeeded=event.succeeded),
            NodeSeen: lambda event: self._known.set_node(event.node),
            NodeGone: lambda event: self._known.drop_node(event.name),
            BudgetsListed: lambda event: self._known.budgets.put_all(event.budgets),
            BudgetSeen: lambda event: self._known.budgets.put(event.budget),
            BudgetGone: lambda event: self._known.budgets.drop(event.namespace, event.name),
            NamespacesListed: self._namespaces_listed,
            NamespaceSeen: lambda event: self._namespace(event.name, event.labels),
            NamespaceGone: lambda event: self._namespace(event.name, None),
            WindowOver: lambda _: self._round(),
            BindDone: self._bind_done,
            BindRefused: self._bind_refused,
            BackOffOver: lambda event: self._back_off_over(event.uid),
            Woken: lambda _: self._woken(),
            PreemptRefused: self._preempt_refused,
        }

    def handle(self, event: Happening, now: int) -> list[Action]:
        """Take note of what happened at the instant ``now``. Returns what to do, in this order."""
        known = self._known
        known.now = now // GRAIN * GRAIN
        actions = [*(self._on[type(event)](event) or ())]
        waiting = len(known.queue) or known.holds or known.unsettled
        if known.due and not self._gathering and not self._unlisted and waiting:
            self._gathering = True
            actions.append(Gather())
        actions += self._wake()
        return actions

    @property
    def informed(self) -> bool:
        """Whether it was told of all pods and of all nodes once: before that nothing is decided."""
        return not self._unlisted

    def tidy(self, now: int) -> None:
        """Let go of checks that time has made moot. Rounds do that too: this is for one that stands by."""
        self._known.queue.next_check(now)

    def census(self, now: int) -> "Census":
        """Who waits at the instant ``now``."""
        from scheduler.census import take_census  # only for those who ask

        return take_census(self._known, now)

    # Pods -----------------------------------------------------------------------------------------

    def _pods_listed(self, event: PodsListed) -> Iterator[Action]:
        self._unlisted.discard(PodsListed)
        listed = {task.ref.uid for task in event.tasks}
        for uid in [uid for uid in self._known.tasks if uid not in listed]:
            self._pod_gone(uid, succeeded=False)
        for task in event.tasks:
            yield from self._pod_seen(task)
        for key in sorted(self._known.gangs.set_done(event.done)):
            self._known.form(key)

    def _pod_seen(self, task: Task) -> Iterator[Action]:
        known, uid = self._known, task.ref.uid
        old = known.tasks.get(uid)
        different = known.see(task)
        if not self._restored:  # after the first round its own word is newer than the echo of it
            known.hear(task)
        if not different:
            return
        if task.node:
            self._refusals.pop(uid, None)
        elif uid not in known.assumed and known.may_wait(task):
            seen = old.notices if old is not None and known.may_wait(old) else ()
            for notice in task.notices:
                if notice not in seen:
                    yield Announce(task.ref, "Warning", notice.reason, "Scheduling", notice.note)

    def _pod_gone(self, uid: str, *, succeeded: bool) -> None:
        self._refusals.pop(uid, None)
        self._known.gone(uid, succeeded=succeeded)

    # Nodes and namespaces -------------------------------------------------------------------------

    def _nodes_listed(self, event: NodesListed) -> None:
        known = self._known
        self._unlisted.discard(NodesListed)
        listed = {node.name for node in event.nodes}
        for name in [name for name in known.cluster.rooms if name not in listed]:
            known.drop_node(name)
        for node in event.nodes:
            known.set_node(node)

    def _namespaces_listed(self, event: NamespacesListed) -> None:
        self._known.cluster.peers.set_namespaces(event.namespaces)
        self._known.touch()

    def _namespace(self, name: str, labels: frozenset[tuple[str, str]] | None) -> None:
        if self._known.cluster.peers.set_namespace(name, labels):
            self._known.touch()

    # Our own writes -------------------------------------------------------------------------------

    def _bind_done(self, event: BindDone) -> Iterator[Action]:
        known, uid = self._known, event.ref.uid
        self._refusals.pop(uid, None)
        known.pausing.discard(uid)
        task = known.tasks.get(uid)
        if task is not None:
            note = explain.assigned(task, event.node, known.now)
            yield Announce(event.ref, "Normal", "Scheduled", "Binding", note)

    def _bind_refused(self, event: BindRefused) -> Iterator[Action]:
        known, uid = self._known, event.ref.uid
        if known.assumed.get(uid) != event.node:
            return  # gone, or seen bound meanwhile: the API has had the last word
        del known.assumed[uid]
        refusals = self._refusals.get(uid, 0)
        self._refusals[uid] = refusals + 1
        known.pausing.add(uid)
        known.account(known.tasks[uid])
        note = explain.refused(event.node, event.why)
        yield Announce(event.ref, "Warning", "FailedScheduling", "Binding", note)
        yield BackOff(uid, min(FIRST_PAUSE << refusals, LONGEST_PAUSE))

    def _back_off_over(self, uid: str) -> None:
        known = self._known
        if uid in known.pausing:
            known.pausing.discard(uid)
            known.account(known.tasks[uid])

    def _preempt_refused(self, event: PreemptRefused) -> Iterator[Action]:
        """The victim goes on: the place that was to be its is held no more."""
        known, uid = self._known, event.victim.uid
        hold = known.holds.get(known.victims.pop(uid, ""))
        task = known.tasks.get(uid)
        if task is None:
            return
        known.spared[uid] = known.now + known.rules.hold
        known.account(task)
        note = explain.not_preempted(event.why)
        yield Announce(event.victim, "Warning", "PreemptionFailed", "Preempting", note)
        if hold is not None:
            known.release_hold(hold)

    # Time -----------------------------------------------------------------------------------------

    def _woken(self) -> None:
        self._wake_at = None
        self._known.due = True

    def _wake(self) -> Iterator[Action]:
        """Ask to be woken when something has to be decided though nothing happens."""
        if self._gathering or self._unlisted:
            return  # the round decides over it
        at = self._next_instant()
        if at == self._wake_at:
            return
        self._wake_at = at
        yield Wake(at)

    def _next_instant(self) -> int | None:
        known = self._known
        instants = [hold.until for hold in known.holds.values()]
        check = known.queue.next_check(known.now) if known.queue else None
        if check is not None:
            instants.append(check)
        instants += [since + known.rules.hold for since in known.half.values()]
        later = [max(-(-instant // GRAIN) * GRAIN, known.now + GRAIN) for instant in instants]
        return min(later, default=None)

    def _round(self) -> list[Action]:
        self._gathering = False
        if not self._restored:
            self._restored = True
            self._known.restore_holds()
        return Round(self._known).run()

    def validate(self) -> None:
        """Check every invariant of the state: an ``AssertionError`` is a bug in this program."""
        known = self._known
        validate(known)
        assert self._refusals.keys() <= known.tasks.keys(), "a gone pod is kept"
        ready = not self._unlisted and len(known.queue) > 0
        assert self._gathering or not (known.due and ready), "a decision is due and nobody will make it"
        if not self._unlisted and not self._gathering:
            assert self._wake_at == self._next_instant(), "a timer is missing, or one too many"
