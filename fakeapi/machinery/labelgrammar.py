"""The text of label selectors, ``a=b,c in (d,e),!f``, read into requirements.

Grammar, order and wording of the refusals follow ``k8s.io/apimachinery/pkg/labels``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import orjson

from fakeapi.machinery.validation import label_value, qualified_name


class SelectorError(ValueError):
    """A selector that means nothing; the message is the real server's."""


class Operator(Enum):
    """How a label is compared; the values are how a selector's text writes them."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER = ">"
    LESS = "<"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"


SETS: Final = (Operator.IN, Operator.NOT_IN)
EXISTENCE: Final = (Operator.EXISTS, Operator.DOES_NOT_EXIST)
INEQUALITIES: Final = (Operator.GREATER, Operator.LESS)

_BINARY: Final = {
    operator.value: operator
    for operator in (*SETS, Operator.EQUALS, Operator.DOUBLE_EQUALS, Operator.NOT_EQUALS, *INEQUALITIES)
}
_BINARY_NAMES: Final = "in, notin, =, ==, !=, gt, lt"
_TOKEN: Final = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+)")
_SYMBOLS: Final = frozenset(("", "=", "==", "!=", "!", "(", ")", ",", "<", ">"))
"""Tokens that are no word; the empty one ends the text."""
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on the labels of an object; ``values`` are sorted and without repetition."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.operator is Operator.EXISTS:
            return self.key
        if self.operator is Operator.DOES_NOT_EXIST:
            return f"!{self.key}"
        joined = ",".join(self.values)
        if self.operator in SETS:
            return f"{self.key} {self.operator.value} ({joined})"
        return f"{self.key}{self.operator.value}{joined}"


def requirement(key: str, operator: Operator, values: Sequence[str]) -> Requirement:
    """A requirement whose parts fit together.

    Raises:
        SelectorError: key, number of values or values do not; every fault is named.
    """
    faults = [_invalid("key", key, wrong)] if (wrong := qualified_name(key)) else []
    faults += _faults_of_values(operator, values)
    faults += [
        _invalid(f"values[{index}][{key}]", value, wrong)
        for index, value in enumerate(values)
        if (wrong := label_value(value))
    ]
    if faults:
        raise SelectorError(faults[0] if len(faults) == 1 else "[" + ", ".join(faults) + "]")
    return Requirement(key, operator, tuple(sorted(set(values))))


def _faults_of_values(operator: Operator, values: Sequence[str]) -> list[str]:
    if operator in SETS:
        wrong = "" if values else "for 'in', 'notin' operators, values set can't be empty"
    elif operator in EXISTENCE:
        wrong = "values set must be empty for exists and does not exist" if values else ""
    elif operator in INEQUALITIES:
        return [
            _invalid(f"values[{index}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
            for index, value in enumerate(values)
            if integer(value) is None
        ]
    else:
        wrong = "" if len(values) == 1 else "exact-match compatibility requires one single value"
    return [_invalid("values", list(values), wrong)] if wrong else []


def _invalid(path: str, value: object, wrong: str) -> str:
    return f"{path}: Invalid value: {quoted(value)}: {wrong}"


def quoted(value: object) -> str:
    """A value as messages show it: text in double quotes, with escapes."""
    return orjson.dumps(value).decode()


def integer(text: str) -> int | None:
    """The number of a text that Go reads as an int64, else None."""
    number = int(text) if _INTEGER.fullmatch(text) else None
    return number if number is not None and number in _INT64 else None


def parse_requirements(text: str) -> tuple[Requirement, ...]:
    """The requirements of a selector's text, sorted by key; none for a blank text.

    Raises:
        SelectorError: the text is no label selector.
    """
    return tuple(sorted(_Parser(text).parse(), key=lambda found: found.key))


class _Parser:
    """Reads tokens from left to right. A word may be a key, a value, or ``in`` and ``notin`` by its place."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._position = 0

    def _peek(self) -> str:
        return self._tokens[self._position]

    def _take(self) -> str:
        lexeme = self._tokens[self._position]
        self._position += 1
        return lexeme

    def parse(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self._peek() == "":
            return found
        self._expect_requirement("expected: !, identifier, or 'end of string'")
        while True:
            found.append(self._requirement())
            lexeme = self._take()
            if lexeme == "":
                return found
            if lexeme != ",":
                raise SelectorError(f"found '{lexeme}', expected: ',' or 'end of string'")
            self._expect_requirement("expected: identifier after ','")

    def _expect_requirement(self, expected: str) -> None:
        lexeme = self._peek()
        if lexeme in _SYMBOLS and lexeme != "!":
            raise SelectorError(f"found '{lexeme}', {expected}")

    def _requirement(self) -> Requirement:
        try:
            return self._requirement_inside()
        except SelectorError as error:
            raise SelectorError(f"unable to parse requirement: {error}") from None

    def _requirement_inside(self) -> Requirement:
        negated = self._peek() == "!"
        if negated:
            self._take()
        key = self._word("expected: identifier")
        if wrong := qualified_name(key):
            raise SelectorError(_invalid("<nil>", key, wrong))
        if negated:
            return requirement(key, Operator.DOES_NOT_EXIST, ())
        if self._peek() in ("", ","):
            return requirement(key, Operator.EXISTS, ())
        operator = self._operator()
        return requirement(key, operator, self._set() if operator in SETS else [self._value()])

    def _word(self, expected: str) -> str:
        lexeme = self._take()
        if lexeme in _SYMBOLS:
            raise SelectorError(f"found '{lexeme}', {expected}")
        return lexeme

    def _operator(self) -> Operator:
        lexeme = self._take()
        operator = _BINARY.get(lexeme)
        if operator is None:
            raise SelectorError(f"found '{lexeme}', expected: {_BINARY_NAMES}")
        return operator

    def _value(self) -> str:
        return "" if self._peek() in ("", ",") else self._word("expected: identifier")

    def _set(self) -> list[str]:
        lexeme = self._take()
        if lexeme != "(":
            raise SelectorError(f"found '{lexeme}' expected: '('")
        lexeme = self._peek()
        if lexeme in _SYMBOLS and lexeme not in (",", ")"):
            raise SelectorError(f"found '{lexeme}', expected: ',', ')' or identifier")
        values: set[str] = set()
        after_comma = True  # a comma or parenthesis where a value could stand means the empty value
        while (lexeme := self._take()) != ")":
            if lexeme == ",":
                if after_comma:
                    values.add("")
                after_comma = True
            elif lexeme in _SYMBOLS:
                raise SelectorError(f"found '{lexeme}', expected: ',', or identifier")
            else:
                values.add(lexeme)
                after_comma = False
                if self._peek() not in (",", ")"):
                    raise SelectorError(f"found '{self._peek()}', expected: ',' or ')'")
        if after_comma:
            values.add("")
        return sorted(values)
