"""The command line of ``lst-scheduler``: flags over a configuration file over the defaults."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

from scheduler import formats
from scheduler.config import DEFAULT_CHIP, LOG_FORMATS, LOG_LEVELS, Settings, Victims
from scheduler.errors import ConfigurationError
from scheduler.placement import PACKINGS
from scheduler.policy import LEAST_SLACK, POLICIES, Late, least_slack
from scheduler.timetext import format_span, parse_span

_T = TypeVar("_T")

Task = Literal["schedule", "print-config", "explain"]


@dataclass(frozen=True, slots=True)
class Command:
    """What the command line asks for.

    Attributes:
        settings: those that hold in the end.
        task: what to do with them.
        pod: of ``explain``: which pod, ``NAMESPACE/NAME`` or a name in the namespace ``default``.
        output: of ``explain``: ``text`` or ``json``.
    """

    settings: Settings
    task: Task = "schedule"
    pod: str = ""
    output: str = "text"


def parse(arguments: Sequence[str] | None) -> Command:
    """Read these arguments, or the process's own, and the configuration file that they name.

    Raises:
        ConfigurationError: they make no sense, or the file does not.
        SystemExit: ``--help`` or ``--version`` was asked for, and given.
    """
    parser = _parser()
    flags = vars(parser.parse_args(arguments))
    task: Task = flags.pop("command", None) or "schedule"
    if flags.pop("print_config", False):
        task = "print-config"
    pod, output = flags.pop("pod", ""), flags.pop("output", "text")
    settings = _with_flags(_from_file(flags.pop("config", None)), flags)
    return Command(settings, task, pod, output)


def _from_file(path: Path | None) -> Settings:
    if path is None:
        return Settings()
    from scheduler.configfile import load  # slow to import, and only needed for a file

    return load(path)


def _with_flags(settings: Settings, flags: dict[str, Any]) -> Settings:
    """The settings with those of the flags in their place: a flag wins over the file."""
    settings = _with_policy(settings, flags.pop("policy", None), flags.pop("late", None))
    if "packing" in flags:
        flags["packing"] = PACKINGS[flags["packing"]]
    if "victims" in flags:
        flags["victims"] = Victims(flags["victims"])
    if "chip_kinds" in flags:
        flags["chip_kinds"] = tuple(dict.fromkeys(flags["chip_kinds"]))
    election = {
        name.removeprefix(_ELECTION): flags.pop(name) for name in [*flags] if name.startswith(_ELECTION)
    }
    settings = replace(settings, **flags, election=replace(settings.election, **election))
    problem = settings.election.problem()
    if problem:
        raise ConfigurationError(f"leader election: {problem}: see the flags --leader-elect-…")
    return settings


_ELECTION = "election_"


def _with_policy(settings: Settings, name: str | None, late: str | None) -> Settings:
    chosen = name or settings.policy.name
    if late is not None and chosen != LEAST_SLACK.name:
        raise ConfigurationError(
            f"argument --late: {late!r} is for --policy {LEAST_SLACK.name}; the policy {chosen!r} treats "
            "late pods as all others: leave --late out (see lst-scheduler --help)"
        )
    if late is not None:
        return replace(settings, policy=least_slack(Late(late)))
    if name is not None and name != settings.policy.name:
        return replace(settings, policy=POLICIES[name])
    return settings


# Flags --------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"{message} (see {self.prog} --help)")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # slow to import, and only needed here

        sys.stdout.write(f"lst-scheduler {version('scheduler-evaluator')}\n")
        parser.exit()


_DESCRIPTION = "A Kubernetes scheduler for AI clusters: least slack first, best fit by free chips."
_EPILOG = (
    "Without a command it schedules until it is ended. Exit codes: 0 ended by SIGTERM or SIGINT, or told "
    "what was asked; 1 lost the lease of the leader; 3 a bug in the scheduler; 4 bad usage or configuration; "
    "5 explain: there is no such pod; 6 explain: the API server did not answer as it should."
)
_DEFAULT = Settings()


def _parser() -> argparse.ArgumentParser:
    # What is not given stays away, so that the file's value or the default holds.
    parser = _Parser(
        prog="lst-scheduler",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    _add_place(parser)
    _add_decisions(parser)
    _add_operation(parser)
    parser.add_argument(
        "--print-config",
        action="store_true",
        help="print the settings that hold, as a configuration file, and exit",
    )
    parser.add_argument("--version", nargs=0, action=_Version, help="print the version and exit")
    _add_explain(parser)
    return parser


def _add_explain(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(title="commands", dest="command", metavar="")
    explain = commands.add_parser(
        "explain",
        help="tell why a pod is where it is, or why it waits",
        description="Tell why a pod is where it is, who had to give way for it, or why it waits.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    explain.add_argument("pod", metavar="[NAMESPACE/]POD", help="which pod (default namespace: default)")
    explain.add_argument(
        "-o", "--output", choices=("text", "json"), help="for people or for programs (default: text)"
    )
    _add_sources(explain)


def _add_sources(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings in YAML; flags win over it (docs/lst-scheduler.md has an example)",
    )
    group.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        help="how to reach the API server (default: in-cluster, else $KUBECONFIG, else ~/.kube/config)",
    )


def _add_place(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where to work")
    _add_sources(group)
    group.add_argument(
        "--scheduler-name",
        type=_checked(formats.scheduler_name),
        metavar="NAME",
        help=f"schedule the pods with this spec.schedulerName (default: {_DEFAULT.scheduler_name})",
    )
    group.add_argument(
        "--resource",
        type=_checked(formats.extended_resource),
        action="append",
        dest="chip_kinds",
        metavar="NAME",
        help=f"an extended resource that is a chip; may be repeated (default: {DEFAULT_CHIP})",
    )


def _add_decisions(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how to decide")
    orders = "; ".join(f"{each.name}: {each.summary}" for each in POLICIES.values())
    group.add_argument(
        "--policy",
        choices=tuple(POLICIES),
        help=f"the order of pending pods (default: {_DEFAULT.policy.name}). {orders}",
    )
    group.add_argument(
        "--late",
        choices=tuple(each.value for each in Late),
        help="what pods under lst do that can no longer meet their deadline: go behind all others, keep "
        f"their place before all others, or count as without a deadline (default: {Late.DEMOTE.value})",
    )
    packings = "; ".join(f"{each.name}: {each.summary}" for each in PACKINGS.values())
    group.add_argument(
        "--pack",
        choices=tuple(PACKINGS),
        dest="packing",
        help=f"which node gets a pod that fits on several (default: {_DEFAULT.packing.name}). {packings}",
    )
    group.add_argument(
        "--preempt",
        choices=tuple(each.value for each in Victims),
        dest="victims",
        help="which running pods may be ended for a more urgent one that would be late otherwise (default: "
        f"{_DEFAULT.victims.value}): none, those whose controller makes them again, or any. Disruption "
        "budgets are honoured where there is another way",
    )
    group.add_argument(
        "--annotation-prefix",
        type=_checked(formats.annotation_prefix),
        metavar="PREFIX",
        help="what annotations' names have before deadline, expected-duration and so on "
        f"(default: {_DEFAULT.annotation_prefix})",
    )
    group.add_argument(
        "--default-deadline",
        type=_checked(parse_span),
        metavar="SPAN",
        help="deadline after creation for pods that state none, such as 24h (default: none; they go behind)",
    )
    group.add_argument(
        "--default-duration",
        type=_checked(parse_span),
        metavar="SPAN",
        help="expected run time of pods that state none, such as 1h (default: unknown)",
    )
    group.add_argument(
        "--gather",
        type=_checked(parse_span),
        metavar="SPAN",
        help=f"how long to wait for more changes before deciding (default: {format_span(_DEFAULT.gather)})",
    )


def _add_operation(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how to run")
    group.add_argument("--log-level", choices=LOG_LEVELS, help=f"default: {_DEFAULT.log_level}")
    group.add_argument("--log-format", choices=LOG_FORMATS, help=f"default: {_DEFAULT.log_format}")
    group.add_argument(
        "--listen",
        type=_checked(formats.address),
        metavar="ADDRESS",
        help="serve /healthz, /readyz and /metrics at HOST:PORT, or at :PORT of the loopback address "
        "(default: nothing is served)",
    )
    group.add_argument(
        "--concurrent-writes",
        type=_checked(formats.write_limit),
        metavar="N",
        help="how many writes to the API server may be under way at once "
        f"(default: {_DEFAULT.concurrent_writes}, so that they come one after the other)",
    )
    group.add_argument(
        "--record-decisions",
        action=argparse.BooleanOptionalAction,
        help="write the reasons of each binding into an annotation of the pod (default: yes)",
    )
    _add_election(group)


def _add_election(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--leader-elect",
        action=argparse.BooleanOptionalAction,
        dest="election_enabled",
        help="decide only while holding a Lease, of which one of several processes has it (default: no)",
    )
    default = _DEFAULT.election
    for flag, field, convert, metavar in (
        ("resource-namespace", "namespace", formats.object_name, "NAME"),
        ("resource-name", "name", formats.object_name, "NAME"),
        ("lease-duration", "lease_duration", parse_span, "SPAN"),
        ("renew-deadline", "renew_deadline", parse_span, "SPAN"),
        ("retry-period", "retry_period", parse_span, "SPAN"),
    ):
        value = getattr(default, field)
        group.add_argument(
            f"--leader-elect-{flag}",
            type=_checked(convert),
            dest=f"{_ELECTION}{field}",
            metavar=metavar,
            help=f"as of kube-scheduler (default: {format_span(value) if convert is parse_span else value})",
        )


def _checked(convert: Callable[[str], _T]) -> Callable[[str], _T]:
    """The conversion with its complaint in the form that argparse passes on."""

    def converted(text: str) -> _T:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return converted
