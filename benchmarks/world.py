"""What the simulated world costs: memory at full size, and the cost of an event as the cluster grows.

::

    python -m benchmarks.world                # 1,000, 3,000 and 10,000 nodes, ten pods for each; some minutes
    python -m benchmarks.world --quick        # a tenth of it in seconds: does it run at all

Each size is measured in a process of its own. It fills a cluster with pods that work and save checkpoints,
one of each node in a gang of four; then the same number of happenings of each kind is timed: pods that start
and end, chips that fail and are repaired, machines that crash and boot, failures that are drawn. No two of
them hit the same gang, so that each has as much to do in a small cluster as in a large one. What is compared
is the cost of one happening with that in the smallest cluster: seconds depend on the machine, the curve
hardly. No scheduler and no HTTP take part: pods are bound by a call.
"""

import argparse
import gc
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from fakeapi.cluster.annotations import PREFIX
from fakeapi.cluster.failuremodel import FailureModel
from fakeapi.cluster.nodes import CHIP_RESOURCE, NodeShape, build_node
from fakeapi.kernel.clock import VirtualClock
from fakeapi.kernel.events import Rank
from fakeapi.kernel.time import DAY, HOUR, MINUTE
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.registry.pods import bind
from fakeapi.world import World

SIZES: Final = (1_000, 3_000, 10_000)
PODS_PER_NODE: Final = 10
TURNS: Final = 3_000
"""Pods that start and end, in each cluster."""
GANG_SIZE: Final = 4
DRAWN: Final = 200
"""Failures that are drawn, about."""
RACK: Final = 16
"""Nodes of one rack."""
QUICK: Final = 10
KIBI: Final = 1024


