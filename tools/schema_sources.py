"""The published descriptions of the Kubernetes types, read from the Go module cache.

No description says it all, so ``tools.generate_schema`` joins three: the ``.proto`` files (field numbers,
wire types), the Go structs that they were generated from (JSON names, what is left out when empty, what is
embedded, Go's own names of types, merge strategies) and ``swagger.json`` (served kinds, required fields,
list types).

Go sources are read as text: gofmt gives them one shape, and a misread line shows when the three are compared.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
GO_MODULE: Final = ROOT / "tests" / "peers" / "kubernetes"

RELEASE_MODULE: Final = "k8s.io/kubernetes"
TYPE_MODULES: Final = (
    "k8s.io/api",
    "k8s.io/apimachinery",
    "k8s.io/apiextensions-apiserver",
    "k8s.io/kube-aggregator",
)

SCALARS: Final = {
    "string": "string",
    "bool": "bool",
    "int32": "int32",
    "int64": "int64",
    "double": "float64",
    "bytes": "[]uint8",
}
"""Protobuf scalar → the Go type that a field of it has by default."""

GO_BUILTINS: Final = {"string", "bool", "int", "int32", "int64", "float64", "byte", "map", "interface", "any"}


class GenerationError(Exception):
    """The sources disagree, or say something that there is no rule for."""


@dataclass(frozen=True)
class ProtoField:
    """One line of a .proto message: its name, number, type (resolved) and ``one``, ``list`` or ``map``."""

    name: str
    number: int
    type: str
    shape: str


@dataclass(frozen=True)
class GoField:
    """One field of a Go struct: its Go name and type, and the tags behind it."""

    go_name: str
    go_type: str
    embedded: bool
    tags: dict[str, str]

    @property
    def json_name(self) -> str:
        """The name in JSON; empty for an embedded struct whose fields are the owner's own."""
        return self.tags.get("json", "").split(",")[0]

    @property
    def number(self) -> int | None:
        """The number of the protobuf tag, or None for what protobuf does not carry (kind, apiVersion)."""
        parts = self.tags.get("protobuf", "").split(",")
        return int(parts[1]) if len(parts) > 1 else None


@dataclass
class GoPackage:
    """The types of one Go package: structs by name, and what other type names stand for."""

    name: str = ""
    structs: dict[str, list[GoField]] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    borrowed: dict[str, str] = field(default_factory=dict)
    """Types defined as a type of another package: ``Rule`` → ``admissionregistration.v1.Rule``."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Those of them that are the same type also for reflection: ``v1alpha1.Rule`` → ``v1.Rule``."""
    unmarshalers: set[str] = field(default_factory=set)
    """Types that decode their JSON themselves."""


@dataclass
class Sources:
    """Everything read; names are short ones (``core.v1`` for a package, ``core.v1.Pod`` for a type)."""

    release: str
    swagger: dict[str, Any]
    messages: dict[str, list[ProtoField]] = field(default_factory=dict)
    packages: dict[str, GoPackage] = field(default_factory=dict)


def read_sources() -> Sources:
    """Read the three descriptions from the module cache, downloading the modules when they are missing."""
    release, directories = module_directories()
    swagger = json.loads((directories[RELEASE_MODULE] / "api/openapi-spec/swagger.json").read_bytes())
    definitions = {short_name(name): body for name, body in swagger["definitions"].items()}
    sources = Sources(release, definitions)
    for module in TYPE_MODULES:
        for proto in sorted(directories[module].rglob("generated.proto")):
            package, messages = read_proto(proto.read_text())
            if package in sources.packages:
                raise GenerationError(f"{proto}: two packages are called {package}")
            sources.messages |= messages
            sources.packages[package] = read_go_package(proto.parent)
    return sources


def module_directories() -> tuple[str, dict[str, Path]]:
    """Return the Kubernetes release, and where the Go toolchain keeps each module's source."""
    modules = (RELEASE_MODULE, *TYPE_MODULES)
    form = "{{.Path}} {{.Version}} {{.Dir}}"
    subprocess.run(("go", "mod", "download", *modules), cwd=GO_MODULE, check=True)
    listing = subprocess.run(
        ("go", "list", "-m", "-f", form, *modules), cwd=GO_MODULE, check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split(" ", 2) for line in listing.splitlines()]
    versions = {path: version for path, version, _ in rows}
    return versions[RELEASE_MODULE], {path: Path(directory) for path, _, directory in rows}


def short_package(package: str) -> str:
    """``k8s.io.api.core.v1`` → ``core.v1``: the last two parts name every package uniquely."""
    return ".".join(package.split(".")[-2:])


def short_name(name: str) -> str:
    """``io.k8s.api.core.v1.Pod`` → ``core.v1.Pod``."""
    package, _, kind = name.rpartition(".")
    return f"{short_package(package)}.{kind}"


