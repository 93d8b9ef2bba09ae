"""``lst-scheduler explain`` against the small server: what is read, and what cannot be told."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from scheduler.__main__ import ExitCode, main
from scheduler.config import Settings
from scheduler.errors import ConfigurationError
from scheduler.inquiry import NoSuchPodError, inquire
from scheduler.kube.errors import ApiError, UnreachableError
from scheduler.timetext import MILLISECOND
from tests.support.servers import write_kubeconfig
from tests.unit.scheduler.builders import START, START_TEXT, Object, pod_object
from tests.unit.scheduler.fake_server import FakeApi

DECISION = {"at": START_TEXT, "policy": "lst", "position": 1, "considered": 1, "why": "it is best"}


class StoppedClock:
    """It is half a second after the beginning."""

    def now(self) -> int:
        return START + 500 * MILLISECOND


def event(name: str, pod: str, reason: str, **more: Any) -> Object:
    return {
        "metadata": {"name": name, "namespace": "default"},
        "eventTime": "2026-01-05T00:00:00.000000Z",
        "reason": reason,
        "note": f"{reason} of {pod}",
        "regarding": {"kind": "Pod", "namespace": "default", "name": pod, "uid": f"uid-{pod}"},
        **more,
    }


def told(
    folder: Path,
    *objects: Object,
    name: str = "a",
    settings: Settings | None = None,
    failure: tuple[str, int] | None = None,
) -> Any:
    """The answer for a pod on a server with these pods and Events, as an object."""

    async def ask() -> str:
        async with FakeApi() as api:
            for each in objects:
                if "regarding" in each:
                    api.events[each["metadata"]["name"]] = each
                else:
                    api.put("pods", each)
            if failure is not None:
                api.fail(*failure)
            config = write_kubeconfig(folder / "kubeconfig", api.url)
            given = settings or Settings()
            return await inquire(
                Settings(kubeconfig=config, annotation_names=given.annotation_names),
                name,
                "json",
                StoppedClock(),
            )

    return json.loads(asyncio.run(ask()))


def bound(annotation: str, key: str = "lst.scheduler/decision") -> Object:
    annotations = {key: annotation, "lst.scheduler/deadline": "4h"}
    return pod_object("a", metadata={"annotations": annotations}, spec={"nodeName": "n"})


def test_a_decision_its_events_and_those_that_made_way(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        bound(json.dumps(DECISION)),
        event("1", "a", "Scheduled"),
        event("2", "b", "Scheduled"),
        event("3", "v", "Preempted", related={"uid": "uid-a"}),
        event("4", "w", "Preempted", related={"uid": "uid-b"}),
    )
    assert (found["name"], found["node"], found["deadline"]) == ("default/a", "n", "2026-01-05T04:00:00Z")
    assert found["decision"] == DECISION
    assert [each["note"] for each in found["events"]] == ["Scheduled of a"]
    assert [each["pod"] for each in found["madeWay"]] == ["default/v"]


def test_who_may_look_into_one_namespace_only_is_told_what_happened_there(tmp_path: Path) -> None:
    made_way = event("3", "v", "Preempted", related={"uid": "uid-a"})
    found = told(tmp_path, bound(""), made_way, failure=("v1/events", 403))
    assert [each["pod"] for each in found["madeWay"]] == ["default/v"]


def test_a_pod_that_waits(tmp_path: Path) -> None:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "no room",
        "lastTransitionTime": START_TEXT,
    }
    timing = {"lst.scheduler/deadline": "4h", "lst.scheduler/expected-duration": "1h"}
    found = told(
        tmp_path, pod_object("a", metadata={"annotations": timing}, status={"conditions": [condition]})
    )
    assert found["slack"] == "2h59m59s", "half a second after its creation"
    assert (found["waits"], found["waitsSince"], found["decision"]) == ("no room", START_TEXT, None)


def test_the_annotation_is_found_by_its_configured_name(tmp_path: Path) -> None:
    settings = Settings(annotation_names={"decision": "x/y"})
    pod = bound(json.dumps(DECISION), key="x/y")
    assert told(tmp_path, pod, settings=settings)["decision"] == DECISION


@pytest.mark.parametrize("text", ["no JSON", "[1]", '"text"', ""])
def test_what_is_no_decision_is_none(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, bound(text))["decision"] is None


def test_a_pod_that_has_to_give_way(tmp_path: Path) -> None:
    condition = {"type": "DisruptionTarget", "status": "True", "message": "Preempted by pod x/y"}
    found = told(
        tmp_path,
        pod_object(
            "a",
            metadata={"deletionTimestamp": START_TEXT},
            spec={"nodeName": "n"},
            status={"conditions": [condition]},
        ),
    )
    assert (found["disrupted"], found["ends"], found["node"]) == ("Preempted by pod x/y", START_TEXT, "n")


def test_of_a_pod_that_is_gone_its_events_are_left(tmp_path: Path) -> None:
    of_a_job = event("2", "b", "Completed")
    of_a_job["regarding"]["kind"] = "Job"
    found = told(tmp_path, event("1", "b", "Preempted"), of_a_job, event("3", "c", "Preempted"), name="b")
    assert (found["gone"], found["name"]) == (True, "default/b")
    assert [each["note"] for each in found["events"]] == ["Preempted of b"]


def test_a_pod_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPodError, match="no pod default/b"):
        told(tmp_path, bound(""), name="default/b")


def test_a_server_that_refuses(tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="403"):
        told(tmp_path, bound(""), failure=("/events", 403))


@pytest.mark.parametrize("name", ["", "/a", "a/", "a/b/c"])
def test_what_is_no_name_of_a_pod(name: str) -> None:
    with pytest.raises(ConfigurationError, match="expected NAMESPACE/POD"):
        asyncio.run(inquire(Settings(), name, "text", StoppedClock()))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("error", "code"),
    [(NoSuchPodError("no pod x/y"), ExitCode.NO_SUCH_POD), (UnreachableError("gone"), ExitCode.NO_ANSWER)],
)
def test_how_the_command_ends(
    error: Exception, code: ExitCode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def failing(*_: object) -> str:
        raise error

    monkeypatch.setattr("scheduler.inquiry.inquire", failing)
    assert main(["explain", "x/y"]) == code
    assert capsys.readouterr().err == f"lst-scheduler: {error}\n"


@pytest.mark.usefixtures("quiet")
def test_what_it_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def answering(settings: Settings, pod: str, output: str, _: object) -> str:
        return f"{settings.kubeconfig} {pod} {output}\n"

    monkeypatch.setattr("scheduler.inquiry.inquire", answering)
    assert main(["--kubeconfig", "k", "explain", "x/y", "-o", "json"]) == ExitCode.STOPPED
    assert main(["explain", "--kubeconfig", "k", "y"]) == ExitCode.STOPPED
    assert capsys.readouterr().out == "k x/y json\nk y text\n"
