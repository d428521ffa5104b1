"""What each construct of a rule sentence means, to the last field; and what is refused, where and why."""

from __future__ import annotations

from time import process_time

import pytest

from planscope.language.calls import Calls, Combined, Compare, Condition, path_text
from planscope.language.errors import ParseFailure
from planscope.rules.reading import MAX_ERRORS, MAX_RULES, MAX_TEXT, read_rules
from planscope.rules.rule import Rule


def shown(rule: Rule, text: str) -> str:
    """A rule on one line: kind, words of ``first`` > of ``then``, count and unit, values."""
    sets = " > ".join("|".join(c.name or "user" for c in one) for one in (rule.first, rule.then) if one)
    count = f" {rule.count}" if rule.count else ""
    per = "".join(f" per {path_text(path)}" for path in rule.per)
    per += "".join(f" as {path_text(path)}" for path in rule.per_then)
    assert text[slice(*rule.span)].split() == rule.text.split()
    words = [text[slice(*span)] for span in rule.spans]
    assert len(words) == 1 + bool(rule.then) and all(c.text in words[0] for c in rule.first)
    assert all(c.text in words[1] for c in rule.then)
    return f"{rule.kind} {sets}{count}{rule.unit and ' ' + rule.unit}{per}"


MEANINGS = {
    "The first call is either A or B.": ["init A|B 1"],
    "Either A happens.": ["existence A 1"],
    "A happens either.": ["existence A 1"],
    "A comes before either B or C.": ["precedence A > B|C"],
    "A, B, or C comes before D.": ["precedence A|B|C > D"],
    "A, B or C or D comes before E.": ["precedence A|B|C|D > E"],
    "A, B and C, and D come before E.": [f"precedence {one} > E" for one in "ABCD"],
    "Before A, B happens.": ["precedence B > A"],
    "Before A and B, C happens.": ["precedence C > A", "precedence C > B"],
    "Before A, B or C happens.": ["precedence B|C > A"],
    "A comes before B; C comes before D.": ["precedence A > B", "precedence C > D"],
    "A, which follows B, precedes C.": ["precedence B > A", "precedence A > C"],
    "A, which precedes B, follows C.": ["precedence A > B", "precedence C > A"],
    "follows happens before B.": ["precedence follows > B"],
    "A happens 1000 times.": ["exactly A 1000"],
    "A happens 1 time.": ["exactly A 1"],
    "A happens no more than 3 times.": ["absence A 3"],
    "A happens at most twice.": ["absence A 2"],
    "A happens at least once.": ["existence A 1"],
    "A happens twice.": ["exactly A 2"],
    "Every A is followed by B within 30 seconds.": ["within A > B 30 seconds"],
    "Every A is followed by B within 1 call.": ["within A > B 1 calls"],
    "B happens within 1 minute after A.": ["within A > B 60 seconds"],
    "Every A or B is followed by C or D within 2 calls.": ["within A|B > C|D 2 calls"],
    "Every A and B is followed by C and D.": [f"response {a} > {b}" for a in "AB" for b in "CD"],
    "Each A must be immediately followed by B.": ["chain_response A > B"],
    "A comes directly after B.": ["chain_precedence B > A"],
    "Each A has its own B before it.": ["alternate_precedence B > A"],
    "Never use B before A.": ["precedence A > B"],
    "Do not call B after A.": ["not_succession A > B"],
    "Don't use A.": ["never A"],
    "A must not be called.": ["never A"],
    "A and B are never used.": ["never A", "never B"],
    "A can't be called before B.": ["precedence B > A"],
    "If A is called, B must never be called.": ["not_coexistence A > B"],
    "A must not be called more than twice.": ["absence A 2"],
    "A may not happen more than 3 times per id.": ["absence A 3 per id"],
    "A and B do not happen.": ["never A", "never B"],
    "A and B are both forbidden.": ["never A", "never B"],
    "A and B may both never be called.": ["never A", "never B"],
    "A and B must not both be called.": ["not_coexistence A > B"],
    "The robot may not call B until A has been called.": ["precedence A > B"],
    "B only after at least one A.": ["precedence A > B"],
    "If A happens, then B must not happen.": ["not_coexistence A > B"],
    "If A or B happens, C and D happen.": ["responded_existence A|B > C", "responded_existence A|B > D"],
    "A is first.": ["first A"],
    "A must be last.": ["last A"],
    "A user message comes first.": ["first user"],
    "Any call happens.": ["existence * 1"],
    "The A comes before any call of update_*.": ["precedence A > update_*"],
    "A comes before a call of `b.c`.": ["precedence A > b.c"],
    "A comes before B per id and key.": ["precedence A > B per id per key"],
    "Per id, A comes before B.": ["precedence A > B per id"],
    "A comes before B for each a.b[0].": ["precedence A > B per a.b[0]"],
    "A comes before B for the same id and x as key and y.": ["precedence A > B per id per x as key as y"],
    "A comes before B for the same id as id.": ["precedence A > B per id"],
    "A with x = 1 and B happen.": ["existence A 1", "existence B 1"],
    "- A happens.": ["existence A 1"],
    "-": [],
    "# only a comment": [],
}


