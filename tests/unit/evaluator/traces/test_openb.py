"""The openb trace: what a small made-up one becomes, and whether the real one has the facts known of it."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from evaluator.errors import ParameterError, TraceError
from evaluator.metrics.metric import percentile
from evaluator.metrics.steps import from_changes
from evaluator.scenario import Pod
from evaluator.scenario.loader import load_scenario
from evaluator.scenario.plan import LoadedScenario
from evaluator.traces.openb import NODE_FILE, POD_FILE
from evaluator.traces.openb_files import WHOLE_GPU, read_pods
from fakeapi.kernel.time import DAY, SECOND
from tests.support.traces import openb_folder

NODE_HEADER = "sn,cpu_milli,memory_mib,gpu,model"
POD_HEADER = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time"
)
NODES = """\
n-cpu,32000,262144,0,
n-large-0,96000,393216,8,G2
n-two,64000,262144,2,P100
n-large-1,96000,786432,8,V100M32
"""
PODS = """\
whole,12000,16384,8,1000,,LS,Running,0,1000,0
fraction,6000,12288,1,460,,BE,Succeeded,100,400,160
waited-forever,1000,1024,1,1000,,LS,Pending,150,300,
failed,1000,0,0,0,,LS,Failed,200,260,250
momentary,1000,1024,0,0,,LS,Succeeded,300,310,310
huge,97000,1024,0,0,V100|T4,LS,Running,400,900,400
"""

Import: TypeAlias = Callable[..., LoadedScenario]


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Imports a made-up trace; keyword arguments are parameters."""

    def load(*, nodes_csv: str = NODES, pods_csv: str = PODS, **assignments: str) -> LoadedScenario:
        (tmp_path / NODE_FILE).write_text(f"{NODE_HEADER}\n{nodes_csv}")
        (tmp_path / POD_FILE).write_text(f"{POD_HEADER}\n{pods_csv}")
        return load_scenario("openb", assignments={"trace": str(tmp_path), **assignments})

    return load


def told(scenario: LoadedScenario) -> dict[str, int | None]:
    return {note.text: note.count for note in scenario.notes}


def test_every_row_is_accounted_for(imported: Import) -> None:
    scenario = imported(pods_csv=PODS.replace("97000", "200000"))
    notes = told(scenario)
    assert notes["pods read"] == 6
    assert notes["pods dropped: never scheduled in the trace, so that their run time is unknown"] == 1
    assert notes["pods dropped: ran for no time at all"] == 1
    assert notes["pods dropped: too large for every node that was kept"] == 1
    assert notes["pods replayed"] == len(list(scenario.pods())) == 3
    dropped = sum(count or 0 for text, count in notes.items() if text.startswith("pods dropped"))
    assert dropped + 3 == 6


def test_every_change_is_accounted_for(imported: Import) -> None:
    notes = told(imported(nodes_csv=NODES.replace("96000", "128000")))
    assert notes["pods that asked for a share of one GPU, rounded up to a whole one"] == 1
    assert notes["pods that waited in the trace; the wait is left out of the run time"] == 2
    assert notes["pods that failed in the trace; they run as long as there, and finish"] == 1
    assert notes["pods still there when the trace ends; their run time ends with it"] == 1
    assert notes["pods that ask for no memory"] == 1
    assert notes["pods that asked for certain GPU models; they may run on any"] == 1
    assert "no deadlines: the trace has none, and none were invented" in notes


def test_a_pod_is_submitted_when_it_was_and_runs_as_long_as_it_did(imported: Import) -> None:
    scenario = imported()
    arrivals = {pod.name: at_ns for at_ns, pod in submissions(scenario)}
    pods = {pod.name: pod for pod in scenario.pods()}
    assert arrivals == {"whole": 0, "fraction": 100 * SECOND, "failed": 200 * SECOND}
    assert {name: pod.run_ns for name, pod in pods.items()} == {
        "whole": 1000 * SECOND,
        "fraction": 240 * SECOND,
        "failed": 10 * SECOND,
    }
    fraction = pods["fraction"]
    assert (fraction.chips, fraction.cpu_milli, fraction.memory_bytes) == (1, 6000, 12288 * 2**20)
    assert fraction.annotations == {
        "openb.trace/qos": "BE",
        "openb.trace/phase": "Succeeded",
        "openb.trace/gpu-milli": "460",
    }
    assert "openb.trace/gpu-milli" not in pods["whole"].annotations


