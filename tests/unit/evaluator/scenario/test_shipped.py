"""The shipped scenarios tell the story that they promise."""

import pytest

from evaluator.metrics import measure
from evaluator.metrics.ledger import read_ledger
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from tests.support.list_scheduling import Order, arrival, run, slack

SEEDS = range(10)


def late(scenario: LoadedScenario, order: Order) -> float | None:
    return measure(read_ledger(run(scenario, order, "model")))["deadlines_missed"].value


@pytest.mark.parametrize("seed", SEEDS)
def test_in_the_quickstart_least_slack_is_in_time_where_first_come_first_served_is_late(seed: int) -> None:
    morning = load_scenario("quickstart", seed=seed)
    assert late(morning, slack) == 0
    assert (late(morning, arrival) or 0) >= 4


def test_the_quickstart_is_small_and_every_job_has_a_deadline_and_a_place() -> None:
    morning = load_scenario("quickstart")
    nodes, pods = list(morning.nodes()), list(morning.pods())
    assert (len(nodes), sum(node.chips for node in nodes), len(pods)) == (8, 36, 80)
    for pod in pods:
        assert pod.deadline is not None
        assert any(
            pod.chips <= node.chips
            and pod.cpu_milli <= node.cpu_milli
            and pod.memory_bytes <= node.memory_bytes
            for node in nodes
        )


def test_the_quickstart_can_be_made_larger() -> None:
    crowded = load_scenario("quickstart", assignments={"sweeps": "100", "evaluations": "0"})
    assert sum(pod.name.startswith("sweep") for pod in crowded.pods()) == 100
    assert not any(pod.name.startswith("eval") for pod in crowded.pods())


@pytest.mark.parametrize(("cluster", "chips"), [("whole", 36), ("failed", 40)])
def test_the_jobs_of_packing_need_every_chip_and_come_one_by_one(cluster: str, chips: int) -> None:
    packing = load_scenario("packing", assignments={"cluster": cluster})
    pods = list(packing.pods())
    assert sum(node.chips for node in packing.nodes()) == sum(pod.chips for pod in pods) == chips
    assert len({str(pod.at) for pod in pods}) == len(pods)
