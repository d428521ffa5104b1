"""Drafts: what they say beside their parent, what contradicts itself, what can be done to their actions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planscope.debugger.draft import (
    Draft,
    DraftError,
    add_action,
    draft_of,
    drop_action,
    restore_action,
    set_hours,
    set_limits,
    set_timed,
    variant_of_draft,
)
from planscope.debugger.draft_reading import (
    mentions,
    problem_of_draft,
    read_draft,
    rename_action,
    solve,
    where_named,
)
from planscope.language.problem import make_actions
from planscope.oracle.formula import encode
from planscope.oracle.smt import Judge
from planscope.session.json_bytes import plain_text
from planscope.session.model import ActionRecord, Origin, Query, Session, Variant
from planscope.session.oracle_input import problem_of, reading_of
from planscope.session.store import dumps, loads
from planscope.session.validation import check_references
from planscope.synthesis.generate import Synthesized, Synthesizer
from planscope.synthesis.request import Request
from tests.hostile import HOSTILE
from tests.nightly import examples

ABC = make_actions(["network audit", "disk check", "cable survey"])


def abc(text: str) -> Draft:
    return Draft(text, ABC)


def made(seed: int, timed: bool) -> Synthesized:
    return Synthesizer(Request(actions=5, sentences=4, timed=timed)).case(seed)


def drafted(case: Synthesized) -> Draft:
    return Draft(case.text, case.problem.actions, case.problem.timed)


CASES = st.builds(made, st.integers(0, 60), st.booleans())


def test_constraints_as_a_diff() -> None:
    before = problem_of_draft(
        abc(
            "Network audit precedes disk check. Disk check precedes cable survey. Network audit precedes cable survey."
        )
    )
    seen = read_draft(
        abc(
            "Cable survey follows network audit. Disk check follows cable survey. Network audit precedes disk check."
        ),
        before,
    )
    told = [(row.became, row.constraint.before, row.constraint.after) for row in seen.rows]
    assert told == [
        ("same", "a1", "a3"),
        ("added", "a3", "a2"),
        ("same", "a1", "a2"),
        ("gone", "a2", "a3"),
        ("same", None, None),
        ("same", None, None),
    ]
    assert [seen.count(what) for what in ("added", "gone", "same")] == [1, 1, 4]


@given(CASES, CASES)
@settings(max_examples=examples(40))
def test_the_diff_is_that_of_multisets_in_the_draft_s_order(one: Synthesized, other: Synthesized) -> None:
    if other.problem.timed != one.problem.timed:
        other = one
    draft = replace(drafted(one), text=other.text, actions=other.problem.actions)
    rows = read_draft(draft, one.problem).rows
    old = Counter(c.meaning for c in one.problem.constraints)
    new = Counter(c.meaning for c in other.problem.constraints)
    counted = {
        what: Counter(r.constraint.meaning for r in rows if r.became == what) for what in ("added", "gone")
    }
    assert counted == {"added": new - old, "gone": old - new}
    assert [r.constraint for r in rows if r.became != "gone"] == list(other.problem.constraints)
    gone = [one.problem.constraints.index(r.constraint) for r in rows if r.became == "gone"]
    assert len(gone) == len(set(gone))


def test_what_is_said_twice_and_then_once() -> None:
    twice = problem_of_draft(abc("Network audit precedes disk check. Disk check follows network audit."))
    rows = read_draft(abc("Disk check follows network audit."), twice).rows
    assert [row.became for row in rows] == ["same", "gone", "same", "same"]


def test_a_broken_sentence_leaves_the_others_and_says_gone_of_nothing_that_it_may_hold() -> None:
    parent = abc("Network audit precedes disk check. Disk check precedes cable survey.")
    seen = read_draft(
        replace(parent, text="Network audit precedes disk check. Disk check prec"), problem_of_draft(parent)
    )
    assert not seen.readable
    assert [(r.became, r.constraint.sentence) for r in seen.rows[:2]] == [("same", 0), ("unread", 1)]
    assert seen.why_not == ('line 1, column 47: "prec" is not known: did you mean "precede"?')
    assert solve(seen).can_be_met is None
    assert [seen.draft.text[slice(*k.span)] for k in seen.known] == [
        "Network audit",
        "precedes",
        "disk check",
        "Disk check",
    ]


def test_errors_say_where_and_the_nearest_names() -> None:
    seen = read_draft(abc("Network audit\nprecedes disc chek. Cable survey precedes disk check."))
    (error,) = seen.errors
    assert (error.line, error.column, seen.draft.text[slice(*error.span)]) == (2, 10, "disc chek")
    assert error.expected == ("an action",)
    assert 'did you mean "disk check"?' in error.message


def test_a_contradiction_is_named_by_a_minimal_core() -> None:
    text = (
        "Network audit precedes disk check. Disk check precedes cable survey. Network audit precedes cable survey. "
        "Cable survey precedes network audit."
    )
    seen = read_draft(abc(text))
    solved = solve(seen)
    assert solved.can_be_met is False
    assert solved.core == ("c1", "c2", "c4")
    assert seen.problem is not None
    assert [seen.words_of(seen.problem.by_id[c]) for c in solved.core] == [(0, 33), (35, 67), (106, 141)]


@example(made(18, True))
@given(CASES)
@settings(max_examples=examples(30))
def test_cores_contradict_and_no_part_of_them_does(case: Synthesized) -> None:
    """The request with one of its own sentences turned round; Z3 is asked about every part."""
    said = [c for c in case.problem.said if c.kind == "order"]
    c = said[len(said) // 2]
    names = case.problem.action_by_id
    text = f"{case.text} {names[c.after or ''].name.capitalize()} precedes {names[c.before or ''].name}."
    seen = read_draft(replace(drafted(case), text=text))
    solved = solve(seen)
    assert solved.can_be_met is False and seen.problem is not None
    z3 = Judge(encode(seen.problem, (), ended=False))
    assert z3.check(solved.core) == "unsat"
    assert all(z3.check(part) == "sat" for part in combinations(solved.core, len(solved.core) - 1))


def test_the_orders_are_counted() -> None:
    assert solve(read_draft(abc("Network audit precedes disk check."))).orders == 3
    hours = Draft("Network audit precedes 3:00.", make_actions(["network audit", "disk check"], [2, 3]), True)
    assert solve(read_draft(hours)).can_be_met is True
    assert solve(read_draft(set_hours(hours, "a1", 4))).core == ("c1", "b4")


@given(
    CASES, st.sampled_from(["rover", "quick look", "before lunch", "report, which follows", "the end", "and"])
)
@settings(max_examples=examples(60))
def test_a_renamed_action_is_renamed_everywhere_and_all_means_the_same(case: Synthesized, name: str) -> None:
    draft = drafted(case)
    for action in draft.actions:
        try:
            renamed = rename_action(draft, action.id, name)
        except DraftError as error:
            assert "mean something else" in str(error)
            continue
        now = problem_of_draft(renamed)
        assert now is not None
        assert [c.meaning for c in now.constraints] == [c.meaning for c in case.problem.constraints]
        assert action.name not in renamed.text.casefold()
        assert renamed.action(action.id).name == name
        back = rename_action(renamed, action.id, action.name)
        assert back.text.replace("`", "") == draft.text
        assert back.actions == draft.actions


def test_an_action_that_comes_back_to_a_timed_draft_takes_an_hour_if_it_had_none() -> None:
    lunch, nap = make_actions(["lunch", "nap"])
    for timed, hours in ((True, 1), (False, None)):
        made = restore_action(Draft("Lunch precedes nap.", (lunch,), timed), nap)
        assert made.actions[1].duration == hours
    assert restore_action(Draft("", (lunch,), True), replace(nap, duration=3)).actions[1].duration == 3


def test_the_tool_follows_the_name_and_stays_unlike_the_others() -> None:
    draft = abc("Network audit precedes disk check.")
    assert rename_action(draft, "a2", "Cable - survey").action("a2").tool == "cable_survey_2"
    assert rename_action(draft, "a2", "ask for restart").action("a2").tool == "ask_for_restart_2"
    by_tool = abc("Network audit precedes `disk_check`, and cable_survey follows disk check.")
    assert rename_action(by_tool, "a2", "look").text == (
        "Network audit precedes `look`, and cable_survey follows look."
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "an action needs a name"),
        (" \t", "an action needs a name"),
        ("Cable  SURVEY", "'cable survey' is the name of a3"),
        ("x" * 201, "at most 200 characters"),
        ("a\u202eb", "has invisible characters"),
    ],
)
def test_names_that_cannot_be_had(name: str, why: str) -> None:
    with pytest.raises(DraftError, match=why):
        rename_action(abc("Disk check precedes cable survey."), "a2", name)
    with pytest.raises(DraftError, match=why):
        add_action(abc(""), name)


def test_two_actions_of_one_name_can_be_told_apart_again() -> None:
    draft = Draft(
        "Walk precedes run.", (*make_actions(["walk", "run"]), replace(ABC[0], id="a3", name="Walk"))
    )
    assert "have the same name" in read_draft(draft).why_not
    assert read_draft(rename_action(draft, "a3", "stroll")).readable


def test_adding_and_dropping() -> None:
    draft = abc("Network audit precedes disk check.")
    more = add_action(draft, "coffee break", known=["a7"])
    assert more.actions[-1] == replace(ABC[0], id="a8", name="coffee break", tool="coffee_break")
    assert solve(read_draft(more)).orders == 12
    assert drop_action(more, "a8") == draft
    spans = mentions(draft, "a2")
    assert [draft.text[slice(*span)] for span in spans] == ["disk check"]
    assert where_named(spans, read_draft(draft).sentences) == "sentence 1"
    assert not read_draft(drop_action(draft, "a2")).readable
    with pytest.raises(DraftError, match="at least one action"):
        drop_action(Draft("", ABC[:1]), "a1")
    with pytest.raises(DraftError, match="no action 'a9'"):
        drop_action(draft, "a9")


def test_hours_and_limits() -> None:
    draft = abc("Network audit precedes disk check.")
    with pytest.raises(DraftError, match="timed"):
        set_hours(draft, "a1", 2)
    timed = set_timed(draft, True)
    assert [a.duration for a in timed.actions] == [1, 1, 1]
    assert set_hours(timed, "a1", 24).actions[0].duration == 24
    assert set_timed(timed, False) == draft
    with pytest.raises(DraftError, match="60,000"):
        set_timed(replace(draft, text="x" * 70_000), True)
    for hours in (0, 25):
        with pytest.raises(DraftError, match="from 1 to 24 hours"):
            set_hours(timed, "a1", hours)
    assert set_limits(draft, 0.5, 3).seconds == 0.5
    for seconds, calls in ((0, 3), (-1, 3), (float("inf"), 3), (float("nan"), 3), (9, 0)):
        with pytest.raises(DraftError):
            set_limits(draft, seconds, calls)


@pytest.mark.parametrize("timed", [False, True])
def test_what_can_be_typed_can_be_saved(timed: bool) -> None:
    draft = replace(set_timed(abc(""), timed), text="x" * set_timed(abc(""), timed).longest)
    session = Session(id="s", title="", variants=[variant_of_draft(draft, "v1", None)])
    assert loads(dumps(session)) == session


def parent() -> Variant:
    from planscope.session.model import records

    query = Query(text="Network audit precedes disk check.", topic="it")
    return Variant(id="v1", origin=Origin(kind="written"), query=query, actions=records(ABC))


def test_a_draft_becomes_a_variant_below_its_parent() -> None:
    of = parent()
    assert draft_of(of) == abc(of.query.text)
    draft = set_limits(set_timed(add_action(draft_of(of), "walk"), True), 20, 7)
    seen = read_draft(draft)
    variant = variant_of_draft(draft, "v2", of, seen.reading)
    assert (variant.parent, variant.origin.kind, variant.query.topic) == ("v1", "edited", "it")
    assert (variant.limits.seconds, variant.limits.model_calls) == (20, 7)
    assert draft_of(variant) == draft
    assert reading_of(variant).problem == seen.problem
    check_references(Session(id="s", title="s", variants=[of, variant]), "s")


def test_an_unreadable_draft_can_be_kept() -> None:
    draft = abc("Network audit prec")
    variant = variant_of_draft(draft, "v2", parent())
    assert draft_of(variant) == draft and variant.query.tree is None


@given(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60)))
@settings(max_examples=examples(150))
def test_any_text_is_read_or_said_to_be_unreadable(text: str) -> None:
    text = plain_text(text[:5000])
    text.encode("utf-8")
    seen = read_draft(abc(text), problem_of_draft(abc("Network audit precedes disk check.")))
    assert seen.readable is (seen.why_not == "")
    assert all(0 <= a <= b <= len(text) for a, b in (*seen.sentences, *(e.span for e in seen.errors)))
    solve(seen)


def test_an_edited_query_of_real_tools_requires_what_it_names() -> None:
    """What the tools say of themselves goes along; the tools that no word names stay free."""
    schema = {"type": "object", "properties": {"tag": {"type": "string"}}}
    actions = [
        ActionRecord(id=f"a{i}", name=name, tool=name, description=f"Do {name}.", parameters=schema)
        for i, name in enumerate(("build", "log", "deploy"), 1)
    ]
    parent = Variant(id="v1", origin=Origin(kind="imported"), query=Query(text=""), actions=actions)
    draft = replace(draft_of(parent), text="Build happens before deploy.")
    made = variant_of_draft(draft, "v2", parent)
    assert made.actions == actions and made.own is True
    assert [a.id for a in problem_of(made).actions] == ["a1", "a3"]
    assert problem_of(made).own == dict.fromkeys(("build", "log", "deploy"), schema)
    mock = variant_of_draft(draft, "v3", parent.model_copy(update={"origin": Origin(kind="written")}))
    assert mock.own is None and len(problem_of(mock).actions) == 3


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("Lunch precedes zork. Nap follows lunch.", "zork"),
        ("First lunch, then brew the tea.", "brew the tea"),
        ("Lunch precedes nap.", ""),
        ("Lunch precedez nap.", ""),
        ("Lunch precedes zork or nap.", "zork"),
        ("Lunch or zork precedes nap.", ""),
        ("Lunch precedes zork and blip.", ""),
    ],
)
def test_a_name_that_no_action_has_is_offered_if_the_sentence_can_be_read_with_it(
    text: str, offered: str
) -> None:
    seen = read_draft(Draft(text, make_actions(["lunch", "nap"])))
    assert seen.new_action == offered
    if offered:
        assert not read_draft(add_action(seen.draft, offered)).errors
