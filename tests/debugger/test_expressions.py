"""The language of watches and conditions: what it reads, what it says, and what it refuses in one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.cursor import open_run
from planscope.debugger.errors import DebuggerError
from planscope.debugger.expressions import costly, parse_condition, parse_expression
from planscope.debugger.watches import WatchLine, evaluate, in_words, load_watches, look, parse_watch
from planscope.language.problem import Action, Problem, make_actions, rules
from planscope.safe import visible
from tests.debugger.runs import figure_10, hand_made, judged
from tests.each import each
from tests.hostile import HOSTILE

BASE = hand_made().problem
TIMED = figure_10().problem


def values(text: str, timed: bool = False) -> list[object]:
    run = open_run(figure_10() if timed else hand_made()).run
    expression = parse_expression(text, run.problem)
    return [evaluate(expression, run, index) for index in range(run.last + 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a1.place", [None, 1, 1, 1, 1, 1, 1]),
        ("third_task.place", [None, None, None, None, None, 4, 4]),
        ('"fourth task".place', [None, None, None, None, 3, 3, 3]),
        ("c2", ["open", "open", "open", "open", "broken", "broken", "broken"]),
        ("valid_completions", ["many", 2, 1, 1, 0, 0, 0]),
        ("state", ["completable"] * 4 + ["broken"] * 3),
        ("step", [0, 1, 2, 3, 4, 5, "end"]),
        ("attempt", [1] * 7),
        ("valid_completions < 2", [False, False, True, True, True, True, True]),
        ("valid_completions >= 0", [False, True, True, True, True, True, True]),
        ("valid_completions == many", [True] + [False] * 6),
        ("c2 == broken", [False] * 4 + [True] * 3),
        ("c2 != open", [False] * 4 + [True] * 3),
        ("c1 == c2", [True, False, False, False, False, False, False]),
        ("state == broken", [False] * 4 + [True] * 3),
        ("state == violated", [False] * 4 + [True] * 3),
        ("state == Possible", [True] * 4 + [False] * 3),
        ("c2 == violated", [False] * 4 + [True] * 3),
        ("step > 4", [False] * 5 + [True, True]),
        ("step == end", [False] * 6 + [True]),
        ("step == 4", [False] * 4 + [True, False, False]),
        ("a1.place == none", [True] + [False] * 6),
        ("a1.place != none", [False] + [True] * 6),
        ("a4.place > a1.place", [False] * 4 + [True] * 3),
        ("a3.place < a4.place", [False] * 7),
        ("a3.place <= 4", [False] * 5 + [True] * 2),
        ("VALID_COMPLETIONS<2", [False, False, True, True, True, True, True]),
        ("C2==Broken", [False] * 4 + [True] * 3),
        ("A1.Place", [None, 1, 1, 1, 1, 1, 1]),
        ("attempt != 1", [False] * 7),
    ],
)
def test_values_step_by_step(text: str, expected: list[object]) -> None:
    assert values(text) == expected


def test_hours_and_attempts() -> None:
    assert values("attempt", timed=True) == [1, 1, 2, 2, 2, 2, 2]
    assert values("a1.start", timed=True) == [None, 18, None, None, None, 18, 18]
    assert values("a1.place", timed=True) == [None, 1, None, None, None, 3, 3]
    assert values("a3.end", timed=True) == [None, None, None, 12, 12, 12, 12]
    assert values("a2.end <= a3.start", timed=True) == [False] * 4 + [True] * 3
    assert values("state == doomed", timed=True)[:4] == [False, True, False, True]
    assert values("state == lost", timed=True)[:4] == [False, True, False, True]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "enter an expression"),
        ("   ", "enter an expression"),
        ("valid_completion < 3", "no value 'valid_completion'; nearest: 'valid_completions'"),
        ("c9", "no value 'c9'; nearest: 'c1'"),
        ("a1", "'a1' is an action; ask for its .place, .start or .end"),
        ("first_task", "is an action; ask for its .place"),
        ("a1.plaec", "no part of 'a1' 'plaec'; nearest: 'place'"),
        ("a1.", "no part of 'a1' ''"),
        ("frist_task.place", "no action 'frist_task'; nearest: 'first_task'"),
        ("a1.start", "this query has no clock times"),
        ("c2 == brokn", "no value of c2 'brokn'; nearest: 'broken'"),
        ("c2 == 3", "no value of c2 '3'; there are: 'holds', 'open', 'violated'"),
        ("c2 < broken", "< compares numbers"),
        ("c2 < c1", "< compares numbers"),
        ("state > doomed", "> compares numbers"),
        ("state == c1", "cannot be compared"),
        ("state == finished", "no value of state 'finished'"),
        ("step == dooomed", "no value of step 'dooomed'"),
        ("step <", "there is nothing to compare with after '<'"),
        ("step = 3", "'=' is unexpected here; equality is =="),
        ("step == 3 4", "cannot be compared|unexpected|comes last"),
        ("3 < step", "the number comes last"),
        ("step 3", "unexpected '3' after 'step'"),
        ("a1.place > c1", "cannot be compared"),
        ("(step)", "no value '(step)'; nearest: 'step'"),
        ("__import__('os')", "no value '__import__('"),
        ('"step"', "no value 'step'"),
        ("'unclosed", "is unexpected here"),
        ("x" * 401, "at most 400 characters"),
        ("a1.place.place", "unexpected '.' after"),
        (". < 3", "found '.' where a name was expected"),
        ("valid_completions < none", "no value of valid_completions 'none'|compares numbers"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(DebuggerError) as caught:
        parse_expression(text, BASE)
    message = str(caught.value)
    assert any(part in message for part in complaint.split("|")), message
    assert "\n" not in message
    assert len(message) < 300


@each("name", [*HOSTILE, "c1", "state", "a.b", 'a "b"', "it's", "x\\", "place"])
def test_an_action_of_any_name_can_be_asked_for(name: str) -> None:
    problem = Problem((Action("a1", "one", "one"), Action("a2", name, name)), rules(False))
    written = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '".place'
    if len(written) > 400:
        with pytest.raises(DebuggerError):
            parse_expression(written, problem)
        return
    expression = parse_expression(written, problem)
    assert parse_expression(str(expression), problem) == expression


names = st.sampled_from(
    ["a1.place", "a2.start", "c1", "c2", "b1", "state", "step", "attempt", "valid_completions", "a3.end", "7"]
)
pieces = st.one_of(
    names,
    st.sampled_from(
        ["<", "==", "!=", ">=", ".", '"', "'", "end", "none", "many", "broken", "doomed", " ", "-1", "="]
    ),
    st.text(max_size=4),
    st.sampled_from([s for s in HOSTILE if len(s) < 100]),
)
texts = st.lists(pieces, max_size=5).map(" ".join)


@given(st.one_of(texts, st.text(max_size=30)), st.booleans())
def test_any_text_is_read_and_written_back_or_refused_in_one_line(text: str, timed: bool) -> None:
    problem = TIMED if timed else BASE
    try:
        expression = parse_expression(text, problem)
    except DebuggerError as error:
        assert visible(str(error)) == str(error)
        assert len(str(error)) < 400
        return
    assert parse_expression(str(expression), problem) == expression
    run = open_run(figure_10() if timed else hand_made()).run
    for index in range(run.last + 1):
        assert isinstance(in_words(evaluate(expression, run, index)), str)


comparisons = st.tuples(
    st.sampled_from(["a1.place", "step", "attempt", "valid_completions"]),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    st.integers(-1, 6),
)


@given(judged(), comparisons, st.data())
def test_comparisons_mean_what_they_say(
    run_of: object, parts: tuple[str, str, int], data: st.DataObject
) -> None:
    run = open_run(run_of).run
    left, operator, right = parts
    index = data.draw(st.integers(0, run.last))
    value = evaluate(parse_expression(left, run.problem), run, index)
    said = evaluate(parse_expression(f"{left} {operator} {right}", run.problem), run, index)
    number = run.last if value == "end" and operator not in ("==", "!=") else value
    if isinstance(number, int):
        signs = {"<": number < right, "<=": number <= right, ">": number > right, ">=": number >= right}
        assert said == (signs | {"==": number == right, "!=": number != right})[operator]
    else:
        assert said == (operator == "!=")


def test_a_condition_is_a_comparison() -> None:
    assert str(parse_condition("valid_completions<3", BASE)) == "valid_completions < 3"
    with pytest.raises(DebuggerError, match="is a value; a condition compares it"):
        parse_condition("valid_completions", BASE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("valid_completions", True),
        ("valid_completions < 3", True),
        ("step < valid_completions", True),
        ("c1", False),
        ("step > 3", False),
        ("a1.place", False),
    ],
)
def test_what_needs_counts_is_known(text: str, expected: bool) -> None:
    assert costly(parse_expression(text, BASE)) == expected


def test_watches_are_shown_with_what_changed() -> None:
    made = hand_made()
    run = open_run(made).run
    lines = [look(parse_watch(text, run.problem), run, 1) for text in ("a1.place", "c2", "c1 == holds")]
    assert lines == [
        WatchLine("a1.place", "1", True),
        WatchLine("c2", "open", False),
        WatchLine("c1 == holds", "yes", True),
    ]
    assert look(parse_watch("a1.place", run.problem), run, 0) == WatchLine("a1.place", "not yet", False)
    assert made.asked == []


def test_a_costly_watch_asks_for_one_step_alone() -> None:
    made = hand_made()
    run = open_run(made).run
    watch = parse_watch("valid_completions", run.problem)
    assert watch.costly
    assert look(watch, run, 2) == WatchLine("valid_completions", "1", False)
    assert look(watch, run, 3) == WatchLine("valid_completions", "1", False)
    assert look(watch, run, 2) == WatchLine("valid_completions", "1", False)
    assert made.asked == [2, 3]
    assert look(watch, run, 4) == WatchLine("valid_completions", "0", True)


def test_old_and_new_words_are_the_same_condition_as_it_was_written() -> None:
    old, new = (parse_watch(f"state == {word}", BASE) for word in ("broken", "violated"))
    assert old == new and (str(old), str(new)) == ("state == broken", "state == violated")
    run = open_run(hand_made()).run
    assert look(parse_watch("state", run.problem), run, 6).value == "violated"
    assert look(parse_watch("c2", run.problem), run, 6).value == "violated"


def test_watches_of_a_file_that_no_longer_fit_are_named() -> None:
    watches, problems = load_watches(["c1", "c9 == broken", "ghost.place", "step"], BASE)
    assert [str(watch) for watch in watches] == ["c1", "step"]
    assert len(problems) == 2
    assert all(problem.startswith("watch: no ") for problem in problems)


def test_names_of_actions_go_before_names_in_other_places() -> None:
    problem = Problem(make_actions(["a2", "state"]), rules(False))
    assert str(parse_expression("state.place", problem)) == "state.place"
    assert str(parse_expression("state", problem)) == "state"
    by_id = parse_expression("a2.place", problem)
    assert by_id.action == "a2"
