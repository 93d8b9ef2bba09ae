"""The least that a badly behaved scheduler needs: the server of a kubeconfig, and an open watch of pods."""

import http.client
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml


def watched_pods() -> Iterator[dict[str, Any]]:
    """Events of a watch of all pods, from what there is; says on standard output that it watches."""
    config = yaml.safe_load(Path(sys.argv[1]).read_text())
    server = urlsplit(config["clusters"][0]["cluster"]["server"])
    connection = http.client.HTTPConnection(server.hostname or "", server.port)
    connection.request("GET", "/api/v1/pods?watch=true")
    answer = connection.getresponse()
    print("watching", flush=True)  # noqa: T201 — the log is what the tests read
    while line := answer.readline():
        yield json.loads(line)
