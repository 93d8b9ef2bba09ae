"""Kubeconfigs and service accounts: what is read, and what is said when something is missing."""

import base64
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from scheduler.errors import ConfigurationError
from scheduler.kube.access import BearerToken, find_access, from_kubeconfig, from_pod

CERTIFICATES = Path(__file__).parent / "certificates"
DROP = object()
"""In place of a value: the key is left out."""


def inline(name: str) -> str:
    return base64.b64encode((CERTIFICATES / name).read_bytes()).decode()


def kubeconfig(
    folder: Path, cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None, **top: Any
) -> Path:
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "other", "cluster": {"server": "http://other"}},
            {"name": "c", "cluster": {"server": "http://api.test:8080/", **(cluster or {})}},
        ],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
        **top,
    }
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump({key: value for key, value in content.items() if value is not DROP}))
    return path


def test_a_plain_server(tmp_path: Path) -> None:
    access = from_kubeconfig(kubeconfig(tmp_path))
    assert (access.server, access.tls, access.token.headers()) == ("http://api.test:8080", None, {})


def test_a_context_without_a_user(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, contexts=[{"name": "x", "context": {"cluster": "c"}}], users=DROP)
    assert from_kubeconfig(path).token.headers() == {}


def test_a_token(tmp_path: Path) -> None:
    access = from_kubeconfig(kubeconfig(tmp_path, user={"token": "abc"}))
    assert access.token.headers() == {"Authorization": "Bearer abc"}


