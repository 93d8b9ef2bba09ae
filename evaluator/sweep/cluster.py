"""Runs of a sweep on the workers of a Dask cluster, where one machine is not enough.

A worker performs a run in a scratch folder, in a process of its own as on one machine, and sends its files
back. Workers need the same version of this program, and the schedulers, installed.
"""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from evaluator.errors import UsageError, UserError
from evaluator.exits import ExitCode
from evaluator.files import write_atomically
from evaluator.results import RESULT_FILE, TIMELINE_FILE
from evaluator.scenario.loader import find_scenario
from evaluator.sweep.grid import Request
from evaluator.sweep.keeping import LOG_FILE, prepare
from evaluator.sweep.local import GRACE_S, Ended, Tell

CONNECT_S: Final = 15
"""Real seconds within which the cluster's scheduler has to answer."""

LOOK_S: Final = 1.0
"""Real seconds between two looks of a worker at whether the sweep has been stopped."""

_SENT: Final = (TIMELINE_FILE, "scheduler.log", LOG_FILE, RESULT_FILE)
"""Files that a worker sends back; the result last, since it is what makes a run finished."""

_LOOK_S: Final = 0.2
"""Real seconds between two looks at whether to stop: short beside the time of grace."""

Files = Mapping[str, bytes]
Command = Callable[[], list[str]]
"""What starts ``evaluator`` as a child of the process in which it is called."""


def perform_on_cluster(
    requests: Sequence[Request], out: Path, command: Command, *, address: str, tell: Tell
) -> bool:
    """Perform runs on a cluster's workers; whether all of them were, or SIGINT or SIGTERM came before.

    :raises UsageError: Dask is not installed, or no cluster is at the address.
    :raises OSError: a folder cannot be written.
    """
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--dask = {address!r}: no cluster answers there: {error}",
            next_step="Give the address of a Dask scheduler, such as tcp://10.0.0.1:8786.",
        ) from error
    with client:
        return _performed(distributed, client, requests, out, command, tell)


def _distributed() -> Any:
    try:
        import distributed  # an optional extra
    except ImportError as error:
        raise UsageError(
            "--dask needs Dask, which is not installed",
            next_step="Install the optional extra: pip install 'scheduler-evaluator[dask]'.",
        ) from error
    return distributed


def _performed(
    distributed: Any, client: Any, requests: Sequence[Request], out: Path, command: Command, tell: Tell
) -> bool:
    stop = distributed.Event(f"stop-{client.id}", client=client)
    futures = {
        client.submit(_on_worker, *_order(request), command, stop.name, pure=False): request
        for request in requests
    }
    with _asked_to_stop() as asked:
        while futures and not asked.is_set():
            for future in _done(distributed, list(futures)):
                tell(_received(future, futures.pop(future), out))
        if not futures:
            return True
        stop.set()
        with suppress(TimeoutError):
            distributed.wait(list(futures), timeout=GRACE_S)
        return False


def _done(distributed: Any, futures: Sequence[Any]) -> list[Any]:
    """Those that are done, once some are; none after a while without."""
    try:
        distributed.wait(futures, timeout=_LOOK_S, return_when="FIRST_COMPLETED")
    except TimeoutError:
        return []
    return [future for future in futures if future.done()]


@contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """Set once SIGINT or SIGTERM has come.

    An exception out of a signal could be raised, and lost, inside of a callback of the library.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _order(request: Request) -> tuple[Request, str, bytes]:
    """What a worker needs: the run, and the scenario's file in case it is not there."""
    path = find_scenario(request.scenario)
    return request, path.name, path.read_bytes()


def _received(future: Any, request: Request, out: Path) -> Ended:
    """Keep what a worker sent; of one that failed, its message."""
    folder = out / request.folder
    prepare(folder, request)
    error = future.exception()
    if error is not None:
        write_atomically(folder / LOG_FILE, [f"the worker failed: {error!r}\n".encode()])
        return Ended(request, ExitCode.INTERNAL)
    code, files = future.result()
    for name in _SENT:
        if name in files:
            write_atomically(folder / name, [files[name]])
    return Ended(request, code)


def _on_worker(
    request: Request, name: str, scenario: bytes, command: Command, stop: str
) -> tuple[int, Files]:
    """Perform a run here; its exit status, and its files by name."""
    if version("scheduler-evaluator") != request.version:
        raise UserError(
            f"the worker has scheduler-evaluator {version('scheduler-evaluator')}, not {request.version}"
        )
    with TemporaryDirectory(prefix="sweep-") as scratch:
        path, folder = Path(scratch) / name, Path(scratch) / "run"
        path.write_bytes(scenario)
        folder.mkdir()
        words = [*command(), *request.arguments(folder, scenario=_place(request, scenario, path))]
        with (folder / LOG_FILE).open("wb") as log:
            code = _watched(words, log.fileno(), stop)
        return code, {file: (folder / file).read_bytes() for file in _SENT if (folder / file).is_file()}


def _place(request: Request, scenario: bytes, sent: Path) -> str:
    """The same file where it was named, if it is there, since it may read others beside it."""
    try:
        here = find_scenario(request.scenario)
        return str(here) if here.read_bytes() == scenario else str(sent)
    except (UserError, OSError):
        return str(sent)


def _watched(words: Sequence[str], log: int, stop: str) -> int:
    """Wait for the process; interrupt it when the sweep is stopped."""
    stopping = _distributed().Event(stop)
    if stopping.is_set():
        return ExitCode.INTERRUPTED
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0)
    while True:
        try:
            return process.wait(timeout=LOOK_S)
        except subprocess.TimeoutExpired:
            if stopping.is_set():
                process.send_signal(signal.SIGINT)
                break
    killing = threading.Timer(GRACE_S, process.kill)
    killing.start()
    try:
        return process.wait()
    finally:
        killing.cancel()
