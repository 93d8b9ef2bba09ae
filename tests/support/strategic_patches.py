"""Strategic merge patches for hypothesis: with every directive, for an object, and some not fit for it."""

from typing import Any

from hypothesis import strategies as st

from fakeapi.machinery.schema import Field, Message
from tests.support.schema_objects import objects

Draw = st.DrawFn


@st.composite
def patches(draw: Draw, document: dict[str, Any], message: Message, depth: int = 3) -> dict[str, Any]:
    """Draw a patch for a document of the message's type."""
    patch: dict[str, Any] = {}
    fresh = draw(objects(message, 1)) if message.form == "object" else {}
    for name in sorted(document.keys() | fresh.keys()):
        field = message.by_name.get(name)
        if field is None or name in ("kind", "apiVersion"):
            continue
        choice = draw(st.sampled_from(("skip", "null", "set", "merge", "merge")))
        if choice == "null":
            patch[name] = None
        elif choice == "set" and name in fresh:
            patch[name] = fresh[name]
        elif choice == "merge" and name in document and depth:
            _merge_into(draw, patch, document[name], field, message, depth)
    _direct(draw, patch, document)
    return patch


def _merge_into(
    draw: Draw, patch: dict[str, Any], value: Any, field: Field, message: Message, depth: int
) -> None:
    held = message.message_of(field)
    if isinstance(value, dict) and held is not None and held.form == "object" and field.shape == "one":
        patch[field.name] = draw(patches(value, held, depth - 1))
    elif isinstance(value, dict):
        patch[field.name] = dict.fromkeys(draw(st.lists(st.sampled_from(sorted(value)), max_size=2)))
    elif isinstance(value, list) and field.merge_key and held is not None:
        _merge_items(draw, patch, value, field, held, depth)
    elif isinstance(value, list) and held is None:
        _merge_scalars(draw, patch, value, field)


def _merge_items(
    draw: Draw, patch: dict[str, Any], value: list[Any], field: Field, held: Message, depth: int
) -> None:
    key, items = str(field.merge_key), []
    for item in value:
        choice = draw(st.sampled_from(("skip", "skip", "change", "change", "delete", "replace")))
        if choice == "change":
            items.append(draw(patches(item, held, depth - 1)) | {key: item[key]})
        elif choice == "delete":
            items.append({"$patch": "delete", key: item[key]})
        elif choice == "replace" and draw(st.booleans()):
            items.append({"$patch": "replace"})
    if draw(st.booleans()):
        items.append(draw(objects(held, 0)) | {key: "new" if held.by_name[key].type == "string" else 9})
    if draw(st.booleans()):
        patch[field.name] = items
    if draw(st.booleans()):
        keys = [{key: item[key]} for item in (*items, *value) if key in item and "$patch" not in item]
        patch[f"$setElementOrder/{field.name}"] = keys if draw(st.booleans()) else draw(st.permutations(keys))


def _merge_scalars(draw: Draw, patch: dict[str, Any], value: list[Any], field: Field) -> None:
    chosen = draw(st.lists(st.sampled_from(value), max_size=2))
    if draw(st.booleans()):
        patch[f"$deleteFromPrimitiveList/{field.name}"] = chosen
    if draw(st.booleans()):
        patch[field.name] = draw(st.permutations(value))
    if draw(st.booleans()):
        patch[f"$setElementOrder/{field.name}"] = draw(st.permutations([*value, *chosen]))


def _direct(draw: Draw, patch: dict[str, Any], document: dict[str, Any]) -> None:
    """Now and then, an object-wide directive."""
    choice = draw(st.integers(0, 12))
    if choice == 0:
        patch["$patch"] = draw(st.sampled_from(("replace", "delete", "merge", "nonsense")))
    elif choice == 1:
        patch["$retainKeys"] = sorted(patch.keys() | set(document) - {"spec"})
