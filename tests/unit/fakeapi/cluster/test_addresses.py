"""Made-up addresses: usable, distinct, repeatable."""

from ipaddress import IPv4Network

import pytest

from fakeapi.cluster.addresses import POD_NETWORK, PodAddresses, host_address, numbered


def test_addresses_are_distinct_and_the_same_each_time() -> None:
    first, second = PodAddresses(), PodAddresses()
    given = [first.next() for _ in range(1000)]
    assert given == [second.next() for _ in range(1000)]
    assert len(set(given)) == 1000
    assert given[:2] == ["10.0.0.1", "10.0.0.2"]


def test_a_used_up_network_starts_over_without_its_reserved_addresses() -> None:
    network = IPv4Network("192.0.2.0/29")
    assert [numbered(network, number) for number in (0, 5, 6)] == ["192.0.2.1", "192.0.2.6", "192.0.2.1"]
    assert POD_NETWORK.num_addresses > 16_000_000


@pytest.mark.parametrize(
    ("status", "address"),
    [
        ({}, None),
        ({"addresses": [{"type": "Hostname", "address": "n1"}]}, None),
        (
            {
                "addresses": [
                    {"type": "Hostname", "address": "n1"},
                    {"type": "InternalIP", "address": "172.16.0.7"},
                ]
            },
            "172.16.0.7",
        ),
    ],
)
def test_a_host_address_is_the_internal_one(status: dict[str, object], address: str | None) -> None:
    assert host_address({"metadata": {"name": "n1"}, "status": status}) == address
