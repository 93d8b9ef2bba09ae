"""The configuration file: what it sets, what flags set over it, and what is said about mistakes."""

from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from scheduler.commandline import parse
from scheduler.config import ElectionSettings, Settings, Victims
from scheduler.configfile import AnnotationNames, Document, dump, load
from scheduler.errors import ConfigurationError
from scheduler.laxity import AnnotationKeys, DefaultClass, read_timing
from scheduler.placement import PACKINGS
from scheduler.policy import FIRST_COME, POLICIES, Late, least_slack
from scheduler.rules import PreemptionRules
from scheduler.timetext import DAY, HOUR, MILLISECOND, MINUTE, SECOND
from tests.unit.scheduler.builders import START

HEAD = {"apiVersion": "lst.scheduler/v1alpha1", "kind": "SchedulerConfiguration"}


def written(folder: Path, content: object) -> Path:
    path = folder / "config.yaml"
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return path


def settings_of(folder: Path, **content: Any) -> Settings:
    return load(written(folder, {**HEAD, **content}))


def complaint_about(folder: Path, content: object) -> str:
    path = written(folder, content)
    with pytest.raises(ConfigurationError) as refusal:
        load(path)
    said = str(refusal.value)
    assert str(path) in said
    return said


def test_a_file_that_says_nothing_is_the_default(tmp_path: Path) -> None:
    assert settings_of(tmp_path) == Settings()


EVERYTHING: dict[str, Any] = {
    "schedulerName": "mine",
    "kubeconfig": "kube/config",
    "policy": "lst",
    "late": "keep",
    "packing": "utilization",
    "resources": ["a.b/x", "a.b/y", "a.b/x"],
    "gather": "20ms",
    "annotations": {
        "prefix": "example.com/",
        "keys": {"deadline": "pfn.jp/deadline-duration", "expectedDuration": "pfn.jp/execution-duration"},
        "recordDecisions": False,
    },
    "defaultClass": {"deadline": "1d", "expectedDuration": "1h"},
    "preemption": {
        "victims": "any",
        "hysteresis": "30m",
        "lead": "20m",
        "lastChance": "2m",
        "minimumRun": "10m",
        "budget": 1,
        "hold": "3m",
    },
    "writes": {"concurrent": 16},
    "leaderElection": {
        "enabled": True,
        "namespace": "ours",
        "name": "it",
        "leaseDuration": "30s",
        "renewDeadline": "20s",
        "retryPeriod": "5s",
    },
    "listen": ":10261",
    "log": {"level": "debug", "format": "json"},
}


def test_everything_set(tmp_path: Path) -> None:
    assert settings_of(tmp_path, **EVERYTHING) == Settings(
        kubeconfig=tmp_path / "kube/config",
        scheduler_name="mine",
        policy=least_slack(Late.KEEP),
        packing=PACKINGS["utilization"],
        annotation_prefix="example.com/",
        annotation_names={
            "deadline": "pfn.jp/deadline-duration",
            "expected_duration": "pfn.jp/execution-duration",
        },
        record_decisions=False,
        default_deadline=DAY,
        default_duration=HOUR,
        chip_kinds=("a.b/x", "a.b/y"),
        victims=Victims.ANY,
        rules=PreemptionRules(30 * MINUTE, 20 * MINUTE, 2 * MINUTE, 10 * MINUTE, 1, 3 * MINUTE),
        gather=20 * MILLISECOND,
        concurrent_writes=16,
        election=ElectionSettings(True, "ours", "it", 30 * SECOND, 20 * SECOND, 5 * SECOND),
        listen=("127.0.0.1", 10261),
        log_level="debug",
        log_format="json",
    )


def test_every_setting_can_stand_in_the_file() -> None:
    """The test above sets each: so none of them has its default."""
    stands = set(EVERYTHING) | set(HEAD)
    assert stands == {field.alias for field in Document.model_fields.values()}
    assert {each.name for each in fields(AnnotationKeys)} == set(AnnotationNames.model_fields)


def test_names_of_single_annotations_and_the_prefix_for_the_rest(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, **EVERYTHING)
    keys = settings.annotation_keys
    assert (keys.deadline, keys.restart_cost) == ("pfn.jp/deadline-duration", "example.com/restart-cost")
    stated = {"pfn.jp/deadline-duration": "4h", "pfn.jp/execution-duration": "90m"}
    timing, notices = read_timing(stated, START, keys, DefaultClass())
    assert (timing.deadline, timing.remaining, notices) == (START + 4 * HOUR, 90 * MINUTE, ())


