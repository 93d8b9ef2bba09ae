"""The file for clients: what is in it, and who can read it."""

import base64
import stat
from pathlib import Path

import pytest
import yaml

from fakeapi.config import ConfigError, NetworkSettings
from fakeapi.kubeconfig import kubeconfig, write_kubeconfig

TLS = Path(__file__).parent / "tls"
URL = "http://127.0.0.1:8001"


def test_a_plain_server_needs_nothing_but_its_url() -> None:
    config = kubeconfig(URL, NetworkSettings())
    assert config["clusters"] == [{"name": "fakeapi", "cluster": {"server": URL}}]
    assert config["users"] == [{"name": "fakeapi", "user": {}}]
    assert config["current-context"] == "fakeapi"


def test_a_secure_one_comes_with_its_certificate_and_token() -> None:
    network = NetworkSettings(token="a-token-long-enough", tls_cert=TLS / "cert.pem", tls_key=TLS / "key.pem")
    config = kubeconfig(URL, network)
    authority = config["clusters"][0]["cluster"]["certificate-authority-data"]
    assert base64.b64decode(authority) == (TLS / "cert.pem").read_bytes()
    assert config["users"][0]["user"] == {"token": "a-token-long-enough"}


def test_the_file_is_its_owners_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text("something else")
    path.chmod(0o644)
    write_kubeconfig(path, URL, NetworkSettings())
    assert yaml.safe_load(path.read_text()) == kubeconfig(URL, NetworkSettings())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "kubeconfig"
    with pytest.raises(ConfigError) as raised:
        write_kubeconfig(path, URL, NetworkSettings())
    (problem,) = raised.value.problems
    assert (problem.field, problem.value) == ("kubeconfig", str(path))
    assert "No such file or directory" in problem.advice
