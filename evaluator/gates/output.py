"""Verdicts for machines and pull requests: JUnit XML, GitHub's annotations, Markdown."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from evaluator.gates.judge import Verdict
from evaluator.github import annotation

Culprits = Mapping[tuple[str, str], Sequence[str]]
"""By run and metric: the jobs that made the difference."""


def explanation(verdict: Verdict, culprits: Culprits) -> str:
    """Why a gate failed, in a line, with the jobs behind it."""
    jobs = culprits.get((verdict.run, verdict.metric), ())
    named = f"; {'; '.join(jobs)}" if jobs else ""
    return f"{verdict.metric}: {verdict.why}{named}"


def junit(verdicts: Sequence[Verdict], culprits: Culprits) -> bytes:
    """A test suite with a case for each gate of each run."""
    failed = sum(not verdict.passed for verdict in verdicts)
    suite = ElementTree.Element(
        "testsuite", name="evaluator gate", tests=str(len(verdicts)), failures=str(failed)
    )
    for verdict in verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname=verdict.run, name=verdict.gate)
        if not verdict.passed:
            failure = ElementTree.SubElement(case, "failure", message=verdict.why)
            failure.text = explanation(verdict, culprits)
    body: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def github(verdicts: Sequence[Verdict], culprits: Culprits) -> str:
    """A workflow command for each failure, which GitHub shows beside the change."""
    return "".join(
        annotation("error", f"{verdict.run}: {verdict.gate}", explanation(verdict, culprits))
        for verdict in verdicts
        if not verdict.passed
    )


def markdown(verdicts: Sequence[Verdict], culprits: Culprits) -> str:
    """A table for a pull request."""
    rows = ["| | run | gate | value |", "|---|---|---|---|"]
    for verdict in verdicts:
        mark = "pass" if verdict.passed else "**FAIL**"
        told = _number(verdict.value) if verdict.passed else explanation(verdict, culprits)
        rows.append("| " + " | ".join(map(_cell, (mark, verdict.run, verdict.gate, told))) + " |")
    return "\n".join(rows) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
