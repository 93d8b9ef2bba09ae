"""Settings as a YAML file: ``apiVersion: lst.scheduler/v1alpha1``, ``kind: SchedulerConfiguration``.

What the file leaves out has the default of ``config``; what it misspells is refused with the path to the
field. Imported only where a file is read or written: pydantic takes longer to load than all of the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError
from pydantic.alias_generators import to_camel

from scheduler import formats
from scheduler.config import ElectionSettings, Settings, Victims
from scheduler.errors import ConfigurationError
from scheduler.placement import PACKINGS
from scheduler.policy import LEAST_SLACK, POLICIES, Late, Policy, least_slack
from scheduler.rules import PreemptionRules
from scheduler.timetext import format_span, parse_span

API_VERSION: Literal["lst.scheduler/v1alpha1"] = "lst.scheduler/v1alpha1"
KIND: Literal["SchedulerConfiguration"] = "SchedulerConfiguration"

# Values -------------------------------------------------------------------------------------------


def _text(convert: Callable[[str], Any]) -> BeforeValidator:
    """A value written as text, in the form that ``convert`` reads."""

    def converted(value: object) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"{value!r}: expected text{_example(convert)}")
        return convert(value)

    return BeforeValidator(converted)


def _example(convert: Callable[[str], Any]) -> str:
    examples = {parse_span: "90s, 1.5h or 1h30m", formats.address: '"127.0.0.1:10261"'}
    return f" such as {examples[convert]}" if convert in examples else ""


Span = Annotated[int, _text(parse_span), PlainSerializer(format_span)]
Name = Annotated[str, _text(formats.scheduler_name)]
ObjectName = Annotated[str, _text(formats.object_name)]
Prefix = Annotated[str, _text(formats.annotation_prefix)]
Key = Annotated[str, _text(formats.annotation_key)]
Resource = Annotated[str, _text(formats.extended_resource)]
Address = Annotated[tuple[str, int], _text(formats.address), PlainSerializer(formats.format_address)]

# The file -----------------------------------------------------------------------------------------

_DEFAULT = Settings()
_RULES = _DEFAULT.rules
_ELECTION = _DEFAULT.election


class _Section(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True
    )


class AnnotationNames(_Section):
    """Annotations whose names do not follow the prefix."""

    deadline: Key | None = None
    expected_duration: Key | None = None
    checkpoint_interval: Key | None = None
    restart_cost: Key | None = None
    progress: Key | None = None
    gang: Key | None = None
    gang_topology: Key | None = None
    decision: Key | None = None


class Annotations(_Section):
    """How pods tell of their timing, and how they are told of decisions."""

    prefix: Prefix = _DEFAULT.annotation_prefix
    keys: AnnotationNames = Field(default_factory=AnnotationNames)
    record_decisions: bool = _DEFAULT.record_decisions


class DefaultClassSection(_Section):
    """What holds for pods that do not say it themselves."""

    deadline: Span | None = None
    expected_duration: Span | None = None


class PreemptionSection(_Section):
    """When running pods may be ended for others."""

    victims: Literal["never", "controlled", "any"] = _DEFAULT.victims.value
    hysteresis: Span = _RULES.hysteresis
    lead: Span = _RULES.lead
    last_chance: Span = _RULES.last_chance
    minimum_run: Span = _RULES.minimum_run
    budget: Annotated[int, Field(ge=0)] = _RULES.budget
    hold: Span = _RULES.hold


class WritesSection(_Section):
    """How the API server is spared."""

    concurrent: Annotated[int, Field(ge=1, le=formats.MOST_WRITES)] = _DEFAULT.concurrent_writes


class ElectionSection(_Section):
    """Which of several processes decides."""

    enabled: bool = _ELECTION.enabled
    namespace: ObjectName = _ELECTION.namespace
    name: ObjectName = _ELECTION.name
    lease_duration: Span = _ELECTION.lease_duration
    renew_deadline: Span = _ELECTION.renew_deadline
    retry_period: Span = _ELECTION.retry_period


class LogSection(_Section):
    """What is logged on standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"


class Document(_Section):
    """The whole file."""

    api_version: Literal["lst.scheduler/v1alpha1"]
    kind: Literal["SchedulerConfiguration"]
    scheduler_name: Name = _DEFAULT.scheduler_name
    kubeconfig: str | None = None
    policy: Literal["lst", "edf", "sjf", "priority", "fifo"] = "lst"
    late: Literal["demote", "keep", "drop-priority"] | None = None
    packing: Literal["fit", "utilization"] = "fit"
    resources: Annotated[list[Resource], Field(min_length=1)] = list(_DEFAULT.chip_kinds)
    gather: Span = _DEFAULT.gather
    annotations: Annotations = Field(default_factory=Annotations)
    default_class: DefaultClassSection = Field(default_factory=DefaultClassSection)
    preemption: PreemptionSection = Field(default_factory=PreemptionSection)
    writes: WritesSection = Field(default_factory=WritesSection)
    leader_election: ElectionSection = Field(default_factory=ElectionSection)
    listen: Address | None = None
    log: LogSection = Field(default_factory=LogSection)


# Reading ------------------------------------------------------------------------------------------


def load(path: Path) -> Settings:
    """The settings of a file.

    Raises:
        ConfigurationError: the file cannot be read, or something in it is not as it has to be.
    """
    content = _parsed(path)
    try:
        document = Document.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError("\n".join(f"{path}: {each}" for each in _complaints(error))) from error
    settings = _settings(document, path.parent)
    problem = _contradiction(document, settings)
    if problem:
        raise ConfigurationError(f"{path}: {problem}")
    return settings


