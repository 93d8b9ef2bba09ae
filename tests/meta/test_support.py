"""The suite's own tools hold what they promise."""

import sys
from pathlib import Path

import pytest

from tests.support.polling import eventually
from tests.support.processes import ProcessFailed, running, stop
from tests.support.servers import answers, write_kubeconfig


def test_eventually_returns_the_first_true_answer() -> None:
    answers = iter([0, "", "yes", "later"])
    assert eventually(lambda: next(answers)) == "yes"


def test_eventually_takes_a_check_of_asserts() -> None:
    seen: list[int] = []

    def is_third() -> None:
        seen.append(len(seen))
        assert len(seen) == 3

    eventually(is_third)
    assert seen == [0, 1, 2]


def test_eventually_waits_for_a_field_that_is_not_set_yet() -> None:
    answers = iter([None, None, "node"])
    assert eventually(lambda: next(answers)) == "node"


def test_eventually_ends_with_what_the_last_look_saw() -> None:
    def never() -> None:
        raise AssertionError("the last look")

    with pytest.raises(AssertionError, match=r"never: not so within 0 s") as raised:
        eventually(never, within=0)
    assert "the last look" in str(raised.value.__cause__)


def test_eventually_passes_other_errors_on() -> None:
    def broken() -> None:
        raise ValueError("a bug in the check")

    with pytest.raises(ValueError, match="a bug in the check"):
        eventually(broken)


def test_a_process_that_ends_before_it_is_ready_shows_its_output(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('no such option'); raise SystemExit(3)"]
    start = running(command, log=tmp_path / "log", ready=lambda: False)
    with pytest.raises(ProcessFailed, match=r"(?s)ended with status 3:.*no such option"), start:
        pytest.fail("it never was ready")


def test_a_process_that_is_never_ready_is_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import signal; print('waiting', flush=True); signal.pause()"]
    start = running(command, log=tmp_path / "log", ready=lambda: False, within=0.5)
    with pytest.raises(ProcessFailed, match=r"is not ready within 0\.5 s"), start:
        pytest.fail("it never was ready")


def test_a_process_ends_with_its_block(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", "import signal; print('up', flush=True); signal.pause()"]
    with running(command, log=log, ready=lambda: "up" in log.read_text()) as process:
        assert process.poll() is None
    assert process.poll() is not None


def test_stopping_twice_is_allowed(tmp_path: Path) -> None:
    with running([sys.executable, "-c", "import signal; signal.pause()"], log=tmp_path / "log") as process:
        assert stop(process) == stop(process)


def test_nobody_answers_where_nothing_listens() -> None:
    assert not answers("http://127.0.0.1:1/readyz")


def test_a_kubeconfig_names_server_token_and_authority(tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "a" / "config", "https://127.0.0.1:1", "secret", tmp_path / "ca.crt")
    text = path.read_text()
    for part in ("https://127.0.0.1:1", "secret", str(tmp_path / "ca.crt")):
        assert part in text
