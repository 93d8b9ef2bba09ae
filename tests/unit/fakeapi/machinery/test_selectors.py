from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.machinery.labelgrammar import Operator
from fakeapi.machinery.selectors import (
    SelectorError,
    conjunction,
    label_selector_of,
    parse_label_selector,
    select_all,
    select_none,
)

NAME_RULE = "must consist of alphanumeric characters"


def labelled(labels: Mapping[str, str] | None) -> dict[str, Any]:
    return {"metadata": {"name": "x"} | ({} if labels is None else {"labels": dict(labels)})}


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("a=b", {"a": "b"}, True),
        ("a=b", {"a": "c"}, False),
        ("a=b", {}, False),
        ("a==b", {"a": "b"}, True),
        ("a=", {"a": ""}, True),
        ("a=", {}, False),
        ("a!=b", {"a": "b"}, False),
        ("a!=b", {"a": "c"}, True),
        ("a!=b", {}, True),
        ("a in (b, c)", {"a": "c"}, True),
        ("a in (b, c)", {"a": "d"}, False),
        ("a in (b, c)", {}, False),
        ("a in ()", {"a": ""}, True),
        ("a in (,b)", {"a": ""}, True),
        ("a notin (b,c)", {"a": "c"}, False),
        ("a notin (b,c)", {"a": "d"}, True),
        ("a notin (b,c)", {}, True),
        ("a", {"a": "anything"}, True),
        ("a", {}, False),
        ("!a", {"a": "anything"}, False),
        ("!a", {}, True),
        ("a>5", {"a": "6"}, True),
        ("a>5", {"a": "5"}, False),
        ("a<5", {"a": "4"}, True),
        ("a<5", {"a": "5"}, False),
        ("a<5", {"a": "four"}, False),
        ("a<5", {}, False),
        ("in", {"in": "x"}, True),
        ("in in (notin)", {"in": "notin"}, True),
        ("example.com/a=b", {"example.com/a": "b"}, True),
        ("a=b,c=d", {"a": "b", "c": "d"}, True),
        ("a=b,c=d", {"a": "b"}, False),
        (" a = b ,\t!c ", {"a": "b"}, True),
        ("", {}, True),
        ("  ", {"a": "b"}, True),
    ],
)
def test_a_label_selector_matches_as_the_real_one(text: str, labels: dict[str, str], expected: bool) -> None:
    selector = parse_label_selector(text)
    assert selector.matches(labels) is expected
    assert selector.selects(labelled(labels)) is expected


def test_an_object_without_labels_is_one_with_no_label() -> None:
    assert parse_label_selector("!a").selects(labelled(None))
    assert not parse_label_selector("a").selects(labelled(None))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",", "found ',', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a,,b", "found ',', expected: identifier after ','"),
        ("a in", "unable to parse requirement: found '' expected: '('"),
        ("a in x", "unable to parse requirement: found 'x' expected: '('"),
        ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
        ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"),
        ("a in ((x))", "unable to parse requirement: found '(', expected: ',', ')' or identifier"),
        ("a in (,", "unable to parse requirement: found '', expected: ',', or identifier"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("=b", "found '=', expected: !, identifier, or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!!a", "unable to parse requirement: found '!', expected: identifier"),
        ("a===b", "unable to parse requirement: found '=', expected: identifier"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        (
            "a>x",
            'unable to parse requirement: values[0]: Invalid value: "x": '
            "for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("a>9223372036854775808", "the value must be an integer"),
        ("-a", f'unable to parse requirement: <nil>: Invalid value: "-a": name part {NAME_RULE}'),
        ("a=-b", 'unable to parse requirement: values[0][a]: Invalid value: "-b": a valid label must be'),
        ("/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'),
    ],
)
def test_a_wrong_label_selector_is_refused_in_the_real_servers_words(text: str, message: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_label_selector(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("b=2,a==1", "a==1,b=2"),
        ("x in (c,a,b,a)", "x in (a,b,c)"),
        ("x notin(y)", "x notin (y)"),
        ("!x", "!x"),
        ("x", "x"),
        ("x!=y,x>3", "x!=y,x>3"),
        ("", ""),
    ],
)
def test_the_text_of_a_selector_is_sorted_and_canonical(text: str, canonical: str) -> None:
    assert str(parse_label_selector(text)) == canonical


def test_an_empty_selector_is_recognisable_so_that_nobody_calls_it() -> None:
    assert parse_label_selector("").selects is select_all
    assert label_selector_of({}).selects is select_all
    assert label_selector_of({"matchLabels": None}).selects is select_all


def test_no_label_selector_at_all_matches_nothing() -> None:
    selector = label_selector_of(None)
    assert not selector.matches({})
    assert not selector.selects(labelled({}))
    assert selector.requirements == ()


def test_match_labels_and_expressions_hold_together() -> None:
    selector = label_selector_of(
        {
            "matchLabels": {"app": "train"},
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["gold", "silver"]},
                {"key": "legacy", "operator": "DoesNotExist"},
                {"key": "zone", "operator": "NotIn", "values": ["z9"]},
                {"key": "owner", "operator": "Exists"},
            ],
        }
    )
    good = {"app": "train", "tier": "gold", "owner": "me"}
    assert selector.matches(good)
    for spoiled in ({"app": "serve"}, {"tier": "tin"}, {"legacy": ""}, {"zone": "z9"}):
        assert not selector.matches(good | spoiled)
    assert not selector.matches({key: good[key] for key in ("app", "tier")})
    assert str(selector) == "app=train,!legacy,owner,tier in (gold,silver),zone notin (z9)"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"key": "a", "operator": "Near", "values": ["b"]}, '"Near" is not a valid label selector operator'),
        ({"key": "a", "operator": "In"}, "for 'in', 'notin' operators, values set can't be empty"),
        ({"key": "a", "operator": "Exists", "values": ["b"]}, "values set must be empty for exists"),
        ({"key": "", "operator": "Exists"}, 'key: Invalid value: "": name part must be non-empty'),
        ({"key": "-", "operator": "In", "values": ["!"]}, "[key: Invalid value"),
    ],
)
def test_a_wrong_expression_is_refused(expression: dict[str, Any], message: str) -> None:
    with pytest.raises(SelectorError) as caught:
        label_selector_of({"matchExpressions": [expression]})
    assert message in str(caught.value)