def test_a_token_in_a_file_beside_the_kubeconfig_is_read_again_when_it_changes(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("first\n")
    token = from_kubeconfig(kubeconfig(tmp_path, user={"tokenFile": "token"})).token
    assert token.headers() == {"Authorization": "Bearer first"}
    (tmp_path / "new").write_text("second\n")
    (tmp_path / "new").rename(tmp_path / "token")
    assert token.headers() == {"Authorization": "Bearer second"}


def test_no_token_is_no_header() -> None:
    assert BearerToken().headers() == {}


def test_a_cluster_with_its_own_authority(tmp_path: Path) -> None:
    cluster = {
        "server": "https://127.0.0.1:6443",
        "certificate-authority-data": inline("ca.pem"),
        "tls-server-name": "api.test",
    }
    access = from_kubeconfig(kubeconfig(tmp_path, cluster))
    assert access.tls is not None
    assert access.tls.verify_mode is ssl.CERT_REQUIRED
    assert [each["subject"] for each in access.tls.get_ca_certs()] == [((("commonName", "test-ca"),),)]
    assert access.tls_name == "api.test"


def test_files_are_named_from_where_the_kubeconfig_is(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_bytes((CERTIFICATES / "ca.pem").read_bytes())
    access = from_kubeconfig(kubeconfig(tmp_path, {"server": "https://a", "certificate-authority": "ca.pem"}))
    assert access.tls is not None
    assert len(access.tls.get_ca_certs()) == 1


def test_verification_can_be_skipped(tmp_path: Path) -> None:
    access = from_kubeconfig(kubeconfig(tmp_path, {"server": "https://a", "insecure-skip-tls-verify": True}))
    assert access.tls is not None
    assert (access.tls.verify_mode, access.tls.check_hostname) == (ssl.CERT_NONE, False)


@pytest.mark.parametrize(
    ("cluster", "user", "top", "named"),
    [
        pytest.param({"server": ""}, {}, {}, ["cluster.server"], id="no server"),
        pytest.param({"server": "ftp://x"}, {}, {}, ["cluster.server", "'ftp://x'"], id="not HTTP"),
        pytest.param({"proxy-url": "http://p"}, {}, {}, ["cluster.proxy-url"], id="proxy"),
        pytest.param({}, {"exec": {"command": "aws"}}, {}, ["user.exec", "token"], id="credential plugin"),
        pytest.param({}, {"auth-provider": {"name": "gcp"}}, {}, ["user.auth-provider"], id="auth provider"),
        pytest.param({}, {"username": "me"}, {}, ["user.username"], id="basic authentication"),
        pytest.param({}, {"as": "them"}, {}, ["user.as"], id="impersonation"),
        pytest.param({}, {"tokenFile": "nowhere"}, {}, ["user.tokenFile", "nowhere"], id="token file"),
        pytest.param({}, {}, {"current-context": DROP}, ["current-context"], id="no context chosen"),
        pytest.param(
            {}, {}, {"current-context": "y"}, ["contexts", "'y'", "it has: x"], id="unknown context"
        ),
        pytest.param({}, {}, {"clusters": DROP}, ["clusters", "'c'", "it has: none"], id="no clusters"),
        pytest.param({}, {}, {"users": []}, ["users", "'u'"], id="no users"),
        pytest.param(
            {"server": "https://a", "certificate-authority-data": "%%"},
            {},
            {},
            ["certificate-authority-data", "base64"],
            id="not base64",
        ),
        pytest.param(
            {"server": "https://a", "certificate-authority": "nowhere.pem"},
            {},
            {},
            ["certificate-authority", "nowhere.pem"],
            id="no file",
        ),
        pytest.param(
            {"server": "https://a", "certificate-authority-data": base64.b64encode(b"x").decode()},
            {},
            {},
            ["certificates"],
            id="no certificate",
        ),
        pytest.param(
            {"server": "https://a"},
            {"client-certificate-data": inline("client.pem")},
            {},
            ["client-key"],
            id="no key",
        ),
        pytest.param(
            {"server": "https://a"},
            {"client-certificate-data": inline("client.pem"), "client-key-data": inline("server.key")},
            {},
            ["certificates or the key"],
            id="another's key",
        ),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any], top: dict[str, Any], named: list[str]
) -> None:
    path = kubeconfig(tmp_path, cluster, user, **top)
    with pytest.raises(ConfigurationError) as refusal:
        from_kubeconfig(path)
    for each in (str(path), *named):
        assert each in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not YAML"),
        (b"a: 9999-99-99", "is not YAML"),
        (b"- a", "is not a mapping"),
        (b"\xff\xfe\xfa", "cannot read"),
    ],
)
def test_files_that_are_no_kubeconfig(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=said):
        from_kubeconfig(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot read the kubeconfig"):
        find_access(tmp_path / "nowhere", {})


# Where to look ------------------------------------------------------------------------------------


def test_the_flag_comes_first(tmp_path: Path) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBECONFIG": "/nowhere"}
    assert find_access(kubeconfig(tmp_path), environment).server == "http://api.test:8080"


def test_the_variable_comes_before_the_home(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path)
    assert find_access(None, {"KUBECONFIG": str(path), "HOME": "/nowhere"}).server == "http://api.test:8080"


def test_the_home_comes_last(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    kubeconfig(tmp_path).rename(tmp_path / ".kube" / "config")
    assert find_access(None, {"HOME": str(tmp_path)}).server == "http://api.test:8080"


def test_nowhere_to_look(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--kubeconfig"):
        find_access(None, {"HOME": str(tmp_path)})


def test_several_files_are_not_merged() -> None:
    with pytest.raises(ConfigurationError, match="names 2 files"):
        find_access(None, {"KUBECONFIG": "a:b"})


@pytest.mark.parametrize(
    ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
)
def test_in_a_pod(tmp_path: Path, host: str, server: str) -> None:
    (tmp_path / "token").write_text("abc")
    (tmp_path / "ca.crt").write_bytes((CERTIFICATES / "ca.pem").read_bytes())
    access = from_pod({"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"}, tmp_path)
    assert (access.server, access.token.headers()) == (server, {"Authorization": "Bearer abc"})
    assert access.tls is not None
    assert len(access.tls.get_ca_certs()) == 1


def test_in_a_pod_without_a_service_account(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="automountServiceAccountToken"):
        from_pod({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path)
    with pytest.raises(ConfigurationError, match="automountServiceAccountToken"):
        find_access(None, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
