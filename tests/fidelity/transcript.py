"""A client that keeps every answer, in a form that two servers can be compared by.

Values that no two servers share (uids, times, versions, the server's address) are replaced by what they are;
whether two of them within a behaviour are the same value stays visible for uids.
"""

import json
import re
from typing import Any, Final

import httpx

from tests.support.servers import ApiServer

JsonObject = dict[str, Any]

REQUEST_S: Final = 30.0
"""Seconds that one request may take: reached only by a server that does not answer."""

WATCH_S: Final = 1
"""Seconds until the server ends a watch; what happened before the call is there long before."""

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_PATCH: Final = "application/strategic-merge-patch+json"

_UID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME: Final = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_GENERATED: Final = re.compile(r"\b(made-by-prefix-)[a-z0-9]{5}\b")
_AGE: Final = re.compile(r"^\d+s$")  # as a table shows it
_QUOTED_VERSION: Final = re.compile(r'(\\?"resourceVersion\\?":\\?")\d+')  # an object within a message
_RECORD: Final = re.compile(r"(ResourceVersion in record \()\d+\)")
_VERSION_KEYS: Final = frozenset({"resourceVersion", "metadata.resourceVersion"})


class Client:
    """Plain HTTP to one server, within a namespace that has the behaviour's name on every server.

    Attributes:
        namespace: the namespace; cluster-wide objects of the behaviour are named after it as well.
        answers: status, content type and body of each answer kept so far, in the order of the requests.
    """

    def __init__(self, server: ApiServer, namespace: str) -> None:
        self.namespace = namespace
        self.answers: list[JsonObject] = []
        self._uids: dict[str, str] = {}
        self._url = server.url
        self._http = httpx.Client(
            base_url=server.url, headers=server.headers, verify=server.trust, timeout=REQUEST_S
        )
        made = self._http.post("/api/v1/namespaces", json={"metadata": {"name": namespace}})
        made.raise_for_status()

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def path(self, plural: str, name: str = "", sub: str = "", *, root: str = "/api/v1") -> str:
        """The path of a collection, an object or a sub-resource in the namespace."""
        parts = (root, "namespaces", self.namespace, plural, name, sub)
        return "/".join(part for part in parts if part)

    def ask(self, method: str, path: str, body: object = None, *, kind: str = "", **options: Any) -> Any:
        """Send a request and keep the answer; the parsed body as the server wrote it.

        Args:
            method: the HTTP method.
            path: the path.
            body: sent as JSON; bytes as they are.
            kind: the content type, if it is not JSON.
            options: query parameters; ``accept`` is the header.
        """
        headers = {"Accept": options.pop("accept", "application/json")}
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = kind or "application/json"
        answer = self._http.request(method, path, content=content, headers=headers, params=options)
        told = _parsed(answer.text)
        media = answer.headers.get("content-type", "").partition(";")[0]
        self.answers.append({"status": answer.status_code, "type": media, "body": self._normal(told)})
        return told

    def get(self, path: str, **options: Any) -> Any:
        """GET."""
        return self.ask("GET", path, **options)

    def create(self, path: str, body: object, **options: Any) -> Any:
        """POST."""
        return self.ask("POST", path, body, **options)

    def update(self, path: str, body: object, **options: Any) -> Any:
        """PUT."""
        return self.ask("PUT", path, body, **options)

    def patch(self, path: str, body: object, kind: str = MERGE_PATCH, **options: Any) -> Any:
        """PATCH, a merge patch unless ``kind`` says another."""
        return self.ask("PATCH", path, body, kind=kind, **options)

    def delete(self, path: str, body: object = None, **options: Any) -> Any:
        """DELETE."""
        return self.ask("DELETE", path, body, **options)

    def watch(self, path: str, **options: Any) -> None:
        """Keep what a watch tells until the server ends it: a list of events."""
        parameters = {"watch": "true", "timeoutSeconds": WATCH_S, **options}
        answer = self._http.get(path, params=parameters)
        told = [_parsed(line) for line in answer.text.splitlines()]
        self.answers.append({"status": answer.status_code, "body": self._normal(told)})

    def _normal(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: "<version>" if key in _VERSION_KEYS and item else self._normal(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._normal(item) for item in value]
        return self._normal_text(value) if isinstance(value, str) else value

    def _normal_text(self, text: str) -> str:
        text = _UID.sub(lambda found: self._uids.setdefault(found[0], f"<uid {len(self._uids) + 1}>"), text)
        text = _QUOTED_VERSION.sub(r"\1<version>", _AGE.sub("<age>", text))
        text = _RECORD.sub(r"\1<version>)", text)
        text = _GENERATED.sub(r"\1<name>", _TIME.sub("<time>", text))
        return text.replace(self._url.partition("://")[2], "<address>")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
