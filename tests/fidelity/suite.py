"""The table of behaviours: each a function that sends the same requests to any server."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.fidelity.transcript import Client

Play = Callable[[Client], None]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One thing that a client can observe.

    Attributes:
        group: the chapter of the table.
        name: unique, a valid namespace name: the behaviour is played in one of that name.
        statement: one line for people.
        play: sends the requests.
    """

    group: str
    name: str
    statement: str
    play: Play


BEHAVIOURS: Final[dict[str, Behaviour]] = {}
"""By name, in the order of the table."""


def add(group: str, name: str, statement: str, play: Play) -> None:
    """Put a behaviour into the table.

    Raises:
        ValueError: the name is taken or no namespace could have it.
    """
    if name in BEHAVIOURS or not re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name):
        raise ValueError(f"behaviour {name!r}: the name is taken, or no namespace can have it")
    BEHAVIOURS[name] = Behaviour(group, name, statement, play)


def behaviour(group: str) -> Callable[[Play], Play]:
    """Put the function into the table; its docstring is the statement."""

    def register(play: Play) -> Play:
        name = play.__name__.strip("_").replace("_", "-")
        add(group, name, (play.__doc__ or "").strip(), play)
        return play

    return register
