"""What a scenario file is written with.

A scenario is a Python file with a function that tells ``s`` what exists and what arrives when::

    from evaluator.scenario import Rng, Scenario, ScenarioParameters

    class Parameters(ScenarioParameters):
        jobs: int = 40

    def scenario(s: Scenario[Parameters], rng: Rng) -> None:
        s.nodes("gpu", count=4, chips=8)
        for number in range(s.params.jobs):
            s.pod(f"train-{number}", at=f"{number}m", chips=1, run_time="1h", deadline="4h")

``s.params`` holds what ``--set key=value`` gave; ``rng`` holds seeded generators by name, such as
``rng.stream("arrivals").expovariate(...)``: the same seed gives the same scenario.
"""

from evaluator.scenario.builder import Scenario
from evaluator.scenario.model import (
    Delete,
    Failures,
    Fault,
    Job,
    Manifest,
    Node,
    NodePool,
    Note,
    Outage,
    Pod,
    PriorityClass,
    ScenarioItem,
    Settings,
    Taint,
    Toleration,
)
from evaluator.scenario.parameters import ScenarioParameters
from evaluator.scenario.processes import Process
from evaluator.scenario.units import days, hours, minutes, seconds
from fakeapi.kernel.chance import Chance as Rng

__all__ = [
    "Delete",
    "Failures",
    "Fault",
    "Job",
    "Manifest",
    "Node",
    "NodePool",
    "Note",
    "Outage",
    "Pod",
    "PriorityClass",
    "Process",
    "Rng",
    "Scenario",
    "ScenarioItem",
    "ScenarioParameters",
    "Settings",
    "Taint",
    "Toleration",
    "days",
    "hours",
    "minutes",
    "seconds",
]
