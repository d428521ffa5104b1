"""The rules of a session: kept as they were written, appended, replaced and restored."""

from __future__ import annotations

import pytest

from planscope.errors import UserError
from planscope.language.errors import ParseFailure
from planscope.language.problem import Action, Problem
from planscope.rules.beside import ruled, rules_outline
from planscope.rules.in_session import MOST_BEFORE, add_rules, rules_of, set_rules, without_change
from planscope.rules.reading import read_rules
from planscope.session.model import Session
from planscope.session.store import dumps, loads

FIRST = "# what the shop wants\nlook first: get_order comes before cancel_order."


def session() -> Session:
    return Session(id="s", title="s")


def test_rules_are_kept_as_they_were_written() -> None:
    kept = session()
    assert rules_of(kept) is None and without_change(kept) is kept
    add_rules(kept, FIRST)
    found = add_rules(kept, "refund never happens.")
    assert [rule.id for rule in found.rules] == ["c1", "c2"]
    kept = loads(dumps(kept))
    assert kept.rules == f"{FIRST}\nrefund never happens."
    again = rules_of(kept)
    assert again is not None and [rule.name for rule in again.rules] == ["look first", None]


def test_replaced_rules_can_be_restored() -> None:
    kept = session()
    set_rules(kept, FIRST)
    set_rules(kept, "refund never happens.")
    set_rules(kept, "refund never happens.")  # no change
    set_rules(kept, "")
    assert kept.rules is None and rules_of(kept) is None
    earlier = [kept]
    for _ in range(4):
        earlier.append(without_change(earlier[-1]))
    assert [one.rules for one in earlier[1:]] == ["refund never happens.", FIRST, None, None]
    assert earlier[4] is earlier[3] and earlier[3].rules_before is None
    for number in range(2 * MOST_BEFORE):
        set_rules(kept, f"a{number} never happens.")
    assert len(kept.rules_before or ()) == MOST_BEFORE


def test_rules_that_cannot_be_read_change_nothing() -> None:
    kept = session()
    add_rules(kept, FIRST)
    with pytest.raises(ParseFailure) as failure:
        add_rules(kept, "a never happens.\na is followed by b.")
    assert failure.value.errors[0].line == 2 and kept.rules == FIRST
    kept.rules = "no sentence at all"
    with pytest.raises(UserError, match="rules cannot be read"):
        rules_of(kept)


def test_rules_alone_are_numbered_named_and_grouped() -> None:
    text = "look first: look comes before cut. cut never happens.  look precedes mail."
    made = ruled(
        Problem((Action("a1", "mail", "mail"), Action("a3", "other", "other")), ()), read_rules(text)
    )
    assert [(a.id, a.tool) for a in made.actions] == [
        ("a1", "mail"),
        ("a3", "other"),
        *((f"a{n}", tool) for n, tool in zip((4, 5), [a.tool for a in made.actions][2:], strict=True)),
    ]
    assert {a.tool for a in made.actions} == {"mail", "other", "look", "cut"}
    group = "before a call"
    assert [(node.path[:2], node.depth, node.plain, node.constraints) for node in rules_outline(made)] == [
        (("rules",), 0, "rules", ("c1", "c2", "c3")),
        (("rules", group), 1, group, ("c1", "c3")),
        (("rules", group), 2, "look first", ("c1",)),
        (("rules", group), 2, "look precedes mail", ("c3",)),
        (("rules", "never"), 1, "never", ("c2",)),
        (("rules", "never"), 2, "cut never happens", ("c2",)),
    ]
    assert rules_outline(Problem((), ())) == ()
