"""Flags: what they set, and what is said about wrong ones."""

from pathlib import Path

import pytest

from scheduler.commandline import parse
from scheduler.config import ElectionSettings, Settings
from scheduler.errors import ConfigurationError
from scheduler.laxity import AnnotationKeys, DefaultClass
from scheduler.placement import BEST_FIT, HIGHEST_SHARE
from scheduler.policy import FIRST_COME, LEAST_SLACK, POLICIES, Late
from scheduler.timetext import DAY, HOUR, MILLISECOND, SECOND
from tests.unit.scheduler.builders import START, task


def test_defaults() -> None:
    command = parse([])
    assert command.settings == Settings()
    assert command.settings.chip_kinds == ("nvidia.com/gpu",)
    assert (command.settings.policy, command.settings.packing) == (LEAST_SLACK, BEST_FIT)
    assert command.settings.gather == 10 * MILLISECOND
    assert command.settings.annotation_keys == AnnotationKeys(
        "lst.scheduler/deadline", "lst.scheduler/expected-duration"
    )
    assert command.settings.default_class == DefaultClass(None)
    assert (command.settings.log_level, command.settings.log_format) == ("info", "text")
    assert command.task == "schedule"


def test_everything_set() -> None:
    flags = {
        "--kubeconfig": "k",
        "--scheduler-name": "mine",
        "--policy": "fifo",
        "--pack": "utilization",
        "--annotation-prefix": "example.com/",
        "--default-deadline": "1d",
        "--gather": "0s",
        "--log-level": "debug",
    }
    chips = [part for kind in ("a.b/x", "a.b/y", "a.b/x") for part in ("--resource", kind)]
    command = parse([*(part for pair in flags.items() for part in pair), *chips])
    assert command.settings == Settings(
        kubeconfig=Path("k"),
        scheduler_name="mine",
        policy=FIRST_COME,
        packing=HIGHEST_SHARE,
        annotation_prefix="example.com/",
        default_deadline=DAY,
        chip_kinds=("a.b/x", "a.b/y"),
        gather=0,
        log_level="debug",
    )
    assert command.settings.default_class == DefaultClass(DAY)


def test_how_it_runs() -> None:
    flags = {
        "--log-format": "json",
        "--listen": ":10261",
        "--concurrent-writes": "16",
        "--default-duration": "1h",
        "--leader-elect-resource-namespace": "ours",
        "--leader-elect-resource-name": "it",
        "--leader-elect-lease-duration": "30s",
        "--leader-elect-renew-deadline": "20s",
        "--leader-elect-retry-period": "5s",
    }
    switches = ["--leader-elect", "--no-record-decisions"]
    settings = parse([*switches, *(part for pair in flags.items() for part in pair)]).settings
    assert settings == Settings(
        log_format="json",
        listen=("127.0.0.1", 10261),
        concurrent_writes=16,
        default_duration=HOUR,
        record_decisions=False,
        election=ElectionSettings(True, "ours", "it", 30 * SECOND, 20 * SECOND, 5 * SECOND),
    )


def test_the_commands() -> None:
    assert parse(["--print-config"]).task == "print-config"
    command = parse(["--kubeconfig", "k", "explain", "x/y", "-o", "json"])
    assert (command.task, command.pod, command.output) == ("explain", "x/y", "json")
    assert command.settings.kubeconfig == Path("k")


def test_times_of_an_election_that_do_not_go_together() -> None:
    with pytest.raises(ConfigurationError, match="leaseDuration has to be longer than renewDeadline"):
        parse(["--leader-elect-renew-deadline", "15s"])


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--gather", "10"], ["--gather", "'10'", "units"]),
        (["--default-deadline", "soon"], ["--default-deadline", "'soon'"]),
        (["--policy", "luck"], ["--policy", "'luck'", "lst", "edf", "sjf", "priority", "fifo"]),
        (["--pack", "tight"], ["--pack", "'tight'", "fit", "utilization"]),
        (["--late", "drop"], ["--late", "'drop'", "demote", "keep", "drop-priority"]),
        (["--policy", "edf", "--late", "demote"], ["--late", "'demote'", "--policy lst", "'edf'"]),
        (["--resource", "gpu"], ["--resource", "'gpu'", "nvidia.com/gpu"]),
        (["--annotation-prefix", "a b"], ["--annotation-prefix", "'a b'"]),
        (["--scheduler-name", ""], ["--scheduler-name", "''"]),
        (["--listen", "everywhere"], ["--listen", "'everywhere'", "HOST:PORT"]),
        (["--concurrent-writes", "0"], ["--concurrent-writes", "'0'", "1 to 1000"]),
        (["--leader-elect-resource-name", "A"], ["--leader-elect-resource-name", "'A'"]),
        (["--log-format", "xml"], ["--log-format", "'xml'", "text", "json"]),
        (["explain"], ["[NAMESPACE/]POD"]),
        (["--nonsense"], ["--nonsense"]),
    ],
)
def test_wrong_flags_are_named_with_their_value(flags: list[str], named: list[str]) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        parse(flags)
    for each in (*named, "--help"):
        assert each in str(refusal.value)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_can_be_asked_for(name: str) -> None:
    assert parse(["--policy", name]).settings.policy is POLICIES[name]


@pytest.mark.parametrize(("late", "first"), [(Late.DEMOTE, False), (Late.KEEP, True)])
def test_what_late_pods_do_under_least_slack(late: Late, first: bool) -> None:
    policy = parse(["--late", late.value]).settings.policy
    hopeless, salvageable = task("a", start_by=START), task("b", start_by=START + HOUR)
    assert (policy.rank(hopeless, True) < policy.rank(salvageable, False)) is first


@pytest.mark.parametrize(
    ("flag", "said"), [("--version", "lst-scheduler "), ("--help", "Exit codes: 0 ended by")]
)
def test_flags_that_only_tell(flag: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse([flag])
    assert end.value.code == 0
    assert said in capsys.readouterr().out