def is_odd(obj: dict[str, Any]) -> bool:
    return bool(obj["metadata"]["n"] % 2)


def is_big(obj: dict[str, Any]) -> bool:
    return bool(obj["metadata"]["n"] > 10)


def is_third(obj: dict[str, Any]) -> bool:
    return bool(obj["metadata"]["n"] % 3 == 0)


def test_a_conjunction_holds_when_all_do_and_leaves_out_what_always_does() -> None:
    assert conjunction() is select_all
    assert conjunction(select_all, select_all) is select_all
    assert conjunction(select_all, is_odd) is is_odd
    numbers = [{"metadata": {"n": n}} for n in range(30)]
    both = conjunction(is_odd, select_all, is_big)
    three = conjunction(is_odd, is_big, is_third)
    assert [one["metadata"]["n"] for one in numbers if both(one)] == list(range(11, 30, 2))
    assert [one["metadata"]["n"] for one in numbers if three(one)] == [15, 21, 27]
    assert not conjunction(is_odd, select_none)(numbers[1])


keys = st.sampled_from(["a", "b", "in", "x.io/c"])
values = st.sampled_from(["", "1", "2", "-", "v"])
label_maps = st.dictionaries(keys, values)
requirements = st.lists(
    st.tuples(keys, st.sampled_from(["=", "!=", "in", "notin", "exists", "!"]), st.sets(values, min_size=1)),
    max_size=4,
)


def model(requirement: tuple[str, str, set[str]], labels: dict[str, str]) -> bool:
    key, operator, allowed = requirement
    if operator in ("=", "!="):
        allowed = {min(allowed)}
    inside = key in labels and (operator in ("exists", "!") or labels[key] in allowed)
    return inside != (operator in ("!=", "notin", "!"))


def written(requirement: tuple[str, str, set[str]]) -> str:
    key, operator, allowed = requirement
    return {
        "=": f"{key}={min(allowed)}",
        "!=": f"{key}!={min(allowed)}",
        "in": f"{key} in ({','.join(allowed)})",
        "notin": f"{key} notin ({','.join(allowed)})",
        "exists": key,
        "!": f"!{key}",
    }[operator]


@given(wanted=requirements, labels=label_maps)
def test_any_selector_agrees_with_its_definition(
    wanted: list[tuple[str, str, set[str]]], labels: dict[str, str]
) -> None:
    usable = [one for one in wanted if "-" not in one[2]]
    selector = parse_label_selector(",".join(map(written, usable)))
    assert selector.matches(labels) == all(model(one, labels) for one in usable)
    assert parse_label_selector(str(selector)).matches(labels) == selector.matches(labels)


@given(text=st.text(alphabet="ab=!<>(), in\tnot/", max_size=24))
def test_any_text_is_a_selector_or_is_refused(text: str) -> None:
    try:
        selector = parse_label_selector(text)
    except SelectorError:
        return
    assert all(one.key and isinstance(one.operator, Operator) for one in selector.requirements)
