"""An asyncio program as a scheduler is one: it watches a server by a long poll and answers what it is told.

Each line of the watch is an order, carried out beside the others::

    say WORDS              answer at once
    after SECONDS WORDS    answer once a timer has fired
    every SECONDS COUNT    answer at each tick of a ticker
    burn SECONDS           use that much processor time, then answer
    thread SECONDS         sleep in a thread, then answer
    child SECONDS          have a child process use that much processor time, then answer
    spin                   use the processor for ever
    exit STATUS            end
    crash                  end by an abort
    close                  close the watch and live on

An answer is a POST whose body holds the words, the wall clock and the monotonic clock in nanoseconds.
"""

import asyncio
import os
import sys
import time  # noqa: TID251 - its clock is what a test moves
from urllib.parse import urlsplit


def burn(seconds: float) -> None:
    """Use processor time, measured by the clock that counts it."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


class Worker:
    """One run of the program against one server."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).hostname or ""
        self.port = urlsplit(url).port or 0
        self.tasks: set[asyncio.Task[None]] = set()
        self.watch: asyncio.StreamWriter | None = None

    async def request(self, head: str, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Send a request on a connection of its own and read the answer's head."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(f"{head} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    async def say(self, words: str) -> None:
        """Answer."""
        body = f"{words} {time.time_ns()} {time.monotonic_ns()}".encode()
        _, writer = await self.request("POST /say", body)
        writer.close()

    async def obey(self, verb: str, *words: str) -> None:
        """Carry out one order."""
        match verb:
            case "say":
                await self.say(" ".join(words))
            case "after":
                await asyncio.sleep(float(words[0]))
                await self.say(" ".join(words[1:]))
            case "every":
                await self.tick(float(words[0]), int(words[1]))
            case "burn":
                burn(float(words[0]))
                await self.say("burnt")
            case "thread":
                await asyncio.to_thread(time.sleep, float(words[0]))
                await self.say("slept")
            case "child":
                await self.child(words[0])
            case "spin":
                burn(float("inf"))
            case "exit":
                os._exit(int(words[0]))
            case "crash":
                os.abort()
            case "close" if self.watch is not None:
                self.watch.close()
                await self.say("closed")

    async def tick(self, seconds: float, count: int) -> None:
        """Answer at multiples of a period, counted from now, however long an answer takes."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for number in range(1, count + 1):
            await asyncio.sleep(begun + number * seconds - loop.time())
            await self.say(f"tick{number}")

    async def child(self, seconds: str) -> None:
        """Let another process work."""
        code = f"import time\nwhile time.process_time() < {seconds}: pass\nprint(time.time_ns())"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-c", code, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await process.communicate()
        await self.say(f"child:{output.decode().strip()}")

    async def run(self) -> None:
        """Watch until there is nothing left to do."""
        reader, self.watch = await self.request("GET /watch", b"")
        while line := await reader.readline():
            task = asyncio.create_task(self.obey(*line.decode().split()))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)
        while self.tasks:
            await asyncio.wait(self.tasks)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(Worker(sys.argv[1]).run())
