import uuid

from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kernel.chance import SAFE_LETTERS, Chance, fresh_seed


def draws(chance: Chance, name: str, count: int = 5) -> list[float]:
    stream = chance.stream(name)
    return [stream.random() for _ in range(count)]


def test_the_same_seed_and_name_give_the_same_numbers() -> None:
    assert draws(Chance(7), "failures") == draws(Chance(7), "failures")


def test_another_seed_or_name_gives_other_numbers() -> None:
    found = [draws(Chance(7), "failures"), draws(Chance(8), "failures"), draws(Chance(7), "arrivals")]
    assert len({tuple(one) for one in found}) == 3


def test_drawing_from_one_purpose_changes_no_other() -> None:
    undisturbed = draws(Chance(7), "failures")
    chance = Chance(7)
    draws(chance, "arrivals", 100)
    chance.uid()
    chance.suffix()
    assert draws(chance, "failures") == undisturbed


def test_a_stream_goes_on_where_it_was_left() -> None:
    chance = Chance(7)
    assert draws(chance, "failures", 2) + draws(chance, "failures", 3) == draws(Chance(7), "failures", 5)


def test_the_numbers_stay_what_they_are_from_release_to_release() -> None:
    chance = Chance(1)
    assert chance.stream("failures").randrange(1_000_000) == 329_092
    assert chance.suffix() == "8ml77"
    assert chance.uid() == "6115d3b0-dc6a-47db-962a-61e823383142"


@given(seed=st.integers())
def test_uids_are_random_uuids_and_differ(seed: int) -> None:
    chance = Chance(seed)
    uids = [chance.uid() for _ in range(5)]
    assert len(set(uids)) == 5
    assert {uuid.UUID(text).version for text in uids} == {4}
    assert all(str(uuid.UUID(text)) == text for text in uids)


@given(seed=st.integers(), length=st.integers(0, 12))
def test_generated_endings_have_the_wanted_length_and_form_no_words(seed: int, length: int) -> None:
    suffix = Chance(seed).suffix(length)
    assert len(suffix) == length
    assert set(suffix) <= set(SAFE_LETTERS)
    assert not set(SAFE_LETTERS) & set("aeiou013")


def test_a_fresh_seed_is_a_seed() -> None:
    seeds = {fresh_seed() for _ in range(4)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
