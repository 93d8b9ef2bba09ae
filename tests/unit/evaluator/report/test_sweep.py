"""A sweep as tables and as a page."""

import re
from html.parser import HTMLParser
from io import StringIO

from rich.console import Console

from evaluator.report.sweep import print_sweep, sweep_markdown
from evaluator.report.sweep_page import render_sweep
from evaluator.report.terminal import WIDTH
from evaluator.sweep.summary import Cell
from tests.support.results import result

METRICS = ("wait_p50", "wait_p99", "deadline_miss_rate", "tardiness_max")
NAMES = ["wait_p50", "wait_p99"]


def cell(scheduler: str, *values: float) -> Cell:
    results = tuple(
        result(dict.fromkeys(METRICS, value), seed=seed, scheduler=scheduler)
        for seed, value in enumerate(values)
    )
    return Cell("s", {"load": "0.7"}, scheduler, 3, results)


def printed(*found: Cell) -> str:
    console = Console(width=200, record=True, file=StringIO())
    print_sweep(console, found, METRICS)
    return console.export_text()


def test_the_table_tells_median_range_and_runs() -> None:
    text = printed(cell("lst", 10, 30, 60), cell("fifo", 5, 5))
    assert "s, load = 0.7" in text
    assert "30s" in text
    assert "10s to 1m" in text
    assert "2 of 3" in text
    assert "all equal" in text


def test_the_table_fits_80_columns() -> None:
    text = printed(cell("a-scheduler-with-a-rather-long-name", 10, 30_000_000, 60), cell("fifo", 5, 5))
    assert max(map(len, text.splitlines())) <= WIDTH


def test_markdown_escapes_what_comes_from_outside() -> None:
    text = sweep_markdown([cell("a|b", 1, 2, 3)], NAMES)
    assert "| a\\|b | 3 | **2s**<br>1s to 3s | **2s**<br>1s to 3s |" in text


def test_two_groups_are_told_everywhere() -> None:
    split = cell("lst", *[10, 600] * 5)
    text = "two groups, 5 runs around 10s and 5 around 10m; the median hides that"
    assert text in " ".join(printed(split).split())
    assert text in sweep_markdown([split], NAMES).replace("\\", "")
    assert text in render_sweep([split], NAMES, [], "t")
    assert "two groups" not in printed(cell("lst", *range(10)))


def test_without_any_run_there_are_marks_and_no_error() -> None:
    assert "| lst | 0 of 3 | **–** |" in sweep_markdown([cell("lst")], ["wait_p50"])


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.circles: list[float] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "circle":
            self.circles.append(float(dict(attrs)["cx"] or "nan"))


def test_the_page_has_a_dot_for_each_seed_on_a_shared_axis() -> None:
    page = render_sweep([cell("lst", 10, 30, 60), cell("fifo", 10)], ["wait_p50"], [], "t")
    elements = Elements()
    elements.feed(page)
    assert elements.circles == [6.0, 81.2, 194.0, 6.0]


def test_the_page_loads_nothing_and_escapes_names() -> None:
    page = render_sweep([cell("<script>", 1)], NAMES, [("folder", "<b>boom")], "<t>")
    assert "<script" not in page
    assert "&lt;b&gt;boom" in page
    assert not re.search(r"""(src|href)=["']?http""", page)
