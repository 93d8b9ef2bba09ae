"""More work than the cluster can do: somebody has to be late, and the question is who, and how many.

Four machines of eight chips. From nine to five, people submit two and a half times what the cluster does in
that time; lengths have a long tail, estimates are wrong by half, and deadlines are as a published record
has them (1.1 to 5 run times after submission, half of them below two).

A scheduler that always serves the most urgent first goes under: by the time a job is the most urgent one it
cannot be in time any more, and so it is with the next. What helps is to give up a few of the largest, so
that the many small ones are in time.

``--set load=0.8`` takes the overload away; ``--set load=3`` makes it desperate.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, hours
from evaluator.scenario.arrivals import bursts
from evaluator.scenario.distributions import choice, chronus, lognormal, misjudged, scaled
from evaluator.scenario.measures import deadline_miss_rate

NODES: Final = 4
CHIPS_PER_NODE: Final = 8
WORK_H: Final = 8
"""Hours within which work comes."""

MEAN_LENGTH_H: Final = 0.67
"""Of the lengths below, cut at six hours."""
CHIPS: Final = {1: 50, 2: 30, 4: 15, 8: 5}
"""Chips of a job by weight: 2.1 on average."""

BURSTINESS: Final = 2.0
"""Coefficient of variation of the gaps between arrivals; recorded clusters have 3 to 15."""
MISJUDGED: Final = 0.5
"""Standard deviation of the logarithm of estimate / run time."""

MISSED_AT_MOST: Final = 0.45
"""Share of the deadlines that may be missed. Most of the work has to be late at this load, but not most of
the jobs: those with little work are many."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    load: Annotated[float, Field(gt=0, le=10)] = Field(
        default=2.5, description="work that comes, as a share of what the cluster can do meanwhile"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """Work that comes faster than it can be done."""
    s.settings(title=f"Overload ({s.params.load:g} times the cluster)", start="2026-01-05T09:00:00Z")
    s.nodes("octo", count=NODES, chips=CHIPS_PER_NODE, cpu=96, memory="768Gi")
    mean_chips = sum(chips * weight for chips, weight in CHIPS.items()) / sum(CHIPS.values())
    every = hours(MEAN_LENGTH_H * mean_chips / (s.params.load * NODES * CHIPS_PER_NODE))
    work = zip(
        bursts(rng.stream("arrivals"), every=every, cv=BURSTINESS, until=hours(WORK_H)),
        lognormal(rng.stream("lengths"), median="20m", p90="90m", least="2m", most="6h"),
        choice(rng.stream("sizes"), CHIPS),
        chronus(rng.stream("deadlines")),
        misjudged(rng.stream("estimates"), sigma=MISJUDGED),
        strict=False,
    )
    for number, (at, length, chips, factor, error) in enumerate(work):
        s.pod(
            f"job-{number:03}",
            at=at,
            chips=chips,
            cpu=4 * chips,
            memory="32Gi",
            run_time=length,
            expected=scaled(length, error),
            deadline=scaled(length, factor),
        )
    s.expect(deadline_miss_rate <= MISSED_AT_MOST)
