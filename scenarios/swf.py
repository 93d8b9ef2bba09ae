"""A batch system's year, replayed: jobs of an IBM SP2 in Stockholm, with what their users asked for.

From September 1996 to August 1997 the hundred processors of KTH's SP2 ran 28,476 jobs of up to a hundred
processors, 70 % of the time. Each processor becomes a chip here, and each job runs for as long as it did.
Users asked for 2.4 times the time that their jobs then took, in the median: a scheduler sees what they
asked for.

The log has no deadlines. Each job gets one that it could meet if it started at once: 1.1 to 5 run times after
its submission, half of them below twice, as in the jobs of Chronus.

A week of the log meets thirteen nodes of eight chips, and asks for half of their chips. ``--set days=0``
replays the year; ``--set log=FILE`` any other log in Standard Workload Format.

The log is part of the Parallel Workloads Archive; acknowledge Lars Malinowsky (KTH) and Dror Feitelson.
"""

from typing import Annotated

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters
from evaluator.traces.opening import open_trace
from evaluator.traces.preparing import options_of, pool
from evaluator.traces.replay import replay


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    log: str = Field(
        default="swf/KTH-SP2-1996-2.1-cln.swf",
        description="the log: a file, or its path below the folder that EVALUATOR_TRACES names",
    )
    days: Annotated[float, Field(ge=0, le=36_600)] = Field(
        default=7.0, description="days of the log that are replayed; 0 replays all of it"
    )
    start_day: Annotated[float, Field(ge=0, le=36_600)] = Field(
        default=14.0, description="day of the log at which the replay begins"
    )
    nodes: Annotated[int, Field(ge=1, le=10_000)] = Field(default=13, description="nodes of the cluster")
    chips: Annotated[int, Field(ge=1, le=128)] = Field(default=8, description="chips of each node")
    load: Annotated[float, Field(gt=0, le=10)] = Field(
        default=0.5, description="share of the chips that the jobs ask for, by the speed of their arrivals"
    )
    deadlines: str = Field(
        default="fill", description="recorded, none, chronus, fill, or a factor of the run time such as 3x"
    )
    estimates: str = Field(
        default="recorded", description="recorded (what users asked for), exact, or the spread of a guess"
    )


def scenario(s: Scenario[Parameters], rng: Rng) -> None:
    """The log's jobs on a cluster of equal nodes."""
    s.settings(title="A week of KTH's SP2, replayed")
    options = options_of(
        start_day=s.params.start_day,
        days=s.params.days or None,
        load=s.params.load,
        deadlines=s.params.deadlines,
        estimates=s.params.estimates,
        seed=rng.seed,
    )
    cluster = pool(s.params.nodes * s.params.chips, s.params.chips)
    s.replay(replay(open_trace(s.params.log), options, nodes=cluster, topic="trace swf"))
