"""Figures by class of jobs, computed by hand."""

from evaluator.metrics.classes import MOST_CLASSES, OTHERS, by_class, size_class
from evaluator.metrics.ledger import Ledger
from tests.support.stories import ledger, ran, submitted


def value(story: Ledger, kind: str, name: str, metric: str) -> float | None:
    return by_class(story)[kind][name][metric].value


def test_each_class_has_the_figures_of_its_own_jobs() -> None:
    story = ledger(
        ran("d/a", 0, start=10, end=70, chips=1, deadline=60, user="ann"),
        ran("d/b", 0, start=20, end=80, chips=1, deadline=90, user="bob"),
        ran("d/c", 0, start=80, end=140, chips=8, deadline=130, user="bob"),
        end=140,
    )
    assert set(by_class(story)) == {"size", "user"}, "by all else they are alike"
    assert list(by_class(story)["size"]) == ["1 chip", "5–8 chips"]
    assert value(story, "size", "1 chip", "jobs") == 2
    assert value(story, "size", "1 chip", "deadline_miss_rate") == 1 / 2
    assert value(story, "size", "5–8 chips", "wait_p50") == 80
    assert value(story, "user", "bob", "deadlines_missed") == 1
    assert value(story, "user", "bob", "tardiness_max") == 10


def test_who_is_due_is_a_matter_of_the_whole_run() -> None:
    # One job with a deadline has not ended: so only deadlines that have passed by the end are judged.
    story = ledger(
        ran("d/a", 0, start=0, end=10, chips=1, deadline=500),
        submitted("d/b", 0, chips=2, deadline=50),
        end=100,
    )
    assert value(story, "size", "1 chip", "deadlines_due") == 0
    assert value(story, "size", "2 chips", "deadlines_due") == 1


def test_the_classes_with_the_fewest_jobs_are_taken_together() -> None:
    jobs = [ran(f"d/{n}-{k}", 0, start=0, end=1, user=f"u{n:02}") for n in range(40) for k in range(40 - n)]
    users = by_class(ledger(*jobs))["user"]
    assert len(users) == MOST_CLASSES + 1
    assert users[OTHERS]["jobs"].value == sum(range(1, 11))


def test_sizes() -> None:
    sizes = [size_class(ledger(submitted("d/a", 0, chips=chips)).jobs[0]) for chips in (0, 1, 2, 3, 4, 8, 9)]
    assert sizes == ["no chip", "1 chip", "2 chips", "3–4 chips", "3–4 chips", "5–8 chips", "over 8 chips"]
