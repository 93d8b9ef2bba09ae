"""``s``: what a scenario's function builds its story with.

Each method adds something that exists or arrives, checks it where it is written, and returns it. Amounts
and times are texts with a unit (``"90m"``, ``"500m"`` of a core, ``"2Gi"``), or what ``minutes(…)`` and its
like make. One method for each word of the language: this file grows with the vocabulary alone.

In a process (:mod:`evaluator.scenario.processes`) everything happens now, unless its instant is later.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any, Final, Generic, TypeVar

import yaml

from evaluator.errors import ScenarioError, shown
from evaluator.scenario.checks import Placed
from evaluator.scenario.expectations import Expectation, parse_expectation
from evaluator.scenario.machinewords import MachineWords
from evaluator.scenario.measures import QUANTITIES
from evaluator.scenario.model import (
    DEFAULT_PODS_PER_NODE,
    Delete,
    Failures,
    Fault,
    Job,
    Manifest,
    Node,
    NodePool,
    Note,
    Outage,
    Pod,
    PriorityClass,
    ScenarioItem,
    Settings,
    Taint,
    Toleration,
)
from evaluator.scenario.parameters import ScenarioParameters
from evaluator.scenario.processes import ProcessWords
from evaluator.scenario.units import Cpu, Memory, Moment, Span

MAX_ITEMS: Final = 2_000_000
"""Items of one scenario: twenty times the largest workload aimed at, and a stop for loops that never end."""

P = TypeVar("P", bound=ScenarioParameters)
_I = TypeVar(
    "_I",
    Settings,
    Node,
    NodePool,
    PriorityClass,
    Pod,
    Job,
    Manifest,
    Delete,
    Fault,
    Outage,
    Failures,
    Note,
)


class Scenario(MachineWords, ProcessWords, Generic[P]):
    """Takes in what a scenario says, in the order in which it says it."""

    def __init__(self, params: P, path: Path, *, limit: int = MAX_ITEMS) -> None:
        """Begin with nothing.

        :param params: the parameters, with what ``--set`` gave.
        :param path: the scenario's file; what is added is placed at the lines of this file.
        :param limit: the most items that it takes.
        """
        super().__init__()
        self.params: Final = params
        self._path = path
        self._limit = limit
        self._placed: list[Placed] = []
        self._expectations: list[Expectation] = []

    @property
    def placed(self) -> Sequence[Placed]:
        """Everything that was added, each with the line that added it."""
        return self._placed

    @property
    def expectations(self) -> Sequence[Expectation]:
        """What should hold at the end, in the order in which it was said."""
        return self._expectations

    def settings(
        self,
        *,
        title: str | None = None,
        start: str | datetime | None = None,
        until: Moment | None = None,
        chip_resource: str | None = None,
    ) -> Settings:
        """What holds for the whole scenario; at most once.

        :param title: one line that says what it is about.
        :param start: instant at which virtual time begins; 2026-01-05T00:00:00Z, a Monday, unless given.
        :param until: when the run ends at the latest; unless given, when nothing is left to happen.
        :param chip_resource: resource by which chips are counted; ``nvidia.com/gpu`` unless given.
        """
        return self._add(Settings, locals())

    def node(
        self,
        name: str,
        *,
        at: Moment = "0s",
        chips: int = 0,
        chip_type: str | None = None,
        cpu: Cpu = 64,
        memory: Memory = "512Gi",
        pods: int = DEFAULT_PODS_PER_NODE,
        zone: str | None = None,
        region: str | None = None,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[Taint] = (),
    ) -> Node:
        """One machine.

        :param at: when it joins the cluster.
        :param pods: pods that it takes.
        """
        return self._add(Node, locals())

    def nodes(
        self,
        name: str,
        *,
        count: int,
        at: Moment = "0s",
        chips: int = 0,
        chip_type: str | None = None,
        cpu: Cpu = 64,
        memory: Memory = "512Gi",
        pods: int = DEFAULT_PODS_PER_NODE,
        zone: str | None = None,
        region: str | None = None,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[Taint] = (),
    ) -> NodePool:
        """``count`` machines of one shape, named ``NAME-0``, ``NAME-1`` and so on.

        :param at: when they join the cluster.
        :param pods: pods that each of them takes.
        """
        return self._add(NodePool, locals())

    def pod(
        self,
        name: str,
        *,
        at: Moment = "0s",
        chips: int = 0,
        cpu: Cpu = 1,
        memory: Memory = "1Gi",
        run_time: Span | None = None,
        checkpoint: Span | None = None,
        checkpoint_on_stop: bool = False,
        restart_cost: Span | None = None,
        deadline: Moment | None = None,
        expected: Span | None = None,
        priority_class: str | None = None,
        priority: int | None = None,
        start_delay: Span | None = None,
        stop_time: Span | None = None,
        exit_code: int = 0,
        grace: Span = "30s",
        user: str | None = None,
        queue: str | None = None,
        namespace: str = "default",
        scheduler_name: str | None = None,
        node_selector: Mapping[str, str] | None = None,
        tolerations: Sequence[Toleration] = (),
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> Pod:
        """A pod that somebody submits: a job of one piece.

        :param at: when it is submitted.
        :param run_time: how long its work truly takes once started; none: it runs for ever.
        :param deadline: when it should have finished: a duration after its submission, or an instant.
        :param expected: run time that the scheduler is shown; the true one unless given.
        :param priority: a priority without a named class; a class of that value is made.
        :param start_delay: from binding to the start of the work: image pull and start-up.
        :param stop_time: how long it needs to stop when told to.
        :param exit_code: what its work exits with at its end; anything but 0 makes it fail.
        :param grace: whole seconds after which a stop is forced.
        :param scheduler_name: the scheduler that places it; unless given, the one under test.
        """
        return self._add(Pod, locals())

    def job(
        self,
        name: str,
        *,
        at: Moment = "0s",
        pods: int = 1,
        completions: int | None = None,
        gang: bool = False,
        topology: str | None = None,
        indexed: bool = True,
        retries: int | None = None,
        suspend: bool = False,
        active_deadline: Span | None = None,
        keep_for: Span | None = None,
        chips: int = 0,
        cpu: Cpu = 1,
        memory: Memory = "1Gi",
        run_time: Span | None = None,
        checkpoint: Span | None = None,
        checkpoint_on_stop: bool = False,
        restart_cost: Span | None = None,
        deadline: Moment | None = None,
        expected: Span | None = None,
        priority_class: str | None = None,
        priority: int | None = None,
        start_delay: Span | None = None,
        stop_time: Span | None = None,
        exit_code: int = 0,
        grace: Span = "30s",
        user: str | None = None,
        queue: str | None = None,
        namespace: str = "default",
        scheduler_name: str | None = None,
        node_selector: Mapping[str, str] | None = None,
        tolerations: Sequence[Toleration] = (),
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> Job:
        """A Job that somebody submits: pods that are made again when they are lost, and go on with the work.

        What is said of chips, cpu, memory and times holds for each of its pods; the rest is as of ``s.pod``.

        :param pods: how many run at a time.
        :param completions: how many have to succeed in whole; as many as run at a time unless given.
        :param gang: they work only together: all at once or not at all, and restart as a whole.
        :param topology: a label of nodes, such as a rack's; a gang is kept within one value of it if it fits.
        :param indexed: each has an index, and what replaces it goes on with its work.
        :param retries: failed pods, preempted and lost ones among them, after which it has failed; fifty for
            each pod at a time unless given.
        :param suspend: it is not started until somebody changes that.
        :param active_deadline: whole seconds after its start at which it is ended, done or not.
        :param keep_for: whole seconds after which a finished Job is removed with its pods.
        :param checkpoint: its work is saved each time that so much more is done; none: at its end alone.
        :param checkpoint_on_stop: a stop that ends within the grace period saves all that was done.
        :param restart_cost: extra time at each start of the same work but the first.
        """
        return self._add(Job, locals())

    def priority_class(
        self,
        name: str,
        *,
        value: int,
        preempts: bool = True,
        default: bool = False,
        description: str = "",
    ) -> PriorityClass:
        """A named pod priority.

        :param preempts: whether its pods may preempt others (``preemptionPolicy``).
        :param default: whether pods without a class get it (``globalDefault``).
        """
        return self._add(PriorityClass, locals())

    def apply(self, manifest: str | Mapping[str, Any], *, at: Moment = "0s") -> list[Manifest]:
        """Any object that the API server serves: a mapping, or YAML of one or more documents.

        :raises ScenarioError: if the text is no YAML of objects.
        """
        objects = [manifest] if isinstance(manifest, Mapping) else self._documents(manifest)
        return [self._add(Manifest, {"object": each, "at": at}) for each in objects]

    def delete(
        self, pod: str, *, at: Moment, namespace: str = "default", grace: Span | None = None
    ) -> Delete:
        """Somebody deletes a pod.

        :param grace: grace period in whole seconds; unless given, the pod's own.
        """
        return self._add(Delete, locals())

    def note(self, topic: str, text: str, *, count: int | None = None) -> Note:
        """A line for the import report: what was changed, dropped or invented."""
        return self._add(Note, locals())

    def expect(self, expectation: Expectation | str) -> Expectation:
        """What should hold at the end: ``s.expect(deadlines_missed <= 0)``, or the same as text.

        :raises ScenarioError: if the text is no comparison, or compares what nothing measures.
        """
        if self._present is not None:
            raise ScenarioError(
                "a process expects nothing", where=self.where(), next_step="Call s.expect in scenario()."
            )
        try:
            given = (
                expectation
                if isinstance(expectation, Expectation)
                else parse_expectation(str(expectation))  # also what two numbers compared became: True
            )
        except ValueError as error:
            raise ScenarioError(str(error), where=self.where()) from error
        if given.metric not in QUANTITIES:
            raise ScenarioError(
                f"no metric is named {shown(given.metric)}",
                where=self.where(),
                next_step=f"Compare one of these with a number: {', '.join(QUANTITIES)}.",
            )
        self._expectations.append(given)
        return given

    def replay(self, items: Iterable[ScenarioItem]) -> None:
        """Take in what a recorded trace became: its nodes, its jobs and its notes."""
        for item in items:
            self._place(item)

    def where(self) -> str:
        """File and line of the scenario's statement that is running; the file alone outside of it."""
        frame: FrameType | None = sys._getframe()  # inspect.stack() would read source files at each item
        name = str(self._path)
        while frame is not None:
            if frame.f_code.co_filename == name:
                return f"{name}:{frame.f_lineno}"
            frame = frame.f_back
        return name

    def _add(self, kind: type[_I], given: Mapping[str, object]) -> _I:
        fields = {key: given[key] for key in kind.model_fields if given.get(key) is not None}
        item = kind.model_validate(fields)
        self._place(item)
        return item

    _take_in = _add

    def _place(self, item: ScenarioItem) -> None:
        if len(self._placed) >= self._limit:
            raise ScenarioError(
                f"more than {self._limit:,} items",
                where=self.where(),
                next_step="Does a loop in scenario() never end?",
            )
        placed = Placed(item, self.where())
        self._placed.append(placed)
        if self._present is not None:
            self._present.add(placed)

    def _documents(self, text: str) -> list[Mapping[str, Any]]:
        try:
            documents = [each for each in yaml.safe_load_all(text) if each is not None]
        except yaml.YAMLError as error:
            raise ScenarioError(f"not YAML: {error}", where=self.where()) from error
        for each in documents:
            if not isinstance(each, Mapping):
                raise ScenarioError(
                    f"a manifest is a mapping, not {type(each).__name__}",
                    where=self.where(),
                    next_step="Give apiVersion, kind and metadata.",
                )
        return documents
