"""What an importer did is told in the order in which it was first said."""

from evaluator.traces.report import ImportReport


def test_counts_come_in_order_and_remarks_after_them() -> None:
    report = ImportReport("trace")
    report.count("second", 0)
    report.remark("a remark")
    report.count("third")
    report.count("second", 2)
    report.count("nothing", 0)
    notes = list(report.notes())
    assert [(note.topic, note.text, note.count) for note in notes] == [
        ("trace", "second", 2),
        ("trace", "third", 1),
        ("trace", "a remark", None),
    ]
    assert (report.of("second"), report.of("unheard of")) == (2, 0)