def read_proto(text: str) -> tuple[str, dict[str, list[ProtoField]]]:
    """Return the short package name of a .proto file, and its messages by name."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    match = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
    if match is None:
        raise GenerationError("a .proto file without a package line")
    package = short_package(match[1])
    bodies = re.findall(r"^message (\w+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    return package, {f"{package}.{name}": list(read_proto_fields(body, package)) for name, body in bodies}


PROTO_FIELD: Final = re.compile(
    r"(?:(?P<label>optional|repeated|required) (?P<type>[\w.]+)|map<string, (?P<value>[\w.]+)>)"
    r" (?P<name>\w+) = (?P<number>\d+)"
)


def read_proto_fields(body: str, package: str) -> Iterator[ProtoField]:
    """Yield the fields of one message body."""
    for statement in filter(None, map(str.strip, body.split(";"))):
        match = PROTO_FIELD.fullmatch(statement)
        if match is None:
            raise GenerationError(f"{package}: cannot read the field {statement!r}")
        shape = "map" if match["value"] else "list" if match["label"] == "repeated" else "one"
        type_name = resolve(match["value"] or match["type"], package)
        yield ProtoField(match["name"], int(match["number"]), type_name, shape)


def resolve(type_name: str, package: str) -> str:
    """Full short name of a type as a .proto file of the package writes it."""
    if type_name in SCALARS:
        return type_name
    return short_name(type_name.lstrip(".")) if "." in type_name else f"{package}.{type_name}"


def read_go_package(directory: Path) -> GoPackage:
    """Read the types that people wrote: generated files repeat them, ``_string.go`` is for another build."""
    package = GoPackage()
    for source in sorted(directory.glob("*.go")):
        if not re.search(r"_test\.go$|^zz_|generated|_string\.go$", source.name):
            read_go_file(source.read_text(), package)
    return package


GO_IMPORT: Final = re.compile(r'^(?:import )?\t?(\w+)? ?"([\w./-]+)"', re.MULTILINE)
GO_STRUCT: Final = re.compile(r"^type (\w+) struct ?\{(\n.*?^)?\}", re.MULTILINE | re.DOTALL)
GO_NAMED: Final = re.compile(r"^type (\w+) ((?!struct\b|interface\b|func\b).+)$", re.MULTILINE)
GO_FIELD: Final = re.compile(r"^\t(?:(\w+)[ \t]+)?(\S[^`/]*?)[ \t]*`([^`]*)`")
GO_TAG: Final = re.compile(r'([\w-]+):"((?:[^"\\]|\\.)*)"')
GO_UNMARSHALER: Final = re.compile(r"^func \(\w+ \*?(\w+)\) UnmarshalJSON\(", re.MULTILINE)


def read_go_file(text: str, package: GoPackage) -> None:
    """Add the types of one gofmt'ed file to the package."""
    package.name = re.findall(r"^package (\w+)", text, re.MULTILINE)[0]
    paths = {alias or path.split("/")[-1]: path for alias, path in GO_IMPORT.findall(text)}
    imports = {alias: path.split("/")[-1] for alias, path in paths.items()}
    for name, body in GO_STRUCT.findall(text):
        matches = map(GO_FIELD.match, body.splitlines())
        package.structs[name] = [go_field(match, imports, package.name) for match in matches if match]
    for name, definition in GO_NAMED.findall(text):
        package.named[name] = qualify(definition.split("//")[0].strip(" ="), imports, package.name)
        if match := re.fullmatch(r"(= )?(\w+)\.(\w+)", definition):
            package.borrowed[name] = f"{short_package(paths[match[2]].replace('/', '.'))}.{match[3]}"
            if match[1]:
                package.aliases[f"{package.name}.{name}"] = package.named[name]
    package.unmarshalers.update(GO_UNMARSHALER.findall(text))


def go_field(match: re.Match[str], imports: dict[str, str], package: str) -> GoField:
    """Build a field from one line of a struct."""
    name, written, tags = match.groups()
    bare = written.lstrip("*").split(".")[-1]
    return GoField(name or bare, qualify(written, imports, package), name is None, dict(GO_TAG.findall(tags)))


def qualify(written: str, imports: dict[str, str], package: str) -> str:
    """Spell a Go type as Go's reflection prints it: every name with its package's own name."""

    def name(match: re.Match[str]) -> str:
        alias, dot, base = match[0].rpartition(".")
        if dot:
            return f"{imports.get(alias, alias)}.{base}"
        return base if base in GO_BUILTINS else f"{package}.{base}"

    return re.sub(r"[A-Za-z_][\w.]*", name, written).replace("[]byte", "[]uint8")
