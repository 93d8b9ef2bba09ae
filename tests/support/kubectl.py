"""kubectl as a person uses it: arguments in, what it prints out."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.support.servers import ApiServer

COMMAND_S: Final = 60.0
"""Seconds that one command may take; kubectl itself waits for nothing longer in these suites."""


class KubectlFailed(AssertionError):
    """A command ended with another status than 0; the message holds what it printed."""


class Kubectl:
    """One kubectl program, one server, one namespace.

    Args:
        program: the path of kubectl.
        server: the server to talk to.
        namespace: the namespace of commands that do not name one.
        home: a directory for its caches, so that no other server's discovery is in them.
    """

    def __init__(self, program: Path, server: ApiServer, namespace: str, home: Path) -> None:
        self._command: Final = [str(program), "--kubeconfig", str(server.kubeconfig), "-n", namespace]
        self._environment: Final[Mapping[str, str]] = {**os.environ, "HOME": str(home)}

    def __call__(self, *arguments: str, manifest: object = None) -> str:
        """Run a command; ``manifest`` is what it reads with ``-f -``. Its output.

        Raises:
            KubectlFailed: its status is not 0.
        """
        done = self.attempt(*arguments, manifest=manifest)
        if done.returncode != 0:
            raise KubectlFailed(f"kubectl {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def attempt(self, *arguments: str, manifest: object = None) -> subprocess.CompletedProcess[str]:
        """Run a command that may fail."""
        return subprocess.run(
            [*self._command, *arguments],
            input=json.dumps(manifest) if manifest is not None else "",
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
        )

    def json(self, *arguments: str) -> Any:
        """The object that a command prints with ``-o json``."""
        return json.loads(self(*arguments, "-o", "json"))

    def rows(self, *arguments: str) -> list[list[str]]:
        """The cells of the table that a command prints, its header first."""
        return [line.split() for line in self(*arguments).splitlines()]

    def start(self, *arguments: str, log: Path) -> "subprocess.Popen[bytes]":
        """Start a command that goes on by itself, such as ``get -w``; its output goes to the file ``log``."""
        with log.open("wb") as output:
            return subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self._environment,
            )
