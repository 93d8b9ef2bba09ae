"""Settings as text: what is read, and what is refused in which words."""

from collections.abc import Callable

import pytest

from scheduler import formats


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (":10261", ("127.0.0.1", 10261)),
        ("10261", ("127.0.0.1", 10261)),
        ("0.0.0.0:80", ("0.0.0.0", 80)),
        ("localhost:0", ("localhost", 0)),
        ("[::]:65535", ("::", 65535)),
    ],
)
def test_an_address_without_a_host_is_the_loopback_one(text: str, address: tuple[str, int]) -> None:
    assert formats.address(text) == address
    assert formats.address(formats.format_address(address)) == address


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (formats.address, ":65536"),
        (formats.address, "host"),
        (formats.address, "::1:80"),
        (formats.address, ":١"),
        (formats.write_limit, "0"),
        (formats.write_limit, "1001"),
        (formats.write_limit, "-1"),
        (formats.write_limit, "²"),
        (formats.scheduler_name, "a" * 64),
        (formats.object_name, "Upper"),
        (formats.object_name, "a" * 64),
        (formats.annotation_key, "example.com/"),
        (formats.annotation_key, "a b"),
        (formats.annotation_prefix, "a b/"),
        (formats.extended_resource, "gpu"),
    ],
)
def test_what_is_refused_is_quoted_with_what_was_expected(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(ValueError, match="expected") as refusal:
        read(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (formats.scheduler_name, "a" * 63),
        (formats.object_name, "kube-system"),
        (formats.annotation_key, "example.com/deadline-duration"),
        (formats.annotation_key, "deadline"),
        (formats.annotation_prefix, ""),
        (formats.annotation_prefix, "example.com/"),
        (formats.extended_resource, "amd.com/gpu"),
    ],
)
def test_what_is_right_is_taken_as_it_is(read: Callable[[str], object], text: str) -> None:
    assert read(text) == text


def test_a_limit_of_writes() -> None:
    assert [formats.write_limit(text) for text in ("1", "16", "1000")] == [1, 16, 1000]
