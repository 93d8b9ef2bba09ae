"""Small jobs that come late and are wanted soon, behind large ones that came first and have time.

A day on four machines of eight chips. In the morning, at noon and in the evening people queue training runs
that take hours and are wanted tomorrow. All day long others come with something small: minutes of work,
wanted within the hour. Whoever serves in the order of arrival lets the small ones wait until hours of work
before them are done; whoever always takes the shortest lets those large ones wait too long that have little
time to spare. Least slack first serves the small ones while the large ones can wait, and these when not.
Under ``lst-preempt`` a large job also gives way for a small one that would be late otherwise, and goes on
from its checkpoint.

``--set load=0.95`` says how much work comes within the day, as a share of what the cluster can do in it. At
more than 1 somebody has to be late; the question is how many.
"""

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, hours, minutes
from evaluator.scenario.arrivals import poisson
from evaluator.scenario.measures import deadline_miss_rate

NODES: Final = 4
CHIPS_PER_NODE: Final = 8

DAY_H: Final = 24
"""Hours within which work comes."""

SMALL_SHARE: Final = 0.2
"""Share of the work that is small jobs; the rest is large ones."""

SMALL_MINUTES: Final = (5, 30)
LARGE_HOURS: Final = (1.5, 6.0)
LARGE_CHIPS: Final = (1, 1, 2, 2, 4)
"""Chips of large jobs, each as likely as the others."""

SMALL_FACTORS: Final = (2.0, 5.0)
LARGE_FACTORS: Final = (1.5, 6.0)
"""Deadlines after submission, as multiples of the run time: from, to."""

RUSHES_H: Final = (0.0, 5.0, 10.0)
"""Hours after eight at which people queue their large jobs, a third of them each time."""

RUSH_MINUTES: Final = 60
"""Minutes that it takes until all have queued theirs."""


MOST_LATE: Final = 0.05
"""Share of late jobs expected of a scheduler that knows the deadlines, while there is enough for all."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    load: Annotated[float, Field(gt=0, le=3)] = Field(
        default=0.95, description="work that comes within the day, as a share of what the cluster can do"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """A day's arrivals, and all the time that they need."""
    s.settings(title=f"Small late jobs (load {s.params.load:g})", start="2026-01-05T08:00:00Z")
    s.nodes("octo", count=NODES, chips=CHIPS_PER_NODE, cpu=96, memory="768Gi")
    chip_hours = s.params.load * NODES * CHIPS_PER_NODE * DAY_H
    large(s, rng, chip_hours * (1 - SMALL_SHARE))
    small(s, rng, chip_hours * SMALL_SHARE)
    if s.params.load < 1:
        # There is enough for all; who serves in the order of arrival makes every third job late.
        s.expect(deadline_miss_rate <= MOST_LATE)


def large(s: Scenario[Parameters], rng: Rng, chip_hours: float) -> None:
    """Hours of work each, queued in three rushes."""
    draw = rng.stream("large")
    for number, at in enumerate(_rushes(rng)):
        run_h = draw.uniform(*LARGE_HOURS)
        chips = draw.choice(LARGE_CHIPS)
        if chip_hours <= 0:
            return
        chip_hours -= run_h * chips
        s.job(
            f"large-{number:03}",
            user="training",
            at=hours(at),
            chips=chips,
            cpu=4 * chips,
            memory="64Gi",
            run_time=hours(run_h),
            checkpoint="30m",
            restart_cost="2m",
            deadline=hours(run_h * draw.uniform(*LARGE_FACTORS)),
        )


def _rushes(rng: Rng) -> Iterator[float]:
    """When large jobs are queued, in hours: a third of them in each rush, as many as are asked for."""
    draw = rng.stream("large: arrival")
    while True:
        for rush in RUSHES_H:
            yield rush + draw.uniform(0, RUSH_MINUTES) / 60


def small(s: Scenario[Parameters], rng: Rng, chip_hours: float) -> None:
    """Minutes of work on one chip, all day long."""
    draw, mean_h = rng.stream("small"), sum(SMALL_MINUTES) / 2 / 60
    every = hours(DAY_H * mean_h / chip_hours)
    for number, at in enumerate(poisson(rng.stream("small: arrival"), every=every, until=hours(DAY_H))):
        run = draw.uniform(*SMALL_MINUTES)
        s.job(
            f"small-{number:03}",
            user="people",
            at=at,
            chips=1,
            cpu=4,
            memory="32Gi",
            run_time=minutes(run),
            deadline=minutes(run * draw.uniform(*SMALL_FACTORS)),
        )
