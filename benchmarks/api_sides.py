"""The two API servers that are compared, how each is started, and what each of them does for a request."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.support.fakeapi import running_fakeapi
from tests.support.kube_apiserver import running_kube_apiserver
from tests.support.servers import ApiServer
from tools.build_peers import PEERS, build

OURS: Final = "fakeapi"
THEIRS: Final = "kube-apiserver with etcd"

Side = Callable[[Path], contextlib.AbstractContextManager[ApiServer]]


@contextlib.contextmanager
def _fakeapi(home: Path) -> Iterator[ApiServer]:
    with running_fakeapi(home) as server:
        yield server


@contextlib.contextmanager
def _kube_apiserver(home: Path) -> Iterator[ApiServer]:
    with running_kube_apiserver(build(PEERS["kube-apiserver"]), build(PEERS["etcd"]), home) as server:
        yield server


SIDES: Final[Mapping[str, Side]] = {OURS: _fakeapi, THEIRS: _kube_apiserver}
"""How each side is started: in a home directory of its own, with nothing in it."""


def what_each_does() -> str:
    """A table for people of what the two sides do with a request, so that nobody compares without it."""
    kubernetes, etcd = PEERS["kube-apiserver"].version, PEERS["etcd"].version
    rows = [
        (
            "program",
            "one Python process, one thread",
            f"kube-apiserver {kubernetes}, etcd {etcd}, all cores",
        ),
        ("connection", "HTTP/1.1, no TLS (loopback)", "HTTP/1.1 over TLS"),
        ("authentication", "none asked for on loopback", "bearer token of a file"),
        ("authorisation", "none", "AlwaysAllow"),
        ("body", "JSON, read strictly by the published schema", "JSON, decoded into Go types"),
        ("defaulting", "what a scheduler can see", "complete, and managedFields of every writer"),
        ("validation", "names, labels, and the fields that schedulers act on", "complete"),
        (
            "admission",
            "priorities, default tolerations, namespaces",
            "the default plug-ins but ServiceAccount",
        ),
        ("storage", "memory, one history for all watches", "etcd over gRPC, written to disk without fsync"),
        (
            "the world behind",
            "nodes run the pods that are bound to them",
            "none: no kubelets, no controllers",
        ),
    ]
    lines = [f"| | {OURS} | {THEIRS} |", "|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"
