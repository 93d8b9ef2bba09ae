"""How much a replay costs beyond the scheduler's own work, as ratios within one run.

::

    python -m benchmarks.replay --trace DIR            # Alibaba's GPU trace of 2023; takes some ten minutes
    python -m benchmarks.replay --trace DIR --quick    # a part of it in a minute: does it run at all

Each round plays, one after the other: the whole trace through kube-scheduler, the same with
six nodes of eight GPUs left (contention), and the whole trace through ``lst-scheduler``. What is
compared with the goals is real time ÷ CPU time of the scheduler, and our scheduler's real time ÷
kube-scheduler's. Real time counts from the scheduler's readiness to the end of the play.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

OVERHEAD_GOAL: Final = 1.15
"""Most real time for each second of the scheduler's own CPU time."""
OWN_GOAL: Final = 0.5
"""Most real time of our scheduler for each second of kube-scheduler's."""
QUICK_PODS: Final = 400


@dataclass(frozen=True, slots=True)
class Play:
    """One of the things that a round plays."""

    name: str
    scheduler: str
    settings: Mapping[str, str]


PLAYS: Final = (
    Play("whole trace, kube-scheduler", "kube-scheduler", {}),
    Play("6 nodes, kube-scheduler", "kube-scheduler", {"nodes": "6"}),
    Play("whole trace, lst", "lst", {}),
)


def play(one: Play, trace: Path, *, quick: bool) -> dict[str, Any]:
    """The result of one run, in a process of its own.

    Raises:
        subprocess.CalledProcessError: the run failed.
    """
    settings = {"trace": str(trace), **one.settings, **({"pods": str(QUICK_PODS)} if quick else {})}
    assignments = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evaluator.cli.main", "run", "openb", "--quiet"]
        subprocess.run([*command, "-s", one.scheduler, *assignments, "--out", folder], check=True)
        result: dict[str, Any] = json.loads((Path(folder) / "result.json").read_text())
    return result


def overhead(result: Mapping[str, Any]) -> float:
    """Real time of the play ÷ CPU time of the scheduler."""
    return float(result["play_s"] / result["fidelity"]["scheduler_cpu_s"])


def describe(name: str, results: Sequence[Mapping[str, Any]]) -> str:
    """A row of the table: medians over the rounds."""

    def middle(*path: str) -> float:
        values = []
        for result in results:
            value: Any = result
            for key in path:
                value = value[key]
            values.append(float(value))
        return median(values)

    ratios = sorted(overhead(result) for result in results)
    return (
        f"| {name} | {middle('play_s'):.1f} | {middle('fidelity', 'scheduler_cpu_s'):.1f} "
        f"| {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {middle('fidelity', 'jumps'):,.0f} "
        f"| {middle('fidelity', 'wakeups'):,.0f} | {middle('jobs', 'finished'):,.0f} "
        f"| {middle('jobs', 'pending'):,.0f} | {middle('fidelity', 'forced_moves'):.0f} |"
    )


def report(rounds: Sequence[Mapping[str, Mapping[str, Any]]]) -> str:
    """The table in Markdown, and whether the goals are met."""
    head = (
        "| play | real s | scheduler CPU s | real ÷ CPU | jumps | wake-ups | finished | pending | forced |\n"
        "|---|---|---|---|---|---|---|---|---|"
    )
    rows = [describe(one.name, [found[one.name] for found in rounds]) for one in PLAYS]
    whole, contended, own = (one.name for one in PLAYS)
    shares = [found[own]["play_s"] / found[whole]["play_s"] for found in rounds]
    goals = [
        (f"{whole}: real ÷ CPU", median(overhead(found[whole]) for found in rounds), OVERHEAD_GOAL),
        (f"{contended}: real ÷ CPU", median(overhead(found[contended]) for found in rounds), OVERHEAD_GOAL),
        ("lst ÷ kube-scheduler, real time", median(shares), OWN_GOAL),
    ]
    told = [
        f"- {name}: {value:.2f}, goal at most {goal} — {_verdict(value, goal)}" for name, value, goal in goals
    ]
    return "\n".join([head, *rows, "", *told])


def _verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else "missed"


def main() -> int:
    """Measure and print; the exit status is 0 however the figures are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--trace", type=Path, required=True, help="folder with the trace's CSV files")
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is played (default 1)")
    parser.add_argument("--quick", action="store_true", help="only the first pods of the trace")
    parser.add_argument("--out", type=Path, default=Path("runs/bench-replay"), help="folder for the table")
    chosen = parser.parse_args()
    rounds = []
    for number in range(chosen.rounds):
        found = {}
        for one in PLAYS:
            print(f"round {number + 1} of {chosen.rounds}: {one.name}", file=sys.stderr)
            found[one.name] = play(one, chosen.trace, quick=chosen.quick)
        rounds.append(found)
    text = report(rounds)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "result.md").write_text(text + "\n")
    (chosen.out / "result.json").write_text(json.dumps(rounds, indent=2))
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
