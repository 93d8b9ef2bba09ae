"""Scenario files: found, imported and asked for their story."""

import difflib
import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from evaluator.errors import ScenarioError, shown
from evaluator.scenario.assemble import assemble
from evaluator.scenario.blame import blamed
from evaluator.scenario.builder import Scenario
from evaluator.scenario.parameters import ScenarioParameters, make_parameters
from evaluator.scenario.plan import LoadedScenario
from fakeapi.kernel.chance import Chance as Rng

FUNCTION: Final = "scenario"
"""Name of the function that a scenario file defines."""

PARAMETERS: Final = "Parameters"
"""Name of the class in which a scenario file declares what ``--set`` may change."""

SHIPPED: Final = "scenarios"
"""Package of the scenarios that can be named without a path."""

MAX_SOURCE_BYTES: Final = 1_000_000
"""Size of a scenario file; a larger one is data, not a scenario."""


def available_scenarios() -> dict[str, Path]:
    """The shipped scenarios by name."""
    spec = find_spec(SHIPPED)
    folders = spec.submodule_search_locations if spec else None
    files = sorted(file for folder in folders or () for file in Path(folder).glob("*.py"))
    return {file.stem: file for file in files if not file.stem.startswith("_")}


def find_scenario(reference: str) -> Path:
    """The file that a path, or the bare name of a shipped scenario, stands for.

    :raises ScenarioError: if there is none.
    """
    path = Path(reference)
    if path.is_file():
        return path
    shipped = available_scenarios()
    if reference in shipped:
        return shipped[reference]
    close = difflib.get_close_matches(path.stem, shipped, n=1)
    meant = f"Did you mean {close[0]}? " if close else ""
    raise ScenarioError(
        f"there is no scenario {reference!r}",
        next_step=f"{meant}Give the path of a scenario's file, or one of: {', '.join(shipped)}.",
    )


def load_scenario(
    reference: str | Path, *, assignments: Mapping[str, str] | None = None, seed: int = 0
) -> LoadedScenario:
    """The scenario of a file, with everything that will arrive.

    :param reference: path of the file, or bare name of a shipped scenario.
    :param assignments: values for its parameters, as text.
    :raises ScenarioError: with file and line, for anything that is wrong with it.
    """
    path = find_scenario(str(reference))
    module = _import(path)
    function = _function(module, path)
    parameters = make_parameters(_parameters_model(module, path), assignments or {}, path.stem)
    story = _told(function, parameters, seed, path)
    if not story.placed:
        raise ScenarioError(
            "the scenario is empty",
            where=f"{path}:{_first_line(function)}",
            next_step="Call at least s.nodes(…) and s.pod(…).",
        )
    assembled = assemble(story.placed)
    closed = bool(story.starts)
    return LoadedScenario(
        name=path.stem,
        path=path,
        digest=_digest_of_processes(assembled.digest, path, parameters, seed) if closed else assembled.digest,
        seed=seed,
        settings=assembled.settings,
        parameters=parameters,
        arrivals=assembled.arrivals,
        notes=assembled.notes,
        expectations=tuple(story.expectations),
        processes=len(story.starts),
        retell=(lambda: _told(_function(_import(path), path), parameters, seed, path)) if closed else None,
    )


def _digest_of_processes(digest: str, path: Path, parameters: ScenarioParameters, seed: int) -> str:
    """What processes add is known only afterwards; what they are made of is known before."""
    sha = hashlib.sha256(f"{digest} {seed} {parameters.model_dump_json()}\n".encode())
    sha.update(_source(path))
    return sha.hexdigest()


def parameters_of(reference: str | Path) -> type[ScenarioParameters]:
    """The parameters that a scenario declares, without running it.

    :raises ScenarioError: if the file cannot be imported.
    """
    path = find_scenario(str(reference))
    return _parameters_model(_import(path), path)


def _import(path: Path) -> ModuleType:
    source = _source(path)
    name = f"_scenario_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    module = module_from_spec(ModuleSpec(name, None, origin=str(path)))
    module.__file__ = str(path)
    # Dataclasses and pydantic look their module up by its name.
    sys.modules[name] = module
    with blamed(path):
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102  a scenario is a program
    return module


def _source(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_SOURCE_BYTES:
            raise ScenarioError(
                f"larger than {MAX_SOURCE_BYTES:,} bytes",
                where=str(path),
                next_step="Keep data in files of its own and read them from the scenario.",
            )
        return path.read_bytes()
    except OSError as error:
        raise ScenarioError(
            f"cannot read the scenario: {error.strerror}", where=str(path), next_step="Check its permissions."
        ) from error


def _function(module: ModuleType, path: Path) -> Callable[..., Any]:
    function = getattr(module, FUNCTION, None)
    if function is None:
        raise ScenarioError(
            "no function named scenario",
            where=str(path),
            next_step="Define scenario(s, rng) and tell s what exists and what arrives.",
        )
    try:
        inspect.signature(function).bind(None, None)
    except TypeError as error:
        raise ScenarioError(
            "scenario must be a function of two arguments",
            where=f"{path}:{_first_line(function)}",
            next_step="Define scenario(s, rng).",
        ) from error
    return function  # type: ignore[no-any-return]  # whatever the file defined; what it returns is checked


def _first_line(function: Callable[..., Any]) -> int:
    code = getattr(function, "__code__", None)
    return code.co_firstlineno if code else 1


def _parameters_model(module: ModuleType, path: Path) -> type[ScenarioParameters]:
    model = getattr(module, PARAMETERS, ScenarioParameters)
    if isinstance(model, type) and issubclass(model, ScenarioParameters):
        return model
    raise ScenarioError(
        f"Parameters is {shown(model)}, not a class of parameters",
        where=str(path),
        next_step="Write class Parameters(ScenarioParameters).",
    )


def _told(
    function: Callable[..., Any], parameters: ScenarioParameters, seed: int, path: Path
) -> Scenario[ScenarioParameters]:
    story = Scenario(parameters, path)
    with blamed(path):
        given = function(story, Rng(seed))
    if given is not None:
        raise ScenarioError(
            f"got {shown(given)} ({type(given).__name__}): scenario() adds to s and returns nothing",
            where=f"{path}:{_first_line(function)}",
            next_step="Call s.nodes(…), s.pod(…) and so on, without return; who yields is s.process(…)'s.",
        )
    return story
