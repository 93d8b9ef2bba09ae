"""What can be set about the scheduler: plain values, each with its default.

Where they come from is the matter of ``commandline`` (flags) and ``configfile`` (YAML).
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from scheduler.laxity import DEFAULT_PREFIX, AnnotationKeys, DefaultClass
from scheduler.placement import BEST_FIT, Packing
from scheduler.policy import LEAST_SLACK, Policy
from scheduler.rules import PreemptionRules
from scheduler.timetext import MILLISECOND, SECOND

DEFAULT_NAME = "lst-scheduler"
DEFAULT_CHIP = "nvidia.com/gpu"

DEFAULT_GATHER = 10 * MILLISECOND
"""Long enough that all pods of a job, and all events of one moment, are decided together; short beside a
pod's start-up, which takes seconds."""

LOG_LEVELS = ("debug", "info", "warning", "error")
LOG_FORMATS = ("text", "json")

JITTER = 1.2
"""How much longer than the retry period a standby waits at most, as a factor in addition (client-go)."""


class Victims(enum.Enum):
    """Which running pods may be ended for a more urgent one."""

    NEVER = "never"
    """None."""
    CONTROLLED = "controlled"
    """Those whose controller makes them again."""
    ANY = "any"
    """These, and pods without a controller, whose work is lost."""


@dataclass(frozen=True, slots=True)
class ElectionSettings:
    """Leader election over a Lease, with client-go's meaning and defaults. Spans are nanoseconds.

    Attributes:
        enabled: only the process that holds the Lease decides.
        namespace: where the Lease is.
        name: what it is called.
        lease_duration: how long the others wait after the last renewal that they saw before they take it.
        renew_deadline: how long the holder tries to renew it before it gives up, and the process ends.
        retry_period: the pause between two tries.
    """

    enabled: bool = False
    namespace: str = "kube-system"
    name: str = DEFAULT_NAME
    lease_duration: int = 15 * SECOND
    renew_deadline: int = 10 * SECOND
    retry_period: int = 2 * SECOND

    def problem(self) -> str:
        """What does not fit together, empty when all does (the conditions are client-go's)."""
        if self.lease_duration < SECOND or self.lease_duration % SECOND:
            return "leaseDuration has to be whole seconds, at least one: a Lease holds no other"
        if self.lease_duration <= self.renew_deadline:
            return "leaseDuration has to be longer than renewDeadline"
        if self.retry_period <= 0 or self.renew_deadline <= round(JITTER * self.retry_period):
            return f"renewDeadline has to be longer than {JITTER} times retryPeriod, and that more than 0"
        return ""


@dataclass(frozen=True, slots=True)
class Settings:
    """The scheduler's settings. Spans are nanoseconds.

    Attributes:
        kubeconfig: the file that says how to reach the API server; None to find out (see ``kube.access``).
        scheduler_name: pods with this ``spec.schedulerName`` are ours.
        policy: the order in which pending pods get their turn.
        packing: which of the nodes on which a pod fits gets it.
        annotation_prefix: what the names of the annotations with a pod's timing begin with.
        annotation_names: annotations with a name of their own, by field of ``AnnotationKeys``.
        record_decisions: each binding writes its reasons into an annotation of the pod.
        default_deadline: deadline after creation of pods that state none; None for no deadline.
        default_duration: expected run time of pods that state none; None for unknown.
        chip_kinds: the extended resources that are chips.
        victims: which running pods may be taken for others.
        rules: when they may.
        gather: how long to wait for more changes after the first one before deciding.
        concurrent_writes: how many requests that change something may be under way at once.
        election: whether and how one of several processes is chosen to decide.
        listen: host and port for health and metrics; None to serve neither.
        log_level: the least severity that is logged, one of ``LOG_LEVELS``.
        log_format: how, one of ``LOG_FORMATS``.
    """

    kubeconfig: Path | None = None
    scheduler_name: str = DEFAULT_NAME
    policy: Policy = LEAST_SLACK
    packing: Packing = BEST_FIT
    annotation_prefix: str = DEFAULT_PREFIX
    annotation_names: Mapping[str, str] = field(default_factory=dict)
    record_decisions: bool = True
    default_deadline: int | None = None
    default_duration: int | None = None
    chip_kinds: tuple[str, ...] = (DEFAULT_CHIP,)
    victims: Victims = Victims.NEVER
    rules: PreemptionRules = field(default_factory=PreemptionRules)
    gather: int = DEFAULT_GATHER
    concurrent_writes: int = 1
    election: ElectionSettings = field(default_factory=ElectionSettings)
    listen: tuple[str, int] | None = None
    log_level: str = "info"
    log_format: str = "text"

    @property
    def annotation_keys(self) -> AnnotationKeys:
        """The full names of the annotations."""
        return replace(AnnotationKeys.under(self.annotation_prefix), **self.annotation_names)

    @property
    def default_class(self) -> DefaultClass:
        """What holds for pods that do not say it themselves."""
        return DefaultClass(self.default_deadline, self.default_duration)

    @property
    def preemption(self) -> PreemptionRules | None:
        """When running pods may be taken for others; None for never."""
        if self.victims is Victims.NEVER:
            return None
        return replace(self.rules, unmanaged=self.victims is Victims.ANY)
