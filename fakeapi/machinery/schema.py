"""What every Kubernetes object consists of, by the published types of one release.

``schema.json`` is generated (``python -m tools.generate_schema``) from the ``.proto`` files, the Go structs
and the OpenAPI document of the release it names. Protobuf decoding, strategic merge and the checks of a
body's structure read it through the classes here. Nothing is interpreted before it is asked for: a server
that never sees a ``FlowSchema`` never builds its description.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal, Self

import orjson

Shape = Literal["one", "list", "map"]
"""How often a field's type occurs: once, in a list, or as the values of a map from strings."""

Form = Literal[
    "object",
    "time",
    "micro_time",
    "quantity",
    "int_or_string",
    "raw",
    "strings",
    "one_or_many",
    "one_or_bool",
    "one_or_strings",
]
"""How a message looks in JSON.

``object`` has the message's fields. The others are Go types with a JSON of their own: an RFC 3339 ``time`` in
seconds, a ``micro_time`` in microseconds, a ``quantity``, an ``int_or_string``, ``raw`` JSON carried as
bytes, a list of ``strings``, and in CustomResourceDefinitions a schema in whose place a list of schemas
(``one_or_many``), a boolean or a list of strings may stand.
"""

SCALARS: Final = frozenset(("string", "bool", "int32", "int64", "double", "bytes"))
"""Protobuf's names of the types that are no messages."""

_GO_SCALARS: Final = {"double": "float64", "bytes": "[]uint8"}


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """One field of a message.

    Args:
        name: the name in JSON; empty for an ``inline`` message.
        number: the field number on the wire; 0 for what exists in JSON only (``kind``, ``apiVersion``).
        type: a member of ``SCALARS``, or the name of a message.
        shape: one value, a list of them, or a map from strings to them.
        pointer: Go keeps a pointer, so that absent and zero differ.
        keep: Go writes the field also when it is empty (it has no ``omitempty``).
        omit_zero: Go leaves a zero struct out (``omitzero``); else a struct that is no pointer is always
            there.
        inline: the message's fields are the owner's own in JSON.
        required: the published definition demands it.
        merge_key: strategic merge matches the maps of this list by this key.
        strategies: strategic merge's ``merge``, ``replace``, ``retainKeys``; with none of them a list is
            replaced and a map is merged.
        list_type: server-side apply's ``atomic``, ``set`` or ``map``; None for atomic by default.
        list_keys: the keys of a ``map`` list.
        go_type: Go's name of the field's type without the pointer, as its error texts say it.
    """

    name: str
    number: int
    type: str
    go_type: str
    shape: Shape = "one"
    pointer: bool = False
    keep: bool = False
    omit_zero: bool = False
    inline: bool = False
    required: bool = False
    merge_key: str | None = None
    strategies: tuple[str, ...] = ()
    list_type: str | None = None
    list_keys: tuple[str, ...] = ()


class Message:
    """A type with fields: a kind, or a part of one. Compared by identity; there is one per schema and name.

    Args:
        name: the short name, ``core.v1.PodSpec``.
        form: how it looks in JSON.
        fields: in the order of Go's struct.
        schema: where the messages that the fields refer to are found.
    """

    def __init__(self, name: str, form: Form, fields: tuple[Field, ...], schema: "Schema") -> None:
        self.name: Final = name
        self.form: Final = form
        self.fields: Final = fields
        self.schema: Final = schema

    def __repr__(self) -> str:
        return f"<Message {self.name}>"

    @property
    def go_name(self) -> str:
        """The name of the Go struct: ``PodSpec``."""
        return self.name.rpartition(".")[2]

    @property
    def go_type(self) -> str:
        """Go's name of the type, with its package: ``v1.PodSpec``."""
        return _go_type(self.name)

    def message_of(self, field: Field) -> "Message | None":
        """The message that a field of this one holds, or None for a scalar."""
        return None if field.type in SCALARS else self.schema.message(field.type)

    @functools.cached_property
    def by_number(self) -> dict[int, Field]:
        """The fields on the wire; an inline message is one field here."""
        return {field.number: field for field in self.fields if field.number}

    @functools.cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields in JSON, those of inline messages in their place; an outer field hides an inner one."""
        view: dict[str, Field] = {}
        for field in self.fields:
            if field.inline:
                view |= self.schema.message(field.type).by_name
        return view | {field.name: field for field in self.fields if not field.inline}


class Schema:
    """All messages of one release, built when they are asked for.

    Args:
        document: the content of ``schema.json``: ``source``, ``kinds`` (``group/version/kind`` → message,
            ``*`` for every group or version), ``go_types`` (named collections → what they stand for) and
            ``messages``.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.source: Final[str] = document["source"]
        self._kinds: Final[dict[str, str]] = document["kinds"]
        self._go_types: Final[dict[str, str]] = document["go_types"]
        self._raw: Final[dict[str, Any]] = document["messages"]
        self._messages: Final[dict[str, Message]] = {}

    @classmethod
    def packaged(cls) -> Self:
        """Read the schema that comes with the package."""
        return cls(orjson.loads(resources.files(__package__).joinpath("schema.json").read_bytes()))

    def message_for(self, group: str, version: str, kind: str) -> Message | None:
        """Return the message of a kind, or None when the release has no such kind; "" is the core group."""
        name = self._kinds.get(f"{group}/{version}/{kind}") or self._kinds.get(f"*/*/{kind}")
        return None if name is None else self.message(name)

    def names(self) -> Iterator[str]:
        """The short names of all messages."""
        return iter(self._raw)

    def message(self, name: str) -> Message:
        """Return a message by its short name.

        Raises:
            KeyError: the schema has none of that name.
        """
        message = self._messages.get(name)
        if message is None:
            message = self._messages[name] = self._build(name, self._raw[name])
        return message

    def go_elements(self, go_type: str) -> str:
        """Go's name of the elements of a list or map type, itself given by Go's name.

        ``[]v1.Container`` → ``v1.Container``, ``map[string]int32`` → ``int32``, ``v1.ResourceList`` →
        ``resource.Quantity``.
        """
        written = self._go_types.get(go_type, go_type)
        return written.partition("]")[2].removeprefix("*")

    def _build(self, name: str, raw: dict[str, Any]) -> Message:
        fields = tuple(self._field(entry) for entry in raw.get("fields", ()))
        return Message(name, raw.get("form", "object"), fields, self)

    def _field(self, entry: dict[str, Any]) -> Field:
        lists = {key: tuple(entry[key]) for key in ("strategies", "list_keys") if key in entry}
        return Field(**({"go_type": _implied_go_type(entry)} | entry | lists))


def _go_type(name: str) -> str:
    """``core.v1.Container`` → ``v1.Container``."""
    return ".".join(name.split(".")[-2:])


def _implied_go_type(entry: dict[str, Any]) -> str:
    """The Go type of a field that does not state another."""
    type_name: str = entry["type"]
    element = _GO_SCALARS.get(type_name, type_name)
    if type_name not in SCALARS:
        element = _go_type(type_name)
    prefix = {"list": "[]", "map": "map[string]"}.get(entry.get("shape", "one"), "")
    return prefix + element


@functools.cache
def packaged() -> Schema:
    """The schema that comes with the package, read once."""
    return Schema.packaged()


def message_for(group: str, version: str, kind: str) -> Message | None:
    """Return the message of a kind of the packaged schema, or None when its release has no such kind."""
    return packaged().message_for(group, version, kind)
