"""Patches of every form, with what they refuse."""

from typing import Any, Final

from tests.fidelity.behaviours.manifests import TEMPLATE, config, pod
from tests.fidelity.suite import Play, add, behaviour
from tests.fidelity.transcript import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, Client

_GROUP: Final = "Patches"
_APPLY: Final = "application/apply-patch+yaml"

_CONFIG_PATCHES: Final[dict[str, tuple[str, str, Any]]] = {
    "json-add": ("adds a key", JSON_PATCH, [{"op": "add", "path": "/data/new", "value": "1"}]),
    "json-replace": ("replaces a value", JSON_PATCH, [{"op": "replace", "path": "/data/key", "value": "1"}]),
    "json-move": ("moves a value", JSON_PATCH, [{"op": "move", "from": "/data/key", "path": "/data/new"}]),
    "json-copy": ("copies a value", JSON_PATCH, [{"op": "copy", "from": "/data/key", "path": "/data/new"}]),
    "json-test": (
        "tests a value that is so",
        JSON_PATCH,
        [{"op": "test", "path": "/data/key", "value": "value"}],
    ),
    "json-test-fails": (
        "tests one that is not",
        JSON_PATCH,
        [{"op": "test", "path": "/data/key", "value": "x"}],
    ),
    "json-remove-missing": ("removes what is missing", JSON_PATCH, [{"op": "remove", "path": "/data/none"}]),
    "json-unknown-op": ("has an unknown operation", JSON_PATCH, [{"op": "paint", "path": "/data/key"}]),
    "json-object": ("is no list", JSON_PATCH, {"op": "remove"}),
    "merge-add": ("adds a key", MERGE_PATCH, {"data": {"new": "1"}}),
    "merge-remove": ("removes a map", MERGE_PATCH, {"data": None}),
    "merge-wrong-type": ("has a number for text", MERGE_PATCH, {"data": {"key": 1}}),
    "merge-list": ("is a list", MERGE_PATCH, []),
    "merge-rename": ("changes the name", MERGE_PATCH, {"metadata": {"name": "other"}}),
    "merge-uid": ("has another uid", MERGE_PATCH, {"metadata": {"uid": "other"}}),
    "merge-old-version": ("has an old version", MERGE_PATCH, {"metadata": {"resourceVersion": "1"}}),
    "merge-nothing": ("changes nothing", MERGE_PATCH, {"data": {"key": "value"}}),
    "merge-unknown-field": ("has an unknown field", MERGE_PATCH, {"colour": "red"}),
    "strategic-replace": ("replaces a map", STRATEGIC_PATCH, {"data": {"$patch": "replace", "new": "1"}}),
    "strategic-delete": ("deletes a map", STRATEGIC_PATCH, {"data": {"$patch": "delete"}}),
    "strategic-unknown": ("has an unknown directive", STRATEGIC_PATCH, {"data": {"$patch": "paint"}}),
    "unknown-type": ("has an unknown content type", "text/plain", {"data": {}}),
}


def _patching(kind: str, patch: Any) -> Play:
    def play(client: Client) -> None:
        client.create(client.path("configmaps"), config())
        client.patch(client.path("configmaps", "config"), patch, kind)
        client.get(client.path("configmaps", "config"))

    return play


for _name, (_statement, _kind, _patch) in _CONFIG_PATCHES.items():
    add(_GROUP, f"patch-{_name}", f"A patch ({_kind}) {_statement}.", _patching(_kind, _patch))


_TEMPLATE_PATCHES: Final[dict[str, tuple[str, Any]]] = {
    "merge-key": ("changes a container by its name", [{"name": "main", "image": "other:2"}]),
    "append": ("adds a container", [{"name": "side", "image": "side:1"}]),
    "delete-item": ("deletes a container", [{"name": "main", "$patch": "delete"}]),
    "replace-list": ("replaces the list", [{"$patch": "replace"}, {"name": "new", "image": "new:1"}]),
    "without-key": ("has an item without the merge key", [{"image": "other:2"}]),
}


def _patching_template(containers: Any) -> Play:
    def play(client: Client) -> None:
        body = {"metadata": {"name": "template"}, "template": TEMPLATE}
        client.create(client.path("podtemplates"), body)
        path = client.path("podtemplates", "template")
        client.patch(path, {"template": {"spec": {"containers": containers}}}, STRATEGIC_PATCH)

    return play


for _name, (_statement, _containers) in _TEMPLATE_PATCHES.items():
    add(_GROUP, f"strategic-{_name}", f"A strategic patch {_statement}.", _patching_template(_containers))


@behaviour(_GROUP)
def strategic_element_order(client: Client) -> None:
    """A strategic patch puts the containers into an order."""
    two = {**TEMPLATE["spec"], "containers": [{"name": name, "image": "i"} for name in ("a", "b")]}
    client.create(client.path("podtemplates"), {"metadata": {"name": "t"}, "template": {"spec": two}})
    order = {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}
    client.patch(client.path("podtemplates", "t"), {"template": {"spec": order}}, STRATEGIC_PATCH)


@behaviour(_GROUP)
def patch_conditions(client: Client) -> None:
    """A condition of a pod is merged by its type."""
    client.create(client.path("pods"), pod())
    path = client.path("pods", "pod", "status")
    for status in ("False", "True"):
        condition = {"type": "PodScheduled", "status": status, "reason": "Some"}
        client.patch(path, {"status": {"conditions": [condition]}}, STRATEGIC_PATCH)


@behaviour(_GROUP)
def patch_missing(client: Client) -> None:
    """A patch of what does not exist is not found."""
    client.patch(client.path("configmaps", "none"), {"data": {}})


@behaviour(_GROUP)
def patch_dry_run(client: Client) -> None:
    """A patch as a dry run is answered and not kept."""
    client.create(client.path("configmaps"), config())
    client.patch(client.path("configmaps", "config"), {"data": {"key": "1"}}, dryRun="All")
    client.get(client.path("configmaps", "config"))


@behaviour(_GROUP)
def apply_creates(client: Client) -> None:
    """Server-side apply creates an object, and applying it again changes nothing."""
    path = client.path("configmaps", "config")
    for _ in range(2):
        client.patch(path, config(), _APPLY, fieldManager="me")


@behaviour(_GROUP)
def apply_without_manager(client: Client) -> None:
    """Server-side apply without a field manager is refused."""
    client.patch(client.path("configmaps", "config"), config(), _APPLY)


@behaviour(_GROUP)
def apply_conflict(client: Client) -> None:
    """Server-side apply of a field that another one applied is a conflict, unless it is forced."""
    path = client.path("configmaps", "config")
    client.patch(path, config(), _APPLY, fieldManager="me")
    other = {**config(), "data": {"key": "other"}}
    client.patch(path, other, _APPLY, fieldManager="you")
    client.patch(path, other, _APPLY, fieldManager="you", force="true")
