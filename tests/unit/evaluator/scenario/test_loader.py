"""Scenario files: found, asked for their items, and blamed by their own file and line."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from evaluator.errors import ParameterError, ScenarioError, UserError
from evaluator.exits import ExitCode
from evaluator.scenario import Manifest, Node, Pod, PriorityClass
from evaluator.scenario.loader import available_scenarios, find_scenario, load_scenario, parameters_of
from fakeapi.kernel.time import HOUR, MINUTE

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a scenario whose body follows the import of the vocabulary on line 1."""

    def write_scenario(body: str) -> Path:
        file = tmp_path / "story.py"
        file.write_text("from evaluator.scenario import *\n" + dedent(body).lstrip("\n"))
        return file

    return write_scenario


def refusal(file: Path) -> UserError:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    return caught.value


def test_items_arrive_in_the_order_of_time_and_then_of_need(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                s.settings(title="a story", until="1d")
                s.pod("second", at="1h", run_time="1m")
                s.pod("first", run_time="1m", priority_class="high")
                s.nodes("n", count=2, chips=8)
                s.priority_class("high", value=10)
                s.delete("second", at="1h")
            """
        )
    )
    assert [(each.at_ns, type(each.item).__name__) for each in loaded.arrivals] == [
        (0, "PriorityClass"),
        (0, "Node"),
        (0, "Node"),
        (0, "Pod"),
        (HOUR, "Pod"),
        (HOUR, "Delete"),
    ]
    assert [each.number for each in loaded.arrivals] == [0, 1, 2, 3, 4, 5]
    assert (loaded.name, loaded.settings.title, loaded.until_ns) == ("story", "a story", 24 * HOUR)
    assert [pod.name for pod in loaded.pods()] == ["first", "second"]
    assert [node.name for node in loaded.nodes()] == ["n-0", "n-1"]


def test_equal_instants_keep_the_order_of_the_file(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                for name in ("c", "a", "b"):
                    s.pod(name, at="1m", run_time="1m")
            """
        )
    )
    assert [pod.name for pod in loaded.pods()] == ["c", "a", "b"]


def test_an_arrival_becomes_the_object_that_is_created(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                s.nodes("n", count=1)
                s.pod("p", at="1m", run_time="1m", deadline="1h")
                s.priority_class("high", value=10)
                s.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}})
                s.delete("p", at="2m")
            """
        )
    )
    made = [loaded.manifest(each, scheduler_name="lst") for each in loaded.arrivals]
    assert [each and each["kind"] for each in made] == ["PriorityClass", "ConfigMap", "Node", "Pod", None]
    pod = made[3]
    assert pod is not None
    assert pod["metadata"]["annotations"]["lst.scheduler/deadline"] == "2026-01-05T01:01:00Z"


def test_what_others_need_need_not_be_written_down(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                s.pod("a", namespace="team", priority=5, run_time="1m")
                s.pod("b", namespace="team", priority=5, run_time="1m")
                s.pod("c", namespace="own", run_time="1m")
                s.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own"}})
            """
        )
    )
    items = [each.item for each in loaded.arrivals]
    assert [(each.name, each.value) for each in items if isinstance(each, PriorityClass)] == [
        ("scenario-priority-5", 5)
    ]
    namespaces = [each.object["metadata"]["name"] for each in items if isinstance(each, Manifest)]
    assert namespaces == ["team", "own"]


