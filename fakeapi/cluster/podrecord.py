"""What the kubelet remembers of one pod, and when the next thing will happen to it.

No store and no queue here: states, signals, and the arithmetic of instants.
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal, TypeAlias

from fakeapi.cluster.annotations import Life
from fakeapi.cluster.podstatus import SIGKILL_EXIT, SIGTERM_EXIT, Runs
from fakeapi.cluster.requests import Amounts
from fakeapi.cluster.work import Ending, Piece, Session
from fakeapi.kernel.events import Event, Rank
from fakeapi.kernel.time import MINUTE, SECOND, Duration, Instant, format_instant_micro
from fakeapi.storage.objects import Key

INITIAL_BACK_OFF: Final[Duration] = 10 * SECOND
"""Wait before the second restart of containers that keep ending (``pkg/kubelet/kubelet.go``)."""
MAX_BACK_OFF: Final[Duration] = 5 * MINUTE
"""Where the doubling of that wait ends (``MaxContainerBackOff``)."""
BACK_OFF_RESET: Final[Duration] = 10 * MINUTE
"""Containers that ran longer than this are well again: their next restart comes at once."""
_STORY_LENGTH: Final = 32
"""Signals of a pod that are remembered for the message of an illegal transition."""


CutShortBy: TypeAlias = Literal["chip_failure", "node_failure", "peer"]
"""What the world itself cuts a run short by; ``peer``: another member of its gang was lost."""


class State(Enum):
    """Where a bound pod stands; the values complete the sentence "the pod ..."."""

    STRANDED = "is bound to a node that does not exist"
    STARTING = "waits for its start delay"
    RUNNING = "runs"
    BACKING_OFF = "waits to be restarted"
    STOPPING = "was asked to stop"
    LEAVING = "is removed at this instant"
    LOST = "is on a node that is down"
    ENDED = "ended"


class Signal(Enum):
    """What can happen to a bound pod."""

    NODE_CAME = "its node was created"
    NODE_DIED = "its node went down"
    NODE_BACK = "its node came up again"
    CHIPS_FAILED = "chips that it holds failed"
    CHIPS_BACK = "chips that it holds were repaired"
    PEER_LOST = "another member of its gang was lost"
    CREATING_DUE = "its node takes notice"
    START_DUE = "its start delay is over"
    RUN_OVER = "its run time is over"
    BACK_OFF_OVER = "its back-off is over"
    STOP_DUE = "its containers have stopped"
    REMOVAL_DUE = "its object is to go"
    DELETION_ASKED = "its deletion was asked for"
    LIFE_CHANGED = "its annotations of the world changed"
    ENDED_ELSEWHERE = "somebody else wrote that it ended"
    REMOVED = "its object was removed"


class IllegalTransition(AssertionError):
    """A bug: a pod heard a signal that its state does not allow. The message is the pod's story."""


@dataclass(frozen=True, slots=True)
class PodDefaults:
    """What a pod does when its annotations do not say."""

    start_delay: Duration = 0
    """From binding to running. None at all: image pulls are what a scenario adds where it matters."""

    warm_start_delay: Duration = 0
    """The same on a node that has the pod's images."""

    stop_time: Duration = SECOND
    """From the request to stop to the end of the containers, within the grace period.

    Programs that heed their termination signal take about a second. Zero would hide that
    a victim holds its node past its deletion; the whole grace period would call every program deaf.
    """


@dataclass(frozen=True, slots=True)
class Due:
    """The one thing that will happen next to a pod by itself."""

    at: Instant
    rank: Rank
    signal: Signal
    exit_code: int = 0
    """What the containers of a stopping pod will exit with."""
    ending: Ending = Ending.CUT_SHORT
    """What that means for its work."""


