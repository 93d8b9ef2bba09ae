"""The log of a run: in order, canonical in its bytes, and read back only if it follows its schema."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import FileFormatError
from evaluator.timeline import (
    KINDS,
    Event,
    NodeAdded,
    NodeChanged,
    NodeRemoved,
    PodBound,
    PodEnded,
    PodStarted,
    PodSubmitted,
    PodUnschedulable,
    RunEnded,
    RunStarted,
    Timeline,
    read_timeline,
    to_line,
)
from evaluator.timeline import events as module

START = RunStarted(scenario="s", scenario_digest="d", scheduler="lst", seed=7, start="2026-01-05T00:00:00Z")
END = RunEnded(at_ns=9, why="done", pending=0, running=0)


def test_a_line_has_fixed_keys_in_a_fixed_order_and_no_blanks() -> None:
    assert to_line(PodBound(at_ns=5, pod="default/a", node="n")) == (
        b'{"at_ns":5,"kind":"pod_bound","pod":"default/a","node":"n"}\n'
    )
    assert to_line(START) == (
        b'{"at_ns":0,"kind":"run_started","schema":2,"scenario":"s","scenario_digest":"d","scheduler":"lst",'
        b'"seed":7,"start":"2026-01-05T00:00:00Z"}\n'
    )


def test_every_kind_is_documented() -> None:
    assert module.__doc__ is not None
    assert all(f"``{kind}``" in module.__doc__ for kind in KINDS)
    assert len(KINDS) == 16


def test_time_does_not_go_back() -> None:
    timeline = Timeline([START, PodBound(at_ns=5, pod="a", node="n")])
    timeline.append(PodStarted(at_ns=5, pod="a", node="n"))
    with pytest.raises(ValueError, match="pod_started at 4 ns comes after pod_started at 5 ns"):
        timeline.append(PodStarted(at_ns=4, pod="a", node="n"))
    assert len(timeline) == 3


def test_nothing_follows_the_end() -> None:
    timeline = Timeline([START, END])
    with pytest.raises(ValueError, match="comes after the end of the run"):
        timeline.append(NodeRemoved(at_ns=9, node="n"))


def test_it_reads_like_a_sequence() -> None:
    timeline = Timeline([START, END])
    assert list(timeline) == [START, END]
    assert (timeline[0], timeline.end_ns, Timeline().end_ns) == (START, 9, 0)
    assert timeline == Timeline([START, END])
    assert timeline != Timeline([START])
    assert timeline != [START, END]


names = st.text(min_size=1, max_size=8)
counts = st.integers(0, 2**62)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        at_ns=counts,
        scenario=names,
        scenario_digest=names,
        scheduler=names,
        start=names,
        seed=counts,
    ),
    st.builds(
        NodeAdded,
        at_ns=counts,
        node=names,
        chips=counts,
        chip_type=st.none() | names,
        cpu_milli=counts,
        memory_bytes=counts,
    ),
    st.builds(
        NodeChanged,
        at_ns=counts,
        node=names,
        chips=counts,
        cpu_milli=counts,
        memory_bytes=counts,
        ready=st.booleans(),
        schedulable=st.booleans(),
    ),
    st.builds(NodeRemoved, at_ns=counts, node=names),
    st.builds(
        PodSubmitted,
        at_ns=counts,
        pod=names,
        chips=counts,
        cpu_milli=counts,
        memory_bytes=counts,
        priority=st.integers(-(2**31), 2**31),
        deadline_ns=st.none() | st.integers(-(2**62), 2**62),
        expected_ns=st.none() | counts,
        run_ns=st.none() | counts,
        user=st.none() | names,
        queue=st.none() | names,
        scheduler=names,
    ),
    st.builds(PodUnschedulable, at_ns=counts, pod=names, message=st.text(max_size=20)),
    st.builds(PodBound, at_ns=counts, pod=names, node=names),
    st.builds(PodStarted, at_ns=counts, pod=names, node=names),
    st.builds(
        PodEnded,
        at_ns=counts,
        pod=names,
        node=st.none() | names,
        outcome=st.sampled_from(["succeeded", "failed", "evicted", "deleted"]),
        reason=st.text(max_size=20),
    ),
)


@given(st.lists(events, min_size=1, max_size=8))
def test_a_timeline_survives_its_file(
    tmp_path_factory: pytest.TempPathFactory, happened: list[Event]
) -> None:
    timeline = Timeline(sorted(happened, key=lambda event: event.at_ns))
    file = tmp_path_factory.mktemp("timeline") / "timeline.jsonl"
    timeline.write(file)
    again = read_timeline(file)
    assert again == timeline
    assert again.digest() == timeline.digest()
    assert file.read_bytes() == b"".join(timeline.lines())


def test_the_digest_tells_runs_apart() -> None:
    assert Timeline([START, END]).digest() != Timeline([START]).digest()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        pytest.param(b"{", "Invalid JSON", id="cut short"),
        pytest.param(b"3\n", "should be an object", id="not an object"),
        pytest.param(b'{"at_ns":5,"kind":"pod_teleported"}\n', "kind|union_tag|tag", id="unknown kind"),
        pytest.param(b'{"at_ns":5,"kind":"node_removed"}\n', "node: required", id="field missing"),
        pytest.param(
            b'{"at_ns":5,"kind":"node_removed","node":"n","x":1}\n',
            "x: there is no such field",
            id="unknown field",
        ),
        pytest.param(
            b'{"at_ns":"5","kind":"node_removed","node":"n"}\n', "at_ns = '5'", id="text for number"
        ),
        pytest.param(b'{"at_ns":-5,"kind":"node_removed","node":"n"}\n', "at_ns = -5", id="negative time"),
        pytest.param(b"\xff\n", "Invalid JSON|UTF-8|utf-8", id="not UTF-8"),
    ],
)
def test_a_broken_line_is_told_with_its_number(tmp_path: Path, line: bytes, complaint: str) -> None:
    file = tmp_path / "timeline.jsonl"
    file.write_bytes(to_line(START) + line)
    with pytest.raises(FileFormatError, match=complaint) as caught:
        read_timeline(file)
    assert caught.value.where == f"{file}:2"


def test_lines_out_of_order_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "timeline.jsonl"
    file.write_bytes(to_line(NodeRemoved(at_ns=5, node="n")) + to_line(NodeRemoved(at_ns=4, node="n")))
    with pytest.raises(FileFormatError, match=r"timeline.jsonl:2: node_removed at 4 ns"):
        read_timeline(file)


def test_an_empty_or_missing_timeline_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(FileFormatError, match="the timeline is empty"):
        read_timeline(tmp_path / "empty.jsonl")
    with pytest.raises(FileFormatError, match="No such file"):
        read_timeline(tmp_path / "missing.jsonl")
