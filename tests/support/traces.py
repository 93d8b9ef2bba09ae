"""Where the published traces are on this machine, for the tests that need a real one."""

import os
from pathlib import Path

import pytest

from evaluator.traces.openb import NODE_FILE, POD_FILE


def trace_file(name: str) -> Path:
    """A published trace, such as ``swf/KTH-SP2-1996-2.1-cln.swf.gz``, in the same places.

    Skips the calling test where it is in none.
    """
    for root in _roots():
        if (root / name).is_file():
            return root / name
    pytest.skip(f"the trace {name} is not here: name the folder of traces by EVALUATOR_TRACES")


def _roots() -> list[Path]:
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "traces"
    named = os.environ.get("EVALUATOR_TRACES")
    return [*([Path(named)] if named else []), beside]


def openb_folder() -> Path:
    """The folder of Alibaba's GPU trace of 2023: named by EVALUATOR_TRACES, or beside the checkout.

    Skips the calling test where it is in neither.
    """
    for root in _roots():
        for folder in (root / "openb", root):
            if (folder / POD_FILE).is_file() and (folder / NODE_FILE).is_file():
                return folder
    pytest.skip("the openb trace is not here: name its folder by EVALUATOR_TRACES")
