"""A recording becomes jobs, nodes and outages."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import TraceError
from evaluator.traces.account import ImportReport
from evaluator.traces.formats import recorded
from evaluator.traces.model import Trace, TraceJob, TraceNode, TraceOutage
from evaluator.traces.opening import open_trace

HEADER = {"format": recorded.FORMAT_NAME, "version": recorded.VERSION}


def recording(tmp_path: Path, *events: dict[str, Any], header: dict[str, Any] = HEADER) -> Trace:
    file = tmp_path / "cluster.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in (header, *events)))
    return open_trace(str(file))


def event(at: int, kind: str, **details: Any) -> dict[str, Any]:
    return {"at": at, "event": kind, **details}


def jobs_of(trace: Trace) -> tuple[list[TraceJob], ImportReport]:
    report = ImportReport()
    jobs = list(trace.jobs(report))
    report.check()
    return jobs, report


def test_a_pod_runs_from_its_start_to_its_end(tmp_path: Path) -> None:
    trace = recording(
        tmp_path,
        event(
            10,
            "submitted",
            pod="p",
            chips=2,
            cpu_milli=500,
            user="ann",
            queue="q",
            priority=-5,
            deadline_ns=90,
        ),
        event(15, "started", pod="p"),
        event(40, "ended", pod="p", outcome="Failed"),
    )
    jobs, report = jobs_of(trace)
    assert jobs == [
        TraceJob(
            id="p", submit_ns=10, run_ns=25, chips=2, cpu_milli=500, user="ann", queue="q", priority=-5,
            deadline_ns=90, wait_ns=5, outcome="Failed",
        )
    ]  # fmt: skip
    assert report.section("jobs").kept == 3


def test_pods_of_one_job_that_run_at_once_are_one_job_of_many_pods(tmp_path: Path) -> None:
    trace = recording(
        tmp_path,
        *[event(at, "submitted", pod=f"p{at}", job="j", chips=1) for at in (0, 1, 9)],
        event(2, "job", job="j", pods=2),
        *[event(at, "started", pod=f"p{at - 3}") for at in (3, 4)],
        *[event(at, "ended", pod=f"p{at - 6}", outcome="Succeeded") for at in (6, 7)],
    )
    (job,), report = jobs_of(trace)
    assert (job.id, job.pods, job.submit_ns, job.run_ns) == ("j", 2, 0, 3)
    assert report.section("jobs").dropped == {recorded.REPLACEMENT: 1}


def test_what_did_not_run_or_was_not_seen_is_dropped(tmp_path: Path) -> None:
    trace = recording(
        tmp_path,
        event(0, "submitted", pod="waits"),
        event(1, "submitted", pod="momentary"),
        event(1, "started", pod="momentary"),
        event(1, "ended", pod="momentary"),
        event(2, "started", pod="unknown"),
    )
    jobs, report = jobs_of(trace)
    assert jobs == []
    assert report.section("jobs").dropped == {
        recorded.NEVER_STARTED: 1, recorded.NO_LENGTH: 3, recorded.UNKNOWN_POD: 1,
    }  # fmt: skip


def test_a_recording_has_a_beginning_and_an_end(tmp_path: Path) -> None:
    trace = recording(
        tmp_path,
        event(-50, "submitted", pod="p"),
        event(-20, "started", pod="p"),
        event(100, "end", left_out=3),
    )
    (job,), report = jobs_of(trace)
    assert (job.submit_ns, job.run_ns, job.wait_ns) == (0, 120, 30)
    assert report.section("jobs").changed == {recorded.BEFORE: 1}
    assert report.section("jobs").noted == {recorded.CUT_OFF: 1}


def test_nodes_come_change_and_go_and_are_down_between(tmp_path: Path) -> None:
    trace = recording(
        tmp_path,
        event(-9, "node", node="n", chips=8, chip_type="A", cpu_milli=1000, memory_bytes=2**30),
        event(5, "node", node="m", chips=4),
        event(6, "node", node="n", chips=7, chip_type="A", cpu_milli=1000),
        event(10, "node-down", node="n"),
        event(30, "node-up", node="n"),
        event(31, "node-up", node="n"),
        event(35, "node-down", node="m"),
        event(40, "node-gone", node="m"),
        event(45, "node-gone", node="x"),
        event(50, "node-down", node="n"),
        event(70, "end"),
    )
    report = ImportReport()
    assert list(trace.nodes(report)) == [
        TraceNode("n", 8, "A", 1000, None, since_ns=0),
        TraceNode("m", 4, None, None, None, since_ns=5, until_ns=40),
    ]
    assert list(trace.outages(report)) == [
        TraceOutage("n", 10, 20),
        TraceOutage("m", 35, 5),
        TraceOutage("n", 50, 20),
    ]
    report.check()
    assert report.section("nodes").changed == {recorded.CHANGED_NODE: 1}
    assert report.section("outages").dropped == {recorded.STRAY: 1}
    assert report.section("outages").noted == {recorded.STILL_DOWN: 1}


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([event(5, "submitted", pod="p"), event(4, "started", pod="p")], "at = '4': before the event"),
        (
            [event(5, "submitted", pod="p"), event(5, "submitted", pod="p")],
            "pod = 'p': was submitted already",
        ),
        ([event(5, "launched", pod="p")], "event = 'launched': not one of"),
        ([event(5, "job", job="j", pods=0)], "pods = '0': must lie between"),
    ],
)
def test_an_event_that_cannot_be_is_refused(
    tmp_path: Path, events: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(TraceError) as caught:
        jobs_of(recording(tmp_path, *events))
    assert message in str(caught.value)


def test_a_recording_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="of version 2; this program reads 1"):
        recording(tmp_path, header={**HEADER, "version": 2})
