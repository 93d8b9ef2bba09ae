"""The importers: a module for each format, recognised by the first line of its files."""

from typing import Final

from evaluator.traces.formats import (
    chronus,
    dlrm,
    infinitehbd,
    itp,
    lanl,
    openb,
    philly,
    plain,
    recorded,
    spot,
    swf,
)
from evaluator.traces.formats.base import Format

FORMATS: Final[tuple[Format, ...]] = (
    openb.PODS,
    openb.NODES,
    dlrm.FORMAT,
    spot.FORMAT,
    philly.FORMAT,
    chronus.FORMAT,
    itp.FORMAT,
    itp.TIRESIAS,
    lanl.FORMAT,
    recorded.FORMAT,
    infinitehbd.FORMAT,
    plain.FORMAT,
    swf.FORMAT,
)
"""In the order in which they are asked whether a file is theirs: those that are sure come first."""
