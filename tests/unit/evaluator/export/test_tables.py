"""A run's jobs as a Parquet table, and its series as OpenMetrics, read back by their own libraries."""

import builtins
import io
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from pyarrow import parquet

from evaluator.errors import UsageError
from evaluator.export.jobrows import COLUMNS, job_rows
from evaluator.export.openmetrics import write_metrics
from evaluator.export.parquet import METADATA_KEY, write_jobs
from evaluator.metrics.ledger import Ledger
from evaluator.results import RunResult
from fakeapi.kernel.time import SECOND, parse_instant
from tests.support.list_scheduling import arrival
from tests.support.reports import quickstart
from tests.support.stories import (
    began,
    bound,
    cut,
    ended,
    job_ended,
    job_submitted,
    ledger,
    ran,
    submitted,
)


def story() -> Ledger:
    return ledger(
        job_submitted("d/train", 0, chips=2, run=60, deadline=80),
        submitted("d/train-1", 0, chips=2, job="d/train"),
        bound("d/train-1", 10),
        began("d/train-1", 10),
        cut("d/train-1", 40, "preemption", kept=20, lost=10),
        submitted("d/train-2", 50, chips=2, job="d/train"),
        bound("d/train-2", 50),
        began("d/train-2", 50),
        ended("d/train-2", 90, kept=40),
        job_ended("d/train", 91),
        ran("d/alone", 5, start=20, end=30),
        submitted("d/waits", 60, chips=8),
        end=100,
    )


def test_a_row_tells_a_job_s_whole_story() -> None:
    train, alone, waits = job_rows(story())
    assert list(train) == list(COLUMNS)
    told = ("submitted_s", "bound_s", "ended_s", "wait_s", "turnaround_s", "work_s", "deadline_s")
    assert [train[name] for name in told] == [0, 10, 91, 10, 91, 60, 80]
    assert (train["missed"], train["tardiness_s"], train["attempts"], train["preemptions"]) == (
        True,
        11,
        2,
        1,
    )
    assert (train["held_chip_s"], train["kept_chip_s"], train["lost_chip_s"]) == (140, 120, 20)
    assert (alone["job"], alone["missed"], alone["tardiness_s"]) == ("d/alone", None, None)
    assert (waits["bound_s"], waits["outcome"], waits["wait_s"]) == (None, None, 40)


@pytest.fixture(scope="module")
def run() -> RunResult:
    """What is known of some run."""
    return quickstart(arrival, "fifo").result


def test_the_table_is_read_back_with_its_run(run: RunResult) -> None:
    written = b"".join(write_jobs(story(), run))
    table = parquet.read_table(io.BytesIO(written))
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == job_rows(story())
    assert RunResult.model_validate_json(table.schema.metadata[METADATA_KEY]) == run
    assert written == b"".join(write_jobs(story(), run)), "the same run, the same bytes"


def test_without_the_library_it_is_said_how_to_get_it(
    run: RunResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match="pyarrow, which is not installed"):
        list(write_jobs(story(), run))


def test_series_carry_virtual_instants_and_declare_the_offset(run: RunResult) -> None:
    offset = 3600.0
    text = b"".join(write_metrics(story(), run, offset_s=offset)).decode()
    assert text.endswith("# EOF\n")
    read = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]  # it has no types
    families = {family.name: family for family in read}
    (declared,) = families["evaluator_time_offset_seconds"].samples
    assert declared.value == offset
    start = parse_instant(run.start) / SECOND + offset
    pending = [
        (float(sample.timestamp) - start, sample.value)
        for sample in families["evaluator_pods_pending"].samples
    ]
    assert pending == [(0, 1), (5, 2), (10, 1), (20, 0), (50, 0), (60, 1)]
    held = families["evaluator_chips_held"].samples
    assert [sample.value for sample in held] == [0, 2, 3, 2, 0, 2, 0]
    assert held[0].labels == {"scenario": run.scenario, "scheduler": run.scheduler, "seed": str(run.seed)}
    figures = {sample.labels["name"]: sample for sample in families["evaluator_metric"].samples}
    assert figures["wait_p50"].value == run.metrics["wait_p50"].value
    assert figures["wait_p50"].labels["unit"] == "s"
