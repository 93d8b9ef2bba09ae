"""Label and field selectors compiled to predicates.

A watcher's predicate runs on every change of its kind, twice. So the text is read
once, conditions on one field become one look-up, and what remains are closures over
plain dictionaries.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from fakeapi.machinery import fields
from fakeapi.machinery.fields import Object, Read
from fakeapi.machinery.labelgrammar import (
    Operator,
    Requirement,
    SelectorError,
    integer,
    parse_requirements,
    requirement,
)
from fakeapi.machinery.resources import Resource

__all__ = [
    "Predicate",
    "Selector",
    "SelectorError",
    "conjunction",
    "label_selector_of",
    "parse_field_selector",
    "parse_label_selector",
    "select_all",
    "select_none",
]

Predicate: TypeAlias = Callable[[Object], bool]
"""Whether an object is selected. Objects are as the store holds them: with ``metadata``."""
Labels: TypeAlias = Mapping[str, str]
LabelTest: TypeAlias = Callable[[Labels], bool]

_CACHE: Final = 256
"""Selectors whose compiled form is kept: clients repeat the same few."""
_NO_LABELS: Final[Labels] = {}


def select_all(_: Object) -> bool:
    """The predicate of an empty selector; compare by identity to skip calling it."""
    return True


def select_none(_: Object) -> bool:
    """The predicate of a selector that nothing can satisfy."""
    return False


def conjunction(*predicates: Predicate) -> Predicate:
    """Whether all predicates hold; :func:`select_all` and a single predicate stay what they are."""
    kept = [predicate for predicate in predicates if predicate is not select_all]
    if len(kept) <= 1:
        return kept[0] if kept else select_all
    if len(kept) == 2:  # labels and fields, the common case: no loop
        first, second = kept
        return lambda obj: first(obj) and second(obj)
    return lambda obj: all(predicate(obj) for predicate in kept)


# ---- labels -----------------------------------------------------------------------------------


class Selector:
    """A label selector: all of its requirements hold. Without any it matches everything."""

    __slots__ = ("matches", "requirements", "selects")

    def __init__(self, requirements: Sequence[Requirement], matches: LabelTest | None = None) -> None:
        self.requirements: Final = tuple(requirements)
        self.matches: Final = matches or _compile(self.requirements)
        """Whether a label map satisfies the selector."""
        unrestricted = matches is None and not self.requirements
        self.selects: Final[Predicate] = select_all if unrestricted else _on_objects(self.matches)
        """Whether an object's labels do."""

    def __str__(self) -> str:
        """The canonical text, sorted by key."""
        return ",".join(map(str, self.requirements))


@lru_cache(_CACHE)
def parse_label_selector(text: str) -> Selector:
    """The selector of a ``labelSelector`` parameter.

    Raises:
        SelectorError: the text is no label selector.
    """
    return Selector(parse_requirements(text))


_JSON_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def label_selector_of(selector: Mapping[str, Any] | None) -> Selector:
    """The selector of a ``LabelSelector`` object; None matches nothing, an empty one everything.

    Raises:
        SelectorError: a key, an operator or the values of an expression are wrong.
    """
    if selector is None:
        return _NOTHING
    equalities = (selector.get("matchLabels") or {}).items()
    found = [requirement(key, Operator.EQUALS, [value]) for key, value in equalities]
    for expression in selector.get("matchExpressions") or ():
        name = expression.get("operator")
        operator = _JSON_OPERATORS.get(name)
        if operator is None:
            raise SelectorError(f'"{name}" is not a valid label selector operator')
        found.append(requirement(expression.get("key", ""), operator, expression.get("values") or ()))
    return Selector(sorted(found, key=lambda one: one.key))


def _on_objects(matches: LabelTest) -> Predicate:
    return lambda obj: matches(obj["metadata"].get("labels") or _NO_LABELS)


def _compile(requirements: Sequence[Requirement]) -> LabelTest:
    tests = [_label_test(one) for one in requirements]
    if len(tests) == 1:
        return tests[0]
    return lambda labels: all(test(labels) for test in tests)


def _label_test(one: Requirement) -> LabelTest:
    key, values = one.key, frozenset(one.values)
    if one.operator is Operator.EXISTS:
        return lambda labels: key in labels
    if one.operator is Operator.DOES_NOT_EXIST:
        return lambda labels: key not in labels
    if one.operator in (Operator.NOT_IN, Operator.NOT_EQUALS):
        return lambda labels: labels.get(key) not in values
    if one.operator in (Operator.GREATER, Operator.LESS):
        return _inequality(key, one.operator, int(one.values[0]))
    return lambda labels: labels.get(key) in values


def _inequality(key: str, operator: Operator, bound: int) -> LabelTest:
    def test(labels: Labels) -> bool:
        number = integer(labels.get(key, ""))
        if number is None:
            return False
        return number > bound if operator is Operator.GREATER else number < bound

    return test


_NOTHING: Final = Selector((), lambda _: False)
"""What a missing LabelSelector means."""


# ---- fields -----------------------------------------------------------------------------------


@lru_cache(_CACHE)
def parse_field_selector(text: str, resource: Resource) -> Predicate:
    """The predicate of a ``fieldSelector`` parameter, on objects as they are stored.

    Raises:
        SelectorError: the text is no field selector, or names a field that the real server does not
            support for this resource.
    """
    terms = fields.parse_terms(text)
    wanted: dict[str, set[str]] = {}
    unwanted: dict[str, set[str]] = {}
    for term in terms:
        fields.require_supported(term.path, resource)
        (wanted if term.equal else unwanted).setdefault(term.path, set()).add(term.value)
    return conjunction(
        *(_field_test(fields.reader(path, resource), frozenset(values)) for path, values in wanted.items()),
        *(_field_refusal(path, resource, frozenset(values)) for path, values in unwanted.items()),
    )


def _field_test(read: Read, values: frozenset[str]) -> Predicate:
    if len(values) > 1:
        return select_none  # one field cannot equal two values
    (value,) = values
    return lambda obj: read(obj) == value


def _field_refusal(path: str, resource: Resource, values: frozenset[str]) -> Predicate:
    section_and_field = fields.plain_text_path(path, resource)
    if section_and_field is not None:
        return _plain_refusal(*section_and_field, values)
    read = fields.reader(path, resource)
    return lambda obj: read(obj) not in values


def _plain_refusal(section: str, field: str, values: frozenset[str]) -> Predicate:
    # Every watcher of unfinished pods runs this on every change of every pod: no call in between.
    def select(obj: Object) -> bool:
        part = obj.get(section)
        return ((part.get(field) or "") if part else "") not in values

    return select
