"""Launch profiles: what a kind of scheduler needs to be started, and how its time works.

A profile knows the scheduler's command line, the files written for it, the name that
pods ask for, how its sleeping threads are woken after a jump, and which of its own
timers decide anything.
"""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evaluator.errors import UsageError
from evaluator.schedulers.binaries import find_kube_scheduler
from evaluator.schedulers.configs import kube_scheduler_config
from evaluator.wakeups import WakeupRules
from evaluator.warp.clock import ClockMode
from evaluator.warp.threads import Kick
from fakeapi.kernel.time import DAY, MILLISECOND, SECOND, Duration


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """What a profile may put into a command line."""

    kubeconfig: Path
    folder: Path
    """A folder of this run's own, for files that the scheduler reads."""
    binary: Path | None = None
    """Where the user says the program is (``--scheduler-bin``)."""


@dataclass(frozen=True, slots=True)
class LaunchProfile:
    """How one kind of scheduler is started and how its time works."""

    name: str
    scheduler_name: str
    """``spec.schedulerName`` of the pods that it schedules."""
    command: Callable[[LaunchContext], list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    clock: ClockMode = ClockMode.RUNNING
    kick: Kick | None = None
    """How sleeping threads are woken after a jump; None: found out from the program."""
    wakeups: WakeupRules = field(default_factory=WakeupRules)
    """Which of the scheduler's own wake-ups are visited."""
    quiet: Duration = 300 * MILLISECOND
    """Real silence after start-up that is taken for readiness; later wake-ups mend a wrong guess."""


def _kube_scheduler(context: LaunchContext) -> list[str]:
    config = context.folder / "kube-scheduler.yaml"
    config.write_text(kube_scheduler_config(context.kubeconfig))
    binary = find_kube_scheduler(context.binary)
    return [
        str(binary),
        f"--config={config}",
        # The fake server authenticates nobody, so there is nothing to look up; no second port to serve.
        "--authentication-skip-lookup=true",
        "--secure-port=0",
    ]


def _lst(flags: Sequence[str]) -> Callable[[LaunchContext], list[str]]:
    def command(context: LaunchContext) -> list[str]:
        program = [str(context.binary)] if context.binary else [sys.executable, "-m", "scheduler"]
        return [*program, f"--kubeconfig={context.kubeconfig}", *flags]

    return command


GO_ENVIRONMENT: Final = {"GOGC": "off", "GOMEMLIMIT": "1500MiB"}
"""Go forces a collection whenever two minutes have passed, which every jump of the clock makes
true. Without the periodic collector only the memory limit starts one; 1.5 GiB hold a large cluster."""

KUBE_SCHEDULER: Final = LaunchProfile(
    name="kube-scheduler",
    scheduler_name="default-scheduler",
    command=_kube_scheduler,
    environment=GO_ENVIRONMENT,
    kick=Kick.GO,
    # Its longest back-off is 10 s and its back-off queue is looked through once a second; timers in
    # between only count things. A new pod is tried at once and waits for no timer.
    wakeups=WakeupRules(horizon=10 * SECOND, step=SECOND, after_arrivals=False),
)

_LST_GATHER: Final = 50 * MILLISECOND
"""Longer than the window in which our scheduler gathers changes before it decides (10 ms)."""


_EVER: Final = 365 * DAY
"""As long as any run: while pods wait."""


def _own(name: str, *flags: str, horizon: Duration = _LST_GATHER) -> LaunchProfile:
    """Our scheduler with these flags; without any, with the policy of that name."""
    return LaunchProfile(
        name=name,
        scheduler_name="lst-scheduler",
        command=_lst(flags or (f"--policy={name}",)),
        clock=ClockMode.FROZEN,
        kick=Kick.EPOLL,
        wakeups=WakeupRules(horizon=horizon, step=0),
        quiet=20 * MILLISECOND,
    )


PROFILES: Final[Mapping[str, LaunchProfile]] = {
    profile.name: profile
    for profile in (
        _own("lst"),
        _own("edf"),
        _own("sjf"),
        _own("priority"),
        _own("fifo"),
        # Looks again when slack runs out: of its timers each one may matter.
        _own("lst-preempt", "--policy=lst", "--preempt=any", horizon=_EVER),
        _own("lst-utilization", "--policy=lst", "--pack=utilization"),
        KUBE_SCHEDULER,
    )
}


def profile_named(name: str) -> LaunchProfile:
    """The built-in profile of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROFILES:
        raise UsageError(
            f"--scheduler = {name!r}: there is no such scheduler",
            next_step=f"Choose one of {', '.join(PROFILES)}, or give any command with --scheduler-cmd.",
        )
    return PROFILES[name]


def custom_profile(command: str, scheduler_name: str) -> LaunchProfile:
    """A profile for any command; ``{kubeconfig}`` in it is replaced by the path of a kubeconfig.

    Raises:
        UsageError: the command cannot be split into words or does not name ``{kubeconfig}``.
    """
    words = _words(command)
    return LaunchProfile(
        name=Path(words[0]).name,
        scheduler_name=scheduler_name,
        command=lambda context: [word.replace("{kubeconfig}", str(context.kubeconfig)) for word in words],
        environment=GO_ENVIRONMENT,
    )


def _words(command: str) -> Sequence[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--scheduler-cmd = {command!r}: {error}", next_step="Close the quotes.") from None
    if not any("{kubeconfig}" in word for word in words):
        raise UsageError(
            f"--scheduler-cmd = {command!r}: nothing says where the kubeconfig goes",
            next_step="Write {kubeconfig} where the scheduler expects its path.",
        )
    return words
