"""Which run is compared with which: the same scenario, parameters, seed and arrivals. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.compare.jobs import JobTable
from evaluator.errors import NothingMatchedError, UsageError
from evaluator.results import RunResult
from evaluator.words import counted


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run, by what name messages call it, and the table of its jobs."""

    name: str
    result: RunResult
    jobs: JobTable


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs of one seed."""

    a: ComparedRun
    b: ComparedRun

    @property
    def same_jobs(self) -> bool:
        """Whether both had the same jobs at the same instants; scenarios that react to schedulers may not."""
        return self.a.jobs.keys == self.b.jobs.keys


@dataclass(frozen=True, slots=True)
class Pairing:
    """All pairs, and what a reader has to know about them."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]


def paired(first: Sequence[ComparedRun], second: Sequence[ComparedRun]) -> Pairing:
    """The runs of both sides, seed by seed.

    :raises UsageError: a run is not complete, scenarios or parameters or workloads differ, or a seed is
        there twice.
    :raises NothingMatchedError: no seed is on both sides.
    """
    for run in (*first, *second):
        _require_whole(run)
        _require_same(first[0], run)
    left, right = _by_seed(first), _by_seed(second)
    common = [seed for seed in left if seed in right]
    if not common:
        raise NothingMatchedError(
            f"no seed is on both sides: {_seeds(left)} against {_seeds(right)}",
            next_step="Compare runs of the same seeds.",
        )
    pairs = tuple(Pair(left[seed], right[seed]) for seed in common)
    for pair in pairs:
        if pair.a.result.scenario_digest != pair.b.result.scenario_digest:
            raise UsageError(
                f"{pair.a.name} and {pair.b.name}: their workloads differ, though they have one name",
                next_step="Was the scenario changed between the runs? Repeat the older one.",
            )
    return Pairing(pairs, tuple(_notes(pairs, left, right)))


def _require_whole(run: ComparedRun) -> None:
    if not run.result.complete:
        raise UsageError(
            f"{run.name}: the run is not complete, so it cannot be compared: {run.result.ended}",
            next_step="Repeat it.",
        )


def _require_same(first: ComparedRun, run: ComparedRun) -> None:
    for what in ("scenario", "parameters"):
        here, there = getattr(first.result, what), getattr(run.result, what)
        if here != there:
            raise UsageError(
                f"{first.name} and {run.name} differ in their {what}: {here} against {there}",
                next_step="Compare runs of one scenario with the same parameters.",
            )


def _by_seed(runs: Sequence[ComparedRun]) -> dict[int, ComparedRun]:
    found: dict[int, ComparedRun] = {}
    for run in runs:
        if (other := found.setdefault(run.result.seed, run)) is not run:
            raise UsageError(
                f"{other.name} and {run.name} are on one side and of one seed, {run.result.seed}",
                next_step="Give each side one run of each seed.",
            )
        if run.result.scheduler != runs[0].result.scheduler:
            raise UsageError(
                f"{runs[0].name} and {run.name} are on one side and of two schedulers",
                next_step="Give each side the runs of one scheduler.",
            )
    return found


def _notes(pairs: Sequence[Pair], left: dict[int, ComparedRun], right: dict[int, ComparedRun]) -> list[str]:
    notes = []
    alone = sorted(set(left) ^ set(right))
    if alone:
        notes.append(f"{counted(len(alone), 'seed')} on one side only, left out: {_seeds(alone)}")
    if other := [pair for pair in pairs if not pair.same_jobs]:
        notes.append(
            f"arrivals differ in {counted(len(other), 'pair')}: the scenario reacts to what the scheduler "
            "does, so jobs cannot be paired"
        )
    return notes


def _seeds(seeds: Sequence[int] | dict[int, ComparedRun]) -> str:
    return "seed " + ", ".join(map(str, sorted(seeds)))
