"""What there is to tell of one pod, and how it is told to people."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple


class Happened(NamedTuple):
    """An Event: when, on which pod, its reason and its note."""

    at: str
    pod: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class Story:
    """A pod as far as its scheduling is concerned. Instants and spans are text; empty or None is unknown.

    Attributes:
        name: ``namespace/name``.
        ours: it asks for this scheduler.
        scheduler: the scheduler that it asks for.
        gone: there is no such pod any more: only its Events are left.
        node: where it is.
        nominated: where a place is held for it.
        gates: its scheduling gates.
        created: when it was created.
        deadline: the instant to be done by.
        duration: its expected run time.
        slack: how long it can still wait and be in time; negative when it is too late; None where it does not
            wait, or has no deadline.
        ends: when it will be gone at the latest, if somebody has deleted it.
        disrupted: why it is disrupted, if it is.
        waits: why it waits.
        waits_since: since when.
        decision: the recorded decision (``trail.encode``).
        events: the Events on it, in their order.
        made_way: the Events on those that were preempted for it.
    """

    name: str
    ours: bool
    scheduler: str
    gone: bool
    node: str
    nominated: str
    gates: tuple[str, ...]
    created: str
    deadline: str | None
    duration: str | None
    slack: str | None
    ends: str
    disrupted: str
    waits: str
    waits_since: str
    decision: Mapping[str, Any] | None
    events: tuple[Happened, ...]
    made_way: tuple[Happened, ...]

    def to_json(self) -> Mapping[str, Any]:
        """All of it for programs."""
        told = asdict(self)
        for kind in ("events", "made_way"):
            told[kind] = [event._asdict() for event in getattr(self, kind)]
        words = {name: name.split("_") for name in told}
        return {first + "".join(map(str.title, rest)): told[name] for name, (first, *rest) in words.items()}


NOTHING_KNOWN = Story(
    name="",
    ours=False,
    scheduler="",
    gone=False,
    node="",
    nominated="",
    gates=(),
    created="",
    deadline=None,
    duration=None,
    slack=None,
    ends="",
    disrupted="",
    waits="",
    waits_since="",
    decision=None,
    events=(),
    made_way=(),
)
"""A story to begin with."""

_LABEL_WIDTH = 10


def _row(label: str, text: str) -> str:
    return f"  {label:<{_LABEL_WIDTH}}{text}" if label else f"  {text}"


def tell(story: Story) -> Iterator[str]:
    """The story in lines."""
    yield f"pod {story.name}: {_state(story)}"
    if not story.gone:
        yield from _facts(story)
    if story.decision is not None:
        yield "why there and then"
        yield from _decision(story.decision)
    elif story.node and story.ours:
        yield "no decision is recorded on the pod: recording is off, or somebody else bound it"
    if story.made_way:
        yield "made way for it"
        yield from (_row("", f"{event.at}  {event.pod}: {event.note}") for event in story.made_way)
    yield "events" if story.events else "no events (the API server keeps them for an hour by default)"
    yield from (_row("", f"{event.at}  {event.reason}: {event.note}") for event in story.events)


def _facts(story: Story) -> Iterator[str]:
    if not story.ours:
        yield _row("scheduler", f"{story.scheduler}: this scheduler has nothing to do with it")
    if story.disrupted:
        yield _row("disrupted", story.disrupted)
    if story.ends:
        yield _row("ends", f"by {story.ends}")
    yield _row("created", story.created)
    yield _row("deadline", story.deadline or "none")
    yield _row("duration", f"{story.duration} expected" if story.duration else "unknown")
    if story.slack is not None:
        yield _row("slack", f"{story.slack} now{', too late' if story.slack.startswith('-') else ''}")


def _state(story: Story) -> str:
    if story.gone:
        return "is gone; this is left of it"
    if story.node:
        return f"on node {story.node}"
    if story.gates:
        return f"waits for its scheduling gates: {', '.join(story.gates)}"
    if story.nominated:
        return f"waits for its place on node {story.nominated}: {story.waits or 'others are ending there'}"
    if story.waits:
        return f"waits since {story.waits_since or 'an unknown time'}: {story.waits}"
    return "waits, and nothing was decided on it yet"


def _decision(decision: Mapping[str, Any]) -> Iterator[str]:
    slack = decision.get("slack")
    urgency = f"{slack} of slack" if slack else "no deadline"
    yield _row("when", str(decision.get("at", "unknown")))
    waited = f"{decision.get('considered')} workloads that waited"
    position = decision.get("position")
    place = f"place {position} of {waited}" if position else f"to the place held for it, before {waited}"
    yield _row("order", f"{decision.get('policy')}: {place}, {urgency}")
    if decision.get("gang"):
        yield _row("gang", f"{decision['gang']}, {decision.get('members')} members at once")
    yield _row("node", str(decision.get("why", "")))
    preempted = decision.get("preempted")
    if isinstance(preempted, Mapping):
        yield from _preemption(preempted)


def _preemption(preempted: Mapping[str, Any]) -> Iterator[str]:
    violations = preempted.get("violations")
    against = (
        f"{violations} pods against a disruption budget" if violations else "no disruption budget violated"
    )
    yield _row(
        "preempted",
        f"{preempted.get('workloads')} workloads with {preempted.get('pods')} pods at {preempted.get('at')}, "
        f"since {preempted.get('why')}",
    )
    yield _row("cost", f"{preempted.get('lostChipTime')} of chip time is done again; {against}")
    for victim in preempted.get("victims") or ():
        left = f"{victim['slack']} of slack" if victim.get("slack") else "no deadline"
        yield _row("", f"{victim.get('name')}: {victim.get('lostChipTime')} of chip time, {left}")
