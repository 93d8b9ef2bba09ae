"""How to reach an API server and prove who we are: from a kubeconfig file, or from inside a pod."""

import base64
import binascii
import os
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from scheduler.errors import ConfigurationError

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where kubelets mount a pod's token and the cluster's CA."""


class BearerToken:
    """A token, read anew whenever its file has changed: those of service accounts live for about an hour."""

    def __init__(self, text: str = "", path: Path | None = None) -> None:
        """A fixed token, or one that is kept in a file; without either there is none."""
        self._text = text
        self._path = path
        self._version: tuple[int, int] | None = None

    def headers(self) -> dict[str, str]:
        """The request headers that carry the token.

        Raises:
            OSError: the file cannot be read.
        """
        if self._path is not None:
            self._refresh(self._path)
        return {"Authorization": f"Bearer {self._text}"} if self._text else {}

    def _refresh(self, path: Path) -> None:
        found = path.stat()
        version = (found.st_mtime_ns, found.st_ino)
        if version != self._version:
            self._text = path.read_text(encoding="utf-8").strip()
            self._version = version


@dataclass(frozen=True, slots=True)
class Access:
    """An API server and our credentials there.

    Attributes:
        server: its URL without a trailing slash.
        tls: how to trust it and to identify ourselves; None for plain HTTP.
        tls_name: the name to expect in its certificate, None for the host's.
        token: the bearer token, possibly none.
    """

    server: str
    tls: ssl.SSLContext | None
    tls_name: str | None
    token: BearerToken


def find_access(kubeconfig: Path | None, environment: Mapping[str, str]) -> Access:
    """The access that was asked for, else that of the pod we run in, else that of the user's kubeconfig.

    Raises:
        ConfigurationError: there is none, or it is not usable.
    """
    if kubeconfig is not None:
        return from_kubeconfig(kubeconfig)
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return from_pod(environment, SERVICE_ACCOUNT)
    listed = environment.get("KUBECONFIG", "")
    paths = [Path(each) for each in listed.split(os.pathsep) if each]
    if len(paths) > 1:
        raise ConfigurationError(
            f"KUBECONFIG names {len(paths)} files, which are not merged: name one with --kubeconfig"
        )
    default = paths[0] if paths else Path(environment.get("HOME", "~")).expanduser() / ".kube" / "config"
    if not default.exists():
        raise ConfigurationError(
            f"no API server to talk to: {default} does not exist and this is no pod; use --kubeconfig"
        )
    return from_kubeconfig(default)


def from_pod(environment: Mapping[str, str], mount: Path) -> Access:
    """The access that a cluster gives to its pods.

    Raises:
        ConfigurationError: the service account is not mounted.
    """
    host = environment["KUBERNETES_SERVICE_HOST"]
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    token, authority = mount / "token", mount / "ca.crt"
    for path in (token, authority):
        if not path.exists():
            raise ConfigurationError(
                f"{path} is missing: the pod needs automountServiceAccountToken, or use --kubeconfig"
            )
    host = f"[{host}]" if ":" in host else host
    context = ssl.create_default_context(cafile=str(authority))
    return Access(f"https://{host}:{port}", context, None, BearerToken(path=token))


def from_kubeconfig(path: Path) -> Access:
    """The access of the file's current context.

    Raises:
        ConfigurationError: the file cannot be read, lacks something, or asks for what is not supported.
    """
    cluster, user = _current(_load(path), path)
    entries = _Entries(path)
    server = entries.required(cluster, "cluster", "server")
    url = urlsplit(server)
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ConfigurationError(f"{path}: cluster.server is {server!r}: expected http://… or https://…")
    _refuse_unsupported(path, cluster, user)
    tls = _tls(entries, cluster, user) if url.scheme == "https" else None
    return Access(server.rstrip("/"), tls, cluster.get("tls-server-name"), _token(entries, user))


_UNSUPPORTED = {
    "exec": "credential plugins are not supported: use a token or a client certificate",
    "auth-provider": "auth providers are not supported: use a token or a client certificate",
    "username": "basic authentication is not supported: use a token or a client certificate",
    "as": "impersonation is not supported: use the account's own credentials",
    "proxy-url": "proxies are not supported: use a server that can be reached directly",
}


def _refuse_unsupported(path: Path, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> None:
    for section, entry in (("cluster", cluster), ("user", user)):
        for key, advice in _UNSUPPORTED.items():
            if entry.get(key):
                raise ConfigurationError(f"{path}: {section}.{key}: {advice}")


def _load(path: Path) -> Mapping[str, Any]:
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read the kubeconfig {path}: {error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date that does not exist
        raise ConfigurationError(f"the kubeconfig {path} is not YAML: {error}") from error
    if not isinstance(loaded, Mapping):
        raise ConfigurationError(
            f"the kubeconfig {path} is not a mapping: expected apiVersion, clusters, contexts, users"
        )
    return loaded


def _current(config: Mapping[str, Any], path: Path) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The cluster and the user of the current context."""
    name = config.get("current-context")
    if not name:
        raise ConfigurationError(f"{path}: current-context is not set: choose one of the file's contexts")
    context = _named(config, "contexts", "context", name, path)
    cluster = _named(config, "clusters", "cluster", context.get("cluster"), path)
    user = _named(config, "users", "user", context["user"], path) if context.get("user") else {}
    return cluster, user


