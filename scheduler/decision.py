"""A decision and its reasons, as a record: what logs and ``explain`` show."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from scheduler.model import PodRef


class Loss(NamedTuple):
    """A workload that had to give way, and what that costs.

    Attributes:
        name: the workload: ``namespace/name`` of a pod, or of a gang.
        pods: its pods that end.
        chip_time: nanoseconds of run time that are done again, restart included, times the chips it holds.
        slack: what was left of its slack, in nanoseconds; None without a stated deadline.
    """

    name: str
    pods: tuple[PodRef, ...]
    chip_time: int
    slack: int | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Why this pod, this node, this moment.

    Attributes:
        kind: what was decided: a pod is bound; workloads are preempted for it; half a gang is undone.
        at: when, to the second.
        pod: for whom; of a gang its first member.
        gang: the gang's name, empty for a pod on its own.
        nodes: where: one node, or one for each member of the gang.
        policy: the order that was in force.
        slack: nanoseconds of slack at that moment; None without a deadline.
        position: the place in the order among the workloads that were tried with it, from 1.
        considered: how many those were.
        why: why this node, or why now: a clause for people.
        victims: who had to give way.
        violations: disruption budgets that had to be violated, by pods.
    """

    kind: Literal["bind", "preempt", "undo"]
    at: int
    pod: PodRef
    gang: str
    nodes: tuple[str, ...]
    policy: str
    slack: int | None
    position: int
    considered: int
    why: str
    victims: tuple[Loss, ...] = ()
    violations: int = 0

    def to_json(self) -> dict[str, Any]:
        """All of it, for a machine. Spans are nanoseconds."""
        return {
            "kind": self.kind,
            "at": self.at,
            "pod": f"{self.pod.namespace}/{self.pod.name}",
            "uid": self.pod.uid,
            "gang": self.gang,
            "nodes": list(self.nodes),
            "policy": self.policy,
            "slack_ns": self.slack,
            "position": self.position,
            "considered": self.considered,
            "why": self.why,
            "victims": [
                {
                    "name": loss.name,
                    "pods": [f"{pod.namespace}/{pod.name}" for pod in loss.pods],
                    "chip_time_ns": loss.chip_time,
                    "slack_ns": loss.slack,
                }
                for loss in self.victims
            ],
            "violations": self.violations,
        }
