"""What was recorded is on disk, whatever comes after."""

import json
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.record.journal import Journal


def test_events_are_there_before_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "cluster.jsonl"
    with Journal(path) as journal:
        journal.begin(0, chip_resource="nvidia.com/gpu", anonymised=False)
        journal.add([{"at": 1, "event": "end"}])
        header, event = (json.loads(line) for line in path.read_text().splitlines())
    assert header == {
        "format": "scheduler-evaluator-trace",
        "version": 1,
        "started": "1970-01-01T00:00:00Z",
        "chip_resource": "nvidia.com/gpu",
        "anonymised": False,
    }
    assert event == {"at": 1, "event": "end"}
    assert journal.written == 1


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "cluster.jsonl"
    path.touch()
    with pytest.raises(UsageError, match="is there already"):
        Journal(path)
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        Journal(tmp_path / "nowhere" / "cluster.jsonl")
