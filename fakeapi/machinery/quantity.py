"""Amounts of resources (``500m``, ``1536Mi``, ``2e3``), read and written as Go's ``resource.Quantity`` does.

The grammar, the rounding (up, to a billionth) and the canonical form follow
``k8s.io/apimachinery/pkg/api/resource``. No float is involved. One difference: what
does not fit :data:`MAX_EXPONENT` is an error here, where Go loses the suffix.
"""

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Final

MAX_LENGTH: Final = 64
"""Characters of a quantity that are looked at: the longest exact one (an int64 with nine decimals) has 30."""
MAX_EXPONENT: Final = 32
"""Greatest power of ten in an exponent, either way: far more than 2^63, and small enough to compute with."""
_CACHE: Final = 16_384

_NANO: Final = 10**9
_MILLI: Final = 10**3
_MAX_INT64: Final = 2**63 - 1
_KIBI: Final = 1024
_GROUP: Final = 3
"""Suffixes of the decimal formats are powers of ten in steps of three."""
_NANO_POWER: Final = -9
_INT64_DIGITS: Final = 18
"""Decimal digits that always fit an int64."""
_BINARY_DIGITS: Final = 14
"""Go's estimate of the digits that fit an int64 beside a binary suffix, less three for each 1024."""
_BELOW_EIGHT: Final = 0x07
"""The bits that Go looks at to see that a number cannot be a multiple of 1024."""

_WRONG_FORM: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_WRONG_NUMBER: Final = "unable to parse numeric part of quantity"
_WRONG_SUFFIX: Final = "unable to parse quantity's suffix"

