"""Write ``fakeapi/machinery/schema.json``: what every Kubernetes object looks like, on the wire and as JSON.

The file joins what ``tools.schema_sources`` reads. Where the sources overlap they must agree: the generator
stops at the first difference, so that a release that breaks one of its assumptions is noticed here and not as
a wrong answer of the server.

    python -m tools.generate_schema            # rewrite the file
    python -m tools.generate_schema --check    # exit status 1 when the file is not what would be written

``fakeapi.machinery.schema`` says what each word of the file means.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from typing import Any, Final

from tools import schema_sources
from tools.schema_sources import GenerationError, GoField, ProtoField, Sources

TARGET: Final = schema_sources.ROOT / "fakeapi" / "machinery" / "schema.json"

FORMS: Final = {
    "meta.v1.Time": "time",
    "meta.v1.MicroTime": "micro_time",
    "meta.v1.FieldsV1": "raw",
    "pkg.runtime.RawExtension": "raw",
    "api.resource.Quantity": "quantity",
    "util.intstr.IntOrString": "int_or_string",
    "apiextensions.v1.JSON": "raw",
    "apiextensions.v1.JSONSchemaPropsOrArray": "one_or_many",
    "apiextensions.v1.JSONSchemaPropsOrBool": "one_or_bool",
    "apiextensions.v1.JSONSchemaPropsOrStringArray": "one_or_strings",
}
"""Messages whose JSON is not an object of their fields: Go gives each its own MarshalJSON."""

NUMBERS: Final = ("bool", "int32", "int64", "double")

FORMS_WITH_FIELDS: Final = ("object", "one_or_many", "one_or_bool", "one_or_strings")

UNLISTED_KINDS: Final = ("PartialObjectMetadata", "PartialObjectMetadataList")
"""Kinds of meta.k8s.io/v1 that clients send and read although no path of swagger.json serves them."""


class Joiner:
    """Makes one description of each message out of the three, beginning at the served kinds."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.messages: dict[str, dict[str, Any]] = {}
        self.go_types: dict[str, str] = {}

    def document(self) -> dict[str, Any]:
        """Return the whole of schema.json."""
        kinds = self.kinds()
        for name in kinds.values():
            self.add(name)
        return {
            "source": f"{schema_sources.RELEASE_MODULE} {self.sources.release}",
            "kinds": dict(sorted(kinds.items())),
            "go_types": dict(sorted(self.go_types.items())),
            "messages": dict(sorted(self.messages.items())),
        }

    def kinds(self) -> dict[str, str]:
        """Return ``group/version/kind`` → message, for all that the release serves."""
        kinds = {f"meta.k8s.io/v1/{kind}": f"meta.v1.{kind}" for kind in UNLISTED_KINDS}
        for name, definition in self.sources.swagger.items():
            served = definition.get("x-kubernetes-group-version-kind", ())
            if name not in self.sources.messages:
                continue
            for one in served:
                # Kinds such as DeleteOptions belong to every group: one entry for all of them.
                group, version = ("*", "*") if len(served) > 1 else (one["group"], one["version"])
                kinds[f"{group}/{version}/{one['kind']}"] = name
        return kinds

    def add(self, name: str) -> None:
        """Describe a message and all that it refers to."""
        if name in self.messages or name in schema_sources.SCALARS:
            return
        entry: dict[str, Any] = self.messages.setdefault(name, {})
        form = self.form(name)
        if form != "object":
            entry["form"] = form
        if form in FORMS_WITH_FIELDS:
            entry["fields"] = self.fields(name)
            self.compare_with_swagger(name)

    def form(self, name: str) -> str:
        """How the message looks in JSON: an object, or one of the special forms."""
        package, _, kind = name.rpartition(".")
        go = self.sources.packages[package]
        if name in FORMS:
            return FORMS[name]
        if kind in go.unmarshalers:
            raise GenerationError(f"{name} decodes its JSON itself and has no entry in FORMS")
        if kind in go.structs or kind in go.borrowed:
            return "object"
        strings = [ProtoField("items", 1, "string", "list")]
        if go.named.get(kind) == "[]string" and self.sources.messages[name] == strings:
            return "strings"
        raise GenerationError(f"{name} is neither a Go struct nor a list of strings")

    def struct(self, name: str) -> list[GoField]:
        """Return the fields of the Go struct behind a message."""
        package, _, kind = name.rpartition(".")
        go = self.sources.packages[package]
        return go.structs[kind] if kind in go.structs else self.struct(go.borrowed[kind])

    def fields(self, name: str) -> list[dict[str, Any]]:
        """Describe the fields of a message, in the order of the Go struct, which is the order of its JSON."""
        by_number = {proto.number: proto for proto in self.sources.messages[name]}
        described = []
        for go in self.struct(name):
            if go.number is None:
                described += self.unnumbered(name, go)
                continue
            proto = by_number.pop(go.number, None)
            if proto is None:
                raise GenerationError(f"{name}.{go.go_name}: number {go.number} is not in the .proto file")
            described.append(self.describe(name, go, proto))
        if by_number:
            raise GenerationError(f"{name}: no Go field has the numbers {sorted(by_number)}")
        return described

    def unnumbered(self, name: str, go: GoField) -> list[dict[str, Any]]:
        """Fields that exist in JSON only, marked by the number 0: the kind and apiVersion of an object."""
        if go.json_name == "-":
            return []
        if go.go_type != "v1.TypeMeta" or not go.embedded:
            raise GenerationError(f"{name}.{go.go_name} has no protobuf number")
        parts = [{"name": part, "number": 0, "type": "string"} for part in ("kind", "apiVersion")]
        self.messages["meta.v1.TypeMeta"] = {"fields": parts}
        return [{"name": "", "number": 0, "type": "meta.v1.TypeMeta", "inline": True}]

    def describe(self, owner: str, go: GoField, proto: ProtoField) -> dict[str, Any]:
        """One entry of the file: only what differs from an ordinary ``omitempty`` field is spelled out."""
        self.add(proto.type)
        inline = go.embedded and not go.json_name
        if inline and (go.go_type.startswith("*") or proto.shape != "one"):
            raise GenerationError(f"{owner}.{go.go_name}: an embedded pointer or list has no rule")
        if proto.shape == "map" and proto.type in NUMBERS:
            raise GenerationError(f"{owner}.{go.go_name}: a map to numbers has no rule")
        options = go.tags.get("json", "").split(",")[1:]
        if "omitzero" in options and proto.type not in FORMS:
            raise GenerationError(f"{owner}.{go.go_name}: omitzero of an object has no rule")
        definition = self.sources.swagger.get(owner, {})
        swagger = definition.get("properties", {}).get(go.json_name, {})
        self.compare_merge_rules(owner, go, swagger)
        entry = {
            "name": go.json_name,
            "number": proto.number,
            "type": proto.type,
            "shape": proto.shape if proto.shape != "one" else None,
            "pointer": go.go_type.startswith("*"),
            "keep": "omitempty" not in options and not inline,
            "omit_zero": "omitzero" in options,
            "inline": inline,
            "required": go.json_name in definition.get("required", ()),
            "merge_key": go.tags.get("patchMergeKey"),
            "strategies": [part for part in go.tags.get("patchStrategy", "").split(",") if part],
            "list_type": swagger.get("x-kubernetes-list-type"),
            "list_keys": swagger.get("x-kubernetes-list-map-keys"),
            "go_type": self.go_type(owner, go, proto),
        }
        return {key: value for key, value in entry.items() if value or key == "name"}

    def go_type(self, owner: str, go: GoField, proto: ProtoField) -> str | None:
        """The Go type as error texts spell it, where it is not the one that the .proto type implies."""
        aliases = self.sources.packages[owner.rpartition(".")[0]].aliases
        written = go.go_type.removeprefix("*")
        written = re.sub(r"\w+\.\w+", lambda match: aliases.get(match[0], match[0]), written)
        for name in re.findall(r"\w+\.\w+", written):
            self.remember_collection(name)
        package, _, kind = proto.type.rpartition(".")
        element = schema_sources.SCALARS.get(proto.type) or f"{self.sources.packages[package].name}.{kind}"
        implied = {"one": element, "list": f"[]{element}", "map": f"map[string]{element}"}[proto.shape]
        return written if written != implied else None

    def remember_collection(self, name: str) -> None:
        """Keep what a named list or map stands for: error texts name its elements' types too."""
        package, _, base = name.partition(".")
        homes = [go for go in self.sources.packages.values() if go.name == package and base in go.named]
        collections = {go.named[base] for go in homes if go.named[base].startswith(("[]", "map["))}
        if len(collections) > 1:
            raise GenerationError(f"{name} stands for several collections: {sorted(collections)}")
        for definition in collections:
            self.go_types[name] = definition

    def json_names(self, name: str) -> set[str]:
        """The names of a message's JSON fields, those of embedded messages among them."""
        names: set[str] = set()
        for entry in self.messages[name]["fields"]:
            names |= self.json_names(entry["type"]) if entry.get("inline") else {entry["name"]}
        return names

    def compare_with_swagger(self, name: str) -> None:
        """Refuse a message whose fields are not the ones of its published definition."""
        definition = self.sources.swagger.get(name, {})
        if "properties" not in definition:
            return
        ours, published = self.json_names(name), set(definition["properties"])
        if ours != published:
            raise GenerationError(f"{name}: the struct and swagger.json differ in {sorted(ours ^ published)}")

    def compare_merge_rules(self, owner: str, go: GoField, swagger: dict[str, Any]) -> None:
        """Refuse merge rules that differ between the struct, which a server obeys, and what is published."""
        published = (swagger.get("x-kubernetes-patch-merge-key"), swagger.get("x-kubernetes-patch-strategy"))
        if swagger and published != (go.tags.get("patchMergeKey"), go.tags.get("patchStrategy")):
            raise GenerationError(f"{owner}.{go.json_name}: the struct merges otherwise than {published}")


