"""When a waiting workload cannot wait any longer: who gives way for it, in one round of decisions."""

from itertools import islice

from scheduler import explain
from scheduler.decision import Decision
from scheduler.gangs import Gang
from scheduler.knowledge import Knowledge
from scheduler.laxity import slack
from scheduler.messages import Action, Announce, Nominate, Preempt
from scheduler.model import Task
from scheduler.pending import AskClass, Workload, latest_start_of
from scheduler.policy import Preempting
from scheduler.preemption import Choice, Preemption, frees_by
from scheduler.timetext import SECOND
from scheduler.victims import Law, Running, Taker, running_workload

MOST_PREEMPTIONS = 64
"""Workloads for which others are looked for in one round; what is left comes a second later. A round stays
short that way however many have run out of slack at once."""

RETRY = 10 * SECOND
"""How soon it is looked again once the last moment has come, until it is too late: somebody may have run for
the minimum by then, or a place held for another gang may be over."""


class Forcing:
    """What waiting workloads force in one round."""

    def __init__(self, known: Knowledge, considered: int) -> None:
        """``considered``: how many workloads the round looks at."""
        self._known = known
        self._considered = considered
        self._position = 0
        self._attempts = 0
        self._due: dict[AskClass, list[Workload]] = {}
        self._law = Law(known.policy, known.rules, known.history)
        self._preemption: Preemption | None = None
        self._running: dict[str, Running | None] = {}
        self.actions: list[Action] = []
        """What follows, in order."""

    def open_due(self) -> None:
        """Let the classes be tried again of which a workload has run out of slack."""
        known = self._known
        for workload in known.queue.due(known.now):
            if known.preempting is Preempting.PRIORITY:
                known.queue.check(workload, None)  # whenever its class is tried, that is
            self._due.setdefault(workload.group, []).append(workload)
            known.queue.reopen(workload.group)

    def make_room(self, group: AskClass, position: int) -> bool:
        """Let others give way for those workloads of a class whose time has come. Returns whether some did.

        ``position``: the class's place among what is tried in this round.
        """
        known = self._known
        self._position = position
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
        known.queue.check(workload, last - rules.last_chance if hoping else known.now + RETRY)
        return False

    def _look_again(self, workload: Workload) -> None:
        """Nobody can give way for it now: see at the last moment, when most have more slack than it."""
        known, rules = self._known, self._known.rules
        last = latest_start_of(workload.tasks) or known.now
        soon = known.now + RETRY
        full = self._attempts > MOST_PREEMPTIONS
        known.queue.check(workload, known.now + SECOND if full else max(last - rules.last_chance, soon))

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
                self.actions.append(Preempt(task.ref, lead.ref, note, decision))
                self.actions.append(Announce(task.ref, "Normal", "Preempted", "Preempting", note, lead.ref))
        until = known.now + known.rules.hold + max(one.grace for one in choice.victims)
        known.hold(workload, choice.places, until, [task.ref for task in pods])
        for task in pods:
            known.let_end(task, workload.key)
        self.actions += [Nominate(task.ref, choice.places[task.ref.uid]) for task in workload.tasks]

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
            position=self._position,
            considered=self._considered,
            why=explain.why_now(known.preempting),
            victims=tuple(one.loss for one in choice.victims),
            violations=choice.violations,
        )
