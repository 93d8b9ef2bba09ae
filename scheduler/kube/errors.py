"""How a request to the API server can fail, as few classes as callers treat differently."""


class RequestError(Exception):
    """A request failed."""


class ApiError(RequestError):
    """The API server answered with an error ``Status``.

    Attributes:
        code: the HTTP status code.
        reason: the machine-readable reason, such as ``Conflict``; empty when the server gave none.
    """

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(f"{code} {reason}: {message}" if reason else f"{code}: {message}")
        self.code = code
        self.reason = reason

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later: the server was in trouble, not the request wrong."""
        return self.code == HTTP_TOO_MANY_REQUESTS or self.code >= HTTP_SERVER_ERROR


class UnreachableError(RequestError):
    """No answer came: whether the request took effect is unknown."""


HTTP_FORBIDDEN = 403
HTTP_NOT_FOUND = 404
HTTP_CONFLICT = 409
HTTP_GONE = 410
HTTP_TOO_MANY_REQUESTS = 429
HTTP_SERVER_ERROR = 500
