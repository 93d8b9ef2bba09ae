"""The file that tells kubectl and every client library where a server is and what to show it."""

import base64
import os
from pathlib import Path
from typing import Any, Final

import yaml

from fakeapi.config import ConfigError, NetworkSettings, Problem

_NAME: Final = "fakeapi"
_OWNER_ONLY: Final = 0o600
"""The file may hold a token."""


def kubeconfig(url: str, network: NetworkSettings) -> dict[str, Any]:
    """The ``Config`` object for a server at ``url``."""
    cluster: dict[str, Any] = {"server": url}
    if network.tls_cert is not None:
        # A certificate that signed itself is its own authority; a chain ends with one.
        certificates = network.tls_cert.read_bytes()
        cluster["certificate-authority-data"] = base64.b64encode(certificates).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": cluster}],
        "users": [{"name": _NAME, "user": {"token": network.token} if network.token else {}}],
        "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
        "current-context": _NAME,
    }


def write_kubeconfig(path: Path, url: str, network: NetworkSettings) -> None:
    """Write the file, for its owner's eyes only; one that is there already is replaced as a whole.

    Raises:
        ConfigError: the file cannot be written.
    """
    text = yaml.safe_dump(kubeconfig(url, network), sort_keys=False)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "w") as file:
            file.write(text)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        advice = f"it cannot be written ({error.strerror}): name a file in a directory of yours"
        raise ConfigError(Problem("kubeconfig", str(path), advice)) from error
