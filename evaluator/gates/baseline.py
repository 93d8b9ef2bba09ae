"""What a scheduler did before: the values of every metric over some runs, in files made to be reviewed.

A baseline is a folder with one file for each scenario and scheduler, ``SCENARIO.SCHEDULER.json``, with sorted
keys and indented, so that a change of the baseline reads well in a pull request.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Final, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from evaluator.errors import FileFormatError, UsageError, describe_problems
from evaluator.files import write_atomically
from evaluator.results import RunResult

SUFFIX: Final = ".json"

Value = Annotated[float, Field(allow_inf_nan=False)]


class Baseline(BaseModel):
    """The runs of one scenario with one scheduler."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    scenario: str
    scheduler: str
    parameters: dict[str, JsonValue]
    seeds: tuple[int, ...]
    metrics: dict[str, tuple[Value, ...]]
    """Values in the order of the runs; runs without a value are left out."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A metric whose median is another than before; None where there was none."""

    metric: str
    before: float | None
    after: float | None


def baseline_of(results: Sequence[RunResult]) -> Baseline:
    """The baseline that these runs make.

    :raises UsageError: they are of different scenarios, schedulers or parameters, or not complete.
    """
    first = results[0]
    for result in results:
        if not result.complete:
            raise UsageError(f"a run of {result.scenario} with {result.scheduler} is not complete")
        if result.parameters != first.parameters:
            raise UsageError(
                f"runs of {first.scenario} with {first.scheduler} differ in their parameters",
                next_step="Keep a baseline folder for each set of parameters.",
            )
    names = sorted({name for result in results for name in result.metrics})
    values = {
        name: tuple(
            metric.value
            for result in results
            if (metric := result.metrics.get(name)) is not None and metric.value is not None
        )
        for name in names
    }
    return Baseline(
        scenario=first.scenario,
        scheduler=first.scheduler,
        parameters=first.parameters,
        seeds=tuple(result.seed for result in results),
        metrics=values,
    )


def grouped(results: Iterable[RunResult]) -> dict[tuple[str, str], list[RunResult]]:
    """Runs by scenario and scheduler."""
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for result in results:
        groups.setdefault((result.scenario, result.scheduler), []).append(result)
    return groups


def read_baselines(folder: Path) -> Mapping[tuple[str, str], Baseline]:
    """All baselines in a folder, by scenario and scheduler.

    :raises FileFormatError: one of them cannot be read, or there is no such folder.
    """
    if not folder.is_dir():
        raise FileFormatError(
            "there is no such folder", where=str(folder), next_step="Make it with evaluator baseline update."
        )
    found = [_read(file) for file in sorted(folder.glob(f"*{SUFFIX}"))]
    return {(one.scenario, one.scheduler): one for one in found}


def _read(file: Path) -> Baseline:
    try:
        return Baseline.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise FileFormatError(
            "; ".join(describe_problems(error)),
            where=str(file),
            next_step="Make it anew with evaluator baseline update.",
        ) from error
    except OSError as error:
        raise FileFormatError(f"cannot be read: {error.strerror}", where=str(file)) from error


def write_baseline(baseline: Baseline, folder: Path) -> Path:
    """Write a baseline into a folder, which is made if it is not there; return the file.

    :raises UsageError: the folder cannot be written to.
    """
    file = folder / f"{baseline.scenario}.{baseline.scheduler}{SUFFIX}"
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(file, [orjson.dumps(baseline.model_dump(mode="json"), option=options)])
    except OSError as error:
        raise UsageError(
            f"the baseline cannot be written: {error.strerror}",
            where=str(file),
            next_step="Give a folder that can be written to.",
        ) from error
    return file


def differences(before: Baseline | None, after: Baseline) -> list[Difference]:
    """The metrics whose medians changed."""
    old = {} if before is None else before.metrics
    names = sorted({*old, *after.metrics})
    medians = [(name, _median(old.get(name)), _median(after.metrics.get(name))) for name in names]
    return [Difference(name, was, now) for name, was, now in medians if was != now]


def _median(values: Sequence[float] | None) -> float | None:
    return median(values) if values else None
