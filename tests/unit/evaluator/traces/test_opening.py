"""Files are found and recognised; broken ones are an error with a place, or rows counted and skipped."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.errors import TraceError, UserError
from evaluator.traces.account import ImportReport
from evaluator.traces.facts import find_facts
from evaluator.traces.formats import FORMATS
from evaluator.traces.opening import open_trace
from evaluator.traces.preparing import Options, pool
from evaluator.traces.replay import replay

HEADERS = {
    "openb": "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time",
    "openb-nodes": "sn,cpu_milli,memory_mib,gpu,model",
    "alibaba-dlrm-2025": "instance_sn,role,app_name,cpu_request,gpu_request,memory_request,"
    "max_instance_per_node,creation_time,scheduled_time,deletion_time",
    "alibaba-spot-2026": "gpu_model,gpu_capacity_num,cpu_num,node_name",
    "philly": "timestamp,duration,num_gpus,gpu_time,cluster",
    "chronus": "job_id,user,num_gpu,submit_time,duration,expect_time_list,expect_value_list,best_effort,"
    "job_type",
    "ms-itp": "job_id,submission_time,num_gpu,duration,deadline,batch_size",
    "tiresias": "job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
    "lanl-failures": "System,nodenumz,Prob Started,Prob Fixed,Down Time,Facilities,Hardware,Human Error,"
    "Network,Undetermined,Software",
    "recorded": '{"format":"scheduler-evaluator-trace","version":1}',
    "infinitehbd-faults": "[",
    "csv": "id,submit,run,chips",
    "swf": "; Version: 2.2",
}
"""The first line of a file of each format."""

ROWS = {
    "openb": "a,1000,1024,1,460,G2|T4,LS,Failed,0,100,10",
    "openb-nodes": "n,64000,262144,8,G2",
    "alibaba-dlrm-2025": "i,HN,app,12,1,120.0,-1,1.5,2.0000000000000004,90",
    "alibaba-spot-2026": "A10,1,128,7",
    "philly": "2017-10-09 07:01:55,66.0,2,132.0,11cb48",
    "chronus": "0,u,1,5,96,159-189,10-8,0,soft",
    "ms-itp": "j,100,8,50,130,64",
    "tiresias": "0,1,0,606,vgg19,164,30",
    "lanl-failures": '2,0,6/21/2005 10:54,6/21/2005 11:00,6,,"Graphics, Accel",,,,',
    "recorded": '{"at":5,"event":"submitted","pod":"p","chips":1}\n{"at":6,"event":"started","pod":"p"}\n'
    '{"at":9,"event":"ended","pod":"p"}',
    "infinitehbd-faults": '{"node_id":"n","event_time":1.5,"event_type":"fault_start","fault_type":'
    '{"Level":"L","Class":"C","Desc":"D"}},\n{"node_id":"n","event_time":2,"event_type":"fault_end",'
    '"fault_type":{"Level":"L","Class":"C","Desc":"D"}}\n]',
    "csv": "a,0,10,1",
    "swf": "1 0 5 10 4 -1 -1 4 20 -1 1 1 1 -1 -1 -1 -1 -1",
}
"""A row of each, that is fine."""


def written(folder: Path, content: str | bytes) -> str:
    file = folder / "trace"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(file)


def complaint(folder: Path, content: str | bytes, **options: str) -> str:
    with pytest.raises(TraceError) as caught:
        find_facts(open_trace(written(folder, content), **options))  # type: ignore[arg-type]  # texts only
    return str(caught.value)


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("packed", [False, True])
def test_each_format_is_recognised_by_its_first_line(tmp_path: Path, name: str, packed: bool) -> None:
    content = f"{HEADERS[name]}\n{ROWS[name]}\n".encode()
    trace = open_trace(written(tmp_path, gzip.compress(content) if packed else content))
    assert trace.format == name
    facts = find_facts(trace)
    assert facts.jobs.jobs + facts.nodes.nodes + facts.outages.outages == 1
    assert sum(section.rows for section in facts.report.sections.values()) in (1, 2, 3)


def test_every_format_has_an_example_here() -> None:
    assert {known.name for known in FORMATS} == HEADERS.keys() == ROWS.keys()


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    assert ":1: no column sn" in complaint(tmp_path, "id,submit,run\na,0,1\n", format_name="openb-nodes")
    assert "'nonsense' is no format" in complaint(tmp_path, "id,submit,run\n", format_name="nonsense")


def test_what_is_not_recognised_says_what_to_do(tmp_path: Path) -> None:
    message = complaint(tmp_path, "when,who\n1,2\n")
    assert "not recognised by its first line, 'when,who'" in message
    assert "--map submit=COLUMN,run=COLUMN" in message


def test_a_missing_published_file_says_where_it_is_published(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="Parallel Workloads Archive") as caught:
        open_trace("swf/KTH-SP2-1996-2.1-cln.swf", environment={"EVALUATOR_TRACES": str(tmp_path)})
    assert "EVALUATOR_TRACES" in str(caught.value)
    with pytest.raises(TraceError, match=r"there is no trace 'mine\.csv'"):
        open_trace("mine.csv", environment={})


def test_a_trace_is_found_below_the_folder_of_traces_packed_or_not(tmp_path: Path) -> None:
    (tmp_path / "swf").mkdir()
    (tmp_path / "swf" / "log.swf.gz").write_bytes(gzip.compress(ROWS["swf"].encode()))
    trace = open_trace("swf/log.swf", environment={"EVALUATOR_TRACES": str(tmp_path)})
    assert len(list(trace.jobs(ImportReport()))) == 1


def test_nodes_and_outages_can_come_from_other_files(tmp_path: Path) -> None:
    files = {}
    for name in ("csv", "openb-nodes", "infinitehbd-faults"):
        files[name] = tmp_path / name
        files[name].write_text(f"{HEADERS[name]}\n{ROWS[name]}\n")
    facts = find_facts(
        open_trace(
            str(files["csv"]), nodes=str(files["openb-nodes"]), outages=str(files["infinitehbd-faults"])
        )
    )
    assert (facts.jobs.jobs, facts.nodes.chips, facts.outages.outages) == (1, 8, 1)
    assert any("of different clusters" in remark for remark in facts.report.remarks)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("openb", "a,x,1,1,1000,,LS,Failed,0,5,0", ":2: cpu_milli = 'x': not a whole number"),
        ("openb", "a,1,1,1,1000,,LS,Gone,0,5,0", ":2: pod_phase = 'Gone': not one of Pending"),
        ("philly", "2017-10-09,66.0,2,132.0,c", ":2: timestamp = '2017-10-09': not a time such as"),
        (
            "philly",
            "9999-12-31 23:59:59,66.0,2,132.0,c",
            ":2: timestamp = '9999-12-31 23:59:59': not between",
        ),
        ("philly", "2017-10-09 07:01:55,-66.0,2,132.0,c", ":2: duration = '-66.0': must lie between 0"),
        ("philly", "2017-10-09 07:01:55,nan,2,132.0,c", ":2: duration = 'nan': not a number"),
        ("philly", "2017-10-09 07:01:55,1e999999,2,132.0,c", ":2: duration = '1e999999': must lie between"),
        ("philly", "2017-10-09 07:01:55,1_0,2,132.0,c", ":2: duration = '1_0': not a number"),
        ("chronus", "0,u,1,5,96,159-189,10,0,soft", ":2: expect_value_list = '10': 1 values for 2 times"),
        ("chronus", "0,u,1,5,96,189-159,10-8,0,soft", ":2: expect_time_list = '189-159': does not rise"),
        ("chronus", "0,u,1,5,96,159-189,10-8,0,strict", ":2: expect_time_list = '159-189': a strict job"),
        ("chronus", "0,u,1,5,96,159,10,1,soft", ":2: best_effort = '1': does not go with job_type"),
        ("ms-itp", "j,100,8,50,130", ":2: 5 cells where there should be 6 columns"),
        (
            "lanl-failures",
            "2,0,6/21/2005 10:54,6/21/2005 10:00,6,,,,,,",
            ":2: Prob Fixed = '6/21/2005 10:00'",
        ),
        (
            "alibaba-dlrm-2025",
            "i,HN,a,12,1,120.0,-1,5,4,90",
            ":2: scheduled_time = '4': before creation_time",
        ),
        ("swf", "1 0 5 10 4 -1 -1 4 20 -1 1 1 1 -1 -1 -1 -1", ":2: 17 cells where there should be 18"),
        ("swf", "1 -5 5 10 4 -1 -1 4 20 -1 1 1 1 -1 -1 -1 -1 -1", ":2: submit = '-5': must lie between 0"),
        ("swf", "1 0 5 10 4 -1 -1 4 20 -1 9 1 1 -1 -1 -1 -1 -1", ":2: status = '9': not one of"),
        ("csv", "a,0,ten,1", ":2: run = 'ten': not a number"),
        ("csv", '"a,0,10,1', ":2: not CSV"),
        ("infinitehbd-faults", '{"node_id": "n"}]', ":2: an event without event_time"),
        ("infinitehbd-faults", "{", ":2: not JSON"),
        ("recorded", '{"at":1,"event":"submitted"}', ":2: pod = '': a name is needed"),
        ("recorded", "[1]", ":2: an event is an object, not list"),
        ("recorded", '{"at":1.5,"event":"job","job":"j","pods":2}', ":2: at = '1.5': not a whole number"),
    ],
)
def test_a_row_that_cannot_be_is_told_with_line_column_and_value(
    tmp_path: Path, name: str, row: str, message: str
) -> None:
    assert message in complaint(tmp_path, f"{HEADERS[name]}\n{row}\n")


@pytest.mark.parametrize("name", ["openb", "philly", "chronus", "ms-itp", "csv", "swf", "openb-nodes"])
def test_a_name_that_comes_twice_is_told_with_its_first_line(tmp_path: Path, name: str) -> None:
    content = f"{HEADERS[name]}\n{ROWS[name]}\n{ROWS[name]}\n"
    if name == "philly":  # which has no names
        assert len(list(open_trace(written(tmp_path, content)).jobs(ImportReport()))) == 2
    else:
        assert ":3: " in complaint(tmp_path, content)


def test_a_lenient_reading_counts_and_skips(tmp_path: Path) -> None:
    content = b"id,submit,run,chips\na,0,10,1\nb,x,10,1\nc,1,-1,1\n\xff\n" + b"y" * 100_000 + b"\nd,2,10,1\n"
    facts = find_facts(open_trace(written(tmp_path, content), lenient=True))
    section = facts.report.sections["jobs"]
    assert (section.rows, section.kept) == (6, 2)
    assert section.dropped == {"unreadable submit": 1, "unreadable run": 1, "unreadable line": 2}
    assert any("submit = 'x': not a number" in remark for remark in facts.report.remarks)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("submit", "write field=column"),
        ("submit=a,run=b:parsec", "run has the units ns, us"),
        ("colour=a", "write field=column"),
        ("submit=a,submit=b", "submit is there twice"),
        ("run=a", "submit is needed, and run or end"),
        ("submit=nowhere,run=run", ":1: no column nowhere"),
    ],
)
def test_a_mapping_that_is_none_says_what_it_should_be(tmp_path: Path, mapping: str, message: str) -> None:
    assert message in complaint(tmp_path, "id,submit,run,chips\na,0,1,1\n", mapping=mapping)


def test_a_mapping_names_columns_and_units(tmp_path: Path) -> None:
    content = (
        "who,created,ended,minutes,gpus,mem,due,kind\n"
        "ann,2026-01-05T00:00:00Z,2026-01-05T02:00:00Z,60,2,4,2026-01-05T05:00:00Z,A|B\n"
    )
    mapping = (
        "submit=created:rfc3339,end=ended:rfc3339,wait=minutes:min,chips=gpus,memory=mem:Gi,user=who,"
        "deadline=due:rfc3339,type=kind"
    )
    (job,) = open_trace(written(tmp_path, content), mapping=mapping).jobs(ImportReport())
    hour = 3600 * 10**9
    assert (job.run_ns, job.wait_ns, job.deadline_ns) == (hour, hour, 5 * hour)
    assert (job.chips, job.memory_bytes, job.user, job.chip_types) == (2, 4 * 2**30, "ann", ("A", "B"))


cells = st.one_of(
    st.sampled_from(["", "-1", "0", "1", "1e9", "nan", '"', "a,b", "\x00", "9" * 50, "2017-10-09 07:01:55"]),
    st.text(max_size=12),
)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_content_whatever_gives_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from([*HEADERS, ""]))
    body = data.draw(
        st.one_of(
            st.binary(max_size=300),
            st.lists(cells, max_size=20).map(lambda row: ",".join(row).encode()),
            st.lists(cells, max_size=20).map(lambda row: " ".join(row).encode()),
            _damaged(ROWS.get(name, "")),
        )
    )
    file = tmp_path_factory.mktemp("fuzz") / "trace"
    content = HEADERS.get(name, "").encode() + b"\n" + body
    file.write_bytes(
        gzip.compress(content)[: data.draw(st.integers(1, 400))] if data.draw(st.booleans()) else content
    )
    for lenient in (False, True):
        try:
            trace = open_trace(str(file), lenient=lenient)
            find_facts(trace).report.check()
            list(replay(trace, Options(), nodes=pool(64, 8)))
        except UserError:
            continue  # said in a message, not by a traceback


def _damaged(row: str) -> st.SearchStrategy[bytes]:
    """A good row with one character replaced."""
    content = row.encode() or b"x"
    return st.tuples(st.integers(0, len(content) - 1), st.binary(max_size=3)).map(
        lambda change: content[: change[0]] + change[1] + content[change[0] + 1 :]
    )
