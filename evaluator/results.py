"""The outcome of one run as a versioned file: ``result.json``.

A result says what was run, how it ended, how far its times can be trusted, and what was measured. It never
needs the timeline beside it to be read; the timeline never needs the result.

Files of older schema versions are lifted step by step when they are read (:data:`MIGRATIONS`); files of newer
versions are refused.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from evaluator.errors import FileFormatError, describe_problems
from evaluator.files import write_atomically
from evaluator.metrics.ledger import Ledger
from evaluator.metrics.metric import Metric
from evaluator.scenario.expectations import ExpectationOutcome
from evaluator.scenario.model import Note

SCHEMA_VERSION: Final = 2
"""Version of the file's schema; raised when a reader of the old one would misunderstand the new one."""

RESULT_FILE = "result.json"
"""Name of the result in a run's output folder."""

TIMELINE_FILE = "timeline.jsonl"
"""Name of the timeline in a run's output folder."""

Migration: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]


def _count_jobs(document: dict[str, Any]) -> dict[str, Any]:
    """Version 1 counted pods, each as a job; nothing in it tells which of them belonged together."""
    return {**document, "schema_version": 2}


MIGRATIONS: Mapping[int, Migration] = {1: _count_jobs}
"""From schema version n: the function that turns its document into one of version n + 1."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class JobCounts(_Part):
    """What became of the jobs that the scenario submitted: a pod by itself is one, so is a Job or a gang."""

    submitted: int = Field(ge=0)
    finished: int = Field(ge=0, description="ended as succeeded")
    failed: int = Field(ge=0, description="ended as failed, evicted or deleted")
    running: int = Field(default=0, ge=0, description="had a pod on a node when the run ended")
    pending: int = Field(ge=0, description="had no pod on a node when the run ended")

    @classmethod
    def of(cls, ledger: Ledger) -> Self:
        """The counts of a run."""
        outcomes = Counter(job.outcome for job in ledger.jobs if job.outcome is not None)
        return cls(
            submitted=len(ledger.jobs),
            finished=outcomes["succeeded"],
            failed=outcomes.total() - outcomes["succeeded"],
            running=sum(job.running for job in ledger.jobs),
            pending=sum(job.pending for job in ledger.jobs),
        )


class Fidelity(_Part):
    """How far the run's virtual times can be trusted, and what they cost in real time."""

    pace: str = Field(description="how idleness was established: warp (proven) or settle (guessed)")
    jumps: int = Field(ge=0, description="times that virtual time was moved")
    forced_moves: int = Field(ge=0, description="moves without proof of idleness; must be 0")
    guessed_moves: int = Field(default=0, ge=0, description="moves after silence that was taken for idleness")
    proofs: int = Field(default=0, ge=0, description="times that the scheduler was found idle")
    wakeups: int = Field(default=0, ge=0, description="timers of the scheduler visited while pods waited")
    longest_wait_s: float = Field(ge=0, description="longest real wait for the scheduler to become idle")
    clock_lead_s: float = Field(ge=0, description="greatest lead of the scheduler's clock over virtual time")
    scheduler_cpu_s: float = Field(ge=0, description="CPU time of the scheduler's processes")
    unread_method: str = Field(default="", description="how unread bytes were looked for")
    unreachable: list[str] = Field(
        default_factory=list, description="waits of the scheduler that a moved clock cannot end early"
    )
    takeover: str = Field(default="", description="from when on the scheduler's clock was virtual")


class RunResult(_Part):
    """The outcome of one run."""

    schema_version: Literal[2] = SCHEMA_VERSION
    scenario: str
    scenario_title: str = ""
    scenario_digest: str = Field(description="SHA-256 of the workload: equal digests, equal work")
    timeline_digest: str = Field(
        default="", description="SHA-256 of timeline.jsonl; equal runs, equal digest"
    )
    scheduler: str
    scheduler_command: list[str] = Field(default_factory=list)
    scheduler_version: str = ""
    seed: int
    parameters: dict[str, JsonValue]
    start: str = Field(description="instant at which virtual time began, RFC 3339")
    ended: str = Field(description="why the run ended")
    complete: bool = Field(default=True, description="false if it was interrupted or the scheduler failed")
    wall_s: float = Field(ge=0, description="real time that the run took, the scheduler's start included")
    play_s: float = Field(default=0.0, ge=0, description="real time from the scheduler's readiness on")
    virtual_s: float = Field(ge=0, description="virtual time that passed")
    jobs: JobCounts
    fidelity: Fidelity
    metrics: dict[str, Metric]
    classes: dict[str, dict[str, dict[str, Metric]]] = Field(
        default_factory=dict,
        description="metrics of classes of jobs: by size, priority, user, queue, chip_type; then by class",
    )
    expectations: list[ExpectationOutcome] = Field(
        default_factory=list, description="what the scenario expected, and whether it holds"
    )
    notes: list[Note] = Field(default_factory=list)
    versions: dict[str, str] = Field(default_factory=dict, description="this program, Python, platform")


def write_result(result: RunResult, path: Path) -> None:
    """Write ``result`` to ``path`` as indented JSON, whole or not at all.

    :raises OSError: if the folder is missing or not writable.
    """
    document = result.model_dump(mode="json")
    body = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    write_atomically(path, [body])


def read_result(path: Path) -> RunResult:
    """The result in a file, or in a run's output folder; older schema versions are lifted to this one.

    :raises FileFormatError: with file and field, if it cannot be read or breaks the schema.
    """
    file = path / RESULT_FILE if path.is_dir() else path
    try:
        return RunResult.model_validate(migrated(_document(file), str(file)))
    except ValidationError as error:
        raise FileFormatError(
            "; ".join(describe_problems(error)),
            where=str(file),
            next_step="The file does not follow the schema of a result: was it edited?",
        ) from error


def _document(file: Path) -> dict[str, Any]:
    try:
        document = orjson.loads(file.read_bytes())
    except OSError as error:
        raise FileFormatError(
            f"cannot read the result: {error.strerror}",
            where=str(file),
            next_step=f"Give a run's output folder, or the {RESULT_FILE} in it.",
        ) from error
    except orjson.JSONDecodeError as error:
        raise FileFormatError(
            f"not JSON: {error}", where=str(file), next_step="Was the file cut short or edited?"
        ) from error
    if not isinstance(document, dict):
        raise FileFormatError(
            "not a JSON object", where=str(file), next_step=f"Give the {RESULT_FILE} of a run."
        )
    return document


def migrated(
    document: dict[str, Any],
    where: str,
    *,
    migrations: Mapping[int, Migration] = MIGRATIONS,
    target: int = SCHEMA_VERSION,
) -> dict[str, Any]:
    """``document`` lifted to schema version ``target``, one version at a time.

    :raises FileFormatError: if its version is missing, unknown or newer than ``target``.
    """
    version = document.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise FileFormatError(
            f"schema_version = {version!r}: not a version number",
            where=where,
            next_step=f"Give the {RESULT_FILE} of a run.",
        )
    while version < target:
        if version not in migrations:
            raise FileFormatError(
                f"schema_version = {version}: too old to be read",
                where=where,
                next_step="Run the scenario again.",
            )
        document = migrations[version](document)
        version += 1
        document["schema_version"] = version
    if version > target:
        raise FileFormatError(
            f"schema_version = {version}: newer than this program, which reads up to {target}",
            where=where,
            next_step="Upgrade scheduler-evaluator.",
        )
    return document
