"""Every sentence of the table is read as its kind; what is refused says why, with both readings."""

from __future__ import annotations

from itertools import product

import pytest

from planscope.language import english
from planscope.language.calls import Calls, Combined, Compare
from planscope.language.cuts import Scanner, tokens
from planscope.language.errors import ParseFailure
from planscope.language.resolve import readings
from planscope.rules.reading import read_rules

SENTENCES = {
    "A comes before B.": ("precedence", "A", "B", 0),
    "B happens after A.": ("precedence", "A", "B", 0),
    "Before B, A must happen.": ("precedence", "A", "B", 0),
    "Every B has its own A before it.": ("alternate_precedence", "A", "B", 0),
    "Every A is followed by B.": ("response", "A", "B", 0),
    "B happens right after A.": ("chain_precedence", "A", "B", 0),
    "Every A is followed right away by B.": ("chain_response", "A", "B", 0),
    "Every B is followed by A within 5 calls.": ("within", "B", "A", 5),
    "A happens within 5 calls after B.": ("within", "B", "A", 5),
    "A happens within 2 minutes after B.": ("within", "B", "A", 120),
    "A happens.": ("existence", "A", "", 1),
    "A happens at least 2 times.": ("existence", "A", "", 2),
    "A happens at most once.": ("absence", "A", "", 1),
    "A happens once.": ("exactly", "A", "", 1),
    "A happens exactly 3 times.": ("exactly", "A", "", 3),
    "A never happens.": ("never", "A", "", 0),
    "Never call A.": ("never", "A", "", 0),
    "B never happens after A.": ("not_succession", "A", "B", 0),
    "A must not happen before B.": ("precedence", "B", "A", 0),
    "If A happens, B never happens.": ("not_coexistence", "A", "B", 0),
    "If A happens, B happens.": ("responded_existence", "A", "B", 0),
    "A happens first.": ("first", "A", "", 0),
    "A happens last.": ("last", "A", "", 0),
    "The first call is A.": ("init", "A", "", 0),
    "The last call is A.": ("end", "A", "", 0),
    'B only if the latest A for the same id had status = "ok".': ("latest", "A", "B", 0),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_table(sentence: str) -> None:
    (rule,) = read_rules(sentence).rules
    then = rule.then[0].name if rule.then else ""
    assert (rule.kind, rule.first[0].name, then, rule.count) == SENTENCES[sentence]
    assert rule.text == sentence.removesuffix(".")


@pytest.mark.parametrize(
    "sentence",
    [
        "A is followed by B.",
        "A is succeeded by B.",
        "After A, B happens.",
        "Once A happens, B happens.",
        "Once A is done, do B.",
    ],
)
def test_ambiguous_orders_show_both_readings(sentence: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules(sentence)
    assert caught.value.errors[0].readings == ("Every A is followed by B.", "A comes before B.")


def test_lists_are_pairs_and_or_is_a_set() -> None:
    rules = read_rules("A and B come before C. A or B comes before C.").rules
    assert [(r.id, r.first[0].name, len(r.first)) for r in rules] == [
        ("c1", "A", 1),
        ("c2", "B", 1),
        ("c3", "A", 2),
    ]
    with pytest.raises(ParseFailure) as caught:
        read_rules("A and B or C come before D.")
    assert caught.value.errors[0].readings == (
        "A comes before D. B or C comes before D.",
        "A or C comes before D. B or C comes before D.",
    )


def test_conditions_sets_and_values() -> None:
    text = 'A with x.y[0] >= 2 and (z = "q" or w is missing) that failed comes before any call of `m-*` per a.b and c.'
    (rule,) = read_rules(text).rules
    assert rule.first[0].condition == Combined(
        True,
        (
            Compare("argument", ("x", "y", 0), ">=", 2),
            Combined(
                False, (Compare("argument", ("z",), "=", "q"), Compare("argument", ("w",), "is missing"))
            ),
        ),
    )
    assert rule.first[0].outcome == "failed"
    assert rule.then[0].name == "m-*"
    assert rule.per == (("a", "b"), ("c",))
    (other,) = read_rules(
        'A comes before a user message with text containing "yes" for the same id as key.'
    ).rules
    assert other.per == (("id",),) and other.per_then == (("key",),) and other.then[0].is_user


@pytest.mark.parametrize(
    "tail", [" for the same order id", ": for each order id", ": per order_id", ", for every order_id"]
)
def test_the_value_that_calls_share_may_be_said_in_words(tail: str) -> None:
    for sentence in ("A comes before B", "one: Every A is followed by B"):
        (rule,) = read_rules(f"{sentence}{tail}.").rules
        assert rule.per == (("order_id",),)


@pytest.mark.parametrize(
    "text",
    ["A only within 24 hours of the latest B's created_at.", "At most three passengers in A."],
)
def test_what_a_number_counts_is_not_left_out(text: str) -> None:
    with pytest.raises(ParseFailure) as failure:
        read_rules(text, ("A", "B"))
    assert "without" not in str(failure.value) and "times" not in str(failure.value)


def test_file_names_comments_marks_and_places() -> None:
    text = "# policy\nfirst look: A comes before B # why\nget_* only reads. cancel_* writes.\n\n- B never happens"
    found = read_rules(text)
    assert [(r.name, r.line, text[slice(*r.span)]) for r in found.rules] == [
        ("first look", 2, "A comes before B"),
        (None, 5, "B never happens"),
    ]
    assert [c.name for c in found.reads] == ["get_*"] and [c.name for c in found.writes] == ["cancel_*"]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("A happens.\nA happens before 15:00.", 2, 18, "clock times"),
        ("A happens 0 times.", 1, 11, "from 1 to 1,000"),
        ("A with x ~ 3 happens.", 1, 10, "comparison"),
        ("a.b comes before c.", 1, 2, "backquotes"),
        ("A frobs B.", 1, 1, "no verb"),
        ("A comes before.", 1, 15, "was expected"),
        ("If A and B happen, C happens.", 1, 4, "each"),
        ("The first call is a user message.", 1, 19, "not a call"),
        ('A with x < "big" happens.', 1, 12, "numbers and ISO dates"),
    ],
)
def test_errors_are_located(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules(text)
    error = caught.value.errors[0]
    assert (error.line, error.column) == (line, column) and words in error.message
    assert "\n" not in error.message


def test_known_names_may_be_written_with_blanks() -> None:
    (rule,) = read_rules(
        "Follow up meeting comes before Get Order.", ["follow_up_meeting", "get_order"]
    ).rules
    assert (rule.first, rule.then) == (
        (Calls("follow_up_meeting", text="Follow up meeting"),),
        (Calls("get_order", text="Get Order"),),
    )


TOOLS = ("refund", "lookup", "deploy", "send_email")


def _found(text: str) -> list[tuple[str, str, str, int]]:
    rules = read_rules(text, TOOLS).rules
    return sorted((r.kind, r.first[0].name, r.then[0].name if r.then else "", r.count) for r in rules)


@pytest.mark.parametrize(
    "text",
    [
        "refund comes after lookup (it is slow).",
        "refund comes after lookup, because customers complain otherwise.",
        "refund comes after lookup, not before it.",
        "lookup comes before refund; any other order is wrong.",
        "lookup is required before refund; without it refund is not allowed.",
        "Customers are in a hurry, and they complain, so lookup comes before refund.",
        "lookup always precedes refund - no exceptions.",
        "refund comes after lookup, however long that takes.",
        "Any refund not preceded by lookup is wrong.",
    ],
)
def test_a_clause_that_explains_says_nothing_more(text: str) -> None:
    assert _found(text) == [("precedence", "lookup", "refund", 0)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("refund at most once; any further call is an error.", [("absence", "refund", "", 1)]),
        ("One refund per run is plenty; a second one is a violation.", [("absence", "refund", "", 1)]),
        (
            "refund must be called, but only once.",
            [("absence", "refund", "", 1), ("existence", "refund", "", 1)],
        ),
        (
            "refund happens at most twice, but never before lookup.",
            [("absence", "refund", "", 2), ("precedence", "lookup", "refund", 0)],
        ),
        (
            "If lookup happens, refund happens; a run with lookup must contain refund.",
            [("responded_existence", "lookup", "refund", 0)],
        ),
        ("Every run ends with send_email, nothing after it.", [("end", "send_email", "", 0)]),
        ("lookup must come first, everything else afterwards.", [("first", "lookup", "", 0)]),
    ],
)
def test_all_clauses_count(text: str, found: list[tuple[str, str, str, int]]) -> None:
    assert _found(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "refund comes after lookup; otherwise refund must be called twice.",
        "refund comes after lookup; otherwise call deploy.",
        "refund never happens, because lookup must come before deploy.",
        "Never call refund because the customer is angry.",
        "refund comes after lookup (unless deploy fails).",
        "Call lookup, then refund; anything else is forbidden.",
        "refund comes after lookup; a second one is fine.",
        "If lookup happens, refund happens, and deploy happens.",
        "If lookup happens, refund happens; deploy happens.",
        "refund must not be called if lookup failed; call deploy then.",
        "Once lookup happened, refund never happens; deploy happens.",
        "refund comes before lookup, not before it.",
        "One refund per run is plenty.",
    ],
)
def test_a_clause_that_asks_for_something_is_never_left_out(text: str) -> None:
    with pytest.raises(ParseFailure) as failure:
        read_rules(text, TOOLS)
    assert not failure.value.errors[0].readings


