"""Which pod does which piece of work."""

from typing import Any

import pytest

from fakeapi.cluster.annotations import GANG, GANG_SIZE, REPORT_PROGRESS, WORK, life_of
from fakeapi.cluster.pieces import COMPLETION_INDEX, Pieces
from fakeapi.cluster.work import Ending, Piece, Session, Terms
from fakeapi.kernel.time import HOUR, MINUTE

TERMS = Terms(HOUR, MINUTE, 0)
PROGRESS = "lst.scheduler/progress"


def pod(uid: str, controller: str | None = None, **annotations: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": uid, "namespace": "default", "uid": uid, "annotations": annotations}
    if controller is not None:
        other = {"uid": "someone", "kind": "Thing", "name": "thing"}
        owner = {"uid": controller, "kind": "Job", "name": "job", "controller": True}
        metadata["ownerReferences"] = [other, owner]
    return {"metadata": metadata, "spec": {}}


@pytest.fixture
def pieces() -> Pieces:
    return Pieces()


def of(pieces: Pieces, obj: dict[str, Any]) -> Piece:
    pieces.claim(obj)
    return pieces.of(obj, life_of(obj["metadata"]["annotations"]))


def work(piece: Piece, ending: Ending = Ending.CUT_SHORT, length: int = 10 * MINUTE) -> None:
    Session(piece, TERMS, 0).settle(length, ending)


def test_a_pod_by_itself_is_its_own_work(pieces: Pieces) -> None:
    assert of(pieces, pod("a")) is not of(pieces, pod("a"))
    assert len(pieces) == 0


def test_a_name_holds_within_its_namespace(pieces: Pieces) -> None:
    one = of(pieces, pod("a", **{WORK: "w"}))
    assert of(pieces, pod("b", **{WORK: "w"})) is one
    elsewhere = pod("c", **{WORK: "w"})
    elsewhere["metadata"]["namespace"] = "other"
    assert of(pieces, elsewhere) is not one


def test_members_of_a_gang_do_one_piece(pieces: Pieces) -> None:
    gang = {GANG: "g", GANG_SIZE: "2", WORK: "of-no-account"}
    assert of(pieces, pod("a", **gang)) is of(pieces, pod("b", "job", **gang))


def test_an_index_tells_the_work_of_an_indexed_job(pieces: Pieces) -> None:
    first = of(pieces, pod("a", "job", **{COMPLETION_INDEX: "0"}))
    assert of(pieces, pod("b", "job", **{COMPLETION_INDEX: "1"})) is not first
    assert of(pieces, pod("c", "job", **{COMPLETION_INDEX: "0"})) is first
    assert of(pieces, pod("d", "other", **{COMPLETION_INDEX: "0"})) is not first
    assert of(pieces, pod("e", **{COMPLETION_INDEX: "0"})) is not first


def test_pods_of_a_controller_take_the_lowest_slot_that_nobody_does(pieces: Pieces) -> None:
    zero, one = of(pieces, pod("a", "job")), of(pieces, pod("b", "job"))
    assert zero is not one
    work(zero)
    pieces.release("a")
    pieces.release("a")
    assert of(pieces, pod("c", "job")) is zero
    assert of(pieces, pod("d", "job")) not in (zero, one)


def test_a_slot_whose_work_is_done_is_not_given_again(pieces: Pieces) -> None:
    zero = of(pieces, pod("a", "job"))
    one = of(pieces, pod("b", "job"))
    work(one)
    work(zero, Ending.FINISHED)
    pieces.release("a")
    pieces.release("b")
    assert of(pieces, pod("c", "job")) is one


def test_claiming_twice_is_claiming_once(pieces: Pieces) -> None:
    mine = pod("a", "job")
    assert of(pieces, mine) is of(pieces, mine)


def test_what_is_done_is_forgotten(pieces: Pieces) -> None:
    named = of(pieces, pod("a", **{WORK: "w"}))
    work(named, Ending.FINISHED)
    pieces.forget(named)
    pieces.forget(named)
    assert len(pieces) == 0
    assert of(pieces, pod("b", **{WORK: "w"})) is not named
    done = of(pieces, pod("c", "job"))
    work(done, Ending.FINISHED)
    pieces.release("c")
    assert len(pieces) == 1  # that of b


@pytest.mark.parametrize("controller", [None, "job"])
def test_a_new_pod_is_told_what_is_saved_of_its_work(pieces: Pieces, controller: str | None) -> None:
    said = {REPORT_PROGRESS: PROGRESS, **({} if controller else {WORK: "w"})}
    first = pod("a", controller, **said)
    pieces.report(first, 0)
    assert PROGRESS not in first["metadata"]["annotations"]
    work(of(pieces, first))
    pieces.release("a")
    second = pod("b", controller, **said)
    pieces.report(second, HOUR)
    assert second["metadata"]["annotations"][PROGRESS] == "10m"


def test_only_who_asks_is_told(pieces: Pieces) -> None:
    work(of(pieces, pod("a", **{WORK: "w"})))
    silent = pod("b", **{WORK: "w"})
    pieces.report(silent, 0)
    assert PROGRESS not in silent["metadata"]["annotations"]
    broken = pod("c", **{WORK: " ", REPORT_PROGRESS: PROGRESS})
    pieces.report(broken, 0)
    assert PROGRESS not in broken["metadata"]["annotations"]
