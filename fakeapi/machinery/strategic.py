"""Kubernetes' strategic merge patch: objects are merged, and lists as the type's definition says.

The rules are those of ``k8s.io/apimachinery/pkg/util/strategicpatch``, with Go's messages, and followed
step by step where the outcome depends on the way. Nothing that is given is changed; the result may share
parts with the document and the patch.

Directives of a patch: ``$patch`` (``replace`` or ``delete`` the object that holds it, or an item of a list),
``$retainKeys`` (the keys that may stay), ``$deleteFromPrimitiveList/NAME`` and ``$setElementOrder/NAME``
(what to remove from, and how to order, the list NAME beside it).
"""

from dataclasses import dataclass
from typing import Any, Final

from fakeapi.machinery import merge_lists
from fakeapi.machinery.gotext import go_text, go_type_name
from fakeapi.machinery.patch import MalformedPatch, UnmergeablePatch
from fakeapi.machinery.schema import Field, Message

Json = Any
JsonObject = dict[str, Json]
JsonList = list[Json]

_DIRECTIVE: Final = "$patch"
_DELETE: Final = "delete"
_REPLACE: Final = "replace"
_MERGE: Final = "merge"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"
_SET_ORDER: Final = "$setElementOrder"
_SPECIAL_PREFIXES: Final = (_DELETE_FROM_LIST, _SET_ORDER)

_ABSENT: Final = object()

_BAD_DELETION: Final = "invalid patch format of primitive list"
_BAD_RETAIN_KEYS: Final = "invalid patch format of retainKeys"
_BAD_ORDER: Final = "invalid patch format of setElementOrder list"


def strategic_merge(document: JsonObject, patch: Json, message: Message) -> JsonObject:
    """Return the document after a strategic merge patch.

    Args:
        document: the object to be changed.
        patch: the parsed patch.
        message: the type of the object.

    Raises:
        MalformedPatch: the patch is not an object, a directive is not what it has to be, or it nests too
            deeply.
        InapplicablePatch: it would merge lists of lists.
        UnmergeablePatch: the type has no such field, an item lacks its merge key, or items differ in type.
    """
    if not isinstance(patch, dict):
        raise MalformedPatch("invalid JSON document")
    try:
        return _merge_object(document, patch, _Type("struct", message))
    except RecursionError:
        raise MalformedPatch("the strategic merge patch nests too deeply") from None


@dataclass(frozen=True, slots=True)
class _Type:
    """What is known of a place in the object: Go's kind of its type, and the message of a struct."""

    kind: str
    message: Message | None = None

    def rule(self, name: str) -> "_Rule":
        """How the field of that name is merged.

        Raises:
            UnmergeablePatch: this is no struct, or the struct has no such field.
        """
        if self.message is None:
            raise UnmergeablePatch(
                f"merging an object in json but data type is not struct, instead is: {self.kind}"
            )
        fields = self.message.by_name if self.message.form == "object" else {}
        # Go falls back on a name that differs in case only.
        lower = name.lower()
        field = fields.get(name) or next((one for one in fields.values() if one.name.lower() == lower), None)
        if field is None:
            struct = self.message.go_name
            raise UnmergeablePatch(f'unable to find api field in struct {struct} for the json field "{name}"')
        return _Rule.of(field, self.message.message_of(field))

    def list_rule(self, name: str) -> "_Rule":
        """How the list field of that name is merged.

        Raises:
            UnmergeablePatch: as for ``rule``, or the field is no list.
        """
        rule = self.rule(name)
        if not rule.is_list:
            raise UnmergeablePatch(f"expected slice or array type, but got: {self.kind}")
        return rule


@dataclass(frozen=True, slots=True)
class _Rule:
    """How one field is merged: its strategy, and the type of its value or of its list's items."""

    strategy: str
    merge_key: str
    type: _Type
    is_list: bool

    @classmethod
    def of(cls, field: Field, held: Message | None) -> "_Rule":
        """Read the rule off the field; ``retainKeys`` is no rule, it only allows ``$retainKeys``."""
        strategy = next((one for one in field.strategies if one != "retainKeys"), "")
        is_list = field.shape == "list" or (held is not None and held.form == "strings")
        if field.shape == "map":
            type_ = _Type("map")
        else:
            type_ = _Type(field.type) if held is None else _Type("struct", held)
        return cls(strategy, field.merge_key or "", type_, is_list)


def _merge_object(original: JsonObject, patch: JsonObject, type_: _Type) -> JsonObject:
    if _DIRECTIVE in patch:
        return _obey(patch)
    result, remaining = dict(original), dict(patch)
    if _RETAIN_KEYS in remaining:
        _retain_keys(result, remaining, remaining.pop(_RETAIN_KEYS))
    for key in [key for key in remaining if key.startswith(_SET_ORDER)]:
        _merge_in_order(result, remaining, remaining.pop(key), _list_name(key, _SET_ORDER, _BAD_ORDER), type_)
    for key, value in remaining.items():
        if key.startswith(_DELETE_FROM_LIST):
            _delete_from_list(result, _list_name(key, _DELETE_FROM_LIST, _BAD_DELETION), value, type_)
        else:
            _merge_field(result, key, value, type_)
    return result


def _obey(patch: JsonObject) -> JsonObject:
    """Follow a ``$patch`` beside the fields of an object."""
    directive = patch[_DIRECTIVE]
    if directive == _REPLACE:
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if directive == _DELETE:
        return {}
    raise _unknown_directive(directive, patch)


