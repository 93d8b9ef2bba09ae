"""One measured figure."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Better: TypeAlias = Literal["lower", "higher", "none"]
"""Which direction of a metric is an improvement; ``none`` where it is only a fact."""


class Metric(BaseModel):
    """One measured figure, with all that is needed to read it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    value: float | None = Field(description="null where there was nothing to measure")
    unit: str = Field(description="s, ratio, 1/h, jobs …")
    better: Better
    definition: str = Field(default="", description="what exactly was computed")
