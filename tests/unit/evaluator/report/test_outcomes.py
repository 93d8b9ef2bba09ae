"""What became of deadlines, class by class."""

import pytest

from evaluator.report import outcomes as module
from evaluator.report.model import ReportedRun
from evaluator.report.outcomes import outcomes
from evaluator.scenario.loader import load_scenario
from tests.support.happenings import bound, end, ended, node, pod, told
from tests.support.reports import reported


@pytest.fixture(scope="module")
def run() -> ReportedRun:
    timeline = told(
        node("a"), pod(0, "ns/in", 1, due=20, user="ann"), pod(0, "ns/late", 4, due=20, user="bob"),
        pod(0, "ns/never", 8, due=30, user="bob", priority=5), pod(0, "ns/later", 1, due=900, user="cat"),
        pod(0, "ns/free", 1), bound(0, "ns/in", "a"), bound(0, "ns/late", "a"), ended(10, "ns/in", "a"),
        ended(40, "ns/late", "a"), end(60, pending=3),
    )  # fmt: skip
    return reported(load_scenario("quickstart"), timeline, "lst")


def told_of(run: ReportedRun, kind: str) -> dict[str, dict[str, int]]:
    return {each.name: dict(each.counts[0]) for each in outcomes([run], kind)}


def test_each_deadline_counts_once_in_the_class_of_its_job(run: ReportedRun) -> None:
    assert told_of(run, "size") == {
        "1 chip": {"in time": 1, "not due yet": 1},
        "3–4 chips": {"late": 1},
        "5–8 chips": {"unfinished": 1},
    }
    assert told_of(run, "user") == {
        "ann": {"in time": 1}, "bob": {"late": 1, "unfinished": 1}, "cat": {"not due yet": 1},
    }  # fmt: skip
    assert set(told_of(run, "priority")) == {"priority 0", "priority 5"}
    assert told_of(run, "queue").keys() == {"no queue"}


def test_runs_have_the_same_classes(run: ReportedRun) -> None:
    empty = reported(load_scenario("quickstart"), told(node("a"), end(1)), "fifo")
    both = outcomes([run, empty], "user")
    assert [each.name for each in both] == ["ann", "bob", "cat"]
    assert all(not each.counts[1] for each in both)
    assert outcomes([empty], "user") == []


def test_small_classes_are_taken_together(run: ReportedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CLASSES", 1)
    assert told_of(run, "user") == {
        "bob": {"late": 1, "unfinished": 1}, "others": {"in time": 1, "not due yet": 1},
    }  # fmt: skip
