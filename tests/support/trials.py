"""Trials without a scheduler's process: a pace whose scheduler is a function, played in the same loop."""

from collections.abc import Callable

from evaluator.pace.fidelity import Fidelity
from evaluator.pace.pace import Proof
from evaluator.trial import Trial
from fakeapi.kernel.time import Instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.registry.pods import bind

Scheduler = Callable[[Trial], int]
"""Schedules what it can in a trial's world and returns how many requests that would have been."""


class InstantPace:
    """Idle as soon as its scheduler has had its turn; ``timers`` are the offsets of its own wake-ups."""

    name = "instant"

    def __init__(self, trial: Trial, scheduler: Scheduler, timer: int | None = None) -> None:
        self.fidelity = Fidelity(self.name)
        self.jumps: list[Instant] = []
        self.requests = 0
        self._trial = trial
        self._scheduler = scheduler
        self._timer = timer

    async def idle(self) -> Proof:
        """Let the scheduler work."""
        self.requests += self._scheduler(self._trial)
        return Proof(guessed=False, waited=0, cpu=0, method="none")

    async def begin_instant(self) -> None:
        """Nothing to hold."""

    def jump(self, to: Instant) -> None:
        """Note where time went."""
        self.jumps.append(to - self._trial.scenario.start_ns)

    async def end_instant(self) -> None:
        """Nothing to let go."""

    def next_wakeup(self) -> Instant | None:
        """The next multiple of the timer's period."""
        if self._timer is None:
            return None
        return (self._trial.clock.now() // self._timer + 1) * self._timer

    def close(self) -> None:
        """Nothing to let go."""


def first_fit(trial: Trial) -> int:
    """Bind every waiting pod, in order of name, to the first node that takes it with enough free chips."""
    store, bound = trial.world.store, 0
    free = {
        version.key[1]: int(version.object["status"]["allocatable"].get("nvidia.com/gpu", 0))
        for version in store.iterate(NODES.storage_key)
        if not version.object["spec"].get("unschedulable") and not version.object["spec"].get("taints")
    }
    waiting = []
    for version in store.iterate(PODS.storage_key):
        pod = version.object
        chips = int(pod["spec"]["containers"][0]["resources"]["requests"].get("nvidia.com/gpu", 0))
        if node := pod["spec"].get("nodeName"):
            if pod["status"]["phase"] not in ("Succeeded", "Failed") and node in free:
                free[node] -= chips
        elif "deletionTimestamp" not in pod["metadata"]:
            waiting.append((version.key, chips))
    for (namespace, name), chips in waiting:
        node = next((node for node, left in free.items() if left >= chips), None)
        if node is not None:
            free[node] -= chips
            bind(
                trial.world.registry, namespace, name, {"metadata": {"name": name}, "target": {"name": node}}
            )
            bound += 1
    return bound


def idle_scheduler(_: Trial) -> int:
    """Schedule nothing."""
    return 0
