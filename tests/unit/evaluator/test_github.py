"""Annotations are one line each, whatever is in them."""

from hypothesis import given
from hypothesis import strategies as st

from evaluator.github import annotation


def test_an_annotation_with_its_place() -> None:
    assert annotation("warning", "W201", "late, by 1h", file="a.py", line="7") == (
        "::warning file=a.py,line=7,title=W201::late, by 1h\n"
    )


def test_without_a_line_it_has_no_place() -> None:
    assert annotation("error", "a: b, c", "50%\nworse", file="a.py") == (
        "::error title=a%3A b%2C c::50%25%0Aworse\n"
    )


@given(st.text(), st.text())
def test_nothing_in_it_ends_it_or_begins_another(title: str, text: str) -> None:
    line = annotation("error", title, text, file=title, line="1")
    assert line.count("\n") == 1
    assert line.removeprefix("::error ").partition("::")[0].count("title=") >= 1
