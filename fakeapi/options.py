"""The options of ``fakeapi serve`` and their help; the defaults are those of :mod:`fakeapi.config`."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[
    str, typer.Option(help="Address to listen on. Others than loopback need a token and TLS.")
]
Port: TypeAlias = Annotated[int, typer.Option(help="TCP port; 0 for any free one.")]
Advertise: TypeAlias = Annotated[
    str, typer.Option(help="Host name or address that clients are told, if not the one listened on.")
]
Token: TypeAlias = Annotated[
    str,
    typer.Option(
        envvar="FAKEAPI_TOKEN",
        show_default=False,
        help="Bearer token that requests must carry. Better given by the variable: others see command lines.",
    ),
]
TlsCert: TypeAlias = Annotated[
    Path | None, typer.Option(help="PEM file with the certificate to serve HTTPS with.")
]
TlsKey: TypeAlias = Annotated[Path | None, typer.Option(help="PEM file with its private key.")]
Kubeconfig: TypeAlias = Annotated[
    Path | None, typer.Option(help="File to write for kubectl and client libraries.")
]
ClockSteering: TypeAlias = Annotated[
    str,
    typer.Option(
        help="real: runs with the machine's clock. manual: stands still until somebody posts to "
        "/_fakeapi/clock/advance."
    ),
]
Speed: TypeAlias = Annotated[float, typer.Option(help="Virtual seconds for a real one.")]
Start: TypeAlias = Annotated[str, typer.Option(help="First instant of the world: now, or RFC 3339.")]
Seed: TypeAlias = Annotated[
    int | None, typer.Option(help="Seed of uids and generated names; a fresh one if not given.")
]
Nodes: TypeAlias = Annotated[int, typer.Option(help="Nodes to create: node-0, node-1, …")]
Chips: TypeAlias = Annotated[int, typer.Option(help="Accelerators of each of these nodes.")]
ChipResource: TypeAlias = Annotated[
    str, typer.Option(help="The extended resource that these accelerators are.")
]
Controllers: TypeAlias = Annotated[
    bool,
    typer.Option(
        help="Whether controllers run, so that Jobs make pods and garbage is collected. Without them it is "
        "an API server alone, for tests of controllers."
    ),
]
History: TypeAlias = Annotated[
    int, typer.Option(help="Changes of each collection that a watch can resume from.")
]
Body: TypeAlias = Annotated[int, typer.Option(help="Bytes of a request's body at most.")]
