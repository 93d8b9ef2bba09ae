"""Step functions: what they add up to, and what a smaller picture of them keeps."""

from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics.steps import bucket_integrals, from_changes, integral, sampled, spans

changes = st.lists(st.tuples(st.integers(0, 1_000), st.integers(-5, 9)), max_size=60)
windows = st.tuples(st.integers(0, 500), st.integers(1, 700)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def test_changes_add_up_and_those_of_one_instant_are_one_step() -> None:
    assert from_changes([(5, 2), (1, 1), (5, -3), (9, 4)]) == ((1, 1), (5, 0), (9, 4))


def test_spans_cover_the_window_and_start_at_zero() -> None:
    assert list(spans(((2, 7), (5, 3)), 0, 10)) == [(0, 2, 0), (2, 5, 7), (5, 10, 3)]
    assert list(spans(((2, 7), (5, 3)), 3, 5)) == [(3, 5, 7)]
    assert list(spans((), 3, 3)) == []


def test_the_last_value_of_an_instant_holds() -> None:
    assert list(spans(((0, 8), (0, 6)), 0, 2)) == [(0, 2, 6)]


def test_integral_is_value_times_time() -> None:
    assert integral(((2, 7), (5, 3)), 0, 10) == 3 * 7 + 5 * 3


def test_buckets_split_a_span() -> None:
    assert bucket_integrals(((0, 2), (5, 4)), 0, 8, 4) == [4, 4, 6, 8]


def test_sampling_leaves_few_steps_as_they_are() -> None:
    assert sampled(((1, 5), (3, 2)), 0, 10, 8) == ((0, 0), (1, 5), (3, 2))


@given(changes, windows, st.integers(1, 20))
def test_buckets_add_up_to_the_integral(
    changes: list[tuple[int, int]], window: tuple[int, int], buckets: int
) -> None:
    steps = from_changes(changes)
    assert sum(bucket_integrals(steps, *window, buckets)) == integral(steps, *window)


@given(changes, windows, st.integers(4, 24))
def test_sampling_keeps_both_ends_and_both_extremes(
    changes: list[tuple[int, int]], window: tuple[int, int], limit: int
) -> None:
    steps = from_changes(changes)
    whole = [(since, value) for since, _, value in spans(steps, *window)]
    kept = sampled(steps, *window, limit)
    values = [value for _, value in whole]
    assert set(kept) <= set(whole)
    assert list(kept) == sorted(kept)
    assert (kept[0], kept[-1]) == (whole[0], whole[-1])
    assert {min(values), max(values)} <= {value for _, value in kept}


@given(changes, windows, st.integers(4, 24))
def test_sampling_keeps_to_its_limit(
    changes: list[tuple[int, int]], window: tuple[int, int], limit: int
) -> None:
    assert len(sampled(from_changes(changes), *window, limit)) <= limit
