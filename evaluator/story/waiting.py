"""Following a wait: whether there is room, why not, and who gets what the job waits for."""

from collections import Counter
from dataclasses import dataclass, field

from evaluator.story.cluster import Cluster, Machine, Stay, Wants
from evaluator.story.steps import Opportunity, Reason, Rival, Waited
from evaluator.timeline import Event, PodBound

MAX_NAMED = 5
"""Nodes or rivals that are named of any list; the rest are counted."""

MAX_FOLLOWED = 200
"""Rivals that are kept while a wait goes on, of which the largest are named."""


@dataclass(slots=True)
class Places:
    """How many pods of one shape have room on each node, kept up to date node by node."""

    wants: Wants
    on: dict[str, int] = field(default_factory=dict)
    total: int = 0
    impossible: bool = True

    @classmethod
    def of(cls, cluster: Cluster, wants: Wants) -> "Places":
        """The places in a cluster as it is."""
        places = cls(wants)
        for machine in cluster.machines.values():
            places.update(machine)
        return places

    def update(self, machine: Machine) -> int:
        """Look at a node again.

        Returns:
            The difference that it made.
        """
        before, now = self.on.get(machine.name, 0), machine.fits(self.wants)
        self.on[machine.name] = now
        self.total += now - before
        self.impossible = self.impossible and not machine.could_ever_fit(self.wants)
        return now - before

    def some(self) -> list[str]:
        """A few of the nodes with room."""
        found = []
        for name, number in self.on.items():
            if number:
                found.append(name)
                if len(found) == MAX_NAMED:
                    break
        return found


@dataclass(slots=True)
class Wait:
    """A job's wait from the first pod without a node to the last."""

    job: str
    since_ns: int
    places: Places
    needed: int
    """Pods that need room at once: all of a gang, else one."""
    pods: int = 0
    spent_ns: Counter[Reason] = field(default_factory=Counter)
    ahead: list[Rival] = field(default_factory=list)
    started_meanwhile: int = 0
    overtaken_by: int = 0
    opportunities: int = 0
    first: Opportunity | None = None
    message: str = ""
    _open: Opportunity | None = None
    _used: bool = False
    _reason: Reason = Reason.CAPACITY
    _clock_ns: int = -1

    def begin(self, cluster: Cluster) -> None:
        """Start the clock, with the cluster as it is at the submission."""
        self._clock_ns = self.since_ns
        self.look(cluster)

    def pass_time(self, at_ns: int) -> None:
        """Time has passed, with the reason that held until now."""
        if at_ns > self._clock_ns:
            self.spent_ns[self._reason] += at_ns - self._clock_ns
            self._clock_ns = at_ns

    def hear(self, event: Event, cluster: Cluster, difference: int) -> None:
        """An event has been applied; it changed the places for this job by ``difference``."""
        if isinstance(event, PodBound):
            stay = cluster.stays[event.pod]
            if stay.job == self.job:
                self._use(event.at_ns)
                return  # what its own pods take is no loss: whoever binds them looks again
            self._overtake(stay, event.at_ns, took_a_place=difference < 0)
        self.look(cluster)

    def _use(self, at_ns: int) -> None:
        """Room that opened at the very instant at which the job takes it was not missed."""
        if self._open is not None and self._open.at_ns == at_ns and not self._used:
            self._used = True
            self.opportunities -= 1

    def _overtake(self, stay: Stay, at_ns: int, *, took_a_place: bool) -> None:
        self.started_meanwhile += 1
        self.overtaken_by += stay.submitted.at_ns > self.since_ns
        if len(self.ahead) < MAX_FOLLOWED:
            self.ahead.append(Rival.of(stay, at_ns))
        if self._open is not None and took_a_place and len(self._open.taken_by) < MAX_FOLLOWED:
            self._open.taken_by.append(Rival.of(stay, at_ns))

    def look(self, cluster: Cluster) -> None:
        """See whether there is room now, and if not, why."""
        room = self.places.total >= self.needed
        if room and self._open is None:
            self._open, self._used = Opportunity(cluster.at_ns, self.places.some()), False
            self.first = self.first or self._open
            self.opportunities += 1
        elif not room and self._open is not None:
            self._open.until_ns = cluster.at_ns
            self._open = None
        self._reason = self._why(cluster, room=room)

    def _why(self, cluster: Cluster, *, room: bool) -> Reason:
        if "quota" in self.message.lower():
            return Reason.QUOTA
        if room:
            return Reason.PASSED_OVER
        if self.places.total:
            return Reason.GANG
        if self.places.impossible:
            return Reason.IMPOSSIBLE
        chips = self.places.wants.chips
        return Reason.SCATTERED if chips and cluster.free_chips >= chips * self.needed else Reason.CAPACITY

    def told(self, until_ns: int, *, ended: bool = True) -> Waited:
        """The wait as a step of the story."""
        if self._open is not None:
            self._open.until_ns = until_ns
        return Waited(
            at_ns=self.since_ns,
            until_ns=until_ns,
            pods=self.pods,
            spent_ns={reason: spent for reason, spent in self.spent_ns.most_common() if spent},
            started_meanwhile=self.started_meanwhile,
            overtaken_by=self.overtaken_by,
            ahead=largest(self.ahead),
            opportunities=self.opportunities,
            message=self.message,
            ended=ended,
        )


def largest(rivals: list[Rival]) -> list[Rival]:
    """The few with most chips, in the order of their start."""
    chosen = sorted(rivals, key=lambda rival: (-rival.chips, rival.at_ns))[:MAX_NAMED]
    return sorted(chosen, key=lambda rival: (rival.at_ns, rival.pod))
