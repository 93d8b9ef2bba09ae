"""The Lease on the wire."""

import asyncio
from typing import Any

import pytest

from scheduler.kube.connection import Connection
from scheduler.kube.errors import UnreachableError
from scheduler.kube.leases import LeaseLock, LeaseRecord
from scheduler.timetext import SECOND
from tests.unit.scheduler.builders import START

TEXT = "2026-01-05T00:00:00.000000Z"
PATH = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
SPEC = {
    "holderIdentity": "me",
    "leaseDurationSeconds": 15,
    "acquireTime": TEXT,
    "renewTime": TEXT,
    "leaseTransitions": 2,
}
RECORD = LeaseRecord.taken("me", 15 * SECOND, START, 2)


class Wire(Connection):
    """Keeps what is sent and answers as told."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, str, Any]] = []

    async def request(self, method: str, path: str, body: object = None, content_type: str = "") -> Any:
        del content_type
        self.sent.append((method, path, body))
        return self.answers.pop(0)


def lease(version: str, **spec: Any) -> Any:
    return {"metadata": {"name": "it", "namespace": "kube-system", "resourceVersion": version}, "spec": spec}


def test_what_is_written_stands_on_what_was_read_or_written_before() -> None:
    wire = Wire(lease("1", **SPEC), lease("2", **SPEC), lease("3", **SPEC))

    async def write() -> LeaseRecord:
        lock = LeaseLock(wire, "kube-system", "it")
        found = await lock.get()
        await lock.update(RECORD)
        await lock.update(RECORD)
        return found

    assert asyncio.run(write()) == RECORD
    assert [(method, path) for method, path, _ in wire.sent] == [
        ("GET", f"{PATH}/it"),
        ("PUT", f"{PATH}/it"),
        ("PUT", f"{PATH}/it"),
    ]
    written = [body for _, _, body in wire.sent[1:]]
    assert [body["metadata"]["resourceVersion"] for body in written] == ["1", "2"]
    assert written[0]["spec"] == SPEC
    assert (written[0]["apiVersion"], written[0]["kind"]) == ("coordination.k8s.io/v1", "Lease")


def test_a_new_lease_has_no_version() -> None:
    wire = Wire(lease("1", **SPEC))
    asyncio.run(LeaseLock(wire, "kube-system", "it").create(RECORD))
    ((method, path, body),) = wire.sent
    assert (method, path, body["metadata"]) == ("POST", PATH, {"namespace": "kube-system", "name": "it"})


def test_a_lease_that_says_nothing_is_nobodys() -> None:
    found = asyncio.run(LeaseLock(Wire({"metadata": {}}), "kube-system", "it").get())
    assert found == LeaseRecord("", 0, "", "", 0)


@pytest.mark.parametrize("answer", [[], {"spec": {}}, {"metadata": {}, "spec": {"leaseTransitions": "x"}}])
def test_an_answer_that_is_no_lease(answer: Any) -> None:
    with pytest.raises(UnreachableError, match="no Lease"):
        asyncio.run(LeaseLock(Wire(answer), "kube-system", "it").get())
