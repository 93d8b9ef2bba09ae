"""A rack loses power for an hour, and what ran on it has to find a place on what is left.

Four racks of four machines. Two teams train on a rack each: gangs of four pods on whole machines, kept
within a rack as their network wants it, saved every half an hour, wanted by the next morning. In the
morning somebody queues a sweep of many short runs, which has until the next day as well. All day long
people start something small and want it soon.

At noon rack b goes dark. What ran there starts again from its last checkpoint, where there is room; a gang
that lost its rack has to wait until another is whole. Two hours later the machines of rack c are drained
for maintenance, one after the other.

A scheduler that takes work in the order of its arrival lets people wait behind the sweep, which came first
and has time, just when there is less room for all.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, hours
from evaluator.scenario.arrivals import poisson
from evaluator.scenario.distributions import choice, scaled, uniform
from evaluator.scenario.measures import chip_hours_lost_to_failures, deadlines_missed

RACKS: Final = ("a", "b", "c", "d")
MACHINES: Final = 4
"""Machines of each rack."""
CHIPS: Final = 8

DARK_H: Final = 4
"""Hours after eight at which the rack loses power."""
DRAINED_H: Final = 6
"""Hours after eight at which maintenance of another begins."""
CHECKPOINT_H: Final = 0.5
LOST_AT_MOST: Final = MACHINES * CHIPS * CHECKPOINT_H * 2
"""Chip-hours: a checkpoint's length of a whole rack, twice for what small jobs lose beside."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    sweep: Annotated[int, Field(ge=0, le=2000)] = Field(
        default=200, description="runs of the morning's sweep"
    )
    every_min: Annotated[float, Field(gt=0, le=600)] = Field(
        default=4.0, description="minutes between two small jobs, on average"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """A working day, the outage and the maintenance."""
    s.settings(title="A rack loses power", start="2026-01-05T08:00:00Z")
    for rack in RACKS:
        s.nodes(f"rack-{rack}", count=MACHINES, chips=CHIPS, cpu=96, memory="768Gi", labels={"rack": rack})
    gangs(s)
    batch(s, rng)
    people(s, rng)
    s.outage({"rack": "b"}, at=hours(DARK_H), recover_after="1h")
    for number in range(MACHINES):
        s.drain(f"rack-c-{number}", at=hours(DRAINED_H + number / 4), open_after="2h")
    s.expect(deadlines_missed <= 0)
    s.expect(chip_hours_lost_to_failures <= LOST_AT_MOST)


def gangs(s: Scenario[Parameters]) -> None:
    """Two teams that train on a rack each, until the next day."""
    for team in ("vision", "speech"):
        s.job(
            f"pretrain-{team}",
            user=team,
            pods=MACHINES,
            gang=True,
            topology="rack",
            chips=CHIPS,
            cpu=64,
            memory="512Gi",
            run_time="10h",
            checkpoint=hours(CHECKPOINT_H),
            restart_cost="5m",
            deadline="24h",
        )


def batch(s: Scenario[Parameters], rng: Rng) -> None:
    """A sweep that is queued in the morning and wanted on the next."""
    lengths = uniform(rng.stream("batch: length"), "20m", "80m")
    for number in range(s.params.sweep):
        s.job(
            f"sweep-{number:03}",
            user="sweeps",
            at="10m",
            chips=2,
            cpu=8,
            memory="64Gi",
            run_time=next(lengths),
            checkpoint="20m",
            deadline="26h",
        )


def people(s: Scenario[Parameters], rng: Rng) -> None:
    """Small jobs that are wanted soon; what is lost is made again."""
    draw = rng.stream("people: factor")
    work = zip(
        poisson(rng.stream("people: arrival"), every=hours(s.params.every_min / 60), until="10h"),
        uniform(rng.stream("people: length"), "10m", "40m"),
        choice(rng.stream("people: chips"), {1: 60, 2: 40}),
        strict=False,
    )
    for number, (at, length, chips) in enumerate(work):
        s.job(
            f"small-{number:03}",
            user="people",
            at=at,
            chips=chips,
            cpu=4 * chips,
            memory="32Gi",
            run_time=length,
            checkpoint="10m",
            deadline=scaled(length, draw.uniform(3, 6)),
        )
