"""IP addresses of nodes and pods: made up, and the same in every run that does the same things."""

from ipaddress import IPv4Address, IPv4Network
from typing import Final

from fakeapi.storage.objects import Object

POD_NETWORK: Final = IPv4Network("10.0.0.0/8")
NODE_NETWORK: Final = IPv4Network("172.16.0.0/12")


def numbered(network: IPv4Network, number: int) -> str:
    """The address of that number in a network, counted from 0 and starting over when it is used up."""
    usable = network.num_addresses - 2  # without the network's own address and the broadcast address
    return str(IPv4Address(int(network.network_address) + 1 + number % usable))


class PodAddresses:
    """Hands out one address after the other; one comes again only after 16 million others."""

    def __init__(self) -> None:
        self._given = 0

    def next(self) -> str:
        """An address that no pod had for long."""
        address = numbered(POD_NETWORK, self._given)
        self._given += 1
        return address


def host_address(node: Object) -> str | None:
    """What a node tells as its internal IP, or None."""
    for address in (node.get("status") or {}).get("addresses") or ():
        if address.get("type") == "InternalIP":
            return str(address["address"])
    return None
