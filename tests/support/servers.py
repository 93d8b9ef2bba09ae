"""API servers that clients are pointed at: what a client has to know, and the files it wants that in."""

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PROBE_S: Final = 2.0
"""Seconds that one look at a health endpoint may take."""


@dataclass(frozen=True, slots=True)
class ApiServer:
    """A running API server.

    Attributes:
        name: what runs: ``fakeapi`` or ``kube-apiserver``.
        url: where it answers, such as ``http://127.0.0.1:8001``.
        kubeconfig: a file that makes kubectl and schedulers its clients.
        token: the bearer token that it wants; empty where it wants none.
        authority: the file with the certificate that signed the server's; None without TLS.
        pids: the processes behind it (a real one has its etcd), for measuring.
        logs: their output by process name.
    """

    name: str
    url: str
    kubeconfig: Path
    token: str = ""
    authority: Path | None = None
    pids: Mapping[str, int] = field(default_factory=dict)
    logs: Mapping[str, Path] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that identify the client."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def trust(self) -> ssl.SSLContext:
        """What a client needs to believe that the server is the one it means."""
        return ssl.create_default_context(cafile=self.authority)


def write_kubeconfig(path: Path, url: str, token: str = "", authority: Path | None = None) -> Path:
    """Write a client configuration for a server; its path."""
    cluster: dict[str, object] = {"server": url}
    if authority is not None:
        cluster["certificate-authority"] = str(authority)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "server", "cluster": cluster}],
        "users": [{"name": "client", "user": {"token": token} if token else {}}],
        "contexts": [{"name": "server", "context": {"cluster": "server", "user": "client"}}],
        "current-context": "server",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config, indent=2))  # JSON is YAML
    return path


def answers(url: str, token: str = "") -> bool:
    """Whether a GET of the URL is answered with success.

    No certificate is checked: a starting server may still have to write its own.
    """
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=PROBE_S, context=trusting) as response:
            return bool(response.status == 200)
    except (OSError, urllib.error.URLError):
        return False
