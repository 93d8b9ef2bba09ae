"""The words of a scenario for what happens to its machines."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Literal, TypeVar

from evaluator.scenario.faults import Action, Failures, Fault, Outage
from evaluator.scenario.units import Moment, Span
from fakeapi.cluster.failuremodel import OUTAGES_PER_1000_NODE_DAYS

_F = TypeVar("_F", Fault, Outage, Failures)


class MachineWords(ABC):
    """Chips and machines fail and come back, are drained, leave."""

    @abstractmethod
    def _take_in(self, kind: type[_F], given: Mapping[str, object]) -> _F:
        """Make an item of these fields, unset ones left out, and place it."""

    def fail_chips(self, node: str, chips: int = 1, *, at: Moment, repair_after: Span | None = None) -> Fault:
        """Chips of a node stop working; the pods on them die, and no others.

        :param chips: how many.
        :param repair_after: after which they work again; none: never.
        """
        return self._fault("fail_chips", node, at, repair_after, chips)

    def crash(self, node: str, *, at: Moment, recover_after: Span | None = None) -> Fault:
        """A machine goes down without a word.

        :param recover_after: after which it is back; none: never.
        """
        return self._fault("crash", node, at, recover_after)

    def outage(self, labels: Mapping[str, str], *, at: Moment, recover_after: Span | None = None) -> Outage:
        """All machines with these labels go down at once: a rack loses power, a switch fails.

        :param recover_after: after which they are back; none: never.
        """
        given = {"labels": labels, "at": at, "lasts": recover_after}
        return self._take_in(Outage, given)

    def cordon(self, node: str, *, at: Moment, open_after: Span | None = None) -> Fault:
        """A node takes no more pods; those on it stay.

        :param open_after: after which it takes pods again; none: never.
        """
        return self._fault("cordon", node, at, open_after)

    def drain(self, node: str, *, at: Moment, open_after: Span | None = None) -> Fault:
        """A node takes no more pods, and those on it are evicted as their disruption budgets let them.

        :param open_after: after which it takes pods again, as after maintenance; none: never.
        """
        return self._fault("drain", node, at, open_after)

    def remove_node(self, node: str, *, at: Moment) -> Fault:
        """A node leaves the cluster, with all that runs on it."""
        return self._fault("remove", node, at, None)

    def failures(
        self,
        model: Literal["recorded", "reboots", "independent"] = "recorded",
        *,
        per_1000_node_days: float = OUTAGES_PER_1000_NODE_DAYS,
        topology: str | None = None,
        at: Moment = "0s",
        until: Moment | None = None,
    ) -> Failures:
        """Chips and machines fail by chance, drawn with the run's seed, and are repaired.

        :param model: ``recorded``: as often, as long, as many together and as repeatedly as a published
            record of 400 machines has it; ``reboots``: the same with outages of an hour or two;
            ``independent``: exponential times, never together, never again, as no record looks.
        :param per_1000_node_days: outages of chips and machines in 1,000 days of a node.
        :param topology: a label of nodes; those that fail together have the same value of it.
        :param until: when the last may begin; none: as long as the run lasts.
        """
        return self._take_in(Failures, locals())

    def _fault(
        self, action: Action, node: str, at: Moment, lasts: Span | None, chips: int | None = None
    ) -> Fault:
        return self._take_in(
            Fault, {"action": action, "node": node, "at": at, "lasts": lasts, "chips": chips}
        )
