"""Types of the fields of a scenario's items: what may be written, and what it becomes."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator

from evaluator.scenario.units import (
    Bytes,
    CpuMilli,
    Duration,
    Instant,
    format_bytes,
    format_cpu,
    format_duration,
    format_moment,
    parse_bytes,
    parse_cpu,
    parse_duration,
    parse_instant,
)

MAX_CHIPS_PER_NODE = 4096
"""Chips of one node; the largest machines sold as one node have fewer than a hundred."""

MAX_NAME = 253
"""Characters of an object's name (a DNS subdomain, RFC 1123)."""

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def _name(value: str) -> str:
    if len(value) > MAX_NAME or not _SUBDOMAIN.fullmatch(value):
        raise ValueError("not a Kubernetes name; use lower-case letters, digits, '-' and '.'")
    return value


Name: TypeAlias = Annotated[str, AfterValidator(_name)]
"""Name of an object, as Kubernetes accepts it."""

LabelValue: TypeAlias = Annotated[
    str, Field(max_length=63, pattern=r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$")
]
"""Value of a label, as Kubernetes accepts it."""

DurationText: TypeAlias = Annotated[
    str | timedelta | Duration,
    PlainValidator(parse_duration, json_schema_input_type=str),
    PlainSerializer(format_duration, return_type=str),
]
"""A length of time: ``"90m"``, ``"1h30m"`` or a ``timedelta``."""

InstantText: TypeAlias = Annotated[
    str | timedelta | datetime | Instant,
    PlainValidator(parse_instant, json_schema_input_type=str),
    PlainSerializer(format_moment, return_type=str),
]
"""A point in time: a duration since its origin (``"90m"``), or RFC 3339 (``"2026-01-05T09:00:00Z"``)."""

CpuText: TypeAlias = Annotated[
    str | float | CpuMilli,
    PlainValidator(parse_cpu, json_schema_input_type=str),
    PlainSerializer(format_cpu, return_type=str),
]
"""CPU: a number of cores, or ``"500m"``."""

BytesText: TypeAlias = Annotated[
    str | Bytes,
    PlainValidator(parse_bytes, json_schema_input_type=str),
    PlainSerializer(format_bytes, return_type=str),
]
"""Memory: ``"2Gi"``."""

Chips: TypeAlias = Annotated[int, Field(ge=0, le=MAX_CHIPS_PER_NODE)]
"""Whole accelerators."""

Labels: TypeAlias = Mapping[str, LabelValue]
"""Labels of an object."""


class Item(BaseModel):
    """Something that a scenario says."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False, validate_default=True
    )
