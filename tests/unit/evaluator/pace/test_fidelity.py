"""Figures and errors as a user sees them."""

import json

import pytest

from evaluator.pace.errors import NotQuiescent, ProcessGone, describe_status
from evaluator.pace.fidelity import Fidelity
from fakeapi.kernel.time import MILLISECOND, SECOND


def test_durations_are_told_in_seconds() -> None:
    figures = Fidelity("warp", longest_wait=1500 * MILLISECOND, clock_lead=1, scheduler_cpu=2 * SECOND)
    told = figures.to_json()
    assert (told["longest_wait_s"], told["clock_lead_s"], told["scheduler_cpu_s"]) == (1.5, 1e-9, 2.0)


def test_the_figures_survive_json() -> None:
    told = Fidelity("warp", unreachable=["a thread"]).to_json()
    assert json.loads(json.dumps(told)) == told
    assert told["forced_moves"] == 0


def test_a_missing_proof_names_the_condition_and_what_was_seen() -> None:
    text = str(NotQuiescent("running threads", 30, ["one", "two"]))
    assert text == (
        "the scheduler was not idle within 30 s of real time, so virtual time stays where it is: "
        "running threads.\n  one\n  two"
    )


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (None, "not known"),
        (0, "exited with status 0"),
        (7, "exited with status 7"),
        (-9, "ended by signal 9"),
    ],
)
def test_an_end_is_told_with_its_status(status: int | None, words: str) -> None:
    assert words in describe_status(status)
    assert words in str(ProcessGone(12, status))
