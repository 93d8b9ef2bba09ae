"""The load client on a server, and what the server's processes use meanwhile."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx

from tests.support.servers import ApiServer
from tools.build_peers import PEERS, build

MEGABYTE: Final = 1_000_000

MS_PER_TICK: Final = 10
"""Linux counts processor time for /proc in hundredths of a second."""


class Load:
    """The load client on one server."""

    def __init__(self, server: ApiServer, scratch: Path) -> None:
        self._server = server
        self._scratch = scratch
        self._program = build(PEERS["apiload"])

    def __call__(
        self, command: str, path: str, template: Mapping[str, Any] | None = None, **flags: int
    ) -> dict[str, float]:
        """One measurement: its figures.

        Raises:
            RuntimeError: the server refused something, or took too long.
        """
        arguments = [str(self._program), command, "-server", self._server.url, "-path", path]
        arguments += ["-token", self._server.token] if self._server.token else []
        if template is not None:
            file = self._scratch / "template.json"
            file.write_text(json.dumps(template, separators=(",", ":")))
            arguments += ["-template", str(file)]
        for name, value in flags.items():
            arguments += [f"-{name}", str(value)]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self._server.name}: {command}: {done.stderr.strip()}")
        figures: dict[str, float] = json.loads(done.stdout)
        return figures


def create_namespace(server: ApiServer, name: str) -> None:
    """Create a namespace, where every server wants one before anything is put into it."""
    answer = httpx.post(
        f"{server.url}/api/v1/namespaces",
        json={"metadata": {"name": name}},
        headers=server.headers,
        verify=server.trust,
    )
    answer.raise_for_status()


def cpu_ms(server: ApiServer) -> float:
    """Processor time that the server's processes have used, user and system."""
    total = 0.0
    for pid in server.pids.values():
        # The name of the program, in parentheses, may hold blanks; the times are the 12th and 13th after it.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) * MS_PER_TICK
    return total


def resident_mb(server: ApiServer) -> float:
    """Memory of the server's processes that is resident now, in megabytes."""
    return sum(_resident_mb(pid) for pid in server.pids.values())


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / MEGABYTE
    raise RuntimeError(f"process {pid} has ended")
