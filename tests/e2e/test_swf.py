"""The year of a batch system, replayed through our scheduler."""

from pathlib import Path

import pytest

from tests.e2e.evaluator_command import evaluator, require_success, result_in, timeline_in
from tests.support.traces import trace_file

LOG = "swf/KTH-SP2-1996-2.1-cln.swf.gz"


@pytest.mark.timeout(600)
def test_two_days_give_the_same_bytes_twice_and_account_for_every_row(tmp_path: Path) -> None:
    log = trace_file(LOG)
    for name in ("first", "second"):
        options = ("--set", f"log={log}", "--set", "days=2", "--out", tmp_path / name, "-q")
        require_success(evaluator("run", "swf", "-s", "lst", *options))
    assert timeline_in(tmp_path / "first") == timeline_in(tmp_path / "second")
    result = result_in(tmp_path / "first")
    jobs = result["jobs"]
    assert jobs["submitted"] == jobs["finished"] > 100
    notes = {note["text"]: note["count"] for note in result["notes"]}
    dropped = sum(number for text, number in notes.items() if text.startswith("jobs dropped: "))
    assert notes["jobs: rows read"] == 28_476 == notes["jobs: rows kept"] + dropped
    assert result["fidelity"]["forced_moves"] == 0


def test_a_missing_log_says_where_to_get_it(tmp_path: Path) -> None:
    ended = evaluator("run", "swf", "--out", tmp_path, env={"EVALUATOR_TRACES": str(tmp_path / "nowhere")})
    assert ended.code == 4
    assert "Parallel Workloads Archive" in ended.err
