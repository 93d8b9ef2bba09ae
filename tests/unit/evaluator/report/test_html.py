"""The page: whole, self-contained, escaped, and drawn by a real browser where there is one."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from evaluator.report import html
from evaluator.report.charts import MAX_POINTS
from evaluator.report.html import render, write_report
from evaluator.report.model import ReportedRun
from evaluator.scenario import Note
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import fidelity, quickstart

HOSTILE = "</script><script>alert('x')</script><img src=https://example.org/x onerror=alert(1)>"
MAX_SIZE = 8_000_000
"""Bytes that a report may have, the drawing library included."""

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


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
        monkeypatch.setattr(html, "_plotly", lambda: "")


def figures(page: str) -> dict[str, Any]:
    found = re.search(r"^const figures = (.*);$", page, re.MULTILINE)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


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
        assert job.pod in text


def test_a_long_list_of_late_jobs_is_cut_and_counted(
    two: list[ReportedRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "MAX_LATE_JOBS", 3)
    text = Elements(render([two[1]])).text
    late = two[1].late_jobs()
    assert late[2].pod in text
    assert late[3].pod not in text
    assert "and 11 more" in text


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
    run = quickstart(
        arrival,
        HOSTILE,
        scenario=HOSTILE,
        scenario_title=HOSTILE,
        scheduler_command=[HOSTILE],
        scheduler_version=HOSTILE,
        ended=HOSTILE,
        complete=False,
        parameters={HOSTILE: HOSTILE},
        notes=[Note(topic=HOSTILE, text=HOSTILE)],
        versions={HOSTILE: HOSTILE},
        fidelity=fidelity(pace=HOSTILE, takeover=HOSTILE, unreachable=[HOSTILE]),
    )
    for job in run.ledger.jobs:
        job.pod = job.user = HOSTILE
    page = Elements(render([run, run]))
    assert page.count("script") == 2
    assert page.count("img") == 0
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "<" not in figures(render([run]))["held"]["data"][0]["name"]


def test_a_page_loads_nothing(two: list[ReportedRun]) -> None:
    page = Elements(render(two))
    for tag, attributes in page.tags:
        assert not {"src", "href", "srcset", "data"} & set(attributes), tag
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


def test_the_file_is_whole_and_of_bounded_size(whole_page: Path) -> None:
    size = whole_page.stat().st_size
    assert 1_000_000 < size < MAX_SIZE
    assert [file.name for file in whole_page.parent.iterdir()] == ["report.html"]


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_draws_every_chart_and_complains_of_nothing(whole_page: Path, tmp_path: Path) -> None:
    assert BROWSER is not None
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--enable-logging=stderr",
        "--virtual-time-budget=5000",
        "--dump-dom",
        whole_page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
    assert "CONSOLE" not in done.stderr
    drawn = Elements(done.stdout)
    assert sum(attributes.get("class") == "main-svg" for _, attributes in drawn.tags) >= 3
