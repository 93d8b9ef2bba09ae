"""How fast the decision core decides, and how much memory it takes.

::

    python -m benchmarks.scheduler_core              # 10,000 nodes of 8 chips, 50,000 pending pods
    python -m benchmarks.scheduler_core --quick      # a tenth of it: does it run at all

One process, one core, no I/O: events go in, actions come out, and every binding is confirmed as the API would
(``BindDone``, then the bound pod). Three stages:

- *burst*: all pods are pending when the first round begins; pods of 1, 2, 4 and 8 chips in a mix, a fifth of
the
  chips in gangs of 2 to 16 whole nodes. It ends when the cluster is full.
- *churn*: a tenth of the running pods ends, the freed room is given away, ten times over, with the rest
waiting. - *urgent*: pods arrive whose slack is running out, and others have to give way for them.

What counts is placements for each second that the core computes, reading of the events included, against a
goal of 2,000. Memory is the growth of the process from before the first event to the end of the first stage.
"""

import argparse
import gc
import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from scheduler.messages import (
    Action,
    Bind,
    BindDone,
    Gather,
    Happening,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    Preempt,
    WindowOver,
)
from scheduler.model import Demand, GangRef, Node, PodRef, Task, Timing
from scheduler.policy import LEAST_SLACK
from scheduler.rules import PreemptionRules
from scheduler.state import Core
from scheduler.timetext import HOUR, MINUTE, SECOND, parse_instant

GOAL: Final = 2_000
"""Placements for each second."""

NODES: Final = 10_000
PENDING: Final = 50_000
CHIPS: Final = 8
GPU: Final = "nvidia.com/gpu"
START: Final = parse_instant("2026-01-05T00:00:00Z")

SIZES: Final = (1, 1, 1, 1, 2, 2, 4, 8)
"""Chips of single pods, in turn: small ones are many, as in published traces."""

GANGS: Final = (2, 4, 16)
"""Members of gangs, in turn; each takes a whole node."""

SHARE_IN_GANGS: Final = 5
"""One pod of so many belongs to a gang."""

ROUNDS_OF_CHURN: Final = 10
URGENT: Final = 200
MIB: Final = 1 << 20


@dataclass(slots=True)
class Stage:
    """What was measured in one stage."""

    name: str
    placements: int = 0
    preemptions: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Placements for each second."""
        return self.placements / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class Bench:
    """A core with the world that answers it."""

    core: Core = field(default_factory=lambda: Core(LEAST_SLACK, (GPU,), rules=PreemptionRules()))
    now: int = START
    pods: dict[str, Task] = field(default_factory=dict)
    running: dict[str, None] = field(default_factory=dict)

    def feed(self, events: Iterable[Happening], stage: Stage) -> None:
        """Tell the core, carry out what it decides, and measure the core alone."""
        waiting = list(events)
        while waiting:
            actions, spent = self._timed(waiting)
            stage.seconds += spent
            waiting = list(self._answers(actions, stage))

    def _timed(self, events: Sequence[Happening]) -> tuple[list[Action], float]:
        handle, now = self.core.handle, self.now
        began = time.perf_counter()
        actions = [action for event in events for action in handle(event, now)]
        return actions, time.perf_counter() - began

    def _answers(self, actions: Iterable[Action], stage: Stage) -> Iterator[Happening]:
        window = False
        for action in actions:
            if isinstance(action, Gather):
                window = True
            elif isinstance(action, Bind):
                stage.placements += 1
                yield from self._bound(action)
            elif isinstance(action, Preempt):
                stage.preemptions += 1
                yield self.end(action.victim.uid)
        if window:
            yield WindowOver()

    def _bound(self, bind: Bind) -> Iterator[Happening]:
        uid = bind.ref.uid
        self.pods[uid] = replace(self.pods[uid], node=bind.node, started=self.now)
        self.running[uid] = None
        yield BindDone(bind.ref, bind.node)
        yield PodSeen(self.pods[uid])

    def end(self, uid: str) -> PodGone:
        """A pod is over."""
        self.pods.pop(uid, None)
        self.running.pop(uid, None)
        return PodGone(uid, succeeded=True)


def nodes(count: int) -> tuple[Node, ...]:
    """So many machines of one type, sixteen in a rack."""
    return tuple(
        Node(
            f"node-{n:05}",
            cpu=128_000,
            memory=1 << 40,
            pods=110,
            others=((GPU, CHIPS),),
            labels=frozenset({("kubernetes.io/hostname", f"node-{n:05}"), ("rack", f"r{n // 16}")}),
        )
        for n in range(count)
    )


def pod(name: str, chips: int, number: int, gang: GangRef | None = None) -> Task:
    """A pod with a deadline that differs from its neighbours'."""
    work = (1 + number % 7) * HOUR
    slack = (30 + number * 37 % 2_880) * MINUTE
    return Task(
        PodRef("team", name, f"uid-{name}"),
        Demand(cpu=chips * 4_000, memory=chips << 33, others=((GPU, chips),)),
        Timing(START + slack + work, work, stated=True),
        START + number % 600 * SECOND,
        labels=frozenset({("job-name", f"job-{number // 4}"), ("app", "train")}),
        owner=f"owner-{number // 4}",
        index=str(number % 4),
        gang=gang,
        checkpoint_interval=10 * MINUTE,
        restart_cost=MINUTE,
    )


