"""A real cluster: Alibaba's GPU trace of 2023, 1,523 nodes and 7,255 pods that ran within 149 days.

In its own time the trace uses one GPU in a hundred, so that any scheduler does well. ``--set nodes=6`` keeps
48 GPUs for a demand that reaches 70 at once; ``--set speedup=230`` keeps all nodes and lets the pods arrive
230 times as fast.
"""

from collections.abc import Iterator

from evaluator.scenario import Chance, ScenarioItem
from evaluator.traces.openb import OpenbParameters, replay


class Parameters(OpenbParameters):
    """What ``--set`` can change."""


def scenario(parameters: Parameters, _chance: Chance) -> Iterator[ScenarioItem]:
    """The trace as it was recorded: nothing is left to chance."""
    return replay(parameters)