@dataclass(slots=True, eq=False)
class PodRecord:
    """A bound pod, from the moment its binding is heard of until its object is removed."""

    key: Key
    uid: str
    node: str
    restart_policy: str
    life: Life
    annotations: object
    """The annotations that ``life`` was read from, to see cheaply that they did not change."""
    defaults: PodDefaults
    bound: Instant
    """When its start delay began."""
    held_since: Instant
    """When it was bound: it holds its node from then on."""
    state: State = State.STRANDED
    runs: Runs | None = None
    """None until the containers have started."""
    acknowledged: bool = False
    """The status says that the node has taken notice of the pod."""
    back_off: Duration = 0
    """The wait that the next restart costs; 0 when it comes at once."""
    stop_asked: Instant | None = None
    kill_at: Instant | None = None
    grace_s: int | None = None
    """The shortest grace period heard so far, in seconds; None while nobody asked for the deletion."""
    due: Due | None = None
    event: Event | None = None
    """``due`` in the queue."""
    warm: bool = False
    """Its node has its images."""
    requests: Amounts | None = None
    """What it takes of its node; None before its node admitted it, and after its end."""
    chips: tuple[int, ...] = ()
    """The chips of its node that it was given."""
    broken: bool = False
    """Some of these chips do not work."""
    piece: Piece | None = None
    """The work that it does; None before its first start."""
    session: Session | None = None
    """The work that its containers do now; None while they do not work."""
    joined: Duration = 0
    """The progress of that session when it took part in it."""
    kept: Duration = 0
    lost: Duration = 0
    """What became of its earlier sessions."""
    cause: CutShortBy | None = None
    """What cut its last run short, where the world knows."""
    lost_peer: tuple[Instant, str] | None = None
    """When a member of its gang was lost, and its name: it has to exit."""
    _story: deque[tuple[Instant, State, Signal]] = field(default_factory=lambda: deque(maxlen=_STORY_LENGTH))

    def remember(self, at: Instant, signal: Signal) -> None:
        """Add a signal to the story."""
        self._story.append((at, self.state, signal))

    def story(self) -> str:
        """What happened to this pod, oldest first, one line each."""
        head = f"pod {'/'.join(self.key)} ({self.uid}) on node {self.node}, which {self.state.value}"
        lines = [
            f"  {format_instant_micro(at)} {state.name} heard {signal.name}: {signal.value}"
            for at, state, signal in self._story
        ]
        return "\n".join([head, *lines])

    def restarts_after(self, exit_code: int) -> bool:
        """Whether the containers are started again when they exit with that code."""
        if self.restart_policy == "OnFailure":
            return exit_code != 0
        return self.restart_policy == "Always"

    def fell(self, at: Instant) -> bool:
        """Containers that will be restarted ended at ``at``: whether they have to wait.

        The first restart, and one after a long run, comes at once (``doBackOff`` in
        ``kuberuntime_manager.go``).
        """
        assert self.runs is not None
        if not self.back_off or at - self.runs.current.started > BACK_OFF_RESET:
            self.back_off = INITIAL_BACK_OFF
            return False
        return True

    def lengthen_back_off(self) -> None:
        """The wait was served: the next one takes twice as long, up to the maximum."""
        self.back_off = min(2 * self.back_off, MAX_BACK_OFF)

    def next_due(self) -> Due | None:
        """What will happen next to this pod if nobody interferes; None when nothing will."""
        plan = _PLANS.get(self.state)
        return None if plan is None else plan(self)

    @property
    def start_delay(self) -> Duration:
        """From binding to running."""
        life = self.life
        if self.warm and life.warm_start_delay is not None:
            return life.warm_start_delay
        if life.start_delay is not None:
            return life.start_delay
        return self.defaults.warm_start_delay if self.warm else self.defaults.start_delay

    @property
    def stop_time(self) -> Duration:
        """From the request to stop to the end."""
        stop_time = self.life.stop_time
        return self.defaults.stop_time if stop_time is None else stop_time

    def _plan_start(self) -> Due:
        if self.start_delay and not self.acknowledged:
            return Due(self.bound, Rank.POD_PROGRESSES, Signal.CREATING_DUE)
        return Due(self.bound + self.start_delay, Rank.POD_PROGRESSES, Signal.START_DUE)

    def _own_end(self) -> Instant | None:
        return None if self.session is None else self.session.end

    def _plan_end(self) -> Due | None:
        if self.lost_peer is not None:
            return Due(self.lost_peer[0], Rank.POD_ENDS, Signal.PEER_LOST)
        end = self._own_end()
        return None if end is None else Due(end, Rank.POD_ENDS, Signal.RUN_OVER)

    def _plan_restart(self) -> Due | None:
        assert self.runs is not None
        assert self.runs.current.finished is not None
        if self.broken:
            return None  # each try would fail at once
        return Due(self.runs.current.finished + self.back_off, Rank.POD_PROGRESSES, Signal.BACK_OFF_OVER)

    def _plan_stop(self) -> Due:
        """Whichever comes first; of two at one instant the gentler one is what happened."""
        assert self.stop_asked is not None
        assert self.kill_at is not None
        saved = Ending.SAVED if self.life.checkpoint_on_stop else Ending.CUT_SHORT
        ends = [
            (self.stop_asked + self.stop_time, SIGTERM_EXIT, saved),
            (self.kill_at, SIGKILL_EXIT, Ending.CUT_SHORT),
        ]
        own_end = self._own_end()
        if own_end is not None:
            ends.insert(0, (own_end, self.life.exit_code, self.own_ending))
        at, exit_code, ending = min(ends, key=lambda end: end[0])
        return Due(at, Rank.POD_ENDS, Signal.STOP_DUE, exit_code, ending)

    @property
    def own_ending(self) -> Ending:
        """How its work ends when nobody cuts it short."""
        return Ending.FAILED if self.life.exit_code else Ending.FINISHED

    def _plan_removal(self) -> Due:
        return Due(self.bound, Rank.POD_ENDS, Signal.REMOVAL_DUE)


_PLANS: Final = {
    State.STARTING: PodRecord._plan_start,
    State.RUNNING: PodRecord._plan_end,
    State.BACKING_OFF: PodRecord._plan_restart,
    State.STOPPING: PodRecord._plan_stop,
    State.LEAVING: PodRecord._plan_removal,
}
