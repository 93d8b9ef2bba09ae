"""Names, labels and annotations: what is refused, and in the real server's words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery import validation


@pytest.mark.parametrize("name", ["a", "a-b", "a.b-c.d", "0", "a" * 253])
def test_good_subdomains(name: str) -> None:
    assert validation.dns_subdomain(name) == ""


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a/b", "ä", "a\n", "a" * 254])
def test_bad_subdomains(name: str) -> None:
    assert validation.dns_subdomain(name)


def test_labels_have_no_dots_and_63_characters_at_most() -> None:
    assert validation.dns_label("a" * 63) == ""
    assert validation.dns_label("a.b").startswith("a lowercase RFC 1123 label must consist of")
    assert validation.dns_label("a" * 64) == "must be no more than 63 bytes"


@pytest.mark.parametrize("key", ["a", "A_b.c-d", "example.com/Name", "x" * 63])
def test_good_keys(key: str) -> None:
    assert validation.qualified_name(key) == ""


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("", "name part must be non-empty"),
        ("/a", "prefix part must be non-empty"),
        ("a/", "name part must be non-empty"),
        ("UPPER/a", "prefix part a lowercase RFC 1123 subdomain"),
        ("a b", "name part must consist of alphanumeric characters"),
        ("x" * 64, "name part must be no more than 63 bytes"),
    ],
)
def test_bad_keys(key: str, why: str) -> None:
    assert validation.qualified_name(key).startswith(why)


def test_label_values() -> None:
    assert validation.label_value("") == validation.label_value("A_1.x-y") == ""
    assert validation.label_value("-a").startswith("a valid label must be an empty string")


def test_the_rule_of_a_name_depends_on_the_kind() -> None:
    assert validation.object_name("", "pods", "a.b") == ""
    assert validation.object_name("", "namespaces", "a.b")
    assert validation.object_name("rbac.authorization.k8s.io", "roles", "system:Anything") == ""
    assert validation.object_name("rbac.authorization.k8s.io", "roles", "a/b") == "may not contain '/'"
    assert validation.object_name("rbac.authorization.k8s.io", "roles", "..") == "may not be '..'"


def test_every_wrong_label_is_told_with_its_field() -> None:
    causes = validation.labels({"ok": "ok", "bad key": "fine", "good": "bad value"}, "metadata.labels")
    assert [cause.field for cause in causes] == ["metadata.labels"] * 2
    assert causes[0].message.startswith('Invalid value: "bad key": name part must consist')
    assert causes[1].message.startswith('Invalid value: "bad value": a valid label')


def test_annotations_are_bounded_together() -> None:
    assert validation.annotations({"a": "x" * 1000}, "metadata.annotations") == []
    (cause,) = validation.annotations({"a": "x" * (256 * 1024)}, "metadata.annotations")
    assert cause.reason == "FieldValueTooLong"


def test_an_owner_needs_all_of_its_fields() -> None:
    causes = validation.owner_references([{"kind": "Job"}], "metadata.ownerReferences")
    assert [cause.field.rpartition(".")[2] for cause in causes] == ["apiVersion", "name", "uid"]


def test_only_one_owner_controls() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u", "controller": True}
    (cause,) = validation.owner_references([owner, {**owner, "name": "b"}], "owners")
    assert 'Found "true" in references for Pod/a and Pod/b' in cause.message


@given(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True))
def test_what_a_label_may_be_a_subdomain_may_be(name: str) -> None:
    assert validation.dns_label(name) == validation.dns_subdomain(name) == ""


@given(st.text(max_size=30))
def test_a_name_that_passes_is_safe_in_a_path(name: str) -> None:
    if not validation.dns_subdomain(name):
        assert re.fullmatch(r"[a-z0-9.-]+", name)
