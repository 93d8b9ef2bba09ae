"""Which program a scheduler is, by digest: a run of an older build is not a run of this one."""

import hashlib
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluator.schedulers.profiles import LaunchContext, LaunchProfile


def program_sha256(profile: LaunchProfile, binary: Path | None) -> str:
    """SHA-256 over the command's files: its program, scripts named in it, the package of ``python -m``.

    :raises SchedulerFailedError: the profile's program is not to be found.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        words = profile.command(LaunchContext(folder / "kubeconfig", folder, binary))
        digest = hashlib.sha256()
        for word in words:  # where this machine keeps its scratch files says nothing about the program
            digest.update(word.replace(scratch, "").encode() + b"\0")
    for file in _files(words):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(words: list[str]) -> Iterator[Path]:
    if found := shutil.which(words[0]):
        yield Path(found)
    if words[1:2] == ["-m"] and len(words) > 2:
        yield from _sources(words[2])
    yield from (Path(word) for word in words[1:] if Path(word).is_file())


def _sources(module: str) -> Iterator[Path]:
    spec = find_spec(module.partition(".")[0])
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        yield from sorted(Path(folder).rglob("*.py"))
