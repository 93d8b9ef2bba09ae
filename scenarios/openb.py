"""A real cluster: Alibaba's GPU trace of 2023, 1,523 nodes and 7,255 pods that ran within 149 days.

In its own time the trace uses one GPU in a hundred, so that any scheduler does well. ``--set nodes=6`` keeps
48 GPUs for a demand that reaches 70 at once; ``--set speedup=230`` keeps all nodes and lets the pods arrive
230 times as fast.
"""

from evaluator.scenario import Rng, Scenario
from evaluator.traces.openb import OpenbParameters, replay


class Parameters(OpenbParameters):
    """What ``--set`` can change."""


def scenario(s: Scenario[Parameters], _rng: Rng) -> None:
    """The trace as it was recorded: nothing is left to chance."""
    s.replay(replay(s.params))
