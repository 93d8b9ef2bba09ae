"""``evaluator``: the commands, and the one place where errors become messages and exit codes."""

import sys
import traceback
from typing import Final

import typer
from rich.console import Console

from evaluator.cli import (
    compare,
    diff,
    explain,
    export,
    gate,
    lint,
    listing,
    record,
    report,
    run,
    show,
    sweep,
    trace,
)
from evaluator.errors import UserError
from evaluator.exits import ExitCode

_ERRORS: Final = Console(stderr=True, highlight=False, soft_wrap=True)

app = typer.Typer(
    name="evaluator",
    help="Judge Kubernetes schedulers for AI clusters in virtual time, before they touch real accelerators.",
    epilog=(
        "Exit codes: 0 fine; 1 a gate failed; 2 interrupted; 3 a bug of ours or stuck time; "
        "4 bad usage or scenario; 5 nothing matched; 6 the scheduler failed."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("sweep")(sweep.sweep)
app.command("lint")(lint.lint_scenario)
app.command("show")(show.show)
app.command("list")(listing.list_scenarios)
app.command("record")(record.record)
app.command("report")(report.report)
app.command("explain")(explain.explain)
app.command("compare")(compare.compare)
app.command("diff")(diff.diff)
app.command("export")(export.export)
app.command("gate")(gate.gate)
app.add_typer(gate.baseline_app, name="baseline")
app.add_typer(trace.app, name="trace")


def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave with its exit code (see :class:`evaluator.exits.ExitCode`)."""
    sys.exit(int(_exit_code(arguments)))


def _exit_code(arguments: list[str] | None) -> int:
    try:
        code = app(args=arguments, standalone_mode=False)
    except typer.TyperException as error:
        if message := error.format_message():  # without one the help itself has been the answer
            _ERRORS.print(f"evaluator: {message}\nSee evaluator --help.", markup=False)
        return ExitCode.USAGE
    except UserError as error:
        _ERRORS.print(f"evaluator: {error}", markup=False)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception:  # a bug of ours: say so, with what is needed to mend it
        traceback.print_exc()
        _ERRORS.print("evaluator: this is a bug in scheduler-evaluator; please report it.", markup=False)
        return ExitCode.INTERNAL
    return code if isinstance(code, int) else ExitCode.OK


if __name__ == "__main__":
    main()
