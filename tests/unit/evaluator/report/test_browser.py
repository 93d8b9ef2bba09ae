"""Reports in a real browser: quiet, offline, drawn, and usable by mouse, finger and keyboard."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from evaluator.report.html import write_report
from evaluator.scenario.loader import load_scenario
from tests.support.browser import Page, browser
from tests.support.happenings import bound, end, ended, node, pod, told
from tests.support.hostile import hostile_run
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import quickstart, reported
from tests.unit.evaluator.report.test_nodemap import broken_cluster

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("chromium")]

T = TypeVar("T")

SHOTS = os.environ.get("EVALUATOR_SCREENSHOTS")
"""Folder for what the pages look like, for people."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    write_report([quickstart(arrival, "fifo"), quickstart(slack, "lst")], file)
    return file


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    write_report([broken_cluster()], file)
    return file


def look(
    file: Path, folder: Path, check: Callable[[Page], Awaitable[T]], *, width: int = 1280, dark: bool = False
) -> T:
    """Open a page, look at it, and insist that it was quiet and asked for nothing."""

    async def visit() -> T:
        async with browser(folder) as page:
            await page.open(file, width=width, dark=dark)
            found = await check(page)
            if SHOTS:
                name = f"{folder.name}-{width}-{'dark' if dark else 'light'}.png"
                (Path(SHOTS) / name).write_bytes(await page.screenshot())
            assert page.printed == []
            assert [url for url in page.asked_for if not url.startswith(("data:", "blob:"))] == [
                file.as_uri()
            ]
            return found

    return asyncio.run(visit())


