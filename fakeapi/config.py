"""Settings of a server that stands on its own, grouped by topic.

Every field says its meaning, its unit and the reason of its default. Settings are
checked as a whole when they are made, and every wrong one is told.
"""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fakeapi.cluster.nodes import CHIP_RESOURCE
from fakeapi.kernel.time import Instant, parse_instant
from fakeapi.rest.api import BODY_LIMIT
from fakeapi.rest.control import Steering
from fakeapi.storage.store import DEFAULT_HISTORY_LIMIT

MAX_PORT: Final = 65_535
MAX_SPEED: Final = 1_000_000.0
"""Eleven days in a second: beyond that the machine's own delays are days; a manual clock serves better."""
MAX_NODES: Final = 100_000
"""Twenty times what Kubernetes itself claims to support."""
MAX_CHIPS: Final = 1_024
LATEST_START: Final[Instant] = parse_instant("2200-01-01T00:00:00Z")
"""Leaves room for a century of virtual time before timestamps run out of digits."""
MIN_BODY: Final = 1_024
MIN_TOKEN: Final = 16
"""Characters of a bearer token below which guessing it becomes thinkable."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One setting that cannot be used."""

    field: str
    value: object
    advice: str

    def __str__(self) -> str:
        return f"{self.field}: {self.value!r} cannot be used: {self.advice}"


class ConfigError(ValueError):
    """Settings that cannot be used; the message has a line for each of them."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: Final = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSettings:
    """Where clients find the server and what they must show."""

    host: str = "127.0.0.1"
    """Address to listen on. Loopback, since the server does whatever a client asks."""
    port: int = 0
    """TCP port; 0 lets the system choose a free one, so that two servers never collide."""
    advertise: str = ""
    """Host name or address that clients are told; empty for ``host`` itself (loopback for a wildcard)."""
    token: str = field(default="", repr=False)
    """Bearer token that every request must carry, empty for none."""
    tls_cert: Path | None = None
    """PEM file with the certificate (and its chain) to serve HTTPS with; None for plain HTTP."""
    tls_key: Path | None = None
    """PEM file with the certificate's private key."""

    @property
    def secure(self) -> bool:
        """Whether HTTPS is spoken."""
        return self.tls_cert is not None

    def problems(self) -> Iterator[Problem]:
        """What is wrong."""
        if not 0 <= self.port <= MAX_PORT:
            yield Problem("port", self.port, f"give 0 (any free port) to {MAX_PORT}")
        if self.token and len(self.token) < MIN_TOKEN:
            yield Problem("token", "…", f"give at least {MIN_TOKEN} characters")
        if not self.token.isascii() or any(letter.isspace() for letter in self.token):
            yield Problem("token", "…", "use ASCII letters, digits and signs without spaces")
        if (self.tls_cert is None) != (self.tls_key is None):
            given, missing = ("tls_key", "tls_cert") if self.tls_cert is None else ("tls_cert", "tls_key")
            yield Problem(missing, None, f"give it too, or leave {given} out")
        for name, path in (("tls_cert", self.tls_cert), ("tls_key", self.tls_key)):
            if path is not None and not path.is_file():
                yield Problem(name, str(path), "no such file: name a PEM file")
        if not is_loopback(self.host) and not (self.token and self.secure):
            yield Problem(
                "host",
                self.host,
                "others can reach it: set token, tls_cert and tls_key, or listen on 127.0.0.1",
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server on that address; false of names that may mean anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSettings:
    """How the world's clock runs."""

    steering: Steering = Steering.REAL
    """Real by default: somebody who starts a server expects it to live."""
    speed: float = 1.0
    """Virtual seconds for a real one. Read only where the clock runs by itself."""
    start: Instant | None = None
    """First instant of the world; None for the machine's present, which kubectl's ages expect."""

    def problems(self) -> Iterator[Problem]:
        """What is wrong."""
        if not 0 < self.speed <= MAX_SPEED:
            yield Problem("speed", self.speed, f"give a number above 0 and up to {MAX_SPEED:.0f}")
        if self.steering is not Steering.REAL and self.speed != 1.0:
            yield Problem("speed", self.speed, "it means nothing to a clock that does not run by itself")
        if self.start is not None and not 0 <= self.start <= LATEST_START:
            yield Problem("start", self.start, "give an instant from 1970 to 2200")


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSettings:
    """What the server keeps and reads at most."""

    history: int = DEFAULT_HISTORY_LIMIT
    """Changes of each collection that a watch can resume from."""
    body: int = BODY_LIMIT
    """Bytes of a request's body, as the real server's ``MaxRequestBodyBytes``."""

    def problems(self) -> Iterator[Problem]:
        """What is wrong."""
        for name, least in (("history", 1), ("body", MIN_BODY)):
            value = getattr(self, name)
            if value < least:
                yield Problem(name, value, f"give {least} or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSettings:
    """What the world holds before the first client comes."""

    nodes: int = 0
    """Nodes named node-0, node-1, …: none, since a cluster's shape is the client's matter."""
    chips: int = 8
    """Accelerators of each of these nodes: the usual training machine."""
    chip_resource: str = CHIP_RESOURCE
    """The extended resource that these chips are."""
    controllers: bool = True
    """Whether Jobs make pods, and what belongs to deleted objects goes with them, as in a whole cluster."""

    def problems(self) -> Iterator[Problem]:
        """What is wrong."""
        for name, most in (("nodes", MAX_NODES), ("chips", MAX_CHIPS)):
            value = getattr(self, name)
            if not 0 <= value <= most:
                yield Problem(name, value, f"give 0 to {most}")
        if "/" not in self.chip_resource.strip("/"):
            yield Problem(
                "chip_resource", self.chip_resource, f"give a domain and a name, such as {CHIP_RESOURCE}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """Everything about a server that stands on its own.

    Raises:
        ConfigError: some settings cannot be used.
    """

    network: NetworkSettings = field(default_factory=NetworkSettings)
    time: TimeSettings = field(default_factory=TimeSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    seed: int | None = None
    """Where uids and generated names come from; None for a seed that nobody needs to repeat."""

    def __post_init__(self) -> None:
        topics = (self.network, self.time, self.limits, self.cluster)
        problems = [problem for topic in topics for problem in topic.problems()]
        if self.seed is not None and self.seed < 0:
            problems.append(Problem("seed", self.seed, "give a whole number, 0 or more"))
        if problems:
            raise ConfigError(*problems)


def parse_start(text: str) -> Instant | None:
    """A start instant as people write it: ``now`` (None) or RFC 3339.

    Raises:
        ConfigError: it is neither.
    """
    if text == "now":
        return None
    try:
        return parse_instant(text)
    except ValueError as wrong:
        raise ConfigError(
            Problem("start", text, f"give now or an instant such as 2026-01-05T00:00:00Z ({wrong})")
        ) from None
