"""How often hardware fails, how it fails, and for how long: figures, and where they are from.

The defaults describe clusters of training machines as they were published:

- *InfiniteHBD*: 400 servers of GPUs, 348 days (Shou et al., SIGCOMM 2025; ``stepfun-ai/InfiniteHBD-Trace``).
  582 outages, 4.18 in 1,000 node-days. They last 20.4 h in the median and 133 h in the mean, which is a
  log-normal distribution with a 99th percentile of 1,840 h (recorded: 2,042 h). 584 faults begin at 529
  instants: 499 alone, the others together with up to seven (:data:`TOGETHER`), and those that began
  together were mostly repaired together. After a repair the next fault of the same node comes within a day
  in 37 % of all cases. Of the 298 faults of hardware 158 are of GPUs: 53 %.
- *Llama 3*: 419 unexpected interruptions in 54 days on 16,384 H100 (arXiv 2407.21783): 3.79 in 1,000
node-days of
  eight GPUs; 220 of them GPUs or their memory: 52.5 %.
- Meta's RSC-1 and RSC-2 (arXiv 2410.21680): 6.50 and 2.34 in 1,000 node-days. Los Alamos, systems of four-way
  nodes, 1996 to 2005: 3.0 to 3.6.

How many chips a fault of chips takes is not published: :data:`CHIPS_AT_ONCE` is an assumption, and says so.

A repair of 20 h is what it takes to replace a part. Where an outage is a reboot it is an order of
magnitude shorter: :meth:`FailureModel.reboots`. Failures that know nothing of each other, with repairs
without a tail, are what textbooks assume and no record shows: :meth:`FailureModel.independent`.
"""

from dataclasses import dataclass, replace
from math import exp, log, sqrt
from typing import Final, Literal, Self, TypeAlias

from fakeapi.kernel.chance import Chance
from fakeapi.kernel.time import DAY, HOUR, MINUTE, SECOND, Duration

Weights: TypeAlias = tuple[tuple[int, float], ...]
"""(how many, how often) with any sum."""

TOGETHER: Final[Weights] = ((1, 499), (2, 20), (3, 5), (4, 2), (6, 1), (8, 2))
"""Nodes that fail at one instant: how often so many did (InfiniteHBD)."""
CHIPS_AT_ONCE: Final[Weights] = ((1, 90), (2, 7), (4, 2), (8, 1))
"""Chips that one fault of chips takes: an assumption. Most faults (memory, a chip lost) are of one chip;
links and boards take a few along."""
OUTAGES_PER_1000_NODE_DAYS: Final = 4.18
REPAIR_MEDIAN: Final[Duration] = 20 * HOUR + 24 * MINUTE
REPAIR_MEAN: Final[Duration] = 133 * HOUR
AGAIN_SHARE: Final = 0.37
CHIP_SHARE: Final = 0.53
REBOOT_MEAN: Final[Duration] = 2 * HOUR + 12 * MINUTE
"""Mean time to recover of H100 nodes on Delta (arXiv 2503.11901, second-hand, from a model fitted to it)."""
REBOOT_MEDIAN: Final[Duration] = HOUR
"""Median outage at Los Alamos, 1996 to 2005: 59 minutes."""
_NODES: Final = 1000


