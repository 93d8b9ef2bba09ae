"""Launch profiles: the command lines that they make, and what a custom command must say."""

from pathlib import Path

import pytest
import yaml

from evaluator.errors import UsageError
from evaluator.schedulers.profiles import PROFILES, LaunchContext, custom_profile, profile_named
from evaluator.warp.clock import ClockMode


def context(folder: Path, binary: Path | None = None) -> LaunchContext:
    return LaunchContext(folder / "kubeconfig", folder, binary)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "kube-scheduler"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_kube_scheduler_gets_a_configuration_of_its_own(tmp_path: Path, program: Path) -> None:
    command = profile_named("kube-scheduler").command(context(tmp_path, program))
    assert command[0] == str(program)
    (config_option,) = (word for word in command if word.startswith("--config="))
    config = yaml.safe_load(Path(config_option.removeprefix("--config=")).read_text())
    assert config["leaderElection"] == {"leaderElect": False}
    assert config["clientConnection"]["kubeconfig"] == str(tmp_path / "kubeconfig")
    assert config["clientConnection"]["qps"] > 1000


@pytest.mark.parametrize("policy", ["lst", "edf", "sjf", "priority", "fifo"])
def test_our_scheduler_runs_with_a_frozen_clock(tmp_path: Path, policy: str) -> None:
    profile = profile_named(policy)
    assert profile.clock is ClockMode.FROZEN
    assert profile.command(context(tmp_path))[3:] == [
        f"--kubeconfig={tmp_path / 'kubeconfig'}",
        f"--policy={policy}",
    ]


def test_our_scheduler_can_pack_by_share(tmp_path: Path) -> None:
    profile = profile_named("lst-utilization")
    assert profile.command(context(tmp_path))[-2:] == ["--policy=lst", "--pack=utilization"]
    assert profile.scheduler_name == profile_named("lst").scheduler_name


def test_our_scheduler_can_be_another_program(tmp_path: Path, program: Path) -> None:
    assert profile_named("lst").command(context(tmp_path, program))[0] == str(program)


def test_every_profile_goes_by_its_own_name() -> None:
    assert [name for name, profile in PROFILES.items() if profile.name != name] == []


def test_an_unknown_name_tells_the_known_ones() -> None:
    with pytest.raises(UsageError, match="kube-scheduler"):
        profile_named("volcano?")


def test_a_custom_command_gets_the_kubeconfig(tmp_path: Path) -> None:
    profile = custom_profile("./mine --config '{kubeconfig}' --name 'my scheduler'", "mine")
    command = profile.command(context(tmp_path))
    assert command == ["./mine", "--config", str(tmp_path / "kubeconfig"), "--name", "my scheduler"]
    assert (profile.name, profile.scheduler_name) == ("mine", "mine")


@pytest.mark.parametrize(
    ("command", "message"),
    [("mine --fast", "kubeconfig"), ("mine '{kubeconfig}", "quot"), ("", "kubeconfig")],
)
def test_a_custom_command_that_cannot_work_is_refused(command: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        custom_profile(command, "mine")
