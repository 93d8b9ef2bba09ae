"""Settings: sound defaults, and an answer for each that cannot be used."""

from pathlib import Path
from typing import Any

import pytest

from fakeapi.config import (
    ClusterSettings,
    ConfigError,
    LimitSettings,
    NetworkSettings,
    ServerConfig,
    TimeSettings,
    is_loopback,
    parse_start,
)
from fakeapi.kernel.time import DAY, parse_instant
from fakeapi.rest.control import Steering

TLS = Path(__file__).parent / "tls"
TOKEN = "a-token-long-enough"
SECURE: dict[str, Any] = {"token": TOKEN, "tls_cert": TLS / "cert.pem", "tls_key": TLS / "key.pem"}


def problems(**topics: Any) -> list[tuple[str, object]]:
    try:
        ServerConfig(**topics)
    except ConfigError as error:
        return [(problem.field, problem.value) for problem in error.problems]
    return []


def test_the_defaults_can_be_used_and_stay_on_this_machine() -> None:
    config = ServerConfig()
    assert is_loopback(config.network.host)
    assert not config.network.secure


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.7", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_only_what_cannot_be_reached_from_elsewhere_is_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("missing", ["token", "tls_cert", "both"])
def test_a_server_that_others_reach_needs_a_token_and_tls(missing: str) -> None:
    given = dict(SECURE)
    if missing in ("token", "both"):
        del given["token"]
    if missing in ("tls_cert", "both"):
        del given["tls_cert"], given["tls_key"]
    with pytest.raises(ConfigError) as raised:
        ServerConfig(network=NetworkSettings(host="0.0.0.0", **given))
    assert str(raised.value) == (
        "host: '0.0.0.0' cannot be used: others can reach it: "
        "set token, tls_cert and tls_key, or listen on 127.0.0.1"
    )


def test_with_both_it_may_listen_anywhere() -> None:
    assert ServerConfig(network=NetworkSettings(host="0.0.0.0", **SECURE)).network.secure


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"port": -1}, ("port", -1)),
        ({"port": 65_536}, ("port", 65_536)),
        ({"token": "short"}, ("token", "…")),
        ({"token": "a token with some spaces"}, ("token", "…")),
        ({"token": "ein-schlüssel-mit-umlaut"}, ("token", "…")),
        ({"tls_cert": TLS / "cert.pem"}, ("tls_key", None)),
        ({"tls_key": TLS / "key.pem"}, ("tls_cert", None)),
        (
            {"tls_cert": Path("/nowhere/cert.pem"), "tls_key": TLS / "key.pem"},
            ("tls_cert", "/nowhere/cert.pem"),
        ),
    ],
)
def test_what_the_network_cannot_be(settings: dict[str, Any], wrong: tuple[str, object]) -> None:
    assert problems(network=NetworkSettings(**settings)) == [wrong]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"speed": 0.0}, "speed"),
        ({"speed": -1.0}, "speed"),
        ({"speed": float("nan")}, "speed"),
        ({"speed": float("inf")}, "speed"),
        ({"speed": 2.0, "steering": Steering.MANUAL}, "speed"),
        ({"start": -1}, "start"),
        ({"start": parse_instant("9000-01-01T00:00:00Z")}, "start"),
    ],
)
def test_what_time_cannot_be(settings: dict[str, Any], field: str) -> None:
    assert problems(time=TimeSettings(**settings)) == [(field, settings[field])]


def test_what_limits_and_clusters_cannot_be() -> None:
    assert problems(
        limits=LimitSettings(history=0, body=10),
        cluster=ClusterSettings(nodes=-1, chips=5000, chip_resource="gpu"),
        seed=-3,
    ) == [
        ("history", 0),
        ("body", 10),
        ("nodes", -1),
        ("chips", 5000),
        ("chip_resource", "gpu"),
        ("seed", -3),
    ]


def test_a_token_is_told_to_nobody() -> None:
    assert TOKEN not in repr(NetworkSettings(token=TOKEN))
    with pytest.raises(ConfigError) as raised:
        ServerConfig(network=NetworkSettings(token="short-secret"))
    assert "short-secret" not in str(raised.value)


def test_a_start_is_now_or_an_instant() -> None:
    assert parse_start("now") is None
    assert parse_start("1970-01-02T00:00:00Z") == DAY
    with pytest.raises(ConfigError, match="start: 'tomorrow' cannot be used: give now or an instant such as"):
        parse_start("tomorrow")
