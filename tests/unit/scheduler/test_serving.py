"""Several processes of which one decides, and what they show to those who look after them."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from scheduler.__main__ import ExitCode
from tests.support.api import Api
from tests.support.fakeapi import running_fakeapi
from tests.support.polling import WITHIN_S, eventually
from tests.support.processes import running
from tests.unit.scheduler.builders import GPU

QUICK = (
    "--leader-elect",
    "--leader-elect-lease-duration=4s",
    "--leader-elect-renew-deadline=3500ms",
    "--leader-elect-retry-period=100ms",
)
LEADS = "this process leads"
STANDS_BY = "is held by"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with running_fakeapi(tmp_path / "api") as server:
        found = Api(server)
        amounts = {"cpu": "8", "memory": "32Gi", "pods": "10", GPU: "8"}
        found.core.create_node({"metadata": {"name": "n"}})
        found.core.patch_node_status("n", {"status": {"capacity": amounts, "allocatable": amounts}})
        found.core.patch_node("n", {"spec": {"taints": None}})
        try:
            yield found
        finally:
            found.close()


class Processes:
    """Schedulers with their logs."""

    def __init__(self, api: Api, folder: Path, stack: ExitStack) -> None:
        self._api = api
        self._folder = folder
        self._stack = stack

    def start(self, name: str, until: str, *flags: str) -> subprocess.Popen[bytes]:
        """Start one, and wait until its log has this."""
        log = self.log(name)
        command = [
            sys.executable,
            "-m",
            "scheduler",
            "--kubeconfig",
            str(self._api.server.kubeconfig),
            *flags,
        ]
        return self._stack.enter_context(running(command, log=log, ready=lambda: until in log.read_text()))

    def log(self, name: str) -> Path:
        return self._folder / f"{name}.log"


@pytest.fixture
def processes(api: Api, tmp_path: Path) -> Iterator[Processes]:
    with ExitStack() as stack:
        yield Processes(api, tmp_path, stack)


def add_pod(api: Api, name: str, gpus: int = 1) -> None:
    container = {"name": "main", "image": "busybox", "resources": {"limits": {GPU: str(gpus)}}}
    spec = {"schedulerName": "lst-scheduler", "containers": [container]}
    api.core.create_namespaced_pod(api.namespace, {"metadata": {"name": name}, "spec": spec})


def node_of(api: Api, name: str) -> str | None:
    found: str | None = api.core.read_namespaced_pod(name, api.namespace).spec.node_name
    return found


def lease(api: Api) -> Any:
    return api.coordination.read_namespaced_lease("lst-scheduler", "kube-system")


def test_one_of_two_decides_and_the_other_takes_over_when_it_vanishes(api: Api, processes: Processes) -> None:
    first = processes.start("first", LEADS, *QUICK)
    processes.start("second", STANDS_BY, *QUICK)
    add_pod(api, "a")
    eventually(lambda: node_of(api, "a") == "n")
    first.kill()
    first.wait()
    add_pod(api, "b")
    eventually(lambda: node_of(api, "b") == "n")
    second = processes.log("second").read_text()
    assert LEADS in second
    assert re.findall(r"INFO scheduler.trail: bind \S+/(\w)", second) == ["b"]
    assert lease(api).spec.lease_transitions == 1


def test_an_orderly_end_hands_over_at_once(api: Api, processes: Processes) -> None:
    slow = "--leader-elect-lease-duration=600s"
    first = processes.start("first", LEADS, *QUICK, slow)
    processes.start("second", STANDS_BY, *QUICK, slow)
    first.send_signal(signal.SIGTERM)
    assert first.wait() == ExitCode.STOPPED
    add_pod(api, "a")
    eventually(lambda: node_of(api, "a") == "n")
    assert LEADS in processes.log("second").read_text()


def test_a_leader_that_loses_the_lease_ends_with_its_code(api: Api, processes: Processes) -> None:
    first = processes.start("first", LEADS, *QUICK)
    spec = {"holderIdentity": "other", "leaseDurationSeconds": 3600}
    api.coordination.patch_namespaced_lease("lst-scheduler", "kube-system", {"spec": spec})
    assert first.wait(WITHIN_S) == ExitCode.LEASE_LOST
    assert "could not be renewed in time" in processes.log("first").read_text()
    assert lease(api).spec.holder_identity == "other"


def test_a_leader_whose_server_hangs_ends_before_another_one_may_lead(api: Api, processes: Processes) -> None:
    """Its requests are neither answered nor refused: it must not wait for them."""
    first = processes.start("first", LEADS, *QUICK)
    server = api.server.pids["fakeapi"]
    os.kill(server, signal.SIGSTOP)
    try:
        assert first.wait(WITHIN_S) == ExitCode.LEASE_LOST
    finally:
        os.kill(server, signal.SIGCONT)
    assert "no answer in time" in processes.log("first").read_text()
    processes.start("second", LEADS, *QUICK)


def test_one_that_stands_by_ends_well(processes: Processes) -> None:
    processes.start("first", LEADS, *QUICK)
    second = processes.start("second", STANDS_BY, *QUICK)
    second.send_signal(signal.SIGTERM)
    assert second.wait() == ExitCode.STOPPED


def test_nothing_is_lost_and_nothing_over_committed_however_leaders_come_and_go(
    api: Api, processes: Processes
) -> None:
    """Room for 8 of 12 pods; some vanish in the midst of binding, others hand over."""
    leader = processes.start("p0", LEADS, *QUICK)
    for number, end in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGKILL), start=1):
        following = processes.start(f"p{number}", STANDS_BY, *QUICK)
        for pod in range(3):
            add_pod(api, f"pod-{number}-{pod}")
        eventually(lambda number=number: node_of(api, f"pod-{number}-0"))  # type: ignore[misc]
        leader.send_signal(end)
        leader.wait()
        log = processes.log(f"p{number}")
        eventually(lambda log=log: LEADS in log.read_text())  # type: ignore[misc]
        leader = following
    for pod in range(3):
        add_pod(api, f"pod-4-{pod}")

    def placed() -> list[str | None]:
        return [pod.spec.node_name for pod in api.core.list_namespaced_pod(api.namespace).items]

    eventually(lambda: placed().count("n") == 8)
    eventually(lambda: "Insufficient" in explained(api, "pod-4-2").splitlines()[0])
    assert placed().count("n") == 8


# Health and metrics -------------------------------------------------------------------------------


def doors(processes: Processes, name: str) -> Callable[[str], httpx.Response]:
    """Where a process that was told to listen at a port of its choice can be asked."""
    address = re.search(r"http://\S+", processes.log(name).read_text())
    assert address is not None
    return lambda path: httpx.get(f"{address[0]}{path}")


def test_who_leads_and_who_stands_by_are_both_ready(api: Api, processes: Processes) -> None:
    add_pod(api, "big", 9)
    for name, until in (("first", LEADS), ("second", STANDS_BY)):
        processes.start(name, until, *QUICK, "--listen", ":0")
    asked = {name: doors(processes, name) for name in ("first", "second")}
    for ask in asked.values():
        eventually(lambda ask=ask: ask("/readyz").status_code == 200)  # type: ignore[misc]
        assert ask("/healthz").text == "ok"
    first, second = (asked[name]("/metrics").text for name in ("first", "second"))
    assert "\nlst_scheduler_leader 1.0\n" in first
    assert "\nlst_scheduler_leader 0.0\n" in second
    eventually(lambda: 'lst_scheduler_pending_pods{state="stuck"} 1.0' in asked["first"]("/metrics").text)
    assert 'lst_scheduler_pending_pods{state="open"} 1.0' in asked["second"]("/metrics").text


def test_it_is_not_ready_before_it_knows_what_there_is(tmp_path: Path) -> None:
    log, config = tmp_path / "log", tmp_path / "kubeconfig"
    config.write_text(
        "{clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], "
        "contexts: [{name: x, context: {cluster: c}}], current-context: x}"
    )
    command = [sys.executable, "-m", "scheduler", "--kubeconfig", str(config), "--listen", ":0"]
    with running(command, log=log, ready=lambda: "trying again" in log.read_text()):
        address = re.search(r"at (http://\S+)", log.read_text())
        assert address is not None
        answer = httpx.get(f"{address[1]}/readyz")
        assert (answer.status_code, answer.text) == (503, "pods and nodes are not listed yet")
        assert httpx.get(f"{address[1]}/healthz").status_code == 200
        metrics = httpx.get(f"{address[1]}/metrics").text
        assert 'lst_scheduler_request_errors_total{code="0",method="GET"}' in metrics


# The trail ----------------------------------------------------------------------------------------


def explained(api: Api, name: str) -> str:
    command = [sys.executable, "-m", "scheduler", "--kubeconfig", str(api.server.kubeconfig), "explain"]
    done = subprocess.run([*command, f"{api.namespace}/{name}"], capture_output=True, text=True, check=True)
    return done.stdout


def test_why_a_pod_is_where_it_is_can_be_told_when_the_scheduler_is_gone(
    api: Api, processes: Processes
) -> None:
    add_pod(api, "fits", 3)
    add_pod(api, "big", 9)
    one = processes.start("one", "unfinished pods")
    eventually(lambda: node_of(api, "fits") == "n" and "FailedScheduling" in explained(api, "big"))
    one.terminate()
    one.wait()
    fits, big = explained(api, "fits"), explained(api, "big")
    assert f"pod {api.namespace}/fits: on node n\n" in fits
    assert "order     lst: place 1 of 2 workloads that waited, no deadline" in fits
    assert "5 free after it" in fits
    assert f"Insufficient {GPU}" in big.splitlines()[0]


def test_nothing_is_recorded_where_it_is_turned_off(api: Api, processes: Processes) -> None:
    add_pod(api, "a")
    processes.start("one", "bind ", "--no-record-decisions")
    eventually(lambda: node_of(api, "a") == "n")
    assert api.core.read_namespaced_pod("a", api.namespace).metadata.annotations is None
    assert "no decision is recorded" in explained(api, "a")