def test_all_nodes_are_kept_unless_told_otherwise(imported: Import) -> None:
    assert [(node.name, node.chips, node.chip_type) for node in imported().nodes()] == [
        ("n-cpu", 0, None),
        ("n-large-0", 8, "G2"),
        ("n-two", 2, "P100"),
        ("n-large-1", 8, "V100M32"),
    ]


def test_a_cut_cluster_keeps_the_first_nodes_of_eight_gpus(imported: Import) -> None:
    scenario = imported(nodes="1")
    assert [node.name for node in scenario.nodes()] == ["n-large-0"]
    notes = told(scenario)
    assert (notes["nodes read"], notes["nodes dropped: the cluster was cut"], notes["nodes kept"]) == (
        4,
        3,
        1,
    )
    assert notes["GPUs kept"] == 8


def test_more_nodes_than_there_are_cannot_be_kept(imported: Import) -> None:
    with pytest.raises(ParameterError, match="nodes = 3: the trace has 2 nodes of 8 GPUs"):
        imported(nodes="3")


def test_arrivals_can_be_sped_up_while_run_times_stay(imported: Import) -> None:
    scenario = imported(speedup="10")
    assert [at_ns for at_ns, _ in submissions(scenario)] == [0, 10 * SECOND, 20 * SECOND]
    assert [pod.run_ns for pod in scenario.pods()] == [1000 * SECOND, 240 * SECOND, 10 * SECOND]
    assert "gaps between arrivals divided by 10; run times unchanged" in told(scenario)


def test_deadlines_can_be_invented_and_then_it_is_said(imported: Import) -> None:
    scenario = imported(deadline_factor="2.5")
    deadlines = [pod.deadline_ns(0, scenario.start_ns) for pod in scenario.pods()]
    assert deadlines == [2500 * SECOND, 600 * SECOND, 25 * SECOND]
    assert "deadlines invented: 2.5 times the run time after submission" in told(scenario)
    assert all(pod.deadline is None for pod in imported().pods())


def test_the_list_can_be_cut(imported: Import) -> None:
    scenario = imported(pods="2")
    assert [pod.name for pod in scenario.pods()] == ["whole", "fraction"]
    assert told(scenario)["pods dropped: beyond the number of rows asked for"] == 4


@pytest.mark.parametrize("assignment", ["speedup=0", "nodes=-1", "deadline_factor=0.5", "pods=x"])
def test_parameters_have_bounds(imported: Import, assignment: str) -> None:
    key, _, value = assignment.partition("=")
    with pytest.raises(ParameterError, match=f"{key} = "):
        imported(**{key: value})


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("a,1,1,1,1000,,LS,Running,10,5,10", "deletion_time = '5': before the pod was created or scheduled"),
        ("a,1,1,1,1000,,LS,Running,10,50,5", "scheduled_time = '5': before creation_time, which is 10"),
        ("a,1,1,1,1001,,LS,Running,0,5,0", "gpu_milli = '1001': must lie between 0 and 1,000"),
        ("a,x,1,1,1000,,LS,Running,0,5,0", "cpu_milli = 'x': not a whole number"),
        ("A B,1,1,1,1000,,LS,Running,0,5,0", "name = 'A B'"),
        ("a,1,1,1,1000,,LS,Running,0,5", "10 cells where there should be 11 columns"),
        ("whole,1,1,1,1000,,LS,Running,0,5,0", "name = 'whole': line 2 has that name already"),
    ],
)
def test_a_pod_that_cannot_be_is_told_with_its_line(imported: Import, row: str, complaint: str) -> None:
    with pytest.raises(TraceError) as caught:
        imported(pods_csv=PODS + row + "\n")
    assert complaint in caught.value.what
    assert caught.value.where is not None
    assert caught.value.where.endswith(f"{POD_FILE}:8")


def test_a_node_that_cannot_be_is_told_with_its_line(imported: Import) -> None:
    with pytest.raises(TraceError, match=r"cpu_milli = '0': must lie between 1 and") as caught:
        imported(nodes_csv="n,0,1,8,G2\n")
    assert caught.value.where is not None
    assert caught.value.where.endswith(f"{NODE_FILE}:2")


