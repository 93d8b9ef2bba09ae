"""What a client wants to be answered with (``Accept``) and what it has sent (``Content-Type``).

Clients repeat the same few headers on every request, so decisions are cached.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final

from fakeapi.machinery.status import not_acceptable, unsupported_media_type

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
META_GROUP: Final = "meta.k8s.io"
DISCOVERY_GROUP: Final = "apidiscovery.k8s.io"

_CACHE: Final = 256
"""Headers that are remembered: far more than a handful of clients send."""
_META_VERSIONS: Final = ("v1", "v1beta1")
_READABLE_AS_JSON: Final = (JSON, PROTOBUF, "application/*", "*/*")
"""Media ranges answered with JSON.

Protobuf on its own is among them: the answer's ``Content-Type`` says what it is, and client-go picks its
decoder by that header and not by what it asked for. Refusing would lock such a client out; nobody is misled.
"""


class Form(Enum):
    """The form in which objects are answered; all of them as JSON."""

    OBJECT = "the object or list itself"
    TABLE = "Table"
    PARTIAL = "PartialObjectMetadata"
    PARTIAL_LIST = "PartialObjectMetadataList"


@dataclass(frozen=True, slots=True)
class Answer:
    """How to answer; ``version`` is that of ``meta.k8s.io`` for the forms which belong to it, else empty."""

    form: Form
    version: str = ""

    @property
    def api_version(self) -> str:
        """The ``apiVersion`` of a table or of partial metadata."""
        return f"{META_GROUP}/{self.version}"


class Discovery(Enum):
    """The form of the documents at ``/api`` and ``/apis``; the values are versions of the aggregated API."""

    LEGACY = ""
    AGGREGATED = "v2"
    AGGREGATED_BETA = "v2beta1"
    """Gone from the newest servers; clients of Kubernetes 1.26 to 1.29 save round trips by it."""

    @property
    def content_type(self) -> str:
        """The ``Content-Type`` of such a document, by which client-go tells them apart."""
        suffix = f";g={DISCOVERY_GROUP};v={self.value};as=APIGroupDiscoveryList" if self.value else ""
        return JSON + suffix


class BodyFormat(Enum):
    """The encoding of an object in a request's body."""

    JSON = JSON
    YAML = YAML
    PROTOBUF = PROTOBUF


class PatchFormat(Enum):
    """The kind of patch in a request's body."""

    JSON_PATCH = "application/json-patch+json"
    MERGE_PATCH = "application/merge-patch+json"
    STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
    APPLY_PATCH = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class MediaRange:
    """One clause of an ``Accept`` header."""

    media_type: str
    quality: float = 1.0
    parameters: dict[str, str] = field(default_factory=dict)

    def asks_for(self, kind: str, group: str, version: str) -> bool:
        """Whether the clause wants the answer converted to that kind."""
        asked = tuple(self.parameters.get(name, "") for name in ("as", "g", "v"))
        return asked == (kind, group, version)

    @property
    def converts(self) -> bool:
        """Whether the clause wants the answer converted to anything."""
        return not self.parameters.keys().isdisjoint(("as", "g", "v"))


def media_ranges(header: str) -> list[MediaRange]:
    """The clauses of an ``Accept`` header, the preferred first; what is malformed or has q=0 is left out."""
    ranges = [found for found in _clauses(header or "*/*") if found.quality > 0]
    return sorted(ranges, key=lambda found: (-found.quality, found.media_type.count("*")))


def _clauses(header: str) -> Iterator[MediaRange]:
    for clause in header.split(","):
        media_type, *parameters = (part.strip() for part in clause.split(";"))
        media_type = "*/*" if media_type == "*" else media_type.lower()
        if media_type.count("/") != 1:
            continue
        pairs = dict(part.split("=", 1) for part in parameters if "=" in part)
        yield MediaRange(media_type, _quality(pairs.pop("q", "1")), pairs)


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


@lru_cache(_CACHE)
def negotiate(accept: str) -> Answer:
    """The answer to give for an ``Accept`` header; an empty header takes anything.

    Raises:
        StatusError: 406, nothing that the client takes is offered.
    """
    for found in media_ranges(accept):
        if found.media_type not in _READABLE_AS_JSON or found.parameters.get("stream", "watch") != "watch":
            continue
        if not found.converts:
            return Answer(Form.OBJECT)
        converted = _converted(found)
        if converted is not None:
            return converted
    raise not_acceptable((JSON,))


def _converted(found: MediaRange) -> Answer | None:
    for form in (Form.TABLE, Form.PARTIAL, Form.PARTIAL_LIST):
        for version in _META_VERSIONS:
            if found.asks_for(form.value, META_GROUP, version):
                return Answer(form, version)
    return None


@lru_cache(_CACHE)
def negotiate_discovery(accept: str) -> Discovery:
    """The form of ``/api`` and ``/apis`` to answer with.

    Raises:
        StatusError: 406, nothing that the client takes is offered.
    """
    for found in media_ranges(accept):
        if found.media_type not in _READABLE_AS_JSON:
            continue
        if not found.converts:
            return Discovery.LEGACY
        for form in (Discovery.AGGREGATED, Discovery.AGGREGATED_BETA):
            if found.asks_for("APIGroupDiscoveryList", DISCOVERY_GROUP, form.value):
                return form
    raise not_acceptable((JSON,))


@lru_cache(_CACHE)
def body_format(content_type: str) -> BodyFormat:
    """The encoding of an object that was sent with that ``Content-Type``; an empty one means JSON.

    Raises:
        StatusError: 415, the encoding is none that is read here.
    """
    found = _media_type(content_type) or JSON
    for form in BodyFormat:
        if form.value == found:
            return form
    raise unsupported_media_type(found, [form.value for form in BodyFormat])


@lru_cache(_CACHE)
def patch_format(content_type: str, *, native: bool = True) -> PatchFormat:
    """The kind of a patch that was sent with that ``Content-Type``.

    Args:
        content_type: the header.
        native: Kubernetes itself defines the patched kind; for others there is no strategic merge.

    Raises:
        StatusError: 415, there is no such kind of patch for this kind of object.
    """
    found = _media_type(content_type)
    accepted = [form for form in PatchFormat if native or form is not PatchFormat.STRATEGIC_MERGE_PATCH]
    for form in accepted:
        if form.value == found:
            return form
    raise unsupported_media_type(found, [form.value for form in accepted])


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