def test_one_seed_gives_one_scenario_and_another_seed_another(write: Write) -> None:
    file = write(
        """
        def scenario(s, rng):
            for number in range(5):
                s.pod(f"p-{number}", at=minutes(rng.stream("at").random()), run_time="1m")
        """
    )
    digests = [load_scenario(file, seed=seed).digest for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_tells_workloads_apart_and_not_their_titles(write: Write) -> None:
    def digest(title: str, chips: int) -> str:
        body = f"""
            def scenario(s, rng):
                s.settings(title={title!r})
                s.pod("a", chips={chips}, run_time="1m")
            """
        return load_scenario(write(body)).digest

    assert digest("one", 1) == digest("two", 1) != digest("one", 2)


def test_parameters_are_typed_and_described(write: Write) -> None:
    file = write(
        """
        from typing import Literal

        class Parameters(ScenarioParameters):
            jobs: int = 2
            shape: Literal["small", "large"] = "small"

        def scenario(s, rng):
            for number in range(s.params.jobs):
                s.pod(f"{s.params.shape}-{number}", run_time="1m")
        """
    )
    loaded = load_scenario(file, assignments={"jobs": "3", "shape": "large"})
    assert [pod.name for pod in loaded.pods()] == ["large-0", "large-1", "large-2"]
    assert loaded.parameters.model_dump() == {"jobs": 3, "shape": "large"}
    assert list(parameters_of(file).model_fields) == ["jobs", "shape"]

    with pytest.raises(ParameterError, match="has no parameter 'job'; did you mean jobs") as unknown:
        load_scenario(file, assignments={"job": "3"})
    assert unknown.value.where == "--set job=3"
    assert "jobs (int, default 2)" in str(unknown.value)
    with pytest.raises(ParameterError, match="jobs = 'many': Input should be a valid integer"):
        load_scenario(file, assignments={"jobs": "many"})
    with pytest.raises(ParameterError, match="'small' or 'large'"):
        load_scenario(file, assignments={"shape": "huge"})


def test_a_scenario_without_parameters_takes_none(write: Write) -> None:
    file = write("def scenario(s, rng):\n    s.pod('a', run_time='1m')\n")
    with pytest.raises(ParameterError, match=r"This scenario has no parameters\.") as caught:
        load_scenario(file, assignments={"a": "b"})
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("body", "line", "what"),
    [
        pytest.param("x = 1\n", None, "no function named scenario", id="no function"),
        pytest.param("def scenario():\n    pass\n", 2, "a function of two arguments", id="no arguments"),
        pytest.param("def scenario(s, rng):\n    pass\n", 2, "empty", id="nothing said"),
        pytest.param("def scenario(s, rng):\n    return []\n", 2, "got [] (list)", id="list returned"),
        pytest.param("def scenario(s, rng):\n    return 'pods'\n", 2, "got 'pods' (str)", id="text"),
        pytest.param("def scenario(s, rng):\n    return Pod(name='a')\n", 2, "(Pod)", id="one item"),
        pytest.param("def scenario(s, rng):\n    s.pod('a')\n    yield 3\n", 2, "(generator)", id="yield"),
        pytest.param("def scenario(s, rng)\n    pass\n", 2, "not Python", id="syntax"),
        pytest.param("import nothing_of_that_name\n", 2, "ModuleNotFoundError", id="import"),
        pytest.param("def scenario(s, rng):\n    1 / 0\n", 3, "ZeroDivisionError", id="exception"),
        pytest.param("raise SystemExit(3)\n", 2, "SystemExit: 3", id="exit"),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a', run_time=90)\n",
            3,
            "Pod: run_time = 90: a number without a unit",
            id="field",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a')\n    s.pod('a')\n",
            4,
            "a second pod named 'default/a'",
            id="pod twice",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.node('n-1')\n    s.nodes('n', count=2)\n",
            4,
            "a second node named 'n-1'",
            id="node twice",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a', at='2026-01-04T23:00:00Z')\n",
            3,
            "pod default/a arrives 1h before the run starts",
            id="past",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a', priority_class='high')\n",
            3,
            "the priority class 'high', which nothing defines",
            id="unknown class",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a')\n    s.delete('b', at='1m')\n",
            4,
            "s.delete names pod default/b, which nothing submits",
            id="unknown pod",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.pod('a', at='2m')\n    s.delete('a', at='1m')\n",
            4,
            "deleted 1m before it is submitted",
            id="deleted first",
        ),
        pytest.param(
            "def scenario(s, rng):\n    s.settings()\n    s.settings()\n",
            4,
            "a second s.settings",
            id="settings",
        ),
        pytest.param(
            "Parameters = 3\ndef scenario(s, rng):\n    pass\n", None, "Parameters is 3", id="parameters"
        ),
    ],
)
def test_a_mistake_is_told_with_file_and_line(write: Write, body: str, line: int | None, what: str) -> None:
    file = write(body)
    error = refusal(file)
    assert what in error.what
    assert error.where == (str(file) if line is None else f"{file}:{line}")
    assert error.exit_code is ExitCode.USAGE