def test_preemption_follows_from_who_may_be_a_victim(tmp_path: Path) -> None:
    found = {
        victims: settings_of(tmp_path, preemption={"victims": victims, "budget": 7}).preemption
        for victims in ("never", "controlled", "any")
    }
    assert found == {
        "never": None,
        "controlled": PreemptionRules(budget=7),
        "any": PreemptionRules(budget=7, unmanaged=True),
    }


# Flags over it ------------------------------------------------------------------------------------


def test_a_flag_wins_over_the_file_and_leaves_the_rest(tmp_path: Path) -> None:
    path = written(tmp_path, {**HEAD, **EVERYTHING})
    flags = ["--policy", "fifo", "--preempt", "controlled", "--no-leader-elect", "--log-level", "error"]
    settings = parse(["--config", str(path), *flags]).settings
    assert (settings.policy, settings.log_level, settings.log_format) == (FIRST_COME, "error", "json")
    assert settings.preemption == PreemptionRules(
        30 * MINUTE, 20 * MINUTE, 2 * MINUTE, 10 * MINUTE, 1, 3 * MINUTE
    )
    assert settings.election == ElectionSettings(False, "ours", "it", 30 * SECOND, 20 * SECOND, 5 * SECOND)
    assert settings.concurrent_writes == 16


def test_the_policy_of_the_file_again_keeps_what_late_pods_do(tmp_path: Path) -> None:
    path = written(tmp_path, {**HEAD, "late": "keep"})
    assert parse(["--config", str(path), "--policy", "lst"]).settings.policy == least_slack(Late.KEEP)
    assert parse(["--config", str(path), "--late", "demote"]).settings.policy == least_slack(Late.DEMOTE)


def test_late_is_held_against_the_policy_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, {**HEAD, "policy": "edf"})
    with pytest.raises(ConfigurationError, match="--late: 'keep' is for --policy lst"):
        parse(["--config", str(path), "--late", "keep"])


