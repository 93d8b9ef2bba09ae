"""The grid of a sweep: which runs, in which order, kept where."""

from pathlib import Path
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import UsageError
from evaluator.sweep.grid import (
    LONGEST_NAME,
    Contender,
    Played,
    Request,
    folder_name,
    grid,
    parse_seeds,
    parse_variants,
)


def requests(scenarios: int = 1, variants: int = 1, schedulers: int = 1, seeds: int = 1) -> list[Request]:
    return grid(
        [Played(f"{index}.py", f"s{index}", "d") for index in range(scenarios)],
        [{"load": str(index)} for index in range(variants)],
        [Contender(f"c{index}", ("--scheduler", f"c{index}"), "p") for index in range(schedulers)],
        range(seeds),
        pace="warp",
        idle_limit_s=30,
        version="1",
    )


def test_every_combination_is_a_run_and_cells_fill_seed_by_seed() -> None:
    found = requests(scenarios=2, variants=2, schedulers=2, seeds=3)
    assert len({request.folder for request in found}) == 24
    assert [request.seed for request in found] == [0] * 8 + [1] * 8 + [2] * 8


def test_values_are_parted_by_commas_and_the_last_key_varies_fastest() -> None:
    assert parse_variants(["load=0.7,0.9", "jobs=6"]) == [
        {"load": "0.7", "jobs": "6"},
        {"load": "0.9", "jobs": "6"},
    ]
    assert parse_variants(["a=1,2", "b=3,4"])[1] == {"a": "1", "b": "4"}
    assert parse_variants([r"a=1\,2,3"]) == [{"a": "1,2"}, {"a": "3"}]
    assert parse_variants([]) == [{}]


@pytest.mark.parametrize("text", ["load", "=3", "a=1,1"])
def test_what_is_no_choice_of_values_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--set"):
        parse_variants([text])


@pytest.mark.parametrize(
    ("text", "seeds"), [("3", [0, 1, 2]), ("3-5", [3, 4, 5]), ("7,1", [7, 1]), ("5,", [5])]
)
def test_seeds_are_a_count_a_range_or_a_list(text: str, seeds: list[int]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["0", "", "-1", "5-3", "1,1", "a", "1,b", "1.5"])
def test_seeds_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--seeds"):
        parse_seeds(text)


def test_two_runs_of_one_folder_are_refused() -> None:
    same = Contender("lst", ("--scheduler", "lst"), "p")
    with pytest.raises(UsageError, match=r"s\.lst\.seed=0"):
        grid([Played("s.py", "s", "d")], [{}], [same, same], [0], pace="warp", idle_limit_s=1, version="1")


words = st.text(max_size=200)


@given(words, words, st.dictionaries(st.text(ascii_letters, min_size=1), words, max_size=3), st.integers(0))
def test_any_name_is_one_folder_of_bounded_length(
    scenario: str, scheduler: str, assignments: dict[str, str], seed: int
) -> None:
    name = folder_name(scenario, scheduler, assignments, seed)
    assert Path(name).name == name
    assert name.isascii()
    assert len(name) <= LONGEST_NAME + 9


def test_names_that_look_alike_once_made_safe_stay_apart() -> None:
    assert folder_name("s", "a/b", {}, 0) != folder_name("s", "a b", {}, 0)
    long = "x" * LONGEST_NAME
    assert folder_name("s", long, {}, 0) != folder_name("s", long, {}, 1)


def test_a_request_is_a_command_line() -> None:
    (request,) = requests()
    assert request.arguments(Path("o")) == [
        *("run", "0.py", "--scheduler", "c0", "--seed", "0", "--set", "load=0"),
        *("--pace", "warp", "--idle-limit", "30", "--out", "o", "--quiet"),
    ]
