"""What ``docs/lst-scheduler.md`` and ``deploy/config.yaml`` say of the program is what it does."""

import json
import logging
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel

from scheduler import logs
from scheduler.__main__ import ExitCode, main
from scheduler.census import STATES, Census
from scheduler.commandline import parse
from scheduler.config import Settings, Victims
from scheduler.configfile import Document, dump, load
from scheduler.decision import Decision, Loss
from scheduler.errors import ConfigurationError
from scheduler.kube.groups import Groups
from scheduler.kube.objects import Reader
from scheduler.model import PodRef
from scheduler.story import NOTHING_KNOWN, Happened, tell
from scheduler.timetext import DAY, HOUR, MINUTE, SECOND, parse_instant
from scheduler.trail import encode, log_fields
from tests.meta.test_docs import ROOT, fenced
from tests.unit.scheduler.builders import GPU, START, START_TEXT

PAGE = ROOT / "docs" / "lst-scheduler.md"
EXAMPLE = ROOT / "deploy" / "config.yaml"
TEXT = PAGE.read_text()

_DEFAULT = re.compile(r"(?:Defaults?: )([^\s,]+?)[.,]?(?:\s|$)")


def fields(model: type[BaseModel], above: str = "") -> Iterator[str]:
    """The paths of all fields that a file can have."""
    for field in model.model_fields.values():
        path = f"{above}{field.alias}"
        yield path
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from fields(field.annotation, f"{path}.")


def paths(content: object, above: str = "") -> Iterator[str]:
    if isinstance(content, dict):
        for name, value in content.items():
            yield f"{above}{name}"
            yield from paths(value, f"{above}{name}.")


def test_the_example_file_has_every_setting() -> None:
    assert set(paths(yaml.safe_load(EXAMPLE.read_text()))) == set(fields(Document))


def test_the_example_differs_from_the_defaults_in_what_a_cluster_needs() -> None:
    example, default = load(EXAMPLE), Settings()
    assert example.annotation_keys == default.annotation_keys
    differing = {
        name
        for name in Settings.__dataclass_fields__
        if name != "annotation_names" and getattr(example, name) != getattr(default, name)
    }
    assert differing == {"victims", "concurrent_writes", "election", "listen", "log_format"}
    assert example.victims is Victims.CONTROLLED
    assert example.election.enabled


def test_the_defaults_that_the_example_names_are_the_defaults() -> None:
    """A comment that names one stands right above the setting that it is about."""
    defaults = dict(leaves(yaml.safe_load(dump(Settings()))))
    pairs = pairwise(EXAMPLE.read_text().splitlines())
    named = {
        following.strip().partition(":")[0]: found[1]
        for line, following in pairs
        if (found := _DEFAULT.search(line)) and not following.lstrip().startswith("#")
    }
    settings = {
        name: told for name, told in named.items() if name in defaults and told not in ("as", "nowhere")
    }
    assert settings == {name: defaults[name] for name in settings}
    assert len(settings) >= 13, "the comments are not read as they should be"


def leaves(content: dict[str, object]) -> Iterator[tuple[str, str]]:
    """The values as the file has them, by the name of the field: lists by their first value."""
    for name, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value)
        else:
            shown = value[0] if isinstance(value, list) else value
            yield name, str(shown).lower() if isinstance(shown, bool) else str(shown)


def test_the_settings_shown_are_settings(tmp_path: Path) -> None:
    shown = [block for block in fenced(PAGE, "yaml") if "kind: SchedulerConfiguration" in block]
    (tmp_path / "config.yaml").write_text(shown[0])
    settings = load(tmp_path / "config.yaml")
    assert settings.annotation_keys.deadline.endswith("/deadline-duration")
    assert settings.annotation_keys.restart_cost == "example.com/restart-cost"
    assert (settings.default_deadline, settings.default_duration) == (DAY, HOUR)
    assert len(shown) == 1


def test_the_pod_shown_says_what_it_means_to() -> None:
    (pod,) = [found for block in fenced(PAGE, "yaml") if (found := yaml.safe_load(block))["kind"] == "Pod"]
    metadata = {**pod["metadata"], "namespace": "default", "uid": "u", "creationTimestamp": START_TEXT}
    settings = Settings()
    reader = Reader(settings.scheduler_name, settings.annotation_keys, settings.default_class, Groups())
    task = reader.task({**pod, "metadata": metadata})
    assert task is not None
    assert (task.timing.deadline, task.timing.remaining) == (START + 8 * HOUR, 5 * HOUR)
    assert (task.checkpoint_interval, task.restart_cost) == (20 * MINUTE, 3 * MINUTE)
    assert (task.demand.others, task.notices) == (((GPU, 4),), ())


