"""Jobs and cron jobs. Messages are the real server's."""

import copy
from typing import Any

import pytest

from fakeapi.machinery.resources import builtin
from tests.unit.fakeapi.registry.bench import JOBS, Bench, Json, causes, job, refusal

CRON_JOBS = builtin("cronjobs", "batch")


def refused(bench: Bench, **spec: Any) -> dict[str, str]:
    return causes(refusal(lambda: bench.create(JOBS, job(**spec))))


def pods(**spec: Any) -> Json:
    return {"spec": {**job()["spec"]["template"]["spec"], **spec}}


def change(bench: Bench, **spec: Any) -> Json:
    return bench.modify(JOBS, "job", lambda obj: {**obj, "spec": {**obj["spec"], **spec}}).object


def not_changed(bench: Bench, **spec: Any) -> dict[str, str]:
    return causes(refusal(lambda: change(bench, **spec)))


def with_pods(bench: Bench, **spec: Any) -> Json:
    """The job's template with another pod spec."""
    template = copy.deepcopy(bench.get(JOBS, "job")["spec"]["template"])
    template["spec"].update(spec)
    return {"template": template}


# ---- creation ----


def test_a_job_selects_its_own_pods(bench: Bench) -> None:
    created = bench.create(JOBS, job())
    uid = created["metadata"]["uid"]
    labels = {
        "job-name": "job",
        "batch.kubernetes.io/job-name": "job",
        "controller-uid": uid,
        "batch.kubernetes.io/controller-uid": uid,
    }
    assert created["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    assert created["spec"]["template"]["metadata"]["labels"] == labels
    assert created["metadata"]["labels"] == labels


def test_a_selector_of_one_s_own_must_be_announced(bench: Bench) -> None:
    found = refused(bench, selector={"matchLabels": {"a": "b"}})
    assert found["spec.selector"].endswith("`selector` not auto-generated")
    assert found["spec.template.metadata.labels"].endswith("`selector` does not match template `labels`")
    selector, template = {"matchLabels": {"a": "b"}}, {**pods(), "metadata": {"labels": {"a": "b"}}}
    created = bench.create(JOBS, job(selector=selector, manualSelector=True, template=template))
    assert created["spec"]["selector"] == selector
    assert created["spec"]["template"]["metadata"]["labels"] == {"a": "b"}


def test_an_announced_selector_is_demanded(bench: Bench) -> None:
    assert refused(bench, manualSelector=True) == {"spec.selector": "Required value"}


@pytest.mark.parametrize(
    "name", ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"]
)
def test_numbers_are_not_negative(bench: Bench, name: str) -> None:
    spec: Json = {name: -1}
    assert refused(bench, **spec) == {f"spec.{name}": "Invalid value: -1: must be greater than or equal to 0"}


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        (
            {"template": pods(restartPolicy="Always")},
            "spec.template.spec.restartPolicy",
            'Required value: valid values: "OnFailure", "Never"',
        ),
        (
            {"template": pods(restartPolicy="OnFailure"), "podFailurePolicy": {"rules": []}},
            "spec.template.spec.restartPolicy",
            'Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
        ),
        (
            {"completionMode": "X"},
            "spec.completionMode",
            'Unsupported value: "X": supported values: "NonIndexed", "Indexed"',
        ),
        (
            {"completionMode": "Indexed", "parallelism": 2},
            "spec.completions",
            "Required value: when completion mode is Indexed",
        ),
        (
            {"completionMode": "Indexed", "completions": 1, "parallelism": 100_001},
            "spec.parallelism",
            "Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
        ),
        (
            {"backoffLimitPerIndex": 1},
            "spec.backoffLimitPerIndex",
            "Invalid value: 1: requires indexed completion mode",
        ),
    ],
)
def test_one_thing_wrong(bench: Bench, spec: Json, field: str, message: str) -> None:
    assert refused(bench, **spec) == {field: message}


def test_a_restart_policy_that_there_is_not(bench: Bench) -> None:
    found = refusal(lambda: bench.create(JOBS, job(template=pods(restartPolicy="X"))))
    assert found.message.count('Unsupported value: "X"') == 2


