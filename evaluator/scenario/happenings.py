"""What can be waited for, of a job: that its work began, that it came to its end."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that becomes of a pod or a Job."""

    kind: Literal["pod", "job"]
    key: str
    """``namespace/name``."""
    what: Literal["started", "finished"]