LOST = (Loss("team/sweep-3", (PodRef("team", "sweep-3", "u"),), 40 * MINUTE, 9 * HOUR),)


def decision(
    kind: Literal["bind", "preempt"], at: int, why: str, slack: int, victims: tuple[Loss, ...] = ()
) -> Decision:
    return Decision(
        kind=kind,
        at=at,
        pod=PodRef("team", "train", "t"),
        gang="",
        nodes=("n7",),
        policy="lst",
        slack=slack,
        position=1 if victims else 0,
        considered=12,
        why=why,
        victims=victims,
    )


def test_the_annotation_shown_is_written_like_that() -> None:
    began = parse_instant("2026-01-05T08:00:00Z")
    why = "its slack does not last until room frees by itself"
    before = decision("preempt", began, why, 5 * MINUTE + 30 * SECOND, LOST)
    slack = 4 * MINUTE + 59 * SECOND
    made = decision("bind", began + 31 * SECOND, "its place has become free", slack)
    assert json.loads(encode(made, before)) == json.loads(fenced(PAGE, "json")[0])


def test_the_record_shown_is_logged_like_that() -> None:
    made = decision("preempt", START, "its slack does not last until room frees by itself", 5 * MINUTE, LOST)
    record = logging.LogRecord("", logging.INFO, "", 0, "preempt for team/train", (), None)
    vars(record).update(logs.fields(**log_fields(made)))
    assert logs.TextFormatter("INFO scheduler.trail: %(message)s").format(record) in TEXT


def test_the_complaints_shown_are_those_that_come(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "apiVersion: lst.scheduler/v1alpha1\nkind: SchedulerConfiguration\n"
        "preemption: {hysteresys: 1m}\ngather: '10'\n"
    )
    with pytest.raises(ConfigurationError) as refusal:
        load(tmp_path / "config.yaml")
    for line in str(refusal.value).splitlines():
        assert f"lst-scheduler: {line.removeprefix(f'{tmp_path}/')}\n" in TEXT


@pytest.mark.usefixtures("at_the_root")
def test_the_commands_shown_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.partition("  #")[0].strip() for block in fenced(PAGE, "sh") for line in block.splitlines()]
    shown = [shlex.split(line)[1:] for line in lines if line.startswith("lst-scheduler ")]
    assert [parse(words).task for words in shown] == ["print-config", "explain"]
    assert main(shown[0]) == ExitCode.STOPPED
    assert "policy: edf\n" in capsys.readouterr().out


@pytest.fixture
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("logging.basicConfig", lambda **_: None)


def test_every_metric_is_told() -> None:
    from scheduler.instruments import Instruments

    instruments = Instruments()
    instruments.watch(lambda: Census(dict.fromkeys(STATES, 0), ()))
    families = text_string_to_metric_families(instruments.exposition().decode())
    names = {family.name for family in families if family.name.startswith("lst_")}
    parts = {f"lst_scheduler_pending_slack_seconds_g{part}" for part in ("count", "sum")}
    assert {name for name in names - parts if f"| `{name}" not in TEXT} == set()
    assert {state for state in STATES if f"`{state}`" not in TEXT} == set()


def test_every_exit_code_is_told() -> None:
    assert [code for code in ExitCode if f"| {code.value} |" not in TEXT] == []


def test_the_story_shown_is_told_like_that() -> None:
    story = replace(
        NOTHING_KNOWN,
        name="team/train",
        ours=True,
        scheduler="lst-scheduler",
        node="n7",
        created="2026-01-05T03:00:00Z",
        deadline="2026-01-05T13:05:30Z",
        duration="5h",
        decision=json.loads(fenced(PAGE, "json")[0]),
        events=(
            Happened(
                "2026-01-05T08:00:31.200000Z",
                "team/train",
                "Scheduled",
                "Successfully assigned team/train to n7, 4m59s before it has to start",
            ),
        ),
        made_way=(
            Happened(
                "2026-01-05T08:00:00.120000Z",
                "team/sweep-3",
                "Preempted",
                "Preempted by pod team/train on node n7: 40m of run time are lost",
            ),
        ),
    )
    assert "\n".join(tell(story)) in TEXT
