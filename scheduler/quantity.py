"""Kubernetes quantities (``500m``, ``2Gi``, ``1e3``) as integers.

Grammar and rounding follow ``k8s.io/apimachinery/pkg/api/resource``: what is finer than the asked unit is
rounded up, so that a pod never gets less than it asked for.
"""

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil

_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?\d{1,2}))?",
    re.ASCII,
)
_DECIMAL = {
    suffix: Fraction(10) ** power
    for suffix, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
}
_BINARY = {f"{letter}i": Fraction(1024) ** power for power, letter in enumerate("KMGTPE", start=1)}
_FACTORS = _DECIMAL | _BINARY

MILLI = 1000
"""Thousandths in one: cpu is counted in thousandths of a core."""

_CACHE_SIZE = 4096
"""Distinct texts remembered: a cluster uses a few hundred different amounts, over and over."""


class QuantityError(ValueError):
    """A text that is no quantity."""


def _exact(text: str) -> Fraction:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise QuantityError(
            f"{text!r} is not a quantity: expected a number with an optional suffix, such as 500m, 4 or 2Gi"
        )
    value = Fraction(match["number"])
    if match["exponent"]:
        return value * Fraction(10) ** int(match["exponent"])
    return value * _FACTORS.get(match["suffix"], 1)


@lru_cache(_CACHE_SIZE)
def units(quantity: str | int) -> int:
    """The quantity in whole units (bytes for memory), rounded up.

    Raises:
        QuantityError: the text is no quantity.
    """
    return ceil(_exact(str(quantity)))


@lru_cache(_CACHE_SIZE)
def millis(quantity: str | int) -> int:
    """The quantity in thousandths (of a core, for cpu), rounded up.

    Raises:
        QuantityError: the text is no quantity.
    """
    return ceil(_exact(str(quantity)) * MILLI)
