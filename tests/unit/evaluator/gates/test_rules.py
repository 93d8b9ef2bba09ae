"""Rules are read whole or refused with file and field."""

from pathlib import Path

import pytest

from evaluator.errors import FileFormatError
from evaluator.gates.rules import Rule, read_rules


def rules(folder: Path, text: str) -> Path:
    file = folder / "gates.toml"
    file.write_text(text)
    return file


def test_rules_are_read(tmp_path: Path) -> None:
    file = rules(
        tmp_path,
        '[[gate]]\nmetric = "wait_p99"\nscheduler = "lst"\nat_most = 60\n'
        '[[gate]]\nmetric = "utilization"\nno_worse_than_baseline = true\nslack = 0.05\n',
    )
    assert read_rules(file).gate == (
        Rule(metric="wait_p99", scheduler="lst", at_most=60),
        Rule(metric="utilization", no_worse_than_baseline=True, slack=0.05),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[gate]\n", "not TOML"),
        ('[[gate]]\nmetric = "wait_p98"\nat_most = 1\n', "no such metric"),
        ('[[gate]]\nmetric = "wait_p99"\n', "give at_most, at_least or no_worse_than_baseline"),
        ('[[gate]]\nmetric = "wait_p99"\nat_most = 1\nslack = 0.1\n', "slack is for"),
        ('[[gate]]\nmetric = "wait_p99"\nat_most = inf\n', "at_most"),
        ('[[gate]]\nmetric = "wait_p99"\natmost = 1\n', "atmost"),
        ('[[rule]]\nmetric = "wait_p99"\n', "rule"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(FileFormatError) as refused:
        read_rules(rules(tmp_path, text))
    assert told in str(refused.value)
    assert "gates.toml" in str(refused.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot read the rules"):
        read_rules(tmp_path / "gates.toml")


@pytest.mark.parametrize(
    ("scenario", "scheduler", "concerned"),
    [(None, None, True), ("s", None, True), (None, "lst", True), ("other", None, False), ("s", "edf", False)],
)
def test_a_rule_concerns_the_runs_that_it_names(
    scenario: str | None, scheduler: str | None, concerned: bool
) -> None:
    rule = Rule(metric="wait_p99", at_most=1, scenario=scenario, scheduler=scheduler)
    assert rule.concerns("s", "lst") is concerned
