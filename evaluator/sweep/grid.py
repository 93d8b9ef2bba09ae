"""The grid of a sweep: which runs there are, in which order, and where each is kept. Pure."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from evaluator.errors import UsageError

LONGEST_NAME: Final = 120
"""Characters of a folder's name; file systems take 255 bytes, and a person reads less."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._=+-]")
_COMMA: Final = re.compile(r"(?<!\\),")
"""A comma parts values; after a backslash it belongs to one."""


class Request(BaseModel):
    """One run that a sweep asks for. Equal requests ask for the same run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario: str
    """As it was named: a file's path, or a shipped scenario's name."""
    name: str
    """Of the scenario, as results call it."""
    scenario_sha256: str
    """Of the scenario's file."""
    assignments: dict[str, str]
    scheduler: str
    """As results call it."""
    scheduler_options: tuple[str, ...]
    """What chooses it on the command line of ``evaluator run``."""
    scheduler_sha256: str
    """Of the program that will be started, so that a new build is judged anew."""
    seed: int
    pace: str
    idle_limit_s: float
    version: str
    """Of this program."""

    @property
    def folder(self) -> str:
        """Name of the run's folder: the same for the same place in the grid, whatever else is in it."""
        return folder_name(self.name, self.scheduler, self.assignments, self.seed)

    def arguments(self, folder: Path, *, scenario: str | None = None) -> list[str]:
        """The command line of ``evaluator`` that performs it.

        :param folder: where the run is kept.
        :param scenario: where the scenario's file is, if not where it was named.
        """
        sets = [word for key, value in self.assignments.items() for word in ("--set", f"{key}={value}")]
        return [
            *("run", scenario or self.scenario),
            *self.scheduler_options,
            *("--seed", str(self.seed)),
            *sets,
            *("--pace", self.pace),
            *("--idle-limit", f"{self.idle_limit_s:g}"),
            *("--out", str(folder)),
            "--quiet",
        ]


@dataclass(frozen=True, slots=True)
class Played:
    """A scenario of the grid: how it was named, what it is called, and the digest of its file."""

    reference: str
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Contender:
    """A scheduler of the grid: its name, how ``evaluator run`` is told of it, and its program's digest."""

    name: str
    options: tuple[str, ...]
    sha256: str


def folder_name(scenario: str, scheduler: str, assignments: Mapping[str, str], seed: int) -> str:
    """``quickstart.lst.sweeps=3.seed=0``; what a file system may not like is replaced and made unique."""
    told = [f"{key}={value}" for key, value in sorted(assignments.items())]
    name = ".".join([scenario, scheduler, *told, f"seed={seed}"])
    safe = _UNSAFE.sub("_", name)
    if safe == name and len(name) <= LONGEST_NAME:
        return name
    unique = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{safe[:LONGEST_NAME]}.{unique}"


def parse_variants(texts: Iterable[str]) -> list[dict[str, str]]:
    """Every combination of ``["load=0.7,0.95", "jobs=6"]``, the last key varying fastest.

    :raises UsageError: for a text that is no assignment, or a value that is there twice.
    """
    values: dict[str, list[str]] = {}
    for text in texts:
        key, equals, listed = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(
                "not an assignment", where=f"--set {text}", next_step="Write --set KEY=VALUE,VALUE,…"
            )
        values[key.strip()] = _distinct(text, [_plain(value) for value in _COMMA.split(listed)])
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def _plain(value: str) -> str:
    return value.strip().replace("\\,", ",")


def _distinct(text: str, values: list[str]) -> list[str]:
    if len(set(values)) < len(values):
        raise UsageError(
            "a value is there twice", where=f"--set {text}", next_step="Give each value of a parameter once."
        )
    return values


def parse_seeds(text: str) -> list[int]:
    """The seeds of ``10`` (0 to 9), ``3-7`` or ``1,5,8``.

    :raises UsageError: for anything else, for none, or for one that is there twice.
    """
    if re.fullmatch(r"\d+", text):
        seeds = list(range(int(text)))
    elif found := re.fullmatch(r"(\d+)-(\d+)", text):
        seeds = list(range(int(found[1]), int(found[2]) + 1))
    elif re.fullmatch(r"\d+(,\d+)+,?|\d+,", text):
        seeds = [int(seed) for seed in text.split(",") if seed]
    else:
        seeds = []
    if not seeds or len(set(seeds)) < len(seeds):
        raise UsageError(
            f"--seeds = {text!r}: no seeds, or one twice",
            next_step="Write how many (10 means 0 to 9), a range (3-7), or a list (1,5,8; 5, for one).",
        )
    return seeds


def grid(
    scenarios: Sequence[Played],
    variants: Sequence[Mapping[str, str]],
    contenders: Sequence[Contender],
    seeds: Sequence[int],
    *,
    pace: str,
    idle_limit_s: float,
    version: str,
) -> list[Request]:
    """Every run; seed by seed, so that an early stop leaves all cells with some runs, not some with all.

    :raises UsageError: two runs would have one folder: two scenarios or schedulers of one name.
    """
    requests = [
        Request(
            scenario=played.reference,
            name=played.name,
            scenario_sha256=played.sha256,
            assignments=dict(variant),
            scheduler=contender.name,
            scheduler_options=contender.options,
            scheduler_sha256=contender.sha256,
            seed=seed,
            pace=pace,
            idle_limit_s=idle_limit_s,
            version=version,
        )
        for seed, played, variant, contender in product(seeds, scenarios, variants, contenders)
    ]
    seen: set[str] = set()
    for request in requests:
        if request.folder in seen:
            raise UsageError(
                f"two runs would be kept in {request.folder}",
                next_step="Give each scenario and each scheduler once, each with a name of its own.",
            )
        seen.add(request.folder)
    return requests
