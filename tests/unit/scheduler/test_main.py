"""The program as its users meet it: a process with flags, signals and an exit code."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scheduler import __main__ as program
from scheduler.__main__ import ExitCode, main
from tests.unit.scheduler.builders import GPU, node_object, pod_object
from tests.unit.scheduler.fake_server import FakeApi

END_S = 20.0
"""How long the process has to end; reached only when the test fails."""


def kubeconfig(folder: Path, server: str) -> Path:
    path = folder / "kubeconfig"
    content = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "x", "context": {"cluster": "c"}}],
        "current-context": "x",
    }
    path.write_text(yaml.safe_dump(content))
    return path


async def started(*flags: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "scheduler", *flags, stderr=asyncio.subprocess.PIPE
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    async with asyncio.timeout(END_S):
        _, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, errors.decode()


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_it_schedules_until_a_signal_ends_it_at_once(tmp_path: Path, which: signal.Signals) -> None:
    async def run() -> tuple[int, str]:
        async with FakeApi() as api:
            api.put("nodes", node_object("n", 8))
            api.put("pods", pod_object("a", {GPU: "1"}))
            process = await started(
                "--kubeconfig", str(kubeconfig(tmp_path, api.url)), "--log-level", "warning"
            )
            await api.until(lambda: api.events and api.watching("pods"))
            process.send_signal(which)
            return await ended(process)

    assert asyncio.run(run()) == (ExitCode.STOPPED, "")


def test_it_ends_at_once_while_nobody_answers(tmp_path: Path) -> None:
    async def run() -> tuple[int, str]:
        async with FakeApi() as api:
            url = api.url
        process = await started("--kubeconfig", str(kubeconfig(tmp_path, url)))
        assert process.stderr is not None
        first = await process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        code, rest = await ended(process)
        return code, first.decode() + rest

    code, log = asyncio.run(run())
    assert code == ExitCode.STOPPED
    assert "/api/v1/nodes" in log
    assert "ending on SIGTERM" in log
    assert "Traceback" not in log


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--gather", "10"], "--gather"),
        (["--kubeconfig", "/no/such/file"], "/no/such/file"),
    ],
)
def test_bad_usage_and_bad_configuration(
    flags: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags) == ExitCode.BAD_USAGE
    errors = capsys.readouterr().err
    assert errors.startswith("lst-scheduler: ")
    assert said in errors
    assert errors.count("\n") == 1


@pytest.mark.usefixtures("quiet")
def test_a_bug_is_told_as_one(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: object) -> None:
        raise LookupError("oh")

    monkeypatch.setattr(program, "_serve", broken)
    assert main([]) == ExitCode.BUG
    (record,) = caplog.records
    assert record.levelname == "CRITICAL"
    assert record.exc_info is not None
    assert record.exc_info[0] is LookupError


@pytest.mark.usefixtures("quiet")
def test_an_interrupt_before_the_start_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_serve", interrupted)
    assert main([]) == ExitCode.STOPPED


LOOK = """
import json, os, ssl, sys
from scheduler.__main__ import _import_http
_import_http()
stats = ssl.create_default_context().cert_store_stats()
json.dump([os.environ.get("SSL_CERT_FILE"), stats["x509_ca"], "aiohttp" in sys.modules], sys.stdout)
"""


@pytest.mark.parametrize("named", [None, "/etc/no-such-file"])
def test_a_quick_start_costs_no_trust(named: str | None) -> None:
    """Whoever verifies a server by the system's certificates still finds them where they were."""
    environment = {name: value for name, value in os.environ.items() if name != "SSL_CERT_FILE"}
    if named is not None:
        environment["SSL_CERT_FILE"] = named
    alone = "import ssl; print(ssl.create_default_context().cert_store_stats()['x509_ca'])"
    plain, after = (
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        for code in (alone, LOOK)
    )
    assert json.loads(after.stdout) == [named, int(plain.stdout), True]