@dataclass(frozen=True, slots=True)
class FailureModel:
    """What is drawn. The defaults are InfiniteHBD's, see the module."""

    outages_per_1000_node_days: float = OUTAGES_PER_1000_NODE_DAYS
    """All outages of nodes and chips, those together and those again included."""
    repair_median: Duration = REPAIR_MEDIAN
    repair_mean: Duration = REPAIR_MEAN
    repair: Literal["lognormal", "exponential"] = "lognormal"
    """Exponential repairs have the mean alone."""
    together: Weights = TOGETHER
    """How many nodes fail at one instant."""
    topology: str | None = None
    """Label of nodes, such as a rack's: nodes that fail together have the same value. None: they are any."""
    again_share: float = AGAIN_SHARE
    """Share of repairs after which the same fault comes back."""
    again_within: Duration = DAY
    """When it comes back: at any time up to this one after the repair, with equal chance."""
    chip_share: float = CHIP_SHARE
    """Share of outages that take chips and not the whole node; nodes that fail together fail as a whole."""
    chips_at_once: Weights = CHIPS_AT_ONCE

    def __post_init__(self) -> None:
        _require(self.outages_per_1000_node_days > 0, "outages_per_1000_node_days", "greater than 0")
        _require(self.repair_median > 0, "repair_median", "longer than 0s")
        _require(self.repair_mean >= self.repair_median, "repair_mean", "no shorter than repair_median")
        _require(0 <= self.again_share < 1, "again_share", "at least 0 and less than 1")
        _require(self.again_within > 0, "again_within", "longer than 0s")
        _require(0 <= self.chip_share <= 1, "chip_share", "from 0 to 1")
        for name in ("together", "chips_at_once"):
            weights: Weights = getattr(self, name)
            sound = bool(weights) and all(count >= 1 and weight >= 0 for count, weight in weights)
            _require(sound and sum(weight for _, weight in weights) > 0, name, "counts from 1 with weights")

    @classmethod
    def independent(cls, outages_per_1000_node_days: float = OUTAGES_PER_1000_NODE_DAYS) -> Self:
        """Exponential times between failures and of repair; never together, never again."""
        return cls(
            outages_per_1000_node_days=outages_per_1000_node_days,
            repair="exponential",
            together=((1, 1),),
            again_share=0,
        )

    def reboots(self) -> "FailureModel":
        """The same failures, after which a node boots again and nothing has to be replaced."""
        return replace(self, repair_median=REBOOT_MEDIAN, repair_mean=REBOOT_MEAN)

    @property
    def causes_per_node_ns(self) -> float:
        """First causes for each nanosecond of each node; a cause takes several nodes, and may come back."""
        outages = self.outages_per_1000_node_days / _NODES / DAY
        return outages * (1 - self.again_share) / self._mean_together

    @property
    def _mean_together(self) -> float:
        return sum(count * weight for count, weight in self.together) / sum(w for _, w in self.together)

    @property
    def chip_share_of_single(self) -> float:
        """The share of chips among outages of a single node that makes :attr:`chip_share` of all."""
        alone = sum(weight for count, weight in self.together if count == 1)
        share = alone / sum(count * weight for count, weight in self.together)
        return min(1.0, self.chip_share / share) if share else 0.0


class Draws:
    """What a model draws, each purpose from a generator of its own."""

    def __init__(self, model: FailureModel, chance: Chance) -> None:
        self.model: Final = model
        self._when = chance.stream("failures/when")
        self._what = chance.stream("failures/what")
        self._where = chance.stream("failures/where")
        self._repair = chance.stream("failures/repair")
        self._again = chance.stream("failures/again")

    def hazard(self) -> float:
        """How much must gather until the next cause: node-nanoseconds × rate, one in the mean."""
        return self._when.expovariate(1.0)

    def together(self) -> int:
        """How many nodes fail."""
        return _weighted(self.model.together, self._what.random())

    def takes_chips(self) -> bool:
        """Whether the outage of a single node takes chips alone."""
        return self._what.random() < self.model.chip_share_of_single

    def chips(self) -> int:
        """How many chips it takes."""
        return _weighted(self.model.chips_at_once, self._what.random())

    def index(self, count: int) -> int:
        """One of so many."""
        return self._where.randrange(count)

    def repair(self) -> Duration:
        """How long it takes until what failed works again; a second at least."""
        model = self.model
        if model.repair == "exponential":
            length = self._repair.expovariate(1.0) * model.repair_mean
        else:
            # Of a log-normal distribution: median exp(mu), mean exp(mu + sigma^2 / 2).
            sigma = sqrt(2 * log(model.repair_mean / model.repair_median))
            length = model.repair_median * exp(self._repair.gauss(0.0, sigma))
        return max(SECOND, int(length))

    def again(self) -> Duration | None:
        """How long after its repair the fault comes back; None when it does not."""
        if self._again.random() >= self.model.again_share:
            return None
        return max(SECOND, int(self._again.random() * self.model.again_within))


def _weighted(weights: Weights, chance: float) -> int:
    left = chance * sum(weight for _, weight in weights)
    for count, weight in weights:
        left -= weight
        if left < 0:
            return count
    return weights[-1][0]


def _require(holds: bool, name: str, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name} must be {wanted}")
