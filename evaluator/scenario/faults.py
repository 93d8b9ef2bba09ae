"""What happens to machines: chips and nodes that fail and are repaired, drains, and failures by chance."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from evaluator.scenario.fields import MAX_CHIPS_PER_NODE, DurationText, InstantText, Item, Labels, Name
from evaluator.scenario.units import parse_duration
from fakeapi.cluster.failuremodel import OUTAGES_PER_1000_NODE_DAYS, FailureModel

Action = Literal["fail_chips", "crash", "cordon", "drain", "remove"]
"""What can happen to a node."""

LASTING: frozenset[Action] = frozenset({"fail_chips", "crash", "cordon", "drain"})
"""What can be over again: chips and machines are repaired, cordoned nodes are opened."""


class Fault(Item):
    """Something happens to one node."""

    action: Action
    node: Name
    at: InstantText
    lasts: DurationText | None = None
    """After which it works, or takes pods, again; none: for good."""
    chips: Annotated[int, Field(ge=1, le=MAX_CHIPS_PER_NODE)] | None = None
    """How many chips fail."""
    group: str | None = None
    """Faults of one common cause share it."""

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.lasts is not None and self.action not in LASTING:
            raise ValueError(f"lasts: {self.action} is for good")
        if self.lasts is not None and not parse_duration(self.lasts):
            raise ValueError("lasts = '0s': what lasts no time does not happen")
        return self

    @property
    def lasts_ns(self) -> int | None:
        """How long it lasts, in nanoseconds."""
        return None if self.lasts is None else int(parse_duration(self.lasts))


class Outage(Item):
    """All nodes with these labels crash at once: a rack loses power, a switch fails."""

    labels: Labels
    at: InstantText
    lasts: DurationText | None = None

    @field_validator("labels")
    @classmethod
    def _some(cls, value: Labels) -> Labels:
        if not value:
            raise ValueError("say which nodes: labels={'rack': 'r1'}")
        return value

    @property
    def cause(self) -> str:
        """What the nodes have in common, in words."""
        return ",".join(f"{key}={value}" for key, value in self.labels.items())


class Failures(Item):
    """Failures that are drawn with the run's seed."""

    model: Literal["recorded", "reboots", "independent"] = "recorded"
    """``recorded``: as a published record has them; ``reboots``: the same with short outages;
    ``independent``: exponential times, never together, never again."""
    per_1000_node_days: Annotated[float, Field(gt=0, le=1e6)] = OUTAGES_PER_1000_NODE_DAYS
    topology: str | None = None
    """Label of nodes: nodes that fail together have the same value."""
    at: InstantText = "0s"
    until: InstantText | None = None

    def drawn(self) -> FailureModel:
        """The model of the world."""
        given: dict[str, Any] = {"outages_per_1000_node_days": self.per_1000_node_days}
        if self.model == "independent":
            return FailureModel.independent(self.per_1000_node_days)
        found = FailureModel(**given, topology=self.topology)
        return found.reboots() if self.model == "reboots" else found
