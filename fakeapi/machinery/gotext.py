"""JSON values and their types as Go prints them, for messages that people compare with the real server's."""

from typing import Any, Final

Json = Any

_TYPE_NAMES: Final[dict[type, str]] = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "%!s(<nil>)",
}


def go_text(value: Json) -> str:
    """The value as the verb ``%v`` writes it: ``map[a:1 b:[x y]]``, keys in order."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)


def go_type_name(value: Json) -> str:
    """Go's name of the type that a JSON value has when nothing is known of it."""
    return _TYPE_NAMES[type(value)]


def go_quote(text: str) -> str:
    r"""The text in double quotes as ``strconv.Quote`` writes it: what cannot be printed is escaped."""
    return f'"{"".join(map(_quoted, text))}"'


_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
                   "\t": "\\t", "\v": "\\v"}  # fmt: skip
_FIRST_PRINTABLE: Final = 0x20
_DELETE: Final = 0x7F
_LAST_OF_PLANE: Final = 0xFFFF


def _quoted(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    code = ord(letter)
    if code < _FIRST_PRINTABLE or code == _DELETE:
        return f"\\x{code:02x}"
    if letter.isprintable():
        return letter
    return f"\\u{code:04x}" if code <= _LAST_OF_PLANE else f"\\U{code:08x}"
