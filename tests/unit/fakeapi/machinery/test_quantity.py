import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.quantity import (
    MAX_EXPONENT,
    MAX_LENGTH,
    QuantityError,
    canonical,
    parse,
    to_int,
    to_milli,
)

NANO = 10**9


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("5", 5),
        ("500m", Fraction(1, 2)),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("+3", 3),
        ("-2k", -2000),
        ("1Ki", 1024),
        ("1.5Gi", 3 * 2**29),
        ("2Ei", 2**61),
        ("1n", Fraction(1, NANO)),
        ("7u", Fraction(7, 10**6)),
        ("3E", 3 * 10**18),
        ("12e3", 12_000),
        ("12E3", 12_000),
        ("12e-3", Fraction(12, 1000)),
        ("1e+2", 100),
        ("0.1n", Fraction(1, NANO)),
        ("-0.1n", Fraction(-1, NANO)),
        ("9Ei", 2**63 - 1),
        ("-9Ei", -(2**63 - 1)),
        ("m", 0),
        ("-", 0),
        (".", 0),
    ],
)
def test_the_value_is_exact_and_what_is_finer_than_a_billionth_is_rounded_up(
    text: str, value: Fraction | int
) -> None:
    assert parse(text) == value


# The right side is what resource.Quantity of Kubernetes 1.37 prints, also where a quick check of its own
# keeps a text that is not canonical (1.500, 0100).
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1536Mi", "1536Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1.1Ki", "1126400m"),
        ("0.0001Ki", "102400u"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("100000", "100k"),
        ("1e3", "1e3"),
        ("1000e0", "1e3"),
        ("1500e0", "1500e0"),
        ("15e2", "1500"),
        ("1E-3", "1E-3"),
        ("10E-4", "1e-3"),
        ("1.500", "1.500"),
        ("1.50", "1500m"),
        ("0100", "0100"),
        ("+8", "+8"),
        ("-0", "0"),
        ("0Gi", "0"),
        ("2048Ei", "9223372036854775807"),
        ("1234567890123456789", "1234567890123456789"),
        ("0.0000000001", "1n"),
        ("1000E", "1000E"),
    ],
)
def test_the_canonical_form_is_that_of_the_real_server(text: str, written: str) -> None:
    assert canonical(text) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must match the regular expression"),
        ("1.1.M", "must match the regular expression"),
        ("aoeu", "must match the regular expression"),
        ("1 Gi", "must match the regular expression"),
        ("--1", "unable to parse quantity's suffix"),
        ("١", "must match the regular expression"),
        ("0.1mi", "unable to parse quantity's suffix"),
        ("1i", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
        ("-3.01e-", "unable to parse quantity's suffix"),
        ("Ei", "unable to parse numeric part"),
        (f"1e{MAX_EXPONENT + 1}", "exponent"),
        (f"1e-{MAX_EXPONENT + 1}", "exponent"),
        ("1" * (MAX_LENGTH + 1), "at most"),
    ],
)
def test_what_is_no_quantity_is_refused_with_the_reason(text: str, message: str) -> None:
    for read in (parse, canonical, to_int, to_milli):
        with pytest.raises(QuantityError, match=message):
            read(text)


@pytest.mark.parametrize(
    ("text", "whole", "milli"),
    [
        ("1500m", 2, 1500),
        ("1", 1, 1000),
        ("1n", 1, 1),
        ("-1500m", -2, -1500),
        ("0", 0, 0),
        ("1Ki", 1024, 1024_000),
    ],
)
def test_whole_units_and_thousandths_are_rounded_away_from_zero(text: str, whole: int, milli: int) -> None:
    assert (to_int(text), to_milli(text)) == (whole, milli)


numbers = st.from_regex(r"[+-]?[0-9]{0,20}(\.[0-9]{0,12})?", fullmatch=True)
suffixes = st.sampled_from(
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-6", "e+9"]
)


@given(number=numbers, suffix=suffixes)
def test_the_canonical_form_keeps_the_value_and_is_its_own_canonical_form(number: str, suffix: str) -> None:
    try:
        value = parse(number + suffix)
    except QuantityError:
        assert not any(letter.isdigit() for letter in number)
        return
    written = canonical(number + suffix)
    assert parse(written) == value
    assert canonical(written) == written


@given(text=st.text(alphabet="0123456789.eEinumkKMGTP+- x", max_size=MAX_LENGTH + 4))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        value = parse(text)
    except QuantityError:
        with pytest.raises(QuantityError):
            to_milli(text)
    else:
        assert abs(to_milli(text)) == math.ceil(abs(value) * 1000)
