"""Disruption budgets as the API writes them, in the scheduler's model."""

import pytest

from scheduler.constraints import Requirement
from scheduler.kube.budgets import budget_of
from scheduler.model import DisruptionBudget
from tests.unit.scheduler.builders import Object

METADATA: Object = {"namespace": "team", "name": "b"}


def test_a_budget() -> None:
    found = budget_of(
        {
            "metadata": METADATA,
            "spec": {"selector": {"matchLabels": {"app": "web"}}},
            "status": {"disruptionsAllowed": 2, "disruptedPods": {"gone": "2026-01-05T00:00:00Z"}},
        }
    )
    selector = (Requirement("app", "In", ("web",)),)
    assert found == DisruptionBudget("team", "b", selector, 2, frozenset({"gone"}))


@pytest.mark.parametrize(("selector", "read"), [(None, None), ({}, ())])
def test_one_without_a_status_allows_nothing(selector: Object | None, read: tuple[()] | None) -> None:
    found = budget_of({"metadata": METADATA, "spec": {"selector": selector}})
    assert found == DisruptionBudget("team", "b", read, 0)
