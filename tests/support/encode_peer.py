"""Kubernetes' own codecs as a process: what its Go code makes of a body, to compare ours with."""

import base64
import contextlib
import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any, Final

from tools.build_peers import Peer, build

PEER: Final = Peer("encode", "encode", upstream="k8s.io/client-go")


class EncodePeer:
    """A running ``tests/peers/encode``: one question at a time, each answered with a dictionary.

    An answer holds what the question is about (``object``, ``protobuf``), or ``error`` with Go's text;
    ``strict`` lists what a strict decoder objects to.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def encode(self, document: object) -> dict[str, Any]:
        """An object → ``protobuf``, its body, and ``object``, the same written as JSON again."""
        answer = self._ask(do="encode", document=document)
        return answer | {"protobuf": base64.b64decode(answer.get("protobuf", ""))}

    def decode_protobuf(self, body: bytes) -> dict[str, Any]:
        """A protobuf body → ``object``."""
        return self._ask(do="protobuf", body=base64.b64encode(body).decode())

    def decode_json(self, body: bytes) -> dict[str, Any]:
        """A JSON body → only what is said against it: ``error`` or ``strict``."""
        return self._ask(do="json", body=base64.b64encode(body).decode())

    def merge(self, document: object, patch: object) -> dict[str, Any]:
        """An object and a strategic merge patch → ``object``."""
        return self._ask(do="merge", document=document, patch=patch)

    def _ask(self, **question: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        self._process.stdin.flush()
        # Go passes on the JSON that an object carries; whoever reads it replaces what is no UTF-8 in it.
        line = self._process.stdout.readline().decode(errors="surrogateescape")
        answer: dict[str, Any] = json.loads(re.sub("[\udc80-\udcff]", "\ufffd", line))
        return answer


@contextlib.contextmanager
def running_encode_peer() -> Iterator[EncodePeer]:
    """Build the program if need be, and run it until the block ends.

    Raises:
        PeerError: it cannot be built.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen([build(PEER)], stdin=pipe, stdout=pipe) as process:
        try:
            yield EncodePeer(process)
        finally:
            process.kill()
