"""What a kubelet writes about its pods: each write puts one status into the store, or removes the object."""

from typing import Final

from fakeapi.cluster import podstatus
from fakeapi.cluster.addresses import PodAddresses, host_address
from fakeapi.cluster.admission import Refusal
from fakeapi.cluster.books import Books
from fakeapi.cluster.podconditions import Json
from fakeapi.cluster.podrecord import PodRecord
from fakeapi.cluster.podstatus import Addresses, Devices, Runs, has_ended
from fakeapi.kernel.time import SECOND, Instant, format_instant, parse_instant
from fakeapi.machinery.resources import NODES, PODS
from fakeapi.storage.objects import Object
from fakeapi.storage.store import Store

_PODS: Final = PODS.storage_key
_NODES: Final = NODES.storage_key


class PodWriter:
    """Writes for all kubelets. Each call is the last thing that its caller does: listeners answer at once."""

    def __init__(self, store: Store, books: Books) -> None:
        self._store = store
        self._books = books
        self._addresses = PodAddresses()

    def pod(self, record: PodRecord) -> Object:
        """The pod as it is stored."""
        return self._store.get(_PODS, record.key).object

    def has_node(self, record: PodRecord) -> bool:
        """Whether the pod's node exists."""
        return self._store.find(_NODES, ("", record.node)) is not None

    def devices(self, record: PodRecord) -> Devices:
        """The chips of the pod's containers; to be asked for before they are given back."""
        return self._books.devices(record, self.pod(record)) if record.chips else podstatus.NO_DEVICES

    def creating(self, record: PodRecord, at: Instant) -> None:
        """Its images are being pulled."""
        self._write(record, podstatus.creating(self.pod(record), at, self._host_address(record)))

    def rejected(self, record: PodRecord, at: Instant, refusal: Refusal) -> None:
        """Its node does not take it."""
        self._write(record, podstatus.rejected(self.pod(record), at, refusal.reason, refusal.message))

    def running(self, record: PodRecord, at: Instant) -> None:
        """Its containers run; the first time it gets its addresses."""
        pod, runs, addresses = self.pod(record), _runs(record), None
        if runs.previous is None:
            host = self._host_address(record)
            own = host if pod["spec"].get("hostNetwork") else self._addresses.next()
            addresses = Addresses(host, own)
        self._write(record, podstatus.running(pod, at, runs, addresses, self.devices(record)))

    def backing_off(self, record: PodRecord, at: Instant) -> None:
        """Its containers wait to be started again."""
        devices = self.devices(record)
        status = podstatus.backing_off(self.pod(record), at, _runs(record), record.back_off, devices)
        self._write(record, status)

    def ended(self, record: PodRecord, at: Instant, devices: Devices) -> None:
        """Its containers ended, and will not start again."""
        self._write(record, podstatus.ended(self.pod(record), at, _runs(record), devices))

    def gone(self, record: PodRecord, at: Instant, devices: Devices) -> None:
        """It has stopped as it was asked to: its last status, and then its object goes, unless it is held."""
        pod = last = self.pod(record)
        held = bool(pod["metadata"].get("finalizers"))
        if not has_ended(pod):
            if record.runs is not None:
                last = {**pod, "status": podstatus.ended(pod, at, record.runs, devices)}
            elif held:
                last = {**pod, "status": podstatus.never_started(pod, at)}
        if held:
            last = _without_grace(last)
        if last is not pod:
            self._store.update(_PODS, record.key, last)
        if not held and self._is_there(record):  # a listener may have removed it at the update
            self._store.delete(_PODS, record.key)

    def _write(self, record: PodRecord, status: Json) -> None:
        self._store.update(_PODS, record.key, {**self.pod(record), "status": status})

    def _host_address(self, record: PodRecord) -> str | None:
        node = self._store.find(_NODES, ("", record.node))
        return None if node is None else host_address(node.object)

    def _is_there(self, record: PodRecord) -> bool:
        version = self._store.find(_PODS, record.key)
        return version is not None and bool(version.object["metadata"]["uid"] == record.uid)


def _runs(record: PodRecord) -> Runs:
    assert record.runs is not None, "only containers that were started have a status"
    return record.runs


def _without_grace(pod: Object) -> Object:
    """The pod as the real server leaves it when its kubelet is done and finalizers hold it.

    It is removed with the last of its finalizers, since no grace is left.
    """
    metadata = pod["metadata"]
    grace_s = metadata.get("deletionGracePeriodSeconds") or 0
    if not grace_s:
        return pod
    asked = parse_instant(metadata["deletionTimestamp"]) - grace_s * SECOND
    ending = {"deletionTimestamp": format_instant(asked), "deletionGracePeriodSeconds": 0}
    return {**pod, "metadata": {**metadata, **ending}}
