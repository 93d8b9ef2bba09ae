"""Values that the real server puts where a pod leaves a field out.

Follows ``pkg/apis/core/v1/defaults.go`` and ``DefaultPodLevelResources``. Every function fills a fresh
object in place and may be run again without effect. Empty text counts as left out, as it does in Go.
"""

import re
from functools import lru_cache
from typing import Any, Final

from fakeapi.machinery.quantity import QuantityError, canonical, parse, to_milli

JsonObject = dict[str, Any]

DEFAULT_GRACE_S: Final = 30
"""Seconds a pod is given to stop when it does not say (``terminationGracePeriodSeconds``)."""
_FILE_MODE: Final = 0o644
_TOKEN_S: Final = 3600
"""Seconds that a projected token lives."""
_MILLI: Final = 1000
_CACHE: Final = 16_384


def canonical_quantities(holder: JsonObject, *names: str) -> None:
    """Write the quantities of the named resource lists as the real server writes them back.

    Amounts finer than a thousandth are rounded up to one. A malformed quantity stays as it is,
    for validation to find.
    """
    for name in names:
        amounts = holder.get(name)
        if amounts:
            holder[name] = {resource: _rounded(str(amount)) for resource, amount in amounts.items()}


@lru_cache(_CACHE)
def _rounded(amount: str) -> str:
    try:
        milli = to_milli(amount)
        return canonical(amount) if parse(amount) * _MILLI == milli else canonical(f"{milli}m")
    except QuantityError:
        return amount


def fill_pod(obj: JsonObject) -> None:
    """Defaults of a pod."""
    spec = fill_pod_spec(part(obj, "spec"))
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for field in ("containers", "initContainers"):
        for container in spec.get(field) or ():
            resources = container["resources"]
            if limits := resources.get("limits"):
                resources["requests"] = {**limits, **(resources.get("requests") or {})}
            if spec.get("hostNetwork"):
                _expose(container)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("resources"):
        _fill_pod_level(spec)


def fill_template(spec: JsonObject) -> None:
    """Defaults of the pod template in a workload's spec; templates get fewer than pods."""
    template = part(spec, "template")
    part(template, "metadata")
    fill_pod_spec(part(template, "spec"))


def part(holder: JsonObject, name: str) -> JsonObject:
    """The object of that name in another, made there when it is missing."""
    found: JsonObject | None = holder.get(name)
    if found is None:
        found = holder[name] = {}
    return found


def fill_pod_spec(spec: JsonObject) -> JsonObject:
    """Defaults of a pod's spec, in a pod or in a template; the spec itself."""
    for field in ("containers", "initContainers"):
        for container in spec.get(field) or ():
            _container(container)
    for volume in spec.get("volumes") or ():
        _volume(volume)
    for name, value in _OF_EVERY_SPEC:
        if not spec.get(name):
            spec[name] = value
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = DEFAULT_GRACE_S
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if account := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    canonical_quantities(spec, "overhead")
    if resources := spec.get("resources"):
        canonical_quantities(resources, "limits", "requests")
    return spec


_OF_EVERY_SPEC: Final = (
    ("restartPolicy", "Always"),
    ("dnsPolicy", "ClusterFirst"),
    ("schedulerName", "default-scheduler"),
)


# ---- containers -----------------------------------------------------------------------------


def _container(container: JsonObject) -> None:
    resources = part(container, "resources")
    canonical_quantities(resources, "limits", "requests")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = _pull_policy(container.get("image") or "")
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe := container.get(name):
            _probe(probe)
    if lifecycle := container.get("lifecycle"):
        for handler in lifecycle.values():
            _http_get(handler or {})
    for variable in container.get("env") or ():
        _field_reference(variable.get("valueFrom") or {})


_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_IMAGE: Final = re.compile(
    rf"(?P<name>(?:{_HOST}(?:\.{_HOST})*(?::[0-9]+)?/)?{_PART}(?:/{_PART})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?P<digest>@.+)?"
)
"""A reference to an image, as ``github.com/distribution/reference`` reads it."""
_IMAGE_NAME_LIMIT: Final = 255
"""Characters of a reference without its tag and digest."""


@lru_cache(_CACHE)
def _pull_policy(image: str) -> str:
    match = _IMAGE.fullmatch(image)
    if match is None or len(match["name"]) > _IMAGE_NAME_LIMIT:
        return "IfNotPresent"
    tag = match["tag"] or ("" if match["digest"] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


_PROBE: Final = (
    ("timeoutSeconds", 1),
    ("periodSeconds", 10),
    ("successThreshold", 1),
    ("failureThreshold", 3),
)


def _probe(probe: JsonObject) -> None:
    for name, value in _PROBE:
        if not probe.get(name):
            probe[name] = value
    _http_get(probe)
    if grpc := probe.get("grpc"):
        grpc.setdefault("service", "")


def _http_get(handler: JsonObject) -> None:
    if action := handler.get("httpGet"):
        action["path"] = action.get("path") or "/"
        action["scheme"] = action.get("scheme") or "HTTP"


def _field_reference(holder: JsonObject) -> None:
    if reference := holder.get("fieldRef"):
        reference["apiVersion"] = reference.get("apiVersion") or "v1"


def _expose(container: JsonObject) -> None:
    """On the host's network a container's ports are the host's."""
    for port in container.get("ports") or ():
        if not port.get("hostPort") and port.get("containerPort"):
            port["hostPort"] = port["containerPort"]


# ---- volumes --------------------------------------------------------------------------------


def _volume(volume: JsonObject) -> None:
    if not any(name != "name" and source is not None for name, source in volume.items()):
        volume["emptyDir"] = {}
    if (empty := volume.get("emptyDir")) is not None and empty.get("sizeLimit") is not None:
        empty["sizeLimit"] = canonical(str(empty["sizeLimit"]))
    for name in ("secret", "configMap", "downwardAPI", "projected"):
        source = volume.get(name)
        if source is not None:
            if source.get("defaultMode") is None:
                source["defaultMode"] = _FILE_MODE
            _downward(source)
    if (host := volume.get("hostPath")) is not None:
        host.setdefault("type", "")
    for source in (volume.get("projected") or {}).get("sources") or ():
        _projected(source)


def _downward(source: JsonObject) -> None:
    for item in source.get("items") or ():
        _field_reference(item)


def _projected(source: JsonObject) -> None:
    if downward := source.get("downwardAPI"):
        _downward(downward)
    if token := source.get("serviceAccountToken"):
        token.setdefault("expirationSeconds", _TOKEN_S)


# ---- resources of the pod as a whole ----------------------------------------------------------


def _fill_pod_level(spec: JsonObject) -> None:
    """Requests of the pod as a whole: its limits, for what no container requests.

    The real server also writes down the sum of the containers' requests, which every scheduler
    computes by itself.
    """
    resources = spec["resources"]
    requested = {
        name
        for field in ("containers", "initContainers")
        for container in spec.get(field) or ()
        for name in container["resources"].get("requests") or ()
    }
    limits = resources.get("limits") or {}
    added = {name: amount for name, amount in limits.items() if name not in requested}
    if added:
        resources["requests"] = {**added, **(resources.get("requests") or {})}