def workload(count: int) -> tuple[Task, ...]:
    """So many pods, single ones and gangs in turn."""
    pods: list[Task] = []
    gangs = 0
    while len(pods) < count:
        number = len(pods)
        if gangs * sum(GANGS) // len(GANGS) * SHARE_IN_GANGS < number:
            members = GANGS[gangs % len(GANGS)]
            gang = GangRef(f"team/gang-{gangs}", members, "rack")
            pods += [pod(f"gang-{gangs}-{n}", CHIPS, number, gang) for n in range(members)]
            gangs += 1
        else:
            pods.append(pod(f"pod-{number}", SIZES[number % len(SIZES)], number))
    return tuple(pods[:count])


def burst(bench: Bench, machines: int, pending: int) -> tuple[Stage, int]:
    """Everything at once. Returns also the bytes that the process grew by."""
    stage, all_nodes, all_pods = Stage("burst"), nodes(machines), workload(pending)
    bench.pods = {task.ref.uid: task for task in all_pods}
    gc.collect()
    before = _peak()
    bench.feed([NodesListed(all_nodes), PodsListed(all_pods)], stage)
    return stage, _peak() - before


def churn(bench: Bench) -> Stage:
    """A tenth ends, the room is given away, again and again."""
    stage = Stage("churn")
    for turn in range(ROUNDS_OF_CHURN):
        bench.now += 10 * MINUTE
        ending = list(bench.running)[turn % 10 :: 10]
        bench.feed([bench.end(uid) for uid in ending], stage)
    return stage


def urgent(bench: Bench, count: int) -> Stage:
    """Pods that cannot wait."""
    stage = Stage("urgent")
    bench.now += HOUR
    for n in range(count):
        task = replace(pod(f"urgent-{n}", SIZES[n % len(SIZES)], n), owner=f"urgent-{n}")
        task = replace(task, timing=Timing(bench.now + HOUR + 45 * SECOND, HOUR, stated=True))
        bench.pods[task.ref.uid] = task
        bench.feed([PodSeen(task)], stage)
    return stage


def _peak() -> int:
    """The most memory that the process had, in bytes (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def report(stages: Sequence[Stage], grown: int, machines: int, pending: int) -> dict[str, Any]:
    """The figures, for a machine."""
    return {
        "nodes": machines,
        "pending": pending,
        "goal_per_s": GOAL,
        "memory_bytes": grown,
        "stages": [
            {
                "name": stage.name,
                "placements": stage.placements,
                "preemptions": stage.preemptions,
                "seconds": stage.seconds,
                "per_s": stage.rate,
            }
            for stage in stages
        ],
    }


def main() -> int:
    """Measure and print; the exit status is 0 however the figures are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the nodes and pods")
    parser.add_argument("--out", type=Path, default=Path("runs/bench-core"), help="folder for the figures")
    chosen = parser.parse_args()
    scale = 10 if chosen.quick else 1
    machines, pending = NODES // scale, PENDING // scale
    bench = Bench()
    first, grown = burst(bench, machines, pending)
    stages = [first, churn(bench), urgent(bench, URGENT // scale)]
    figures = report(stages, grown, machines, pending)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "result.json").write_text(json.dumps(figures, indent=2))
    print("| stage | placements | preempted pods | s | placements/s |\n|---|---|---|---|---|")
    for stage in stages:
        print(
            f"| {stage.name} | {stage.placements:,} | {stage.preemptions:,} | {stage.seconds:.2f} "
            f"| {stage.rate:,.0f} |"
        )
    print(f"\nmemory: {grown / MIB:,.0f} MiB for {machines:,} nodes and {pending:,} pods")
    return 0


if __name__ == "__main__":
    sys.exit(main())
