"""``python -m evaluator.cli.child PID …``: the command ``evaluator …`` that ends with the process PID.

Used where one command starts many. Whatever happens to that process, SIGKILL included, the kernel sends
SIGTERM here, and the run ends as if somebody had interrupted it.
"""

import ctypes
import os
import signal
import sys
from typing import Final

from evaluator.exits import ExitCode
from evaluator.warp.launcher import PR_SET_PDEATHSIG

MODULE: Final = "evaluator.cli.child"


def command() -> list[str]:
    """What starts ``evaluator`` as a child of this process; its arguments follow."""
    return [sys.executable, "-m", MODULE, str(os.getpid())]


def bind_to_parent(parent: int) -> None:
    """End with the parent; at once if it has gone already. Without effect where the kernel cannot do it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        sys.exit(ExitCode.INTERRUPTED)


if __name__ == "__main__":
    from evaluator.cli.main import main  # commands import this module to start children

    bind_to_parent(int(sys.argv[1]))
    main(sys.argv[2:])
