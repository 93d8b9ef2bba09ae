"""Creates by a client in Python, eight threads, one keep-alive connection each.

The other client (:mod:`benchmarks.api_load`) costs as little as a client can. This one is what
test suites and evaluators in Python are made of: it shares the machine's processors with the
server, as they do.
"""

import http.client
import json
import ssl
import threading
from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.servers import ApiServer

THREADS: Final = 8
_CREATED: Final = 201


def creates_per_second(server: ApiServer, path: str, template: Mapping[str, Any], count: int) -> float:
    """Create so many objects from a template (``{i}`` is the number); how many a second that were.

    Raises:
        RuntimeError: the server refused one.
    """
    text = json.dumps(template)
    bodies = [text.replace("{i}", f"py-{number}").encode() for number in range(count)]
    refusals: list[str] = []
    threads = [
        threading.Thread(target=_create, args=(server, path, bodies[first::THREADS], refusals))
        for first in range(THREADS)
    ]
    began = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = perf_counter() - began
    if refusals:
        raise RuntimeError(f"{server.name}: {refusals[0]}")
    return count / elapsed


def _create(server: ApiServer, path: str, bodies: list[bytes], refusals: list[str]) -> None:
    connection = _connection(server)
    headers = {"Content-Type": "application/json", "Accept": "application/json", **server.headers}
    for body in bodies:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        told = answer.read()
        if answer.status != _CREATED:
            refusals.append(told.decode(errors="replace"))
            return


def _connection(server: ApiServer) -> http.client.HTTPConnection:
    where = urlsplit(server.url)
    host = where.hostname or ""
    if server.authority is None:
        return http.client.HTTPConnection(host, where.port)
    context = ssl.create_default_context(cafile=server.authority)
    return http.client.HTTPSConnection(host, where.port, context=context)
