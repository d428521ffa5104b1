"""Finds the culprit of a dissection: its cells are the trials. Says in words what is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from planscope.dissection.changes import Changes
from planscope.dissection.culprit import STATED, Culprit, Search, Suspect, Trial
from planscope.dissection.evidence import SAME, Cause, Counts, Decision, Evidence, of_kinds, total
from planscope.dissection.rates import SPEAKS_FOR, times
from planscope.language.reading import ParseFailure, Reading
from planscope.session.model import Cell, Variant
from planscope.session.oracle_input import reading_of

CAUSED: tuple[Cause, ...] = ("Terminal", "Topic", "Structure", "Constraint")
"""The causes that words of the query can be blamed for."""


_LONGEST = 70
"""Words of the query are quoted up to this length, in characters."""

NOT_NAMED = "No single word, clause or constraint is named: the runs do not show one."
"""What is said if the search ended without a name."""


def has_culprit(decision: Decision) -> bool:
    """Return whether the words to blame can be looked for: one cause is stated, and it is in the query.

    If words and topic are to blame together, no small change cures.
    """
    together = decision.several and decision.causes[0][0] == "Topic"
    stated = decision.confidence is not None and decision.confidence >= STATED
    return decision.cause in CAUSED and stated and not together


def search_of(
    changes: Changes, evidence: Evidence, trials: Sequence[Trial], exhausted: Collection[frozenset[int]] = ()
) -> Search:
    """Return the search with the runs so far. ``exhausted``: sets of changes of which no other query can be made."""
    speaking = [m for m in evidence.get(SPEAKS_FOR[changes.cause], ()) if m.right > m.wrong]
    return Search(changes.all, of_kinds(evidence, SAME), total(speaking), trials, exhausted=exhausted)


def trials_of(cells: Sequence[Cell], counts: Sequence[Counts], changes: Changes) -> list[Trial]:
    """Return the trials of the cells that look for the culprit. Numbers of changes that do not exist are left out."""
    known = range(len(changes.all))
    return [
        Trial(frozenset(n for n in cell.changes or () if n in known), counted)
        for cell, counted in zip(cells, counts, strict=True)
    ]


def culprit_of(
    variant: Variant,
    decision: Decision,
    evidence: Evidence,
    cells: Sequence[Cell],
    variants: Mapping[str, Variant],
) -> Culprit | None:
    """Return the culprit that the runs of a dissection name, or None. ``cells``: those that look for it, by number."""
    if not cells or not has_culprit(decision) or decision.cause is None:
        return None
    try:
        changes = Changes(reading_of(variant), decision.cause)
    except ParseFailure:
        return None
    trials = trials_of(cells, evidence.get("Culprit", ()), changes)
    search = search_of(changes, evidence, trials)
    found = search.proved()
    if found is None:
        return None
    test = found.ways[0]
    place = max(search.alone(test), key=lambda one: (one[1].right - one[1].wrong, -one[0]))[0]
    cured = variants.get(cells[place].variant)
    try:
        made = reading_of(cured) if cured is not None else None
    except ParseFailure:
        return None
    if cured is None or made is None:
        return None
    return _told(changes, search, found, made, cured)


def _told(changes: Changes, search: Search, found: Suspect, made: Reading, cured: Variant) -> Culprit:
    text = changes.reading.text
    numbers = sorted(found.changes)
    first = sorted(found.ways[0])
    chosen = [changes.all[n] for n in numbers]
    full = found.either and all(c.shortens for c in chosen) and len({c.places[0][0] for c in chosen}) == 1
    if full:
        # Whatever shortens the sentence cures, so all of it is to blame.
        chosen = [changes.whole_sentence(chosen[0].places[0][0])]
    places = [(s, span, text[slice(*span)]) for change in chosen for s, span in change.places]
    told = [change.places[0][1] for change in chosen]
    instead = list(dict.fromkeys(changes.instead(made, n) for n in first))
    return Culprit(
        kind=chosen[0].kind,
        places=tuple(dict.fromkeys(places)),
        constraints=tuple(dict.fromkeys(c for change in chosen for c in change.constraints)),
        text=(" or " if found.either else " and ").join(dict.fromkeys(text[slice(*span)] for span in told)),
        instead=" and ".join(filter(None, instead)),
        cured=cured.query.text,
        variant=cured.id,
        as_is=search.as_is,
        cured_counts=search.counts_of(found.ways[0]),
        p_value=max(search.p_value(test) for test in found.ways),
        either=found.either and not full,
    )


def in_words(found: Culprit) -> str:
    """Return one sentence: what the query says where the agent fails, and how often it is right without that."""
    where = f"sentence {found.sentence + 1}"
    rate = f"it was right {times(found.cured_counts)}, as it is {times(found.as_is)}"
    said, instead = " and ".join(_quoted(found)), _begin(found.instead)
    if found.either:
        said = " or ".join(_quoted(found))
        if found.kind == "constraint":
            return f"It fails because of {said}: leaving out one of them is enough; so {rate}."
        how = f"with “{instead}”" if instead else "one sentence earlier"
        return f"It fails at {said}: changing one of them is enough; {how} {rate}."
    if found.kind == "word":
        place = where if len({s for s, *_ in found.places}) == 1 else "the query"
        return f"It fails where {place} says {said}; with “{instead}” {rate}."
    if found.kind == "action":
        return f"It fails at the action {said}; with “{instead}” in its place {rate}."
    if found.kind == "constraint":
        return f"It fails because of {', '.join(found.constraints)} in {where}, {said}; without it {rate}."
    name = "the clause" if found.kind == "clause" else "the words"
    how = f"said as “{instead}”" if instead else "one sentence earlier"
    return f"It fails at {name} {said} in {where}; {how}, {rate}."


def _quoted(found: Culprit) -> Iterator[str]:
    return (f"“{_begin(text)}”" for text in dict.fromkeys(text for *_, text in found.places))


def _begin(text: str) -> str:
    """Return the beginning of a text; a whole sentence is shown in the query, and not once more in words."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
