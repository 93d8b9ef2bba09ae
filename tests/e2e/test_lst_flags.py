"""What may be turned on for operation changes nothing of what is decided, nor when."""

import json
import sys
from pathlib import Path

from tests.e2e.evaluator_command import evaluator, require_success, result_in, timeline_in


def with_flags(folder: Path, *flags: str) -> Path:
    """The scheduler as a program that has these flags besides those that it is given."""
    program = folder / "lst-scheduler"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom scheduler.__main__ import main\n"
        f"sys.exit(main([*sys.argv[1:], *{flags!r}]))\n"
    )
    program.chmod(0o755)
    return program


def played(folder: Path, *flags: str) -> Path:
    folder.mkdir()
    program, out = with_flags(folder, *flags), folder / "out"
    run = ("run", "quickstart", "--scheduler", "lst-preempt", "--scheduler-bin", program, "--set", "sweeps=6")
    require_success(evaluator(*run, "--out", out, "-q"))
    return out


def test_metrics_and_other_logs_cost_no_wake_up_and_move_no_decision(tmp_path: Path) -> None:
    quiet = played(tmp_path / "quiet")
    watched = played(tmp_path / "watched", "--listen", ":0", "--log-format", "json", "--log-level", "debug")
    records = [json.loads(line) for line in (watched / "scheduler.log").read_text().splitlines()]
    assert any(record["message"].startswith("health and metrics at") for record in records)
    assert sum("why" in record for record in records) > 10, "each decision is a record with its reasons"
    assert timeline_in(watched) == timeline_in(quiet)
    for figure in ("jumps", "wakeups", "forced_moves"):
        assert result_in(watched)["fidelity"][figure] == result_in(quiet)["fidelity"][figure]


def test_a_recorded_decision_is_all_that_recording_adds(tmp_path: Path) -> None:
    """Each pod is bound at the same instant to the same node, whether its reasons are written down or not."""
    recorded = timeline_in(played(tmp_path / "with"))
    assert recorded == timeline_in(played(tmp_path / "without", "--no-record-decisions"))
    assert recorded.count(b'"kind":"pod_bound"') > 10


def test_writes_that_overlap_lose_nothing(tmp_path: Path) -> None:
    """The order in which they arrive is the network's then, and only that: who runs when is the same."""

    def started(*flags: str) -> list[tuple[str, int]]:
        events = map(json.loads, timeline_in(played(tmp_path / str(len(flags)), *flags)).splitlines())
        return sorted((event["pod"], event["at_ns"]) for event in events if event["kind"] == "pod_started")

    assert started("--concurrent-writes", "16") == started()
