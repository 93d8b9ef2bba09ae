"""A Monday morning on a small training cluster, and who gets to work first.

Thirty-six chips: four machines of eight, and four old ones with a single chip each. At eight o'clock the
weekend's parameter sweeps are queued; nobody needs them before the evening. Two pre-training runs want half a
machine each by the afternoon. Then people come in, one after the other, and each of them wants something
small and soon: a checkpoint evaluated before the stand-up, a model fine-tuned before lunch, a notebook.

There are chips enough for everybody to be in time. A scheduler that takes jobs in the order of their arrival
serves the sweeps first, because they came first, and the people wait behind work that was in no hurry.
"""

from typing import Annotated

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, minutes
from evaluator.scenario.measures import deadlines_missed

FIRST_PERSON = 20
"""Minutes after eight at which the first person asks for something."""

LAST_PERSON = 150
"""Minutes after eight at which the last person has asked for something."""

TEAMS = ("vision", "speech", "robots")


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    sweeps: Annotated[int, Field(ge=0, le=500)] = Field(
        default=34, description="sweep jobs that are queued at eight"
    )
    evaluations: Annotated[int, Field(ge=0, le=500)] = Field(
        default=28, description="evaluations that people want within the hour"
    )
    finetunes: Annotated[int, Field(ge=0, le=500)] = Field(
        default=6, description="fine-tuning runs that people want before lunch"
    )
    notebooks: Annotated[int, Field(ge=0, le=500)] = Field(
        default=10, description="notebooks that people want to work in"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """The morning, from eight o'clock on."""
    s.settings(title="A Monday morning on a small training cluster", start="2026-01-05T08:00:00Z")
    s.nodes("octo", count=4, chips=8, cpu=96, memory="768Gi", chip_type="A100")
    s.nodes("solo", count=4, chips=1, cpu=16, memory="128Gi", chip_type="T4")

    sweeps(s, rng)
    pretraining(s)
    evaluations(s, rng)
    finetunes(s, rng)
    notebooks(s, rng)

    # There are chips enough for everybody: who is late was served too late.
    s.expect(deadlines_missed <= 0)


def sweeps(s: Scenario[Parameters], rng: Rng) -> None:
    """Two chips for an hour or so each, wanted by the evening."""
    lengths = rng.stream("sweeps: length")
    for number in range(s.params.sweeps):
        s.pod(
            f"sweep-{number:02}",
            user="weekend",
            chips=2,
            cpu=8,
            memory="64Gi",
            run_time=minutes(lengths.randint(40, 70)),
            deadline="2026-01-05T20:00:00Z",
        )


def pretraining(s: Scenario[Parameters]) -> None:
    """Half a machine each for two hours, wanted in the afternoon."""
    for number, team in enumerate(("vision", "speech")):
        s.pod(
            f"pretrain-{team}",
            user=team,
            at=minutes(5 + 10 * number),
            chips=4,
            cpu=40,
            memory="256Gi",
            run_time="2h",
            deadline="2026-01-05T15:00:00Z",
        )


def evaluations(s: Scenario[Parameters], rng: Rng) -> None:
    """Two chips for a quarter of an hour, wanted within the hour."""
    arrivals, lengths = rng.stream("evaluations: arrival"), rng.stream("evaluations: length")
    for number in range(s.params.evaluations):
        s.pod(
            f"eval-{number:02}",
            user=TEAMS[number % len(TEAMS)],
            at=minutes(arrivals.randint(FIRST_PERSON, LAST_PERSON)),
            chips=2,
            cpu=8,
            memory="64Gi",
            run_time=minutes(lengths.randint(10, 20)),
            deadline="1h",
        )


def finetunes(s: Scenario[Parameters], rng: Rng) -> None:
    """Four chips for half an hour or more, wanted before lunch."""
    arrivals, lengths = rng.stream("finetunes: arrival"), rng.stream("finetunes: length")
    for number in range(s.params.finetunes):
        s.pod(
            f"finetune-{number:02}",
            user=TEAMS[number % len(TEAMS)],
            at=minutes(arrivals.randint(FIRST_PERSON, LAST_PERSON)),
            chips=4,
            cpu=32,
            memory="256Gi",
            run_time=minutes(lengths.randint(30, 45)),
            deadline="2h",
        )


def notebooks(s: Scenario[Parameters], rng: Rng) -> None:
    """One chip, old or new, for as long as somebody looks at something."""
    arrivals, lengths = rng.stream("notebooks: arrival"), rng.stream("notebooks: length")
    for number in range(s.params.notebooks):
        s.pod(
            f"notebook-{number:02}",
            user=TEAMS[number % len(TEAMS)],
            at=minutes(arrivals.randint(FIRST_PERSON, LAST_PERSON)),
            chips=1,
            cpu=4,
            memory="32Gi",
            run_time=minutes(lengths.randint(15, 60)),
            deadline="2h",
        )
