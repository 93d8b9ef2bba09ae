"""The words of a story: each step, and what would have had to differ, as sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from evaluator.story.cluster import Wants
from evaluator.story.steps import (
    Bound,
    CutShort,
    Finished,
    HeldBack,
    LeftOver,
    Opportunity,
    PodsEnded,
    Reason,
    Rival,
    Started,
    Step,
    Story,
    Submitted,
    Verdict,
    Waited,
)
from evaluator.story.waiting import MAX_NAMED
from evaluator.words import counted, span_text
from fakeapi.kernel.time import SECOND

MIB: Final = 2**20

REASONS: Final = {
    Reason.IMPOSSIBLE: "with no node that could ever take it",
    Reason.CAPACITY: "with too little free in the cluster",
    Reason.SCATTERED: "with enough chips free, but not on one node with the CPU and memory for it",
    Reason.GANG: "with room for a part of its gang only",
    Reason.QUOTA: "held by a quota",
    Reason.PASSED_OVER: "with room for it that was not used",
}
"""How a reason goes on after “2h”. Less than a second of one is not told beside others."""

CAUSES: Final = {
    "preemption": "preempted",
    "chip_failure": "ended by a failed chip",
    "node_failure": "ended by its node's failure",
    "eviction": "evicted",
    "peer": "ended because another member of its gang was lost",
    "deletion": "deleted",
    None: "taken away",
}


def step_text(step: Step) -> str:
    """A step in one or a few sentences."""
    match step:
        case Submitted():
            return _submitted(step)
        case HeldBack():
            return f"none of its pods was created for {span_text(step.until_ns - step.at_ns)}: held back"
        case Waited():
            return _waited(step)
        case Bound():
            return _bound(step)
        case Started():
            return _started(step)
        case CutShort():
            return _cut_short(step)
        case PodsEnded():
            return f"{_some(step.pods, 'pod')} {step.outcome} ({step.reason})"
        case Finished():
            return _finished(step)
        case LeftOver():
            return (
                f"the run ended with {step.waiting} waiting and {step.running} running{_late(step.late_ns)}"
            )
        case _:
            assert_never(step)


def wants_text(wants: Wants) -> str:
    """A request: ``8 chips (H100), 64 CPU, 512 GiB``."""
    chips = counted(wants.chips, "chip") + (f" of type {wants.chip_type}" if wants.chip_type else "")
    return f"{chips}, {wants.cpu_milli / 1000:g} CPU, {_memory(wants.memory_bytes)}"


def _memory(number: int) -> str:
    mib = number / MIB
    return f"{mib / 1024:.4g} GiB" if mib >= 1024 else f"{mib:.4g} MiB"


def _submitted(step: Submitted) -> str:
    who = [f"user {step.user}" if step.user else "", f"queue {step.queue}" if step.queue else ""]
    who.append(f"priority {step.priority}" if step.priority else "")
    told = [each for each in who if each]
    pods = "" if step.controller is None else f"{step.controller} of {counted(step.pods, 'pod')}"
    if step.controller is not None and step.parallel != step.pods:
        pods += f", {step.parallel} at a time"
    if step.gang:
        pods += ", all or none"
    asks = f"asks for {wants_text(step.wants)}" + (" for each pod" if pods else "")
    facts = [pods, asks, _run_time(step), *told]
    return f"submitted: {'; '.join(each for each in facts if each)}"


def _run_time(step: Submitted) -> str:
    parts = []
    if step.run_ns is not None:
        parts.append(f"runs {span_text(step.run_ns)}")
    if step.expected_ns is not None and step.expected_ns != step.run_ns:
        parts.append(f"said to run {span_text(step.expected_ns)}")
    if step.deadline_ns is not None:
        parts.append(f"due {span_text(step.deadline_ns - step.at_ns)} after its submission")
    return ", ".join(parts)


def _waited(step: Waited) -> str:
    waited = step.until_ns - step.at_ns
    text = f"{'waited' if step.ended else 'still waiting after'} {span_text(waited)}"
    if step.pods > 1:
        text += f" with up to {step.pods:,} pods"
    told = {reason: spent for reason, spent in step.spent_ns.items() if spent >= SECOND} or step.spent_ns
    parts = [f"{span_text(spent)} {REASONS[reason]}" for reason, spent in told.items()]
    if len(parts) == 1:
        parts = [REASONS[next(iter(told))]]
    if parts:
        text += f": {'; '.join(parts)}"
    if step.started_meanwhile:
        text += f". {counted(step.started_meanwhile, 'pod')} of other jobs started meanwhile"
        text += f", {step.overtaken_by:,} of them submitted later" if step.overtaken_by else ""
        text += f": {_rivals(step.ahead, step.started_meanwhile)}"
    if step.opportunities and waited >= SECOND:
        text += f". Room for it opened {counted(step.opportunities, 'time')} before it was given it"
    return text + (f". The scheduler said last: {step.message}" if step.message else "")


def _rivals(rivals: Sequence[Rival], number: int) -> str:
    named = [rival_text(rival) for rival in rivals]
    more = number - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")


def rival_text(rival: Rival) -> str:
    """Another job with what tells it apart: ``default/b (8 chips, slack 2h)``."""
    facts = [counted(rival.chips, "chip")]
    if rival.priority:
        facts.append(f"priority {rival.priority}")
    facts.append("no deadline" if rival.slack_ns is None else f"slack {span_text(rival.slack_ns)}")
    return f"{rival.job} ({', '.join(facts)})"


def _bound(step: Bound) -> str:
    where = Counter(step.nodes)
    nodes = [name if number == 1 else f"{name} ({number})" for name, number in where.items()]
    told = ", ".join(nodes[:MAX_NAMED]) + (
        f" and {len(nodes) - MAX_NAMED:,} more nodes" if len(nodes) > MAX_NAMED else ""
    )
    what = f"{_some(step.pods, 'pod')} given " if len(step.pods) > 1 else "given "
    return f"{what}{told}: {_choice(step)}"


def _choice(step: Bound) -> str:
    first = "it" if len(set(step.nodes)) == 1 else step.nodes[0]
    if step.choice is None:
        return f"{first} had no room left by the timeline's account, so room was made for it"
    choice = step.choice
    free = f"{first} had {choice.free_chips} of {counted(choice.chips, 'chip')} free"
    if choice.alternatives == 1:
        return f"{free}, the only node with room"
    if not choice.tighter:
        return f"{free}, the fewest of {choice.alternatives:,} nodes with room"
    return f"{free}; {choice.tighter:,} of {choice.alternatives:,} nodes with room had fewer"


def _started(step: Started) -> str:
    what = f"{_some(step.pods, 'pod')} began" if len(step.pods) > 1 else "began"
    text = f"{what} its work" + (" again" if step.again else "")
    text += f" after {span_text(step.startup_ns)} of start-up" if step.startup_ns else ""
    return text + (
        f", with {span_text(step.restored_ns)} taken up from a checkpoint" if step.restored_ns else ""
    )


def _cut_short(step: CutShort) -> str:
    what = f"{_some(step.pods, 'pod')} " if len(step.pods) > 1 else ""
    text = f"{what}{CAUSES[step.cause]} on {', '.join(dict.fromkeys(step.nodes)) or 'no node'}"
    if step.by:
        text += f" for {step.by}"
    if step.failure:
        text += f": {step.failure}"
    text += f"; {span_text(step.lost_ns)} of work lost, {span_text(step.kept_ns)} kept"
    said = step.message or (step.reason if step.cause is None else "")
    return text + (f" ({said})" if said else "")


def _finished(step: Finished) -> str:
    words = {"succeeded": "finished", "failed": f"failed ({step.reason})"}
    return words.get(step.outcome, f"{step.outcome} ({step.reason})") + _late(step.late_ns)


def _late(late_ns: int | None) -> str:
    if late_ns is None:
        return ""
    return f", {span_text(late_ns)} late" if late_ns > 0 else f", {span_text(-late_ns)} before its deadline"


def _some(pods: Sequence[str], word: str) -> str:
    return pods[0] if len(pods) == 1 else counted(len(pods), word)


def verdict_texts(story: Story) -> list[str]:
    """What would have had to differ, sentence by sentence."""
    return list(_verdict(story, story.verdict))


def _verdict(story: Story, verdict: Verdict) -> Iterator[str]:
    came = story.submitted.at_ns
    late = (story.late_ns or 0) > 0
    if late and verdict.hopeless:
        yield "No scheduler could have met its deadline: it runs longer than it was given."
    elif late and verdict.latest_start_ns is not None:
        yield (
            f"To be in time it had to start within {span_text(verdict.latest_start_ns - came)} of its "
            "submission and run without a break."
        )
    yield from _first_start(story, verdict, late=late)
    if late and not verdict.hopeless and verdict.yielding_count and _missed_latest_start(verdict):
        yield (
            f"At that last instant {counted(verdict.yielding_count, 'pod')} with "
            f"{counted(verdict.yielding_chips, 'chip')} ran that could wait longer: "
            f"{_rivals(verdict.yielding, verdict.yielding_count)}."
        )
    yield from _disturbance(story, verdict, late=late)


def _missed_latest_start(verdict: Verdict) -> bool:
    latest = verdict.latest_start_ns
    return latest is not None and (verdict.started_ns is None or verdict.started_ns > latest)


def _first_start(story: Story, verdict: Verdict, *, late: bool) -> Iterator[str]:
    room, started = verdict.first_room, verdict.started_ns
    if room is None and started is None and not any(isinstance(step, Waited) for step in story.steps):
        yield "None of its pods was there to be started."
    elif room is None:
        yield "There was never room for it as it waited; a place had to be taken from somebody."
    elif started is not None and started - room.at_ns < SECOND:
        yield "It started at the first instant with room for it."
    else:
        yield _earlier(room, verdict, story.submitted.at_ns, late=late)
        yield _instead(room)


def _earlier(room: Opportunity, verdict: Verdict, came: int, *, late: bool) -> str:
    when = (
        "at its submission" if room.at_ns == came else f"{span_text(room.at_ns - came)} after its submission"
    )
    text = f"It could have started {when}, on {_nodes(room)}"
    if verdict.started_ns is not None:
        text += f": {span_text(verdict.started_ns - room.at_ns)} before it did"
    if late and verdict.latest_start_ns is not None and not verdict.hopeless:
        text += f", {_spare(verdict.latest_start_ns - room.at_ns)}"
    return f"{text}."


def _nodes(room: Opportunity) -> str:
    more = " or another" if len(room.nodes) == MAX_NAMED else ""
    return " or ".join(room.nodes) + more


def _instead(room: Opportunity) -> str:
    lasted = 0 if room.until_ns is None else room.until_ns - room.at_ns
    if room.taken_by:
        first = room.taken_by[:MAX_NAMED]
        return f"Started there instead: {_rivals(first, len(room.taken_by))}."
    return f"The room was there for {span_text(lasted)}, and nobody else was given it."


def _disturbance(story: Story, verdict: Verdict, *, late: bool) -> Iterator[str]:
    deadline, undisturbed = story.submitted.deadline_ns, verdict.undisturbed_ns
    if not late or undisturbed is None or deadline is None:
        return
    spare = _spare(deadline - undisturbed)
    yield f"Had it not been cut short the first time, it would have finished {spare}."


def _spare(ns: int) -> str:
    return f"in time with {span_text(ns)} to spare" if ns >= 0 else f"{span_text(-ns)} late"
