"""The API beside a real kube-apiserver with etcd: same client, same machine, alternating rounds.

::

    python -m benchmarks.api                 # as published: three rounds, 1,523 nodes, 2,000 pods
    python -m benchmarks.api --quick         # a few seconds: does it run at all

Writes ``result.json`` and ``result.md`` below ``--out`` and prints the latter. The exit status is 0 however
the figures are, and 1 with ``--check`` when a goal is missed.
"""

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.api_load import MEGABYTE, Load, cpu_ms, create_namespace, resident_mb
from benchmarks.api_objects import NODE, POD, ignored_by_schedulers
from benchmarks.api_sides import OURS, SIDES, THEIRS, Side, what_each_does
from benchmarks.api_threads import creates_per_second
from benchmarks.figures import Comparison, Figure, compare, to_markdown
from tests.support.kube_scheduler import running_kube_scheduler
from tools.build_peers import PEERS, PeerError, build

FIGURES: Final[Mapping[str, Figure]] = {
    "creates": Figure("pods created, a lean client of 8 connections", "1/s", "higher", goal=8),
    "creates_python": Figure("pods created, a Python client of 8 threads", "1/s", "higher", goal=8),
    "bound": Figure("pods from creation to bound by kube-scheduler", "1/s", "higher", goal=1.6),
    "memory": Figure("resident memory at the end, with all of this in it", "MB", "lower", goal=4),
    "memory_created": Figure("resident memory before the first pod is bound", "MB", "lower"),
    "list": Figure("list of all pods, whole answer", "ms", "lower"),
    "list_size": Figure("size of that list", "MB", "lower"),
    "list_per_mb": Figure("list, for each MB of it", "ms/MB", "lower"),
    "fanout": Figure("events of new pods delivered to watchers", "1/s", "higher"),
    "create_cpu": Figure("processor time of the server for a create", "ms", "lower"),
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    The nodes are as many as in the published GPU trace; pods and watchers are as many as take some seconds on
    the slower side, so that start-up effects do not count.
    """

    rounds: int = 3
    nodes: int = 1523
    pods: int = 2000
    lists: int = 15
    watchers: int = 50
    watched: int = 400


QUICK: Final = Size(rounds=1, nodes=20, pods=100, lists=3, watchers=5, watched=20)


def measure(side: Side, size: Size, home: Path) -> dict[str, float]:
    """One round on a fresh server: a value for each key of :data:`FIGURES`."""
    with side(home) as server:
        load = Load(server, home)
        for namespace in ("listed", "python", "watched", "bound"):
            create_namespace(server, namespace)
        unscheduled = ignored_by_schedulers(POD)
        load("create", "/api/v1/nodes", NODE, count=size.nodes)
        cpu_before = cpu_ms(server)
        created = load("create", _pods("listed"), unscheduled, count=size.pods)
        cpu = cpu_ms(server) - cpu_before
        created_python = creates_per_second(server, _pods("python"), unscheduled, size.pods)
        listed = load("list", _pods("listed"), count=size.lists)
        watched = load(
            "fanout",
            _pods("watched"),
            ignored_by_schedulers(POD),
            count=size.watched,
            watchers=size.watchers,
        )
        memory_created = resident_mb(server)
        with running_kube_scheduler(build(PEERS["kube-scheduler"]), server, home):
            _await_scheduler(load)
            bound = load("bound", _pods("bound"), POD, count=size.pods)
            memory = resident_mb(server)
    megabytes = listed["bytes"] / MEGABYTE
    return {
        "creates": created["per_second"],
        "creates_python": created_python,
        "bound": bound["per_second"],
        "memory": memory,
        "memory_created": memory_created,
        "list": listed["median_ms"],
        "list_size": megabytes,
        "list_per_mb": listed["median_ms"] / megabytes,
        "fanout": watched["events_per_second"],
        "create_cpu": cpu / size.pods,
    }


def _pods(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def _await_scheduler(load: Load) -> None:
    """One pod bound: the scheduler has read all nodes and works."""
    named = {**POD, "metadata": {"name": "first-{i}"}}
    load("bound", _pods("bound"), named, count=1)


def run(size: Size) -> list[Comparison]:
    """All rounds of both sides; who begins alternates, so that a machine that slows down harms both."""
    results: dict[str, list[dict[str, float]]] = {name: [] for name in SIDES}
    for number in range(size.rounds):
        order = list(SIDES) if number % 2 == 0 else list(reversed(list(SIDES)))
        for name in order:
            print(f"round {number + 1} of {size.rounds}: {name} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="bench-api-") as home:
                results[name].append(measure(SIDES[name], size, Path(home)))
    return compare(FIGURES, results[OURS], results[THEIRS])


def report(size: Size, comparisons: Sequence[Comparison]) -> str:
    """The result for people."""
    machine = f"{_processor()}, Python {platform.python_version()}"
    measured = (
        f"{size.rounds} alternating rounds, medians (least to greatest), {size.nodes:,} nodes, "
        f"{size.pods:,} pods, {size.watchers} watchers; {machine}.\n"
    )
    return "\n".join([measured, to_markdown(comparisons, OURS, THEIRS), what_each_does()])


def _processor() -> str:
    names = [line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")]
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def _cpuinfo() -> list[str]:
    return Path("/proc/cpuinfo").read_text().splitlines()


def main() -> int:
    """Measure, print and write the result."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.api", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/bench-api"), help="directory of the results")
    parser.add_argument("--quick", action="store_true", help="small: does it run at all; no figures to use")
    parser.add_argument("--rounds", type=int, help="alternating rounds of each side")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed")
    asked = parser.parse_args()
    size = QUICK if asked.quick else Size()
    if asked.rounds:
        size = Size(**{**asdict(size), "rounds": asked.rounds})
    try:
        comparisons = run(size)
    except PeerError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    text = report(size, comparisons)
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "result.md").write_text(text)
    figures = [comparison.to_json() for comparison in comparisons]
    (asked.out / "result.json").write_text(json.dumps({"size": asdict(size), "figures": figures}, indent=2))
    print(text)
    missed = any(comparison.reached is False for comparison in comparisons)
    return 1 if asked.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
