"""The lines of a file from outside: plain or gzip, decoded, bounded in every direction.

Memory is bounded by :data:`MAX_LINE`. A gzip file is recognised by its first bytes, whatever its name, and is
refused once it swells beyond what text does: see :data:`MAX_EXPANSION`.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from evaluator.errors import TraceError, shown

MAX_LINE: Final = 64 * 1024
"""Bytes of one line: the longest in any published trace has some 300; quotes that never close end here."""

MAX_BYTES: Final = 4 * 2**30
"""Bytes of one unpacked file: some forty times the largest published trace in use."""

MAX_EXPANSION: Final = 200
"""Bytes that one byte of gzip may become. Traces as text reach 5 to 20; a bomb reaches 1,000."""

FREE_EXPANSION: Final = 16 * 2**20
"""Bytes that may be unpacked before :data:`MAX_EXPANSION` counts: small files can be all blanks."""

ADVICE: Final = "Is the file complete, and the one that was published?"

_GZIP_MAGIC: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_SKIP: Final = 1024 * 1024
"""Bytes read at once while the rest of a line that is too long is passed over."""

Line: TypeAlias = tuple[int, str | TraceError]
"""Number of a line, counted from 1, and its text without line end, or what is wrong with it."""


def read_lines(file: Path) -> Iterator[Line]:
    """The lines of a file. What is wrong with one line is given in its place, so that a reader may go on.

    :raises TraceError: if the file cannot be opened, or is refused as a whole.
    """
    try:
        with file.open("rb") as raw:
            yield from _lines(file, raw)
    except OSError as error:
        raise broken(file, None, f"cannot be read: {error.strerror or error}") from error


def first_line(file: Path) -> str:
    """The first line that is not blank, or "" if there is none or it is not text.

    :raises TraceError: if the file cannot be opened.
    """
    for _, text in read_lines(file):
        if isinstance(text, TraceError):
            return ""
        if text.strip():
            return text
    return ""


def broken(file: Path, line: int | None, what: str) -> TraceError:
    """The error that says what is wrong with a line, or with the file as a whole."""
    return TraceError(what, where=str(file) if line is None else f"{file}:{line}", next_step=ADVICE)


def _lines(file: Path, raw: BinaryIO) -> Iterator[Line]:
    packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    raw.seek(0)
    stream = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if packed else raw
    total, number = 0, 0
    while True:
        number += 1
        try:
            content = stream.readline(MAX_LINE + 1)
            whole = len(content) <= MAX_LINE or content.endswith(b"\n")
            total += len(content) if whole else len(content) + _pass_over(stream)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            yield number, broken(file, number, f"not a complete gzip file: {error}")
            return
        if not content:
            return
        _bound(file, number, total, raw.tell() if packed else None)
        yield number, _text(file, number, content) if whole else _too_long(file, number, content)


def _pass_over(stream: BinaryIO | io.BufferedReader) -> int:
    """Skip the rest of a line; how many bytes that was, at most :data:`MAX_BYTES`."""
    skipped = 0
    while skipped <= MAX_BYTES:
        content = stream.readline(_SKIP)
        skipped += len(content)
        if not content or content.endswith(b"\n"):
            break
    return skipped


def _bound(file: Path, line: int, total: int, packed: int | None) -> None:
    if total > MAX_BYTES:
        raise broken(file, line, f"more than {MAX_BYTES:,} bytes")
    if packed and total > FREE_EXPANSION and total > packed * MAX_EXPANSION:
        raise broken(
            file, line, f"{packed:,} bytes of gzip have become {total:,}: more than {MAX_EXPANSION} times"
        )


def _text(file: Path, number: int, content: bytes) -> str | TraceError:
    if number == 1:
        content = content.removeprefix(_BOM)
    try:
        return content.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        bad = content[error.start : error.start + 1]
        return broken(file, number, f"not UTF-8 text: {shown(bad)} at byte {error.start + 1}: {error.reason}")


def _too_long(file: Path, number: int, content: bytes) -> TraceError:
    return broken(file, number, f"a line of more than {MAX_LINE:,} bytes, beginning {shown(content[:40])}")