_QUANTITY: Final = re.compile(
    r"(?P<sign>[+-]?)0*(?P<whole>\d*)(?P<point>\.(?P<decimals>\d*))?(?P<suffix>[eEinumkKMGTP]*[-+]?\d*)",
    re.ASCII,
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
"""Suffix → power of ten."""
_DECIMAL_SUFFIX: Final = {power: suffix for suffix, power in _DECIMAL.items()}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
"""Suffix → power of two."""
_BINARY_SUFFIX: Final = ["", *_BINARY]
_EXPONENT: Final = re.compile(r"[eE]([-+]?\d+)", re.ASCII)


class QuantityError(ValueError):
    """The text is not a quantity; the message is the real server's."""


class _Format(Enum):
    """How a quantity was written, which is how it will be written again."""

    DECIMAL = "DecimalSI"
    BINARY = "BinarySI"
    EXPONENT = "DecimalExponent"


@dataclass(frozen=True, slots=True)
class _Quantity:
    value: Fraction
    format: _Format
    text: str


@dataclass(frozen=True, slots=True)
class _Written:
    """The parts of a quantity's text, without leading zeros."""

    negative: bool
    whole: str
    decimals: str
    has_digit: bool
    format: _Format
    power: int
    """Of two in the binary format, else of ten."""


def parse(text: str) -> Fraction:
    """The exact value of a quantity, what is finer than a billionth rounded up (away from zero).

    Raises:
        QuantityError: the text is not a quantity, or is out of bounds.
    """
    return _quantity(text).value


def canonical(text: str) -> str:
    """The quantity as the real server writes it: ``1000m`` → ``1``, ``1024Mi`` → ``1Gi``, ``0.5`` → ``500m``.

    Raises:
        QuantityError: the text is not a quantity, or is out of bounds.
    """
    return _quantity(text).text


def to_int(text: str) -> int:
    """The quantity in whole units, rounded up (away from zero).

    Raises:
        QuantityError: the text is not a quantity, or is out of bounds.
    """
    return _rounded_up(_quantity(text).value)


def to_milli(text: str) -> int:
    """The quantity in thousandths, rounded up (away from zero).

    Raises:
        QuantityError: the text is not a quantity, or is out of bounds.
    """
    return _rounded_up(_quantity(text).value * _MILLI)


def _rounded_up(value: Fraction) -> int:
    magnitude = -(-abs(value.numerator) // value.denominator)
    return -magnitude if value < 0 else magnitude


@lru_cache(_CACHE)
def _quantity(text: str) -> _Quantity:
    written = _read(text)
    value, format_, kept = _evaluate(written)
    return _Quantity(value, format_, text if kept else _canonical(value, format_))


def _read(text: str) -> _Written:
    if len(text) > MAX_LENGTH:
        raise QuantityError(f"a quantity must have at most {MAX_LENGTH} characters")
    if not text:
        raise QuantityError(_WRONG_FORM)
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise QuantityError(_WRONG_FORM)
    format_, power = _interpret(match["suffix"])
    digits = text[: match.start("suffix")]
    has_digit = any(letter.isdigit() for letter in digits)
    return _Written(
        match["sign"] == "-", match["whole"] or "0", match["decimals"] or "", has_digit, format_, power
    )


def _interpret(suffix: str) -> tuple[_Format, int]:
    if suffix in _DECIMAL:
        return _Format.DECIMAL, _DECIMAL[suffix]
    if suffix in _BINARY:
        return _Format.BINARY, _BINARY[suffix]
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None:
        raise QuantityError(_WRONG_SUFFIX)
    power = int(exponent[1])
    if abs(power) > MAX_EXPONENT:
        raise QuantityError(f"the exponent {power} of a quantity must lie within ±{MAX_EXPONENT}")
    return _Format.EXPONENT, power


def _evaluate(written: _Written) -> tuple[Fraction, _Format, bool]:
    """Value, format, and whether Go would keep the text as it is instead of writing the canonical form."""
    unscaled = int(written.whole + written.decimals)
    base, power = (2, written.power) if written.format is _Format.BINARY else (10, written.power)
    magnitude = Fraction(unscaled, 10 ** len(written.decimals)) * Fraction(base) ** power
    if _is_fast(written):
        sign = -1 if written.negative else 1
        return sign * magnitude, written.format, unscaled != 0 and _is_kept(written, unscaled)
    if not written.has_digit:
        raise QuantityError(_WRONG_NUMBER)
    magnitude = Fraction(_rounded_up(magnitude * _NANO), _NANO)
    format_ = written.format
    if format_ is _Format.BINARY:
        magnitude = min(magnitude, Fraction(_MAX_INT64))
        if 0 < magnitude < 1:
            format_ = _Format.DECIMAL
    return (-magnitude if written.negative else magnitude), format_, False


def _is_fast(written: _Written) -> bool:
    """Whether Go reads this text into an int64 with a scale, the path on which it keeps the text."""
    if written.format is _Format.BINARY:
        digits_of_suffix = written.power * 3 // 10
        return not written.decimals and len(written.whole) + digits_of_suffix <= _BINARY_DIGITS
    digits = len(written.whole) + len(written.decimals)
    return digits <= _INT64_DIGITS and written.power - len(written.decimals) >= _NANO_POWER


def _is_kept(written: _Written, unscaled: int) -> bool:
    """Go's quick check for a text that is canonical; it lets a few pass that are not, such as 1.500."""
    if written.format is _Format.BINARY:
        return unscaled & _BELOW_EIGHT != 0
    shifted = written.whole + written.decimals
    scale = written.power - len(written.decimals)
    return scale % _GROUP == 0 and not shifted.endswith("000") and shifted[0] != "0"


def _canonical(value: Fraction, format_: _Format) -> str:
    if value == 0:
        return "0"
    if format_ is _Format.BINARY and abs(value) >= _KIBI and value.denominator == 1:
        return _binary_text(value.numerator)
    # A binary quantity that is small or has a fraction would lose precision: decimal suffixes say it.
    return _decimal_text(value, _Format.EXPONENT if format_ is _Format.EXPONENT else _Format.DECIMAL)


def _binary_text(amount: int) -> str:
    times = 0
    while amount % _KIBI == 0:
        amount //= _KIBI
        times += 1
    return f"{amount}{_BINARY_SUFFIX[times]}"


def _decimal_text(value: Fraction, format_: _Format) -> str:
    nanos, power = int(value * _NANO), _NANO_POWER
    while nanos % 10**_GROUP == 0 and (format_ is _Format.EXPONENT or power < _DECIMAL["E"]):
        nanos //= 10**_GROUP
        power += _GROUP
    if format_ is _Format.EXPONENT:
        return f"{nanos}e{power}" if power else str(nanos)
    return f"{nanos}{_DECIMAL_SUFFIX[power]}"