# Mistakes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"polcy": "lst"}, "polcy: there is no such field; expected one of apiVersion, kind, schedulerName"),
        (
            {"preemption": {"hysteresys": "1m"}},
            "preemption.hysteresys: there is no such field; expected one of victims",
        ),
        (
            {"annotations": {"keys": {"due": "x"}}},
            "annotations.keys.due: there is no such field; expected one of deadline",
        ),
        ({"policy": "luck"}, "policy: 'luck': expected 'lst', 'edf', 'sjf', 'priority' or 'fifo'"),
        ({"gather": 10}, "gather: 10: expected text such as 90s"),
        ({"gather": "10"}, "gather: '10' is not a span of time: expected numbers with units"),
        ({"preemption": {"budget": -1}}, "preemption.budget: -1: expected greater than or equal to 0"),
        ({"preemption": {"budget": "3"}}, "preemption.budget: '3': expected a valid integer"),
        ({"preemption": 3}, "preemption: 3: expected a valid dictionary"),
        ({"writes": {"concurrent": 0}}, "writes.concurrent: 0: expected greater than or equal to 1"),
        ({"resources": []}, "resources: []: expected"),
        ({"resources": "nvidia.com/gpu"}, "resources: 'nvidia.com/gpu': expected a valid list"),
        (
            {"resources": ["nvidia.com/gpu", "gpu"]},
            "resources.1: 'gpu': expected the name of an extended resource",
        ),
        ({"listen": 10261}, 'listen: 10261: expected text such as "127.0.0.1:10261"'),
        ({"leaderElection": {"enabled": "yes"}}, "leaderElection.enabled: 'yes': expected a valid boolean"),
        ({"kind": "Other"}, "kind: 'Other': expected 'SchedulerConfiguration'"),
        ({"policy": "edf", "late": "keep"}, "late: 'keep' is for policy 'lst'"),
        (
            {"preemption": {"hysteresis": "10m"}},
            "preemption: hysteresis (10m) has to be more than lead (10m)",
        ),
        ({"preemption": {"lastChance": "11m"}}, "preemption: lastChance (11m) has to be at most lead (10m)"),
        (
            {"leaderElection": {"renewDeadline": "15s"}},
            "leaderElection: leaseDuration has to be longer than renewDeadline",
        ),
        (
            {"leaderElection": {"leaseDuration": "1500ms"}},
            "leaderElection: leaseDuration has to be whole seconds",
        ),
        (
            {"leaderElection": {"retryPeriod": "9s"}},
            "leaderElection: renewDeadline has to be longer than 1.2 times",
        ),
        (
            {"annotations": {"keys": {"deadline": "lst.scheduler/progress"}}},
            "annotations: 'lst.scheduler/progress' is the name of two",
        ),
    ],
)
def test_a_mistake_is_told_with_path_value_and_what_was_expected(
    content: dict[str, object], said: str, tmp_path: Path
) -> None:
    assert f": {said}" in complaint_about(tmp_path, {**HEAD, **content})


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    said = complaint_about(tmp_path, {"kind": HEAD["kind"], "gather": "soon", "log": {"level": "loud"}})
    assert [line.split(": ")[1] for line in said.splitlines()] == ["apiVersion", "gather", "log.level"]
    assert "apiVersion: the field is missing: expected lst.scheduler/v1alpha1" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML"),
        ("- a", "expected a mapping that begins with apiVersion: lst.scheduler/v1alpha1"),
        ("", "expected a mapping"),
        ("kind: a\nkind: b\n", "the key 'kind' stands twice"),
        ("log: {level: info, level: debug}\n", "the key 'level' stands twice"),
    ],
)
def test_what_is_no_such_file_at_all(text: str, said: str, tmp_path: Path) -> None:
    assert said in complaint_about(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot read the configuration .*nowhere\.yaml"):
        load(tmp_path / "nowhere.yaml")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates()
ANYTHING = st.recursive(
    SCALARS,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(SCALARS, parts, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from((*EVERYTHING, *EVERYTHING["preemption"], *EVERYTHING["annotations"], "keys", *HEAD))
NONSENSE = st.recursive(
    ANYTHING, lambda parts: st.dictionaries(NAMES, parts | st.just("15m"), max_size=6), max_leaves=8
)


def load_or_complain(path: Path) -> None:
    with suppress(ConfigurationError):  # anything else is a bug
        load(path)


@given(content=NONSENSE)
def test_nonsense_is_refused_in_words(content: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    content = {**HEAD, **content} if isinstance(content, dict) else content
    load_or_complain(written(tmp_path_factory.mktemp("c"), content))


@given(text=st.text())
@example(text="a: " + "1" * 5000)
@example(text="&a [*a]")
@example(text="? [a]\n: b")
@example(text="<<: 3")
@example(text="a: 9999-99-99")
@example(text="gather: &a {b: *a}")
def test_any_text_is_read_or_refused_in_words(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("c") / "config.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    load_or_complain(path)


# Written again ------------------------------------------------------------------------------------

SPANS = st.integers(1, 10**15).map(lambda n: n * MILLISECOND)
RULES = st.builds(
    lambda chance, more, most, **rest: PreemptionRules(
        hysteresis=chance + more + most, lead=chance + more, last_chance=chance, **rest
    ),
    SPANS,
    SPANS,
    SPANS,
    minimum_run=SPANS,
    budget=st.integers(0, 100),
    hold=SPANS,
)
SETTINGS = st.builds(
    Settings,
    kubeconfig=st.none() | st.just(Path("/k/config")),
    scheduler_name=st.sampled_from(("a", "lst-scheduler")),
    policy=st.sampled_from((*POLICIES.values(), *map(least_slack, Late))),
    packing=st.sampled_from(tuple(PACKINGS.values())),
    annotation_prefix=st.sampled_from(("", "p/")),
    record_decisions=st.booleans(),
    default_deadline=st.none() | SPANS,
    default_duration=st.none() | SPANS,
    chip_kinds=st.lists(st.sampled_from(("a.b/c", "d/e")), min_size=1, unique=True).map(tuple),
    victims=st.sampled_from(Victims),
    rules=RULES,
    gather=SPANS,
    concurrent_writes=st.integers(1, 1000),
    election=st.builds(ElectionSettings, enabled=st.booleans(), name=st.just("x")),
    listen=st.none() | st.tuples(st.sampled_from(("::1", "0.0.0.0", "host")), st.integers(0, 65535)),
    log_level=st.sampled_from(("debug", "info", "warning", "error")),
    log_format=st.sampled_from(("text", "json")),
)


@given(settings=SETTINGS)
def test_what_is_written_is_read_as_the_same(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = load(written(tmp_path_factory.mktemp("c"), dump(settings)))
    assert found.annotation_keys == settings.annotation_keys
    for each in fields(Settings):
        if each.name != "annotation_names":  # written out in full
            assert getattr(found, each.name) == getattr(settings, each.name), each.name


def test_names_are_written_out(tmp_path: Path) -> None:
    keys = yaml.safe_load(dump(settings_of(tmp_path, **EVERYTHING)))["annotations"]["keys"]
    assert keys["deadline"] == "pfn.jp/deadline-duration"
    assert keys["restartCost"] == "example.com/restart-cost"
