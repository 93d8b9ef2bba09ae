"""A machine loses three of its eight chips while gangs train on whole machines.

Six machines of eight chips. Two gangs take two whole machines each for a day; small jobs of one to three
chips come all day and need less than one machine. At noon a machine of a gang loses three chips for two
days. Only the pod on these chips dies, and with it, since its collective operations fail, the other half of
its gang; nobody else notices.

What follows is the scheduler's doing. The gang restarts from its checkpoint where two whole machines are
free at once: the one that its other half had, and a spare one. A scheduler that packs has kept a machine
whole for it, and lets small jobs have what is left of the broken one. One that spreads has small jobs on
both spare machines, and as new ones keep coming, the gang waits for its deadline; if it binds pod by pod,
half of the gang meanwhile holds a machine and does no work.
"""

from typing import Annotated, Final

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, hours, minutes
from evaluator.scenario.arrivals import poisson
from evaluator.scenario.measures import deadlines_missed, goodput

GANG_NODES: Final = 4
SPARE_NODES: Final = 2
CHIPS: Final = 8
DAY: Final = "24h"
BUSY: Final = "36h"
"""How long small jobs keep coming."""

OPENING: Final = minutes(10)
"""When the spare machines join."""

USEFUL: Final = 0.99
"""Share of the chip-time held that is work which counts: a checkpoint's worth is lost, and no more."""

SMALL_CHIPS: Final = (1, 1, 2, 3)
"""Chips of small jobs, each as likely as the others."""
SMALL_MINUTES: Final = (60, 240)


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    small_every: Annotated[float, Field(gt=0, le=600)] = Field(
        default=36, description="minutes between two small jobs, on average"
    )
    chips_lost: Annotated[int, Field(ge=0, le=CHIPS)] = Field(
        default=3, description="chips that fail at noon on a machine of a gang"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """The day, from midnight on."""
    s.settings(title="Chips fail under a gang")
    s.nodes("octo", count=GANG_NODES, chips=CHIPS, cpu=96, memory="768Gi")
    # They join when the gangs have all others, whatever scheduler it is.
    s.nodes("spare", count=SPARE_NODES, at=OPENING, chips=CHIPS, cpu=96, memory="768Gi")
    for name in ("north", "south"):
        gang(s, f"whole-{name}", chips=CHIPS)
    small(s, rng)
    if s.params.chips_lost:
        s.fail_chips("octo-0", s.params.chips_lost, at="12h10m", repair_after="48h")
    s.expect(deadlines_missed <= 0)
    # Half a gang on a machine of its own would hold chips that do no work.
    s.expect(goodput >= USEFUL)


def gang(s: Scenario[Parameters], name: str, *, chips: int) -> None:
    """Two pods that work together for a day."""
    s.job(
        name,
        user="training",
        pods=2,
        gang=True,
        chips=chips,
        cpu=5 * chips,
        memory="256Gi",
        run_time=DAY,
        checkpoint="30m",
        restart_cost="5m",
        deadline="30h",
    )


def small(s: Scenario[Parameters], rng: Rng) -> None:
    """One after the other, all day long."""
    draw = rng.stream("small")
    arrivals = poisson(rng.stream("small: arrival"), every=minutes(s.params.small_every), until=BUSY)
    for number, at in enumerate(arrivals):
        chips = draw.choice(SMALL_CHIPS)
        s.job(
            f"small-{number:03}",
            at=at,
            user="people",
            chips=chips,
            cpu=4 * chips,
            memory="32Gi",
            run_time=minutes(draw.uniform(*SMALL_MINUTES)),
            deadline=hours(8),
        )