def render(document: dict[str, Any]) -> str:
    """JSON with one line for each field, so that a new release shows as a readable difference."""
    return (
        f'{{"source":{compact(document["source"])},\n'
        f'"kinds":{{\n{rows(document["kinds"], compact)}\n}},\n'
        f'"go_types":{{\n{rows(document["go_types"], compact)}\n}},\n'
        f'"messages":{{\n{rows(document["messages"], render_message)}\n}}}}\n'
    )


def compact(value: object) -> str:
    """JSON on one line without spaces."""
    return json.dumps(value, separators=(",", ":"))


def rows(table: dict[str, Any], render_value: Callable[[Any], str]) -> str:
    """One entry of a table on a line."""
    return ",\n".join(f" {compact(key)}:{render_value(value)}" for key, value in table.items())


def render_message(entry: dict[str, Any]) -> str:
    """A message: its form, where it is special, and its fields on a line each."""
    parts = [f'"form":{compact(entry["form"])}'] if "form" in entry else []
    if "fields" in entry:
        fields = ",\n".join(f"  {compact(one)}" for one in entry["fields"])
        parts.append(f'"fields":[\n{fields}]' if fields else '"fields":[]')
    return "{" + ",".join(parts) + "}"


def main() -> int:
    """Write or compare the file; the exit status is 1 for a stale file and 2 for sources that disagree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when the file is stale"
    )
    arguments = parser.parse_args()
    try:
        text = render(Joiner(schema_sources.read_sources()).document())
    except GenerationError as error:
        print(f"generate_schema: {error}", file=sys.stderr)
        return 2
    if not arguments.check:
        TARGET.write_text(text)
        return 0
    if TARGET.exists() and TARGET.read_text() == text:
        return 0
    print(f"{TARGET} is stale: run python -m tools.generate_schema", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
