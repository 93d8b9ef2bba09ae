"""Lines of files from outside, however broken."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.errors import TraceError
from evaluator.traces import source
from evaluator.traces.source import MAX_LINE, first_line, read_lines


def lines(file: Path) -> list[tuple[int, str]]:
    return [
        (number, text.what if isinstance(text, TraceError) else text) for number, text in read_lines(file)
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_have_numbers_and_no_ends(tmp_path: Path, packed: bool) -> None:
    file = tmp_path / "trace"
    content = "\ufeffa,b\r\n\n1,2".encode()
    file.write_bytes(gzip.compress(content) if packed else content)
    assert lines(file) == [(1, "a,b"), (2, ""), (3, "1,2")]


def test_a_line_that_is_no_text_is_told_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    file.write_bytes(b"a\nb\xffc\nd\n")
    assert lines(file) == [
        (1, "a"),
        (2, "not UTF-8 text: b'\\xff' at byte 2: invalid start byte"),
        (3, "d"),
    ]


def test_a_huge_line_is_passed_over_and_never_held(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    file.write_bytes(b"a\n" + b"x" * (3 * MAX_LINE) + b"\nb\n")
    read = lines(file)
    assert [number for number, _ in read] == [1, 2, 3]
    assert read[1][1].startswith("a line of more than 65,536 bytes, beginning b'xxx")
    assert read[2] == (3, "b")


def test_a_gzip_file_that_ends_early_says_where(tmp_path: Path) -> None:
    file = tmp_path / "trace.gz"
    whole = gzip.compress(b"".join(b"%d,%d\n" % (number, number * number) for number in range(5000)))
    file.write_bytes(whole[: len(whole) // 2])
    *_, (number, last) = lines(file)
    assert number > 1
    assert last.startswith("not a complete gzip file")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "FREE_EXPANSION", 1_000_000)
    file = tmp_path / "bomb"
    file.write_bytes(gzip.compress((b"0" * 999 + b"\n") * 20_000))
    with pytest.raises(TraceError, match="more than 200 times") as caught:
        lines(file)
    assert caught.value.where is not None


def test_a_file_has_a_greatest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_BYTES", 10)
    file = tmp_path / "trace"
    file.write_bytes(b"12345\n12345\n")
    with pytest.raises(TraceError, match="more than 10 bytes"):
        lines(file)


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be read: Is a directory"):
        lines(tmp_path)


def test_the_first_line_is_the_first_that_is_not_blank(tmp_path: Path) -> None:
    file = tmp_path / "trace"
    file.write_bytes(b"\n \nheader\nrow\n")
    assert first_line(file) == "header"
    file.write_bytes(b"\xff\nheader\n")
    assert first_line(file) == ""


@settings(max_examples=100)
@given(content=st.binary(max_size=200), packed=st.booleans())
def test_any_bytes_are_lines_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, packed: bool
) -> None:
    file = tmp_path_factory.mktemp("bytes") / "trace"
    file.write_bytes(b"\x1f\x8b" + content if packed else content)
    for number, text in read_lines(file):
        assert number >= 1
        assert isinstance(text, str | TraceError)
