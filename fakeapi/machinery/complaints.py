"""What Go's JSON decoder says against a document: every wrong type and every unknown field, with the place.

The decoder of the real server (``sigs.k8s.io/json``) goes on after a value of the wrong type and reports
the first one at the end; a type that decodes itself (a quantity, an instant) makes it stop at once, and
that is what it reports then. Messages name the innermost struct, the path from the root with the Go names
of embedded structs in it, and the Go type.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fakeapi.machinery import govalues
from fakeapi.machinery.gotime import time_error
from fakeapi.machinery.schema import Field, Message

Json = Any

MOST_UNKNOWN: Final = 100
"""Unknown (or duplicate) fields that are listed, as many as the real server does."""

_MOST_BYTE: Final = 0xFF

_META: Final = ("kind", "apiVersion")
_META_STRUCT: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
"""The struct that the server decodes first, to learn the kind."""


@dataclass(frozen=True, slots=True)
class Mistyped:
    """A value that the decoder refuses.

    Attributes:
        path: where it is, ``spec.containers[0].image``; empty for the whole body.
        expected: the Go type.
        found: what is there: ``string``, ``number``, ``number 1.5``, ``bool``, ``array``, ``object``.
        message: the decoder's words.
    """

    path: str
    expected: str
    found: str
    message: str


def collect(document: Json, message: Message) -> tuple[tuple[Mistyped, ...], tuple[str, ...]]:
    """Return the values of a wrong type, the one that is reported first, and the paths of unknown fields."""
    if document is None:
        return (), ()
    if not isinstance(document, dict):
        return (_meta_mistyped("", document, f"value of type {_META_STRUCT}"),), ()
    for name in document.keys() & message.by_name.keys() & set(_META):
        if not isinstance(document[name], str | None):
            return (_meta_mistyped(name, document[name], f"struct field .{name} of type string"),), ()
    walk = _Walk()
    complaints = walk.result(lambda: walk.object(document, message, _Place()))
    return tuple(one.mistyped() for one in complaints), tuple(walk.unknown)


def _meta_mistyped(path: str, value: Json, into: str) -> Mistyped:
    found = govalues.kind_of(value)
    error = f"couldn't get version/kind; json parse error: json: cannot unmarshal {found} into Go {into}"
    return Mistyped(path, "string" if path else "object", found, error)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the path as people write it, and the struct and names that Go's messages say."""

    path: str = ""
    struct: str = ""
    names: tuple[str, ...] = ()

    def beside(self, name: str) -> str:
        """The path of a field of the struct here."""
        return f"{self.path}.{name}" if self.path else name

    def field(self, message: Message, name: str) -> "_Place":
        """The place of a field of the struct here."""
        names = (*self.names, *_embedding(message, name), name)
        return _Place(self.beside(name), message.go_name, names)

    def item(self, key: int | str) -> "_Place":
        """The place of an item of the list or map here; Go's messages say the same of all items."""
        return replace(self, path=f"{self.path}[{key}]" if isinstance(key, int) else f"{self.path}.{key}")


@dataclass(frozen=True, slots=True)
class _Complaint:
    """A value that the decoder refuses: as ``Mistyped``, with its message yet to be put together."""

    place: _Place
    found: str
    go_type: str
    words: str | None = None

    def within(self, outer: _Place) -> "_Complaint":
        """The complaint of a decoder that another one called at the outer place."""
        names = (*outer.names, *self.place.names)
        return replace(self, place=_Place(self.place.path, outer.struct, names))

    def mistyped(self) -> Mistyped:
        """The finding, in the decoder's words."""
        place = self.place
        into = f"struct field {place.struct}.{'.'.join(place.names)}" if place.names else "value"
        words = self.words or f"json: cannot unmarshal {self.found} into Go {into} of type {self.go_type}"
        return Mistyped(place.path, self.go_type, self.found, words)


def _embedding(message: Message, name: str) -> tuple[str, ...]:
    """The Go names of the embedded structs through which a message has a field; none for one of its own."""
    for one in message.fields:
        if one.name == name and not one.inline:
            return ()
    for one in message.fields:
        held = message.message_of(one)
        if one.inline and held is not None and name in held.by_name:
            return (held.go_name, *_embedding(held, name))
    return ()


class _Stop(Exception):
    """A type that decodes itself refused its value."""

    def __init__(self, complaint: _Complaint) -> None:
        super().__init__(complaint.words)
        self.complaint = complaint


