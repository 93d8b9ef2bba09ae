"""Which pods hold which node's capacity: the world's own book of it."""

from collections.abc import Iterator

from fakeapi.storage.objects import Key


class Holdings:
    """Node name → its pods, in the order in which they came."""

    def __init__(self) -> None:
        self._pods: dict[str, dict[Key, None]] = {}

    def __iter__(self) -> Iterator[tuple[str, Key]]:
        return ((node, key) for node, keys in self._pods.items() for key in keys)

    def of(self, node: str) -> tuple[Key, ...]:
        """The pods that hold capacity of that node."""
        return tuple(self._pods.get(node, ()))

    def take(self, node: str, pod: Key) -> None:
        """The pod holds the node from now on."""
        self._pods.setdefault(node, {})[pod] = None

    def release(self, node: str, pod: Key) -> bool:
        """The pod holds the node no longer; whether it did. Releasing twice is allowed."""
        pods = self._pods.get(node)
        if pods is None or pod not in pods:
            return False
        del pods[pod]
        if not pods:
            del self._pods[node]
        return True
