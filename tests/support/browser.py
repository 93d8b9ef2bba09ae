"""A headless Chromium, driven over its DevTools protocol: what a page prints, asks for and looks like."""

import asyncio
import base64
import itertools
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp

from tests.support.polling import eventually

PROGRAM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""The browser's program; none if there is none."""

FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)

ANSWER_LIMIT_S: Final = 60.0
"""Real seconds that an answer of the browser may take on a busy machine."""


@dataclass
class Page:
    """A page in the browser."""

    socket: aiohttp.ClientWebSocketResponse
    session: str
    printed: list[str] = field(default_factory=list)
    """Whatever was written to the console, warnings and errors among it."""
    asked_for: list[str] = field(default_factory=list)
    """Addresses that were requested."""
    _numbers: Any = field(default_factory=itertools.count)
    _loaded: bool = False

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser something about this page."""
        number = next(self._numbers)
        asked = {"id": number, "method": method, "params": parameters}
        await self.socket.send_json({**asked, "sessionId": self.session} if self.session else asked)
        while True:
            answer = await self._hear()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    async def _hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await self.socket.receive_str(timeout=ANSWER_LIMIT_S))
        about = message.get("params", {})
        match message.get("method"):
            case "Runtime.consoleAPICalled":
                self.printed.append(" ".join(str(each.get("value")) for each in about["args"]))
            case "Runtime.exceptionThrown":
                self.printed.append(str(about["exceptionDetails"]))
            case "Log.entryAdded":
                self.printed.append(about["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked_for.append(about["request"]["url"])
            case "Page.loadEventFired":
                self._loaded = True
            case _:
                pass
        return message

    async def open(self, file: Path, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Show a file in a window of that width."""
        for domain in ("Runtime", "Log", "Network", "Page"):
            await self.call(f"{domain}.enable")
        phone = width < 600
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call("Emulation.setEmulatedMedia", features=[scheme])
        await self.call("Page.navigate", url=file.as_uri())
        while not self._loaded:
            await self._hear()
        # Two frames later everything that was asked for has been drawn.
        await self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key)

    async def point(self, x: float, y: float) -> None:
        """Move the pointer."""
        await self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    async def screenshot(self, *, whole: bool = True) -> bytes:
        """The page as PNG."""
        answer = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Page]:
    """A page in a browser of its own, whose profile lies in ``folder``."""
    assert PROGRAM is not None
    profile = folder / "profile"
    process = subprocess.Popen(
        [PROGRAM, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port_file = profile / "DevToolsActivePort"
        eventually(lambda: port_file.exists() and port_file.read_text().count("\n") > 0)
        port, path = port_file.read_text().splitlines()[:2]
        async with (
            aiohttp.ClientSession() as client,
            client.ws_connect(f"ws://127.0.0.1:{port}{path}", max_msg_size=0) as socket,
        ):
            root = Page(socket, "")
            target = await root.call("Target.createTarget", url="about:blank")
            attached = await root.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
            yield Page(socket, attached["sessionId"])
    finally:
        process.terminate()
        await asyncio.to_thread(process.wait)