NOT_YAML = (yaml.YAMLError, ValueError, RecursionError)
"""What reading YAML fails with: dates and numbers that do not exist are plain ``ValueError``."""


class _Loader(yaml.SafeLoader):
    """YAML without the one thing that it lets pass silently: a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = next((key for position, key in enumerate(keys) if key in keys[:position]), None)
        if twice is not None:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {twice!r} stands twice", node.start_mark
            )
        return super().construct_mapping(node, deep)


def _parsed(path: Path) -> object:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506  # a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read the configuration {path}: {error}") from error
    except NOT_YAML as error:
        raise ConfigurationError(f"{path}: not YAML: {error}") from error
    if not isinstance(content, Mapping):
        raise ConfigurationError(
            f"{path}: expected a mapping that begins with apiVersion: {API_VERSION} and kind: {KIND}"
        )
    return content


def _settings(document: Document, folder: Path) -> Settings:
    annotations, rules, election = document.annotations, document.preemption, document.leader_election
    return Settings(
        kubeconfig=None if document.kubeconfig is None else folder / document.kubeconfig,
        scheduler_name=document.scheduler_name,
        policy=POLICIES[document.policy] if document.late is None else least_slack(Late(document.late)),
        packing=PACKINGS[document.packing],
        annotation_prefix=annotations.prefix,
        annotation_names=annotations.keys.model_dump(by_alias=False, exclude_none=True),
        record_decisions=annotations.record_decisions,
        default_deadline=document.default_class.deadline,
        default_duration=document.default_class.expected_duration,
        chip_kinds=tuple(dict.fromkeys(document.resources)),
        victims=Victims(rules.victims),
        rules=PreemptionRules(**{name: getattr(rules, name) for name in _RULE_NAMES}),
        gather=document.gather,
        concurrent_writes=document.writes.concurrent,
        election=ElectionSettings(**{name: getattr(election, name) for name in asdict(_ELECTION)}),
        listen=document.listen,
        log_level=document.log.level,
        log_format=document.log.format,
    )


_RULE_NAMES = tuple(name for name in asdict(_RULES) if name != "unmanaged")
"""The rules that stand in the file by themselves: the one left out follows from ``victims``."""


def _contradiction(document: Document, settings: Settings) -> str:
    """What does not fit together, with the path to it; empty when all does."""
    if document.late is not None and document.policy != LEAST_SLACK.name:
        return (
            f"late: {document.late!r} is for policy {LEAST_SLACK.name!r}; the policy {document.policy!r} "
            "treats late pods as all others: leave late out"
        )
    names = list(asdict(settings.annotation_keys).values())
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"annotations: {twice!r} is the name of two annotations: expected a name for each"
    for section, problem in (
        ("preemption", settings.rules.problem()),
        ("leaderElection", settings.election.problem()),
    ):
        if problem:
            return f"{section}: {problem}"
    return ""


# Complaints ---------------------------------------------------------------------------------------


def _complaints(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False):
        where = ".".join(map(str, each["loc"]))
        yield f"{where}: {_complaint(dict(each))}"


def _complaint(each: Mapping[str, Any]) -> str:
    match each["type"]:
        case "extra_forbidden":
            return f"there is no such field; expected one of {', '.join(_known(each['loc'][:-1]))}"
        case "missing":
            expected = API_VERSION if each["loc"][-1] == "apiVersion" else KIND
            return f"the field is missing: expected {expected}"
        case "value_error":
            return str(each["ctx"]["error"])
        case "literal_error":
            return f"{each['input']!r}: expected {each['ctx']['expected']}"
    message = str(each["msg"]).removeprefix("Input should be ")
    return f"{each['input']!r}: expected {message}"


def _known(path: Sequence[int | str]) -> list[str]:
    """The names of the fields at a path."""
    model: type[BaseModel] = Document
    for step in path:
        fields = {field.alias: field.annotation for field in model.model_fields.values()}
        found = fields.get(str(step))
        assert isinstance(found, type), path
        assert issubclass(found, BaseModel), path
        model = found
    return [str(field.alias) for field in model.model_fields.values()]


# Writing ------------------------------------------------------------------------------------------


def dump(settings: Settings) -> str:
    """The file that says all these settings."""
    rules, election = asdict(settings.rules), asdict(settings.election)
    kubeconfig = settings.kubeconfig
    document = Document(api_version=API_VERSION, kind=KIND).model_copy(
        update={
            "scheduler_name": settings.scheduler_name,
            "kubeconfig": None if kubeconfig is None else str(kubeconfig.absolute()),
            "policy": settings.policy.name,
            "late": _late_of(settings.policy),
            "packing": settings.packing.name,
            "resources": list(settings.chip_kinds),
            "gather": settings.gather,
            "annotations": Annotations.model_construct(
                prefix=settings.annotation_prefix,
                keys=AnnotationNames.model_construct(**asdict(settings.annotation_keys)),
                record_decisions=settings.record_decisions,
            ),
            "default_class": DefaultClassSection.model_construct(
                deadline=settings.default_deadline, expected_duration=settings.default_duration
            ),
            "preemption": PreemptionSection.model_construct(
                victims=settings.victims.value, **{name: rules[name] for name in _RULE_NAMES}
            ),
            "writes": WritesSection.model_construct(concurrent=settings.concurrent_writes),
            "leader_election": ElectionSection.model_construct(**election),
            "listen": settings.listen,
            "log": LogSection.model_construct(level=settings.log_level, format=settings.log_format),
        }
    )
    return yaml.safe_dump(document.model_dump(), sort_keys=False)


def _late_of(policy: Policy) -> str | None:
    return next((late.value for late in Late if least_slack(late) == policy), None)
