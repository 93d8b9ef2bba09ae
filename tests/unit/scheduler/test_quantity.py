"""Quantities: the API's grammar, exact, rounded up."""

import pytest

from scheduler.quantity import QuantityError, millis, units


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("4", 4),
        ("+4", 4),
        ("-4", -4),
        ("1.5", 2),
        (".5", 1),
        ("5.", 5),
        ("500m", 1),
        ("2Gi", 2 << 30),
        ("1.5Ki", 1536),
        ("1Ei", 1 << 60),
        ("1k", 1000),
        ("3M", 3_000_000),
        ("1E", 10**18),
        ("1e3", 1000),
        ("1E3", 1000),
        ("12e-1", 2),
        ("100n", 1),
        ("100u", 1),
        (8, 8),
    ],
)
def test_units(text: str | int, amount: int) -> None:
    assert units(text) == amount


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1", 1000), ("500m", 500), ("0.1", 100), ("0.1m", 1), ("1.0001", 1001), ("2k", 2_000_000)],
)
def test_millis(text: str, amount: int) -> None:
    assert millis(text) == amount


@pytest.mark.parametrize("text", ["", "m", "1 Gi", "1KiB", "one", "1K", "1e", "--1", "1.2.3", "１"])
def test_what_is_no_quantity_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(QuantityError, match="is not a quantity") as refusal:
        units(text)
    assert repr(text) in str(refusal.value)
    with pytest.raises(QuantityError):
        millis(text)
