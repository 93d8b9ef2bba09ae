"""CSV files from outside, checked cell by cell."""

from pathlib import Path

import pytest

from evaluator.errors import TraceError
from evaluator.traces import table
from evaluator.traces.table import Row, read_table


def rows(tmp_path: Path, content: str | bytes, *columns: str) -> list[Row]:
    file = tmp_path / "table.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    read: list[Row] = []
    for row in read_table(file, columns):
        if isinstance(row, TraceError):
            raise row
        read.append(row)
    return read


def test_rows_know_their_lines_and_cells(tmp_path: Path) -> None:
    first, second = rows(tmp_path, 'a,b\r\n1," x, y "\r\n\r\n2,\r\n', "a", "b")
    assert (first.line, first.integer("a", maximum=9), first.text("b")) == (2, 1, "x, y")
    assert (second.line, second.optional_integer("b", maximum=9)) == (4, None)


def test_columns_may_stand_in_any_order_beside_others(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "c,b,a\n1,2,3\n", "a", "b")
    assert (row.text("a"), row.text("b")) == ("3", "2")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param("a,c\n1,2\n", "table.csv:1: no column b; found 'a, c'", id="column missing"),
        pytest.param("", "table.csv:1: no column a, b; found ''", id="empty"),
        pytest.param("a,b\n1\n", "table.csv:2: 1 cells where there should be 2 columns", id="cell missing"),
        pytest.param("a,b\n1,2,3\n", "table.csv:2: 3 cells", id="cell too many"),
        pytest.param('a,b\n"1,2\n', "table.csv:2: not CSV", id="quote never closed"),
        pytest.param(b"a,b\n\xff\xfe,2\n", "not UTF-8 text", id="not text"),
        pytest.param("a,b\n1," + "x" * 5000 + "\n", "more than 4,096 characters", id="huge cell"),
        pytest.param(
            "a,b\n1," + "x" * 200_000 + "\n", "table.csv:2: a line of more than 65,536 bytes", id="vast cell"
        ),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, content: str | bytes, complaint: str) -> None:
    with pytest.raises(TraceError) as caught:
        rows(tmp_path, content, "a", "b")
    assert complaint in str(caught.value)


def test_a_table_has_a_greatest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 2)
    with pytest.raises(TraceError, match="more than 2 rows"):
        rows(tmp_path, "a\n1\n2\n3\n", "a")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be read: No such file"):
        list(read_table(tmp_path / "missing.csv", ["a"]))


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ("", "a = '': not a whole number"),
        ("x", "a = 'x': not a whole number"),
        ("1.5", "a = '1.5': not a whole number"),
        ("1_0", "a = '1_0': not a whole number"),
        ("٣", "a = '٣': not a whole number"),
        ("-1", "a = '-1': must lie between 0 and 1,000"),
        ("1001", "a = '1001': must lie between 0 and 1,000"),
    ],
)
def test_a_number_is_whole_and_within_bounds(tmp_path: Path, cell: str, complaint: str) -> None:
    (row,) = rows(tmp_path, f'a\n"{cell}"\n', "a")
    with pytest.raises(TraceError) as caught:
        row.integer("a", maximum=1000)
    assert caught.value.what == complaint
    assert caught.value.where == f"{tmp_path / 'table.csv'}:2"


def test_names_and_labels_are_those_of_kubernetes(tmp_path: Path) -> None:
    (row,) = rows(tmp_path, "good,bad,empty\npod-1,Pod 1,\n", "good")
    assert (row.object_name("good"), row.label("empty")) == ("pod-1", "")
    with pytest.raises(TraceError, match="bad = 'Pod 1'"):
        row.object_name("bad")
    with pytest.raises(TraceError, match="bad = 'Pod 1'"):
        row.label("bad")
    with pytest.raises(TraceError, match="empty = ''"):
        row.object_name("empty")