class Bench:
    """A world that is full of pods."""

    def __init__(self, nodes: int) -> None:
        self.clock = VirtualClock()
        self.world = World(self.clock, seed=1)
        self.nodes = [f"n{number:05d}" for number in range(nodes)]
        self._numbers = count()
        for number, name in enumerate(self.nodes):
            labels = {"rack": f"r{number // RACK}", "topology.kubernetes.io/zone": f"z{number % 3}"}
            shape = NodeShape(name, chips=8, labels=labels)
            self.world.registry.create(NODES, "", build_node(shape, number, self.clock.now()))

    def place(self, node: str, chips: int, run_time: str, gang: str | None = None) -> None:
        """Create a pod and bind it."""
        name = f"p{next(self._numbers):06d}"
        life = {"run-time": run_time, "checkpoint-interval": "30m", "restart-cost": "2m"}
        if gang is not None:
            life |= {"gang": gang, "gang-size": str(GANG_SIZE)}
        amounts = {"cpu": "1", "memory": "4Gi", **({CHIP_RESOURCE: str(chips)} if chips else {})}
        container = {"name": "main", "image": "registry.example/train:1", "resources": {"limits": amounts}}
        pod = {
            "metadata": {
                "name": name,
                "annotations": {PREFIX + word: text for word, text in life.items()},
            },
            "spec": {"restartPolicy": "Never", "containers": [container]},
        }
        self.world.registry.create(PODS, "default", pod)
        bind(self.world.registry, "default", name, {"metadata": {"name": name}, "target": {"name": node}})

    def fill(self) -> int:
        """Ten pods for each node, seven of them with a chip, the first in a gang; return how many."""
        for turn in range(PODS_PER_NODE):
            for number, node in enumerate(self.nodes):
                gang = f"g{number // GANG_SIZE}" if turn == 0 else None
                self.place(node, 1 if turn < PODS_PER_NODE - 3 else 0, "1000d", gang)
        self.world.run_due()
        return len(self.nodes) * PODS_PER_NODE

    def until(self, instant: int) -> int:
        """Let everything up to an instant happen; return how many events that were."""
        ran = 0
        while True:
            instants = (self.world.queue.peek(), self.world.queue.peek_background())
            at = min((each for each in instants if each is not None), default=None)
            if at is None or at > instant:
                break
            self.clock.advance_to(at)
            ran += self.world.run_due()
        self.clock.advance_to(instant)
        return ran

    def picked(self, part: int, happenings: int) -> list[str]:
        """One node of so many gangs from all over the cluster; different gangs for each part of two."""
        gangs = [number for number in range(len(self.nodes) // GANG_SIZE) if number % 2 == part]
        step = max(1, len(gangs) // happenings)
        return [self.nodes[GANG_SIZE * gang] for gang in gangs[::step]][:happenings]


def measure(nodes: int, turns: int, happenings: int) -> dict[str, float]:
    """Every figure of one size: seconds for a happening of each kind, memory, events each second."""
    began = perf_counter()
    bench = Bench(nodes)
    pods = bench.fill()
    filled = perf_counter() - began
    gc.collect()
    gc.freeze()
    figures: dict[str, float] = {
        "nodes": nodes,
        "pods": pods,
        "fill_s": filled,
        "pods_per_s": pods / filled,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIBI,
    }
    everywhere = [bench.nodes[index * len(bench.nodes) // turns % len(bench.nodes)] for index in range(turns)]
    figures["pod starts and ends"] = _timed(lambda node: _turn_over(bench, node), everywhere)
    figures["chip fails, is repaired"] = _timed(
        lambda node: _break_chip(bench, node), bench.picked(0, happenings)
    )
    figures["machine crashes, boots"] = _timed(lambda node: _crash(bench, node), bench.picked(1, happenings))
    figures["failure drawn"], figures["events_per_s"] = _draw(bench)
    began = perf_counter()
    bench.world.machines.validate()
    figures["validate_s"] = perf_counter() - began
    return figures


def _timed(action: Callable[[str], None], nodes: list[str]) -> float:
    """Seconds for each node."""
    began = perf_counter()
    for node in nodes:
        action(node)
    return (perf_counter() - began) / len(nodes)


def _turn_over(bench: Bench, node: str) -> None:
    bench.place(node, 0, "1m")
    bench.until(bench.clock.now() + MINUTE)


def _break_chip(bench: Bench, node: str) -> None:
    machines, queue, now = bench.world.machines, bench.world.queue, bench.clock.now()
    queue.schedule(now, Rank.FAILURE, lambda: _ignore(machines.fail_chips(node, 1)))
    queue.schedule(now + 1, Rank.REPAIR, lambda: _ignore(machines.repair_chips(node)))
    bench.until(now + 1)


def _crash(bench: Bench, node: str) -> None:
    machines, queue, now = bench.world.machines, bench.world.queue, bench.clock.now()
    queue.schedule(now, Rank.FAILURE, lambda: _ignore(machines.crash(node)))
    queue.schedule(now + HOUR, Rank.REPAIR, lambda: _ignore(machines.recover(node)))
    bench.until(now + HOUR)


def _draw(bench: Bench) -> tuple[float, float]:
    """Seconds for a drawn failure with its repair, and events each second meanwhile."""
    failed = count()
    bench.world.machines.listen(lambda event: _ignore(event.happening == "failed" and next(failed)))
    rate = 1000 * DRAWN / len(bench.nodes)  # so many in about a day, however many nodes there are
    bench.world.failures.draw(FailureModel(outages_per_1000_node_days=rate, topology="rack").reboots())
    began = perf_counter()
    events = bench.until(bench.clock.now() + DAY)
    took = perf_counter() - began
    return took / max(1, next(failed)), events / took


def _ignore(_: object) -> None:
    """Actions of events return nothing."""


KINDS: Final = ("pod starts and ends", "chip fails, is repaired", "machine crashes, boots", "failure drawn")
OTHERS: Final = {
    "memory_mb": "resident memory, MB",
    "pods_per_s": "pods created, bound and started, 1/s",
    "events_per_s": "events while failures are drawn, 1/s",
    "validate_s": "every invariant checked once, s",
}


def curve(results: list[dict[str, Any]]) -> str:
    """The table: microseconds for each happening, and how many times that of the smallest cluster."""
    sizes = (f"{one['nodes']:,.0f} nodes, {one['pods']:,.0f} pods" for one in results)
    lines = [f"| | {' | '.join(sizes)} |", "|---|" + "---|" * len(results)]
    for name in KINDS:
        cells = (f"{one[name] * 1e6:,.0f} µs ({one[name] / results[0][name]:.2f})" for one in results)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    for name, text in OTHERS.items():
        digits = 2 if name == "validate_s" else 0
        lines.append(f"| {text} | {' | '.join(f'{one[name]:,.{digits}f}' for one in results)} |")
    return "\n".join(lines) + "\n"


def in_process(nodes: int, turns: int, happenings: int) -> dict[str, Any]:
    """The figures of one size, from a process of its own.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    amounts = [str(nodes), str(turns), str(happenings)]
    command = [sys.executable, "-m", "benchmarks.world", "--measure", *amounts]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> int:
    """Measure and print; the exit status is 0 however the figures are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of each size")
    parser.add_argument("--measure", type=int, nargs=3, metavar="N", help="nodes, turns, happenings: as JSON")
    parser.add_argument("--out", type=Path, default=Path("runs/bench-world"), help="folder for the table")
    chosen = parser.parse_args()
    if chosen.measure:
        print(json.dumps(measure(*chosen.measure)))
        return 0
    sizes = [size // (QUICK if chosen.quick else 1) for size in SIZES]
    happenings = sizes[0] // GANG_SIZE // 2  # every second gang of the smallest cluster
    results = []
    for size in sizes:
        print(f"{size:,} nodes", file=sys.stderr)
        results.append(in_process(size, TURNS // (QUICK if chosen.quick else 1), happenings))
    text = curve(results)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "result.md").write_text(text)
    (chosen.out / "result.json").write_text(json.dumps(results, indent=2))
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
