"""What the generator draws from a schema and from what is known of a tool; how taint learns it; how inputs shrink."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planscope.errors import UserError
from planscope.toolfuzz.accepts import mismatch
from planscope.toolfuzz.drawn import samples
from planscope.toolfuzz.hints import Hints
from planscope.toolfuzz.nodes import MOST_CHILDREN, MOST_FACTS, Knowledge, Node
from planscope.toolfuzz.outcome import Places, Refused
from planscope.toolfuzz.search import LARGEST, MODES, Search
from planscope.toolfuzz.shrink import Shrinker, weight
from planscope.toolfuzz.taint import TDict, TFloat, TInt, TList, TStr, length, taint
from planscope.toolfuzz.tools import load
from planscope.toolfuzz.values import Generator, Pools


def tree(**facts: Any) -> Node:
    """A node with facts; a fact that is a node of its own is given as ``(step, facts)`` under ``children``."""
    node = Node("q")
    grow(node, facts)
    return node


def grow(node: Node, facts: dict[str, Any]) -> None:
    for step, inner in facts.pop("children", {}).items():
        grow(node.child(step), dict(inner))
    for operation, constants in facts.items():
        for one in constants:
            node.learn(operation, one)


def drawn(node: Node | None, schema: dict[str, Any], count: int = 400, mode: str = "") -> list[Any]:
    generator = Generator(
        {"properties": {"q": schema}, "required": ["q"]}, {"q": node} if node else {}, Hints(), Pools()
    )
    random = Random("draws")
    return [generator.arguments(random, mode)["q"] for _ in range(count)]


def share(made: list[Any], wanted: Callable[[Any], bool]) -> float:
    return sum(map(wanted, made)) / len(made)


TEXT = {"type": "string"}
LED: dict[str, tuple[Node, Callable[[Any], bool], float]] = {
    "equal": (tree(eq=["needle"]), lambda v: v == "needle", 0.7),
    "containing": (tree(contains=["needle"]), lambda v: "needle" in v, 0.8),
    "beginning": (tree(startswith=["x:"]), lambda v: v.startswith("x:"), 0.8),
    "ending": (tree(endswith=[".txt"]), lambda v: v.endswith(".txt"), 0.8),
    "beginning and containing": (
        tree(startswith=["x:"], contains=["needle"]),
        lambda v: v.startswith("x:") and "needle" in v,
        0.1,
    ),
    "both ends": (tree(startswith=["x:"], endswith=["!"]), lambda v: v[:2] == "x:" and v[-1:] == "!", 0.3),
    "digits": (tree(**{"is": ["isdigit"]}), lambda v: v.isdigit(), 0.8),
    "letters": (tree(**{"is": ["isalpha"]}), lambda v: v.isalpha(), 0.8),
    "a date": (tree(strptime=["%Y-%m-%d"]), lambda v: v[4:5] == "-" and v[7:8] == "-", 0.8),
    "split": (
        tree(children={("split", ": "): {"children": {("item", 1): {"eq": ["map"]}}}}),
        lambda v: v.split(": ")[1:2] == ["map"],
        0.4,
    ),
    "split, last": (
        tree(children={("split", ","): {"children": {("item", -1): {"eq": ["map"]}}}}),
        lambda v: v.split(",")[-1] == "map",
        0.4,
    ),
    "split into parts": (
        tree(children={("split", ","): {"children": {("len",): {"eq": [5]}}}}),
        lambda v: v.count(",") == 4,
        0.4,
    ),
    "partition": (
        tree(children={("partition", "="): {"children": {("item", 2): {"eq": ["on"]}}}}),
        lambda v: v.partition("=")[2] == "on",
        0.4,
    ),
    "stripped": (
        tree(children={("same", "strip"): {"eq": ["yes"]}}),
        lambda v: v.strip() == "yes",
        0.6,
    ),
    "in lower case": (
        tree(children={("same", "lower"): {"eq": ["yes"]}}),
        lambda v: v.lower() == "yes",
        0.6,
    ),
    "sliced": (
        tree(startswith=["ab"], children={("slice", 2, None): {"eq": ["rest"]}}),
        lambda v: v == "abrest",
        0.3,
    ),
    "a slice inside": (
        tree(children={("slice", 3, 5): {"eq": ["xy"]}}),
        lambda v: v[3:5] == "xy",
        0.5,
    ),
    "a number": (tree(children={("int",): {"eq": [4711]}}), lambda v: v in ("4710", "4711", "4712"), 0.3),
    "JSON": (
        tree(children={("json",): {"children": {("key", "a"): {"eq": ["go"]}}}}),
        lambda v: '"a": "go"' in v,
        0.4,
    ),
    "a length": (
        tree(children={("len",): {"cmp": [37]}}),
        lambda v: len(v) in (36, 37, 38),
        0.5,
    ),
    "characters": (
        tree(children={("each",): {"eq": ["z"]}}),
        lambda v: v != "" and set(v) == {"z"},
        0.15,
    ),
}


@pytest.mark.parametrize("name", LED)
def test_texts_lead_to_what_the_tool_compares(name: str) -> None:
    node, wanted, least = LED[name]
    assert share(drawn(node, TEXT), wanted) >= least
    assert share(drawn(None, TEXT), wanted) < least / 2


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        (("add", 3), lambda v: 9 <= v + 3 <= 11),
        (("mul", 5), lambda v: v * 5 in range(5, 15)),
        (("floordiv", 7), lambda v: 9 <= v // 7 <= 11),
        (("mod", 13), lambda v: 9 <= v % 13 <= 11 and v >= 0),
    ],
)
def test_numbers_lead_to_what_the_tool_computes(step: tuple[Any, ...], wanted: Callable[[Any], bool]) -> None:
    node = tree(children={step: {"eq": [10]}})
    assert share(drawn(node, {"type": "integer"}), wanted) > 0.1 + share(
        drawn(None, {"type": "integer"}), wanted
    )
    assert share(drawn(tree(cmp=[4711]), {"type": "integer"}), lambda v: 4710 <= v <= 4712) > 0.3


BOUNDED: list[tuple[dict[str, Any], Callable[[Any], bool], set[Any]]] = [
    ({"type": "integer", "minimum": 5, "maximum": 9}, lambda v: 5 <= v <= 9, {5, 6, 7, 8, 9}),
    ({"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 9}, lambda v: 5 < v < 9, {6, 7, 8}),
    ({"type": "integer", "minimum": 4.5, "maximum": 6.5}, lambda v: v in (5, 6), {5, 6}),
    ({"type": "integer", "minimum": 1000}, lambda v: v >= 1000, {1000, 1001}),
    ({"type": "integer", "maximum": -5}, lambda v: v <= -5, {-5, -10}),
    ({"type": "integer", "multipleOf": 4}, lambda v: v % 4 == 0, {0, 4}),
    ({"type": "integer", "multipleOf": 4, "minimum": 5, "maximum": 21}, lambda v: v in (8, 12, 16, 20), {8, 20}),
    ({"type": "number", "minimum": 2, "maximum": 3}, lambda v: 2 <= v <= 3, {2, 3}),
    ({"type": "number", "exclusiveMinimum": 2, "exclusiveMaximum": 3}, lambda v: 2 < v < 3, {2.5}),
    ({"type": "number", "minimum": 7}, lambda v: v >= 7, set()),
    ({"type": "number", "maximum": -7}, lambda v: v <= -7, set()),
    ({"type": "string", "minLength": 3, "maxLength": 6}, lambda v: 3 <= len(v) <= 6, set()),
    ({"type": "string", "format": "date"}, lambda v: True, {"2026-01-31", "2024-02-29"}),
    ({"enum": ["x", "y"]}, lambda v: v in ("x", "y"), {"x", "y"}),
    ({"const": 7}, lambda v: v == 7, {7}),
    ({"type": ["null", "boolean"]}, lambda v: v in (None, True, False), {None, True, False}),
    ({"anyOf": [{"type": "null"}, {"const": 1}]}, lambda v: v in (None, 1), {None, 1}),
    ({"oneOf": [{"const": 2}, {"const": 1}]}, lambda v: v in (1, 2), {2, 1}),
    ({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 4}]}, lambda v: v in (3, 4), {3, 4}),
    ({"$ref": "#/$defs/one"}, lambda v: True, set()),
    ({"type": "null"}, lambda v: v is None, {None}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "accepted", "seen"), BOUNDED, ids=[str(one[0])[:40] for one in BOUNDED])
def test_bounds_of_a_schema_are_kept_and_reached(
    schema: dict[str, Any], accepted: Callable[[Any], bool], seen: set[Any]
) -> None:
    made = drawn(None, schema)
    assert all(map(accepted, made)), [one for one in made if not accepted(one)][:3]
    assert all(wanted in made for wanted in seen)


LISTS: list[tuple[dict[str, Any], Callable[[Any], bool], set[int]]] = [
    ({"items": {"type": "integer"}}, lambda v: all(type(one) is int for one in v), {0, 1, 2, 3, 5, 12}),
    ({"items": {"const": 1}, "minItems": 2, "maxItems": 3}, lambda v: 2 <= len(v) <= 3, {2, 3}),
    ({"prefixItems": [{"const": 1}, {"const": "x"}]}, lambda v: v[:2] == [1, "x"], {2}),
    ({"items": {"type": "boolean"}, "uniqueItems": True}, lambda v: len(v) == len(set(v)), {0, 1, 2}),
]


@pytest.mark.parametrize(("schema", "accepted", "lengths"), LISTS, ids=[str(one[0])[:40] for one in LISTS])
def test_lists_keep_their_bounds(
    schema: dict[str, Any], accepted: Callable[[Any], bool], lengths: set[int]
) -> None:
    made = drawn(None, {"type": "array", **schema})
    assert all(map(accepted, made)) and lengths <= {len(one) for one in made}


def test_objects_have_what_they_must_have() -> None:
    inner = {"a": {"const": 1}, "b": {"const": 2}}
    made = drawn(None, {"type": "object", "properties": inner, "required": ["a"]})
    assert {tuple(one) for one in made} == {("a",), ("a", "b")}
    made = drawn(None, {"type": "object", "additionalProperties": {"const": 3}})
    assert all(set(one.values()) <= {3} for one in made) and {len(one) for one in made} == {0, 1, 2}
    asked = tree(children={("key", "id"): {"eq": ["R1"]}})
    made = drawn(asked, {"type": "object"})
    assert share(made, lambda v: v.get("id") == "R1") > 0.4


def test_the_first_calls_are_all_of_one_kind() -> None:
    schema = {"properties": {"t": TEXT, "n": {"type": "integer"}, "x": {"type": "number"}, "l": {"type": "array"},
                             "o": {"type": "object"}, "b": {"type": "boolean"}, "more": TEXT}, "required": list("tnxlob")}  # fmt: skip
    generator = Generator(schema, {}, Hints(), Pools())
    empty = generator.arguments(Random(1), "minimal")
    assert empty == {"t": "", "n": 0, "x": 0, "l": [], "o": {}, "b": False}
    assert generator.arguments(Random(1), "long")["t"] == "a" * 5000
    assert "\0" in generator.arguments(Random(1), "null")["t"]
    assert "\u202e" in generator.arguments(Random(1), "unicode")["t"]
    number = generator.arguments(Random(1), "number")
    assert (number["t"], number["n"]) == ("-1", -1)
    assert all("more" in generator.arguments(Random(k), "long") for k in range(20))
    assert 0 < sum("more" in generator.arguments(Random(k)) for k in range(40)) < 40


def test_a_seed_of_a_report_draws_the_same_in_the_next_version() -> None:
    """Change the digests only where a change of what is drawn is wanted: reports then name seeds of their version."""
    hints = Hints()
    for one in ("alpha", "two words", 17, 2.5):
        hints.add(one)
    kinds = {
        "t": {**TEXT, "maxLength": 400}, "u": TEXT, "n": {"type": "integer", "minimum": -50}, "m": {"type": "integer", "maximum": 90},
        "x": {"type": "number", "exclusiveMinimum": 0, "maximum": 10}, "y": {"type": "number"}, "l": {"type": "array", "items": TEXT},
        "o": {"type": "object"}, "p": {"type": "object", "additionalProperties": TEXT}, "any": {},
        "w": {"anyOf": [TEXT, {"type": "null"}, {"type": "integer", "multipleOf": 3}]},
    }  # fmt: skip
    roots = {name: node for name in kinds for node in [Node(name)]}
    for node, _, _ in LED.values():
        for name in ("u", "any"):
            merge(roots[name], node)
    merge(
        roots["o"],
        tree(
            children={("key", "id"): {"eq": [7, "x"]}, ("key", "l"): {"children": {("each",): {"eq": [1]}}}}
        ),
    )
    merge(roots["n"], tree(eq=[3], children={("add", 2): {"cmp": [5]}, ("mod", 4): {"eq": [1]}}))
    merge(roots["l"], tree(children={("len",): {"cmp": [6]}, ("item", 0): {"eq": ["first"]}}))
    pools = Pools(["drawn", "text"], {"[a-z]+": ["abc", "xyz"]})
    generator = Generator({"properties": kinds, "required": ["t"]}, roots, hints, pools)
    digests = []
    for mode in dict.fromkeys(MODES):
        random = Random(f"report {mode}")
        made = [generator.arguments(random, mode) for _ in range(300)]
        digests.append(hashlib.sha256(json.dumps(made).encode()).hexdigest()[:12])
    assert digests == DIGESTS


DIGESTS = ["a136293fd2ef", "125d49d02e61", "4d64f9fe2223", "4b58b951ae03", "9a8acb81548f", "0d52de550832"]


def merge(into: Node, other: Node) -> None:
    for operation, constants in other.facts.items():
        for one in constants:
            into.learn(operation, one)
    for step, child in other.children.items():
        merge(into.child(step), child)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z\d]+",
        r"^[A-Z]{2}\d{3}$",
        r"(?P<a>x|y)-(?P=a)",
        r"^\w+@\w+\.com$",
        r"\s\S\D\W",
        "(?:ab?)+.[^abc]",
        "(?i)No-[^\\d]",
    ],
)
def test_samples_of_a_pattern_match_it(pattern: str) -> None:
    made = samples(pattern, "tool")
    assert len(set(made)) > 1 and len(made) >= 10 and all(re.search(pattern, one) for one in made)
    assert made == samples(pattern, "tool") and samples("(", "tool") == []


def test_kept_arguments_are_changed_in_every_way() -> None:
    (tool,) = load("tests.toolfuzz.tools:all_types")
    search = Search(tool, 1)
    assert search.reached(1, [("f", 2, 3, 1), ("f", 1, 2, 1)], {"a": 1}) == [("f", 1, 2, 1), ("f", 2, 3, 1)]
    assert search.reached(2, [("f", 1, 2, 1)], {"a": 2}) == [] and search.kept == [{"a": 1}]
    assert search.reached(3, [("f", 1, 2, 2)], {"a": 3}) and search.kept == [{"a": 1}, {"a": 3}]  # more often
    random = Random("kept")

    def changes(value: Any, count: int = 400) -> list[Any]:
        return [search._mutated(value, random, ["token"]) for _ in range(count)]

    assert {9, 11, 20, 0, -10, 70, 110, 15} < set(changes(10))
    assert set(changes(3.0)) == {-3.0, 1.5, 3.0}
    assert changes(True, 2) == [True, True] and changes(None, 1) == [None] and changes([], 1) == [[]]
    lists = changes([1, 2])
    assert [1] in lists and [2] in lists and [1, 2, 1] in lists and [1, 2, 2] in lists and [1, 3] in lists
    made = changes({"a": 1, "b": 2})
    assert {"a": 1} in made and {"b": 2} in made and {"a": 2, "b": 2} in made
    texts = changes("abcdef")
    assert (
        any(len(one) < 6 for one in texts)
        and "abcdefabcdef" in texts
        and any(len(one) == 5000 or len(one) == 240 for one in texts)
    )
    assert {"abcdeftoken", "tokenabcdef", "abcdf"} < set(changes("abcdef", 2000))
    words = set(changes("push add", 2000))
    assert {"push", "add push", "push add add", "push add token", "tokenpush add", "token add"} < words
    assert share(changes('{"a": 1}'), lambda one: one in ('{"a": 0}', '{"a": 2}', '{"a": 11}', "{}")) > 0.3


def test_which_calls_carry_taint_and_which_are_measured() -> None:
    (tool,) = load("tests.toolfuzz.tools:all_types")
    search, blind = Search(tool, 1), Search(tool, 1, guided=False)
    carrying = [k for k in range(1000) if search.carries_taint(k)]
    assert carrying[:6] == [0, 1, 2, 4, 5, 6]
    assert [k for k in carrying if 56 <= k <= 66] == [56, 57, 58, 61, 63, 65]
    assert [k for k in carrying if k > 395][:4] == [397, 399, 400, 408]
    measured = [k for k in range(1000) if search.is_measured(k)]
    assert measured[:400] == list(range(400)) and measured[400:402] == [401, 417]
    assert not any(blind.carries_taint(k) or blind.is_measured(k) for k in range(1000))
    assert len(search.draw(2)[1]) <= LARGEST


# taint ------------------------------------------------------------------------------------------------------------


def seen(act: Callable[[Any], Any], value: Any) -> tuple[Any, Any]:
    """What an operation on a tainted value returns, and what was learned: a tree of facts, children by their steps."""
    knowledge = Knowledge()
    made = act(taint(value, knowledge.node("q")))

    def learned(node: Node) -> dict[Any, Any]:
        return {**node.facts, **{step: learned(child) for step, child in node.children.items()}}

    return made, learned(knowledge.roots["q"])


class Custom:
    pass


OPERATIONS: dict[str, tuple[Any, Callable[[Any], Any], Any]] = {
    "==": ("ab", lambda v: v == "x", {"eq": ["x"]}),
    "!=": ("ab", lambda v: v != "x", {"eq": ["x"]}),
    "<": ("ab", lambda v: v < "x", {"eq": ["x"]}),
    ">=": ("ab", lambda v: v >= "x", {"eq": ["x"]}),
    "in": ("ab", lambda v: "x" in v, {"contains": ["x"]}),
    "find": ("ab", lambda v: v.find("b"), {"contains": ["b"]}),
    "count": ("ab", lambda v: v.count("b"), {"contains": ["b"]}),
    "startswith": ("ab", lambda v: v.startswith(("a", "c")), {"startswith": ["a", "c"]}),
    "endswith": ("ab", lambda v: v.endswith("b"), {"endswith": ["b"]}),
    "isdigit": ("12", lambda v: v.isdigit(), {"is": ["isdigit"]}),
    "isupper": ("12", lambda v: v.isupper(), {"is": ["isupper"]}),
    "strip": (" ab ", lambda v: v.strip() == "ab", {("same", "strip"): {"eq": ["ab"]}}),
    "zfill": ("7", lambda v: v.zfill(3), {("same", "zfill"): {}}),
    "int": ("12", int, {("int",): {}}),
    "float": ("1.5", float, {("float",): {}}),
    "item": ("abc", lambda v: v[1] == "b", {("slice", 1, None): {"eq": ["b"]}}),
    "slice": ("abc", lambda v: v[1:] == "bc", {("slice", 1, None): {"eq": ["bc"]}}),
    "slice to": ("abc", lambda v: v[:2] == "ab", {("slice", 0, 2): {"eq": ["ab"]}}),
    "slice from behind": ("abc", lambda v: v[-2:] == "bc", {}),
    "slice by steps": ("abc", lambda v: v[::2] == "ac", {}),
    "replace": ("abc", lambda v: v.replace("b", ""), {"contains": ["b"], ("same", "replace"): {}}),
    "removeprefix": ("abc", lambda v: v.removeprefix("a") == "bc", {"startswith": ["a"], ("slice", 1, None): {"eq": ["bc"]}}),
    "removesuffix": ("abc", lambda v: v.removesuffix("c") == "ab", {"endswith": ["c"], ("same", "removesuffix"): {"eq": ["ab"]}}),
    "split": ("a,b", lambda v: v.split(",")[0] == "a", {("split", ","): {("item", 0): {"eq": ["a"]}}}),
    "rsplit": ("a,b,c", lambda v: v.rsplit(",", 1), {("split", ","): {}}),
    "splitlines": ("a\nb", lambda v: v.splitlines(), {("split", "\n"): {}}),
    "partition": ("a=b", lambda v: v.partition("=")[2] == "b", {("partition", "="): {("item", 0): {}, ("item", 1): {}, ("item", 2): {"eq": ["b"]}}}),
    "rpartition": ("a=b", lambda v: v.rpartition("=")[0] == "a", {("partition", "="): {("item", 0): {"eq": ["a"]}, ("item", 1): {}, ("item", 2): {}}}),
    "number ==": (7, lambda v: v == 8, {"eq": [8]}),
    "number <": (7, lambda v: v < 8.5, {"cmp": [8.5]}),
    "number > flag": (7, lambda v: v > True, {}),
    "add": (7, lambda v: v + 3 == 10, {("add", 3): {"eq": [10]}}),
    "radd": (7, lambda v: 3 + v == 10, {("add", 3): {"eq": [10]}}),
    "sub": (7, lambda v: v - 3 == 4, {("add", -3): {"eq": [4]}}),
    "mul": (7, lambda v: v * 3 == 21, {("mul", 3): {"eq": [21]}}),
    "mod": (7, lambda v: v % 3 == 1, {("mod", 3): {"eq": [1]}}),
    "floordiv": (7, lambda v: v // 3 == 2, {("floordiv", 3): {"eq": [2]}}),
    "add a fraction": (7, lambda v: v + 0.5, {}),
    "divide by it": (7, lambda v: 14 / v, {"cmp": [0]}),
    "divide whole by it": (7, lambda v: 14 // v, {"cmp": [0]}),
    "rest by it": (7, lambda v: 15 % v, {"cmp": [0]}),
    "fraction ==": (0.5, lambda v: v == 0.5, {"eq": [0.5]}),
    "fraction >=": (0.5, lambda v: v >= 1, {"cmp": [1]}),
    "divide by a fraction": (0.5, lambda v: 1 / v, {"cmp": [0]}),
    "list item": (["a", "b"], lambda v: v[1] == "b", {("item", 1): {"eq": ["b"]}}),
    "last of a list": (["a", "b"], lambda v: v[-1] == "b", {("item", -1): {"eq": ["b"]}}),
    "part of a list": (["a", "b"], lambda v: v[1:], {}),
    "in a list": (["a"], lambda v: "z" in v, {("each",): {"eq": ["z"]}}),
    "each of a list": (["a", "b", "c", "d", "e"], lambda v: [one == "e" for one in v],
                       {("each",): {"eq": ["e"]}, **{("item", k): {"eq": ["e"]} for k in range(4)}}),
    "key": ({"a": "x"}, lambda v: v["a"] == "x", {("key", "a"): {"eq": ["x"]}}),
    "get": ({"a": 1}, lambda v: v.get("b", 5), {("key", "b"): {}}),
    "key in": ({"a": 1}, lambda v: "a" in v, {("key", "a"): {}}),
    "pop": ({"a": 1}, lambda v: v.pop("a") == 1, {("key", "a"): {"eq": [1]}}),
    "key that is no text": ({"a": 1}, lambda v: v.get(3), {}),
    "length": ("abc", lambda v: length(v) > 5, {("len",): {"cmp": [5]}}),
    "length of a list": ([1, 2], lambda v: length(v) == 2, {("len",): {"eq": [2]}}),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_an_operation_tells(name: str) -> None:
    value, act, learned = OPERATIONS[name]
    made, found = seen(act, value)
    plain = act(json.loads(json.dumps(value)))
    assert made == plain and found == learned


def test_tainted_values_behave_like_plain_ones() -> None:
    import copy
    import pickle

    for value, kind in (("a", TStr), (7, TInt), (0.5, TFloat), ([1], TList), ({"a": 1}, TDict)):
        tainted = taint(value, Node("q"))
        assert type(tainted) is kind and tainted == value
        assert type(pickle.loads(pickle.dumps(tainted))) is type(value) is type(copy.copy(tainted))
        assert json.dumps(tainted) == json.dumps(value)
    one = Custom()
    assert taint(None, Node("q")) is None and taint(True, Node("q")) is True and taint(one, Node("q")) is one
    assert type(str(taint("a", Node("q")))) is str and hash(taint("a", Node("q"))) == hash("a")


def test_a_tree_stops_growing() -> None:
    node = Node("q")
    for k in range(MOST_FACTS + 5):
        node.learn("eq", k)
        node.learn("eq", k)
    assert node.facts["eq"] == list(range(MOST_FACTS))
    node.learn("cmp", 1)
    node.learn("cmp", True)
    node.learn("cmp", 1.0)
    node.learn("cmp", "x" * 2001)
    node.learn("cmp", [1])
    assert [type(one) for one in node.facts["cmp"]] == [int, bool, float]
    for k in range(MOST_CHILDREN):
        node.child(("item", k))
    assert len(node.children) == MOST_CHILDREN and node.child(("item", MOST_CHILDREN)) is node
    deep = Node("q")
    for _ in range(12):
        deep = deep.child(("each",))
    assert deep.depth == 12 and deep.child(("each",)) is deep


# shrinking --------------------------------------------------------------------------------------------------------


def safe(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def fails(value: Any) -> bool:
        try:
            return bool(test(value))
        except (KeyError, IndexError, TypeError, AttributeError):
            return False

    return fails


SHRUNK: dict[str, tuple[Any, Callable[[Any], bool], Any]] = {
    "a number from above": ({"n": 70}, lambda v: v["n"] > 41, {"n": 42}),
    "a number from below": ({"n": -70}, lambda v: v["n"] < -41, {"n": -42}),
    "zero": ({"n": 5}, lambda v: v["n"] < 9, {"n": 0}),
    "one": ({"n": 5}, lambda v: v["n"] > 0, {"n": 1}),
    "minus one": ({"n": -7000}, lambda v: v["n"] < 0, {"n": -1}),
    "a whole fraction": ({"n": 8000.0}, lambda v: v["n"] > 6, {"n": 7}),
    "a fraction": ({"n": 3.14159}, lambda v: 3.1 < v["n"] < 3.2, {"n": 3.14}),
    "a flag": ({"n": True, "m": 1}, lambda v: "n" in v, {"n": True}),
    "a text": ({"q": "x" * 300}, lambda v: len(v["q"]) >= 10, {"q": "0" * 10}),
    "a word in a text": ({"q": "so many words and a needle in them"}, lambda v: "needle" in v["q"], {"q": "needle"}),
    "a list": ({"l": [5, 6, 7, 8]}, lambda v: 7 in v["l"], {"l": [7]}),
    "a long list": ({"l": list(range(100, 160))}, lambda v: len(v["l"]) > 3, {"l": [0, 0, 0, 0]}),
    "an object in an object": ({"o": {"a": {"b": 3}, "c": 4}}, lambda v: isinstance(v["o"], dict), {"o": {}}),
    "a key of an object in an object": ({"o": {"a": 1, "b": 2}, "c": {"a": 1}}, lambda v: v["o"]["a"] == 1, {"o": {"a": 1}}),
    "keys that matter not": ({"a": "x", "b": "y", "c": "z"}, lambda v: v["b"] == "y", {"b": "y"}),
    "nothing matters": ({"a": "x"}, lambda v: True, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", SHRUNK)
def test_what_is_left_of_a_failing_input(name: str) -> None:
    value, test, smallest = SHRUNK[name]
    better: list[Any] = []
    shrinker = Shrinker(value, safe(test), better=better.append)
    assert shrinker.run() == smallest == shrinker.best
    assert better[-1] == smallest and all(weight(b) != weight(a) for a, b in pairwise(better))
    assert shrinker.calls <= 500


def test_shrinking_stops_at_its_limit() -> None:
    calls: list[Any] = []

    def fails(value: Any) -> bool:
        calls.append(value)
        return len(value.get("q", "")) > 1000

    shrinker = Shrinker({"q": "abc" * 1000, "r": "x"}, fails, most=7)
    shrinker.run()
    assert shrinker.calls == len(calls) == 7
    assert weight({"a": 1}) < weight({"a": 10}) and weight("0") < weight("a") < weight("b")


# tools and places -------------------------------------------------------------------------------------------------


def test_arguments_that_have_no_name_of_their_own_are_passed_by_place() -> None:
    (tool,) = load("tests.toolfuzz.tools:by_place")
    assert tool.invoke({"low": 1, "high": 5, "step": 2}) == [1, 3]
    with pytest.raises(Refused, match="low"):
        tool.invoke({"high": 5, "step": 2})


def test_a_file_is_named_from_the_nearest_known_folder(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    places = Places(str(package), True, base=str(tmp_path / "work"))
    for _ in range(2):  # the second answer is the kept one
        assert places.name(str(package / "a.py")) == "pkg/a.py"
        assert places.name(str(tmp_path / "work" / "b.py")) == "b.py"
        assert places.name("/elsewhere/c.py") == "/elsewhere/c.py"
        assert places.own(str(package / "a.py")) and not places.own(str(tmp_path / "pkg2" / "a.py"))
    alone = Places(str(package / "a.py"), False)
    assert alone.own(str(package / "a.py")) and not alone.own(str(package / "b.py"))


def test_kept_arguments_come_again_with_a_few_changes_that_the_schema_accepts() -> None:
    (tool,) = load("tests.toolfuzz.tools:all_types")
    search = Search(tool, 1)
    kept = {
        "colour": "red",
        "mode": "a",
        "ids": [123456],
        "outer": {"inner": {"name": "x", "size": 5}},
        "extra": {},
    }
    search.keep(0, [], kept)
    made = [one for k in range(300) if (one := search._changed(Random(k))) is not None]
    assert len(made) > 250 and all(mismatch(one, tool.schema) is None for one in made)
    changed = [{name for name in kept if one[name] != kept[name]} for one in made]
    assert {"ids"} in changed and {"outer"} in changed and max(map(len, changed)) <= 4
    assert kept["ids"] == [123456]


def test_an_argument_that_json_cannot_carry_is_left_to_its_default() -> None:
    (needs,) = load("tests.toolfuzz.tools:needs_session")
    assert needs.skipped is not None and "session is nothing that JSON can carry" in needs.skipped
    (may,) = load("tests.toolfuzz.tools:may_have_session")
    assert (
        may.skipped is None and set(may.schema["properties"]) == {"text"} and may.invoke({"text": "x"}) == "x"
    )
    (at_place,) = load("tests.toolfuzz.tools:at_place")
    why = "its argument place has no schema: Please use `typing_extensions.TypedDict`"
    assert (at_place.skipped or "").startswith(why) == (sys.version_info < (3, 12))


def test_a_schema_that_is_not_there_is_told_in_plain_words() -> None:
    with pytest.raises(UserError, match=r"there is no file none\.json; name"):
        load("none.json=tests.toolfuzz.tools:letter")