def _named(config: Mapping[str, Any], section: str, key: str, name: object, path: Path) -> Mapping[str, Any]:
    entries = config.get(section) or ()
    for each in entries:
        if isinstance(each, Mapping) and each.get("name") == name:
            return each.get(key) or {}
    known = ", ".join(str(each.get("name")) for each in entries if isinstance(each, Mapping)) or "none"
    raise ConfigurationError(f"{path}: {section} has no entry named {name!r} (it has: {known})")


class _Entries:
    """Reads values that a kubeconfig holds inline (base64) or by the name of a file beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def required(self, entry: Mapping[str, Any], section: str, key: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value:
            raise ConfigurationError(f"{self.path}: {section}.{key} is missing")
        return value

    def file(self, entry: Mapping[str, Any], key: str) -> Path | None:
        return self.path.parent / str(entry[key]) if entry.get(key) else None

    def data(self, entry: Mapping[str, Any], key: str) -> bytes | None:
        """The value of ``<key>-data``, else the content of the file ``<key>``, else None."""
        inline = entry.get(f"{key}-data")
        if inline:
            try:
                return base64.b64decode(inline, validate=True)
            except (binascii.Error, ValueError, TypeError) as error:
                raise ConfigurationError(f"{self.path}: {key}-data is not base64: {error}") from error
        found = self.file(entry, key)
        if found is None:
            return None
        try:
            return found.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{self.path}: cannot read {key}: {error}") from error


def _token(entries: _Entries, user: Mapping[str, Any]) -> BearerToken:
    if user.get("token"):
        return BearerToken(str(user["token"]))
    path = entries.file(user, "tokenFile")
    if path is not None and not path.exists():
        raise ConfigurationError(f"{entries.path}: user.tokenFile: {path} does not exist")
    return BearerToken(path=path)


def _tls(entries: _Entries, cluster: Mapping[str, Any], user: Mapping[str, Any]) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context()
        if cluster.get("insecure-skip-tls-verify"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        elif (authority := entries.data(cluster, "certificate-authority")) is not None:
            context = ssl.create_default_context(cadata=authority.decode("ascii"))
        _load_client_certificate(context, entries, user)
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{entries.path}: the certificates or the key cannot be used: {error}"
        ) from error
    return context


def _load_client_certificate(context: ssl.SSLContext, entries: _Entries, user: Mapping[str, Any]) -> None:
    certificate, key = entries.data(user, "client-certificate"), entries.data(user, "client-key")
    if certificate is None and key is None:
        return
    if certificate is None or key is None:
        raise ConfigurationError(
            f"{entries.path}: user: client-certificate and client-key belong together, one is missing"
        )
    # Python's ssl takes a client certificate from a file only: it lives while that is read, for us alone.
    with tempfile.TemporaryDirectory(prefix="lst-scheduler-") as folder:
        chain = Path(folder) / "client.pem"
        chain.touch(mode=0o600)
        chain.write_bytes(certificate + b"\n" + key)
        context.load_cert_chain(chain)
