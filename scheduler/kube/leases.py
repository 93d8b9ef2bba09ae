"""The Lease of a leader election: who holds it, since when, until when (``coordination.k8s.io/v1``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scheduler.kube.connection import Connection
from scheduler.kube.errors import UnreachableError
from scheduler.timetext import SECOND, format_microsecond


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """What a Lease says.

    Attributes:
        holder: the identity of the process that holds it; empty for nobody.
        duration: how long it is valid after a renewal, in nanoseconds.
        acquired: when the holder got it, as text of the API's.
        renewed: when the holder renewed it last, likewise.
        transitions: how often it went from one holder to another.
    """

    holder: str
    duration: int
    acquired: str
    renewed: str
    transitions: int

    @classmethod
    def taken(cls, holder: str, duration: int, now: int, transitions: int = 0) -> "LeaseRecord":
        """The record of a Lease that is taken at this instant."""
        text = format_microsecond(now)
        return cls(holder, duration, text, text, transitions)


class LeaseLock:
    """Reads and writes one Lease; a write fails if somebody else has written since it was read."""

    def __init__(self, connection: Connection, namespace: str, name: str) -> None:
        self._connection = connection
        self._collection = f"/apis/coordination.k8s.io/v1/namespaces/{quote(namespace, safe='')}/leases"
        self._path = f"{self._collection}/{quote(name, safe='')}"
        self._metadata: Mapping[str, Any] = {"namespace": namespace, "name": name}
        self.name = f"{namespace}/{name}"

    async def get(self) -> LeaseRecord:
        """The Lease as it is.

        Raises:
            ApiError: the server's refusal; 404 while nobody has created it.
            UnreachableError: no answer came, or no Lease.
        """
        return self._note(await self._connection.request("GET", self._path))

    async def create(self, record: LeaseRecord) -> None:
        """Create the Lease.

        Raises:
            ApiError: the server's refusal; 409 if somebody else was faster.
            UnreachableError: no answer came.
        """
        self._note(await self._connection.request("POST", self._collection, self._object(record)))

    async def update(self, record: LeaseRecord) -> None:
        """Write the Lease as it was last read or written, with this record.

        Raises:
            ApiError: the server's refusal; 409 if somebody else has written it since.
            UnreachableError: no answer came.
        """
        self._note(await self._connection.request("PUT", self._path, self._object(record)))

    def _note(self, lease: Any) -> LeaseRecord:
        try:
            record = _record(lease.get("spec") or {})
            self._metadata = lease["metadata"]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnreachableError(f"{self._path}: the answer is no Lease: {error!r}") from error
        return record

    def _object(self, record: LeaseRecord) -> Mapping[str, Any]:
        spec = {
            "holderIdentity": record.holder,
            "leaseDurationSeconds": record.duration // SECOND,
            "acquireTime": record.acquired,
            "renewTime": record.renewed,
            "leaseTransitions": record.transitions,
        }
        kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
        return {**kind, "metadata": self._metadata, "spec": spec}


def _record(spec: Mapping[str, Any]) -> LeaseRecord:
    return LeaseRecord(
        holder=str(spec.get("holderIdentity") or ""),
        duration=int(spec.get("leaseDurationSeconds") or 0) * SECOND,
        acquired=str(spec.get("acquireTime") or ""),
        renewed=str(spec.get("renewTime") or ""),
        transitions=int(spec.get("leaseTransitions") or 0),
    )
