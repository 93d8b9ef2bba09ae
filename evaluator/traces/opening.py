"""A trace by its name: found, recognised, opened."""

import dataclasses
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluator.errors import TraceError, shown
from evaluator.traces.account import ImportReport
from evaluator.traces.formats import FORMATS
from evaluator.traces.formats.base import Format, Source
from evaluator.traces.location import locate
from evaluator.traces.model import OutageStream, Trace, TraceOutage
from evaluator.traces.source import first_line
from evaluator.traces.transforms import from_first


def open_trace(
    named: str,
    *,
    format_name: str | None = None,
    mapping: str = "",
    lenient: bool = False,
    nodes: str | None = None,
    outages: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Trace:
    """The trace in a file.

    :param named: path of the file, or its path below the folder of traces (``swf/KTH-SP2-1996-2.1-cln.swf``).
    :param format_name: which importer reads it; otherwise its first line tells.
    :param mapping: which column means what, as :mod:`evaluator.traces.formats.plain` says.
    :param lenient: count and skip rows that cannot be read.
    :param nodes: another trace whose nodes are taken.
    :param outages: another trace whose outages are taken; its first outage and the first submission are then
        both at zero, since the clusters have nothing in common.
    :raises TraceError: if a file is missing, or of no known format.
    """
    trace = _open(named, format_name, mapping, lenient, environment)
    if nodes is not None:
        other = _open(nodes, None, "", lenient, environment)
        trace = dataclasses.replace(trace, nodes=other.nodes)
    if outages is not None:
        failing = from_first(_open(outages, None, "", lenient, environment))
        trace = dataclasses.replace(from_first(trace), outages=_of_another_cluster(failing))
    return trace


def _of_another_cluster(trace: Trace) -> OutageStream:
    def outages(report: ImportReport) -> Iterator[TraceOutage]:
        report.remark(
            "jobs and outages are of different clusters; the first of each comes at the same instant"
        )
        return trace.outages(report)

    return outages


def _open(
    named: str, format_name: str | None, mapping: str, lenient: bool, environment: Mapping[str, str]
) -> Trace:
    file = locate(named, environment=environment)
    header = first_line(file)
    chosen = _format(file, header, "csv" if mapping and format_name is None else format_name)
    return chosen.open(Source(file=file, lenient=lenient, header=header, mapping=mapping))


def _format(file: Path, header: str, name: str | None) -> Format:
    if name is None:
        return next((known for known in FORMATS if known.recognises(header)), None) or _unknown(file, header)
    for known in FORMATS:
        if known.name == name:
            return known
    raise TraceError(
        f"{shown(name)} is no format",
        where="--format",
        next_step=f"One of {_names()}, or none to recognise it.",
    )


def _unknown(file: Path, header: str) -> Format:
    raise TraceError(
        f"not recognised by its first line, {shown(header)}",
        where=f"{file}:1",
        next_step="Say which columns mean what by --map submit=COLUMN,run=COLUMN, or its format by --format: "
        f"{_names()}.",
    )


def _names() -> str:
    return ", ".join(known.name for known in FORMATS)
