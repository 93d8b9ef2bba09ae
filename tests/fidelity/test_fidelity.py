"""fakeapi answers as kube-apiserver does, but for the differences that are listed with their reasons."""

import pytest

from tests.fidelity.accepted import ACCEPTED
from tests.fidelity.behaviours import BEHAVIOURS
from tests.fidelity.comparison import Accepted, Difference, differences, outlived, unlisted
from tests.fidelity.document import PAGE, page


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_both_servers_answer_the_same(name: str, found: dict[str, list[Difference]]) -> None:
    assert [str(difference) for difference in unlisted(found[name], ACCEPTED)] == []


def test_every_accepted_difference_is_still_one(found: dict[str, list[Difference]]) -> None:
    every = [difference for differing in found.values() for difference in differing]
    assert outlived(every, ACCEPTED) == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page()


def test_every_field_is_compared() -> None:
    fake = [{"status": 200, "body": {"items": [1, 2], "same": True}}]
    real = [{"status": 200, "body": {"items": [1], "same": True, "more": 1}}, {"status": 404}]
    paths = [difference.path for difference in differences("some", fake, real)]
    assert paths == ["1.body.items[1]", "1.body.more", "2"]
    assert differences("some", [{"value": True}], [{"value": 1}])


def test_a_list_entry_covers_what_it_names_and_nothing_else() -> None:
    entry = Accepted("a reason", ("*.items[*].kind", "3.status"), ("some", "gone"))
    covered = Difference("some", "1.body.items[0].kind", "Pod", None)
    others = [
        Difference("other", covered.path, "Pod", None),
        Difference("some", "1.body.kind", "Pod", None),
    ]
    assert unlisted([covered, *others], [entry]) == others
    assert outlived([covered], [entry]) == ["gone (a reason)", "3.status (a reason)"]
