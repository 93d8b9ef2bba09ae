"""The command line of ``lst-scheduler``, read into ``Settings``."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeVar

from scheduler.config import DEFAULT_CHIP, DEFAULT_GATHER, DEFAULT_NAME, Settings
from scheduler.errors import ConfigurationError
from scheduler.laxity import DEFAULT_PREFIX
from scheduler.placement import BEST_FIT, PACKINGS
from scheduler.policy import LEAST_SLACK, POLICIES, Late, Policy, least_slack
from scheduler.rules import PreemptionRules
from scheduler.timetext import format_span, parse_span

_T = TypeVar("_T")

PREEMPTIONS: Mapping[str, PreemptionRules | None] = {
    "never": None,
    "controlled": PreemptionRules(),
    "any": PreemptionRules(unmanaged=True),
}
"""What ``--preempt`` can be."""

LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Command:
    """What the command line asks for."""

    settings: Settings
    log_level: str


def parse(arguments: Sequence[str] | None) -> Command:
    """Read these arguments, or the process's own.

    Raises:
        ConfigurationError: they make no sense.
        SystemExit: ``--help`` or ``--version`` was asked for, and given.
    """
    parser = _parser()
    parsed = parser.parse_args(arguments)
    if parsed.late is not None and parsed.policy != LEAST_SLACK.name:
        parser.error(
            f"argument --late: {parsed.late!r} is for --policy {LEAST_SLACK.name}; "
            f"the policy {parsed.policy!r} treats late pods as all others: leave --late out"
        )
    settings = Settings(
        kubeconfig=parsed.kubeconfig,
        scheduler_name=parsed.scheduler_name,
        policy=_policy(parsed.policy, parsed.late),
        packing=PACKINGS[parsed.pack],
        annotation_prefix=parsed.annotation_prefix,
        default_deadline=parsed.default_deadline,
        chip_kinds=tuple(dict.fromkeys(parsed.chip_kinds or (DEFAULT_CHIP,))),
        preemption=PREEMPTIONS[parsed.preempt],
        gather=parsed.gather,
    )
    return Command(settings, parsed.log_level)


def _policy(name: str, late: str | None) -> Policy:
    return POLICIES[name] if late is None else least_slack(Late(late))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"{message} (see lst-scheduler --help)")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # slow to import, and only needed here

        sys.stdout.write(f"lst-scheduler {version('scheduler-evaluator')}\n")
        parser.exit()


_DESCRIPTION = "A Kubernetes scheduler for AI clusters: least slack first, best fit by free chips."
_EPILOG = "Exit codes: 0 ended by SIGTERM or SIGINT; 3 a bug in the scheduler; 4 bad usage or configuration."


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="lst-scheduler", description=_DESCRIPTION, epilog=_EPILOG)
    _add_place(parser)
    _add_decisions(parser)
    parser.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        default="info",
        help="what to log on standard error (default: %(default)s)",
    )
    parser.add_argument("--version", nargs=0, action=_Version, help="print the version and exit")
    return parser


def _add_place(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where to work")
    group.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        help="how to reach the API server (default: in-cluster, else $KUBECONFIG, else ~/.kube/config)",
    )
    group.add_argument(
        "--scheduler-name",
        type=_checked(_name),
        default=DEFAULT_NAME,
        metavar="NAME",
        help="schedule the pods with this spec.schedulerName (default: %(default)s)",
    )
    group.add_argument(
        "--resource",
        type=_checked(_resource),
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
        default=LEAST_SLACK.name,
        help=f"the order of pending pods (default: %(default)s). {orders}",
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
        default=BEST_FIT.name,
        help=f"which node gets a pod that fits on several (default: %(default)s). {packings}",
    )
    group.add_argument(
        "--preempt",
        choices=tuple(PREEMPTIONS),
        default="never",
        help="which running pods may be ended for a more urgent one that would be late otherwise (default: "
        "%(default)s): none, those whose controller makes them again, or any. Disruption budgets are "
        "honoured where there is another way",
    )
    group.add_argument(
        "--annotation-prefix",
        type=_checked(_prefix),
        default=DEFAULT_PREFIX,
        metavar="PREFIX",
        help="what annotations' names have before deadline and expected-duration (default: %(default)s)",
    )
    group.add_argument(
        "--default-deadline",
        type=_checked(parse_span),
        metavar="SPAN",
        help="deadline after creation for pods that state none, such as 24h (default: none; they go behind)",
    )
    group.add_argument(
        "--gather",
        type=_checked(parse_span),
        default=DEFAULT_GATHER,
        metavar="SPAN",
        help=f"how long to wait for more changes before deciding (default: {format_span(DEFAULT_GATHER)})",
    )


# Checks -------------------------------------------------------------------------------------------

_NAME = re.compile(r"[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(r"(?:[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?/)?(?:[A-Za-z0-9][-._A-Za-z0-9]*)?")
_RESOURCE = re.compile(r"[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?/[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?")


def _checked(convert: Callable[[str], _T]) -> Callable[[str], _T]:
    """The conversion with its complaint in the form that argparse passes on."""

    def converted(text: str) -> _T:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return converted


def _name(text: str) -> str:
    return _matching(_NAME, text, "expected letters, digits, '-', '_' and '.', at most 63 of them")


def _prefix(text: str) -> str:
    return _matching(_PREFIX, text, "expected the beginning of an annotation's name, such as example.com/")


def _resource(text: str) -> str:
    return _matching(_RESOURCE, text, "expected the name of an extended resource, such as nvidia.com/gpu")


def _matching(pattern: re.Pattern[str], text: str, expected: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError(f"{text!r}: {expected}")
    return text
