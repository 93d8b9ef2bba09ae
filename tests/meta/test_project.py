"""Rules of the project that neither the linter nor the type checker knows."""

import ast
import re
import tomllib
from pathlib import Path
from statistics import median
from typing import Final

import pytest
import yaml

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("fakeapi", "scheduler", "evaluator", "scenarios", "tools", "benchmarks")
PRODUCT: Final = tuple(file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py")))
TESTS: Final = tuple(sorted((ROOT / "tests").rglob("*.py")))

MEDIAN_FUNCTION: Final = 8
LONGEST_FUNCTION: Final = 60
"""Lines without the docstring: what fits on a screen."""

LONGEST_FILE: Final = 400
"""Lines; long before that a file has a second reason to change."""

TABLES: Final = {("fakeapi/machinery/resources.py", "_rows")}
"""Functions that are a table: a row for each thing, no logic that could be parted."""

WAITING_IS_THEIR_JOB: Final = ("tests/support/polling.py", "tests/programs/", "tests/e2e/programs/")
"""The bounded wait itself, and programs that play a scheduler with timers of its own."""


def _relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _functions(file: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(file.read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    total = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        total -= (first.end_lineno or 0) - first.lineno + 1
    return total


def test_functions_fit_on_a_screen() -> None:
    lengths = {
        (_relative(file), function.name): _length(function)
        for file in PRODUCT
        for function in _functions(file)
    }
    too_long = {where: length for where, length in lengths.items() if length > LONGEST_FUNCTION}
    assert set(too_long) <= TABLES, too_long
    assert median(lengths.values()) <= MEDIAN_FUNCTION


def test_files_have_one_reason_to_change() -> None:
    lengths = {_relative(file): len(file.read_text().splitlines()) for file in PRODUCT}
    assert {file: length for file, length in lengths.items() if length > LONGEST_FILE} == {}


def test_packages_say_what_they_are_for() -> None:
    silent = [
        _relative(file)
        for file in PRODUCT
        if file.name == "__init__.py" and not ast.get_docstring(ast.parse(file.read_text()))
    ]
    assert silent == []


def _sleeps(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        yields = [ast.unparse(argument) for argument in node.args] in (["0"], ["0.0"])
        if called.split(".")[-1] in {"sleep", "real_sleep"} and not yields:
            found.append(f"{_relative(file)}:{node.lineno}: {called}")
    return found


def test_tests_wait_with_a_bound_and_never_sleep() -> None:
    judged = [file for file in TESTS if not _relative(file).startswith(WAITING_IS_THEIR_JOB)]
    assert [line for file in judged for line in _sleeps(file)] == []


def test_unit_tests_stand_where_their_package_does() -> None:
    unit = ROOT / "tests" / "unit"
    folders = {file.parent.relative_to(unit) for file in unit.rglob("test_*.py")}
    assert [str(folder) for folder in folders if not (ROOT / folder).is_dir()] == []


def _project() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = [line for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    return {
        "needed": [*project["dependencies"], *project["optional-dependencies"]["dev"]],
        "pythons": [line.rpartition(" ")[2] for line in pythons],
    }


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_a_pinned_version() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {_normal(line.partition("==")[0]) for line in lines if "==" in line}
    needed = {_normal(re.split(r"[<>=!~;\[ ]", line, maxsplit=1)[0]) for line in _project()["needed"]}
    assert needed - pinned == set()


def test_ci_runs_every_python_that_is_promised() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    matrix = workflow["jobs"]["python"]["strategy"]["matrix"]["python"]
    assert matrix == _project()["pythons"]


def test_ci_runs_the_script_that_people_run() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    steps = [step.get("run") for step in workflow["jobs"]["checks"]["steps"]]
    assert ".ci/run" in steps
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_targets_that_the_pages_name_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.M))
    text = (ROOT / page).read_text()
    named = set(re.findall(r"(?:^ {4}|`|^)make ([a-z-]+)", text, re.M))
    assert named - targets == set()


def test_every_target_has_a_line_of_help() -> None:
    targets = re.findall(r"^([a-z-]+):(.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert [name for name, rest in targets if "## " not in rest] == ["has-python"]


def test_schedulers_and_the_server_are_pinned_to_one_release_of_kubernetes() -> None:
    versions = set()
    for module in ("kubernetes", "encode"):
        text = (ROOT / "tests/peers" / module / "go.mod").read_text()
        versions |= set(re.findall(r"^\tk8s\.io/(?:client-go|kubernetes) v[01]\.(\S+)", text, re.M))
    assert len(versions) == 1, versions
