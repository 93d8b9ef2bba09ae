"""The story of a pod, in the words that people get."""

from dataclasses import replace
from typing import Any

from scheduler.story import NOTHING_KNOWN, Happened, tell

WAITING = replace(
    NOTHING_KNOWN, name="team/a", ours=True, scheduler="lst-scheduler", created="2026-01-05T00:00:00Z"
)
DECISION: dict[str, Any] = {
    "at": "2026-01-05T00:10:00Z",
    "policy": "lst",
    "slack": "35m",
    "position": 1,
    "considered": 12,
    "why": "its place has become free",
    "preempted": {
        "at": "2026-01-05T00:05:00Z",
        "slack": "40m",
        "why": "its slack does not last until room frees by itself",
        "workloads": 1,
        "pods": 2,
        "lostChipTime": "1h",
        "violations": 0,
        "victims": [{"name": "team/v", "lostChipTime": "1h", "slack": "5h"}],
    },
}


def test_a_pod_that_is_placed_with_its_reasons_and_victims() -> None:
    placed = replace(
        WAITING,
        node="n1",
        deadline="2026-01-05T04:00:00Z",
        duration="1h",
        decision={**DECISION, "gang": "team/g", "members": 4},
        events=(Happened("2026-01-05T00:10:00.000000Z", "team/a", "Scheduled", "Successfully assigned"),),
        made_way=(Happened("2026-01-05T00:05:00.000000Z", "team/v-0", "Preempted", "Preempted by team/a"),),
    )
    assert list(tell(placed)) == [
        "pod team/a: on node n1",
        "  created   2026-01-05T00:00:00Z",
        "  deadline  2026-01-05T04:00:00Z",
        "  duration  1h expected",
        "why there and then",
        "  when      2026-01-05T00:10:00Z",
        "  order     lst: place 1 of 12 workloads that waited, 35m of slack",
        "  gang      team/g, 4 members at once",
        "  node      its place has become free",
        "  preempted 1 workloads with 2 pods at 2026-01-05T00:05:00Z, since its slack does not last until "
        "room frees by itself",
        "  cost      1h of chip time is done again; no disruption budget violated",
        "  team/v: 1h of chip time, 5h of slack",
        "made way for it",
        "  2026-01-05T00:05:00.000000Z  team/v-0: Preempted by team/a",
        "events",
        "  2026-01-05T00:10:00.000000Z  Scheduled: Successfully assigned",
    ]


def test_a_place_that_was_held_has_no_number() -> None:
    decision = {name: value for name, value in DECISION.items() if name != "position"}
    lines = list(tell(replace(WAITING, node="n", decision=decision)))
    assert "  order     lst: to the place held for it, before 12 workloads that waited, 35m of slack" in lines


def first_line(**changes: Any) -> str:
    return next(tell(replace(WAITING, **changes)))


def test_what_a_pod_waits_for() -> None:
    assert first_line() == "pod team/a: waits, and nothing was decided on it yet"
    assert first_line(waits="no room", waits_since="T") == "pod team/a: waits since T: no room"
    assert first_line(gates=("a/b", "c")) == "pod team/a: waits for its scheduling gates: a/b, c"
    assert first_line(nominated="n", waits="2 end") == "pod team/a: waits for its place on node n: 2 end"


def test_how_long_it_can_still_wait() -> None:
    assert "  slack     2h now" in tell(replace(WAITING, slack="2h"))
    assert "  slack     -3m now, too late" in tell(replace(WAITING, slack="-3m"))


def test_a_pod_that_has_to_give_way_and_one_that_is_gone() -> None:
    ending = replace(WAITING, node="n", ends="2026-01-05T00:05:30Z", disrupted="Preempted by pod team/b")
    assert list(tell(ending))[:3] == [
        "pod team/a: on node n",
        "  disrupted Preempted by pod team/b",
        "  ends      by 2026-01-05T00:05:30Z",
    ]
    event = Happened("T", "team/a", "Preempted", "Preempted by pod team/b")
    assert list(tell(replace(NOTHING_KNOWN, name="team/a", gone=True, events=(event,)))) == [
        "pod team/a: is gone; this is left of it",
        "events",
        "  T  Preempted: Preempted by pod team/b",
    ]


def test_what_is_not_known_is_said() -> None:
    strange = list(tell(replace(WAITING, node="n", ours=False, scheduler="other")))
    assert "  scheduler other: this scheduler has nothing to do with it" in strange
    silent = list(tell(replace(WAITING, node="n")))
    assert "no decision is recorded on the pod: recording is off, or somebody else bound it" in silent
    assert silent[-1].startswith("no events")
    odd = list(tell(replace(WAITING, node="n", decision={"something": "else"})))
    assert odd[0] == "pod team/a: on node n"


def test_for_programs_all_of_it_in_the_api_s_spelling() -> None:
    event = Happened("T", "team/a", "Scheduled", "note")
    told = replace(WAITING, decision=DECISION, waits_since="T", events=(event,)).to_json()
    assert told["waitsSince"] == "T"
    assert told["madeWay"] == []
    assert told["decision"] == DECISION
    assert told["events"] == [{"at": "T", "pod": "team/a", "reason": "Scheduled", "note": "note"}]