@dataclass
class _Walk:
    """One pass over a document."""

    complaints: list[_Complaint] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def result(self, walk: Callable[[], None]) -> list[_Complaint]:
        """Do a walk and return what it found, what stopped it first."""
        try:
            walk()
        except _Stop as stop:
            self.complaints.insert(0, stop.complaint)
        return self.complaints

    def complain(self, place: _Place, value: Json, go_type: str) -> None:
        """Note a value that is no such type."""
        self.complaints.append(_Complaint(place, govalues.kind_of(value), go_type))

    def object(self, value: Json, message: Message, place: _Place) -> None:
        """Look at a struct and its fields."""
        if not isinstance(value, dict):
            self.complain(place, value, message.go_type)
            return
        for name, item in value.items():
            known = message.by_name.get(name)
            if known is None:
                self.unknown += [place.beside(name)] if len(self.unknown) < MOST_UNKNOWN else []
            elif item is not None:
                self.field(item, known, message, place.field(message, name))

    def objects(self, values: list[Json], message: Message, place: _Place) -> None:
        """Look at a list of structs."""
        for index, value in enumerate(values):
            if value is not None:
                self.object(value, message, place.item(index))

    def field(self, value: Json, known: Field, owner: Message, place: _Place) -> None:
        """Look at the value of a field, which may be a list or a map."""
        held = owner.message_of(known)
        if known.shape == "one":
            self.value(value, known.type, held, known.go_type, place)
        elif isinstance(value, list if known.shape == "list" else dict):
            go_type = owner.schema.go_elements(known.go_type)
            for key, item in enumerate(value) if isinstance(value, list) else value.items():
                if item is not None:
                    self.value(item, known.type, held, go_type, place.item(key))
        else:
            self.complain(place, value, known.go_type)

    def value(self, value: Json, type_name: str, held: Message | None, go_type: str, place: _Place) -> None:
        """Look at one value of a scalar type or of a message."""
        if held is None:
            self.scalar(value, type_name, go_type, place)
        elif held.form == "object":
            self.object(value, held, place)
        elif held.form == "strings":
            self.strings(value, go_type, place)
        elif held.form.startswith("one_or_"):
            self.union(value, held, place)
        else:
            _check_form(value, held.form, place)

    def scalar(self, value: Json, type_name: str, go_type: str, place: _Place) -> None:
        """Look at a scalar."""
        if type_name == "bytes" and isinstance(value, list):
            self.bytes(value, place)
        elif govalues.kind_of(value) != govalues.JSON_KINDS[type_name]:
            self.complain(place, value, go_type)
        elif type_name in govalues.INT_BITS and not govalues.is_integer(value, govalues.INT_BITS[type_name]):
            self.complaints.append(_Complaint(place, f"number {value}", go_type))
        elif type_name == "bytes" and (wrong := govalues.base64_error(value)):
            self.complaints.append(_Complaint(place, "string", go_type, wrong))

    def bytes(self, values: list[Json], place: _Place) -> None:
        """Look at bytes that are written as a list of numbers, which Go takes too."""
        for index, value in enumerate(values):
            if govalues.kind_of(value) != "number":
                if value is not None:
                    self.complain(place.item(index), value, "uint8")
            elif not (isinstance(value, int) and 0 <= value <= _MOST_BYTE):
                self.complaints.append(_Complaint(place.item(index), f"number {value}", "uint8"))

    def strings(self, value: Json, go_type: str, place: _Place) -> None:
        """Look at a list of strings that is a type of its own."""
        if not isinstance(value, list):
            self.complain(place, value, go_type)
            return
        for index, item in enumerate(value):
            if item is not None and not isinstance(item, str):
                self.complain(place.item(index), item, "string")

    def union(self, value: Json, held: Message, place: _Place) -> None:
        """Look at a schema, or what else may stand in its place: types that decode themselves, leniently.

        What is neither is ignored by some of them, as by the real server.
        """
        schema = next(one for entry in held.fields if (one := held.message_of(entry)))
        inner, here = _Walk(), _Place(place.path)
        if isinstance(value, dict):
            inner.result(lambda: inner.object(value, schema, here))
        elif isinstance(value, list) and held.form == "one_or_many":
            inner.result(lambda: inner.objects(value, schema, here))
        elif isinstance(value, list) and held.form == "one_or_strings":
            inner.strings(value, "[]string", here)
        elif held.form == "one_or_bool" and not isinstance(value, bool):
            found = govalues.kind_of(value)
            raise _Stop(_Complaint(place, found, held.go_type, "boolean or JSON schema expected"))
        if inner.complaints:
            raise _Stop(inner.complaints[0].within(place))


def _check_form(value: Json, form: str, place: _Place) -> None:
    """Refuse what a type that decodes itself does not take.

    Raises:
        _Stop: it does not.
    """
    found = govalues.kind_of(value)
    if form in ("time", "micro_time"):
        wrong = time_error(value, micro=form == "micro_time") if found == "string" else None
        if wrong or found != "string":
            raise _Stop(_Complaint(place, found, "string", wrong))
    elif form == "quantity":
        wrong = govalues.quantity_error(value)
        if wrong:
            raise _Stop(_Complaint(place, found, "resource.Quantity", wrong))
    elif form == "int_or_string" and not govalues.is_int_or_string(value):
        raise _Stop(_Complaint(place, f"number {value}" if found == "number" else found, "int32"))
