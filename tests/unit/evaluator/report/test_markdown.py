"""Markdown for pull requests."""

import re

from hypothesis import given
from hypothesis import strategies as st

from evaluator.report.markdown import escaped, markdown
from evaluator.scenario import Note
from evaluator.scenario.expectations import ExpectationOutcome
from tests.support.hostile import hostile_run
from tests.support.list_scheduling import arrival, slack
from tests.support.reports import fidelity, quickstart


def test_runs_stand_side_by_side_with_the_best_in_bold() -> None:
    text = markdown([quickstart(arrival, "fifo"), quickstart(slack, "lst")])
    assert text.startswith("### A Monday morning on a small training cluster\n")
    assert "|  | fifo | lst |\n|---|---:|---:|\n" in text
    assert "| deadlines missed | 17.5 % | **0.0 %** |" in text
    assert "Latest with fifo: default/eval\\-05 by 28m" in text
    assert "and 9 more" in text
    assert "Latest with lst" not in text


def test_expectations_warnings_and_notes_are_told() -> None:
    expected = ExpectationOutcome(
        text="deadlines_missed <= 0", metric="deadlines_missed", op="<=", bound=0, value=14, holds=False
    )
    run = quickstart(
        arrival,
        "fifo",
        expectations=[expected, expected.model_copy(update={"text": "x >= 1", "holds": True, "value": None})],
        complete=False,
        ended="the scheduler hung",
        fidelity=fidelity(forced_moves=2),
        notes=[Note(topic="trace", text="rows read", count=8152)],
    )
    text = markdown([run])
    assert "> **fifo is not complete:** the scheduler hung" in text
    assert "time was moved 2 times without proof" in text
    assert "| deadlines\\_missed &lt;= 0 | ❌ 14 |" in text
    assert "| x &gt;= 1 | ✅ |" in text
    assert "- trace: 8,152 rows read" in text


def test_hostile_names_make_no_mark_up() -> None:
    text = markdown([hostile_run()])
    assert set(re.findall(r"<[^>]*>", text)) <= {"<details>", "<summary>", "</summary>", "</details>"}
    assert "](" not in text


@given(st.text())
def test_escaped_text_is_one_line_without_anything_special(text: str) -> None:
    made = escaped(text)
    assert "\n" not in made
    assert re.search(r"(?<!\\)[`*_\[\]|<>@]", made) is None
