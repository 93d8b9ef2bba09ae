"""What settings look like as text, checked the same whether they come as flags or in a file.

Each function returns the value, or raises ``ValueError`` with the text and what was expected instead.
"""

import re

LOOPBACK = "127.0.0.1"
"""Where it is listened when only a port is named: nobody else sees health and metrics unless that is said."""

LONGEST_NAME = 63
MOST_WRITES = 1_000
HIGHEST_PORT = 65_535

# Texts, compiled when they are used: most starts use none of them.
_NAME = r"[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_PREFIX = r"(?:[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?/)?(?:[A-Za-z0-9][-._A-Za-z0-9]*)?"
_KEY = r"(?:[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?/)?[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_RESOURCE = r"[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?"
_ADDRESS = r"(?:(\[[0-9A-Fa-f:.]+\]|[-.A-Za-z0-9]*):)?(\d{1,5})"


def scheduler_name(text: str) -> str:
    """A scheduler's name."""
    expected = f"expected letters, digits, '-', '_' and '.', at most {LONGEST_NAME} of them"
    return _matching(_NAME, text, expected)


def object_name(text: str) -> str:
    """The name of a namespace or of a Lease."""
    expected = f"expected small letters, digits and '-', at most {LONGEST_NAME} of them"
    return _matching(_LABEL, text, expected)


def annotation_prefix(text: str) -> str:
    """The beginning of annotations' names."""
    return _matching(_PREFIX, text, "expected the beginning of an annotation's name, such as example.com/")


def annotation_key(text: str) -> str:
    """An annotation's whole name."""
    return _matching(_KEY, text, "expected an annotation's name, such as example.com/deadline")


def extended_resource(text: str) -> str:
    """The name of an extended resource."""
    return _matching(_RESOURCE, text, "expected the name of an extended resource, such as nvidia.com/gpu")


def address(text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``, ``[IPV6]:PORT``, ``:PORT`` or ``PORT``; without a host the loopback."""
    found = re.fullmatch(_ADDRESS, text, re.ASCII)
    port = int(found[2]) if found else HIGHEST_PORT + 1
    if found is None or port > HIGHEST_PORT:
        raise ValueError(f"{text!r}: expected HOST:PORT, or :PORT for the loopback address, such as :10261")
    return (found[1] or LOOPBACK).strip("[]"), port


def format_address(listen: tuple[str, int]) -> str:
    """Host and port as ``address`` reads them."""
    host, port = listen
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def write_limit(text: str) -> int:
    """How many writes may be under way at once."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MOST_WRITES:
        raise ValueError(f"{text!r}: expected a number from 1 to {MOST_WRITES}")
    return int(text)


def _matching(pattern: str, text: str, expected: str) -> str:
    if re.fullmatch(pattern, text) is None:
        raise ValueError(f"{text!r}: {expected}")
    return text
