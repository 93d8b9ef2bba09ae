"""The published traces hold what is known of them: rows, percentiles, peaks, oddities."""

from collections.abc import Mapping
from typing import Any

import pytest

from evaluator.traces.account import ImportReport
from evaluator.traces.facts import find_facts
from evaluator.traces.formats import dlrm, lanl
from evaluator.traces.opening import open_trace
from tests.support.traces import trace_file


def read(name: str) -> Mapping[str, Any]:
    return find_facts(open_trace(str(trace_file(name)))).document()


def rows(document: Mapping[str, Any], noun: str) -> Any:
    return document["import"]["rows"][noun]


def times(p50: float, p90: float, p99: float, greatest: float) -> dict[str, float]:
    return {"p50": p50, "p90": p90, "p99": p99, "max": greatest}


def test_openb() -> None:
    document = read("openb/openb_pod_list_default.csv")
    account, jobs = rows(document, "jobs"), document["jobs"]
    assert (account["rows"], account["kept"]) == (8152, 7255)
    assert list(account["dropped"].values()) == [897]
    assert account["noted"] == {
        "still there when the trace ends; its run time ends with it": 34,
        "asks for no memory": 1,
    }
    assert jobs["run_seconds"] == times(616, 7764, 114_715, 12_537_496)
    assert jobs["wait_seconds"] == times(2, 106, 908, 14_330)
    assert jobs["outcomes"] == {"Failed": 1870, "Succeeded": 192, "Running": 5193}
    assert round(jobs["chip_hours_by_share"]) == 51_471
    assert jobs["peak_as_recorded"] == 71
    assert jobs["busiest_hour"] == 56


def test_openb_of_certain_chip_types() -> None:
    account = rows(read("openb/openb_pod_list_gpuspec33.csv"), "jobs")
    assert account["changed"]["names a chip type more than once"] == 24  # of 25: one was never scheduled


def test_openb_without_times() -> None:
    document = read("openb/openb_pod_list_multigpu50.csv")
    account = rows(document, "jobs")
    assert (account["kept"], list(account["invented"].values())) == (9061, [9061])
    assert account["changed"]["asks for a share of one chip, rounded up to a whole one"] == 3078
    assert document["jobs"]["without_end"] == 9061


@pytest.mark.parametrize(("name", "nodes"), [("all", 1523), ("gpu", 1213)])
def test_openb_nodes(name: str, nodes: int) -> None:
    known = read(f"openb/openb_node_list_{name}_node.csv")["nodes"]
    assert (known["nodes"], known["chips"]) == (nodes, 6212)
    assert known["chips_by_type"] == {
        "G2": 4392, "T4": 842, "G3": 312, "P100": 265, "V100M32": 204, "V100M16": 195, "A10": 2,
    }  # fmt: skip
    assert {size: number for size, number in known["nodes_by_chips"].items() if size != "0"} == {
        "1": 24, "2": 518, "4": 54, "8": 617,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "jobs", "infeasible", "run", "hours", "offered", "at_once", "busiest"),
    [
        ("cluster04.csv.gz", 15_802, 7942, times(7949, 29_003, 257_715, 1_237_189), 705_683, 495, 2025, 385),
        ("cluster07.csv", 12_699, 6300, times(7399, 55_278, 394_793, 1_102_827), 366_800, 257, 1903, 454),
        ("195job.csv", 195, 92, times(15_625, 44_311, 185_738, 832_399), 5490, 115, 184, 33),
    ],
)
def test_ms_itp(
    name: str,
    jobs: int,
    infeasible: int,
    run: dict[str, float],
    hours: int,
    offered: int,
    at_once: int,
    busiest: int,
) -> None:
    document = read(f"ms-itp/{name}")
    known = document["jobs"]
    assert (known["jobs"], known["peak_at_once"], known["busiest_hour"]) == (jobs, at_once, busiest)
    assert known["run_seconds"] == run
    assert (round(known["chip_hours"]), round(known["offered_chips"])) == (hours, offered)
    assert rows(document, "jobs")["noted"] == {"its deadline lies before submission + run time": infeasible}


def test_philly() -> None:
    document = read("philly/philly.csv.gz")
    account, known = rows(document, "jobs"), document["jobs"]
    assert account["rows"] == account["kept"] == 82_247
    assert account["changed"] == {"comes after a later one in the file; sorted by time": 44_878}
    assert account["noted"] == {"the same as an earlier row in every column": 65}
    assert known["run_seconds"] == times(1144, 11_266, 254_884, 4_628_226)
    assert (round(known["chip_hours"]), round(known["offered_chips"])) == (978_078, 374)
    assert (known["peak_at_once"], known["busiest_hour"], known["queues"]) == (1243, 1031, 15)
    assert round(known["gap_variation"]) == 15


