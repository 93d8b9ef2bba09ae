import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.negotiation import (
    Answer,
    BodyFormat,
    Discovery,
    Form,
    PatchFormat,
    body_format,
    media_ranges,
    negotiate,
    negotiate_discovery,
    patch_format,
)
from fakeapi.machinery.status import StatusError

KUBECTL_GET = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)
METADATA_LIST = (
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
)
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "answer"),
    [
        ("", Answer(Form.OBJECT)),
        ("*/*", Answer(Form.OBJECT)),
        ("*", Answer(Form.OBJECT)),
        ("application/json", Answer(Form.OBJECT)),
        ("Application/JSON", Answer(Form.OBJECT)),
        ("application/*", Answer(Form.OBJECT)),
        ("application/vnd.kubernetes.protobuf, */*", Answer(Form.OBJECT)),
        ("application/vnd.kubernetes.protobuf,application/json", Answer(Form.OBJECT)),
        ("application/vnd.kubernetes.protobuf", Answer(Form.OBJECT)),
        ("application/json;stream=watch", Answer(Form.OBJECT)),
        ("application/yaml, application/json;q=0.5", Answer(Form.OBJECT)),
        (BROWSER, Answer(Form.OBJECT)),
        (KUBECTL_GET, Answer(Form.TABLE, "v1")),
        ("application/json;as=Table;v=v1beta1;g=meta.k8s.io", Answer(Form.TABLE, "v1beta1")),
        ("application/json, application/json;as=Table;v=v1;g=meta.k8s.io", Answer(Form.OBJECT)),
        (
            "application/json;q=0.8, application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9",
            Answer(Form.TABLE, "v1"),
        ),
        (METADATA_LIST, Answer(Form.PARTIAL_LIST, "v1")),
        ("application/json; as=PartialObjectMetadata; v=v1; g=meta.k8s.io", Answer(Form.PARTIAL, "v1")),
        ("application/json;as=Bogus;v=v1;g=meta.k8s.io, application/json", Answer(Form.OBJECT)),
    ],
)
def test_an_accept_header_decides_the_form_of_the_answer(accept: str, answer: Answer) -> None:
    assert negotiate(accept) == answer


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "application/yaml",
        "application/cbor",
        "bogus",
        "application/json;q=0",
        "application/json;q=high",
        "application/json;as=Bogus;v=v1;g=meta.k8s.io",
        "application/json;as=Table",
        "application/json;as=Table;v=v2;g=meta.k8s.io",
        "application/json;stream=other",
    ],
)
def test_what_is_not_offered_is_406_and_says_what_is(accept: str) -> None:
    with pytest.raises(StatusError) as caught:
        negotiate(accept)
    assert (caught.value.code, caught.value.reason) == (406, "NotAcceptable")
    assert caught.value.message == "only the following media types are accepted: application/json"


def test_a_converted_answer_names_its_api_version() -> None:
    assert negotiate(KUBECTL_GET).api_version == "meta.k8s.io/v1"


def test_more_exact_clauses_come_before_wildcards_of_the_same_quality() -> None:
    found = [
        one.media_type for one in media_ranges("*/*, application/*;q=1.0, application/json, text/html;q=2")
    ]
    assert found == ["text/html", "application/json", "application/*", "*/*"]


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        ("", Discovery.LEGACY),
        ("application/json, */*", Discovery.LEGACY),
        (f"{DISCOVERY},application/json", Discovery.AGGREGATED),
        (f"{DISCOVERY};profile=nopeer,application/json", Discovery.AGGREGATED),
        (f"{DISCOVERY},{DISCOVERY.replace('v2', 'v2beta1')},application/json", Discovery.AGGREGATED),
        (f"{DISCOVERY.replace('v2', 'v2beta1')},application/json", Discovery.AGGREGATED_BETA),
        (f"{DISCOVERY.replace('v2', 'v3')},application/json", Discovery.LEGACY),
    ],
)
def test_discovery_is_aggregated_for_who_asks_for_it(accept: str, form: Discovery) -> None:
    assert negotiate_discovery(accept) is form


def test_discovery_that_is_not_offered_is_406() -> None:
    for accept in (DISCOVERY.replace("v2", "v3"), "text/plain"):
        with pytest.raises(StatusError, match="only the following media types"):
            negotiate_discovery(accept)


def test_the_content_type_of_discovery_tells_the_forms_apart() -> None:
    assert Discovery.LEGACY.content_type == "application/json"
    assert Discovery.AGGREGATED.content_type == DISCOVERY
    assert Discovery.AGGREGATED_BETA.content_type == DISCOVERY.replace("v2", "v2beta1")


@pytest.mark.parametrize(
    ("content_type", "form"),
    [
        ("", BodyFormat.JSON),
        ("application/json", BodyFormat.JSON),
        ("application/json; charset=utf-8", BodyFormat.JSON),
        ("APPLICATION/YAML", BodyFormat.YAML),
        ("application/vnd.kubernetes.protobuf", BodyFormat.PROTOBUF),
    ],
)
def test_the_content_type_of_a_body(content_type: str, form: BodyFormat) -> None:
    assert body_format(content_type) is form


def test_an_unknown_body_is_415_and_names_what_is_read() -> None:
    with pytest.raises(StatusError) as caught:
        body_format("text/plain; charset=utf-8")
    assert (caught.value.code, caught.value.reason) == (415, "UnsupportedMediaType")
    assert "application/json, application/yaml, application/vnd.kubernetes.protobuf" in caught.value.message
    assert "text/plain" in caught.value.message


def test_the_four_kinds_of_patch() -> None:
    for form in PatchFormat:
        assert patch_format(form.value) is form
        assert patch_format(f"{form.value}; charset=utf-8") is form


@pytest.mark.parametrize("content_type", ["", "application/json", "application/apply-patch+cbor"])
def test_what_is_no_patch_is_415(content_type: str) -> None:
    with pytest.raises(StatusError) as caught:
        patch_format(content_type)
    assert caught.value.code == 415


def test_there_is_no_strategic_merge_for_kinds_that_kubernetes_does_not_define() -> None:
    strategic = PatchFormat.STRATEGIC_MERGE_PATCH.value
    with pytest.raises(StatusError) as caught:
        patch_format(strategic, native=False)
    assert strategic not in caught.value.message.partition("(found")[0]
    assert patch_format("application/merge-patch+json", native=False) is PatchFormat.MERGE_PATCH


@given(header=st.text(alphabet='aj/*;,=q.01 "v', max_size=40))
def test_any_header_is_decided_or_refused(header: str) -> None:
    try:
        answer = negotiate(header)
    except StatusError as error:
        refused = error.code
        assert refused == 406
    else:
        assert answer.form in Form
