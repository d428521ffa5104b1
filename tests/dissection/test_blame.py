"""What the cells of a dissection prove: a limit, the words to blame, or neither."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planscope.dissection.blame import Cells, culprit_of, proved, refined, search_of
from planscope.dissection.changes import Changes
from planscope.dissection.evidence import Cause, Counts, Decision
from planscope.dissection.summary import summary
from planscope.dissection.variants import MANNERS
from planscope.language.problem import Problem, make_actions
from planscope.language.reading import Reading, read_query
from planscope.session.model import Cell, CellKind, Origin, Variant, make_variant
from planscope.synthesis.mutants import mutants
from tests.bench import foreign, third
from tests.bench.bench_family import dissected, draw_case
from tests.nightly import nightly

NAMES = ("coffee brewing", "crew briefing", "seat cleaning", "safety demonstration")
TEXT = (
    "Coffee brewing, which precedes crew briefing, occurs before seat cleaning. "
    "Crew briefing precedes seat cleaning. Crew briefing occurs before safety demonstration."
)


def reading() -> Reading:
    return read_query(TEXT, make_actions(NAMES), timed=False)


def asked() -> Variant:
    return make_variant(reading().problem, Origin(kind="written"))


def cells_of(
    changes: Changes, variant: Variant, tried: Sequence[tuple[Sequence[int], Counts]], told: Sequence[Counts]
) -> Cells:
    """The cells of a search, and of queries in other sentences without relative clauses."""
    made = []
    for number, (chosen, counts) in enumerate(tried, 1):
        reading = changes.make(chosen, number, reword=True)
        assert reading is not None
        made.append(cell("Culprit", number, reading.problem, counts, chosen))
    plain = mutants(changes.reading, "QuerySynthesize", seed=1, manner=MANNERS[0])
    others = [
        cell("QuerySynthesize", number, mutant.problem, counts)
        for number, (mutant, counts) in enumerate(zip(plain, told, strict=False), 1)
    ]
    as_is = (Cell(kind="Original", number=1, variant=variant.id), Counts(0, 9), variant)
    return {"Original": [as_is], "QuerySynthesize": others, "Culprit": made}


def written(kind: CellKind, text: str, counts: Counts) -> tuple[Cell, Counts, Variant]:
    return cell(kind, 1, read_query(text, make_actions(NAMES), timed=False).problem, counts)


def decided(cause: Cause, cells: Cells) -> Decision:
    likely = {"Terminal": 0.0, "Structure": 0.01, "Constraint": 0.01, cause: 0.98}
    decision = Decision(cause, 0.98, "", likely=likely, causes=((cause, 0.98),))
    return refined(decision, asked(), cells)


def cell(
    kind: CellKind, number: int, problem: Problem, counts: Counts, chosen: Sequence[int] | None = None
) -> tuple[Cell, Counts, Variant]:
    variant = make_variant(problem, Origin(kind="mutated"), id=f"{kind}{number}")
    numbers = None if chosen is None else list(chosen)
    return Cell(kind=kind, number=number, variant=variant.id, changes=numbers), counts, variant


def test_no_clause_is_to_blame_if_queries_without_such_clauses_fail_too() -> None:
    changes, variant = Changes(reading(), "Structure"), asked()
    relative = next(n for n, c in enumerate(changes.all) if TEXT[slice(*c.places[0][1])].startswith("which"))
    rest = [n for n in range(len(changes.all)) if n != relative]
    tried = [([relative], Counts(3, 0)), ([relative], Counts(3, 0)), *[([n], Counts(0, 2)) for n in rest]]
    tried.append((rest, Counts(0, 3)))
    for told, named in (([], True), ([Counts(1, 0)] * 4, True), ([Counts(0, 1)] * 3, False)):
        limit, found = proved(changes, variant, cells_of(changes, variant, tried, told))
        assert limit is None
        assert (found is not None) == named


def test_no_sentence_is_to_blame_for_its_place_alone() -> None:
    """A late sentence was not read, and the plan came out right by luck once another one was moved."""
    changes, variant = Changes(reading(), "Structure"), asked()
    moved = next(
        n
        for n, c in enumerate(changes.all)
        if (made := changes.make([n], 1)) is not None
        and sorted(made.text.split(". ")) == sorted(TEXT.split(". "))
    )
    rest = [n for n in range(len(changes.all)) if n != moved]
    tried = [([moved], Counts(3, 0)), ([moved], Counts(3, 0)), *[([n], Counts(0, 2)) for n in rest]]
    tried.append((rest, Counts(0, 3)))
    assert proved(changes, variant, cells_of(changes, variant, tried, [Counts(1, 0)] * 4)) == (None, None)


def test_no_word_is_to_blame_if_a_length_explains_the_same() -> None:
    """Two queries cured by another word are shorter; so are all others that are right."""
    changes, variant = Changes(reading(), "Terminal"), asked()

    def told(
        kind: CellKind, old: str, new: str, counts: Counts, *chosen: int
    ) -> tuple[Cell, Counts, Variant]:
        problem = read_query(TEXT.replace(old, new), make_actions(NAMES), timed=False).problem
        return cell(kind, 1, problem, counts, chosen)

    culprits = [
        told("Culprit", "occurs before seat", "precedes seat", Counts(3, 0), 0),
        told("Culprit", "occurs before safety", "precedes safety", Counts(3, 0), 0),
        told("Culprit", "before", "at some point before", Counts(0, 3), *range(1, len(changes.all))),
    ]
    long = told("TerminalSubstitute", "before", "sometime before", Counts(0, 1))
    short = told("TerminalSubstitute", "occurs before", "precedes", Counts(1, 0))
    cells = {**cells_of(changes, variant, [], []), "Culprit": culprits}
    limited = {**cells, "TerminalSubstitute": [*[short] * 8, *[long] * 8]}
    assert proved(changes, variant, limited) == (None, None)
    other = told("TerminalSubstitute", "before", "sometime before", Counts(1, 0))
    _, found = proved(changes, variant, {**limited, "TerminalSubstitute": [*[short] * 8, *[other] * 8]})
    assert found is not None and found.changes == {0}


FOUR = "Coffee brewing precedes crew briefing. Coffee brewing precedes seat cleaning. "
WORDY = TEXT.replace("precedes", "comes before").replace("occurs before", "comes at some point before")
SHORT = TEXT.replace("occurs before", "precedes")


def test_a_length_is_to_blame_where_other_words_cure_only_if_they_are_shorter() -> None:
    """No word of the query is in all queries that fail, and new ones are in some."""
    as_is = cells_of(Changes(reading(), "Terminal"), asked(), [], [])["Original"]
    long = [written("TerminalSubstitute", WORDY, Counts(0, 1))] * 8
    short = [written("TerminalSubstitute", SHORT, Counts(1, 0))] * 4
    other = [written("TerminalSubstitute", SHORT.replace("precedes", "predates"), Counts(1, 0))] * 4
    told: Cells = {"Original": as_is, "TerminalSubstitute": [*long, *short, *other]}
    found = decided("Terminal", told)
    assert (found.cause, found.likely["Structure"], found.likely["Terminal"]) == ("Structure", 0.98, 0.01)
    assert found.reason == (
        "one limit explains the runs best: with at most 152 characters, 8 of 8 queries were right, else 0 of 9"
    )
    named = culprit_of(asked(), Decision("Terminal", 0.6, ""), told)
    assert named is not None and named.kind == "length"
    assert named.cured == SHORT
    right = [written("TerminalSubstitute", WORDY, Counts(1, 0))] * 8
    assert decided("Terminal", {**told, "TerminalSubstitute": [*right, *short, *other]}).cause == "Terminal"
    # Small changes that fail are longer as well, but they keep most words of the query.
    small = [written("Culprit", WORDY, Counts(0, 1))] * 8
    untried: Cells = {**told, "TerminalSubstitute": [*long[:2], *short, *other], "Culprit": small}
    assert decided("Terminal", untried).cause == "Terminal"


def test_neither_of_two_changes_in_one_sentence_is_to_blame_if_either_cures() -> None:
    """Both make the sentence shorter, for example."""
    changes, variant = Changes(reading(), "Structure"), asked()
    form, relative = (n for n, c in enumerate(changes.all) if c.places[0][0] == 0)
    rest = [n for n in range(len(changes.all)) if n not in (form, relative)]
    tried = [([n], Counts(4, 0)) for n in (form, form, relative, relative)]
    tried += [*[([n], Counts(0, 2)) for n in rest], (rest, Counts(0, 3))]
    cells = cells_of(changes, variant, tried, [Counts(1, 0)] * 4)
    best = search_of(changes, cells).proved()
    assert best is not None and (best.either, best.changes) == (True, {form, relative})
    assert proved(changes, variant, cells) == (None, None)


def test_a_list_that_loses_its_relative_clause_when_it_is_taken_apart_is_not_named() -> None:
    """The agent may fail at the list of the relative clause: to say that in a sentence of its own keeps the list."""
    text = (
        "Coffee brewing and crew briefing, which precede seat cleaning, precede safety demonstration. "
        "Seat cleaning precedes safety demonstration."
    )
    for said, named in ((text, False), (text.replace(", which precede seat cleaning,", ""), True)):
        listed = read_query(said, make_actions(NAMES), timed=False)
        changes, variant = (
            Changes(listed, "Structure"),
            make_variant(listed.problem, Origin(kind="written")),
        )
        apart = next(n for n, c in enumerate(changes.all) if c.kind == "clause" and bool(c.includes) != named)
        rest = [n for n in range(len(changes.all)) if n != apart]
        tried = [([apart], Counts(4, 0)), ([apart], Counts(4, 0)), *[([n], Counts(0, 3)) for n in rest]]
        cells = cells_of(changes, variant, [*tried, (rest, Counts(0, 3))], [Counts(1, 0)] * 4)
        assert search_of(changes, cells).proved() is not None
        _, found = proved(changes, variant, cells)
        assert (found is not None) == named


def test_a_word_and_the_sentences_are_both_to_blame_where_the_query_needs_both_changed() -> None:
    """Other words alone do not cure, and other sentences only without "precedes"."""
    as_is = cells_of(Changes(reading(), "Structure"), asked(), [], [])["Original"]
    words = [written("TerminalSubstitute", SHORT.replace("precede", "predate"), Counts(0, 1))] * 8
    told = TEXT.replace("Coffee brewing, which precedes crew briefing, occurs before seat cleaning. ", FOUR)
    kept = [written("QuerySynthesize", told, Counts(0, 1))] * 8
    without = [written("QuerySynthesize", told.replace("precede", "predate"), Counts(1, 0))] * 8
    cells: Cells = {"Original": as_is, "TerminalSubstitute": words, "QuerySynthesize": [*kept, *without]}
    found = decided("Structure", cells)
    assert found.several and dict(found.causes) == {"Structure": 0.98, "Terminal": 0.98}
    assert found.reason.startswith("a word is to blame, and not alone: with no “precede” and ")
    assert found.reason.endswith(", 8 of 8 queries were right, else 0 of 17")
    for some in (kept, without):
        assert not decided("Structure", {**cells, "QuerySynthesize": some}).several


def test_a_constraint_is_to_blame_where_other_sentences_cure_only_if_they_leave_it_out() -> None:
    """ "Coffee brewing before seat cleaning" follows from two others, so other sentences need not say it."""
    one = "Coffee brewing precedes crew briefing. Crew briefing precedes seat cleaning. "
    two = "Before crew briefing, coffee brewing occurs. Seat cleaning succeeds crew briefing. "
    rest = "Crew briefing occurs before safety demonstration."
    twice = f"{rest} Before safety demonstration, crew briefing occurs."
    said = "Coffee brewing precedes seat cleaning. "
    as_is = cells_of(Changes(reading(), "Structure"), asked(), [], [])["Original"]
    without = [
        written("QuerySynthesize", one + rest, Counts(1, 0)),
        written("QuerySynthesize", two + twice, Counts(1, 0)),
    ] * 5
    having = [written("QuerySynthesize", text + said + rest, Counts(0, 1)) for text in (one, two)] * 5
    told: Cells = {"Original": as_is, "QuerySynthesize": [*without, *having]}
    found = decided("Structure", told)
    assert (found.cause, found.causes) == ("Constraint", (("Constraint", 0.98),))
    named = culprit_of(asked(), Decision("Structure", 0.98, ""), told)
    assert named is not None and (named.kind, named.text) == (
        "constraint",
        "“coffee brewing before seat cleaning”",
    )
    (again,) = (c for c in reading().problem.said if c.id in named.constraints)
    assert (again.before, again.after) == ("a1", "a3")
    assert decided("Structure", {**told, "QuerySynthesize": [*without, *without]}).cause == "Structure"


FEW = (
    "Coffee brewing precedes crew briefing. Crew briefing precedes seat cleaning.",
    "Before seat cleaning, coffee brewing occurs. Crew briefing occurs before safety demonstration.",
    "Coffee brewing, which precedes crew briefing, occurs at some point before seat cleaning. "
    "Crew briefing comes at some point before safety demonstration.",
)
MANY = (
    "Crew briefing precedes seat cleaning. Crew briefing precedes safety demonstration. "
    "Coffee brewing precedes crew briefing.",
    "Coffee brewing precedes seat cleaning. Coffee brewing precedes crew briefing. "
    "Coffee brewing precedes safety demonstration.",
)


def test_a_number_is_to_blame_where_fresh_queries_cure_only_if_they_are_below_it() -> None:
    """All that have three sentences fail, whatever they ask for."""
    as_is = cells_of(Changes(reading(), "Constraint"), asked(), [], [])["Original"]
    same = [written("QuerySynthesize", SHORT, Counts(0, 1))] * 6
    fresh = [written("Control", text, Counts(1, 0)) for text in FEW] * 3
    full = [written("Control", text, Counts(0, 1)) for text in MANY] * 3
    told: Cells = {"Original": as_is, "QuerySynthesize": same, "Control": [*fresh, *full]}
    assert decided("Constraint", told).cause == "Structure"
    named = culprit_of(asked(), Decision("Constraint", 0.98, ""), {**told, "Culprit": [fresh[0]]})
    assert named is not None and named.kind == "number"
    right = [written("Control", text, Counts(1, 0)) for text in MANY] * 3
    assert decided("Constraint", {**told, "Control": [*fresh, *right]}).cause == "Constraint"


def test_a_limit_is_named_if_later_queries_agree_and_even_if_one_place_seems_to_cure() -> None:
    """The small change that cures is below the limit as well."""
    changes, variant = Changes(reading(), "Structure"), asked()
    relative = next(n for n, c in enumerate(changes.all) if TEXT[slice(*c.places[0][1])].startswith("which"))
    rest = [n for n in range(len(changes.all)) if n != relative]
    small = [([n], Counts(0, 1)) for n in rest]
    cells = cells_of(changes, variant, [([relative], Counts(0, 1)), *small], [])
    below = [written("QuerySynthesize", text, Counts(1, 0)) for text in FEW] * 4
    above = [written("QuerySynthesize", text, Counts(0, 1)) for text in MANY] * 4
    limit, _ = proved(changes, variant, {**cells, "QuerySynthesize": [*above, *below]})
    assert limit is not None and limit.kind == "number"
    late = {**cells, "QuerySynthesize": [*above, *below[:4]]}
    assert proved(changes, variant, late) == (None, None)


@pytest.mark.parametrize(
    ("name", "number", "kind", "what"),
    [
        ("many clauses", 1, "number", ("clauses",)),
        ("many words", 0, "length", ("words", "characters")),
        *nightly(("many commas", 0, "number", ("commas",))),
    ],
)
def test_queries_are_chosen_that_tell_a_number_from_a_length_and_both_from_the_words(
    name: str, number: int, kind: str, what: tuple[str, ...]
) -> None:
    agents = {agent.name: agent for agent in third.AGENTS}
    session, record, _ = dissected(draw_case(agents[name], number))
    found = summary(session, record)
    assert found.decision.cause == "Structure"
    assert found.culprit is not None and found.culprit.kind == kind and found.culprit.text in what


def test_words_are_to_blame_and_no_length_where_all_modals_are_misread() -> None:
    number = next(k for k, kind in enumerate(foreign.KINDS) if kind.name == "any modal")
    session, record, _ = dissected(foreign.draw_case(foreign.KINDS[number], 14000))
    assert summary(session, record).decision.cause == "Terminal"
