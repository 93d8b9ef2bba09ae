"""The rules of a gate, as ``gates.toml`` writes them.

::

    [[gate]]
    metric = "deadline_miss_rate"
    at_most = 0.02                 # or at_least

    [[gate]]
    metric = "wait_p99"
    scheduler = "lst"              # only runs of this scheduler; scenario = "…" likewise
    no_worse_than_baseline = true  # needs a baseline
    slack = 0.05                   # share of the baseline's median by which it may be worse

Every metric of a result is one of virtual time: what a run cost in real time is shown and never judged.
"""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from evaluator.errors import FileFormatError, describe_problems
from evaluator.scenario.measures import QUANTITIES

Bound = Annotated[float, Field(allow_inf_nan=False)]


class Rule(BaseModel):
    """One gate: a metric, and what it must hold to in every run that it concerns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    metric: str
    scenario: str | None = None
    """Only runs of this scenario; none: of every scenario."""
    scheduler: str | None = None
    """Only runs of this scheduler; none: of every scheduler."""
    at_most: Bound | None = None
    at_least: Bound | None = None
    no_worse_than_baseline: bool = False
    slack: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Share of the baseline's median by which a run may be worse than the baseline ever was."""

    @field_validator("metric")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in QUANTITIES:
            raise ValueError(f"no such metric; there are {', '.join(sorted(QUANTITIES))}")
        return value

    @model_validator(mode="after")
    def _judges_something(self) -> "Rule":
        if self.at_most is None and self.at_least is None and not self.no_worse_than_baseline:
            raise ValueError("give at_most, at_least or no_worse_than_baseline = true")
        if self.slack and not self.no_worse_than_baseline:
            raise ValueError("slack is for no_worse_than_baseline = true")
        return self

    def concerns(self, scenario: str, scheduler: str) -> bool:
        """Whether runs of this scenario with this scheduler are judged by it."""
        return self.scenario in (None, scenario) and self.scheduler in (None, scheduler)


class Rules(BaseModel):
    """All gates of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gate: tuple[Rule, ...] = ()


def read_rules(path: Path) -> Rules:
    """The rules in a file.

    :raises FileFormatError: with file and field, if it cannot be read or breaks the schema.
    """
    try:
        return Rules.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        why, hint = f"cannot read the rules: {error.strerror}", "Give a file with [[gate]] tables."
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        why, hint = f"not TOML: {error}", "Each gate is a [[gate]] table."
    except ValidationError as error:
        why, hint = "; ".join(describe_problems(error)), "Each gate is a [[gate]] table."
    raise FileFormatError(why, where=str(path), next_step=hint)
