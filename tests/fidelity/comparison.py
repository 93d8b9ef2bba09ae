"""Two transcripts, field by field, and the differences that are accepted."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

ABSENT: Final = "<absent>"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of an answer that the two servers fill differently.

    Attributes:
        behaviour: the behaviour's name.
        path: the number of the answer, from 1, and the field in it, such as ``2.body.metadata.generation``.
        fake: what fakeapi says; :data:`ABSENT` if nothing.
        real: what kube-apiserver says.
    """

    behaviour: str
    path: str
    fake: Any
    real: Any

    def __str__(self) -> str:
        """A line for a person."""
        return f"{self.behaviour} {self.path}: fakeapi {self.fake!r}, kube-apiserver {self.real!r}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """Differences that stay, for one reason.

    Attributes:
        reason: why they stay.
        paths: paths of :class:`Difference`; ``*`` stands for any text.
        behaviours: the names of those that differ so; none means that any may.
    """

    reason: str
    paths: tuple[str, ...]
    behaviours: tuple[str, ...] = ()

    def covers(self, difference: Difference) -> bool:
        """Whether the difference is one of these."""
        named = not self.behaviours or difference.behaviour in self.behaviours
        return named and any(_fits(difference.path, path) for path in self.paths)


def _fits(path: str, pattern: str) -> bool:
    plain = str.maketrans("[]", "()")  # an index is no set of characters
    return fnmatchcase(path.translate(plain), pattern.translate(plain))


def differences(behaviour: str, fake: list[Any], real: list[Any]) -> list[Difference]:
    """Every field in which two transcripts of a behaviour differ."""
    found = []
    for number in range(max(len(fake), len(real))):
        pair = (answers[number] if number < len(answers) else ABSENT for answers in (fake, real))
        found += [Difference(behaviour, *field) for field in _fields(str(number + 1), *pair)]
    return found


def _fields(path: str, fake: Any, real: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(fake, dict) and isinstance(real, dict):
        for key in dict.fromkeys((*real, *fake)):
            yield from _fields(f"{path}.{key}", fake.get(key, ABSENT), real.get(key, ABSENT))
    elif isinstance(fake, list) and isinstance(real, list):
        for index in range(max(len(fake), len(real))):
            items = (side[index] if index < len(side) else ABSENT for side in (fake, real))
            yield from _fields(f"{path}[{index}]", *items)
    elif fake != real or type(fake) is not type(real):
        yield path, fake, real


def unlisted(found: Iterable[Difference], accepted: Iterable[Accepted]) -> list[Difference]:
    """The differences that no entry of the list covers."""
    entries = tuple(accepted)
    return [difference for difference in found if not any(entry.covers(difference) for entry in entries)]


def outlived(found: Iterable[Difference], accepted: Iterable[Accepted]) -> list[str]:
    """What the list names and is no difference any more: paths, and behaviours, each with its reason."""
    differing = tuple(found)
    lines = []
    for entry in accepted:
        covered = [difference for difference in differing if entry.covers(difference)]
        names = {difference.behaviour for difference in covered}
        lines += [f"{name} ({entry.reason})" for name in entry.behaviours if name not in names]
        lines += [
            f"{pattern} ({entry.reason})"
            for pattern in entry.paths
            if not any(_fits(difference.path, pattern) for difference in covered)
        ]
    return lines
