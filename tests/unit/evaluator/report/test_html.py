"""The page: whole, self-contained and escaped."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from evaluator.report import html, late
from evaluator.report.charts import MAX_POINTS
from evaluator.report.html import render, write_report
from evaluator.report.model import ReportedRun
from evaluator.report.nodemap import node_map
from evaluator.scenario import Note
from evaluator.scenario.expectations import ExpectationOutcome
from evaluator.scenario.loader import load_scenario
from tests.support.happenings import bound, end, ended, node, pod, started, told
from tests.support.hostile import hostile_run
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import fidelity, quickstart, reported

MAX_SIZE = 8_000_000
"""Bytes that a report may have, the drawing library included."""


class Elements(HTMLParser):
    """All tags of a page with their attributes, and the text of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] not in {"script", "style"} and data.strip():
            self.text.append(data.strip())

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


@pytest.fixture(scope="module")
def two() -> list[ReportedRun]:
    return [quickstart(slack, "lst"), quickstart(arrival, "fifo")]


@pytest.fixture(autouse=True)
def _light_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the megabytes of the drawing library out, except where they matter."""
    if "whole_page" not in request.fixturenames:
        monkeypatch.setattr(html, "plotly", lambda: "")


def page_data(page: str) -> dict[str, Any]:
    found = re.search(r"^const page = (.*);$", page, re.MULTILINE)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def figures(page: str) -> dict[str, Any]:
    found: dict[str, Any] = page_data(page)["figures"]
    return found


def test_a_page_answers_the_questions_first(two: list[ReportedRun]) -> None:
    text = Elements(render(two)).text
    first = text[: text.index("Chips in use")]
    for expected in (
        "A Monday morning on a small training cluster",
        "Were deadlines met?",
        "0.0 % missed",
        "17.5 % missed",
        "14 of 80 jobs late or unfinished",
        "How long did jobs wait?",
        "How full was the cluster?",
        "80 of 80 jobs finished",
    ):
        assert expected in first


def test_a_page_holds_every_metric_with_its_definition(two: list[ReportedRun]) -> None:
    text = Elements(render(two)).text
    for name, metric in two[0].result.metrics.items():
        assert name in text
        assert metric.definition in text


def test_late_jobs_are_listed_and_a_run_in_time_says_so(two: list[ReportedRun]) -> None:
    text = Elements(render(two)).text
    assert "No job that could be judged was late." in text
    for job in two[1].late_jobs():
        assert job.job in text


def test_every_late_job_leads_to_its_story(two: list[ReportedRun]) -> None:
    page = Elements(render(two))
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    stories = [attributes.get("id") for tag, attributes in page.tags if attributes.get("class") == "story"]
    assert len(links) == len(two[1].late_jobs()) == 14
    assert {link.removeprefix("#") for link in links} == set(stories)
    told = " ".join(page.text)
    assert "Stories of late jobs: 14" in told
    assert "finished, 28m late" in told
    assert "It could have started" in told


def test_a_long_list_of_late_jobs_is_cut_and_counted(
    two: list[ReportedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late, "MAX_LATE_JOBS", 3)
    monkeypatch.setattr(late, "MAX_STORIES", 2)
    page = Elements(render([two[1]]))
    jobs = two[1].late_jobs()
    assert jobs[2].job in page.text
    assert jobs[3].job not in page.text
    assert "and 11 more" in page.text
    assert page.count("a") == 2


def test_a_long_story_is_told_by_its_beginning_and_its_end(
    two: list[ReportedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late, "MAX_TOLD_STEPS", 2)
    entry = late.late_list(two[1], 0).entries[0]
    assert entry.story is not None
    assert [step.after for step in entry.story.steps][1] == "…"
    assert len(entry.story.steps) == 3


def test_expectations_of_the_scenario_are_told_run_by_run() -> None:
    expected = ExpectationOutcome(
        text="deadlines_missed <= 0", metric="deadlines_missed", op="<=", bound=0, value=14, holds=False
    )
    runs = [quickstart(slack, "lst"), quickstart(arrival, "fifo", expectations=[expected])]
    text = Elements(render(runs)).text
    assert "deadlines_missed <= 0" in text
    assert "✗ broken, 14" in text


def test_the_map_has_every_pod_of_every_run(two: list[ReportedRun]) -> None:
    maps = page_data(render(two))["maps"]
    assert [len(set(each["pods"])) for each in maps] == [80, 80]
    assert sum(maps[0]["since"]) == node_map(two[0].timeline).since[-1]
    assert maps[0]["start"] == 0
    assert maps[0]["end"] == two[0].timeline.end_ns // 10**6


def test_deadlines_are_parted_by_class(two: list[ReportedRun]) -> None:
    classes = page_data(render(two))["classes"]
    assert {"size", "user"} <= set(classes)
    bars = {bar["name"]: sum(bar["x"]) for bar in classes["size"]["data"]}
    assert bars == {"in time": 146, "late": 14}


def test_fidelity_notes_and_how_to_run_it_again_are_told() -> None:
    run = quickstart(slack, "lst", notes=[Note(topic="trace", text="rows read", count=8152)])
    text = Elements(render([run])).text
    for expected in (
        "warp",
        "431",
        "8,152",
        "rows read",
        run.result.scenario_digest,
        "lst-scheduler --kubeconfig kubeconfig",
    ):
        assert expected in text


def test_what_a_reader_must_not_miss_is_on_top() -> None:
    run = quickstart(
        slack, "lst", complete=False, ended="the scheduler hung", fidelity=fidelity(forced_moves=2)
    )
    text = Elements(render([run])).text
    top = " ".join(text[: text.index("Were deadlines met?")])
    assert "is not complete: the scheduler hung" in top
    assert "time was moved 2 times without proof" in top


def test_whatever_comes_from_outside_is_escaped() -> None:
    page = Elements(render([hostile_run(), hostile_run()]))
    assert page.count("script") == 3
    assert page.count("img") == 0
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert any("window.stolen" in text for text in page.text)
    drawn = page_data(render([hostile_run()]))
    assert "<" not in drawn["figures"]["held"]["data"][0]["name"]
    assert all("<" not in text for text in drawn["figures"]["held"]["data"][2]["text"])
    assert "<" not in drawn["classes"]["size"]["data"][0]["y"][0]


def test_a_page_loads_nothing(two: list[ReportedRun]) -> None:
    page = Elements(render(two))
    for tag, attributes in page.tags:
        assert not {"src", "srcset", "data"} & set(attributes), tag
        assert (attributes.get("href") or "#").startswith("#"), tag
    policies = [attributes.get("content") or "" for tag, attributes in page.tags if tag == "meta"]
    assert any(policy.startswith("default-src 'none'") for policy in policies)


def test_lines_are_drawn_to_the_end_of_the_run(two: list[ReportedRun]) -> None:
    held = figures(render(two))["held"]["data"]
    assert [trace["name"] for trace in held] == ["lst", "fifo", "lst: usable", "fifo: usable"]
    assert held[0]["x"][0] == "2026-01-05T08:00:00Z"
    assert held[0]["x"][-1] == "2026-01-05T12:52:00Z"
    assert held[2]["y"] == [36, 36]
    assert len({trace["line"]["dash"] for trace in held[:2]}) == 2


def test_a_line_has_a_greatest_number_of_points(two: list[ReportedRun]) -> None:
    for figure in figures(render(two)).values():
        assert all(len(trace["x"]) == len(trace["y"]) <= MAX_POINTS + 1 for trace in figure["data"])


def test_a_run_in_which_nothing_was_measured_can_be_shown() -> None:
    assert "Were deadlines met?" in render([quickstart(slack, "lst", metrics={})])


@pytest.fixture
def whole_page(two: list[ReportedRun], tmp_path: Path) -> Path:
    """A report with its drawing library."""
    file = tmp_path / "report.html"
    write_report(two, file)
    return file


def crowded(nodes: int, jobs: int) -> ReportedRun:
    """As many nodes and jobs as the trace of a real cluster has, every job late."""
    arrivals = [
        event
        for number in range(jobs)
        for event in (
            pod(number, f"ns/openb-pod-{number:04}", 1, due=number + 1, run=90, user=f"user-{number % 40}"),
            bound(number, f"ns/openb-pod-{number:04}", f"openb-node-{number % nodes:04}"),
            started(number, f"ns/openb-pod-{number:04}", f"openb-node-{number % nodes:04}"),
        )
    ]
    ends = [
        ended(number + 90, f"ns/openb-pod-{number:04}", f"openb-node-{number % nodes:04}")
        for number in range(jobs)
    ]
    events = sorted([*arrivals, *ends], key=lambda event: event.at_ns)
    cluster = [node(f"openb-node-{number:04}") for number in range(nodes)]
    return reported(load_scenario("quickstart"), told(*cluster, *events, end(jobs + 90)), "lst")


@pytest.mark.usefixtures("whole_page")  # with the drawing library
def test_two_runs_of_a_real_cluster_fit_into_a_bounded_page() -> None:
    run = crowded(1_523, 8_152)
    page = render([run, run])
    assert len(page.encode()) < MAX_SIZE
    assert [len(each["pods"]) for each in page_data(page)["maps"]] == [8_152, 8_152]
    for figure in figures(page).values():
        assert all(len(trace["x"]) <= MAX_POINTS + 1 for trace in figure["data"])


def test_the_file_is_whole_and_of_bounded_size(whole_page: Path) -> None:
    size = whole_page.stat().st_size
    assert 1_000_000 < size < MAX_SIZE
    assert [file.name for file in whole_page.parent.iterdir()] == ["report.html"]
