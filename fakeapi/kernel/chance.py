"""Chance with names: one seeded generator for each purpose.

A stream depends on the seed and on its own name alone, so drawing one more
arrival never changes the failures of the same run.
"""

import hashlib
import random
import uuid
from typing import Final

SAFE_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of generated names: Kubernetes' own choice, without vowels so that no words come out."""


class Chance:
    """A family of independent generators grown from one seed."""

    def __init__(self, seed: int) -> None:
        self.seed: Final = seed
        self._streams: dict[str, random.Random] = {}

    def stream(self, name: str) -> random.Random:
        """The generator of that purpose; the same object each time it is asked for."""
        if name not in self._streams:
            digest = hashlib.sha256(f"{self.seed}/{name}".encode()).digest()
            self._streams[name] = random.Random(int.from_bytes(digest, "big"))
        return self._streams[name]

    def uid(self) -> str:
        """A random (version 4) UUID in text, drawn from the stream ``uid``."""
        return str(uuid.UUID(int=self.stream("uid").getrandbits(128), version=4))

    def suffix(self, length: int = 5) -> str:
        """A random ending for ``generateName``, drawn from the stream ``names``."""
        return "".join(self.stream("names").choices(SAFE_LETTERS, k=length))


def fresh_seed() -> int:
    """A seed from the operating system, for servers that nobody needs to repeat."""
    return random.SystemRandom().getrandbits(63)
