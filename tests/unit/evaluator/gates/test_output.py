"""Verdicts for machines: whatever a run is called, the form holds."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from evaluator.gates.judge import Verdict
from evaluator.gates.output import github, junit, markdown

PASSED = Verdict("runs/a", "wait_p99", "wait_p99 at most 3", 2.0, True, "")
FAILED = Verdict("runs/b", "wait_p99", "wait_p99 at most 3", 4.0, False, "4, which is not at most 3")
BEHIND = {("runs/b", "wait_p99"): ["default/x, waited 4s"]}


def test_junit_has_a_case_for_each_gate() -> None:
    suite = ElementTree.fromstring(junit([PASSED, FAILED], BEHIND))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    passed, failed = suite.findall("testcase")
    assert passed.find("failure") is None
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "4, which is not at most 3"
    assert failure.text == "wait_p99: 4, which is not at most 3; default/x, waited 4s"


def test_github_gets_a_line_for_each_failure() -> None:
    assert github([PASSED, FAILED], BEHIND) == (
        "::error title=runs/b%3A wait_p99 at most 3::"
        "wait_p99: 4, which is not at most 3; default/x, waited 4s\n"
    )


def test_markdown_is_a_table() -> None:
    assert markdown([PASSED, FAILED], {}).splitlines() == [
        "| | run | gate | value |",
        "|---|---|---|---|",
        "| pass | runs/a | wait_p99 at most 3 | 2 |",
        "| **FAIL** | runs/b | wait_p99 at most 3 | wait_p99: 4, which is not at most 3 |",
    ]


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)


@given(names | st.sampled_from(["a|b", "a\nb", "::error::", "<script>", "100%"]))
def test_no_name_breaks_the_form(name: str) -> None:
    verdict = Verdict(name, "wait_p99", f"gate {name}", None, False, name)
    behind = {(name, "wait_p99"): [name]}
    assert github([verdict], behind).count("\n") == 1
    rows = markdown([verdict], behind).rstrip("\n").split("\n")
    assert len(rows) == 3
    assert rows[2].replace("\\|", "").count("|") == 5
    assert len(ElementTree.fromstring(junit([verdict], behind))) == 1
