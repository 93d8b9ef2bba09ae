"""Go programs are told from others by what Go's linker leaves in them."""

import sys
from pathlib import Path

from evaluator.schedulers.runtime import kick_of
from evaluator.warp.threads import Kick


def test_python_is_no_go_program() -> None:
    assert kick_of(Path(sys.executable)) is Kick.EPOLL


def test_the_mark_of_go_is_found_wherever_it_stands(tmp_path: Path) -> None:
    chunk = 1 << 20
    for before in (0, 17, chunk - 5, chunk, 3 * chunk + 1):
        program = tmp_path / f"program-{before}"
        program.write_bytes(b"x" * before + b"\xff Go buildinf:" + b"x" * 100)
        assert kick_of(program) is Kick.GO


def test_a_real_go_program_is_one(kube_scheduler: Path) -> None:
    assert kick_of(kube_scheduler) is Kick.GO
