"""Gangs: nobody works before all run, and nobody is left when one is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakeapi.kernel.time import HOUR, MINUTE, SECOND

if TYPE_CHECKING:
    from fakeapi.storage.objects import Key
    from tests.unit.fakeapi.cluster.conftest import Bench

LIFE = {"run-time": "1h", "gang": "g", "gang-size": "2", "checkpoint-interval": "10m", "restart-cost": "1m"}


def member(bench: Bench, name: str, node: str = "n1", restart: str = "Never", **life: str) -> Key:
    said = {word.replace("_", "-"): text for word, text in life.items()}
    key = bench.pod(name, life={**LIFE, **said}, restart=restart)
    bench.bind(key, node)
    bench.settle()
    return key


def test_a_gang_works_from_the_instant_at_which_the_last_of_it_runs(bench: Bench) -> None:
    one = member(bench, "one")
    bench.wait(7 * MINUTE)
    assert (bench.phase(one), bench.kubelet.ledger.gangs.works("default", "g")) == ("Running", False)
    two = member(bench, "two")
    assert bench.kubelet.ledger.gangs.works("default", "g")
    assert bench.kubelet.ledger.gangs.members("default", "g") == (one, two)
    bench.wait(HOUR - 1)
    assert (bench.phase(one), bench.phase(two)) == ("Running", "Running")
    bench.wait(1)
    assert (bench.phase(one), bench.phase(two)) == ("Succeeded", "Succeeded")
    accounts = bench.accounts()
    assert (accounts["one"].kept, accounts["one"].overhead) == (HOUR, 7 * MINUTE)
    assert (accounts["two"].kept, accounts["two"].overhead) == (HOUR, 0)


def test_when_one_is_lost_the_others_exit_at_the_same_instant(bench: Bench) -> None:
    member(bench, "one")
    two = member(bench, "two")
    bench.wait(25 * MINUTE)
    bench.remove(("default", "one"))
    bench.settle()
    assert bench.phase(two) == "Failed"
    terminated = bench.container(two)["state"]["terminated"]
    assert (terminated["exitCode"], terminated["reason"]) == (1, "Error")
    assert terminated["message"] == "lost default/one, another member of gang g"
    accounts = bench.accounts()
    assert [(accounts[name].kept, accounts[name].lost) for name in ("one", "two")] == [
        (20 * MINUTE, 5 * MINUTE)
    ] * 2
    assert (accounts["one"].cause, accounts["two"].cause) == (None, "peer")


def test_the_whole_goes_on_from_its_last_common_checkpoint(bench: Bench) -> None:
    member(bench, "one")
    member(bench, "two")
    bench.wait(25 * MINUTE)
    bench.remove(("default", "one"))
    bench.settle()
    three, four = member(bench, "three"), member(bench, "four")
    bench.wait(MINUTE + 40 * MINUTE - 1)
    assert bench.phase(three) == "Running"
    bench.wait(1)
    assert (bench.phase(three), bench.phase(four)) == ("Succeeded", "Succeeded")
    assert bench.accounts()["three"].kept == 40 * MINUTE
    assert [type(event).__name__ for event in bench.work[2:4]] == ["WorkStarted", "WorkStarted"]


def test_containers_that_restart_form_the_gang_again(bench: Bench) -> None:
    one, two = (member(bench, name, restart="OnFailure") for name in ("one", "two"))
    bench.node("n2")
    bench.wait(15 * MINUTE)
    bench.remove(one)
    bench.settle()
    assert bench.container(two)["restartCount"] == 1
    assert not bench.kubelet.ledger.gangs.works("default", "g")
    bench.wait(5 * MINUTE)
    member(bench, "three", "n2", restart="OnFailure")
    bench.wait(51 * MINUTE)
    assert bench.phase(two) == "Succeeded"
    account = bench.accounts()["two"]
    assert (account.kept, account.lost, account.overhead) == (HOUR, 5 * MINUTE, 6 * MINUTE)


def test_a_loss_before_the_gang_formed_harms_nobody(bench: Bench) -> None:
    one, two = member(bench, "one", gang_size="3"), member(bench, "two", gang_size="3")
    bench.wait(MINUTE)
    bench.remove(one)
    bench.settle()
    assert bench.phase(two) == "Running"
    assert bench.kubelet.ledger.gangs.members("default", "g") == (two,)


def test_who_joins_later_works_along_and_may_not_be_lost(bench: Bench) -> None:
    one = member(bench, "one")
    member(bench, "two")
    bench.wait(15 * MINUTE)
    member(bench, "three")
    bench.wait(10 * MINUTE)
    bench.remove(("default", "three"))
    bench.settle()
    assert bench.phase(one) == "Failed"
    accounts = bench.accounts()
    assert (accounts["three"].kept, accounts["three"].lost) == (5 * MINUTE, 5 * MINUTE)


def test_a_member_that_is_asked_to_stop_halts_the_gang_and_saves_for_all(bench: Bench) -> None:
    life = {"checkpoint_on_stop": "true", "stop_time": "20s"}
    one, two = member(bench, "one", **life), member(bench, "two", **life)
    bench.wait(25 * MINUTE)
    bench.ask_deletion(one, grace_s=30)
    bench.wait(10 * SECOND)
    assert bench.phase(two) == "Running"
    bench.wait(10 * SECOND)
    assert (bench.exists(one), bench.phase(two)) == (False, "Failed")
    for account in bench.accounts().values():
        assert (account.kept, account.lost, account.overhead) == (25 * MINUTE, 0, 20 * SECOND)


def test_a_stop_that_takes_longer_than_its_grace_saves_nothing(bench: Bench) -> None:
    life = {"checkpoint_on_stop": "true", "stop_time": "40s"}
    one, _ = member(bench, "one", **life), member(bench, "two", **life)
    bench.wait(25 * MINUTE)
    bench.ask_deletion(one, grace_s=30)
    bench.wait(MINUTE)
    assert bench.accounts()["two"].lost == 5 * MINUTE


def test_members_that_stop_together_stop_by_themselves(bench: Bench) -> None:
    one, two = member(bench, "one", stop_time="5s"), member(bench, "two", stop_time="9s")
    bench.wait(MINUTE)
    for key in (one, two):
        bench.ask_deletion(key)
    bench.wait(9 * SECOND)
    assert not bench.exists(one)
    assert not bench.exists(two)
    assert [each.cause for each in bench.accounts().values()] == [None, None]


def test_one_that_waits_for_the_others_and_is_asked_to_stop_is_not_waited_for(bench: Bench) -> None:
    one = member(bench, "one", stop_time="30s")
    bench.ask_deletion(one)
    bench.settle()
    member(bench, "two")
    assert not bench.kubelet.ledger.gangs.works("default", "g")


def test_gangs_of_other_names_and_namespaces_are_others(bench: Bench) -> None:
    member(bench, "one")
    member(bench, "two", gang="h")
    assert not bench.kubelet.ledger.gangs.works("default", "g")
    assert not bench.kubelet.ledger.gangs.works("elsewhere", "g")
    assert bench.kubelet.ledger.gangs.members("elsewhere", "g") == ()


def test_a_longer_run_time_is_everybodys(bench: Bench) -> None:
    one, two = member(bench, "one"), member(bench, "two")
    bench.wait(MINUTE)
    bench.relive(one, run_time="2h")
    bench.wait(2 * HOUR - MINUTE - 1)
    assert (bench.phase(one), bench.phase(two)) == ("Running", "Running")
    bench.wait(1)
    assert (bench.phase(one), bench.phase(two)) == ("Succeeded", "Succeeded")


def test_a_gang_whose_work_fails_at_its_end_fails_as_a_whole(bench: Bench) -> None:
    one, two = member(bench, "one", exit_code="3"), member(bench, "two", exit_code="3")
    bench.wait(HOUR)
    assert (bench.phase(one), bench.phase(two)) == ("Failed", "Failed")
    for account in bench.accounts().values():
        assert (account.kept, account.lost, account.cause) == (50 * MINUTE, 10 * MINUTE, None)