@pytest.mark.parametrize("text", MEANINGS)
def test_what_a_sentence_means(text: str) -> None:
    expected = [row.removesuffix(" 1") if row.startswith("init") else row for row in MEANINGS[text]]
    assert [shown(rule, text) for rule in read_rules(text).rules] == expected


REFUSALS = {
    "The first call is A and B.": (5, "first call is A and B", "one call cannot be both"),
    "The last call is A, B and C.": (5, "last call is A, B and C", "one call cannot be both"),
    "The last call must be a user message.": (23, "a user message", "is not a call"),
    "B only if the latest user message had x = 1.": (
        22,
        "user message",
        "can only test its text",
    ),
    "If A and B happen, C happens.": (4, "A and B", '"if A and B" could mean both or each'),
    "If A, B and C happen, D never happens.": (4, "A, B and C", '"if A and B and C" could mean both'),
    "A.": (1, "A", 'there is no verb: "A" was read as one name'),
    "first.": (1, "first", 'there is no verb: "first" was read as one name'),
    "before.": (1, "before", "no tool in this sentence"),
    "A happens after 3 pm.": (17, "3 pm", "no clock times"),
    "A happens after noon.": (17, "noon", "no clock times"),
    "A happens 1001 times.": (11, "1001", "from 1 to 1,000"),
    "A happens 1.5 times.": (11, "1.5", "a number is whole"),
    "After three A, B never happens.": (
        1,
        "After three A, B never happens",
        "no sentence of rules has this form",
    ),
    "B happens within 2 minutes of A.": (28, "of", '"of" is not read here'),
    "name:": (5, ":", "a name without a sentence"),
    "a:b happens.": (2, ":", "must be in backquotes"),
    "foo (bar): A happens.": (5, "(", "'(' is not expected here"),
    "- - A happens.": (3, "-", "'-' is not expected here"),
    "`` happens.": (1, "``", "no name between the backquotes"),
    "A comes before any call of.": (27, "", "needs the name of tools"),
    "A with x = 1 with y = 2 happens.": (14, "with", "one condition"),
    "a user message that failed happens.": (21, "failed", "no outcome and no agent"),
    'a user message with foo = "x" happens.': (21, "foo", "only test its text"),
    "A with x != null happens.": (13, "null", "null counts as missing"),
    "A with x starts with 3 happens.": (22, "3", "needs a string"),
    'A with x < "2026-13-01" happens.': (12, '"2026-13-01"', "numbers and ISO dates"),
    "A with (x = 1 happens.": (15, "happens", "a bracket is not closed"),
    "A with x[1.5] = 2 happens.": (10, "1.5", "a whole number from 0"),
    "A with x[-1] = 2 happens.": (10, "-1", "a whole number from 0"),
    "A with x is one of [1 2] happens.": (23, "2", "commas between its values"),
    "A with x is one of 3 happens.": (20, "3", "a list is missing"),
    "A with = 3 happens.": (8, "=", "the name of an argument is missing"),
    "A with x = happens.": (12, "happens", "a value is missing"),
    "A with x = 01 happens.": (12, "01", "not a JSON value"),
    "A comes before B per id per x.": (25, "per x", "by one value only"),
    "A comes before B for the same id as key and q.": (45, "q", "as many names before 'as'"),
}


