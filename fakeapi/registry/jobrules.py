"""Rules of jobs and of what makes them (``pkg/apis/batch/validation``)."""

from typing import Final

from fakeapi.machinery.status import Cause, invalid_value, required_value
from fakeapi.registry.causes import JsonObject, immutable, label_selector, negatives, not_supported
from fakeapi.registry.equality import LABEL_SELECTOR, POD_TEMPLATE, same_part
from fakeapi.registry.workloadrules import matching_causes, template_causes

_JOB_NUMBERS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_GREATEST_PARALLELISM: Final = 100_000
"""Of an indexed job."""
_JOB_POLICIES: Final = ("OnFailure", "Never")
_COMPLETION_MODES: Final = ("NonIndexed", "Indexed")


def job_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a Job."""
    return _generated_selector(obj) + _matching_job(obj["spec"]) + job_spec_causes(obj["spec"], "spec")


def _generated_selector(obj: JsonObject) -> list[Cause]:
    spec, uid = obj["spec"], obj["metadata"].get("uid", "")
    wanted = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    if spec.get("manualSelector"):
        return label_selector(spec.get("selector"), "spec.selector")
    selector = spec.get("selector")
    old_form = {"matchLabels": {"controller-uid": uid}}
    if any(same_part(selector, form, LABEL_SELECTOR) for form in (wanted, old_form)):
        return []
    return [invalid_value("spec.selector", selector, "`selector` not auto-generated")]


def _matching_job(spec: JsonObject) -> list[Cause]:
    if spec.get("selector") is None:
        return [required_value("spec.selector")]
    return matching_causes(spec, spec["selector"])


def job_spec_causes(spec: JsonObject, path: str) -> list[Cause]:
    """Broken rules of a job's spec, in a job or in a template for jobs."""
    causes = negatives(spec, path, _JOB_NUMBERS)
    mode = spec.get("completionMode")
    if mode is not None and mode not in _COMPLETION_MODES:
        causes.append(not_supported(f"{path}.completionMode", mode, _COMPLETION_MODES))
    causes += _indexed(spec, path) if mode == "Indexed" else _not_indexed(spec, path)
    template = spec["template"]
    causes += template_causes(template, f"{path}.template")
    policy, field = template["spec"]["restartPolicy"], f"{path}.template.spec.restartPolicy"
    if policy == "Always":
        causes.append(required_value(field, 'valid values: "OnFailure", "Never"'))
    elif policy not in _JOB_POLICIES:
        causes.append(not_supported(field, policy, _JOB_POLICIES))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        why = 'only "Never" is supported when podFailurePolicy is specified'
        causes.append(invalid_value(field, policy, why))
    return causes


def _indexed(spec: JsonObject, path: str) -> list[Cause]:
    causes = []
    if spec.get("completions") is None:
        causes.append(required_value(f"{path}.completions", "when completion mode is Indexed"))
    parallelism = spec.get("parallelism") or 0
    if parallelism > _GREATEST_PARALLELISM:
        why = f"must be less than or equal to {_GREATEST_PARALLELISM} when completion mode is Indexed"
        causes.append(invalid_value(f"{path}.parallelism", parallelism, why))
    return causes


def _not_indexed(spec: JsonObject, path: str) -> list[Cause]:
    return [
        invalid_value(f"{path}.{name}", spec[name], "requires indexed completion mode")
        for name in ("backoffLimitPerIndex", "maxFailedIndexes", "successPolicy")
        if spec.get(name) is not None
    ]


def job_update(new: JsonObject, old: JsonObject) -> list[Cause]:
    """What may not change in a Job."""
    after, before = new["spec"], old["spec"]
    causes = _completions(after, before)
    causes += _fixed(after, before, "selector")
    if not same_part(_job_template(after, old), _job_template(before, old), POD_TEMPLATE):
        causes += immutable("spec.template", after["template"], changed=True)
    for name in ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"):
        causes += _fixed(after, before, name)
    return causes


def _fixed(new: JsonObject, old: JsonObject, name: str) -> list[Cause]:
    changed = not same_part({name: new.get(name)}, {name: old.get(name)}, "batch.v1.JobSpec")
    return immutable(f"spec.{name}", new.get(name), changed=changed)


def _completions(new: JsonObject, old: JsonObject) -> list[Cause]:
    after = new.get("completions")
    if new.get("completionMode") != "Indexed":
        return immutable("spec.completions", after, changed=after != old.get("completions"))
    if after in (None, old.get("completions"), new.get("parallelism")):
        return []
    why = "can only be modified in tandem with spec.parallelism"
    return [invalid_value("spec.completions", after, why)]


_DIRECTIVES: Final = frozenset(("nodeSelector", "tolerations", "schedulingGates"))


def _job_template(spec: JsonObject, old: JsonObject) -> JsonObject:
    """The part of a job's template that may not change now.

    A suspended job that does not run may still be told where its pods go and what they ask for.
    """
    template: JsonObject = spec["template"]
    status = old.get("status") or {}
    if not old["spec"].get("suspend") or status.get("active"):
        return template
    pod = {name: value for name, value in template["spec"].items() if name not in _DIRECTIVES}
    affinity = pod.get("affinity") or {}
    pod["affinity"] = {name: value for name, value in affinity.items() if name != "nodeAffinity"}
    for field in ("containers", "initContainers"):
        pod[field] = [
            {name: value for name, value in container.items() if name != "resources"}
            for container in pod.get(field) or ()
        ]
    return {"spec": pod}


def cron_job_causes(obj: JsonObject) -> list[Cause]:
    """Broken rules of a CronJob; of the schedule only that it has five fields or is a macro."""
    spec = obj["spec"]
    schedule, causes = spec.get("schedule", ""), []
    if not schedule:
        causes.append(required_value("spec.schedule"))
    elif not schedule.startswith("@") and len(schedule.split()) != _CRON_FIELDS:
        fields = schedule.split()
        why = f"expected exactly {_CRON_FIELDS} fields, found {len(fields)}: [{' '.join(fields)}]"
        causes.append(invalid_value("spec.schedule", schedule, why))
    policies = ("Allow", "Forbid", "Replace")
    if spec["concurrencyPolicy"] not in policies:
        causes.append(not_supported("spec.concurrencyPolicy", spec["concurrencyPolicy"], policies))
    causes += job_spec_causes(spec["jobTemplate"]["spec"], "spec.jobTemplate.spec")
    names = ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
    return causes + negatives(spec, "spec", names)


_CRON_FIELDS: Final = 5
