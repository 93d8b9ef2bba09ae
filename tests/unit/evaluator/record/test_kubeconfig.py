"""How a cluster is reached, from a kubeconfig."""

import base64
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluator.errors import UsageError
from evaluator.record.kubeconfig import load_access


def written(
    tmp_path: Path, *, cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None
) -> Path:
    file = tmp_path / "config"
    config = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443/", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
    }
    file.write_text(yaml.safe_dump(config))
    return file


def test_a_token_is_shown_and_the_server_is_verified(tmp_path: Path) -> None:
    access = load_access(written(tmp_path, user={"token": "secret"}))
    assert (access.server, access.headers) == ("https://127.0.0.1:6443", {"Authorization": "Bearer secret"})
    assert access.tls.verify_mode == ssl.CERT_REQUIRED


def test_a_token_may_stand_in_a_file_beside_the_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    access = load_access(written(tmp_path, user={"tokenFile": "token"}))
    assert access.headers == {"Authorization": "Bearer secret"}


def test_a_password_is_shown_where_that_is_what_there_is(tmp_path: Path) -> None:
    access = load_access(written(tmp_path, user={"username": "ann", "password": "pw"}))
    assert access.headers == {"Authorization": f"Basic {base64.b64encode(b'ann:pw').decode()}"}


def test_verification_can_be_left_out_on_request(tmp_path: Path) -> None:
    access = load_access(written(tmp_path, cluster={"insecure-skip-tls-verify": True}))
    assert access.tls.verify_mode == ssl.CERT_NONE


@pytest.mark.parametrize(
    ("cluster", "user", "message"),
    [
        ({"server": "tcp://x"}, {}, "cluster.server: 'tcp://x' is no http or https address"),
        ({"certificate-authority-data": "%%"}, {}, "certificate-authority-data: not base64"),
        ({"certificate-authority": "nowhere"}, {}, "nowhere cannot be read: No such file"),
        (
            {"certificate-authority-data": base64.b64encode(b"no").decode()},
            {},
            "certificates: cannot be used",
        ),
        ({}, {"exec": {"command": "aws"}}, "user.exec: credentials from a plug-in are not supported"),
    ],
)
def test_what_cannot_be_used_is_told(
    tmp_path: Path, cluster: dict[str, Any], user: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        load_access(written(tmp_path, cluster=cluster, user=user))
    assert message in str(caught.value)


def test_a_context_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="contexts: there is none called 'there'"):
        load_access(written(tmp_path), "there")


@pytest.mark.parametrize(
    ("content", "message"), [("[", "not YAML"), ("1", "not a kubeconfig"), ("{}", "current-context")]
)
def test_what_is_no_kubeconfig_is_told(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "config"
    file.write_text(content)
    with pytest.raises(UsageError, match=message):
        load_access(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        load_access(tmp_path / "config")
