"""The one place where what the store refuses becomes what a client is told."""

from fakeapi.machinery.resources import Resource
from fakeapi.machinery.status import (
    OBJECT_MODIFIED,
    StatusError,
    already_exists,
    conflict,
    gone_version,
    internal,
    not_found,
    too_large_version,
)
from fakeapi.storage.errors import (
    HistoryExpired,
    KeyExists,
    KeyNotFound,
    StoreError,
    VersionConflict,
    VersionInFuture,
)


def translate(error: StoreError, resource: Resource, name: str) -> StatusError:
    """The ``Status`` of a store's refusal, for a request about ``name`` of that resource."""
    match error:
        case KeyNotFound():
            return not_found(resource, name)
        case KeyExists():
            return already_exists(resource, error.key[1])
        case VersionConflict():
            return conflict(resource, name, OBJECT_MODIFIED)
        case HistoryExpired():
            return gone_version(error.asked, error.oldest)
        case VersionInFuture():
            return too_large_version(error.asked, error.current)
    return internal(str(error))
