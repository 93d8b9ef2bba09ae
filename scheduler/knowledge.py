"""Everything that the scheduler knows: pods, nodes, who waits, who runs, which places are held.

Facts come in here and the accounts follow; nothing is decided here.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from scheduler.cluster import Cluster
from scheduler.ends import Ends
from scheduler.fit import admits, fits
from scheduler.gangs import Gang, Gangs
from scheduler.model import Node, PodRef, Task
from scheduler.peers import Kin
from scheduler.pending import AskClass, Part, Queue, Workload, ask_for, kin_of
from scheduler.placement import Packing
from scheduler.plan import Places, Planner
from scheduler.policy import Policy, Preempting
from scheduler.progress import Progress
from scheduler.room import Room
from scheduler.rules import PreemptionRules
from scheduler.victims import Budgets, History, Roll


@dataclass(slots=True)
class Hold:
    """Places held for a workload until the pods that are in the way have ended.

    Attributes:
        workload: who waits for them.
        places: nodes by uid of its pods.
        until: when it is given up.
        victims: the pods that had to give way and are not gone yet.
    """

    workload: Workload
    places: Places
    until: int
    victims: set[str] = field(default_factory=set)


class Knowledge:
    """What is known, at the instant of the last happening."""

    def __init__(
        self, policy: Policy, chip_kinds: tuple[str, ...], packing: Packing, rules: PreemptionRules | None
    ) -> None:
        self.policy = policy
        self.rules = rules or PreemptionRules()
        self.preempting = policy.preempting if rules is not None else Preempting.NEVER
        self.chip_kinds = chip_kinds
        self.cluster = Cluster(chip_kinds, packing)
        self.planner = Planner(self.cluster, chip_kinds)
        self.queue = Queue(policy, self.preempting, self.rules.lead)
        self.gangs = Gangs()
        self.progress = Progress()
        self.ends = Ends()
        self.roll = Roll(self.preempting)
        self.budgets = Budgets()
        self.history = History()
        self.now = 0
        self.tasks: dict[str, Task] = {}
        """All pods that concern us, with what is left of their work."""
        self.told: dict[str, str | None] = {}
        """What the condition of each pod that waits says of why it does, None without such a condition."""
        self.assumed: dict[str, str] = {}
        """Pods that we placed, by uid, with their node, until the API shows them there."""
        self.pausing: set[str] = set()
        self.holds: dict[str, Hold] = {}
        """By the key of the workload."""
        self.held: dict[str, str] = {}
        """The hold's key of each pod for which a place is held."""
        self.victims: dict[str, str] = {}
        """Pods that we asked to end, by uid, with the key of the workload for which; empty for none."""
        self.spared: dict[str, int] = {}
        """Pods that the API did not let us end, by uid: until when it is not tried again."""
        self.gained: set[str] = set()
        """Nodes on which some stuck class may fit now."""
        self.half: dict[str, int] = {}
        """Gangs of which a part holds room while the others that it needs wait, by key: since when."""
        self.unsettled: set[str] = set()
        """Gangs whose members changed, so that they need an answer."""
        self.due = False
        """Something changed that may help a workload that waits."""
        self._terms_seen = 0
        self._raw: dict[str, Task] = {}
        """The pods as they were told."""

    # Pods -----------------------------------------------------------------------------------------

    def see(self, told: Task) -> bool:
        """Take note of a pod as it is told. Returns whether it is any different."""
        uid = told.ref.uid
        before = self._raw.get(uid)
        self._raw[uid] = (
            told  # also where it is no different: what the API says of our answers is not compared
        )
        if before == told:
            return False
        task = self.progress.of(told) if told.ours else told
        self.tasks[uid] = task
        if task.node:
            self.assumed.pop(uid, None)  # the API's word outranks our guess
            self.pausing.discard(uid)
        self.account(task)
        return True

    def hear(self, task: Task) -> None:
        """Believe what the API says of why a pod waits: somebody else has decided so far."""
        if task.ref.uid in self.told:
            self.told[task.ref.uid] = task.told

    def account(self, task: Task) -> None:
        """Put a known pod where it belongs: on its node, among those that wait, or nowhere."""
        uid = task.ref.uid
        place, moves = self.place_of(task), self.cluster.moves
        hold = self.holds.get(self.held.get(uid, ""))
        if hold is not None and not self._still_holds(hold, task, place):
            self.release_hold(hold)
            hold = None
        if place:
            self.forget_waiting(uid)
            ending = task.deleting is not None or uid in self.victims
            self.gain(self.cluster.put(uid, place, task.demand, kin_of(task), ending=ending))
            self.ends.put(uid, place, task, self.now)
            self.roll.put(task)
        elif hold is None:
            self.gain(self.cluster.release(uid))
            self.ends.drop(uid)
        else:
            self.cluster.put(uid, hold.places[uid], task.demand, kin_of(task))
        self._group(task, place)
        if self.cluster.moves != moves:
            self.touch()

    def _still_holds(self, hold: Hold, task: Task, place: str) -> bool:
        old = next(each for each in hold.workload.tasks if each.ref.uid == task.ref.uid)
        return not place and self.may_wait(task) and old.demand == task.demand and old.gang == task.gang

    def place_of(self, task: Task) -> str:
        """The node on which a pod is or is about to be, empty while it waits."""
        return task.node or self.assumed.get(task.ref.uid, "")

    def may_wait(self, task: Task) -> bool:
        """Whether a pod without a node wants one now."""
        return not task.gated and task.deleting is None

    def _group(self, task: Task, place: str) -> None:
        """Let a pod wait, on its own or with its gang, if it does."""
        uid = task.ref.uid
        waits = not place and self.may_wait(task) and uid not in self.pausing
        placed = bool(place) and task.deleting is None and uid not in self.victims
        pauses = uid in self.pausing
        concerned = self.gangs.note(task, waits=waits, placed=placed, pauses=pauses)
        for key in sorted(concerned):
            self.form(key)
        if task.gang is None and uid not in self.held:
            if waits:
                self._put(uid, (task,))
            else:
                self.queue.drop(uid)

    def gone(self, uid: str, *, succeeded: bool) -> None:
        """Take note that a pod is no more."""
        task = self.tasks.pop(uid, None)
        told = self._raw.pop(uid, None)
        hold = self.holds.get(self.held.get(uid, ""))
        if hold is not None:
            self.release_hold(hold)
        if task is not None and told is not None and task.ours:
            if succeeded:
                self.history.forget(self.progress.work_of(told))
            self.progress.ended(told, self.now, succeeded=succeeded)
        self.assumed.pop(uid, None)
        self.pausing.discard(uid)
        self.spared.pop(uid, None)
        self.forget_waiting(uid)
        self.gain(self.cluster.release(uid))
        self.touch()
        self.ends.drop(uid)
        self.roll.drop(uid)
        self._ended(uid)
        for key in self.gangs.drop(uid, succeeded=succeeded):
            self.form(key)

    def _ended(self, uid: str) -> None:
        hold = self.holds.get(self.victims.pop(uid, ""))
        if hold is not None:
            hold.victims.discard(uid)
            self.due = True

    def let_end(self, task: Task, key: str) -> None:
        """We have a pod ended, for the workload with this key; empty for none."""
        self.victims[task.ref.uid] = key
        self.account(task)

    def forget_waiting(self, uid: str) -> None:
        """A pod does not wait any more."""
        self.queue.drop(uid)
        self.told.pop(uid, None)

    # Workloads ------------------------------------------------------------------------------------

    def form(self, key: str) -> None:
        """Let the waiting members of a gang wait as one workload, or each on its own, or not yet."""
        gang = self.gangs.get(key)
        if gang is not None and gang.half:
            self.half.setdefault(key, self.now)
        else:
            self.half.pop(key, None)
        if gang is None:
            self.queue.drop(key)
            self.unsettled.discard(key)
            return
        if key in self.holds:
            return
        ready = [task for task in gang.ready() if task.ref.uid not in self.held]
        wanted = gang.wanted
        alone = wanted is not None and wanted <= 0
        for task in ready:
            if alone:
                self._put(task.ref.uid, (task,))
            else:
                self.queue.drop(task.ref.uid)
        if alone or wanted is None or len(ready) < wanted:
            self.queue.drop(key)
            if ready and not alone:
                self.unsettled.add(key)
                self.due = True  # they have to be told what they wait for
                for task in ready:
                    self.told.setdefault(task.ref.uid, task.told)
        else:
            self._put(key, tuple(ready[:wanted]), gang)

    def _put(self, key: str, tasks: tuple[Task, ...], gang: Gang | None = None) -> None:
        for task in tasks:
            self.told.setdefault(task.ref.uid, task.told)
        topology = None if gang is None else gang.ref.topology_key
        ask = ask_for((self.part(task) for task in tasks), topology)
        name = "" if gang is None else gang.name
        begun = gang is not None and bool(gang.placed)
        self.due = self.queue.put(key, tasks, ask, gang=name, first=begun) or self.due

    def part(self, task: Task) -> Part:
        """What a pod asks for, told apart by its labels where these matter."""
        peers = self.cluster.peers
        kin: Kin | None = kin_of(task) if task.demand.looks_at_pods else None
        repelled = peers.repelling(kin_of(task)) if peers.repel else ()
        return Part(task.demand, kin, repelled)

    def regroup(self) -> None:
        """Sort all that wait anew if the terms that pods have against others have changed."""
        if self._terms_seen == self.cluster.peers.terms_version:
            return
        self._terms_seen = self.cluster.peers.terms_version
        for workload in list(self.queue.workloads()):
            ask = ask_for(map(self.part, workload.tasks), workload.group.ask.topology_key)
            if ask != workload.group.ask:
                self.queue.reopen(workload.group)  # it may be stuck for this one's sake
                self._put(workload.key, workload.tasks, self.gangs.get(workload.key))

    # Holds ----------------------------------------------------------------------------------------

    def hold(self, workload: Workload, places: Places, until: int, victims: Iterable[PodRef] = ()) -> Hold:
        """Hold places for a workload, also where there is no room yet."""
        self.queue.drop(workload.key)
        hold = Hold(workload, places, until, {ref.uid for ref in victims})
        self.holds[workload.key] = hold
        for task in workload.tasks:
            self.held[task.ref.uid] = workload.key
        self.reserve(hold)
        return hold

    def reserve(self, hold: Hold) -> None:
        """Let the pods of a hold hold their places."""
        for task in hold.workload.tasks:
            self.cluster.put(task.ref.uid, hold.places[task.ref.uid], task.demand, kin_of(task))

    def unreserve(self, hold: Hold) -> None:
        """Take the places of a hold away, for a moment."""
        for task in hold.workload.tasks:
            self.cluster.release(task.ref.uid)

    def end_hold(self, hold: Hold) -> None:
        """A hold is over; its pods are not put anywhere."""
        del self.holds[hold.workload.key]
        for task in hold.workload.tasks:
            self.held.pop(task.ref.uid, None)
            self.cluster.release(task.ref.uid)
        for name in sorted(set(hold.places.values())):
            self.gain(self.cluster.rooms.get(name))
        self.due = True

    def release_hold(self, hold: Hold) -> None:
        """Give a hold up: its pods wait again."""
        self.end_hold(hold)
        for task in hold.workload.tasks:
            known = self.tasks.get(task.ref.uid)
            if known is not None:
                self._group(known, self.place_of(known))

    def restore_holds(self) -> None:
        """After a restart: places that were held for pods whose way is still being cleared are held again."""
        for workload in sorted(self.queue.workloads(), key=lambda each: each.rank):
            places = {task.ref.uid: self._nomination(task) for task in workload.tasks}
            if all(places.values()) and any(map(self._is_being_cleared, places.values())):
                self.hold(workload, places, self.now + self.rules.hold)

    def _nomination(self, task: Task) -> str:
        name = self._raw[task.ref.uid].nominated
        room = self.cluster.rooms.get(name)
        return name if room is not None and admits(task.demand, room) else ""

    def _is_being_cleared(self, name: str) -> bool:
        return any(holding.ending for holding in self.cluster.on(name).values())

    # Nodes ----------------------------------------------------------------------------------------

    def set_node(self, node: Node) -> None:
        """A node appeared or changed."""
        self.gain(self.cluster.set_node(node))
        self.touch()

    def drop_node(self, name: str) -> None:
        """A node is no more: nothing is held on it."""
        self.cluster.drop_node(name)
        self.gained.discard(name)
        for hold in [each for each in self.holds.values() if name in each.places.values()]:
            self.release_hold(hold)
        self.touch()

    def gain(self, room: Room | None) -> None:
        """Look whether a room that changed can now hold a pod that was stuck."""
        if room is None:
            return
        if self.holds:
            self.due = True
        name = room.node.name
        if name not in self.gained and self.fits_a_stuck_class(room):
            self.gained.add(name)
            self.due = True

    def touch(self) -> None:
        """Pods or nodes changed: what depends on which pods are where may fit now."""
        if self.queue.looking:
            self.due = True

    def fits_a_stuck_class(self, room: Room) -> bool:
        """Whether some pod of a stuck class fits on this node, as far as the node alone is concerned."""
        return any(helps(group, room) for group in self.queue.stuck)


def helps(group: AskClass, room: Room) -> bool:
    """Whether some pod of the class fits on this node, as far as the node alone is concerned."""
    return any(not part.demand.unsupported and fits(part.demand, room) for part, _ in group.ask.parts)
