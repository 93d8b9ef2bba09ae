"""``evaluator record`` beside a cluster that works, until Ctrl-C."""

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluator.traces.account import ImportReport
from evaluator.traces.opening import open_trace
from fakeapi.kernel.clock import wall_ns
from fakeapi.kernel.time import HOUR, MINUTE, format_instant
from tests.e2e.evaluator_command import COMMAND
from tests.support.api import Api, node, pod
from tests.support.polling import eventually
from tests.support.processes import running
from tests.support.servers import ApiServer

MERGE = {"content-type": "application/merge-patch+json"}
STARTED = format_instant(wall_ns() + HOUR)
FINISHED = format_instant(wall_ns() + HOUR + 90 * MINUTE)
"""Within the future, since a pod starts after it was submitted."""
SECRETS = ("secret-word", "secret-command", "secret-image")


@dataclass
class Recording:
    """A recorder at work."""

    file: Path
    process: subprocess.Popen[bytes]

    def events(self) -> list[dict[str, Any]]:
        """What is in the file by now."""
        return [json.loads(line) for line in self.file.read_text().splitlines()[1:]]

    def told(self, kind: str, name: str) -> bool:
        """Whether an event of a pod or node was written."""
        return any(
            event["event"] == kind and str(event.get("pod") or event.get("node")).endswith(name)
            for event in self.events()
        )


@contextlib.contextmanager
def recording(server: ApiServer, folder: Path, *options: str) -> Iterator[Recording]:
    file = folder / "cluster.jsonl"
    command = [*COMMAND, "record", "--kubeconfig", str(server.kubeconfig), "--out", str(file), *options]
    ready = lambda: file.exists() and file.read_text().count("\n") > 0  # noqa: E731 - one line, used once
    with running(command, log=folder / "record.log", ready=ready) as process:
        yield Recording(file, process)


@pytest.fixture
def http(server: ApiServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, headers=server.headers, verify=server.trust) as client:
        yield client


def status(phase: str, **state: Any) -> dict[str, Any]:
    container = {
        "name": "main", "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": state,
    }  # fmt: skip
    return {"status": {"phase": phase, "containerStatuses": [container]}}


def submitted(namespace: str, http: httpx.Client, name: str) -> str:
    manifest = pod(name, spec={"restartPolicy": "Never"}, annotations={"lst.scheduler/deadline": "4h"})
    container = manifest["spec"]["containers"][0]
    container["resources"]["limits"] = {"nvidia.com/gpu": "2"}
    container |= {
        "image": "secret-image:1",
        "command": ["secret-command"],
        "env": [{"name": "A", "value": "secret-word"}],
    }
    http.post(f"/api/v1/namespaces/{namespace}/pods", json=manifest).raise_for_status()
    return f"/api/v1/namespaces/{namespace}/pods/{name}"


def test_a_recording_replays(api: Api, http: httpx.Client, server: ApiServer, tmp_path: Path) -> None:
    machine = api.unique("node")
    http.post("/api/v1/nodes", json=node(machine)).raise_for_status()
    with recording(server, tmp_path) as recorder:
        path = submitted(api.namespace, http, "job")
        eventually(lambda: recorder.told("submitted", "/job"))
        for change in (
            status("Running", running={"startedAt": STARTED}),
            status("Succeeded", terminated={"exitCode": 0, "startedAt": STARTED, "finishedAt": FINISHED}),
        ):
            http.patch(f"{path}/status", json=change, headers=MERGE).raise_for_status()
        eventually(lambda: recorder.told("ended", "/job"))
        gone = submitted(api.namespace, http, "gone")
        eventually(lambda: recorder.told("submitted", "/gone"))
        http.delete(gone).raise_for_status()
        http.delete(f"/api/v1/nodes/{machine}").raise_for_status()
        eventually(lambda: recorder.told("ended", "/gone") and recorder.told("node-gone", machine))
        recorder.process.send_signal(signal.SIGINT)
        assert recorder.process.wait() == 0
    assert recorder.events()[-1]["event"] == "end"
    assert not any(secret in recorder.file.read_text() for secret in SECRETS)
    _replays(recorder.file, f"{api.namespace}/job", machine)


def _replays(file: Path, name: str, machine: str) -> None:
    trace, report = open_trace(str(file)), ImportReport()
    (job,) = [job for job in trace.jobs(report) if job.id == name]
    assert (job.run_ns, job.chips, job.outcome) == (90 * MINUTE, 2, "Succeeded")
    assert job.deadline_ns == 4 * HOUR
    (seen,) = [each for each in trace.nodes(report) if each.name == machine]
    assert seen.chips == 8
    assert seen.until_ns is not None
    report.check()


def test_a_recording_ends_by_itself_and_hides_names(
    api: Api, http: httpx.Client, server: ApiServer, tmp_path: Path
) -> None:
    submitted(api.namespace, http, "job")
    with recording(server, tmp_path, "--for", "1s", "--anonymise") as recorder:
        assert recorder.process.wait() == 0
    assert recorder.events()[-1]["event"] == "end"
    assert any(event["event"] == "submitted" for event in recorder.events())
    assert api.namespace not in recorder.file.read_text()
