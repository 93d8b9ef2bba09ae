"""``fakeapi serve``: a Kubernetes API server with a small world behind it.

Exit codes: 0 stopped by a signal · 3 a bug in this program · 4 an option that cannot be used.
"""

import asyncio
import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer
import uvloop

from fakeapi import options
from fakeapi.config import (
    ClusterSettings,
    ConfigError,
    LimitSettings,
    NetworkSettings,
    Problem,
    ServerConfig,
    TimeSettings,
    parse_start,
)
from fakeapi.exits import ExitCode
from fakeapi.kubeconfig import write_kubeconfig
from fakeapi.rest.control import Steering
from fakeapi.serve import Server
from fakeapi.standalone import serve_forever

_log = logging.getLogger("fakeapi")

_NETWORK: Final = NetworkSettings()
_TIME: Final = TimeSettings()
_LIMITS: Final = LimitSettings()
_CLUSTER: Final = ClusterSettings()
_EXITS: Final = {0: ExitCode.STOPPED, 2: ExitCode.USAGE, 130: ExitCode.STOPPED}
"""What typer exits with after help, for a command line that it does not understand, and at Ctrl-C."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A Kubernetes API server with a small world behind it: nodes, and pods that live without kubelets.",
    epilog="Exit codes: 0 stopped by a signal, 3 a bug in this program, 4 an option that cannot be used.",
)


@app.callback()
def commands() -> None:
    """Makes ``serve`` a command of its own, beside which others can stand."""


@app.command()
def serve(
    host: options.Host = _NETWORK.host,
    port: options.Port = _NETWORK.port,
    advertise: options.Advertise = _NETWORK.advertise,
    token: options.Token = _NETWORK.token,
    tls_cert: options.TlsCert = _NETWORK.tls_cert,
    tls_key: options.TlsKey = _NETWORK.tls_key,
    kubeconfig: options.Kubeconfig = None,
    clock: options.ClockSteering = _TIME.steering.value,
    speed: options.Speed = _TIME.speed,
    start: options.Start = "now",
    seed: options.Seed = None,
    nodes: options.Nodes = _CLUSTER.nodes,
    chips: options.Chips = _CLUSTER.chips,
    chip_resource: options.ChipResource = _CLUSTER.chip_resource,
    controllers: options.Controllers = _CLUSTER.controllers,
    history: options.History = _LIMITS.history,
    body: options.Body = _LIMITS.body,
) -> None:
    """Serve the Kubernetes API until SIGINT or SIGTERM; a second signal does not wait for open requests."""
    config = ServerConfig(
        network=NetworkSettings(
            host=host, port=port, advertise=advertise, token=token, tls_cert=tls_cert, tls_key=tls_key
        ),
        time=TimeSettings(steering=_steering(clock), speed=speed, start=parse_start(start)),
        limits=LimitSettings(history=history, body=body),
        cluster=ClusterSettings(
            nodes=nodes, chips=chips, chip_resource=chip_resource, controllers=controllers
        ),
        seed=seed,
    )
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve_forever(config, lambda server: _announce(server, config, kubeconfig)))


def _steering(text: str) -> Steering:
    by_hand_or_not = {steering.value: steering for steering in (Steering.REAL, Steering.MANUAL)}
    if text not in by_hand_or_not:
        raise ConfigError(Problem("clock", text, f"give {' or '.join(by_hand_or_not)}"))
    return by_hand_or_not[text]


def _announce(server: Server, config: ServerConfig, kubeconfig: Path | None) -> None:
    typer.echo(f"Serving the Kubernetes API at {server.url} (control: {server.url}/_fakeapi/docs)")
    if kubeconfig is None:
        typer.echo("For kubectl, start with --kubeconfig FILE")
    else:
        write_kubeconfig(kubeconfig, server.url, config.network)
        typer.echo(f"export KUBECONFIG={shlex.quote(str(kubeconfig.absolute()))}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default the process's own; return the exit code."""
    logging.basicConfig(
        level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    try:
        app(args=None if arguments is None else list(arguments), prog_name="fakeapi")
    except SystemExit as ended:
        return _EXITS.get(int(ended.code or 0), ExitCode.INTERNAL)
    except ConfigError as error:
        for problem in error.problems:
            option = f"--{problem.field.replace('_', '-')}"
            typer.echo(f"fakeapi: {option} {problem.value!r} cannot be used: {problem.advice}", err=True)
        return ExitCode.USAGE
    except Exception:
        _log.critical("fakeapi ends because of a bug in it; please report what follows", exc_info=True)
        return ExitCode.INTERNAL
    return ExitCode.STOPPED


if __name__ == "__main__":
    sys.exit(main())
