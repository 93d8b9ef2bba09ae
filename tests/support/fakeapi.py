"""``fakeapi serve`` in a process of its own, as a user starts it."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.support.processes import running
from tests.support.servers import ApiServer, answers


@contextlib.contextmanager
def running_fakeapi(home: Path, *options: str) -> Iterator[ApiServer]:
    """Run the server, on a port of its choice and with these options more, until the block ends.

    Raises:
        ProcessFailed: it did not start.
    """
    kubeconfig, log = home / "kubeconfig", home / "fakeapi.log"
    command = [sys.executable, "-m", "fakeapi", "serve", "--port", "0", "--kubeconfig", str(kubeconfig)]

    def is_ready() -> bool:
        return kubeconfig.exists() and answers(f"{_server_of(kubeconfig)}/readyz")

    with running([*command, *options], log=log, ready=is_ready) as process:
        yield ApiServer(
            name="fakeapi",
            url=_server_of(kubeconfig),
            kubeconfig=kubeconfig,
            pids={"fakeapi": process.pid},
            logs={"fakeapi": log},
        )


def _server_of(kubeconfig: Path) -> str:
    text = kubeconfig.read_text()
    return str(yaml.safe_load(text)["clusters"][0]["cluster"]["server"]) if text else ""
