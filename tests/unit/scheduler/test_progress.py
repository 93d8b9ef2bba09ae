"""What is left of a piece of work, over the pods that do it one after the other."""

from dataclasses import replace

import pytest

from scheduler.model import GangRef, Task, Timing
from scheduler.progress import MOST_IDLE, Progress
from scheduler.timetext import HOUR, MINUTE
from tests.unit.scheduler.builders import START, task

COST = 2 * MINUTE


def pod(name: str, **fields: object) -> Task:
    """A pod of ten hours of work that is saved each hour; its job is ``job`` unless it says otherwise."""
    given: dict[str, object] = {
        "owner": "job",
        "timing": Timing(remaining=10 * HOUR),
        "checkpoint_interval": HOUR,
        "restart_cost": COST,
        **fields,
    }
    return replace(task(name), **given)  # type: ignore[arg-type]  # the fields of a Task by name


def left(progress: Progress, found: Task) -> int | None:
    return progress.of(found).timing.remaining


def run(progress: Progress, name: str, hours: float, *, succeeded: bool = False, **fields: object) -> None:
    """Let a pod run for so long."""
    ran = pod(name, started=START, **fields)
    progress.of(ran)
    progress.ended(ran, START + round(hours * HOUR), succeeded=succeeded)
    progress.validate()


def test_a_first_pod_has_all_of_it_to_do_and_no_restart() -> None:
    found = pod("a")
    assert Progress().of(found) is found


def test_the_next_pod_continues_from_the_checkpoint() -> None:
    progress = Progress()
    run(progress, "a", 3.5)
    assert left(progress, pod("b")) == 7 * HOUR + COST


def test_the_cost_of_a_restart_is_no_work() -> None:
    progress = Progress()
    run(progress, "a", 3.5)
    run(progress, "b", 2)  # two minutes of it were the restart: one whole hour is saved
    assert left(progress, pod("c")) == 6 * HOUR + COST


def test_without_checkpoints_all_is_lost() -> None:
    progress = Progress()
    run(progress, "a", 9.5, checkpoint_interval=None)
    assert left(progress, pod("b", checkpoint_interval=None)) == 10 * HOUR + COST


def test_a_pod_that_never_ran_changes_nothing() -> None:
    progress = Progress()
    waiting = pod("a")
    progress.of(waiting)
    progress.ended(waiting, START + HOUR, succeeded=False)
    assert left(progress, pod("b")) == 10 * HOUR


def test_the_annotation_is_believed() -> None:
    progress = Progress()
    run(progress, "a", 3.5)
    assert left(progress, pod("b", progress=5 * HOUR)) == 5 * HOUR + COST
    assert left(Progress(), pod("c", progress=0)) == 10 * HOUR + COST


def test_indexes_tell_pieces_apart() -> None:
    progress = Progress()
    run(progress, "a", 3, index="0")
    assert left(progress, pod("b", index="1")) == 10 * HOUR
    assert left(progress, pod("c", index="0")) == 7 * HOUR + COST


def test_without_an_index_a_pod_takes_the_lowest_free_slot() -> None:
    progress = Progress()
    first, second = pod("a", started=START), pod("b", started=START)
    progress.of(first)
    progress.of(second)
    progress.ended(second, START + 5 * HOUR, succeeded=False)
    progress.ended(first, START + 2 * HOUR, succeeded=False)
    assert left(progress, pod("c")) == 8 * HOUR + COST
    assert left(progress, pod("d")) == 5 * HOUR + COST
    assert left(progress, pod("e")) == 10 * HOUR


def test_after_success_the_next_pod_does_other_work() -> None:
    progress = Progress()
    run(progress, "a", 10, succeeded=True)
    assert left(progress, pod("b")) == 10 * HOUR


def test_more_done_than_expected_leaves_nothing() -> None:
    assert left(Progress(), pod("a", progress=11 * HOUR)) == COST


def test_an_unknown_run_time_is_learned_from_pods_of_the_same_owner() -> None:
    progress, unknown = Progress(), Timing(START + HOUR, None, stated=True)
    assert left(progress, pod("a", timing=unknown)) is None
    for hours in (1, 2, 7):
        run(progress, f"r{hours}", hours, succeeded=True, timing=unknown)
    assert left(progress, pod("b", timing=unknown)) == 2 * HOUR


@pytest.mark.parametrize(
    ("hours", "fields", "lost"),
    [
        (0.5, {}, 0.5 * HOUR + COST),
        (3.25, {}, 0.25 * HOUR + COST),
        (3.25, {"checkpoint_interval": None}, 3.25 * HOUR + COST),
        (3.25, {"started": None}, COST),
        (3.25, {"owner": ""}, 3.25 * HOUR),
        (3.25, {"owner": "", "progress": HOUR}, 4.25 * HOUR - COST),
    ],
)
def test_what_an_end_would_cost(hours: float, fields: dict[str, object], lost: float) -> None:
    running = pod("a", **{"started": START, **fields})
    assert Progress().lost(running, START + round(hours * HOUR)) == lost


def test_successors_are_the_same_work() -> None:
    progress = Progress()
    first = pod("a", index="3")
    name = progress.work_of(first)
    progress.ended(first, START, succeeded=False)
    assert progress.work_of(pod("b", index="3")) == name
    assert progress.work_of(pod("c", index="4")) != name
    assert progress.work_of(pod("d", gang=GangRef("default/g", 2))) == "default/g"


def test_owners_without_pods_are_forgotten_in_the_end() -> None:
    progress = Progress()
    run(progress, "a", 3.5, owner="first")
    for n in range(MOST_IDLE):
        lone = pod(f"p{n}", owner="")
        progress.of(lone)
        progress.ended(lone, START, succeeded=False)
    assert left(progress, pod("b", owner="first")) == 10 * HOUR


def test_what_was_not_seen_cannot_end() -> None:
    progress = Progress()
    progress.ended(pod("a", started=START), START + HOUR, succeeded=False)
    progress.validate()
