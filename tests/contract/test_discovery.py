"""What a client asks before it does anything: versions, groups, resources, health."""

from tests.support.api import Api, JsonObject

V2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def test_the_version_is_a_current_one(api: Api) -> None:
    version = api.raw.get("/version").json()
    assert version["major"] == "1"
    assert int(version["minor"].rstrip("+")) >= 35
    assert version["gitVersion"].startswith(f"v1.{version['minor']}")


def test_health_endpoints_say_ok(api: Api) -> None:
    for path in ("/healthz", "/livez", "/readyz"):
        response = api.raw.get(path)
        assert (response.status_code, response.text) == (200, "ok")


def test_the_core_group_and_its_versions(api: Api) -> None:
    body = api.raw.get("/api").json()
    assert (body["kind"], body["versions"]) == ("APIVersions", ["v1"])


def _groups(api: Api) -> dict[str, list[str]]:
    body = api.raw.get("/apis").json()
    assert (body["kind"], body["apiVersion"]) == ("APIGroupList", "v1")
    return {group["name"]: [version["version"] for version in group["versions"]] for group in body["groups"]}


def test_the_groups_that_schedulers_use_are_served(api: Api) -> None:
    groups = _groups(api)
    wanted = {"apps", "batch", "policy", "storage.k8s.io", "scheduling.k8s.io", "coordination.k8s.io"}
    wanted |= {"events.k8s.io", "resource.k8s.io", "authentication.k8s.io", "authorization.k8s.io"}
    assert wanted <= set(groups)
    for group in wanted:
        assert "v1" in groups[group], group


def _resources(api: Api, path: str) -> dict[str, JsonObject]:
    body = api.raw.get(path).json()
    assert body["kind"] == "APIResourceList"
    return {resource["name"]: resource for resource in body["resources"]}


def test_the_resources_of_the_core_group(api: Api) -> None:
    resources = _resources(api, "/api/v1")
    pods = resources["pods"]
    assert (pods["kind"], pods["namespaced"], pods["singularName"]) == ("Pod", True, "pod")
    assert pods["shortNames"] == ["po"]
    assert set(pods["verbs"]) == {
        "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch",
    }  # fmt: skip
    assert resources["nodes"]["namespaced"] is False
    for name in ("pods/binding", "pods/eviction", "pods/status", "nodes/status", "bindings"):
        assert name in resources, name
    assert (resources["pods/eviction"]["group"], resources["pods/eviction"]["version"]) == ("policy", "v1")


def test_the_resources_of_a_group(api: Api) -> None:
    resources = _resources(api, "/apis/apps/v1")
    assert resources["deployments"]["shortNames"] == ["deploy"]
    assert resources["deployments/scale"]["kind"] == "Scale"
    assert resources["deployments/scale"]["group"] == "autoscaling"


def test_one_group_by_its_name(api: Api) -> None:
    body = api.raw.get("/apis/apps").json()
    assert (body["kind"], body["name"]) == ("APIGroup", "apps")
    assert body["preferredVersion"] == {"groupVersion": "apps/v1", "version": "v1"}


def test_aggregated_discovery_says_the_same_in_one_answer(api: Api) -> None:
    response = api.raw.get("/apis", headers={"accept": V2})
    assert "as=APIGroupDiscoveryList" in response.headers["content-type"]
    body = response.json()
    assert (body["kind"], body["apiVersion"]) == ("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2")
    groups = {item["metadata"]["name"]: item for item in body["items"]}
    assert set(groups) == set(_groups(api))
    (apps,) = (version for version in groups["apps"]["versions"] if version["version"] == "v1")
    deployments = {resource["resource"]: resource for resource in apps["resources"]}["deployments"]
    kind = deployments["responseKind"]
    assert kind["kind"] == "Deployment"
    assert (kind["group"], kind["version"]) in {("apps", "v1"), ("", "")}, "empty: those of its version"
    assert deployments["scope"] == "Namespaced"
    assert {sub["subresource"] for sub in deployments["subresources"]} == {"scale", "status"}


def test_aggregated_discovery_of_the_core_group(api: Api) -> None:
    body = api.raw.get("/api", headers={"accept": V2}).json()
    (core,) = body["items"]
    names = {resource["resource"] for resource in core["versions"][0]["resources"]}
    assert {"pods", "nodes", "events", "namespaces"} <= names


def test_the_specification_lists_the_groups(api: Api) -> None:
    paths = api.raw.get("/openapi/v3").json()["paths"]
    assert {"api/v1", "apis/apps/v1"} <= set(paths)


def test_an_account_may_ask_what_it_may_do(api: Api) -> None:
    spec = {"resourceAttributes": {"namespace": api.namespace, "verb": "create", "resource": "pods"}}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": spec}
    response = api.raw.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json=body)
    assert response.status_code == 201, response.text
    assert response.json()["status"]["allowed"] is True
