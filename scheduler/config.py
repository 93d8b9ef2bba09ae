"""What can be set about the scheduler."""

from dataclasses import dataclass
from pathlib import Path

from scheduler.laxity import DEFAULT_PREFIX, AnnotationKeys, DefaultClass
from scheduler.placement import BEST_FIT, Packing
from scheduler.policy import LEAST_SLACK, Policy
from scheduler.rules import PreemptionRules
from scheduler.timetext import MILLISECOND

DEFAULT_NAME = "lst-scheduler"
DEFAULT_CHIP = "nvidia.com/gpu"

DEFAULT_GATHER = 10 * MILLISECOND
"""Long enough that all pods of a job, and all events of one moment, are decided together; short beside a
pod's start-up, which takes seconds."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The scheduler's settings.

    Attributes:
        kubeconfig: the file that says how to reach the API server; None to find out (see ``kube.access``).
        scheduler_name: pods with this ``spec.schedulerName`` are ours.
        policy: the order in which pending pods get their turn.
        packing: which of the nodes on which a pod fits gets it.
        annotation_prefix: what the names of the annotations with a pod's timing begin with.
        default_deadline: deadline, in nanoseconds after creation, of pods that state none; None for no
            deadline.
        chip_kinds: the extended resources that are chips.
        preemption: when running pods may be taken for others; None for never.
        gather: how long to wait, in nanoseconds, for more changes after the first one before deciding.
    """

    kubeconfig: Path | None = None
    scheduler_name: str = DEFAULT_NAME
    policy: Policy = LEAST_SLACK
    packing: Packing = BEST_FIT
    annotation_prefix: str = DEFAULT_PREFIX
    default_deadline: int | None = None
    chip_kinds: tuple[str, ...] = (DEFAULT_CHIP,)
    preemption: PreemptionRules | None = None
    gather: int = DEFAULT_GATHER

    @property
    def annotation_keys(self) -> AnnotationKeys:
        """The full names of the annotations."""
        return AnnotationKeys.under(self.annotation_prefix)

    @property
    def default_class(self) -> DefaultClass:
        """What holds for pods without a stated deadline."""
        return DefaultClass(self.default_deadline)