@pytest.mark.parametrize(
    "text",
    [
        "A is to be preceded by B, and B by C.",
        "Every A is followed by B, and C by D.",
        "A is followed by B and B by C.",
        "After A, B must not have been called earlier.",
        "Once A has been called, B must not have been called earlier.",
        "B must not have been called after A.",
        "If A is called, B must not have been called so far.",
        "Call B if A is called later.",
        "C isn't called after A and B.",
        "All A are not followed by B.",
        "A is to be called afterwards.",
        "A must be called later.",
        "Call A; B is called afterwards.",
    ],
)
def test_words_of_time_and_left_out_verbs_are_not_dropped(text: str) -> None:
    with pytest.raises(ParseFailure):
        read_rules(text, ("A", "B", "C", "D"))
    with pytest.raises(ParseFailure):
        read_rules(text)


@pytest.mark.parametrize("text", REFUSALS)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules(text)
    (error,) = caught.value.errors
    assert (error.line, error.column, text[slice(*error.span)]) == (1, *REFUSALS[text][:2])
    assert REFUSALS[text][2] in error.message and "  " not in error.message


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "A and B or C come before D.",
            ("A comes before D. B or C comes before D.", "A or C comes before D. B or C comes before D."),
        ),
        (
            "A or B, C and D come before E.",
            (
                "A or B comes before E. C comes before E. D comes before E.",
                "A or B comes before E. A or C comes before E. A or D comes before E.",
            ),
        ),
        (
            "A comes before B or C and D.",
            (
                "A comes before B or C. A comes before D.",
                "A comes before B or C. A comes before B or D.",
            ),
        ),
        (
            "A or B and C or D come before E.",
            (
                "A or B comes before E. C or D comes before E.",
                "A or B or D comes before E. A or C or D comes before E.",
            ),
        ),
        ("No other tool may be called before A.", ("The first call is A.", "A happens first.")),
        *(
            (
                text,
                ("A happens at most 2 times. B happens at most 2 times.", "A or B happens at most 2 times."),
            )
            for text in (
                "A or B at most twice.",
                "Call A or B no more than twice.",
                "A or B may be called at most two times.",
                "Never A or B more than twice.",
            )
        ),
        *(
            (
                text,
                (
                    "Any call other than B never happens after A.",
                    "Any call other than B never happens within 1 call after A.",
                ),
            )
            for text in ("After A only B.", "after A, only call B", "Once A has happened, only B.")
        ),
    ],
)
def test_what_has_two_readings_shows_both(text: str, readings: tuple[str, ...]) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules(text)
    (error,) = caught.value.errors
    assert error.readings == readings and all(f'"{one}" (' in error.message for one in readings)


x_is_1 = Compare("argument", ("x",), "=", 1)
CONDITIONS: dict[str, Condition] = {
    "x = 1 or y = 2 and z = 3": Combined(
        False,
        (
            x_is_1,
            Combined(True, (Compare("argument", ("y",), "=", 2), Compare("argument", ("z",), "=", 3))),
        ),
    ),
    "((x = 1))": x_is_1,
    "answer.x[0].y >= 2.5": Compare("answer", ("x", 0, "y"), ">=", 2.5),
    'x <= "2026-01-31"': Compare("argument", ("x",), "<=", "2026-01-31"),
    "x > -1": Compare("argument", ("x",), ">", -1),
    'ends ends with "x"': Compare("argument", ("ends",), "ends with", "x"),
    'x starting with "y"': Compare("argument", ("x",), "starts with", "y"),
    "`a b`.`c` contains true": Compare("argument", ("a b", "c"), "contains", True),
    "x is missing": Compare("argument", ("x",), "is missing"),
    'x is one of [1, "b", false]': Compare("argument", ("x",), "is one of", (1, "b", False)),
    "x is one of []": Compare("argument", ("x",), "is one of", ()),
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_what_a_condition_means(text: str) -> None:
    for word in ("with", "where", "whose"):
        (rule,) = read_rules(f"A {word} {text} happens.").rules
        assert rule.first == (Calls("A", CONDITIONS[text], text=f"A {word} {text}"),)


def test_the_answer_that_a_latest_call_must_have() -> None:
    for words in ("only if the latest A had", "happens only if the last A has"):
        (rule,) = read_rules(f"B {words} answer.x = 1 and y = 2.").rules
        assert rule.condition == Combined(
            True, (Compare("answer", ("x",), "=", 1), Compare("answer", ("y",), "=", 2))
        )


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("A that fails", Calls("A", outcome="failed")),
        ("A that succeeds by agent", Calls("A", outcome="succeeded", agent="agent")),
        ('A by "a \\" b"', Calls("A", agent='a " b')),
        ("A by `c d` that failed", Calls("A", outcome="failed", agent="c d")),
        ("any call that failed", Calls("*", outcome="failed")),
        ("`follow up`", Calls("follow up")),
        ("get_a", Calls("get_a")),
    ],
)
def test_what_narrows_a_set(text: str, calls: Calls) -> None:
    (rule,) = read_rules(f"{text} happens.").rules
    (found,) = rule.first
    assert (found.name, found.outcome, found.agent, found.text) == (
        calls.name,
        calls.outcome,
        calls.agent,
        text,
    )


