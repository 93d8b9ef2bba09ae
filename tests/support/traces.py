"""Where the published traces are on this machine, for the tests that need a real one."""

import os
from pathlib import Path

import pytest

from evaluator.traces.openb import NODE_FILE, POD_FILE


def openb_folder() -> Path:
    """The folder of Alibaba's GPU trace of 2023: named by EVALUATOR_TRACES, or beside the checkout.

    Skips the calling test where it is in neither.
    """
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "traces"
    for root in (os.environ.get("EVALUATOR_TRACES"), str(beside)):
        for folder in (Path(root) / "openb", Path(root)) if root else ():
            if (folder / POD_FILE).is_file() and (folder / NODE_FILE).is_file():
                return folder
    pytest.skip("the openb trace is not here: name its folder by EVALUATOR_TRACES")
