"""A scheduler's program by digest."""

import shlex
import sys
from pathlib import Path

from evaluator.schedulers.profiles import custom_profile, profile_named
from evaluator.sweep.program import program_sha256


def digest(command: str) -> str:
    return program_sha256(custom_profile(command, "x"), None)


def test_the_same_program_has_the_same_digest() -> None:
    assert program_sha256(profile_named("lst"), None) == program_sha256(profile_named("lst"), None)
    assert program_sha256(profile_named("lst"), None) != program_sha256(profile_named("edf"), None)


def test_a_new_build_has_another(tmp_path: Path) -> None:
    program = tmp_path / "build me"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command = shlex.join([str(program), "{kubeconfig}"])
    before = digest(command)
    assert digest(command) == before
    program.write_text("#!/bin/sh\nexit 1\n")
    assert digest(command) != before


def test_a_script_counts_as_well_as_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "scheduler.py"
    script.write_text("1")
    command = shlex.join([sys.executable, str(script), "{kubeconfig}"])
    before = digest(command)
    script.write_text("2")
    assert digest(command) != before
