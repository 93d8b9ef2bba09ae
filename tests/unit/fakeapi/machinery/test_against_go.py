"""Bodies and patches against Kubernetes' own Go code: what it writes, says and merges, this package must too.

Objects of every kind are drawn from the schema, and then damaged; nothing here states what is right, Go does.
"""

import copy
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol, TypeVar

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeapi.machinery import protobuf, schema, structure
from fakeapi.machinery.patch import PatchError
from fakeapi.machinery.protobuf import MalformedBody
from fakeapi.machinery.schema import Message
from fakeapi.machinery.strategic import strategic_merge
from fakeapi.machinery.strict import strict_errors
from tests.support.encode_peer import EncodePeer, running_encode_peer
from tests.support.schema_objects import objects
from tests.support.strategic_patches import patches
from tools.build_peers import PeerError

pytestmark = [pytest.mark.peer, pytest.mark.timeout(600)]  # a first build takes minutes

KINDS: Final = [
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Binding"),
    ("v1", "Event"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "DeleteOptions"),
    ("events.k8s.io/v1", "Event"),
    ("coordination.k8s.io/v1", "Lease"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
    ("policy/v1", "PodDisruptionBudget"),
    ("policy/v1", "Eviction"),
    ("autoscaling/v1", "Scale"),
    ("scheduling.k8s.io/v1alpha3", "Workload"),
    ("resource.k8s.io/v1", "ResourceClaim"),
    ("resource.k8s.io/v1", "ResourceSlice"),
    ("storage.k8s.io/v1", "CSINode"),
    ("authorization.k8s.io/v1", "SubjectAccessReview"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
]
MERGED_KINDS: Final = ("Pod", "Node", "Service", "Deployment", "ResourceClaim", "CustomResourceDefinition")

WRONG_TEXTS: Final = """
    5Gi|1e3|5Q|AAA|AA==|text||2026-01-05T00:00:00Z|2026-01-05T25:00:00Z|2026-01-05T00:00:00.123456Z
    |2026-01-05T00:00:00.1234567Z|2026-02-31T00:00:00Z|2026-01-05 00:00:00Z
"""
WRONG: Final[list[Any]] = [
    *(text.strip() for text in WRONG_TEXTS.split("|")),
    *(5, 1.5, -3, 2**40, 2**63, True, None, [], {}, [1], ["a"], [{}], [[]], [None]),
    *({"a": 1}, {"a": "b"}, {"a": {}}),
]

LENIENT: Final = (
    "content encoding",
    "wrong wire type",
    "illegal",
    "in the middle of a value",
    "of the years",
    "surrogate",
)
"""What Go takes and we refuse: a content encoding, other wire types and bounds within an entry of a map (it
looks at neither), instants whose year has five digits, half a surrogate pair in JSON that is carried along.
"""

DRAWN = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
each_kind = pytest.mark.parametrize(
    ("api_version", "kind"), [pytest.param(*kind, id="/".join(kind)) for kind in KINDS]
)


Item = TypeVar("Item")


class Chance(Protocol):
    """What these tests use of the generator that hypothesis draws, and shrinks."""

    def random(self) -> float: ...
    def randrange(self, begin: int, end: int | None = None) -> int: ...
    def choice(self, among: Sequence[Item]) -> Item: ...


@pytest.fixture(scope="module")
def go() -> Iterator[EncodePeer]:
    """Kubernetes' codecs, running; skipped where they cannot be built, which in CI is a failure."""
    try:
        with running_encode_peer() as peer:
            yield peer
    except PeerError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


def message_of(api_version: str, kind: str) -> Message:
    group, _, version = api_version.rpartition("/")
    message = schema.message_for(group, version, kind)
    assert message is not None, f"{api_version} {kind} has gone from the schema"
    return message


def whole(api_version: str, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(fields) | {"apiVersion": api_version, "kind": kind}


@each_kind
@DRAWN
@given(data=st.data())
def test_a_protobuf_body_is_the_json_that_go_writes(
    go: EncodePeer, api_version: str, kind: str, data: st.DataObject
) -> None:
    document = whole(api_version, kind, data.draw(objects(message_of(api_version, kind))))
    encoded = go.encode(document)
    assert protobuf.decode(encoded["protobuf"]) == encoded["object"]


@each_kind
@DRAWN
@given(data=st.data())
def test_a_damaged_protobuf_body_is_read_like_go_reads_it(
    go: EncodePeer, api_version: str, kind: str, data: st.DataObject
) -> None:
    raw = bytearray(
        go.encode(whole(api_version, kind, data.draw(objects(message_of(api_version, kind)))))["protobuf"]
    )
    envelope = raw.index(kind.encode()) + len(kind)
    chance = data.draw(st.randoms(use_true_random=False))
    for _ in range(chance.choice((1, 1, 2, 4))):
        damage(raw, chance, envelope)
    theirs = go.decode_protobuf(bytes(raw))
    try:
        ours = protobuf.decode(bytes(raw))
    except MalformedBody as error:
        refused = error.reason
    else:
        assert ours == theirs.get("object"), theirs.get("error")
        return
    assert "error" in theirs or any(reason in refused for reason in LENIENT), refused


def damage(raw: bytearray, chance: Chance, begin: int) -> None:
    """Change, remove or insert a byte behind the kind."""
    if begin >= len(raw):
        return
    place = chance.randrange(begin, len(raw))
    way = chance.randrange(3)
    if way == 0:
        raw[place] = chance.randrange(256)
    elif way == 1:
        del raw[place]
    else:
        raw.insert(place, chance.randrange(256))


@each_kind
@DRAWN
@given(data=st.data())
def test_a_body_with_mistakes_is_refused_in_gos_words(
    go: EncodePeer, api_version: str, kind: str, data: st.DataObject
) -> None:
    message = message_of(api_version, kind)
    chance = data.draw(st.randoms(use_true_random=False))
    document = whole(api_version, kind, data.draw(objects(message)))
    mistake(document, chance)
    raw = write(document, chance, chance.choice((0, 0, 0.3))).encode()
    document = orjson.loads(raw)
    findings = structure.inspect(document, message)
    theirs = go.decode_json(raw)
    assert findings.error == theirs.get("error")
    if findings.error is None:
        assert list(strict_errors(raw, document, message, findings.unknown)) == theirs.get("strict", [])


def mistake(document: dict[str, Any], chance: Chance) -> None:
    """Put values of wrong types, and unknown fields, anywhere but into the kind and apiVersion."""
    objects_and_lists: list[Any] = []

    def gather(value: Any) -> None:
        if isinstance(value, dict | list):
            objects_and_lists.append(value)
            for item in value.values() if isinstance(value, dict) else value:
                gather(item)

    gather(document)
    for _ in range(chance.choice((0, 1, 1, 2))):
        holder = chance.choice(objects_and_lists)
        keys: list[Any] = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        keys = [key for key in keys if key not in ("kind", "apiVersion")]
        if keys:
            holder[chance.choice(keys)] = copy.deepcopy(chance.choice(WRONG))
    if chance.random() < 0.4:
        holder = chance.choice([one for one in objects_and_lists if isinstance(one, dict)])
        holder[chance.choice(("foo", "Spec", 'a"b'))] = chance.choice(WRONG)


def write(value: Any, chance: Chance, twice: float) -> str:
    """JSON in which a member is written twice now and then."""
    if isinstance(value, list):
        return f"[{','.join(write(item, chance, twice) for item in value)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    members = [f"{json.dumps(name)}:{write(item, chance, twice)}" for name, item in value.items()]
    if members and chance.random() < twice:
        members.insert(chance.randrange(len(members) + 1), chance.choice(members))
    return f"{{{','.join(members)}}}"


@pytest.mark.parametrize(
    ("api_version", "kind"), [pytest.param(*one, id=one[1]) for one in KINDS if one[1] in MERGED_KINDS]
)
@DRAWN
@given(data=st.data())
def test_a_strategic_patch_does_what_it_does_in_go(
    go: EncodePeer, api_version: str, kind: str, data: st.DataObject
) -> None:
    message = message_of(api_version, kind)
    document = whole(api_version, kind, data.draw(objects(message)))
    patch = data.draw(patches(document, message))
    theirs = go.merge(document, patch)
    try:
        ours, error = strategic_merge(document, patch, message), None
    except PatchError as refused:
        ours, error = None, str(refused)
    assert error == theirs.get("error")
    assert ours == theirs.get("object")
