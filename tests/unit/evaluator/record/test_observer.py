"""Events made of objects: what is kept of them, and what is not."""

import json
from collections.abc import Iterator
from typing import Any

from evaluator.record.observer import Event, Names, Observer
from fakeapi.kernel.time import SECOND, parse_instant

START = "2026-01-05T00:00:00Z"


def stamp(second: int) -> str:
    return f"2026-01-05T00:00:{second:02d}Z"


def observer(salt: bytes | None = None) -> Observer:
    start = parse_instant(START)
    return Observer(
        started_ns=start, now=lambda: start + 99 * SECOND, names=Names(salt), chip_resource="nvidia.com/gpu"
    )


def node(*, ready: str = "True", since: int = 0, chips: str = "8") -> dict[str, Any]:
    return {
        "metadata": {
            "name": "n",
            "creationTimestamp": stamp(0),
            "labels": {"nvidia.com/gpu.product": "A100"},
        },
        "status": {
            "allocatable": {"nvidia.com/gpu": chips, "cpu": "96", "memory": "1Ti"},
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": stamp(since)}],
        },
    }


def pod(state: dict[str, Any] | None = None, phase: str = "Pending", **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "p", "namespace": "ml", "uid": "1", "creationTimestamp": stamp(1), **metadata},
        "spec": {
            "priority": 7,
            "containers": [
                {
                    "name": "c",
                    "image": "registry/secret-image",
                    "command": ["secret-command"],
                    "env": [{"name": "PASSWORD", "value": "secret-word"}],
                    "resources": {"requests": {"cpu": "1500m"}, "limits": {"nvidia.com/gpu": "2"}},
                }
            ],
            "initContainers": [
                {"name": "i", "resources": {"requests": {"cpu": "1", "memory": "2Gi"}}},
                {"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "250m"}}},
            ],
            "overhead": {"cpu": "250m"},
        },
        "status": {"phase": phase, "containerStatuses": [{"state": state or {}}]},
    }


def plain(events: Iterator[Event]) -> list[tuple[int, str]]:
    return [(event["at"] // SECOND, event["event"]) for event in events]


def test_a_pod_is_submitted_starts_and_ends_once_each() -> None:
    seen = observer()
    (submitted,) = seen.pod(pod())
    assert submitted == {
        "at": SECOND, "event": "submitted", "pod": "ml/p", "chips": 2, "cpu_milli": 2000,
        "memory_bytes": 2 * 2**30, "queue": "ml", "priority": 7,
    }  # fmt: skip
    running = pod({"running": {"startedAt": stamp(5)}}, "Running")
    assert plain(seen.pod(running)) == [(5, "started")]
    assert plain(seen.pod(running)) == []
    done = pod({"terminated": {"startedAt": stamp(5), "finishedAt": stamp(9)}}, "Succeeded")
    assert plain(seen.pod(done)) == [(9, "ended")]
    assert plain(seen.pod_gone(done)) == []


def test_a_machine_whose_clock_is_behind_tells_no_start_before_the_submission() -> None:
    seen = observer()
    events = list(seen.pod(pod({"terminated": {"startedAt": stamp(0), "finishedAt": stamp(0)}}, "Failed")))
    assert [event["at"] // SECOND for event in events] == [1, 1, 1]


def test_nothing_secret_is_kept() -> None:
    labels = {"lst.scheduler/user": "ann", "lst.scheduler/queue": "q", "secret-label": "x"}
    annotations = {"lst.scheduler/deadline": "4h", "lst.scheduler/expected-duration": "90m", "secret": "y"}
    (event,) = observer().pod(pod(labels=labels, annotations=annotations))
    assert "secret" not in json.dumps(event)
    assert (event["user"], event["queue"]) == ("ann", "q")
    assert (event["deadline_ns"], event["estimate_ns"]) == (4 * 3600 * SECOND, 5400 * SECOND)


def test_anonymous_names_hide_people_and_differ_by_salt() -> None:
    labelled = pod(labels={"lst.scheduler/user": "ann"})
    (one,), (same,), (other,) = (observer(salt).pod(labelled) for salt in (b"a", b"a", b"b"))
    assert one == same != other
    assert not {"ann", "ml", "p", "ml/p"} & {str(value) for value in one.values()}


def test_a_deadline_may_be_an_instant() -> None:
    (event,) = observer().pod(pod(annotations={"lst.scheduler/deadline": stamp(31)}))
    assert event["deadline_ns"] == 30 * SECOND
    (event,) = observer().pod(pod(annotations={"lst.scheduler/deadline": "soon"}))
    assert "deadline_ns" not in event


def test_a_pod_that_vanishes_has_ended() -> None:
    seen = observer()
    list(seen.pod(pod({"running": {"startedAt": stamp(5)}}, "Running")))
    assert plain(seen.pod_gone(pod({"running": {"startedAt": stamp(5)}}, deletionTimestamp=stamp(8)))) == [
        (8, "ended")
    ]
    list(seen.pod(pod(uid="2")))
    assert plain(seen.all_pods([])) == [(99, "ended")]


def test_a_name_that_is_used_again_is_told_apart() -> None:
    seen = observer()
    names = [event["pod"] for uid in ("1", "2") for event in seen.pod(pod(uid=uid))]
    assert names == ["ml/p", "ml/p.2"]


def test_pods_that_come_with_nodes_are_left_out() -> None:
    seen = observer()
    owned = pod(ownerReferences=[{"kind": "DaemonSet", "name": "d", "controller": True}])
    assert list(seen.pod(owned)) == list(seen.pod(owned)) == list(seen.pod_gone(owned)) == []
    assert seen.end()["left_out"] == 1


def test_pods_of_a_job_name_it_and_the_job_says_that_they_run_at_once() -> None:
    seen = observer()
    (event,) = seen.pod(pod(ownerReferences=[{"kind": "Job", "name": "j", "controller": True}]))
    assert event["job"] == "ml/j"
    job = {
        "metadata": {"name": "j", "namespace": "ml", "creationTimestamp": stamp(0)},
        "spec": {"parallelism": 4},
    }
    assert list(seen.job(job)) == [{"at": 0, "event": "job", "job": "ml/j", "pods": 4}]
    assert list(seen.job(job)) == []
    assert list(seen.job({**job, "spec": {"parallelism": 4, "completions": 100}})) == []


def test_a_node_joins_changes_is_down_and_goes() -> None:
    seen = observer()
    (joined,) = seen.node(node())
    assert joined == {
        "at": 0, "event": "node", "node": "n", "chips": 8, "chip_type": "A100", "cpu_milli": 96_000,
        "memory_bytes": 2**40,
    }  # fmt: skip
    assert plain(seen.node(node(ready="Unknown", since=20))) == [(20, "node-down")]
    assert plain(seen.node(node(ready="False", since=25))) == []
    assert plain(seen.node(node(since=40))) == [(40, "node-up")]
    assert plain(seen.node(node(since=40, chips="7"))) == [(99, "node")]
    assert plain(seen.node_gone(node())) == [(99, "node-gone")]
    list(seen.all_nodes([node()]))
    assert plain(seen.all_nodes([])) == [(99, "node-gone")]