COLORS_ON_THE_MAP = """
(() => {
  const seen = new Set();
  for (const canvas of document.querySelectorAll(".map canvas")) {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
  }
  return [...seen].map((value) => value.toString(16).padStart(6, "0"));
})()
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_is_drawn_at_any_width_and_in_both_schemes(
    report: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    async def check(page: Page) -> None:
        charts = await page.run("document.querySelectorAll('.chart .cartesianlayer > .subplot').length")
        assert charts == 4
        lines = await page.run("document.querySelectorAll('#chart-held .scatterlayer path.js-line').length")
        assert lines == 4
        assert {"009e73", "d55e00"} & set(await page.run(COLORS_ON_THE_MAP)) or dark
        assert await page.run("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
        paper = await page.run("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)")
        clipped = await page.run(
            "[...document.querySelectorAll('.chart')].filter((each) => "
            "each.querySelector('.main-svg').getBoundingClientRect().right > innerWidth).length"
        )
        assert clipped == 0

    look(report, tmp_path, check, width=width, dark=dark)


def test_failures_are_drawn_on_chart_and_map(broken: Path, tmp_path: Path) -> None:
    async def check(page: Page) -> None:
        assert await page.run("document.querySelectorAll('#chart-held .points path').length") == 2
        assert len(await page.run(COLORS_ON_THE_MAP)) > 5

    look(broken, tmp_path, check)


def test_late_jobs_can_be_sorted_and_searched(report: Path, tmp_path: Path) -> None:
    rows = "[...document.querySelectorAll('#late-0 tbody tr')].filter((row) => !row.hidden)"
    first = f"{rows}[0].cells[0].textContent"
    late = f"{rows}.map((row) => Number(row.cells[7].dataset.value))"

    async def check(page: Page) -> None:
        latest = await page.run(first)
        await page.run("document.querySelectorAll('#late-0 .sort')[7].click()")
        assert await page.run(late) == sorted(await page.run(late))
        assert await page.run(first) != latest
        await page.run("document.querySelectorAll('#late-0 .sort')[0].click()")
        names = await page.run(f"{rows}.map((row) => row.cells[0].textContent)")
        assert names == sorted(names, reverse=True)
        await page.run(
            "(() => { const find = document.querySelector('input[data-filters=late-0]');"
            f"find.value = '{latest}'; find.dispatchEvent(new Event('input')); }})()"
        )
        assert await page.run(f"{rows}.length") == 1
        assert await page.run("document.getElementById('late-count-0').textContent") == "1 of 14"

    look(report, tmp_path, check)


def test_a_late_job_leads_to_its_story(report: Path, tmp_path: Path) -> None:
    async def check(page: Page) -> None:
        await page.run("document.querySelector('#late-0 a').click()")
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        story = "document.querySelector(location.hash)"
        assert await page.run(f"{story}.open")
        assert "What would have had to differ" in await page.run(f"{story}.innerText")
        assert await page.run(f"{story}.getBoundingClientRect().top < innerHeight")

    look(report, tmp_path, check)


VIEW = "document.querySelector('.map canvas').toDataURL()"
EDGE = "document.querySelector('.map canvas').getBoundingClientRect().toJSON()"


def test_the_map_is_moved_by_keys_and_tells_what_is_under_the_pointer(report: Path, tmp_path: Path) -> None:
    async def settled(page: Page) -> str:
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return str(await page.run(VIEW))

    async def check(page: Page) -> None:
        await page.run("document.querySelector('.map canvas').scrollIntoView({block: 'center'})")
        whole = await settled(page)
        edge = await page.run(EDGE)
        await page.point(edge["left"] + 200, edge["top"] + 6)
        told = await page.run("document.querySelector('.map .tip').textContent")
        assert "octo-0" in told
        assert "default/" in told
        await page.run("document.querySelector('.map canvas').focus()")
        await page.press("+")
        near = await settled(page)
        assert near != whole
        await page.press("ArrowRight")
        assert await settled(page) != near
        await page.press("0")
        assert await settled(page) == whole

    look(report, tmp_path, check)


def test_nodes_that_nobody_used_can_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    timeline = told(
        node("idle"),
        node("busy"),
        pod(0, "ns/x", 8),
        bound(0, "ns/x", "busy"),
        ended(9, "ns/x", "busy"),
        end(9),
    )
    write_report([reported(load_scenario("quickstart"), timeline, "lst")], file)

    async def check(page: Page) -> None:
        await page.run("document.querySelector('.map canvas').scrollIntoView({block: 'center'})")
        edge = await page.run(EDGE)
        where = edge["left"] + 300, edge["top"] + 10
        await page.point(*where)
        assert await page.run("document.querySelector('.map .tip').textContent") == "idle\n8 chips"
        await page.run("document.getElementById('map-used').click()")
        await page.point(where[0] + 1, where[1])
        assert "ns/x" in await page.run("document.querySelector('.map .tip').textContent")

    look(file, tmp_path, check)


def test_on_paper_a_report_is_light(report: Path, tmp_path: Path) -> None:
    async def check(page: Page) -> None:
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        await page.call("Emulation.setEmulatedMedia", media="print", features=[dark])
        assert await page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        axis = "getComputedStyle(document.querySelector('#chart-held .xtick text')).fill"
        await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert await page.run(axis) == "rgb(27, 31, 36)"
        assert await page.run("getComputedStyle(document.querySelector('.tools')).display") == "none"

    look(report, tmp_path, check, dark=True)


def test_a_job_is_found_on_the_map(report: Path, tmp_path: Path) -> None:
    async def check(page: Page) -> None:
        await page.run("document.querySelector('#late-0 [data-locate]').click()")
        said = await page.run("document.getElementById('map-found').textContent")
        assert said.startswith("default/")
        assert "1 of 2" in said  # once in each run

    look(report, tmp_path, check)


def test_classes_of_deadlines_can_be_chosen(report: Path, tmp_path: Path) -> None:
    async def check(page: Page) -> None:
        await page.run(
            "(() => { const kind = document.getElementById('class-kind');"
            "kind.value = 'user'; kind.dispatchEvent(new Event('change')); })()"
        )
        assert "robots" in await page.run("document.getElementById('chart-classes').textContent")

    look(report, tmp_path, check)


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    write_report([hostile_run(), hostile_run()], file)

    async def check(page: Page) -> None:
        assert await page.run("window.stolen === undefined")
        assert await page.run("document.querySelectorAll('img').length") == 0
        await page.run("document.querySelector('#late-0 .sort').click()")

    look(file, tmp_path, check)
