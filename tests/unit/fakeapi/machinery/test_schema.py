"""The packaged schema: that it is what the sources say, how it is looked up, what its words mean."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fakeapi.machinery import schema
from fakeapi.machinery.resources import BUILTIN
from fakeapi.machinery.schema import Schema

ROOT = Path(__file__).parents[4]


def small_schema() -> Schema:
    """Two messages, one inside of the other's fields, as the generator would write them."""
    return Schema(
        {
            "source": "a test",
            "kinds": {"g/v1/Outer": "g.v1.Outer", "*/*/Anywhere": "g.v1.Inner"},
            "go_types": {"v1.Sizes": "map[v1.Name]resource.Quantity"},
            "messages": {
                "g.v1.Outer": {
                    "fields": [
                        {"name": "", "number": 1, "type": "g.v1.Inner", "inline": True},
                        {"name": "shown", "number": 2, "type": "string"},
                        {"name": "many", "number": 3, "type": "g.v1.Inner", "shape": "list"},
                        {"name": "sizes", "number": 4, "type": "double", "shape": "map"},
                    ]
                },
                "g.v1.Inner": {
                    "fields": [
                        {"name": "shown", "number": 1, "type": "int32"},
                        {"name": "within", "number": 2, "type": "bytes"},
                        {"name": "virtual", "number": 0, "type": "string"},
                    ]
                },
            },
        }
    )


@pytest.mark.peer
@pytest.mark.skipif(shutil.which("go") is None, reason="reading the sources needs Go")
@pytest.mark.timeout(600)  # the modules may have to be downloaded first
def test_the_packaged_file_is_what_the_published_sources_say() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.generate_schema", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("group", "version", "kind", "name"),
    [
        pytest.param("", "v1", "Pod", "core.v1.Pod", id="core"),
        pytest.param("apps", "v1", "Deployment", "apps.v1.Deployment", id="named group"),
        pytest.param("events.k8s.io", "v1", "Event", "events.v1.Event", id="dotted group"),
        pytest.param("policy", "v1", "Eviction", "policy.v1.Eviction", id="body of a sub-resource"),
        pytest.param("example.com", "v7", "DeleteOptions", "meta.v1.DeleteOptions", id="kind of every group"),
        pytest.param(
            "meta.k8s.io", "v1", "PartialObjectMetadata", "meta.v1.PartialObjectMetadata", id="meta"
        ),
    ],
)
def test_a_kind_is_found_by_group_and_version(group: str, version: str, kind: str, name: str) -> None:
    message = schema.message_for(group, version, kind)
    assert message is not None
    assert message.name == name


@pytest.mark.parametrize("kind", [("", "v2", "Pod"), ("apps", "v1", "Pod"), ("", "v1", "pod"), ("", "", "")])
def test_what_the_release_does_not_have_is_none(kind: tuple[str, str, str]) -> None:
    assert schema.message_for(*kind) is None


def test_every_message_can_be_built_and_refers_only_to_ones_that_exist() -> None:
    packaged = schema.packaged()
    names = list(packaged.names())
    assert "core.v1.PodSpec" in names
    for name in names:
        message = packaged.message(name)
        for field in message.fields:
            assert field.type in schema.SCALARS or message.message_of(field) is not None
        if message.form == "object":
            assert all(field.name for field in message.by_name.values())


def test_every_served_kind_of_kubernetes_itself_is_described() -> None:
    served = {(one.group, one.version, one.kind) for one in BUILTIN if not one.group.endswith(".x-k8s.io")}
    assert [kind for kind in sorted(served) if schema.message_for(*kind) is None] == []


def test_messages_are_built_once() -> None:
    packaged = schema.packaged()
    assert packaged.message("core.v1.Pod") is packaged.message("core.v1.Pod")
    assert schema.packaged() is packaged


def test_a_message_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"core\.v1\.Nonsense"):
        schema.packaged().message("core.v1.Nonsense")


def test_inline_fields_are_the_owners_own_in_json_but_one_field_on_the_wire() -> None:
    outer = small_schema().message("g.v1.Outer")
    assert list(outer.by_number) == [1, 2, 3, 4]
    assert set(outer.by_name) == {"shown", "within", "virtual", "many", "sizes"}


def test_an_outer_field_hides_an_inner_one_of_the_same_name() -> None:
    assert small_schema().message("g.v1.Outer").by_name["shown"].type == "string"


def test_what_json_alone_has_is_not_on_the_wire() -> None:
    inner = small_schema().message("g.v1.Inner")
    assert "virtual" in inner.by_name
    assert sorted(inner.by_number) == [1, 2]


def test_go_types_follow_from_the_wire_types_where_none_is_given() -> None:
    outer, inner = small_schema().message("g.v1.Outer"), small_schema().message("g.v1.Inner")
    go_types = {
        field.name: field.go_type for field in (*outer.fields, *inner.fields) if field.name != "shown"
    }
    assert go_types == {
        "": "v1.Inner",
        "many": "[]v1.Inner",
        "sizes": "map[string]float64",
        "within": "[]uint8",
        "virtual": "string",
    }
    assert outer.go_type == "v1.Outer"


@pytest.mark.parametrize(
    ("collection", "element"),
    [
        ("[]v1.Inner", "v1.Inner"),
        ("[]*v1.Inner", "v1.Inner"),
        ("map[string]int32", "int32"),
        ("v1.Sizes", "resource.Quantity"),
    ],
)
def test_go_names_the_elements_of_a_collection(collection: str, element: str) -> None:
    assert small_schema().go_elements(collection) == element


def test_a_pods_spec_says_how_its_lists_merge() -> None:
    containers = schema.packaged().message("core.v1.PodSpec").by_name["containers"]
    assert (containers.merge_key, containers.strategies) == ("name", ("merge",))
    assert (containers.list_type, containers.list_keys) == ("map", ("name",))
    assert containers.required
