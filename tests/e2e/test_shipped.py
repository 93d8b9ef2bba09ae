"""The stories that come along: lst keeps what they expect, twice in the same bytes; a baseline does not."""

from pathlib import Path

import pytest

from tests.e2e.evaluator_command import evaluator, require_success, result_in, timeline_in

SHORT: dict[str, tuple[str, ...]] = {
    "gangs": ("hours=6",),
    "rack_outage": ("sweep=150",),
    "research_cluster": (),
    "overload": (),
    "mixed": (),
}
"""Parameters that keep a run short without taking its point away."""
BEHIND_FIFO = ("rack_outage", "research_cluster", "overload", "mixed")
"""Stories that a scheduler which serves in the order of arrival gets wrong."""
BEHIND_KUBE_SCHEDULER = ("gangs",)
"""Stories that kube-scheduler gets wrong in nearly every run; its random tie-breaks may spare it one."""

DRAWS = 4
"""Whole runs of it that are looked at until one goes wrong."""


def played(
    scenario: str, scheduler: str, folder: Path, *more: str | Path, short: bool = True
) -> dict[str, bool]:
    """Which expectations hold."""
    sets = [word for each in SHORT[scenario] if short for word in ("--set", each)]
    require_success(evaluator("run", scenario, *sets, "-s", scheduler, "--out", folder, "-q", *more))
    return {each["text"]: each["holds"] for each in result_in(folder)["expectations"]}


@pytest.mark.parametrize("scenario", SHORT)
def test_lst_keeps_what_a_story_expects_in_the_same_bytes(scenario: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    expectations = played(scenario, "lst", first)
    assert expectations
    assert [text for text, holds in expectations.items() if not holds] == []
    played(scenario, "lst", second)
    assert timeline_in(first) == timeline_in(second)


@pytest.mark.parametrize("scenario", BEHIND_FIFO)
def test_who_serves_in_the_order_of_arrival_does_not(scenario: str, tmp_path: Path) -> None:
    assert False in played(scenario, "fifo", tmp_path).values()


@pytest.mark.parametrize("scenario", BEHIND_KUBE_SCHEDULER)
def test_a_stock_kube_scheduler_does_not(scenario: str, tmp_path: Path, kube_scheduler: Path) -> None:
    draws = (
        played(
            scenario, "kube-scheduler", tmp_path / str(draw), "--scheduler-bin", kube_scheduler, short=False
        )
        for draw in range(DRAWS)
    )
    assert any(False in expectations.values() for expectations in draws)
