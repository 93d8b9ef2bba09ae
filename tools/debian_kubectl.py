"""Fetch the kubectl that Debian 12 ships (1.20): a client years older than the current one must work too.

The package as Debian built it is unpacked into the cache::

    python -m tools.debian_kubectl

prints the program's path. Nothing is installed: another kubectl may already be in PATH.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.build_peers import PeerError, cache, locked, say

PACKAGE: Final = "kubernetes-client"
MINOR: Final = "1.20"
"""The minor version of the packages that are taken; a newer distribution's kubectl proves nothing new."""


def fetch() -> Path:
    """The path of Debian's kubectl, fetched first if the cache does not hold it.

    Raises:
        PeerError: this machine's package sources do not offer it, or it cannot be unpacked.
    """
    home = cache() / f"debian-{PACKAGE}-{MINOR}"
    program = home / "kubectl"
    if program.exists():
        return program
    for tool in ("apt-cache", "apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise PeerError(
                f"Debian's kubectl {MINOR} has to be fetched and there is no `{tool}`: use Debian 12."
            )
    home.mkdir(parents=True, exist_ok=True)
    with locked(home / "fetch.lock"):
        if not program.exists():
            _unpack(_offered_version(), program)
    return program


def _offered_version() -> str:
    policy = _run(["apt-cache", "policy", PACKAGE], Path.cwd())
    found = re.search(r"Candidate: (\S+)", policy)
    offered = found[1] if found else "(none)"
    if not offered.startswith(f"{MINOR}."):
        raise PeerError(
            f"apt offers {PACKAGE} {offered}, and {MINOR} is needed: use Debian 12, after `apt-get update`."
        )
    return offered


def _unpack(version: str, program: Path) -> None:
    # Below the cache and not below /tmp: renaming the program into place needs one file system.
    with tempfile.TemporaryDirectory(dir=program.parent) as scratch:
        directory = Path(scratch)
        directory.chmod(0o755)  # apt's own user writes here
        say(f"fetching {PACKAGE} {version} …")
        _run(["apt-get", "download", "-q", f"{PACKAGE}={version}"], directory)
        (archive,) = directory.glob("*.deb")
        _run(["dpkg-deb", "-x", str(archive), "unpacked"], directory)
        (directory / "unpacked/usr/bin/kubectl").replace(program)


def _run(command: Sequence[str], directory: Path) -> str:
    done = subprocess.run(
        command, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise PeerError(f"`{' '.join(command)}` failed:\n{(done.stdout + done.stderr).strip()}")
    return done.stdout


def main() -> int:
    """Fetch it and print its path; 0 when it is there, 1 when it cannot be had."""
    try:
        print(fetch())
    except PeerError as error:
        say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
