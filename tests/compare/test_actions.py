"""Which action is which: by ids where requests descend from each other, else by names."""

from __future__ import annotations

from planscope.compare.matching import Matching, match_actions
from planscope.language.problem import Action
from planscope.session.model import ActionRecord, Variant, records
from tests.compare.support import session, variant


def actions(*parts: str) -> list[ActionRecord]:
    """``"a1 name"``, or timed ``"a1 name 2"``."""
    made = []
    for part in parts:
        id, name, *hours = part.split()
        made.append(Action(id, name, name.casefold(), int(hours[0]) if hours else None))
    return records(tuple(made))


def matched(a: Variant, b: Variant, *others: Variant, same: bool = True) -> Matching:
    one = session(*others, a, b)
    return match_actions(one, a, one if same else session(b, id="other"), b)


def told(matching: Matching) -> list[str]:
    rows = []
    for row in matching.rows:
        a, b = (f"{x.id} {x.name}" if x is not None else "-" for x in (row.a, row.b))
        rows.append(f"{row.change} {a} | {b} {' '.join(row.differs)}".rstrip())
    return rows


A = variant("A precedes B.", actions("a1 a", "a2 b"))


def test_a_mutant_keeps_its_ids_whatever_it_calls_the_actions() -> None:
    b = variant("B precedes X.", actions("a1 b", "a2 x"), id="v2", parent="v1", kind="mutated")
    found = matched(A, b)
    assert found.matched == "ids"
    assert told(found) == ["changed a1 a | a1 b name tool", "changed a2 b | a2 x name tool"]
    assert found.keys_a == found.keys_b and found.one_to_one


def test_two_mutants_of_one_request_are_matched_by_ids_too() -> None:
    one = variant("X precedes Y.", actions("a1 x", "a2 y"), id="v2", parent="v1", kind="mutated")
    other = variant("Y precedes X.", actions("a1 y", "a2 x"), id="v3", parent="v1", kind="mutated")
    assert told(matched(one, other, A)) == ["changed a1 x | a1 y name tool", "changed a2 y | a2 x name tool"]


def test_an_edit_may_give_ids_anew() -> None:
    b = variant("B precedes C.", actions("a1 b", "a2 c"), id="v2", parent="v1", kind="edited")
    found = matched(variant("A precedes B.", actions("a1 a", "a2 b", "a3 d")), b)
    assert told(found) == ["gone a1 a | -", "same a2 b | a1 b", "gone a3 d | -", "added - | a2 c"]
    assert found.keys_a["a2"] == found.keys_b["a1"]
    assert len({*found.keys_a.values(), *found.keys_b.values()}) == 4


def test_an_edit_that_renames_keeps_the_id() -> None:
    b = variant("A precedes X.", actions("a1 a", "a2 x"), id="v2", parent="v1", kind="edited")
    assert told(matched(A, b)) == ["same a1 a | a1 a", "changed a2 b | a2 x name tool"]


def test_unrelated_requests_are_matched_by_names() -> None:
    b = variant("B precedes A.", actions("a1 B", "a2 A"), id="v2")
    for same in (True, False):
        found = matched(A, b, same=same)
        assert found.matched == "names"
        assert told(found) == ["changed a1 a | a2 A name", "changed a2 b | a1 B name"]


def test_the_same_session_in_two_files_is_one_tree() -> None:
    a, b = session(A), session(A.model_copy(deep=True))
    assert match_actions(a, a.variants[0], b, b.variants[0]).matched == "ids"
    b.variants[0].query.text = "B precedes A."
    assert match_actions(a, a.variants[0], b, b.variants[0]).matched == "names"


def test_a_tool_is_a_name_as_well() -> None:
    one = variant(
        "A precedes B.",
        [ActionRecord(id="a1", name="a", tool="t"), ActionRecord(id="a2", name="b", tool="u")],
    )
    other = variant(
        "X precedes B.",
        [ActionRecord(id="a1", name="b", tool="u"), ActionRecord(id="a2", name="x", tool="t")],
    )
    assert told(matched(one, other, same=False)) == ["changed a1 a | a2 x name", "same a2 b | a1 b"]


def test_durations_count_in_timed_requests() -> None:
    one, other = actions("a1 a 1", "a2 b 2"), actions("a1 a 1", "a2 b 3")
    assert told(matched(variant("A precedes B.", one), variant("A precedes B.", other, id="v2"))) == [
        "same a1 a | a1 a",
        "changed a2 b | a2 b duration",
    ]
    base = variant("A precedes B.", actions("a1 a", "a2 b"), id="v2")
    assert matched(variant("A precedes B.", one), base).same_durations


def test_an_edit_keeps_names_before_ids_and_pays_no_heed_to_tools() -> None:
    def named(*names: str) -> list[ActionRecord]:
        return [ActionRecord(id=f"a{n}", name=name, tool=f"tool_{n}") for n, name in enumerate(names, 1)]

    one = variant("X precedes Y.", named("x", "y"))
    other = variant("X precedes Y.", named("y", "x"), id="v2", parent="v1", kind="edited")
    assert told(matched(one, other)) == ["changed a1 x | a2 x tool", "changed a2 y | a1 y tool"]
    assert told(matched(one, variant("Z precedes X.", named("z", "x"), id="v2"), same=False)) == [
        "changed a1 x | a2 x tool",
        "gone a2 y | -",
        "added - | a1 z",
    ]


def test_a_variant_with_an_empty_id_is_not_its_own_ancestor() -> None:
    """Its missing parent was taken for it, again and again, until the memory was full."""
    a = A.model_copy(update={"id": "", "parent": None})
    assert match_actions(session(a), a, session(a), a).matched == "ids"
