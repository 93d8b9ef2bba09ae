import orjson

from fakeapi.storage.objects import Change, Kind, Version, event_line

OBJECT = {"metadata": {"name": "a", "resourceVersion": "5"}, "spec": {"x": [1, None, "é"]}}


def version(revision: int, **fields: object) -> Version:
    metadata = {"name": "a", "resourceVersion": str(revision)}
    return Version(("n", "a"), revision, {"metadata": metadata, **fields}, 5)


def test_the_json_of_a_version_is_made_once() -> None:
    found = Version(("n", "a"), 5, OBJECT, 5)
    assert orjson.loads(found.json) == OBJECT
    assert found.json is found.json


def test_the_line_of_an_event_is_one_line_of_json() -> None:
    assert event_line("BOOKMARK", b'{"a":1}') == b'{"type":"BOOKMARK","object":{"a":1}}\n'


def test_a_change_makes_one_line_for_each_event_type() -> None:
    change = Change(Kind.MODIFIED, 6, version(5), version(6, spec={"x": 1}))
    added, modified = change.line(Kind.ADDED), change.line(Kind.MODIFIED)
    assert change.line(Kind.ADDED) is added
    assert orjson.loads(modified) == {"type": "MODIFIED", "object": change.after.object}
    assert orjson.loads(added) == {"type": "ADDED", "object": change.after.object}
    assert added.endswith(b"}\n")
    assert added.count(b"\n") == 1


def test_an_object_that_leaves_a_selection_is_shown_as_it_was_at_the_revision_of_the_change() -> None:
    change = Change(Kind.MODIFIED, 6, version(5, colour="red"), version(6, colour="blue"))
    seen = change.seen_as(Kind.DELETED)
    assert seen.object == {"metadata": {"name": "a", "resourceVersion": "6"}, "colour": "red"}
    assert (seen.revision, seen.created, seen.key) == (6, 5, ("n", "a"))
    assert change.seen_as(Kind.DELETED) is seen
    assert change.seen_as(Kind.MODIFIED) is change.seen_as(Kind.ADDED) is change.after
    assert change.before is not None
    assert change.before.object["metadata"]["resourceVersion"] == "5"


def test_a_true_deletion_shows_the_last_state() -> None:
    change = Change(Kind.DELETED, 6, version(5, colour="red"), version(6, colour="red"))
    assert change.seen_as(Kind.DELETED) is change.after
