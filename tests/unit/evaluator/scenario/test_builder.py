"""What ``s`` takes in: checked, placed, and the same items that the models make themselves."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evaluator.errors import ScenarioError
from evaluator.scenario import (
    Delete,
    Failures,
    Fault,
    Job,
    Manifest,
    Node,
    NodePool,
    Note,
    Outage,
    Pod,
    PriorityClass,
    Scenario,
    ScenarioItem,
    ScenarioParameters,
    Settings,
    minutes,
)
from evaluator.scenario.measures import deadlines_missed

HERE = Path(__file__)
CONFIG_MAPS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
---
"""


def story(*, limit: int = 100) -> Scenario[ScenarioParameters]:
    return Scenario(ScenarioParameters(), HERE, limit=limit)


@pytest.mark.parametrize(
    ("method", "model"),
    [
        (Scenario.settings, Settings),
        (Scenario.node, Node),
        (Scenario.nodes, NodePool),
        (Scenario.pod, Pod),
        (Scenario.job, Job),
        (Scenario.failures, Failures),
        (Scenario.priority_class, PriorityClass),
        (Scenario.delete, Delete),
        (Scenario.note, Note),
    ],
)
def test_every_field_of_an_item_can_be_said(method: Callable[..., Any], model: type[Pod]) -> None:
    assert set(inspect.signature(method).parameters) - {"self"} == set(model.model_fields)


def test_what_is_left_out_is_what_the_models_leave_out() -> None:
    s = story()
    assert s.settings() == Settings()
    assert s.node("n") == Node(name="n")
    assert s.nodes("p", count=2) == NodePool(name="p", count=2)
    assert s.pod("a") == Pod(name="a")
    assert s.priority_class("high", value=0) == PriorityClass(name="high", value=0)
    assert s.delete("a", at="1m") == Delete(pod="a", at="1m")
    assert s.note("topic", "text") == Note(topic="topic", text="text")


def test_what_is_said_arrives() -> None:
    pod = story().pod("a", at=minutes(3), chips=2, run_time="1.5h", exit_code=1, labels={"x": "y"})
    assert pod == Pod(name="a", at="3m", chips=2, run_time="90m", exit_code=1, labels={"x": "y"})


def test_an_item_is_placed_at_the_line_that_says_it() -> None:
    s = story()
    s.pod("a")
    line = inspect.currentframe()
    assert line is not None
    assert s.placed[0].where == f"{HERE}:{line.f_lineno - 3}"


def test_manifests_are_mappings_or_yaml_of_several_documents() -> None:
    s = story()
    made = s.apply(CONFIG_MAPS, at="1m")
    assert [each.object["metadata"]["name"] for each in made] == ["a", "b"]
    assert s.apply(made[0].object) == [Manifest(object=made[0].object)]
    assert len(s.placed) == 3


@pytest.mark.parametrize(
    ("text", "what"), [("a: [", "not YAML"), ("- 1", "a manifest is a mapping, not list")]
)
def test_text_that_is_no_manifest_is_told(text: str, what: str) -> None:
    with pytest.raises(ScenarioError, match=what) as caught:
        story().apply(text)
    assert caught.value.where is not None
    assert caught.value.where.startswith(f"{HERE}:")


def test_an_object_without_a_name_is_told() -> None:
    with pytest.raises(ValidationError, match=r"an object needs metadata\.name"):
        story().apply("apiVersion: v1\nkind: ConfigMap\n")


def test_replayed_items_are_taken_in_as_they_are() -> None:
    s = story()
    items: list[ScenarioItem] = [Node(name="n"), Pod(name="a"), Note(topic="t", text="x")]
    s.replay(iter(items))
    assert [each.item for each in s.placed] == items


def test_a_loop_that_never_ends_is_stopped() -> None:
    s = story(limit=3)
    for number in range(3):
        s.pod(f"p-{number}")
    with pytest.raises(ScenarioError, match="more than 3 items"):
        s.pod("p-3")


def test_expectations_are_kept_as_objects_and_as_text() -> None:
    s = story()
    s.expect(deadlines_missed <= 0)
    s.expect("deadlines_missed < 2")
    assert [str(each) for each in s.expectations] == ["deadlines_missed <= 0.0", "deadlines_missed < 2.0"]
    assert not s.placed


@pytest.mark.parametrize("text", ["nothing_known < 1", "deadlines_missed"])
def test_an_expectation_of_nothing_known_is_told_with_its_line(text: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        story().expect(text)
    assert caught.value.where is not None
    assert caught.value.where.startswith(f"{HERE}:")


def test_what_happens_to_machines_is_said_in_words() -> None:
    s = story()
    assert s.fail_chips("n-0", 3, at="1h", repair_after="20h") == Fault(
        action="fail_chips", node="n-0", at="1h", lasts="20h", chips=3
    )
    assert s.crash("n-0", at="1h") == Fault(action="crash", node="n-0", at="1h")
    assert s.cordon("n-0", at="1h", open_after="2h") == Fault(
        action="cordon", node="n-0", at="1h", lasts="2h"
    )
    assert s.drain("n-0", at="1h") == Fault(action="drain", node="n-0", at="1h")
    assert s.remove_node("n-0", at="1h") == Fault(action="remove", node="n-0", at="1h")
    assert s.outage({"rack": "r1"}, at="1h", recover_after="4h") == Outage(
        labels={"rack": "r1"}, at="1h", lasts="4h"
    )
    assert len(s.placed) == 6


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda s: s.job("j", pods=2, completions=4, gang=True), "a gang runs as a whole"),
        (lambda s: s.job("j", topology="rack"), "topology keeps a gang together"),
        (lambda s: s.job("j", active_deadline="1500ms"), "whole seconds"),
        (lambda s: s.crash("n", at="1h", recover_after="0s"), "does not happen"),
        (lambda s: s.outage({}, at="1h"), "say which nodes"),
        (lambda s: s.failures(per_1000_node_days=0), "greater than 0"),
    ],
)
def test_nonsense_about_jobs_and_machines_is_refused(
    wrong: Callable[[Scenario[ScenarioParameters]], object], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        wrong(story())
