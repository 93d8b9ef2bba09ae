"""Continue tokens: where the next page of a list starts, and at which revision it was begun."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

import orjson

from fakeapi.machinery.status import StatusError, bad_request, expired
from fakeapi.storage.objects import Key

_VERSION: Final = "meta.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Continuation:
    """A page starts after ``after``, in the collection as it was at ``revision``."""

    revision: int
    after: Key

    def token(self) -> str:
        """The text that a client sends back."""
        value = {"v": _VERSION, "rv": self.revision, "start": "/".join(self.after)}
        return base64.urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")


def parse_continuation(token: str) -> Continuation:
    """The meaning of a continue token.

    Raises:
        StatusError: 400 for a token that this server did not make.
    """
    try:
        padded = token + "=" * (-len(token) % 4)
        value = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        namespace, _, name = value["start"].partition("/")
        revision = value["rv"]
        if value["v"] != _VERSION or not isinstance(revision, int) or revision <= 0:
            raise ValueError(value)
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError):
        raise bad_request(
            "invalid continue token: continue key is not valid: it was not made by this server"
        ) from None
    return Continuation(revision, (namespace, name))


def too_old() -> StatusError:
    """The refusal of a page whose snapshot is no longer known: 410, list again."""
    return expired(
        "The provided continue parameter is too old to display a consistent list result. "
        "You can start a new list without the continue parameter."
    )