def test_a_job_without_a_spec_has_no_containers(bench: Bench) -> None:
    found = causes(refusal(lambda: bench.create(JOBS, {"metadata": {"name": "job"}})))
    assert found["spec.template.spec.containers"] == "Required value"


# ---- updates ----


def test_parallelism_and_suspension_may_change(bench: Bench) -> None:
    bench.create(JOBS, job())
    assert change(bench, parallelism=5)["metadata"]["generation"] == 2
    assert change(bench, suspend=True)["spec"]["suspend"] is True


def test_completions_stay_but_for_indexed_jobs_that_scale(bench: Bench) -> None:
    bench.create(JOBS, job())
    assert not_changed(bench, completions=5) == {"spec.completions": "Invalid value: 5: field is immutable"}


def test_an_indexed_job_scales_as_a_whole(bench: Bench) -> None:
    bench.create(JOBS, job(completionMode="Indexed", completions=2, parallelism=2))
    change(bench, completions=4, parallelism=4)
    assert not_changed(bench, completions=5) == {
        "spec.completions": "Invalid value: 5: can only be modified in tandem with spec.parallelism"
    }
    found = not_changed(bench, completionMode="NonIndexed")
    assert found["spec.completionMode"] == 'Invalid value: "NonIndexed": field is immutable'


def test_the_template_stays(bench: Bench) -> None:
    bench.create(JOBS, job())
    for spec in ({"nodeSelector": {"a": "b"}}, {"priorityClassName": "x"}):
        assert list(not_changed(bench, **with_pods(bench, **spec))) == ["spec.template"]


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {"a": "b"}},
        {"tolerations": [{"operator": "Exists"}]},
        {"schedulingGates": [{"name": "g"}]},
        {"affinity": {"nodeAffinity": {}}},
        {"containers": [{"name": "main", "image": "i:1", "resources": {"requests": {"cpu": "2"}}}]},
    ],
)
def test_a_suspended_job_may_be_told_where_its_pods_go(bench: Bench, spec: Json) -> None:
    bench.create(JOBS, job(suspend=True))
    change(bench, **with_pods(bench, **spec))
    assert list(not_changed(bench, **with_pods(bench, priorityClassName="x"))) == ["spec.template"]


def test_a_suspended_job_whose_pods_still_run_is_fixed(bench: Bench) -> None:
    bench.create(JOBS, job(suspend=True))
    bench.status(JOBS, "job", active=1)
    assert list(not_changed(bench, **with_pods(bench, nodeSelector={"a": "b"}))) == ["spec.template"]


# ---- cron jobs ----


def cron(**spec: Any) -> Json:
    return {"metadata": {"name": "c"}, "spec": {"jobTemplate": {"spec": {"template": pods()}}, **spec}}


@pytest.mark.parametrize("schedule", ["*/5 * * * *", "@daily"])
def test_schedules(bench: Bench, schedule: str) -> None:
    created = bench.create(CRON_JOBS, cron(schedule=schedule))
    assert created["spec"]["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({}, "spec.schedule", "Required value"),
        ({"schedule": "x"}, "spec.schedule", 'Invalid value: "x": expected exactly 5 fields, found 1: [x]'),
        (
            {"schedule": "@daily", "concurrencyPolicy": "X"},
            "spec.concurrencyPolicy",
            'Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"',
        ),
        (
            {"schedule": "@daily", "failedJobsHistoryLimit": -1},
            "spec.failedJobsHistoryLimit",
            "Invalid value: -1: must be greater than or equal to 0",
        ),
    ],
)
def test_cron_jobs(bench: Bench, spec: Json, field: str, message: str) -> None:
    assert causes(refusal(lambda: bench.create(CRON_JOBS, cron(**spec)))) == {field: message}


def test_the_job_of_a_cron_job_is_judged_too(bench: Bench) -> None:
    wrong = cron(
        schedule="@daily", jobTemplate={"spec": {"template": pods(restartPolicy="Always"), "parallelism": -1}}
    )
    assert set(causes(refusal(lambda: bench.create(CRON_JOBS, wrong)))) == {
        "spec.jobTemplate.spec.parallelism",
        "spec.jobTemplate.spec.template.spec.restartPolicy",
    }
