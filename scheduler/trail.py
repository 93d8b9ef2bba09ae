"""The trail of decisions: each is logged, and what led to a binding is written onto the pod with it.

The annotation travels inside the binding, whose annotations the API server merges into the pod: no request
more, and it is there exactly when the binding is. It says what no other object does; ``inquiry`` reads it.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

from scheduler.decision import Decision, Loss
from scheduler.logs import fields
from scheduler.messages import Action, Bind, Happening, PodGone, PodsListed, Preempt
from scheduler.model import PodRef
from scheduler.timetext import SECOND, format_second, format_span
from scheduler.witness import Witness

_log = logging.getLogger(__name__)

MOST_NAMED = 8
"""Victims that the annotation names, the dearest first: the rest is counted. It stays below some 2 KB."""

_DONE = {"bind": "bind", "preempt": "preempt for", "undo": "undo the half placed gang of"}


class Trail:
    """Follows what is decided."""

    def __init__(self, key: str | None, witness: Witness) -> None:
        """``key``: the annotation's name; None to write none."""
        self._key = key
        self._witness = witness
        self._last: Decision | None = None
        self._preempted: dict[str, Decision] = {}
        """By uid of a pod for which others gave way: why they did."""

    def follow(self, action: Action) -> None:
        """Take note of an action before it is performed."""
        if not isinstance(action, Bind | Preempt) or action.decision is None:
            return
        decision = action.decision
        if decision is self._last:
            return  # the other pods of the same decision
        self._last = decision
        self._witness.decided(decision)
        if decision.kind == "preempt":
            self._preempted[decision.pod.uid] = decision
        _log.info("%s %s", _DONE[decision.kind], _name(decision.pod), extra=fields(**log_fields(decision)))

    def settle(self, event: Happening) -> None:
        """Drop what is remembered of pods that are gone by this event.

        Not of those that are bound: the other members of its gang may be bound later than the first.
        """
        match event:
            case PodGone(uid=uid):
                self._preempted.pop(uid, None)
            case PodsListed(tasks=tasks) if self._preempted:
                listed = {task.ref.uid for task in tasks}
                self._preempted = {uid: made for uid, made in self._preempted.items() if uid in listed}

    def annotations(self, binding: Bind) -> dict[str, str]:
        """What to write onto the pod that is bound."""
        decision = binding.decision
        if self._key is None or decision is None:
            return {}
        before = self._preempted.get(decision.pod.uid)
        return {self._key: encode(decision, before)}


def _name(ref: PodRef) -> str:
    return f"{ref.namespace}/{ref.name}"


def _span(span: int | None) -> str | None:
    return None if span is None else format_span(span)


def log_fields(decision: Decision) -> dict[str, Any]:
    """A decision as fields of a log record. Spans are text."""
    return {
        "pod": _name(decision.pod),
        "gang": decision.gang or None,
        "node": ",".join(dict.fromkeys(decision.nodes)),
        "policy": decision.policy,
        "slack": _span(decision.slack),
        "position": f"{decision.position}/{decision.considered}" if decision.position else None,
        "why": decision.why or None,
        **_cost_fields(decision),
    }


def _cost_fields(decision: Decision) -> dict[str, Any]:
    if not decision.victims:
        return {}
    return {
        "victims": ",".join(loss.name for loss in decision.victims),
        "victim_pods": sum(len(loss.pods) for loss in decision.victims),
        "lost_chip_seconds": lost_chip_seconds(decision),
        "violations": decision.violations,
    }


def lost_chip_seconds(decision: Decision) -> float:
    """Chip-seconds that the victims do again, restarts included."""
    return sum(loss.chip_time for loss in decision.victims) / SECOND


# The annotation -----------------------------------------------------------------------------------


def encode(decision: Decision, preemption: Decision | None) -> str:
    """The annotation's text: JSON, the same for the same decision."""
    content: dict[str, Any] = {
        "at": format_second(decision.at),
        "policy": decision.policy,
        "slack": _span(decision.slack),
        "position": decision.position or None,  # it had none where its place was held
        "considered": decision.considered,
        "gang": decision.gang or None,
        "members": len(decision.nodes) if decision.gang else None,
        "why": decision.why,
        "preempted": None if preemption is None else _preemption(preemption),
    }
    return _json({name: value for name, value in content.items() if value is not None})


def _preemption(decision: Decision) -> Mapping[str, Any]:
    dearest = sorted(decision.victims, key=lambda loss: (-loss.chip_time, loss.name))
    return {
        "at": format_second(decision.at),
        "slack": _span(decision.slack),
        "why": decision.why,
        "workloads": len(decision.victims),
        "pods": sum(len(loss.pods) for loss in decision.victims),
        "lostChipTime": format_span(sum(loss.chip_time for loss in decision.victims)),
        "violations": decision.violations,
        "victims": [_victim(loss) for loss in dearest[:MOST_NAMED]],
    }


def _victim(loss: Loss) -> Mapping[str, Any]:
    content = {"name": loss.name, "lostChipTime": format_span(loss.chip_time), "slack": _span(loss.slack)}
    return {name: value for name, value in content.items() if value is not None}


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
