"""What is refused, with which status, reason, message and causes."""

from typing import Any, Final

from tests.fidelity.behaviours.manifests import CONTAINER, config, job, pod
from tests.fidelity.suite import Play, add, behaviour
from tests.fidelity.transcript import Client

_GROUP: Final = "Refusals"

_BODIES: Final[dict[str, tuple[str, bytes]]] = {
    "cut-off": ("ends too early", b"{"),
    "list": ("is a list", b"[]"),
    "number-name": ("has a number for a name", b'{"metadata": {"name": 7}}'),
    "trailing": ("has more after its end", b'{"metadata": {"name": "a"}} more'),
    "empty": ("is empty", b""),
    "other-kind": ("is of another kind", b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'),
    "unknown-version": ("is of an unknown version", b'{"apiVersion": "v9", "kind": "ConfigMap"}'),
    "no-name": ("has no name", b'{"data": {"a": "b"}}'),
    "other-namespace": ("is of another namespace", b'{"metadata": {"name": "a", "namespace": "other"}}'),
    "bad-key": ("has a bad key", b'{"metadata": {"name": "a"}, "data": {"bad key": "b"}}'),
    "version-set": ("has a version already", b'{"metadata": {"name": "a", "resourceVersion": "5"}}'),
}


def _posting(body: bytes) -> Play:
    def play(client: Client) -> None:
        client.create(client.path("configmaps"), body)

    return play


for _name, (_statement, _body) in _BODIES.items():
    add(_GROUP, f"body-{_name}", f"A new ConfigMap {_statement}.", _posting(_body))


_CONTAINERS: Final[dict[str, dict[str, Any]]] = {
    "negative-request": {"resources": {"requests": {"cpu": "-1"}}},
    "request-over-limit": {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
    "bad-quantity": {"resources": {"requests": {"cpu": "much"}}},
    "unequal-chips": {
        "resources": {"requests": {"example.com/chip": "1"}, "limits": {"example.com/chip": "2"}}
    },
    "no-image": {"image": ""},
    "bad-name": {"name": "Main"},
    "bad-pull-policy": {"imagePullPolicy": "Sometimes"},
    "bad-port": {"ports": [{"containerPort": 70000}]},
    "bad-variable": {"env": [{"name": "", "value": "1"}]},
}

_SPECS: Final[dict[str, dict[str, Any]]] = {
    "no-containers": {"containers": []},
    "twin-containers": {"containers": [CONTAINER, CONTAINER]},
    "bad-restart-policy": {"restartPolicy": "Sometimes"},
    "bad-toleration": {"tolerations": [{"operator": "Roughly"}]},
    "bad-node-selector": {"nodeSelector": {"bad key": "x"}},
    "unknown-priority-class": {"priorityClassName": "nothing"},
    "negative-grace": {"terminationGracePeriodSeconds": -1},
    "bad-deadline": {"activeDeadlineSeconds": 0},
    "unknown-runtime-class": {"runtimeClassName": "nothing"},
}


def _posting_pod(**spec: Any) -> Play:
    def play(client: Client) -> None:
        client.create(client.path("pods"), pod(**spec))

    return play


for _name, _change in _CONTAINERS.items():
    _pod = _posting_pod(containers=[{**CONTAINER, **_change}])
    add(_GROUP, f"container-{_name}", f"A pod whose container has {_name.replace('-', ' ')}.", _pod)
for _name, _change in _SPECS.items():
    add(_GROUP, f"pod-{_name}", f"A pod with {_name.replace('-', ' ')}.", _posting_pod(**_change))

_JOBS: Final[dict[str, dict[str, Any]]] = {
    "negative-parallelism": {"parallelism": -1},
    "negative-completions": {"completions": -1},
    "bad-completion-mode": {"completionMode": "Sometimes"},
    "indexed-without-completions": {"completionMode": "Indexed"},
    "negative-backoff": {"backoffLimit": -1},
    "restart-always": {"template": {"spec": {"containers": [CONTAINER], "restartPolicy": "Always"}}},
}


def _posting_job(**spec: Any) -> Play:
    def play(client: Client) -> None:
        client.create(client.path("jobs", root="/apis/batch/v1"), job(**spec))

    return play


for _name, _change in _JOBS.items():
    add(_GROUP, f"job-{_name}", f"A Job with {_name.replace('-', ' ')}.", _posting_job(**_change))


@behaviour(_GROUP)
def methods_not_allowed(client: Client) -> None:
    """A method that a path does not have is not allowed."""
    client.ask("PUT", client.path("configmaps"), config())
    client.ask("POST", client.path("configmaps", "config"), config())


@behaviour(_GROUP)
def namespace_missing(client: Client) -> None:
    """Nothing is created in a namespace that does not exist."""
    client.create("/api/v1/namespaces/no-such-namespace/configmaps", config())


@behaviour(_GROUP)
def generated_name(client: Client) -> None:
    """A name is made from a prefix."""
    client.create(client.path("configmaps"), {"metadata": {"generateName": "made-by-prefix-"}})


@behaviour(_GROUP)
def unknown_field_ways(client: Client) -> None:
    """An unknown field is ignored, warned of or refused, as the client chooses."""
    for way in ("Ignore", "Warn", "Strict", "Sometimes"):
        body = {**config(f"config-{way.lower()}"), "colour": "red"}
        client.create(client.path("configmaps"), body, fieldValidation=way)


@behaviour(_GROUP)
def unknown_dry_run(client: Client) -> None:
    """An unknown way of a dry run is refused."""
    client.create(client.path("configmaps"), config(), dryRun="Some")


@behaviour(_GROUP)
def update_conflict(client: Client) -> None:
    """An update from an old version, of another name or of what is missing is refused."""
    client.create(client.path("configmaps"), config())
    path = client.path("configmaps", "config")
    client.update(path, config(resourceVersion="1"))
    client.update(path, config("other"))
    client.update(client.path("configmaps", "none"), config("none"))


@behaviour(_GROUP)
def pod_is_immutable(client: Client) -> None:
    """Few fields of a pod can be changed."""
    client.create(client.path("pods"), pod())
    client.patch(client.path("pods", "pod"), {"spec": {"schedulerName": "other"}})
    client.patch(client.path("pods", "pod"), {"spec": {"activeDeadlineSeconds": 60}})


@behaviour(_GROUP)
def immutable_config(client: Client) -> None:
    """An immutable ConfigMap stays as it is."""
    client.create(client.path("configmaps"), {**config(), "immutable": True})
    client.patch(client.path("configmaps", "config"), {"data": {"key": "1"}})
    client.patch(client.path("configmaps", "config"), {"immutable": False})
