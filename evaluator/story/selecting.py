"""Finding the job that somebody means."""

import difflib
from collections.abc import Iterable

from evaluator.errors import NothingMatchedError, UsageError
from evaluator.timeline import Event, JobSubmitted, PodSubmitted

CLOSE_MATCHES = 5
"""Names that are offered where none fits: a short list to choose from."""


def find_job(events: Iterable[Event], asked: str) -> str:
    """The job that is meant by ``asked``: its name with or without namespace, or one of its pods' names.

    Raises:
        NothingMatchedError: no job of that name; the message holds the closest ones.
        UsageError: the name without namespace belongs to several jobs.
    """
    names: dict[str, str] = {}
    for event in events:
        if isinstance(event, JobSubmitted):
            names[event.job] = event.job
        elif isinstance(event, PodSubmitted):
            names.setdefault(event.pod, event.job or event.pod)
    if asked in names:
        return names[asked]
    meant = {job for name, job in names.items() if name.partition("/")[2] == asked}
    if len(meant) == 1:
        return meant.pop()
    if meant:
        raise UsageError(
            f"job {asked!r}: there is one in several namespaces",
            next_step=f"Give one of: {', '.join(sorted(meant)[:CLOSE_MATCHES])}.",
        )
    raise NothingMatchedError(f"job {asked!r}: there is none of that name", next_step=_offer(names, asked))


def _offer(names: dict[str, str], asked: str) -> str:
    short = {name.partition("/")[2]: job for name, job in names.items()}
    close = difflib.get_close_matches(asked, [*names, *short], n=CLOSE_MATCHES, cutoff=0.5)
    jobs = list(dict.fromkeys(names.get(name) or short[name] for name in close))
    if jobs:
        return f"Did you mean {', '.join(jobs)}?"
    some = list(dict.fromkeys(names.values()))[:CLOSE_MATCHES]
    return f"The run has such jobs as {', '.join(some)}." if some else "The run has no jobs."
