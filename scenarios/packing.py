"""Thirty-two chips on whole nodes, a few more on small ones, and jobs that together need every one of them.

``--set cluster=whole``: four nodes of eight chips and four of one. Four jobs of five chips come, then four of
one, then four of three, each for an hour: 36 chips for 36. This is the demonstration that Preferred Networks
published for its own evaluator. A scheduler that puts the small jobs on the whole nodes has no place left for
the last ones, whether it looks for the node in use most or has no reason to prefer any.

``--set cluster=failed``: the four small nodes are whole ones that lost six of their eight chips, and eight
jobs of one chip come in the middle: 40 chips for 40.

One job comes a second, so that their order is the same for every scheduler.
"""

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field

from evaluator.scenario import Rng, Scenario, ScenarioParameters, seconds
from evaluator.scenario.measures import wait_max

JOBS: Final[Mapping[str, tuple[int, ...]]] = {
    "whole": (5,) * 4 + (1,) * 4 + (3,) * 4,
    "failed": (5,) * 4 + (1,) * 8 + (3,) * 4,
}
"""Chips of each job, in the order of arrival."""

AT_ONCE_S: Final = 1
"""Seconds within which a job has its place, unless it waits for another's end."""

SMALL: Final[Mapping[str, int]] = {"whole": 1, "failed": 2}
"""Usable chips of a small node."""


class Parameters(ScenarioParameters):
    """What ``--set`` can change."""

    cluster: Literal["whole", "failed"] = Field(
        default="whole", description="small nodes with one chip, or nodes that have two of eight chips left"
    )


def scenario(s: Scenario[Parameters], _rng: Rng) -> None:
    """Nodes and jobs that fit each other exactly; nothing is left to chance."""
    s.settings(title=f"Packing every chip ({s.params.cluster})")
    s.nodes("octo", count=4, chips=8)
    s.nodes("small", count=4, chips=SMALL[s.params.cluster])
    for number, chips in enumerate(JOBS[s.params.cluster]):
        # Jobs ask for chips alone, so that nothing else tells one node from another.
        s.pod(
            f"job-{number:02}-of-{chips}",
            at=seconds(number),
            chips=chips,
            cpu=0,
            memory="0Gi",
            run_time="1h",
        )
    # Every chip is there for somebody: who does not start at once has lost his place to bad packing.
    s.expect(wait_max <= AT_ONCE_S)
