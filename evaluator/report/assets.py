"""Scripts and styles that stand in every report, so that it needs no network."""

from importlib.resources import files
from typing import Final

from markupsafe import Markup

PLOTLY_VERSION: Final = "4.1.1"
"""Of ``plotly.js-basic-dist-min``; ``vendored/README.md`` tells how to update it."""

PLOTLY_SHA256: Final = "99784e3abfb07b142a15e521a439e6d9addceadb3f79553fd24c72774f0649ba"
"""Of the file as published."""


def plotly() -> Markup:
    """The drawing library. It was written to stand in a script element, and is not escaped."""
    return Markup(_text("vendored/plotly-basic.min.js"))  # noqa: S704  see above


def asset(name: str) -> Markup:
    """A script or style of our own, in which nothing comes from outside."""
    return Markup(_text(f"templates/{name}"))  # noqa: S704  see above


def _text(path: str) -> str:
    return files("evaluator.report").joinpath(path).read_text(encoding="utf-8")
