"""Metrics, read back as Prometheus reads them."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from scheduler.census import STATES, Census
from scheduler.instruments import Instruments
from scheduler.kube.errors import UnreachableError
from scheduler.timetext import HOUR, MINUTE, SECOND
from tests.unit.scheduler.test_trail import decision, loss

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(instruments: Instruments) -> Samples:
    families = text_string_to_metric_families(instruments.exposition().decode())
    return {
        (sample.name.removeprefix("lst_scheduler_"), tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_decisions_and_what_they_cost() -> None:
    instruments = Instruments()
    instruments.decided(decision())
    instruments.decided(decision())
    victims = (loss("x", 90 * SECOND), loss("y", HOUR))
    instruments.decided(decision("preempt", policy="edf", victims=victims, violations=2))
    found = read(instruments)
    assert found["decisions_total", (("kind", "bind"), ("policy", "lst"))] == 2
    assert found["decisions_total", (("kind", "preempt"), ("policy", "edf"))] == 1
    assert found["preempted_pods_total", ()] == 4
    assert found["lost_chip_seconds_total", ()] == 3690
    assert found["budget_violations_total", ()] == 2


def test_writes_are_timed_also_when_they_fail() -> None:
    instruments = Instruments()
    with instruments.writing("bind"):
        pass
    with pytest.raises(UnreachableError), instruments.writing("bind"):
        raise UnreachableError("gone")
    with instruments.deciding():
        pass
    found = read(instruments)
    assert found["write_seconds_count", (("write", "bind"),)] == 2
    assert found["write_seconds_bucket", (("le", "60.0"), ("write", "bind"))] == 2
    assert found["round_seconds_count", ()] == 1


def test_failures_and_who_leads() -> None:
    instruments = Instruments()
    instruments.failed("GET", 410)
    instruments.failed("POST", 0)
    instruments.failed("POST", 0)
    assert read(instruments)["leader", ()] == 0
    instruments.leads(True)
    found = read(instruments)
    assert found["request_errors_total", (("code", "410"), ("method", "GET"))] == 1
    assert found["request_errors_total", (("code", "0"), ("method", "POST"))] == 2
    assert found["leader", ()] == 1


def test_who_waits_is_counted_when_it_is_asked() -> None:
    censuses = [
        Census({**dict.fromkeys(STATES, 0), "stuck": 3}, (-2 * HOUR, 0, 30 * SECOND, 5 * MINUTE, 30 * HOUR)),
        Census(dict.fromkeys(STATES, 0), ()),
    ]
    instruments = Instruments()
    instruments.watch(lambda: censuses.pop(0))
    assert len(censuses) == 2, "nobody has asked"
    found = read(instruments)
    assert {state: found["pending_pods", (("state", state),)] for state in STATES} == {
        **dict.fromkeys(STATES, 0),
        "stuck": 3,
    }
    buckets = {
        limit: found["pending_slack_seconds_bucket", (("le", limit),)]
        for limit in ("-86400", "-3600", "0", "60", "300", "86400", "604800", "+Inf")
    }
    assert buckets == {
        "-86400": 0,
        "-3600": 1,
        "0": 2,
        "60": 3,
        "300": 4,
        "86400": 4,
        "604800": 5,
        "+Inf": 5,
    }
    assert found["pending_slack_seconds_gsum", ()] == -7200 + 30 + 300 + 108_000
    assert read(instruments)["pending_slack_seconds_gcount", ()] == 0
