"""Indexes of an Indexed Job as its status writes them: ``0,2-5,7`` (``indexed_job_utils.go``)."""

from collections.abc import Iterable


def parse_indexes(text: str, completions: int) -> set[int]:
    """The indexes of a text, those of ``completions`` and beyond left out."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), min(int(last or first), completions - 1) + 1))
    return found


def format_indexes(indexes: Iterable[int]) -> str:
    """The text of indexes: runs of three or more as ``first-last``, two as ``first,second``."""
    return ",".join(_run(first, last) for first, last in _runs(sorted(indexes)))


def _runs(ordered: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for index in ordered:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _run(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"
