"""The one list of differences between fakeapi and kube-apiserver that stay, read from ``accepted.toml``."""

import tomllib
from pathlib import Path
from typing import Final

from tests.fidelity.comparison import Accepted

SOURCE: Final = Path(__file__).with_name("accepted.toml")

ACCEPTED: Final = tuple(
    Accepted(entry["reason"], tuple(entry["paths"]), tuple(entry.get("behaviours", ())))
    for entry in tomllib.loads(SOURCE.read_text())["accepted"]
)
