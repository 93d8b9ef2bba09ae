"""Services and training on one cluster: services must run, training has to be in time, on the same chips.

Six machines of eight chips. A team serves models around the clock on one chip each: a dozen replicas in the
night, three times as many from nine to five, each of them of a higher priority than any training. Between
them people train: short runs wanted within hours, and at night a gang on two whole machines.

Services come and go with the day. A scheduler that spreads their replicas over all machines leaves none
whole for the gang; one that takes training in the order of its arrival keeps a sweep in front of those in a
hurry.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Process, Rng, Scenario, ScenarioParameters, hours, minutes
from evaluator.scenario.arrivals import profile
from evaluator.scenario.distributions import choice, lognormal, scaled
from evaluator.scenario.measures import deadlines_missed, gang_wait_p99

NODES: Final = 6
CHIPS_PER_NODE: Final = 8

NIGHT_REPLICAS: Final = 12
DAY_REPLICAS: Final = 24
SERVICE_PRIORITY: Final = 1000

RUNS_PER_HOUR: Final = (1.0,) * 8 + (6.0,) * 10 + (2.0,) * 6
"""Training runs that people start in each hour of the day."""

GANG_WAIT_S: Final = 2 * 3600
"""Seconds that the night's gang may wait: until the day's replicas are gone and short runs have ended."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    days: Annotated[int, Field(ge=1, le=60)] = Field(default=1, description="days that are played")


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """Machines, services, and people who train."""
    s.settings(
        title="Services and training", start="2026-01-05T00:00:00Z", until=hours(24 * s.params.days + 8)
    )
    s.nodes("octo", count=NODES, chips=CHIPS_PER_NODE, cpu=96, memory="768Gi")
    for number in range(NIGHT_REPLICAS):
        replica(s, f"serve-{number:02}")
    s.process(autoscaler(s))
    training(s, rng)
    sweep(s)
    for day in range(s.params.days):
        s.job(
            f"pretrain-{day}",
            user="pretraining",
            at=hours(24 * day + 19),
            pods=2,
            gang=True,
            chips=CHIPS_PER_NODE,
            cpu=64,
            memory="512Gi",
            run_time="6h",
            checkpoint="30m",
            deadline="12h",
        )
    s.expect(deadlines_missed <= 0)
    s.expect(gang_wait_p99 <= GANG_WAIT_S)


def replica(s: Scenario[Parameters], name: str) -> None:
    """One replica of a service: it runs until somebody deletes it."""
    s.pod(name, user="serving", chips=1, cpu=8, memory="64Gi", priority=SERVICE_PRIORITY)


def autoscaler(s: Scenario[Parameters]) -> Process:
    """More replicas by day, and fewer in the night."""
    extra = [f"serve-{number:02}" for number in range(NIGHT_REPLICAS, DAY_REPLICAS)]
    for _ in range(s.params.days):
        yield s.until_time("09:00")
        for name in extra:
            replica(s, name)
            yield s.after("1m")
        yield s.until_time("17:00")
        for name in extra:
            s.delete(name, at=s.now)
            yield s.after("1m")


def training(s: Scenario[Parameters], rng: Rng) -> None:
    """What people start, mostly by day."""
    patience = rng.stream("training: patience")
    work = zip(
        profile(rng.stream("training: arrival"), per_hour=RUNS_PER_HOUR, until=hours(24 * s.params.days)),
        lognormal(rng.stream("training: length"), median="30m", p90="2h", least="15m", most="4h"),
        choice(rng.stream("training: chips"), {1: 60, 2: 40}),
        strict=False,
    )
    for number, (at, length, chips) in enumerate(work):
        s.job(
            f"train-{number:03}",
            user="people",
            at=at,
            chips=chips,
            cpu=8 * chips,
            memory="64Gi",
            run_time=length,
            checkpoint="15m",
            deadline=scaled(length, patience.uniform(3, 6)),
        )


def sweep(s: Scenario[Parameters]) -> None:
    """Two hundred short runs that are queued at ten and wanted by the next morning."""
    for number in range(200):
        s.job(
            f"sweep-{number:03}",
            user="sweeps",
            at="10h",
            chips=1,
            cpu=8,
            memory="32Gi",
            run_time=minutes(30 + number % 7 * 5),
            checkpoint="15m",
            deadline="20h",
        )
