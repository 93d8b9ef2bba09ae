"""``evaluator gate`` and ``evaluator baseline update``: exit codes, files, and what is printed."""

import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evaluator.cli.main import _exit_code
from evaluator.exits import ExitCode
from evaluator.results import RESULT_FILE, TIMELINE_FILE, RunResult, write_result
from evaluator.scenario.expectations import parse_expectation
from evaluator.timeline import Timeline
from tests.support.results import result
from tests.support.stories import node, ran, started


def kept(folder: Path, run: RunResult) -> Path:
    """A run's folder, with a timeline in which one job is late."""
    folder.mkdir()
    write_result(run, folder / RESULT_FILE)
    events = [started(), node(), *ran("default/late", 0, start=5, end=10, deadline=8)]
    Timeline(events).write(folder / TIMELINE_FILE)
    return folder


def expecting(value: float) -> RunResult:
    return result({}, expectations=[parse_expectation("deadlines_missed <= 0").outcome(value)])


def test_expectations_that_hold_leave_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["gate", str(kept(tmp_path / "a", expecting(0)))]) == ExitCode.OK
    assert "1 gates, 0 failed" in capsys.readouterr().out


def test_one_that_does_not_leaves_with_1_and_names_the_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(tmp_path / "good", expecting(0))
    kept(tmp_path / "bad", expecting(1))
    assert _exit_code(["gate", str(tmp_path)]) == ExitCode.GATE_FAILED
    told = capsys.readouterr().out
    assert "deadlines_missed: 1 is not <= 0; default/late, late by 2s" in told
    assert "2 gates, 1 failed" in told


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (result({}), ExitCode.NOTHING_MATCHED),
        (expecting(0).model_copy(update={"complete": False}), ExitCode.USAGE),
        (None, ExitCode.NOTHING_MATCHED),
    ],
)
def test_what_cannot_be_judged_is_neither_good_nor_worse(
    tmp_path: Path, run: RunResult | None, code: ExitCode
) -> None:
    if run is not None:
        kept(tmp_path / "a", run)
    assert _exit_code(["gate", str(tmp_path / "a"), "--quiet"]) == code


def test_quiet_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(["gate", str(kept(tmp_path / "a", expecting(1))), "--quiet"]) == ExitCode.GATE_FAILED
    assert capsys.readouterr().out == ""


def test_a_baseline_is_made_and_compared_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "gates.toml"
    rules.write_text('[[gate]]\nmetric = "wait_p99"\nno_worse_than_baseline = true\n')
    old = kept(tmp_path / "old", result({"wait_p99": 10}))
    new = kept(tmp_path / "new", result({"wait_p99": 11}))
    base = str(tmp_path / "base")
    assert _exit_code(["baseline", "update", str(old), "--baseline", base]) == ExitCode.OK
    assert "1 runs, 1 medians changed" in capsys.readouterr().out
    judged = ["--rules", str(rules), "--baseline", base]
    assert _exit_code(["gate", str(old), *judged]) == ExitCode.OK
    assert _exit_code(["gate", str(new), *judged]) == ExitCode.GATE_FAILED
    assert _exit_code(["baseline", "update", str(old), str(new), "--baseline", base]) == ExitCode.OK
    assert _exit_code(["gate", str(new), *judged]) == ExitCode.OK


def test_verdicts_are_written_for_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, file = kept(tmp_path / "a", expecting(1)), tmp_path / "junit.xml"
    assert _exit_code(["gate", str(run), "--junit", str(file), "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error title=")
    assert ElementTree.parse(file).getroot().get("failures") == "1"
    assert _exit_code(["gate", str(run), "--format", "markdown"]) == 1
    assert "**FAIL**" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = kept(tmp_path / "a", expecting(0))
    assert _exit_code(["gate", str(run), "--junit", str(tmp_path / "no" / "j.xml")]) == ExitCode.USAGE
    assert "--junit" in capsys.readouterr().err


PAGE = (Path(__file__).parents[4] / "docs" / "gates.md").read_text()
SHOWN = re.findall(r"^\$ evaluator (.*)$", PAGE, re.MULTILINE)
RULES = re.search(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_page_work_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert RULES is not None
    monkeypatch.chdir(tmp_path)
    Path("runs/demo").mkdir(parents=True)
    Path("gates.toml").write_text(RULES[1])
    measured = {"wait_p99": 9270.0, "utilization": 0.6}
    late = parse_expectation("deadlines_missed <= 0")
    kept(Path("runs/demo/lst"), result(measured, expectations=[late.outcome(0)]))
    kept(Path("runs/demo/fifo"), result(measured, expectations=[late.outcome(14)]))
    codes = [_exit_code(shlex.split(command)) for command in SHOWN]
    assert codes == [ExitCode.OK, ExitCode.GATE_FAILED, ExitCode.OK, ExitCode.OK]
    assert "pass runs/demo/lst: the scenario expects deadlines_missed <= 0.0" in capsys.readouterr().out