def _unknown_directive(directive: Json, patch: JsonObject) -> UnmergeablePatch:
    return UnmergeablePatch(f"unknown patch type: {go_text(directive)} in map: {go_text(patch)}")


def _list_name(key: str, prefix: str, complaint: str) -> str:
    """The name of the list that ``$directive/NAME`` is about."""
    found, slash, name = key.partition("/")
    if not slash or found != prefix:
        raise MalformedPatch(complaint)
    return name


def _retain_keys(result: JsonObject, patch: JsonObject, keys: Json) -> None:
    """Drop from the object what is not named; what the patch sets has to be named."""
    if not isinstance(keys, list):
        raise MalformedPatch(_BAD_RETAIN_KEYS)
    named = {key for key in keys if isinstance(key, str)}
    for key, value in patch.items():
        if value is not None and not key.startswith(_SPECIAL_PREFIXES) and key not in named:
            raise MalformedPatch(_BAD_RETAIN_KEYS)
    for key in result.keys() - named:
        del result[key]


def _merge_field(result: JsonObject, name: str, value: Json, type_: _Type) -> None:
    current = result.get(name, _ABSENT)
    if value is None:
        result.pop(name, None)
    elif type(current) is not type(value) or not isinstance(value, dict | list):
        kept = _without_directives(_without_nulls(value))
        if kept is _ABSENT:
            result.pop(name, None)
        else:
            result[name] = kept
    elif isinstance(value, dict):
        rule = type_.rule(name)
        result[name] = value if rule.strategy == _REPLACE else _merge_object(current, value, rule.type)
    else:
        result[name] = _merge_list_field(current, value, type_.list_rule(name))


def _delete_from_list(result: JsonObject, name: str, values: Json, type_: _Type) -> None:
    current = result.get(name, _ABSENT)
    if values is None:
        result.pop(name, None)
    elif isinstance(current, list) and isinstance(values, list):
        result[name] = _merge_list(current, values, type_.list_rule(name), deleting=True)


def _merge_list_field(original: JsonList, patch: JsonList, rule: _Rule) -> JsonList:
    return _merge_list(original, patch, rule) if rule.strategy == _MERGE else patch


def _merge_list(original: JsonList, patch: JsonList, rule: _Rule, *, deleting: bool = False) -> JsonList:
    if not original and not patch:
        return original
    if merge_lists.item_type(original, patch) is not dict:
        if deleting:
            return merge_lists.without(original, patch)
        merged = merge_lists.union(original, patch)
    else:
        if not rule.merge_key:
            raise UnmergeablePatch(f"cannot merge lists without merge key for {rule.type.kind}")
        original, patch = _obey_items(original, patch, rule.merge_key)
        merged = _merge_items(original, patch, rule)
    return merge_lists.ordered(merged, patch, original, rule.merge_key)


def _obey_items(original: JsonList, patch: JsonList, merge_key: str) -> tuple[JsonList, JsonList]:
    """Follow each ``$patch`` among the items; return the list without what they delete, and the rest."""
    plain, replace = [], False
    for item in patch:
        directive = item.get(_DIRECTIVE, _ABSENT)
        if directive is _ABSENT:
            plain.append(item)
        elif directive == _DELETE:
            wanted = merge_lists.key_of(item, merge_key)
            original = [one for one in original if merge_lists.key_or_none(one, merge_key) != wanted]
        elif directive == _REPLACE:
            replace = True
        elif directive == _MERGE:
            raise UnmergeablePatch("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(directive, item)
    return ([], plain) if replace else (original, plain)


def _merge_items(original: JsonList, patch: JsonList, rule: _Rule) -> JsonList:
    """Merge each item into the one with the same key, or append it."""
    merged = list(original)
    places = merge_lists.places(original, rule.merge_key)
    for item in patch:
        key = merge_lists.key_of(item, rule.merge_key)
        if key in places:
            merged[places[key]] = _merge_object(merged[places[key]], item, rule.type)
        else:
            places[key] = len(merged)
            merged.append(item)
    return merged


def _merge_in_order(result: JsonObject, patch: JsonObject, order: Json, name: str, type_: _Type) -> None:
    """Merge a list into the order that ``$setElementOrder`` asks for; the patch's list is used up."""
    _check_list(order)
    original, changes = result.get(name, _ABSENT), patch.get(name, _ABSENT)
    for one in (original, changes):
        if one is not _ABSENT:
            _check_list(one)
    rule = type_.list_rule(name)
    merge_lists.check_order([] if changes is _ABSENT else changes, order, rule.merge_key)
    if original is _ABSENT and changes is _ABSENT:
        return
    if changes is _ABSENT:
        merged, changes = original, []
    elif original is _ABSENT:
        merged, original = _without_directives(changes), []
    else:
        merged = _merge_list_field(original, changes, rule)
    merge_lists.item_type(original, changes)
    result[name] = merge_lists.ordered(merged, order, original, rule.merge_key)
    patch.pop(name, None)


def _check_list(value: Json) -> None:
    if not isinstance(value, list):
        raise UnmergeablePatch(f"expected a {go_type_name([])}, but received a {go_type_name(value)}")


def _without_nulls(value: Json) -> Json:
    """What a patch sets where nothing was: its nulls have nothing to delete."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _without_directives(value: Json) -> Json:
    """A value without the objects that only hold a directive; ``_ABSENT`` if it is one itself."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _ABSENT
        kept = {key: _without_directives(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one is not _ABSENT}
    if isinstance(value, list):
        return [one for one in map(_without_directives, value) if one is not _ABSENT]
    return value
