"""The shell around the decision core: feeds it what happens, performs what it decides, and waits in between.

It has no periodic work. While nothing is pending, or nothing changed that could help, no timer exists and the
process sleeps until the API server says something.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from scheduler.clock import Clock
from scheduler.config import Settings
from scheduler.kube.client import NODES, PODS, Client
from scheduler.kube.objects import Reader, node_of
from scheduler.kube.pauses import Pauses
from scheduler.kube.reflector import Reflector
from scheduler.messages import (
    Action,
    BackOff,
    BackOffOver,
    Gather,
    Happening,
    NodeGone,
    NodeSeen,
    NodesListed,
    PodGone,
    PodSeen,
    PodsListed,
    Wake,
    WindowOver,
    Woken,
)
from scheduler.model import Node, Task
from scheduler.state import Core
from scheduler.timetext import SECOND
from scheduler.writer import Writer

_log = logging.getLogger(__name__)

QUIET_TURNS = 3
"""Turns of the event loop to feed what has arrived: one reads the socket, one wakes the reader, one spare."""

MOST_LOOKS = 10_000
"""Bounds the reading before a round, so that a flood of changes cannot put it off for ever."""

Object = Mapping[str, Any]

_MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError)
"""What reading an object fails with when it is not what an API server would serve."""


class Runtime:
    """A running scheduler."""

    def __init__(self, settings: Settings, client: Client, clock: Clock, pauses: Pauses) -> None:
        """``pauses``: how long to wait after failed requests."""
        self._clock = clock
        self._gather_s = settings.gather / SECOND
        self._core = Core(settings.policy, settings.chip_kinds, settings.packing, settings.preemption)
        self._reader = Reader(settings.scheduler_name, settings.annotation_keys, settings.default_class)
        self._writer = Writer(client, self._feed, self._pod_read, pauses, clock.now)
        self._pods = Reflector(client, PODS, self._pods_listed, self._pod_changed, pauses)
        self._nodes = Reflector(client, NODES, self._nodes_listed, self._node_changed, pauses)
        self._timed: asyncio.Queue[Happening] = asyncio.Queue()
        self._alarm: asyncio.TimerHandle | None = None
        """The timer that the core has asked for, of which there is at most one."""

    async def run(self) -> None:
        """Schedule until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for work in (self._nodes.run, self._pods.run, self._writer.run, self._feed_timed):
                tasks.create_task(work())

    def _feed(self, event: Happening) -> None:
        now = self._clock.now()
        for action in self._core.handle(event, now):
            self._perform(action, now)

    def _perform(self, action: Action, now: int) -> None:
        if isinstance(action, Gather):
            self._feed_after(self._gather_s, WindowOver())
        elif isinstance(action, BackOff):
            self._feed_after(action.pause / SECOND, BackOffOver(action.uid))
        elif isinstance(action, Wake):
            self._set_alarm(action.at, now)
        else:
            self._writer.submit(action, now)

    def _set_alarm(self, at: int | None, now: int) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None if at is None else self._feed_after(max(0, at - now) / SECOND, Woken())

    def _feed_after(self, seconds: float, event: Happening) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self._timed.put_nowait, event)

    async def _feed_timed(self) -> None:
        while True:
            event = await self._timed.get()
            if isinstance(event, WindowOver):
                await self._read_what_has_arrived()
            self._feed(event)

    async def _read_what_has_arrived(self) -> None:
        """Let the reflectors finish what the network has already delivered.

        The window is over, but in a burst it ends somewhere within the burst, where depends on this machine's
        speed. Deciding over all that is here keeps the decisions apart from that.
        """
        for _ in range(MOST_LOOKS):
            received = self._received()
            for _ in range(QUIET_TURNS):
                await asyncio.sleep(0)
            if self._received() == received:
                return

    def _received(self) -> int:
        return self._pods.received + self._nodes.received

    # What the API tells ---------------------------------------------------------------------------

    def _pods_listed(self, pods: list[Object]) -> None:
        tasks = [task for task in map(self._task, pods) if task is not None]
        _log.info("listed %d unfinished pods, %d of them hold room or wait for us", len(pods), len(tasks))
        self._feed(PodsListed(tuple(tasks)))

    def _pod_read(self, pod: Object) -> None:
        self._pod_changed("MODIFIED", pod)

    def _pod_changed(self, kind: str, pod: Object) -> None:
        task = None if kind == "DELETED" else self._task(pod)
        if task is not None:
            self._feed(PodSeen(task))
        else:
            self._feed(PodGone(str((pod.get("metadata") or {}).get("uid"))))

    def _task(self, pod: Object) -> Task | None:
        try:
            return self._reader.task(pod)
        except _MISSHAPEN as error:
            _log.warning("cannot read the pod %s, it is left out of account: %r", _name(pod), error)
            return None

    def _nodes_listed(self, nodes: list[Object]) -> None:
        read = [node for node in map(self._node, nodes) if node is not None]
        _log.info("listed %d nodes", len(read))
        self._feed(NodesListed(tuple(read)))

    def _node_changed(self, kind: str, node: Object) -> None:
        read = None if kind == "DELETED" else self._node(node)
        self._feed(
            NodeSeen(read) if read is not None else NodeGone(str((node.get("metadata") or {}).get("name")))
        )

    def _node(self, node: Object) -> Node | None:
        try:
            return node_of(node)
        except _MISSHAPEN as error:
            _log.warning("cannot read the node %s, it is left out of account: %r", _name(node), error)
            return None


def _name(found: Object) -> str:
    metadata = found.get("metadata") or {}
    return (
        "/".join(str(metadata[key]) for key in ("namespace", "name") if metadata.get(key)) or "without a name"
    )
