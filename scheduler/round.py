"""One round of decisions: over everything known, least rank first.

What is held is looked at first. Then workloads are placed until none fits. A workload that does not fit, and
whose slack is running out, may take the place of others when its turn comes. Whoever still waits is told why.
"""

import heapq

from scheduler import explain
from scheduler.answers import answers
from scheduler.decision import Decision
from scheduler.forcing import Forcing
from scheduler.knowledge import Hold, Knowledge, helps
from scheduler.laxity import slack
from scheduler.messages import Action, Announce, Bind, Nominate, Preempt
from scheduler.model import Task
from scheduler.overload import overloaded
from scheduler.pending import AskClass, Workload, kin_of
from scheduler.plan import Places
from scheduler.policy import Rank


class Round:
    """The decisions of one moment."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._bindings: list[Bind] = []
        self._others: list[Action] = []
        self._stuck: list[AskClass] = []
        self._tried = 0
        self._considered = len(known.queue) + len(known.holds)
        self._forcing = Forcing(known, self._considered)

    def run(self) -> list[Action]:
        """Decide. Returns what to do, bindings first."""
        known = self._known
        known.regroup()
        known.due = False
        known.queue.turn(known.now)
        self._give_up_what_takes_too_long()
        self._settle_holds()
        self._reopen()
        known.queue.give_up_on(overloaded(known))
        self._place()
        known.regroup()
        if self._bindings:
            known.touch()
        told = answers(known, self._stuck)
        return [*self._bindings, *self._others, *self._forcing.actions, *told]

    # What is held ---------------------------------------------------------------------------------

    def _give_up_what_takes_too_long(self) -> None:
        known = self._known
        for hold in [each for each in known.holds.values() if each.until <= known.now]:
            known.release_hold(hold)
            self._others += [Nominate(task.ref, "") for task in hold.workload.tasks]
        for key in sorted(known.half):
            gang = known.gangs.get(key)
            if gang is not None and known.now - known.half[key] >= known.rules.hold:
                bound = [known.tasks[uid] for uid in sorted(gang.placed) if known.tasks[uid].node]
                self._undo(gang.name, bound)
                if key in known.half:
                    known.half[key] = known.now

    def _undo(self, name: str, tasks: list[Task]) -> None:
        """End the part of a gang that holds room for nothing."""
        known = self._known
        why = explain.undone(name)
        for task in tasks:
            decision = Decision(
                "undo", known.now, task.ref, name, (task.node,), known.policy.name, None, 0, 0, why
            )
            known.let_end(task, "")
            self._others.append(Preempt(task.ref, None, why, decision))
            self._others.append(Announce(task.ref, "Warning", "GangUndone", "Preempting", why))

    def _settle_holds(self) -> None:
        """Bind what has room now, least rank first; the others go on holding, but not against those."""
        known = self._known
        holds = sorted(known.holds.values(), key=lambda hold: hold.workload.rank)
        for hold in holds:
            known.unreserve(hold)
        for hold in holds:
            places = self._takes(hold)
            if places is None:
                known.reserve(hold)
                continue
            known.end_hold(hold)
            self._assume(hold.workload, places, "its place has become free")
            for name in sorted(set(hold.places.values())):
                known.gain(known.cluster.rooms.get(name))

    def _takes(self, hold: Hold) -> Places | None:
        """Where the workload can go now: to its places, or elsewhere."""
        known, tasks = self._known, hold.workload.tasks
        taken = []
        for task in tasks:
            place = hold.places[task.ref.uid]
            if not known.cluster.fits(task.demand, kin_of(task), place):
                break
            known.cluster.put(task.ref.uid, place, task.demand, kin_of(task))
            taken.append(task.ref.uid)
        if len(taken) == len(tasks):
            known.planner.give_back(taken)
            return hold.places
        known.planner.give_back(taken)
        places = known.planner.take(tasks, hold.workload.group.ask.topology_key)
        known.planner.give_back(places or ())
        return places

    # Places ---------------------------------------------------------------------------------------

    def _reopen(self) -> None:
        """Let those be tried again that may fit now, and those whose check has come."""
        known = self._known
        rooms = [known.cluster.rooms[name] for name in sorted(known.gained)]
        known.gained.clear()
        for group in [each for each in known.queue.stuck if any(helps(each, room) for room in rooms)]:
            known.queue.reopen(group)
        for group in known.queue.looking:
            known.queue.reopen(group)
        self._forcing.open_due()

    def _place(self) -> None:
        queue = self._known.queue
        heads = self._heads()
        while heads:
            _, key, group = heads[0]
            workload = queue[key]
            places = self._find(workload)
            if places is not None:
                self._tried += 1
                self._assume(workload, places, "")
            elif not self._forcing.make_room(group, self._tried + 1):
                heapq.heappop(heads)
                queue.give_up(group)
                self._stuck.append(group)
                continue
            if workload.gang or places is None:
                heads = self._heads()  # a gang's other members may wait on their own now
            elif group:
                heapq.heapreplace(heads, (*group.head(), group))
            else:
                heapq.heappop(heads)

    def _heads(self) -> list[tuple[Rank, str, AskClass]]:
        heads = [(*group.head(), group) for group in self._known.queue.open]
        heapq.heapify(heads)
        return heads

    def _find(self, workload: Workload) -> Places | None:
        """Places for the workload, not taken yet."""
        known = self._known
        if len(workload.tasks) == 1:
            task = workload.tasks[0]
            room = known.cluster.best(task.demand, kin_of(task))
            return None if room is None else {task.ref.uid: room.node.name}
        places = known.planner.take(workload.tasks, workload.group.ask.topology_key)
        known.planner.give_back(places or ())
        return places

    def _assume(self, workload: Workload, places: Places, why: str) -> None:
        known = self._known
        known.queue.drop(workload.key)
        for task in workload.tasks:
            known.assumed[task.ref.uid] = places[task.ref.uid]
        for task in workload.tasks:
            known.account(known.tasks.get(task.ref.uid, task))
        decision = self._decision(workload, places, why or self._why(workload, places))
        self._bindings += [Bind(task.ref, places[task.ref.uid], decision) for task in workload.tasks]

    def _why(self, workload: Workload, places: Places) -> str:
        known = self._known
        if workload.gang:
            return explain.why_together(places)
        room = known.cluster.rooms[places[workload.lead.ref.uid]]
        return explain.why_there(known.cluster.packing, known.planner.free(room))

    def _decision(self, workload: Workload, places: Places, why: str) -> Decision:
        known, lead = self._known, workload.lead
        return Decision(
            kind="bind",
            at=known.now,
            pod=lead.ref,
            gang=workload.gang,
            nodes=tuple(places[task.ref.uid] for task in workload.tasks),
            policy=known.policy.name,
            slack=slack(lead.timing, known.now),
            position=self._tried,
            considered=self._considered,
            why=why,
        )