# ---- the real trace ----


@pytest.fixture(scope="module")
def trace() -> Path:
    """The folder of the published trace."""
    return openb_folder()


def submissions(scenario: LoadedScenario) -> list[tuple[int, Pod]]:
    return [(each.at_ns, each.item) for each in scenario.arrivals if isinstance(each.item, Pod)]


def test_the_whole_trace_has_the_facts_known_of_it(trace: Path) -> None:
    scenario = load_scenario("openb", assignments={"trace": str(trace)})
    notes = told(scenario)
    assert (notes["nodes read"], notes["nodes kept"], notes["GPUs kept"]) == (1523, 1523, 6212)
    assert notes["pods read"] == 8152
    assert notes["pods dropped: never scheduled in the trace, so that their run time is unknown"] == 897
    assert notes["pods replayed"] == len(list(scenario.pods())) == 7255
    assert notes["pods that failed in the trace; they run as long as there, and finish"] == 1870
    assert notes["pods that ask for no memory"] == 1
    assert notes["pods still there when the trace ends; their run time ends with it"] == 34
    assert [text for text in notes if text.startswith("pods dropped")] == [
        "pods dropped: never scheduled in the trace, so that their run time is unknown"
    ]
    shapes = Counter(node.chips for node in scenario.nodes())
    assert shapes == {8: 617, 4: 54, 2: 518, 1: 24, 0: 310}
    types = {"G2": 4392, "T4": 842, "G3": 312, "P100": 265, "V100M32": 204, "V100M16": 195, "A10": 2}
    for chip_type, chips in types.items():
        assert sum(node.chips for node in scenario.nodes() if node.chip_type == chip_type) == chips


def test_the_rows_have_the_facts_known_of_them(trace: Path) -> None:
    pods = read_pods(trace / POD_FILE)
    assert Counter(pod.gpus for pod in pods) == {0: 1088, 1: 6989, 2: 16, 4: 15, 8: 44}
    assert sum(pod.is_fraction for pod in pods) == 3078
    ran = [pod for pod in pods if pod.scheduled is not None]
    waits, runs = [pod.waited for pod in ran], [pod.ran for pod in ran]
    assert sum(wait > 60 for wait in waits) == 1130
    assert [percentile(waits, percent) for percent in (50, 90, 99, 100)] == [2, 106, 908, 14330]
    assert [percentile(runs, percent) for percent in (50, 90, 99, 100)] == [616, 7764, 114715, 12537496]
    assert Counter(pod.phase for pod in ran) == {"Failed": 1870, "Succeeded": 192, "Running": 5193}
    shares = sum(pod.gpus * pod.gpu_milli * pod.ran for pod in ran)
    assert round(shares / WHOLE_GPU / 3600) == 51471
    as_recorded = from_changes(
        change for pod in ran for change in ((pod.created + pod.waited, pod.gpus), (pod.deleted, -pod.gpus))
    )
    assert max(value for _, value in as_recorded) == 71


def test_six_nodes_are_too_few_at_times_and_nothing_is_dropped_for_size(trace: Path) -> None:
    scenario = load_scenario("openb", assignments={"trace": str(trace), "nodes": "6"})
    assert [node.name for node in scenario.nodes()] == [
        f"openb-node-{number}" for number in ("0228", "0229", "0230", "0234", "0235", "0236")
    ]
    assert told(scenario)["pods replayed"] == 7255
    demand = from_changes(
        change
        for at_ns, pod in submissions(scenario)
        for change in ((at_ns, pod.chips), (at_ns + (pod.run_ns or 0), -pod.chips))
    )
    # 71 with the waits as recorded; without them pods overlap a little less.
    assert max(value for _, value in demand) == 70 > 6 * 8


def test_arrivals_span_the_months_that_they_did_and_less_when_sped_up(trace: Path) -> None:
    real = submissions(load_scenario("openb", assignments={"trace": str(trace)}))
    fast = submissions(load_scenario("openb", assignments={"trace": str(trace), "speedup": "230"}))
    span = real[-1][0] - real[0][0]
    assert round(span / DAY) == 149
    assert fast[-1][0] == span // 230
    assert [pod.run_ns for _, pod in real] == [pod.run_ns for _, pod in fast]