def test_what_it_may_be_is_shown() -> None:
    with pytest.raises(ParseFailure) as failure:
        read_rules("lookup comes before refund; it must be called twice.", TOOLS)
    found = [_found(one) for one in failure.value.errors[0].readings]
    order = ("precedence", "lookup", "refund", 0)
    assert found == [[("exactly", "lookup", "", 2), order], [("exactly", "refund", "", 2), order]]


@pytest.mark.parametrize(
    ("text", "earlier", "later"),
    [
        ("A build must come before deploy.", "build_image", "deploy"),
        ("Building comes before deploying.", "build_image", "deploy"),
        ("The tests must have been run by the time the image is built.", "run_tests", "build_image"),
        ("Searching the web comes before deploying.", "web_search", "deploy"),
        ("The image build needs a prior run of the tests.", "run_tests", "build_image"),
    ],
)
def test_tools_in_other_words_are_found_as_in_queries(text: str, earlier: str, later: str) -> None:
    (rule,) = read_rules(text, ("build_image", "run_tests", "deploy", "web_search")).rules
    assert (rule.kind, rule.first[0].name, rule.then[0].name) == ("precedence", earlier, later)


@pytest.mark.parametrize(
    "text",
    [
        "In every case, a comes before b.",
        "a comes before b, in every case.",
        "Before b call a; in either order.",
        "a comes before b - in any order.",
    ],
)
def test_what_is_said_of_every_case_and_any_order_adds_nothing(text: str) -> None:
    (rule,) = read_rules(text, ("a", "b")).rules
    assert (rule.kind, rule.first[0].name, rule.then[0].name) == ("precedence", "a", "b")


