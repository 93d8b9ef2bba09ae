"""Files are there whole or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.files import write_atomically


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("before")
    write_atomically(file, [b"af", b"ter"])
    assert file.read_text() == "after"
    assert list(tmp_path.iterdir()) == [file]


def test_what_cannot_be_finished_leaves_no_trace(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half"
        raise KeyboardInterrupt

    file = tmp_path / "a"
    file.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, chunks())
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "nowhere" / "a", [b""])
