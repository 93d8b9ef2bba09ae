"""Where a kube-scheduler is looked for, and in which order."""

from pathlib import Path

import pytest

from evaluator.errors import SchedulerFailedError
from evaluator.schedulers.binaries import BINARY_VARIABLE, CACHE_VARIABLE, cache_folder, find_kube_scheduler


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is found unless a test puts it somewhere."""
    monkeypatch.delenv(BINARY_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))


def test_what_was_told_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, named = program(tmp_path / "told"), program(tmp_path / "named")
    monkeypatch.setenv(BINARY_VARIABLE, str(named))
    assert find_kube_scheduler(told) == told
    assert find_kube_scheduler(None) == named


def test_the_path_comes_before_the_cache(tmp_path: Path) -> None:
    cached = program(tmp_path / "cache/peers/kubernetes-v1.37.2/kube-scheduler")
    assert find_kube_scheduler(None) == cached
    on_path = program(tmp_path / "path/kube-scheduler")
    assert find_kube_scheduler(None) == on_path


def test_the_newest_build_of_the_cache_is_taken(tmp_path: Path) -> None:
    for version in ("v1.9.0", "v1.37.2", "v1.37.10"):
        program(tmp_path / f"cache/peers/kubernetes-{version}/kube-scheduler")
    assert find_kube_scheduler(None).parent.name == "kubernetes-v1.37.10"


def test_nothing_found_says_how_to_get_one() -> None:
    with pytest.raises(SchedulerFailedError, match="make kube-scheduler") as caught:
        find_kube_scheduler(None)
    assert BINARY_VARIABLE in str(caught.value)


def test_what_was_told_must_be_a_program(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a program")
    for wrong in (tmp_path / "text", tmp_path / "missing", tmp_path):
        with pytest.raises(SchedulerFailedError, match="--scheduler-bin"):
            find_kube_scheduler(wrong)


def test_the_cache_is_where_the_variables_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg/scheduler-evaluator"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache/scheduler-evaluator"
