"""What the store refuses, in its own terms of keys and versions; one place above makes them a ``Status``."""

from typing import Final


class StoreError(Exception):
    """Root of what the store refuses."""


class KeyNotFound(StoreError):
    """No object under that key."""


class KeyExists(StoreError):
    """There is an object under that key already."""

    def __init__(self, key: tuple[str, str]) -> None:
        super().__init__(f"there is a {'/'.join(key)} already")
        self.key: Final = key


class VersionConflict(StoreError):
    """The object is at another version than the caller expected."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"expected version {expected}, found {found}")
        self.expected: Final = expected
        self.found: Final = found


class HistoryExpired(StoreError):
    """The asked version is older than the kept history."""

    def __init__(self, asked: int, oldest: int) -> None:
        super().__init__(f"version {asked} is older than the history, which starts at {oldest}")
        self.asked: Final = asked
        self.oldest: Final = oldest


class VersionInFuture(StoreError):
    """The asked version has not happened yet."""

    def __init__(self, asked: int, current: int) -> None:
        super().__init__(f"version {asked} is past the current {current}")
        self.asked: Final = asked
        self.current: Final = current
