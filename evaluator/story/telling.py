"""From a timeline to stories: one pass for any number of jobs."""

import heapq
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from evaluator.story.cluster import Cluster, Wants
from evaluator.story.job import JobTeller
from evaluator.story.steps import Story
from evaluator.story.waiting import Places
from evaluator.timeline import (
    Event,
    HardwareFailed,
    JobEnded,
    JobSubmitted,
    PodBound,
    PodDisrupted,
    PodEnded,
    PodNominated,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    RunEnded,
)

_OF_PODS: Final = (PodBound, PodStarted, PodEnded, PodDisrupted, PodUnschedulable, PodNominated)


def stories(events: Iterable[Event], jobs: Collection[str]) -> dict[str, Story]:
    """The stories of some jobs, by their names; jobs that the timeline does not hold are left out.

    Raises:
        FileFormatError: an event cannot follow those before it.
    """
    narrator = _Narrator(frozenset(jobs))
    for event in events:
        narrator.hear(event)
    return narrator.conclude()


@dataclass(slots=True)
class _Narrator:
    """Follows the cluster, and hands each event to those whom it concerns."""

    wanted: frozenset[str]
    cluster: Cluster = field(default_factory=Cluster)
    tellers: dict[str, JobTeller] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    """Pod → job, of all jobs."""
    places: dict[Wants, Places] = field(default_factory=dict)
    latest_starts: list[tuple[int, str]] = field(default_factory=list)
    """Instants at which a waiting job is looked at, earliest first."""
    unclaimed: dict[str, list[JobTeller]] = field(default_factory=dict)
    """Node → jobs that lost their place there to somebody who is not known yet."""

    def hear(self, event: Event) -> None:
        """Take one event in."""
        self._pass_time(event.at_ns)
        teller = self._teller(event)
        if isinstance(event, PodBound) and teller is not None:
            teller.choose(event, self.cluster)
        machine = self.cluster.apply(event)
        differences = {}
        if machine is not None:
            differences = {wants: places.update(machine) for wants, places in self.places.items()}
        for waiting in self.tellers.values():
            if waiting.wait is not None:
                waiting.wait.hear(event, self.cluster, differences.get(waiting.wait.places.wants, 0))
        if teller is not None:
            self._tell(teller, event)
        self._attribute(event)

    def _pass_time(self, at_ns: int) -> None:
        if at_ns == self.cluster.at_ns:
            return
        while self.latest_starts and self.latest_starts[0][0] < at_ns:
            instant, job = heapq.heappop(self.latest_starts)
            self.tellers[job].look_at_latest_start(self.cluster, instant)
        for teller in self.tellers.values():
            if teller.wait is not None:
                teller.wait.pass_time(at_ns)

    def _teller(self, event: Event) -> JobTeller | None:
        match event:
            case JobSubmitted() | JobEnded():
                job = event.job
            case PodSubmitted():
                job = self.owner[event.pod] = event.job or event.pod
            case _ if isinstance(event, _OF_PODS):
                job = self.owner.get(event.pod, event.pod)
            case _:
                return None
        if job not in self.wanted:
            return None
        if job not in self.tellers:
            self.tellers[job] = JobTeller(job)
        return self.tellers[job]

    def _tell(self, teller: JobTeller, event: Event) -> None:
        match event:
            case JobSubmitted():
                teller.submit(event)
                self._watch_latest_start(teller)
            case JobEnded():
                teller.end(event)
            case PodSubmitted():
                teller.submit_pod(event)
                if event.job is None:
                    self._watch_latest_start(teller)
                self._wait(teller)
            case PodBound():
                teller.bind(event, self.cluster)
            case PodStarted():
                teller.start(event)
            case PodUnschedulable():
                teller.refuse(event, self.cluster)
            case PodDisrupted():
                teller.disrupt(event)
            case PodEnded():
                teller.end_pod(event, self.cluster)
                if event.node is not None and teller.cut_by_unknown(event.node):
                    self.unclaimed.setdefault(event.node, []).append(teller)
            case _:
                pass

    def _watch_latest_start(self, teller: JobTeller) -> None:
        latest = teller.verdict.latest_start_ns
        if latest is not None and latest >= self.cluster.at_ns:
            heapq.heappush(self.latest_starts, (latest, teller.job))

    def _wait(self, teller: JobTeller) -> None:
        """The job waits with one more pod: look for places of the greatest shape among them."""
        wants = teller.shape()
        if wants not in self.places:
            self.places[wants] = Places.of(self.cluster, wants)
        teller.keep_waiting(self.places[wants], self.cluster)

    def _attribute(self, event: Event) -> None:
        """Who was given, or is about to be given, a place that somebody lost."""
        match event:
            case HardwareFailed():
                for teller in self.tellers.values():
                    teller.hear_failure(event)
            case PodNominated() | PodBound() if event.node in self.unclaimed:
                for teller in self.unclaimed.pop(event.node):
                    teller.attribute(event.node, event.pod)
            case RunEnded():
                for teller in self.tellers.values():
                    teller.leave(event, self.cluster)
            case _:
                pass

    def conclude(self) -> dict[str, Story]:
        """The stories, told to the end."""
        return {job: teller.story() for job, teller in self.tellers.items() if teller.submitted is not None}
