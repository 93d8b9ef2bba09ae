"""A badly behaved scheduler: ``misbehaves.py KUBECONFIG crashes|spins|computes``.

It watches pods, and from the first one on it crashes with status 7, or spins without
end, or computes for longer than any test waits.
"""

import http.client
import sys
from pathlib import Path
from urllib.parse import urlsplit

import yaml

STATUS = 7


def first_pod(kubeconfig: Path) -> bytes:
    """The first event of a watch of all pods; says on standard output that it watches."""
    config = yaml.safe_load(kubeconfig.read_text())
    server = urlsplit(config["clusters"][0]["cluster"]["server"])
    connection = http.client.HTTPConnection(server.hostname or "", server.port)
    connection.request("GET", "/api/v1/pods?watch=true")
    print("watching", flush=True)  # noqa: T201  the log is what the tests read
    return connection.getresponse().readline()


def main() -> None:
    """Misbehave in the way that was asked for."""
    first_pod(Path(sys.argv[1]))
    if sys.argv[2] == "crashes":
        print("about to crash", flush=True)  # noqa: T201  the log is what the tests read
        sys.exit(STATUS)
    while sys.argv[2] in ("spins", "computes"):
        pass


main()