def test_an_exception_is_shown_with_the_lines_of_the_scenario_and_no_others(write: Write) -> None:
    file = write(
        """
        def share(total, people):
            return total / people

        def jobs(s):
            s.pod("a", run_time=minutes(share(1, 0)))

        def scenario(s, rng):
            jobs(s)
        """
    )
    error = refusal(file)
    assert error.where == f"{file}:3"
    assert error.next_step is not None
    assert [line.split(" in ")[1] for line in error.next_step.splitlines()] == [
        "scenario: jobs(s)",
        'jobs: s.pod("a", run_time=minutes(share(1, 0)))',
        "share: return total / people",
    ]


def test_the_line_of_an_item_is_found_in_a_function_of_the_file(write: Write) -> None:
    file = write(
        """
        def more(s):
            s.pod("a")
            s.pod("a")

        def scenario(s, rng):
            more(s)
        """
    )
    error = refusal(file)
    assert error.where == f"{file}:4"
    assert error.next_step == f"Names are unique; the first is at {file}:3."


def test_items_after_the_end_are_counted_and_said(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                s.settings(until="1h")
                s.note("story", text="a remark")
                s.pod("a", at="2h", run_time="1m")
            """
        )
    )
    assert [(note.topic, note.count) for note in loaded.notes] == [("story", None), ("scenario", 1)]


def test_pods_of_controllers_may_be_deleted_by_names_that_nobody_submits(write: Write) -> None:
    loaded = load_scenario(
        write(
            """
            def scenario(s, rng):
                s.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}})
                s.delete("j-xyz", at="1m")
            """
        )
    )
    assert loaded.arrivals[-1].at_ns == MINUTE


def test_a_bug_of_ours_is_not_blamed_on_the_scenario(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write("def scenario(s, rng):\n    s.pod('a')\n")
    monkeypatch.setattr("evaluator.scenario.loader.assemble", None)
    with pytest.raises(TypeError, match="not callable"):
        load_scenario(file)


def test_scenarios_are_found_by_path_and_by_name(tmp_path: Path) -> None:
    assert {"quickstart", "openb"} <= set(available_scenarios())
    assert find_scenario("quickstart").name == "quickstart.py"
    with pytest.raises(ScenarioError, match="there is no scenario 'quikstart'\nDid you mean quickstart"):
        find_scenario("quikstart")
    with pytest.raises(ScenarioError, match="there is no scenario"):
        find_scenario(str(tmp_path / "missing.py"))


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "story.py"
    file.write_bytes(b"\xff\xfe\x00")
    assert "not Python" in refusal(file).what or "SyntaxError" in refusal(file).what
    file.write_bytes(b"#" * 1_000_001)
    assert "larger than 1,000,000 bytes" in refusal(file).what


def test_dataclasses_and_annotations_work_in_a_scenario(write: Write) -> None:
    file = write(
        """
        from dataclasses import dataclass

        @dataclass
        class Team:
            name: str

        def scenario(s, rng):
            s.pod(Team("a").name, run_time="1m")
        """
    )
    assert [pod.name for pod in load_scenario(file).pods()] == ["a"]


def test_nodes_may_join_later(write: Write) -> None:
    loaded = load_scenario(write("def scenario(s, rng):\n    s.node('late', at='1h')\n"))
    (arrival,) = loaded.arrivals
    assert isinstance(arrival.item, Node)
    manifest = loaded.manifest(arrival, scheduler_name="lst")
    assert manifest is not None
    assert manifest["status"]["conditions"][0]["lastHeartbeatTime"] == "2026-01-05T01:00:00Z"


def test_pods_are_pods(write: Write) -> None:
    loaded = load_scenario(write("def scenario(s, rng):\n    s.pod('a')\n"))
    assert isinstance(loaded.arrivals[0].item, Pod)
