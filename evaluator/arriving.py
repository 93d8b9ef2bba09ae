"""What a scenario's items do to the world when their instant comes."""

from copy import deepcopy
from functools import partial
from typing import Final, assert_never

from evaluator.errors import ScenarioError
from evaluator.scenario.faults import Failures, Fault
from evaluator.scenario.model import Delete, Manifest, Node, Pod
from evaluator.scenario.plan import Arrival, LoadedScenario
from evaluator.scenario.units import parse_duration, parse_instant
from evaluator.scenario.work import Job
from fakeapi.cluster.failures import Outage
from fakeapi.kernel.events import Rank
from fakeapi.kernel.time import SECOND, Duration
from fakeapi.machinery.resources import NAMESPACES, PODS, Resource
from fakeapi.machinery.schema import message_for
from fakeapi.machinery.status import StatusError
from fakeapi.machinery.structure import inspect
from fakeapi.registry.deletion import delete
from fakeapi.registry.options import DeleteOptions
from fakeapi.storage.errors import StoreError
from fakeapi.world import World


class RefusedArrival(ScenarioError):
    """The API server refused an object of the scenario; the message names it and why."""


_RANKS: Final = {Delete: Rank.DELETION, Fault: Rank.FAILURE}
"""When items happen among the events of their instant; the others arrive last."""


class Arrivals:
    """Lets the items of a scenario happen in a world."""

    def __init__(self, scenario: LoadedScenario, world: World, scheduler_name: str) -> None:
        """``scheduler_name``: the name of the scheduler under test, for work that names none."""
        self._scenario = scenario
        self._world = world
        self._scheduler_name = scheduler_name

    def plan(self) -> None:
        """Put all items into the world's queue.

        Raises:
            RefusedArrival: the API server refused a node that is there from the start.
        """
        for arrival in self._scenario.arrivals:
            if arrival.at_ns == 0 and isinstance(arrival.item, Node):
                # The cluster stands before the scheduler starts, as it would when one is installed.
                self.happen(arrival)
            else:
                self.schedule(arrival)

    def schedule(self, arrival: Arrival) -> None:
        """Put an item into the world's queue."""
        item, at = arrival.item, self._scenario.start_ns + arrival.at_ns
        # That something will fail some day is no reason for a run to go on.
        background, rank = isinstance(item, Fault | Failures), _RANKS.get(type(item), Rank.ARRIVAL)
        self._world.queue.schedule(at, rank, partial(self.happen, arrival), background=background)

    def happen(self, arrival: Arrival) -> None:
        """Let an item happen now.

        Raises:
            RefusedArrival: the API server refused it.
        """
        item = arrival.item
        try:
            match item:
                case Delete():
                    self._delete(item)
                case Fault():
                    self._fail(item)
                case Failures():
                    self._draw(item)
                case _:
                    self._create(arrival)
        except (StatusError, StoreError) as error:
            what = item.name if isinstance(item, Pod | Job | Node) else type(item).__name__
            raise self._refused(
                arrival, f"{what} at {arrival.at_ns / SECOND:g}s was refused: {error}"
            ) from error

    def _refused(self, arrival: Arrival, why: str) -> RefusedArrival:
        return RefusedArrival(why, where=arrival.where or str(self._scenario.path))

    # ---- objects -----------------------------------------------------------------------------------

    def _create(self, arrival: Arrival) -> None:
        manifest = self._scenario.manifest(arrival, scheduler_name=self._scheduler_name)
        assert manifest is not None, "what makes no object is dealt with above"
        resource = self._resource_of(arrival, manifest)
        namespace = manifest["metadata"].get("namespace", "default") if resource.namespaced else ""
        if namespace:
            self._require_namespace(namespace)
        if isinstance(arrival.item, Manifest):
            if problem := _problem_of_structure(manifest, resource):
                raise self._refused(arrival, problem)
            # The registry keeps what it is given, and the scenario may be played again.
            manifest = deepcopy(manifest)
        self._world.registry.create(resource, namespace, manifest)

    def _resource_of(self, arrival: Arrival, manifest: dict[str, object]) -> Resource:
        group, _, version = str(manifest.get("apiVersion", "")).rpartition("/")
        kind = str(manifest.get("kind", ""))
        resource = self._world.table.by_kind(group, version, kind)
        if resource is None:
            what = f"no kind {kind!r} is served in {manifest.get('apiVersion')!r}"
            raise self._refused(arrival, what)
        return resource

    def _require_namespace(self, name: str) -> None:
        if self._world.store.find(NAMESPACES.storage_key, ("", name)) is None:
            self._world.registry.create(NAMESPACES, "", {"metadata": {"name": name}})

    def _delete(self, item: Delete) -> None:
        if self._world.store.find(PODS.storage_key, (item.namespace, item.pod)) is None:
            return  # evicted or removed before: its user finds nothing left to delete
        grace_s = None if item.grace is None else int(parse_duration(item.grace)) // SECOND
        delete(self._world.registry, PODS, item.namespace, item.pod, DeleteOptions(grace_s=grace_s))

    # ---- machines ----------------------------------------------------------------------------------

    def _fail(self, fault: Fault) -> None:
        machines, node = self._world.machines, fault.node
        if not machines.exists(node):
            return  # it was removed before
        match fault.action:
            case "fail_chips":
                chips = min(fault.chips or 1, machines.chips(node) - len(machines.failed_chips(node)))
                if chips:
                    self._break(fault, chips)
            case "crash":
                self._break(fault, 0)
            case "cordon":
                machines.cordon(node)
                self._open_later(node, fault.lasts_ns)
            case "drain":
                machines.drain(node)
                self._open_later(node, fault.lasts_ns)
            case "remove":
                machines.remove(node)
            case _ as unreachable:
                assert_never(unreachable)

    def _break(self, fault: Fault, chips: int) -> None:
        """Let chips fail, or with none of them the machine; it is repaired if the fault has an end."""
        machines, lasts = self._world.machines, fault.lasts_ns
        if lasts is not None:
            now = self._world.clock.now()
            self._world.failures.happen(Outage(now, fault.node, lasts, chips, fault.group))
        elif chips:
            machines.fail_chips(fault.node, chips, group=fault.group)
        else:
            machines.crash(fault.node, group=fault.group)

    def _open_later(self, node: str, after: Duration | None) -> None:
        if after is None:
            return

        def open_again() -> None:
            if self._world.machines.exists(node):
                self._world.machines.uncordon(node)

        at = self._world.clock.now() + after
        self._world.queue.schedule(at, Rank.REPAIR, open_again, "node takes pods again", background=True)

    def _draw(self, item: Failures) -> None:
        until = None
        if item.until is not None:
            start = self._scenario.start_ns
            until = start + parse_instant(item.until).since(start)
        self._world.failures.draw(item.drawn(), until=until)


def _problem_of_structure(manifest: dict[str, object], resource: Resource) -> str:
    """What an API server finds while it reads a body, which these objects never are; empty when nothing."""
    message = message_for(resource.group, resource.version, resource.kind)
    if message is None:
        return ""
    findings = inspect(manifest, message)
    problems = [findings.error] if findings.error else [f"unknown field {path}" for path in findings.unknown]
    return f"{resource.kind} {_name_in(manifest)} was refused: {'; '.join(problems)}" if problems else ""


def _name_in(manifest: dict[str, object]) -> str:
    metadata = manifest.get("metadata")
    found = metadata.get("name") or metadata.get("generateName") if isinstance(metadata, dict) else None
    return repr(found)
