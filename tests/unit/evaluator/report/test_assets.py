"""What every report carries."""

import hashlib
from importlib.resources import files

from evaluator.report.assets import PLOTLY_SHA256, PLOTLY_VERSION, asset, plotly


def test_the_drawing_library_is_the_published_file() -> None:
    body = files("evaluator.report").joinpath("vendored/plotly-basic.min.js").read_bytes()
    assert hashlib.sha256(body).hexdigest() == PLOTLY_SHA256
    assert f"plotly.js (basic - minified) v{PLOTLY_VERSION}" in body[:200].decode()


def test_nothing_in_a_script_ends_the_element_that_it_stands_in() -> None:
    for text in (plotly(), asset("report.js"), asset("map.js")):
        assert "</script" not in text.lower()
        assert "<!--" not in text
    assert "</style" not in asset("report.css")