@pytest.mark.parametrize(
    "text", ["B only after A passed.", "A must pass before B.", "Never call B until A has passed."]
)
def test_what_passed_has_succeeded(text: str) -> None:
    """It was read as "A happened", so that a check that failed was enough."""
    (rule,) = read_rules(text, ["A", "B"]).rules
    assert rule.kind == "precedence" and [calls.outcome for calls in rule.first] == ["succeeded"]


def test_a_name_before_a_sentence_has_at_most_eleven_words() -> None:
    words = "one two three four five six seven eight nine ten eleven".split()
    (rule,) = read_rules(f"{' '.join(words)}: A happens.").rules
    assert (rule.name, rule.text) == (" ".join(words), "A happens")
    with pytest.raises(ParseFailure):
        read_rules(f"{' '.join(words)} twelve: A happens.")
    assert read_rules("x-1/2._y: A happens.").rules[0].name == "x-1/2._y"
    assert read_rules("a :b happens.").rules[0].name == "a"


def test_marks_of_tools_are_no_rules() -> None:
    found = read_rules("A and B only read. C or D writes. E only reads.")
    assert [c.name for c in found.reads] == ["A", "B", "E"] and [c.name for c in found.writes] == ["C", "D"]
    assert not found.rules


def test_ids_and_lines_count_through_the_file() -> None:
    found = read_rules("A and B come before C.\n\n  D happens.")
    assert [(rule.id, rule.line) for rule in found.rules] == [("c1", 1), ("c2", 1), ("c3", 3)]


def test_the_limits_of_a_file() -> None:
    assert len(read_rules("#" * MAX_TEXT).rules) == 0
    with pytest.raises(ParseFailure, match="longer than 1,000,000 characters"):
        read_rules("#" * (MAX_TEXT + 1))
    with pytest.raises(ParseFailure) as caught:
        read_rules("A frobs.\n" * (MAX_ERRORS + 1))
    assert len(caught.value.errors) == MAX_ERRORS == 200
    a, b = (" and ".join(f"{name}{k}" for k in range(100)) for name in "ab")
    pairs = f"Every {a} is followed by {b}.\n"
    with pytest.raises(ParseFailure) as caught:  # of the second line alone: the first has just so many
        read_rules(pairs + "A happens.")
    assert [(one.line, one.message) for one in caught.value.errors] == [(2, "more than 10,000 rules")]
    assert MAX_RULES == 10_000


@pytest.mark.parametrize("word", ["never", "not"])
def test_a_word_that_is_said_thousands_of_times_is_refused_at_once(word: str) -> None:
    started = process_time()
    with pytest.raises(ParseFailure, match="too long"):
        read_rules(f"{word} " * 5_000, ["A"])
    assert process_time() - started < 2


def test_errors_after_others_are_at_their_own_line_and_column() -> None:
    text = "A happens.\nB frobs C.\n  A $ B."
    with pytest.raises(ParseFailure) as caught:
        read_rules(text)
    assert [(e.line, e.column, text[slice(*e.span)]) for e in caught.value.errors] == [
        (2, 1, "B frobs C"),
        (3, 5, "$"),
    ]


def test_errors_of_the_order_language_name_the_tools_of_the_file() -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules("get_order precedes get_order precedes B.")
    (error,) = caught.value.errors
    assert "get_order" in error.message or "precedes" in error.message
    assert "xb" not in error.message + "".join(error.expected) and "an action" not in "".join(error.expected)
