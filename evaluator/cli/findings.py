"""What lint found, as lines in a terminal and as an error that stops a run."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from evaluator.errors import ScenarioError
from evaluator.scenario.lint import Finding, lint
from evaluator.scenario.plan import LoadedScenario
from evaluator.words import counted


def told(finding: Finding) -> str:
    """The finding in a sentence, with how often it was found."""
    more = f" (and {finding.count - 1:,} more from this line)" if finding.count > 1 else ""
    return f"{finding.text}{more}"


def print_findings(console: Console, found: Sequence[Finding]) -> None:
    """One line each."""
    for finding in found:
        colour = "red" if finding.code.severity == "error" else "yellow"
        code = Text(finding.code.value, colour)
        console.print(Text(f"{finding.where}:"), code, Text(told(finding)), soft_wrap=True, highlight=False)


def check_before_run(console: Console, scenario: LoadedScenario, *, quiet: bool) -> None:
    """Print the warnings of lint; an error among its findings ends the command.

    Raises:
        ScenarioError: with the first error; the others are counted.
    """
    found = lint(scenario)
    errors = [finding for finding in found if finding.code.severity == "error"]
    if not quiet:
        print_findings(console, [finding for finding in found if finding not in errors])
    if errors:
        first, others = errors[0], len(errors) - 1
        more = f"{counted(others, 'more error')}: evaluator lint {scenario.name}. " if others else ""
        raise ScenarioError(
            f"{first.code.value} {told(first)}",
            where=first.where or str(scenario.path),
            next_step=f"{more}--no-lint plays the scenario as it is.",
        )
