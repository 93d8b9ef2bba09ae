"""Options of writes: what is read, and what is refused."""

from typing import Any

import pytest

from fakeapi.registry.options import DeleteOptions, delete_options_of, dry_run_causes
from tests.unit.fakeapi.registry.bench import causes, refusal


def test_dry_run_is_asked_for_by_all() -> None:
    assert dry_run_causes(["All"]) == []
    assert dry_run_causes([]) == []


@pytest.mark.parametrize("values", [["all"], ["None"], ["All", "Some"], [""]])
def test_any_other_dry_run_is_wrong(values: list[str]) -> None:
    (cause,) = dry_run_causes(values)
    assert cause.field == "dryRun"
    assert cause.message.startswith("Unsupported value: [")
    assert cause.message.endswith(': supported values: "All"')


def test_no_options_leave_everything_to_the_object() -> None:
    assert delete_options_of({}) == DeleteOptions()


def test_all_options() -> None:
    body = {
        "gracePeriodSeconds": 7,
        "preconditions": {"uid": "u", "resourceVersion": "5"},
        "propagationPolicy": "Foreground",
        "dryRun": ["All"],
    }
    assert delete_options_of(body) == DeleteOptions(7, "u", "5", "Foreground", dry_run=True)


@pytest.mark.parametrize(("orphan", "policy"), [(True, "Orphan"), (False, "Background")])
def test_the_old_name_of_orphaning(*, orphan: bool, policy: str) -> None:
    assert delete_options_of({"orphanDependents": orphan}).propagation == policy


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (
            {"propagationPolicy": "Sideways"},
            "propagationPolicy",
            'Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
        ),
        (
            {"propagationPolicy": "Orphan", "orphanDependents": True},
            "propagationPolicy",
            'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        ),
        ({"dryRun": ["x"]}, "dryRun", 'Unsupported value: ["x"]: supported values: "All"'),
    ],
)
def test_what_makes_no_sense_is_refused(body: dict[str, Any], field: str, message: str) -> None:
    error = refusal(lambda: delete_options_of(body))
    assert causes(error) == {field: message}
    assert error.details is not None
    assert (error.details["group"], error.details["kind"]) == ("meta.k8s.io", "DeleteOptions")


def test_all_that_is_wrong_is_told_together() -> None:
    body = {"propagationPolicy": "X", "orphanDependents": False, "dryRun": ["x"]}
    message = refusal(lambda: delete_options_of(body)).message
    assert message.count("propagationPolicy:") == 2
    assert message.count("dryRun:") == 1
