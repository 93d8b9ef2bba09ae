"""Days and nights on a research cluster: people come in the morning, react to what they get, and go home.

Four machines of eight chips and sixteen people. Each comes at nine or so, starts an experiment, looks at it
when it is done, thinks, and starts the next: an experiment that comes late leaves its owner with nothing to
do. What crashes is looked at and started again. In the evening everybody leaves a sweep of runs for the
night, wanted by the evening after; all of them together take until noon.

People are no independent arrivals: who waits asks for less, and an idle cluster is asked for more. So the
number of experiments is a result, too. A scheduler that takes work in the order of its arrival finishes the
night's sweeps first, and lets people wait in the morning.

``--set people=20`` makes it crowded, ``--set days=5`` plays a week, and ``--set large=25`` lets every fifth
experiment need half a machine, for which short runs on two chips leave no room unless somebody keeps it free.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Process, Rng, Scenario, ScenarioParameters, minutes
from evaluator.scenario.distributions import choice, lognormal, scaled, uniform
from evaluator.scenario.measures import deadlines_missed, fairness_users

NODES: Final = 4
CHIPS_PER_NODE: Final = 8

HOME_H: Final = 18
"""Hour of the day at which people go home."""

RUNS_A_NIGHT: Final = 27
"""Of each sweep. With two chips for forty minutes each, they are more work than fits into the night."""

CRASH_SHARE: Final = 0.15
"""Experiments that end with an error of their author's."""

PATIENCE: Final = (3.0, 6.0)
"""An experiment is wanted within so many times its length: from, to."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    people: Annotated[int, Field(ge=1, le=500)] = Field(default=16, description="people who work here")
    large: Annotated[float, Field(ge=0, le=1000)] = Field(
        default=0, description="experiments on four chips, for each hundred on one or two"
    )
    days: Annotated[int, Field(ge=1, le=60)] = Field(default=2, description="days, from a Monday on")


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """The machines, and everybody who works with them."""
    s.settings(title="Days and nights on a research cluster", start="2026-01-05T00:00:00Z")
    s.nodes("octo", count=NODES, chips=CHIPS_PER_NODE, cpu=96, memory="768Gi")
    for number in range(s.params.people):
        s.process(person(s, rng, f"person-{number:02}"))
    s.expect(deadlines_missed <= 0)
    s.expect(fairness_users >= 0.8)


def person(s: Scenario[Parameters], rng: Rng, name: str) -> Process:
    """Somebody's days."""
    draw = rng.stream(name)
    for day in range(s.params.days):
        yield s.until_time("09:00")
        if s.date.weekday() >= 5:
            continue
        yield s.after(minutes(draw.uniform(0, 45)))
        yield from experiments(s, rng, f"{name}-{day}")
        leave_a_sweep(s, rng, f"{name}-{day}")


def experiments(s: Scenario[Parameters], rng: Rng, name: str) -> Process:
    """One after the other until it is time to go home."""
    draw, number = rng.stream(name), 0
    lengths = lognormal(rng.stream(f"{name}: length"), median="25m", p90="90m", least="15m", most="3h")
    sizes = choice(rng.stream(f"{name}: chips"), {1: 60, 2: 40, 4: s.params.large})
    while s.date.hour < HOME_H:
        length, chips = next(lengths), next(sizes)
        crashes = draw.random() < CRASH_SHARE
        job = s.pod(
            f"{name}-try-{number}",
            user=name.rpartition("-")[0],
            queue="day",
            chips=chips,
            cpu=8 * chips,
            memory="64Gi",
            run_time=scaled(length, 0.3) if crashes else length,
            expected=length,
            exit_code=1 if crashes else 0,
            deadline=scaled(length, draw.uniform(*PATIENCE)),
        )
        yield s.until(job.finished, timeout=scaled(length, 2 * PATIENCE[1]))
        thinks = 5 if s.outcome(job) == "failed" else draw.uniform(5, 40)
        yield s.after(minutes(thinks))
        number += 1


def leave_a_sweep(s: Scenario[Parameters], rng: Rng, name: str) -> None:
    """For the night; wanted by the evening after."""
    lengths = uniform(rng.stream(f"{name}: night"), "20m", "60m")
    for number in range(RUNS_A_NIGHT):
        s.job(
            f"{name}-night-{number:02}",
            user=name.rpartition("-")[0],
            queue="night",
            chips=2,
            cpu=16,
            memory="64Gi",
            run_time=next(lengths),
            checkpoint="20m",
            deadline="24h",
        )
