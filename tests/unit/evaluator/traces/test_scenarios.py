"""A scenario as a trace: what pods and nodes say comes across, in nanoseconds."""

from pathlib import Path

from evaluator.scenario.loader import load_scenario
from evaluator.traces.account import ImportReport
from evaluator.traces.facts import find_facts
from evaluator.traces.model import TraceJob, TraceNode
from evaluator.traces.scenarios import as_trace
from fakeapi.kernel.time import HOUR, MINUTE

SOURCE = """
from evaluator.scenario import Rng, Scenario, ScenarioParameters

def scenario(s: Scenario[ScenarioParameters], rng: Rng) -> None:
    s.settings(title="Two jobs")
    s.node("n", at="5m", chips=8, chip_type="A100", cpu=16, memory="64Gi")
    s.pod("b", at="10m", chips=4, cpu=2, memory="1Gi", run_time="1h", deadline="3h", expected="2h",
          user="ann", queue="q", node_selector={"nvidia.com/gpu.product": "A100"})
    s.pod("a", chips=1, cpu=1, memory="1Gi")
    s.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "default"}})
"""
GIBI = 2**30


def test_pods_and_nodes_come_across(tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text(SOURCE)
    trace = as_trace(load_scenario(file, seed=7))
    assert (trace.title, trace.format) == ("Two jobs", "scenario told, seed 7")
    forever, job = trace.jobs(ImportReport())
    assert job == TraceJob(
        id="default/b",
        submit_ns=10 * MINUTE,
        run_ns=HOUR,
        chips=4,
        cpu_milli=2000,
        memory_bytes=GIBI,
        chip_types=("A100",),
        user="ann",
        queue="q",
        deadline_ns=3 * HOUR,
        estimate_ns=2 * HOUR,
    )
    assert (forever.id, forever.run_ns, forever.service) == ("default/a", None, True)
    assert list(trace.nodes(ImportReport())) == [
        TraceNode(
            "n", chips=8, chip_type="A100", cpu_milli=16_000, memory_bytes=64 * GIBI, since_ns=5 * MINUTE
        )
    ]


def test_its_figures_are_found_like_a_trace_s(tmp_path: Path) -> None:
    file = tmp_path / "told.py"
    file.write_text(SOURCE)
    facts = find_facts(as_trace(load_scenario(file)))
    assert facts.capacity == 8
    assert facts.jobs.chip_ns == 4 * HOUR
    assert facts.jobs.without_end == 1
