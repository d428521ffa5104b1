"""Which conditions some call can meet together: held against calls made of every small value."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.language.calls import Calls, Compare
from planscope.oracle.trace import ToolCall
from planscope.rules.core import play
from planscope.rules.future import Future
from planscope.rules.judge import Rulebook
from planscope.rules.pattern import pattern, telling
from planscope.rules.reading import read_rules
from planscope.rules.satisfiable import ABSENT, MOST, Formula, TooMany, combinations, completed
from planscope.rules.values import belongs, key_part, meets

VALUES: list[Any] = [None, True, False, 0, 1, 2, 2.5, 3, "", "2", "5", "AB", "a", "ab", "ba", "b", "ac", "acb", "abc", "cbc", "c", "2026-01-31", "2026-01-31T00:00:00",
    "2026-01-31T12:00:00", "2026-02-01T10:00:00", "2025-01-31", "1999-12-31", "2030-01-01", "2026 odd", [], ["a"], [1], [True], [1, "a"], ["b"], [None, 1], [None, "a"], [None, 1, "a"],
                     {"k": 1}, {"k": "a"}, {"k": [1]}, ["2026-01-31"], [["a"]]]  # fmt: skip


def calls() -> list[ToolCall]:
    """Calls with every value as ``x``, a few as ``y``, with every kind of answer, by two agents."""
    found = []
    for x, y, answer in product(
        VALUES, (None, 1, "a"), (None, "fine", json.dumps({"s": "ok"}), json.dumps({"s": 1}), "[1]")
    ):
        for failed, agent in product((False, True), ("ann", "bob")) if x in (None, 1) else [(False, "ann")]:
            call = ToolCall(
                "t", {"x": x, "y": y}, answer=answer, answered=answer is not None, step=1, agent=agent
            )
            call.failed = failed if answer is not None else None
            found.append(call)
    return found


CALLS = calls()
GROUPS = [
    ["x = 1", "x = 2", "x > 1"],
    ["x = 1", "x != 1", "x is missing"],
    ["x < 2", "x >= 2", "x <= 2.5", "x > 2.5"],
    ['x = "a"', 'x starts with "a"', 'x ends with "b"', 'x contains "b"'],
    ['x = "ab"', 'x contains "a"', "x = true", "x = false"],
    ['x < "2026-02-01"', 'x = "2026-01-31"', 'x > "2026-01-31"'],
    ["x contains 1", 'x contains "a"', "x[0] is missing"],
    ["x.k = 1", 'x.k = "a"', "x.k[0] = 1", "x is missing"],
    ['x is one of [1, "a"]', "x = 1", "x is one of []"],
    ["x = 1 and y = 1", "x = 1 or y = 1", "y is missing"],
    ["x.k is missing", "x[0] is missing", "x = 1"],
    ['answer.s = "ok"', "answer.s is missing", "answer[0] = 1", 'answer = "fine"'],
    ["x = 1", 'y = "a"', 'answer.s = "ok"'],
    ['x != "a"', "x != 1", "x is missing"],
    ["x contains true", "x starts with \"\"", "x > -1"],
    ["x.k = 1", "x[0] = 1"],
    ['x does not start with "a"', 'x starts with "a"', "x is set"],
    ['x does not contain "b"', 'x does not end with "b"', 'x = "ab"', "x is missing"],
    ['x does not contain "a"', "x contains 1", "x is missing"],
    ['x matches "^[0-9]+$"', 'x matches "a"', 'x = "2"'],
    ['x matches "^(ab|2)$"', 'x does not match "b"', 'x is one of ["ab", "2"]'],
]  # fmt: skip


def formulas_of(conditions: list[str]) -> list[Formula]:
    rules = read_rules("".join(f"A with {one} happens.\n" for one in conditions)).rules
    return [Formula.of(rule.first[0]) for rule in rules]


def holds(formula: Formula, call: ToolCall) -> bool:
    found = belongs(Calls("t", formula.condition, formula.outcome, formula.agent), call)
    assert found is not None
    return found


def seen(formulas: list[Formula], among: list[ToolCall] = CALLS) -> set[tuple[bool, ...]]:
    return {tuple(holds(one, call) for one in formulas) for call in among}


def parted(found: tuple[tuple[bool, ...], ...]) -> set[tuple[bool, ...]]:
    assert list(found) == sorted(found, key=lambda one: (-sum(one), [not t for t in one]))
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize("conditions", GROUPS, ids=" | ".join)
def test_just_what_some_call_meets_can_be_met(conditions: list[str]) -> None:
    formulas = formulas_of(conditions)
    assert parted(combinations(formulas)) == seen(formulas)
    for one in formulas:
        assert any(held for (held,) in combinations([one])) == any(holds(one, call) for call in CALLS)


@pytest.mark.parametrize(
    ("formulas", "expected"),
    [
        ([Formula(outcome="failed"), Formula(outcome="succeeded")], {(True, False), (False, True), (False, False)}),
        ([Formula(agent="ann"), Formula(agent="bob")], {(True, False), (False, True), (False, False)}),
        ([Formula(outcome="failed"), Formula(agent="ann")], {(a, b) for a in (True, False) for b in (True, False)}),
        ([Formula(outcome="failed", agent="ann"), Formula(agent="ann")], {(True, True), (False, True), (False, False)}),
        ([Formula(Compare("answer", ("s",), "=", 1)), Formula(outcome="failed")], {(a, b) for a in (True, False) for b in (True, False)}),
        ([Formula()], {(True,)}),
        ([], {()}),
    ],
)  # fmt: skip
def test_outcomes_and_agents(formulas: list[Formula], expected: set[tuple[bool, ...]]) -> None:
    assert parted(combinations(formulas)) == expected


def test_an_answer_needs_an_outcome() -> None:
    said = Formula(Compare("answer", ("s",), "=", 1))
    neither = [said, Formula(outcome="failed"), Formula(outcome="succeeded")]
    assert (True, False, False) not in combinations(neither) and (False, False, False) in combinations(
        neither
    )


@pytest.mark.parametrize("value", [None, True, 0, 1, 2.5, "a", "2026-01-31"])
@pytest.mark.parametrize("conditions", [GROUPS[0], GROUPS[3], GROUPS[5], GROUPS[9]], ids=" | ".join)
def test_a_value_that_is_fixed_is_kept(conditions: list[str], value: Any) -> None:
    formulas = formulas_of(conditions)
    among = [call for call in CALLS if call.arguments and same(call.arguments["x"], value)]
    fixed = {("x",): ABSENT if value is None else key_part(value)}
    assert parted(combinations(formulas, fixed)) == seen(formulas, among)


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


@pytest.mark.parametrize(
    "value", [1e-7, 1.5e20, 2**64, float("inf"), -1e999, float("nan"), "\\u{41}", "\\", "é"]
)
def test_numbers_and_texts_of_every_form_are_tried(value: Any) -> None:
    formulas = formulas_of(["x > 0", 'x = "A"', "x = 1"])
    call = ToolCall("A", {"x": value}, step=1, message=0)
    assert combinations(formulas, {("x",): key_part(value)}) == (tuple(holds(one, call) for one in formulas),)


def test_one_and_true_are_told_apart() -> None:
    one, true = formulas_of(["x = 1", "x = true"])
    assert one != true and len({one, true}) == 2
    assert set(combinations([one, true])) == {(True, False), (False, True), (False, False)}
    assert set(combinations([one, one])) == {(True, True), (False, False)}
    listed = formulas_of(["x is one of [1]", "x is one of [true]"])
    assert (True, True) not in combinations(listed)
    book = Rulebook(read_rules("A with x = true happens.\nA with x = 1 never happens.").rules)
    assert Future(book, ["A"]).of(play(book, [])).possible


def test_what_completes_a_call_can_be_met() -> None:
    one, two, many = formulas_of(["x = 1", "x > 0", "x = 2"])
    assert completed({one: True}, [two, many], {}) == (True, False)
    assert completed({two: False}, [one, many], {}) == (False, False)
    assert completed({two: True, one: False, many: False}, [], {}) == ()
    assert completed({}, [one], {("x",): 1}) == (True,) and completed({}, [one], {("x",): ABSENT}) == (False,)
    (other,) = formulas_of(["y = 1"])
    assert completed({one: True}, [other], {}) == (False,)


def test_many_conditions_on_one_tool_are_not_decided() -> None:
    formulas = formulas_of([f"x{k} = 1" for k in range(MOST + 1)])
    assert len(combinations(formulas[:MOST])) == 2**MOST
    with pytest.raises(TooMany):
        combinations(formulas)


def test_dates_that_begin_in_a_certain_way_are_not_decided() -> None:
    with pytest.raises(TooMany):
        combinations(formulas_of(['x > "2026-01-31"', 'x starts with "2026-0"']))


def test_texts_that_match_and_contain_are_not_decided() -> None:
    with pytest.raises(TooMany):
        combinations(formulas_of(['x matches "^[0-9]+$"', 'x contains "5"']))


def test_a_pattern_with_too_many_states_is_not_decided() -> None:
    with pytest.raises(TooMany):
        combinations(formulas_of(['x matches "(a|b)*a(a|b){40}$"']))


TEXTS = st.text("ab01_ -", max_size=6)
PATTERNS = ["^[0-9]+$", "a|b", "^a?b*$", "\\bab\\b", "^.{3}$", "[^a]", "^$", "_", "^(a|0)(b|1)$", "\\B1", "A"]


@given(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3, unique=True), st.integers(1, 3), TEXTS)
def test_no_choice_of_patterns_is_left_out(some: list[str], several: int, text: str) -> None:
    """Whatever a text meets, other texts that are told meet, too: so many of them, if the text is none of them."""
    patterns = [pattern(one) for one in some]

    def met(one: str) -> list[bool]:
        return [each.is_in(one) for each in patterns]

    told = list(telling(patterns, several))
    assert text in told or sum(met(one) == met(text) for one in told) >= several


def test_what_a_pattern_asks_for_can_still_be_called() -> None:
    """A value that only a regular expression describes was never tried, so that the run counted as lost."""
    book = Rulebook(read_rules('Every pay is followed by log with id matching "^[0-9]{4}$".').rules)
    paid = play(book, [(ToolCall("pay", {}, step=1, message=0), 1)])
    assert Future(book, ["pay", "log"]).of(paid).possible


def test_conditions_with_many_parts_are_decided() -> None:
    """Parts are counted by what is left of the conditions, not by all their combinations."""
    both = formulas_of([" and ".join(f"{name}{k} = 1" for k in range(15)) for name in "xyz"])
    assert len(combinations(both)) == 8


NOW = "2026-01-31"
MEETS = [
    ("=", 1, [1, 1.0], [True, "1", 2, None]), ("=", True, [True], [1, "true"]), ("!=", 1, [True, "1", 2], [1, 1.0]),
    ("is one of", (1, "a"), [1, "a"], [True, "b", []]), ("contains", "a", ["a", "bab", ["a"], [["a"], "a"]], ["b", 1, [["a"]], {"a": 1}]),
    ("contains", 1, [[1], [1.0]], ["1", [True], 1]), ("starts with", "a", ["a", "ab"], ["ba", ["a"], 1]), ("ends with", "a", ["a", "ba"], ["ab", 1]),
    ("<", 2, [1, 1.5], [2, 3, "1", True]), ("<=", 2, [2, 1], [3, False]), (">", 2, [3, 2.5], [2, True]), (">=", 2, [2, 3], [1, "3"]),
    ("<", NOW, ["2026-01-30", "2026-01-30T23:59:59Z", "2026-01-31T00:30:00+01:00"], [NOW, "2026-01-31T00:00:00", "a", 1]),
    ("does not contain", "a", ["b", 1, ["b"]], ["a", ["a"]]), ("does not start with", "a", ["ba", 1], ["ab"]),
    ("does not end with", "a", ["ab", []], ["ba"]), ("does not match", "^[0-9]$", ["12", 1], ["1"]), ("is set", None, [1, "", False], []),
    (">=", NOW, [NOW, "2026-01-31T00:00:00", "2026-02-01"], ["2026-01-30T23:59:59", "2026-1-31", "x" * 50]), ("is missing", None, [], [1, "", [], False]),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "wanted", "good", "bad"), MEETS, ids=lambda one: str(one)[:20])
def test_what_a_value_meets(operator: Any, wanted: Any, good: list[Any], bad: list[Any]) -> None:
    compare = Compare("argument", ("x",), operator, wanted)
    assert all(meets(one, compare) for one in good) and not any(meets(one, compare) for one in bad)
