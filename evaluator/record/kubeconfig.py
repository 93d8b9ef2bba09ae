"""How to reach a cluster and show who asks, from a kubeconfig file."""

import base64
import binascii
import os
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from evaluator.errors import UsageError, shown

MAX_FILE: Final = 4 * 2**20
"""Bytes of a kubeconfig; a thousand clusters with their certificates need less."""

_PROXY: Final = (
    "Run `kubectl proxy` and give a kubeconfig whose server is http://127.0.0.1:8001, or make a token with "
    "`kubectl create token`."
)


@dataclass(frozen=True, slots=True)
class Access:
    """Where an API server is, and what to show it."""

    server: str
    headers: Mapping[str, str]
    tls: ssl.SSLContext
    namespace: str | None = None


def load_access(file: Path, context: str | None = None) -> Access:
    """How to reach the cluster of a context, or of the current one.

    :raises UsageError: if the file cannot be read, lacks what is needed, or wants credentials from a plug-in.
    """
    config = _read(file)
    name = context or config.get("current-context")
    if not name:
        raise _wrong(file, "current-context", "there is none", "Name a context by --context.")
    chosen = _named(file, config, "contexts", "context", name)
    cluster = _named(file, config, "clusters", "cluster", chosen.get("cluster"))
    user = _named(file, config, "users", "user", chosen["user"]) if chosen.get("user") else {}
    server = cluster.get("server")
    if not isinstance(server, str) or not server.startswith(("http://", "https://")):
        raise _wrong(file, "cluster.server", f"{shown(server)} is no http or https address")
    return Access(server=server.rstrip("/"), headers=_headers(file, user), tls=_tls(file, cluster, user))


def _read(file: Path) -> Mapping[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_FILE + 1)
        if len(content) > MAX_FILE:
            raise _wrong(file, "file", f"more than {MAX_FILE:,} bytes")
        config = yaml.safe_load(content)
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror}",
            where=str(file),
            next_step="Name a kubeconfig by --kubeconfig.",
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise _wrong(file, "file", "not YAML") from error
    if not isinstance(config, Mapping):
        raise _wrong(file, "file", "not a kubeconfig")
    return config


def _named(file: Path, config: Mapping[str, Any], section: str, kind: str, name: object) -> Mapping[str, Any]:
    entries = config.get(section)
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping) and entry.get("name") == name:
            found = entry.get(kind)
            return found if isinstance(found, Mapping) else {}
    raise _wrong(file, section, f"there is none called {shown(name)}")


def _headers(file: Path, user: Mapping[str, Any]) -> Mapping[str, str]:
    for plugin in ("exec", "auth-provider"):
        if plugin in user:
            raise _wrong(file, f"user.{plugin}", "credentials from a plug-in are not supported", _PROXY)
    token = user.get("token")
    if not token and user.get("tokenFile"):
        token = _bytes(file, "user.tokenFile", user["tokenFile"]).decode(errors="replace").strip()
    if token:
        return {"Authorization": f"Bearer {token}"}
    if user.get("username"):
        pair = f"{user['username']}:{user.get('password', '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return {}


def _tls(file: Path, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> ssl.SSLContext:
    authority = _data(file, cluster, "certificate-authority")
    try:
        context = ssl.create_default_context(cadata=authority.decode() if authority else None)
        if cluster.get("insecure-skip-tls-verify") is True:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        certificate, key = _data(file, user, "client-certificate"), _data(file, user, "client-key")
        if certificate and key:
            _present(context, certificate, key)
    except (ssl.SSLError, ValueError) as error:
        raise _wrong(file, "certificates", f"cannot be used: {error}") from error
    return context


def _present(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Show a client certificate. OpenSSL reads it from files only: they are gone once it has."""
    with tempfile.TemporaryDirectory() as folder:  # readable by its owner only
        pair = Path(folder, "certificate"), Path(folder, "key")
        for path, content in zip(pair, (certificate, key), strict=True):
            path.write_bytes(content)
        context.load_cert_chain(*pair)


def _data(file: Path, entry: Mapping[str, Any], name: str) -> bytes | None:
    inline = entry.get(f"{name}-data")
    if inline:
        try:
            return base64.b64decode(inline, validate=True)
        except (binascii.Error, TypeError, ValueError) as error:
            raise _wrong(file, f"{name}-data", "not base64") from error
    return _bytes(file, name, entry[name]) if entry.get(name) else None


def _bytes(file: Path, field: str, name: object) -> bytes:
    path = file.parent / os.path.expanduser(
        str(name)
    )  # relative paths count from the kubeconfig, as kubectl's do
    try:
        return path.read_bytes()
    except OSError as error:
        raise _wrong(file, field, f"{path} cannot be read: {error.strerror}") from error


def _wrong(file: Path, field: str, why: str, next_step: str | None = None) -> UsageError:
    return UsageError(f"{field}: {why}", where=str(file), next_step=next_step)
