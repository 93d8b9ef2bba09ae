"""Which job is meant."""

import pytest

from evaluator.errors import NothingMatchedError, UsageError
from evaluator.story.selecting import find_job
from tests.support.happenings import job, pod, told

RUN = told(job(0, "team/train"), pod(0, "team/train-0", job="team/train"), pod(0, "a/eval"), pod(0, "b/eval"))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("team/train", "team/train"),
        ("train", "team/train"),
        ("team/train-0", "team/train"),
        ("train-0", "team/train"),
        ("b/eval", "b/eval"),
    ],
)
def test_a_job_is_found_by_its_name_or_that_of_a_pod(asked: str, found: str) -> None:
    assert find_job(RUN, asked) == found


def test_a_name_in_two_namespaces_is_refused_with_both() -> None:
    with pytest.raises(UsageError, match="a/eval, b/eval"):
        find_job(RUN, "eval")


def test_a_name_that_is_not_there_gets_close_ones() -> None:
    with pytest.raises(NothingMatchedError, match=r"Did you mean team/train\?"):
        find_job(RUN, "tarin")


def test_where_nothing_is_close_some_names_are_shown() -> None:
    with pytest.raises(NothingMatchedError, match="such jobs as team/train, a/eval, b/eval"):
        find_job(RUN, "qqqqqqqqqq")
    with pytest.raises(NothingMatchedError, match="has no jobs"):
        find_job(told(), "x")
