"""When two values are the same to a Kubernetes client: Go writes no difference between empty and missing.

A client in Go leaves out ``false``, ``0``, empty text, lists and objects, others send them; an update
that only adds or drops such fields changes nothing (``apiequality.Semantic.DeepEqual``).
"""

from typing import Any

Json = Any


def same(one: Json, other: Json) -> bool:
    """Whether two JSON values mean the same, where fields that are missing and fields that are empty do."""
    if one == other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same(one.get(name), other.get(name)) for name in one.keys() | other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return _is_empty(one) and _is_empty(other)


def _is_empty(value: Json) -> bool:
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return not value