@pytest.mark.parametrize(
    ("name", "no_chips", "best", "run", "offered", "at_once", "busiest"),
    [
        ("SLO", 205, 0, (60, 675, 3222, 4317), 1097, 1840, 982),
        ("MIX2", 194, 3139, (60, 692, 3249, 4317), 1128, 1917, 973),
    ],
)
def test_chronus(
    name: str, no_chips: int, best: int, run: tuple[int, ...], offered: int, at_once: int, busiest: int
) -> None:
    document = read(f"chronus/trace_job_Philly_{name}.csv.gz")
    account, known = rows(document, "jobs"), document["jobs"]
    assert (account["kept"], account["noted"]) == (30_940, {"asks for no chips": no_chips})
    assert known["best_effort"] == best
    assert list(known["run_seconds"].values()) == [minutes * 60 for minutes in run]
    assert (round(known["offered_chips"]), known["peak_at_once"]) == (offered, at_once)
    assert (known["busiest_hour"], known["users"]) == (busiest, 11)
    assert round(known["deadline_factor"]["p50"], 2) == 1.97
    assert known["deadline_factor"]["max"] == 5.0


def test_chronus_best_effort_has_no_deadline_and_soft_ones_have_four_steps() -> None:
    trace = open_trace(str(trace_file("chronus/trace_job_Philly_MIX2.csv.gz")))
    jobs = list(trace.jobs(ImportReport()))
    soft = [job for job in jobs if job.soft_deadlines]
    assert len(soft) == 18_525
    assert {tuple(step.value for step in job.soft_deadlines) for job in soft} == {(10, 8, 5, 2)}
    assert sum(job.deadline_ns is not None and not job.soft_deadlines for job in jobs) == 9276
    assert all(job.deadline_ns is None for job in jobs if job.best_effort)


def test_kth_sp2() -> None:
    document = read("swf/KTH-SP2-1996-2.1-cln.swf.gz")
    account, known = rows(document, "jobs"), document["jobs"]
    assert account["rows"] == 28_476
    assert account["dropped"] == {"ran for no time at all": 8, "number of processors unknown": 1}
    assert account["noted"] == {"ran longer than its user asked for": 475}
    assert known["capacity_chips"] == 100
    assert round(known["offered_load"], 2) == 0.70
    assert (known["peak_as_recorded"], known["peak_at_once"], known["busiest_hour"]) == (104, 943, 66)
    assert list(known["wait_seconds"].values()) == [300, 36_300, 258_600, 980_040]
    assert round(known["estimate_factor"]["p50"], 1) == 2.4
    assert document["facts"]["Acknowledge"] == "Lars Malinowsky"


def test_nasa_whose_submissions_are_starts() -> None:
    document = read("swf/NASA-iPSC-1993-3.1-cln.swf.gz")
    account, known = rows(document, "jobs"), document["jobs"]
    assert (account["rows"], account["dropped"]) == (18_239, {"ran for no time at all": 173})
    assert account["noted"] == {"wait unknown: its submission may really be its start": 18_066}
    assert any("really starts" in remark for remark in document["import"]["remarks"])
    assert (known["capacity_chips"], known["peak_at_once"], known["busiest_hour"]) == (128, 176, 84)
    assert round(known["offered_load"], 2) == 0.47


def test_dlrm() -> None:
    document = read("alibaba-dlrm-2025/disaggregated_DLRM_trace.csv.gz")
    account, known = rows(document, "jobs"), document["jobs"]
    assert account["rows"] == 23_871
    assert account["changed"]["a time with a fraction below a microsecond, rounded"] == 7902
    assert account["invented"] == {dlrm.ALWAYS_THERE: 4677, dlrm.NO_END: 4201, dlrm.THERE_BEFORE: 2603}
    assert known["peak_as_recorded"] == 3412
    assert (known["services"], known["jobs"]) == (account["kept"], account["kept"])


def test_spot_nodes() -> None:
    known = read("alibaba-spot-2026/node_info_df.csv")["nodes"]
    assert (known["nodes"], known["chips"], known["cores"]) == (4278, 10_412, 632_636)
    assert known["chips_by_type"]["A100-SXM4-80GB"] == 432 * 8
    assert known["chips_by_type"]["GPU-series-1"] == 902 + 10 * 4 + 77 * 8


def test_infinitehbd() -> None:
    document = read("infinitehbd-faults/fault_trace.json")
    account, known = rows(document, "outages"), document["outages"]
    assert (account["rows"], account["kept"]) == (1168, 1168)
    assert account["noted"] == {"lasts no time": 14}
    assert (known["outages"], known["nodes"], known["peak_down"]) == (582, 231, 35)
    hours = {name: seconds / 3600 for name, seconds in known["length_seconds"].items()}
    assert [round(hours[name], 1) for name in ("p50", "p90", "p99", "max")] == [20.4, 312.2, 2041.7, 3143.1]


def test_lanl() -> None:
    document = read("lanl-failures/LA-UR-05-7318-failure-data-1996-2005.csv.gz")
    account, known = rows(document, "outages"), document["outages"]
    assert (account["rows"], account["dropped"]) == (23_739, {"names no node": 126})
    assert account["changed"]["comes after a later one in the file; sorted by time"] == 2942
    assert account["noted"]["names no cause"] == 453
    assert account["noted"]["its Down Time is 0"] == 187
    assert account["noted"]["lasts no time"] == 122
    assert account["changed"][lanl.CLOCK_CHANGE] == 24
    assert known["nodes"] == 3576


def test_tiresias() -> None:
    known = read("tiresias/60_job.csv")["jobs"]
    assert (known["jobs"], known["peak_at_once"], known["span_seconds"]) == (60, 26, 1779)
    assert known["run_seconds"] == times(125, 209, 1800, 1800)
