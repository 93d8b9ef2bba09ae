"""One job's story in the making: what it hears becomes steps, in order.

Longer than most files: a method for each thing that can happen to a job, and they share its state.
"""

from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from evaluator.story.cluster import Cluster, Stay, Wants
from evaluator.story.steps import (
    Bound,
    Choice,
    CutShort,
    Finished,
    HeldBack,
    LeftOver,
    PodsEnded,
    Rival,
    Started,
    Step,
    Story,
    Submitted,
    Verdict,
)
from evaluator.story.waiting import Places, Wait, largest
from evaluator.timeline import (
    HardwareFailed,
    JobEnded,
    JobSubmitted,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    RunEnded,
)

MAX_STEPS: Final = 400
"""Steps of one story: a job of thousands of pods is told by its beginning and its end."""


@dataclass(slots=True)
class JobTeller:
    """Listens to what concerns one job."""

    job: str
    submitted: Submitted | None = None
    steps: list[Step] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)
    wait: Wait | None = None
    _waiting: dict[str, PodSubmitted] = field(default_factory=dict)
    _bound: dict[str, Stay] = field(default_factory=dict)
    _choice: Choice | None = None
    _disrupted: dict[str, str] = field(default_factory=dict)
    """Pod → the message that announced its end."""
    _failures: dict[str, HardwareFailed] = field(default_factory=dict)
    """Node → the last failure on it while pods of the job were there."""
    _first_wait: bool = True
    _over: bool = False

    # ---- coming -------------------------------------------------------------------------------

    def submit(self, event: JobSubmitted) -> None:
        """The job's own object was created."""
        self._begin(Submitted.of(event, event))

    def _begin(self, submitted: Submitted) -> None:
        self._over = False
        if self.submitted is None:
            self.submitted = submitted
        self.steps.append(submitted)
        run_ns = submitted.expected_ns if submitted.run_ns is None else submitted.run_ns
        if submitted.deadline_ns is not None and run_ns is not None:
            waves = -(-submitted.pods // max(1, submitted.parallel))  # rounded up
            self.verdict.latest_start_ns = submitted.deadline_ns - run_ns * max(1, waves)
            self.verdict.hopeless = self.verdict.latest_start_ns < submitted.at_ns

    def submit_pod(self, event: PodSubmitted) -> None:
        """A pod of the job, or the bare pod that is the job, was created."""
        if event.job is None or self.submitted is None:
            self._begin(Submitted.of(event))
        elif len(self.steps) == 1 and event.at_ns > self.steps[0].at_ns:
            self.steps.append(HeldBack(self.steps[0].at_ns, event.at_ns))
        if self.submitted is not None:
            self.submitted.wants = _greater(self.submitted.wants, Wants.of(event))
        self._waiting[event.pod] = event

    # ---- waiting ------------------------------------------------------------------------------

    def shape(self) -> Wants:
        """What each waiting pod asks for at most, amount by amount."""
        return reduce(_greater, (Wants.of(pod) for pod in self._waiting.values()))

    def keep_waiting(self, places: Places, cluster: Cluster) -> None:
        """One more pod waits."""
        if self.wait is None:
            self.wait = Wait(self.job, cluster.at_ns, places, needed=1)
        self.wait.places = places
        self.wait.pods = max(self.wait.pods, len(self._waiting))
        self.wait.needed = self._needed()
        self.wait.begin(cluster)

    def _needed(self) -> int:
        """Pods that need room at once: the members of a gang that have no place yet, else one."""
        if self.submitted is None or not self.submitted.gang:
            return 1
        return max(1, len(self._waiting), self.submitted.parallel - len(self._bound))

    def refuse(self, event: PodUnschedulable, cluster: Cluster) -> None:
        """The scheduler said why a pod has no place."""
        if self.wait is not None:
            self.wait.message = event.message
            self.wait.look(cluster)

    def look_at_latest_start(self, cluster: Cluster, at_ns: int) -> None:
        """The last instant at which it could start in time passes: who runs that could wait longer?"""
        if self.wait is None or self.verdict.started_ns is not None:
            return
        wants = self.wait.places.wants
        yielding = [
            Rival.of(stay, at_ns)
            for machine in cluster.machines.values()
            if machine.could_ever_fit(wants)
            for stay in machine.pods.values()
            if stay.job != self.job
            and (stay.submitted.chips > 0 or not wants.chips)
            and _can_wait(stay, at_ns)
        ]
        self.verdict.yielding = largest(yielding)
        self.verdict.yielding_count = len(yielding)
        self.verdict.yielding_chips = sum(rival.chips for rival in yielding)

    # ---- running ------------------------------------------------------------------------------

    def choose(self, event: PodBound, cluster: Cluster) -> None:
        """A pod is about to be bound: how does the chosen node stand among those with room?"""
        chosen, stay = cluster.machines.get(event.node), cluster.stays.get(event.pod)
        self._choice = None
        if chosen is None or stay is None or not chosen.fits(stay.wants):
            return
        rooms = [machine.free_chips for machine in cluster.with_room(stay.wants)]
        tighter = sum(free < chosen.free_chips for free in rooms)
        self._choice = Choice(chosen.free_chips, chosen.chips, len(rooms), tighter)

    def bind(self, event: PodBound, cluster: Cluster) -> None:
        """A pod got its node."""
        self._bound[event.pod] = cluster.stays[event.pod]
        self._waiting.pop(event.pod, None)
        if self.verdict.started_ns is None:
            self.verdict.started_ns = event.at_ns
        if not self._waiting:
            self._close_wait(event.at_ns)
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Bound) and last.at_ns == event.at_ns:
            last.pods.append(event.pod)
            last.nodes.append(event.node)
        else:
            self.steps.append(Bound(event.at_ns, [event.pod], [event.node], self._choice))
        if self.wait is not None:
            self.wait.needed = self._needed()
            self.wait.look(cluster)

    def _close_wait(self, at_ns: int, *, ended: bool = True) -> None:
        if self.wait is None:
            return
        if self._first_wait:
            self.verdict.first_room, self._first_wait = self.wait.first, False
        if at_ns > self.wait.since_ns:
            self._insert(self.wait.told(at_ns, ended=ended))
        self.wait = None

    def _insert(self, step: Step) -> None:
        """A wait is known at its end and told at its place: before what happened after its beginning."""
        place = len(self.steps)
        while place and self.steps[place - 1].at_ns > step.at_ns:
            place -= 1
        self.steps.insert(place, step)

    def start(self, event: PodStarted) -> None:
        """A pod began its work."""
        stay = self._bound.get(event.pod)
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Started) and last.at_ns == event.at_ns:
            last.pods.append(event.pod)
            return
        bound_ns = event.at_ns if stay is None or stay.bound_ns is None else stay.bound_ns
        again = any(isinstance(step, CutShort) for step in self.steps)
        self.steps.append(
            Started(event.at_ns, [event.pod], event.at_ns - bound_ns, event.restored_ns, again=again)
        )

    # ---- ending -------------------------------------------------------------------------------

    def hear_failure(self, event: HardwareFailed) -> None:
        """Hardware failed somewhere."""
        if any(stay.node == event.node for stay in self._bound.values()):
            self._failures[event.node] = event

    def disrupt(self, event: PodDisrupted) -> None:
        """A pod is about to be ended from outside."""
        self._disrupted[event.pod] = event.message

    def end_pod(self, event: PodEnded, cluster: Cluster) -> None:
        """A pod's stay is over."""
        stay = self._bound.pop(event.pod, None)
        if self._waiting.pop(event.pod, None) is not None and not self._waiting:
            self._close_wait(event.at_ns)
        bare = self.submitted is not None and self.submitted.controller is None
        if event.outcome in {"evicted", "deleted"} or event.cause is not None:
            self._cut(event, stay, cluster)
        elif not bare:
            self._count_end(event)
        if bare and event.outcome in {"succeeded", "failed"} and event.cause is None:
            self._finish(event.at_ns, event)

    def _cut(self, event: PodEnded, stay: Stay | None, cluster: Cluster) -> None:
        message = self._disrupted.pop(event.pod, "")
        last = self.steps[-1] if self.steps else None
        if isinstance(last, CutShort) and (last.at_ns, last.cause) == (event.at_ns, event.cause):
            last.pods.append(event.pod)
            last.nodes.append(event.node or "")
            last.kept_ns += event.kept_ns
            last.lost_ns += event.lost_ns
            return
        if self.verdict.first_cut_ns is None:
            self.verdict.first_cut_ns = event.at_ns
            self.verdict.undisturbed_ns = self._undisturbed_ns(stay)
        nominated = cluster.nominated_to(event.node or "")
        failed = self._failures.get(event.node or "")
        self.steps.append(
            CutShort(
                at_ns=event.at_ns,
                pods=[event.pod],
                nodes=[event.node or ""],
                cause=event.cause,
                reason=event.reason,
                message=message,
                by=nominated[0] if nominated and event.cause == "preemption" else None,
                failure=_failure(failed) if failed and event.cause in _BY_HARDWARE else None,
                kept_ns=event.kept_ns,
                lost_ns=event.lost_ns,
            )
        )

    def _undisturbed_ns(self, stay: Stay | None) -> int | None:
        if stay is None or stay.started_ns is None or stay.submitted.run_ns is None:
            return None
        return stay.started_ns + stay.submitted.run_ns - stay.restored_ns

    def cut_by_unknown(self, node: str) -> bool:
        """Whether a place on that node was just lost to somebody who is not known yet."""
        last = self.steps[-1] if self.steps else None
        return (
            isinstance(last, CutShort)
            and last.cause == "preemption"
            and last.by is None
            and last.nodes[-1] == node
        )

    def attribute(self, node: str, pod: str) -> None:
        """The place on that node went to a pod."""
        for step in reversed(self.steps):
            if isinstance(step, CutShort) and node in step.nodes and step.by is None:
                step.by = pod
                return

    def _count_end(self, event: PodEnded) -> None:
        last = self.steps[-1] if self.steps else None
        if isinstance(last, PodsEnded) and (last.at_ns, last.outcome) == (event.at_ns, event.outcome):
            last.pods.append(event.pod)
        else:
            self.steps.append(PodsEnded(event.at_ns, [event.pod], event.outcome, event.reason))

    def end(self, event: JobEnded) -> None:
        """The job as a whole is over."""
        self._close_wait(event.at_ns, ended=False)
        self._waiting.clear()
        self._finish(event.at_ns, event)

    def _finish(self, at_ns: int, event: JobEnded | PodEnded) -> None:
        self._over = True
        self.steps.append(Finished(at_ns, event.outcome, event.reason, self._late_ns(at_ns)))

    def leave(self, event: RunEnded, cluster: Cluster) -> None:
        """The run ended."""
        waiting = sum(pod in cluster.stays for pod in self._waiting)
        self._close_wait(event.at_ns, ended=False)
        if not self._over:
            late = self._late_ns(event.at_ns)
            self.steps.append(LeftOver(event.at_ns, waiting, len(self._bound), late))

    def _late_ns(self, at_ns: int) -> int | None:
        if self.submitted is None or self.submitted.deadline_ns is None:
            return None
        return at_ns - self.submitted.deadline_ns

    def story(self) -> Story:
        """Everything, in order."""
        assert self.submitted is not None
        left_out = max(0, len(self.steps) - MAX_STEPS)
        if left_out:
            half = MAX_STEPS // 2
            self.steps[half:-half] = []
        return Story(self.job, self.submitted, self.steps, self.verdict, left_out)


_BY_HARDWARE: Final = frozenset({"chip_failure", "node_failure", "peer"})


def _greater(one: Wants, other: Wants) -> Wants:
    return Wants(
        max(one.chips, other.chips),
        max(one.cpu_milli, other.cpu_milli),
        max(one.memory_bytes, other.memory_bytes),
        other.chip_type or one.chip_type,
    )


def _can_wait(stay: Stay, at_ns: int) -> bool:
    """Whether a running pod has no deadline, or could start over at a later instant and be in time."""
    slack = stay.slack_ns(at_ns)
    return slack is None or slack > 0


def _failure(event: HardwareFailed) -> str:
    what = event.node if event.what == "node" else f"{event.chips} of the chips of {event.node}"
    return f"{what} failed" + (f", with others of {event.group}" if event.group else "")
