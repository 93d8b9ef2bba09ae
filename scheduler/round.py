"""One round of decisions: over everything known, least rank first.

What is held is looked at first. Then workloads are placed until none fits. A workload that does not fit, and
whose slack is running out, may take the place of others when its turn comes. Whoever still waits is told why.
"""

import heapq
from itertools import islice

from scheduler import explain
from scheduler.answers import answers
from scheduler.decision import Decision
from scheduler.gangs import Gang
from scheduler.knowledge import Hold, Knowledge, helps
from scheduler.laxity import slack
from scheduler.messages import Action, Announce, Bind, Nominate, Preempt
from scheduler.model import Task
from scheduler.pending import AskClass, Workload, kin_of, latest_start_of
from scheduler.plan import Places
from scheduler.policy import Preempting, Rank
from scheduler.preemption import Choice, Preemption, frees_by
from scheduler.timetext import SECOND
from scheduler.victims import Law, Running, Taker, running_workload

MOST_PREEMPTIONS = 64
"""Workloads for which others are looked for in one round; what is left comes a second later. A round stays
short that way however many have run out of slack at once."""


class Round:
    """The decisions of one moment."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._bindings: list[Bind] = []
        self._others: list[Action] = []
        self._stuck: list[AskClass] = []
        self._tried = 0
        self._considered = len(known.queue) + len(known.holds)
        self._attempts = 0
        self._due: dict[AskClass, list[Workload]] = {}
        self._law = Law(known.policy, known.rules, known.history)
        self._preemption: Preemption | None = None
        self._running: dict[str, Running | None] = {}

    def run(self) -> list[Action]:
        """Decide. Returns what to do, bindings first."""
        known = self._known
        known.regroup()
        known.due = False
        known.queue.turn(known.now)
        self._give_up_what_takes_too_long()
        self._settle_holds()
        self._reopen()
        self._place()
        known.regroup()
        if self._bindings:
            known.touch()
        told = answers(known, self._stuck)
        return [*self._bindings, *self._others, *told]

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
            self._end(task, "")
            self._others.append(Preempt(task.ref, None, why, decision))
            self._others.append(Announce(task.ref, "Warning", "GangUndone", "Preempting", why))

    def _end(self, task: Task, key: str) -> None:
        """Count a pod as ending."""
        known = self._known
        known.victims[task.ref.uid] = key
        known.account(task)

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
        for workload in known.queue.due(known.now):
            if known.preempting is Preempting.PRIORITY:
                known.queue.check(workload, None)  # whenever its class is tried, that is
            self._due.setdefault(workload.group, []).append(workload)
            known.queue.reopen(workload.group)

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
            elif not self._make_room(group):
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

    # Room made by others --------------------------------------------------------------------------

    def _make_room(self, group: AskClass) -> bool:
        """Let others give way for the class's workloads whose time has come, until it does not help."""
        known = self._known
        if known.preempting is Preempting.NEVER:
            return False
        if known.preempting is Preempting.PRIORITY:
            first = self._first_that_preempts(group)
            return first is not None and self._preempt(first)
        made = False
        for workload in self._due.pop(group, []):
            if workload.key not in known.queue or workload.group is not group or workload.late:
                continue
            if not self._is_forced(workload):
                continue
            if not self._preempt(workload):
                self._look_again(workload)
                continue
            made = True
        return made

    def _first_that_preempts(self, group: AskClass) -> Workload | None:
        """Where nobody gives way for it, nobody does for those behind it, whose priority is not higher."""
        some = (self._known.queue[key] for key in islice(group.members(), MOST_PREEMPTIONS))
        return next((each for each in some if all(task.preempts for task in each.tasks)), None)

    def _is_forced(self, workload: Workload) -> bool:
        """Whether its slack will not last until room frees by itself. If it may, that is looked at later."""
        known, rules = self._known, self._known.rules
        last = latest_start_of(workload.tasks)
        if last is None or last < known.now:
            known.queue.check(workload, None)
            return False
        hoping = last - known.now > rules.last_chance
        leaving = known.ends.until(last, known.now) if hoping else known.ends.ending()
        if not frees_by(workload.group.ask, known.cluster, leaving):
            return True
        known.queue.check(workload, last - rules.last_chance if hoping else None)
        return False

    def _look_again(self, workload: Workload) -> None:
        """Nobody can give way for it now: see at the last moment, when most have more slack than it."""
        known, rules = self._known, self._known.rules
        last = latest_start_of(workload.tasks)
        again = None if last is None else last - rules.last_chance
        if self._attempts > MOST_PREEMPTIONS:
            again = known.now + SECOND
        known.queue.check(workload, again if again is not None and again > known.now else None)

    def _preempt(self, workload: Workload) -> bool:
        known = self._known
        self._attempts += 1
        if self._attempts > MOST_PREEMPTIONS or self._must_wait(workload):
            return False
        work = known.progress.work_of(workload.lead)
        choice = self._choices().choose(workload, Taker.of(workload.tasks, work, known.now))
        if choice is None:
            return False
        self._take(workload, work, choice)
        return True

    def _must_wait(self, workload: Workload) -> bool:
        """Others end for it already, or a place is held for another gang: two would wait for each other."""
        known = self._known
        if workload.key in known.victims.values():
            return True
        return bool(workload.gang) and any(hold.workload.gang for hold in known.holds.values())

    def _choices(self) -> Preemption:
        if self._preemption is None:
            known = self._known
            self._preemption = Preemption(
                known.cluster,
                known.planner,
                self._law,
                known.budgets,
                known.preempting,
                known.roll,
                self._running_of,
            )
        return self._preemption

    def _running_of(self, uid: str) -> Running | None:
        """The workload of a pod that runs, None where it may not be taken."""
        known = self._known
        gang = known.gangs.gang_of(uid)
        key = uid if gang is None else gang.ref.key
        if key not in self._running:
            one = self._whole(uid, gang)
            self._running[key] = one if one is not None and self._law.exposed(one, known.now) else None
        return self._running[key]

    def _whole(self, uid: str, gang: Gang | None) -> Running | None:
        """A workload of ours that runs as a whole; None where it ends, or is about to be bound."""
        known = self._known
        tasks = [known.tasks[each] for each in ((uid,) if gang is None else sorted(gang.members))]
        placed = [task for task in tasks if known.place_of(task)]
        if not placed or any(not task.ours or not task.node or self._may_not_end(task) for task in placed):
            return None
        ref = tasks[0].ref
        name, key = (f"{ref.namespace}/{ref.name}", uid) if gang is None else (gang.name, gang.ref.key)
        return running_workload(key, name, placed, known.now, known.progress, known.planner.chips)

    def _may_not_end(self, task: Task) -> bool:
        """It ends already, or the API has just refused to end it."""
        known, uid = self._known, task.ref.uid
        ending = task.deleting is not None or uid in known.victims
        return ending or known.spared.get(uid, known.now) > known.now

    def _take(self, workload: Workload, work: str, choice: Choice) -> None:
        """End the victims and hold the place."""
        known, lead = self._known, workload.lead
        pods = [task for one in choice.victims for task in one.tasks]
        decision = self._reasons(workload, choice)
        known.budgets.spend(pods)
        for one in choice.victims:
            known.history.note(work, one.work)
            note = explain.preempted(workload, choice.places[lead.ref.uid], one)
            for task in one.tasks:
                self._others.append(Preempt(task.ref, lead.ref, note, decision))
                self._others.append(Announce(task.ref, "Normal", "Preempted", "Preempting", note, lead.ref))
        until = known.now + known.rules.hold + max(one.grace for one in choice.victims)
        known.hold(workload, choice.places, until, [task.ref for task in pods])
        for task in pods:
            self._end(task, workload.key)
        self._others += [Nominate(task.ref, choice.places[task.ref.uid]) for task in workload.tasks]

    def _reasons(self, workload: Workload, choice: Choice) -> Decision:
        known, lead = self._known, workload.lead
        return Decision(
            kind="preempt",
            at=known.now,
            pod=lead.ref,
            gang=workload.gang,
            nodes=tuple(choice.places[task.ref.uid] for task in workload.tasks),
            policy=known.policy.name,
            slack=slack(lead.timing, known.now),
            position=self._tried + 1,
            considered=self._considered,
            why=explain.why_now(known.preempting),
            victims=tuple(one.loss for one in choice.victims),
            violations=choice.violations,
        )
