"""Text from trees: agreement, capitals, lists, punctuation, spans."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from planscope.language.lexicon import load_lexicon
from planscope.language.problem import Action, make_actions
from planscope.language.render import capitalised, render
from planscope.language.tree import (
    NP,
    ActionRef,
    Clause,
    Query,
    Relative,
    Sentence,
    Time,
    Word,
    same_tree,
    walk,
)
from tests.language.trees import queries

ACTIONS = make_actions(["ironing", "cooking", "mopping", "iOS build"])


def np(*numbers: int, relative: Relative | None = None) -> NP:
    return NP(tuple(ActionRef(f"a{number}") for number in numbers), relative)


def text(*clauses: Clause, conj: str = "") -> str:
    sentence = Sentence(clauses, Word("J", conj) if conj else None)
    return render(Query((sentence,)), ACTIONS).text


PRECEDES = Relative("direct", "<", (Word("VP<", "precede"),), np(3))
BEFORE = (Word("VP0", "happen"), Word("P<", "before"))
DIRECT = Clause("direct", "<", np(1), np(2), (Word("VP<", "precede"),))


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        (DIRECT, "Ironing precedes cooking."),
        (DIRECT._replace(subject=np(1, 2), object=np(3)), "Ironing and cooking precede mopping."),
        (DIRECT._replace(object=np(2, 3, 4)), "Ironing precedes cooking, mopping and iOS build."),
        (Clause("adjunct", "<", np(1), np(2), BEFORE), "Ironing happens before cooking."),
        (Clause("adjunct", "<", np(1), Time(9), BEFORE), "Ironing happens before 09:00."),
        (
            Clause("fronted", "<", np(1, 3), np(2), (Word("P<", "before"), Word("VP0", "be executed"))),
            "Before cooking, ironing and mopping are executed.",
        ),
        (
            Clause(
                "compound",
                ">",
                np(1),
                np(2, 3),
                (Word("VP0", "happen", "must"), Word("SC>", "after"), Word("VP0", "occur")),
            ),
            "Ironing must happen after cooking and mopping occur.",
        ),
        (
            Clause(
                "fronted_compound",
                ">",
                np(4),
                np(2, 3),
                (Word("SC>", "after"), Word("VP0", "take place"), Word("VP0", "occur", "have to")),
            ),
            "After cooking and mopping take place, iOS build has to occur.",
        ),
        (
            DIRECT._replace(subject=np(1, relative=PRECEDES), object=np(2, relative=PRECEDES)),
            "Ironing, which precedes mopping, precedes cooking, which precedes mopping.",
        ),
        (
            Clause(
                "fronted",
                "<",
                np(1),
                np(2, 4, relative=PRECEDES),
                (Word("P<", "before"), Word("VP0", "occur")),
            ),
            "Before cooking and iOS build, which precede mopping, ironing occurs.",
        ),
    ],
)
def test_forms(clause: Clause, expected: str) -> None:
    assert text(clause) == expected


@pytest.mark.parametrize(
    ("conj", "expected"),
    [
        (";", "Ironing precedes cooking, which precedes mopping; ironing precedes cooking."),
        ("and", "Ironing precedes cooking, which precedes mopping, and ironing precedes cooking."),
        ("whereas", "Ironing precedes cooking, which precedes mopping, whereas ironing precedes cooking."),
    ],
)
def test_the_relative_clauses_comma_merges(conj: str, expected: str) -> None:
    assert text(DIRECT._replace(object=np(2, relative=PRECEDES)), DIRECT, conj=conj) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("network check", "Network check"),
        ("client's call", "Client's call"),
        ("follow-up call", "Follow-up call"),
        ("überprüfung", "Überprüfung"),
        ("a", "A"),
        ("iOS build", "iOS build"),
        ("v2 check", "v2 check"),
        ("run_all", "run_all"),
        ("3 calls", "3 calls"),
        ("Q3 report", "Q3 report"),
        ("\u0131\u015f", "\u0131\u015f"),
    ],
)
def test_capitals(name: str, expected: str) -> None:
    assert capitalised(name) == expected


@settings(deadline=None)
@given(queries())
def test_spans_stand_at_their_words(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    tree, actions, _ = case
    rendered = render(tree, actions)
    names = {action.id: action.name for action in actions}
    assert same_tree(rendered.tree, tree)
    assert rendered.tree.span == (0, len(rendered.text))
    for _, node in walk(rendered.tree):
        start, end = node.span
        here = rendered.text[start:end]
        match node:
            case ActionRef(action=action):
                assert here.casefold() == names[action].casefold()
            case Time(hour=hour):
                assert here == f"{hour:02}:00"
            case Word(terminal="J", entry=entry):
                assert here == entry
            case Word():
                assert here.lower() in {load_lexicon().surface(node), load_lexicon().surface(node, True)}
            case Sentence():
                assert here.endswith(".") and (here[0] == capitalised(here)[0])
            case _:
                inner = [child.span for _, child in walk(node) if child is not node]
                assert start == min(s for s, _ in inner) or isinstance(node, Relative)
                assert end == max(e for _, e in inner)


@settings(deadline=None)
@given(queries())
def test_texts_are_well_punctuated(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    tree, actions, _ = case
    rendered = render(tree, actions).text
    for wrong in (",,", ",.", ",;", " ,", " .", "  ", ", ,", ". ,"):
        assert wrong not in rendered