def test_a_run_is_no_tool_that_runs_something() -> None:
    (rule,) = read_rules("Every run ends with deploy.", ("run_tests", "deploy")).rules
    assert (rule.kind, rule.first[0].name) == ("end", "deploy")


def test_an_agent_makes_all_calls_of_a_list_and_is_never_left_out() -> None:
    (rule,) = read_rules("The planner must not call refund or lookup.", TOOLS).rules
    assert [(one.name, one.agent) for one in rule.first] == [("refund", "planner"), ("lookup", "planner")]
    for text in ("The planner must end with deploy.", "The planner must call two lookup."):
        with pytest.raises(ParseFailure):
            read_rules(text, TOOLS)


def test_plain_sentences_mean_what_the_table_of_constructions_says() -> None:
    tools = ("refund", "lookup")
    for words, same in product(english.SIMPLE, ("", " for the same order_id", " per order_id")):
        text = words.replace("S", "refund", 1).replace("S", "lookup", 1) + same
        (rule,) = read_rules(text, tools).rules
        _, (found,) = readings(Scanner(text, tools), list(tokens(text)))
        ((draft,),) = found.meanings
        then = draft.then.calls if draft.then is not None else ()
        assert (rule.kind, rule.first, rule.then) == (draft.kind, draft.first.calls, then), text
        assert (rule.count, rule.per, rule.per_then) == (draft.count, *found.per), text


