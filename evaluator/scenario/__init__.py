"""What a scenario file is written with.

A scenario is a Python file with a function that returns or yields what exists and what arrives when::

    from evaluator.scenario import Chance, NodePool, Pod, ScenarioParameters

    class Parameters(ScenarioParameters):
        jobs: int = 40

    def scenario(parameters: Parameters, chance: Chance):
        yield NodePool(name="gpu", count=4, chips=8)
        for number in range(parameters.jobs):
            yield Pod(name=f"train-{number}", at=f"{number}m", chips=1, run_time="1h", deadline="4h")

``parameters`` holds what ``--set key=value`` gave; ``chance`` holds seeded generators by name, such as
``chance.stream("arrivals").expovariate(...)``: the same seed gives the same scenario.
"""

from evaluator.scenario.model import (
    Delete,
    Manifest,
    Node,
    NodePool,
    Note,
    Pod,
    PriorityClass,
    ScenarioItem,
    Settings,
    Taint,
    Toleration,
)
from evaluator.scenario.parameters import ScenarioParameters
from evaluator.scenario.units import days, hours, minutes, seconds
from fakeapi.kernel.chance import Chance

__all__ = [
    "Chance",
    "Delete",
    "Manifest",
    "Node",
    "NodePool",
    "Note",
    "Pod",
    "PriorityClass",
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
