"""A real kube-apiserver with its etcd, for measuring against and for checking what the suites believe.

It runs as in a cluster in what matters to a client: TLS, tokens, validation, defaulting and its default
admission plug-ins. Left out: authorisation unless it is asked for (any token holder may do all), the
ServiceAccount admission plug-in (it waits for accounts that a controller would make), and etcd's waiting for
the disk.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.processes import free_port, running
from tests.support.servers import ApiServer, answers, write_kubeconfig

TOKEN: Final = "suite"
"""The token of the one user; the server listens on the loopback address only."""

CERTIFICATES: Final = "certificates"
"""The directory, below the server's home, where it keeps the certificate that it makes for itself."""


@contextlib.contextmanager
def running_kube_apiserver(
    kube_apiserver: Path, etcd: Path, home: Path, *, audited: str = "", port: int | None = None
) -> Iterator[ApiServer]:
    """Run both programs, with their data below ``home``, until the block ends.

    Run again with the same ``home`` and ``port``, it is the same server after a restart, to all its clients.
    ``audited`` is a user: roles are enforced then (RBAC), and ``audit_log(home)`` has that user's requests.

    Raises:
        ProcessFailed: one of them did not start.
    """
    store, port = f"http://127.0.0.1:{free_port()}", port or free_port()
    url = f"https://127.0.0.1:{port}"
    authority = home / CERTIFICATES / "apiserver.crt"
    logs = {"etcd": home / "etcd.log", "kube-apiserver": home / "kube-apiserver.log"}
    etcd_command = _etcd_command(etcd, store, home / "etcd")
    api_command = [*_api_command(kube_apiserver, store, port, home), *_authorization(home, audited)]
    with (
        running(etcd_command, log=logs["etcd"], ready=lambda: answers(f"{store}/health")) as etcd_process,
        running(
            api_command, log=logs["kube-apiserver"], ready=lambda: answers(f"{url}/readyz", TOKEN)
        ) as api_process,
    ):
        yield ApiServer(
            name="kube-apiserver",
            url=url,
            kubeconfig=write_kubeconfig(home / "kubeconfig", url, TOKEN, authority),
            token=TOKEN,
            authority=authority,
            pids={"kube-apiserver": api_process.pid, "etcd": etcd_process.pid},
            logs=logs,
        )


def audit_log(home: Path) -> Path:
    """Where the requests of the audited user are, one event a line."""
    return home / "audit.jsonl"


def _authorization(home: Path, audited: str) -> list[str]:
    if not audited:
        return ["--authorization-mode=AlwaysAllow"]
    policy = home / "audit-policy.json"
    rules = [{"level": "Metadata", "users": [audited]}, {"level": "None"}]
    kind = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy"}
    policy.write_text(json.dumps({**kind, "omitStages": ["RequestReceived"], "rules": rules}))
    return [
        "--authorization-mode=RBAC",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={audit_log(home)}",
    ]


def _etcd_command(etcd: Path, store: str, data: Path) -> list[str]:
    peer = f"http://127.0.0.1:{free_port()}"
    return [
        str(etcd),
        f"--data-dir={data}",
        f"--listen-client-urls={store}",
        f"--advertise-client-urls={store}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _api_command(kube_apiserver: Path, store: str, port: int, home: Path) -> list[str]:
    certificates = home / CERTIFICATES
    tokens = home / "tokens.csv"
    tokens.write_text(f"{TOKEN},suite,suite,system:masters\n")
    # The server makes its own certificate here at start; its key signs service-account tokens as well.
    key = certificates / "apiserver.key"
    return [
        str(kube_apiserver),
        f"--etcd-servers={store}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={certificates}",
        f"--token-auth-file={tokens}",
        "--disable-admission-plugins=ServiceAccount",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
    ]