@pytest.mark.parametrize(
    "text",
    [
        "Never call refund; managers are exempt.",
        "refund only after lookup; VIP customers are exceptions.",
        "refund never happens after lookup; small ones are fine.",
        "refund must not be called, so we stay safe unless asked.",
        "refund only after lookup (large amounts only).",
        "refund only after lookup, managers bypass this",
        "never call refund, VIPs get it anyway",
        "refund only after lookup, region equals EU",
        "refund must be called, or the manager",
        "refund after lookup, small amounts go through",
        "refund at most twice, to VIP customers in Europe",
        "refund at most twice, as managers",
        "refund only after lookup, weekends excepted",
    ],
)
def test_an_aside_that_may_be_an_exception_is_not_left_out(text: str) -> None:
    with pytest.raises(ParseFailure):
        read_rules(text, ("refund", "lookup"))


@pytest.mark.parametrize(
    "text",
    [
        "After lookup: never refund.",
        "After lookup: no more refund for the remainder of the run.",
        "Once lookup was called: refund never happens.",
        "Before lookup: call refund.",
        "If lookup happens: refund happens.",
        "Until lookup: no refund.",
        "When checkup happened: refund never happens.",
    ],
)
def test_a_condition_before_a_colon_is_no_name(text: str) -> None:
    try:
        (rule,) = read_rules(text, TOOLS).rules
    except ParseFailure:
        return
    assert rule.name is None and "lookup" in {one.name for one in (*rule.first, *rule.then)}


def test_a_label_that_may_say_more_is_read_or_refused() -> None:
    for text in (
        "Refunds: lookup first",
        "Refund: lookup first.",
        "refunding: lookup before",
        "Refund: only after lookup",
    ):
        assert _found(text) == [("precedence", "lookup", "refund", 0)], text
    for text in (
        *(
            "Large refunds: lookup first",
            "refund: lookup happens last",
            "Refund: call lookup",
            "to refund: lookup first",
        ),
        *(
            "VIP customers: never refund",
            "On weekends: never refund",
            "Friday: never refund",
            "If angry: lookup first",
        ),
        *("Not allowed: refund before lookup", "Optional: lookup before refund", "Bad: refund, then lookup"),
        *("Exceptions: never refund", "Old rule: refund at most once", "Orders over 100: never refund"),
        *(
            "Gold tier: refund at most twice",
            "For a VIP: at most two refunds",
            "Outside office hours: no refund",
        ),
    ):
        with pytest.raises(ParseFailure):
            read_rules(text, TOOLS)
    with pytest.raises(ParseFailure, match=r'write "vip-customers: \.\.\."'):
        read_rules("VIP customers: never refund", TOOLS)
    for name in ("vip-customers", "safety", "Rule 1", "refund limits", "look before you pay"):
        (rule,) = read_rules(f"{name}: refund happens at most once.", TOOLS).rules
        assert (rule.name, rule.kind) == (name, "absence")


def test_a_word_of_a_condition_alone_is_a_name() -> None:
    (rule,) = read_rules("once: refund happens at most once.", TOOLS).rules
    assert (rule.name, rule.kind, rule.count) == ("once", "absence", 1)


def test_how_near_calls_are_is_told_to_be_among_those_with_one_value() -> None:
    """Calls with one value are a trace of their own, in which another call may not be seen."""
    for text in ("Every A is followed right away by B for the same id.", "A at most twice in a row per id."):
        (warning,) = read_rules(text, ["A", "B"]).warnings
        assert "looks only at calls with the same id; calls with another id, or none" in warning
    assert not read_rules(
        "Every A is followed right away by B.\nA comes before B per id.", ["A", "B"]
    ).warnings
