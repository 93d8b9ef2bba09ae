"""Gangs that need whole machines, among small jobs that can lie anywhere.

Eight machines of eight chips. All day long people start something small, one or two chips for an hour or
so: together they need less than half of the cluster. Four times a day somebody trains on half of the
machines: four pods of eight chips each, all at once or not at all, and wants the result within three hours.

There is room for both, as long as the small jobs lie close together. A scheduler that spreads them finds
every machine in use by one of them, and no machine whole. One that does not know gangs starts the pods that
fit, which hold their chips and do nothing until the last has its place.

``--set hours=6`` plays a shorter day.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, hours
from evaluator.scenario.arrivals import poisson
from evaluator.scenario.distributions import choice, uniform
from evaluator.scenario.measures import deadlines_missed, gang_wait_p99

NODES: Final = 8
CHIPS_PER_NODE: Final = 8

GANG_EVERY_H: Final = 3
GANG_PODS: Final = 4
GANG_WAIT_S: Final = 3600
"""Seconds that a gang may wait: as long as a few of the small jobs need to end, were they together."""

SMALL_EVERY: Final = "6m"
"""With an hour and a half on one to two chips, a third of the cluster on average."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    hours: Annotated[int, Field(ge=4, le=240)] = Field(
        default=12, description="hours within which work comes"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """A day of small jobs, and a gang every three hours."""
    s.settings(title="Gangs among small jobs", start="2026-01-05T08:00:00Z")
    s.nodes("octo", count=NODES, chips=CHIPS_PER_NODE, cpu=96, memory="768Gi")
    small(s, rng)
    for number, hour in enumerate(range(GANG_EVERY_H, s.params.hours + 1, GANG_EVERY_H)):
        s.job(
            f"pretrain-{number}",
            user="pretraining",
            at=hours(hour),
            pods=GANG_PODS,
            gang=True,
            chips=CHIPS_PER_NODE,
            cpu=64,
            memory="512Gi",
            run_time="1h",
            deadline="3h",
        )
    s.expect(deadlines_missed <= 0)
    s.expect(gang_wait_p99 <= GANG_WAIT_S)


def small(s: Scenario[Parameters], rng: Rng) -> None:
    """One chip or two, for one to two hours."""
    work = zip(
        poisson(rng.stream("small: arrival"), every=SMALL_EVERY, until=hours(s.params.hours)),
        uniform(rng.stream("small: length"), "1h", "2h"),
        choice(rng.stream("small: chips"), {1: 60, 2: 40}),
        strict=False,
    )
    for number, (at, length, chips) in enumerate(work):
        s.pod(
            f"small-{number:03}",
            user="people",
            at=at,
            chips=chips,
            cpu=4 * chips,
            memory="32Gi",
            run_time=length,
            deadline="8h",
        )
