"""Finds the culprit of a dissection: its cells are the trials. Says in words what is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from planscope.dissection.changes import Changes
from planscope.dissection.culprit import STATED, Culprit, Search, Suspect, Trial
from planscope.dissection.evidence import SAME, Cause, Counts, CulpritKind, Decision, total
from planscope.dissection.measures import (
    Measure,
    Split,
    amount,
    compared,
    constraint_measure,
    measured,
    pair_to_blame,
    rivals,
    splits,
    to_blame,
)
from planscope.dissection.rates import SPEAKS_FOR, VOICES, times
from planscope.language.reading import ParseFailure, Reading
from planscope.session.model import Cell, CellKind, Variant
from planscope.session.oracle_input import reading_of

_LONGEST = 70
"""Words of the query are quoted up to this length, in characters."""

_NO_PLACE = 0.5
"""A limit is to blame only if no one place is, but with less than this probability."""

_AGAIN = 3
"""So many queries in other sentences must agree with a limit after it was found: it was chosen of many, by its fit."""

NOT_NAMED = "No single word, clause or constraint is named: the runs do not show one."
"""What is said if the search ended without a name."""


def has_culprit(decision: Decision) -> bool:
    """Return whether the words to blame can be looked for: one cause is stated, and it is in the query.

    If two causes are to blame together, no small change cures.
    """
    return (
        decision.cause not in (None, "Probability")
        and (decision.confidence or 0.0) >= STATED
        and not decision.several
    )


Cells = Mapping[CellKind, Sequence[tuple[Cell, Counts, Variant]]]
"""The cells of each kind by number, with the counts of their runs."""


def search_of(changes: Changes, cells: Cells, exhausted: Collection[frozenset[int]] = ()) -> Search:
    """Return the search with the runs so far. ``exhausted``: sets of changes of which no other query can be made."""
    speaking = [c for _, c, _ in cells.get(SPEAKS_FOR[changes.cause], ()) if c.right > c.wrong]
    known = range(len(changes.all))
    trials = [
        Trial(frozenset(n for n in cell.changes or () if n in known), counts)
        for cell, counts, _ in cells.get("Culprit", ())
    ]
    return Search(changes.all, _as_is(cells), total(speaking), trials, exhausted=exhausted)


def _as_is(cells: Cells) -> Counts:
    return total([counts for kind in SAME for _, counts, _ in cells.get(kind, ())])


_ALIKE: tuple[CellKind, ...] = ("TerminalSubstitute", "QuerySynthesize", "Culprit")
"""Kinds with the same meaning and the same actions."""


def splits_of(variant: Variant, cells: Cells, kinds: Sequence[CellKind] = _ALIKE) -> list[Split]:
    """Return what the runs of all queries of some kinds tell of limits, words and constraints."""
    runs = [(measured(made), counts) for kind in kinds for _, counts, made in cells.get(kind, ())]
    return splits([(measured(variant), _as_is(cells)), *runs])


def limit_instead(variant: Variant, cause: Cause | None, cells: Cells) -> Split | None:
    """Return the limit that explains the runs where what seems to cure is another cause, if one is clear.

    Other words and names may just be shorter: then a length is to blame. Other sentences may leave out a constraint
    that follows from others, or say it less often. Fresh queries may be below a limit.
    """
    kinds: tuple[CellKind, ...] = _ALIKE
    wanted: tuple[CulpritKind, ...] = ("constraint",)
    if cause in ("Terminal", "Topic"):
        kinds, wanted = (*_ALIKE, "TopicChange", "Combined"), ("length", "number")
    elif cause == "Constraint":
        kinds, wanted = (*_ALIKE, "Control"), ("number", "length", "position")
    elif cause != "Structure":
        return None
    with suppress(ParseFailure):
        limit = to_blame(splits_of(variant, cells, kinds))
        if limit and limit.kind in wanted:
            return limit
    return None


def limit_besides(variant: Variant, cause: Cause | None, cells: Cells) -> Split | None:
    """Return the limit that is to blame where the one that seems to cure is another.

    Hardly any query of the kind that seems to cure is right above it. Three of other words that are as long must fail,
    unless the small changes show that no one place is to blame.
    """
    limit = limit_instead(variant, cause, cells)
    if limit is None or cause is None or cause == "Probability":
        return None
    for measure, most, _, above in splits_of(variant, cells, (SPEAKS_FOR[cause],)):
        least = 4 * above.right + VOICES * (limit.kind != "constraint")
        if (measure, most) == limit[:2] and above.wrong > least:
            return limit
    if cause in ("Terminal", "Topic") and cells.get("Culprit"):
        search = search_of(Changes(reading_of(variant), cause), cells)
        return limit if _one_place(search) < _NO_PLACE else None
    return None


def _one_place(search: Search) -> float:
    """Return the probability that one place is to blame."""
    return sum(p for suspect, p in search.likely.items() if suspect and len(suspect.changes) == 1)


_OWN = Measure("clause", "sentences of the query as it is")


def _with_a_word(variant: Variant, cells: Cells) -> tuple[Split, Split] | None:
    """Return what is to blame besides a word, and both together, if only both explain the runs."""
    runs = [(kind, made, counts) for kind in _ALIKE for _, counts, made in cells.get(kind, ())]
    with suppress(ParseFailure):
        return pair_to_blame(
            [
                ({**measured(made), _OWN: (int(kind != "QuerySynthesize"), (0, 0))}, counts)
                for kind, made, counts in [("Original", variant, _as_is(cells)), *runs]
            ]
        )
    return None


def refined(decision: Decision, variant: Variant, cells: Cells) -> Decision:
    """Return the decision, with the cause of a limit that explains the runs better than what seems to cure.

    Where other sentences cure, a word that they lack may be to blame as well: then there are two causes.
    """
    cause, likely = decision.cause, decision.likely
    if not (cause and decision.confidence):
        return decision
    causes: list[Cause]
    if limit := limit_besides(variant, cause, cells):
        causes = ["Constraint" if limit.kind == "constraint" else "Structure"]
        likely = {**likely, causes[0]: likely[cause], cause: likely[causes[0]]}
        why = "one limit explains the runs best"
    elif cause == "Structure" and not decision.several and (pair := _with_a_word(variant, cells)):
        causes = ["Constraint" if pair[0].kind == "constraint" else "Structure", "Terminal"]
        limit, why = pair[1], "a word is to blame, and not alone"
    else:
        return decision
    return replace(
        decision,
        cause=causes[0],
        causes=tuple((one, decision.confidence) for one in causes),
        reason=f"{why}: {compared(limit.limit(), limit.below, limit.others)}",
        likely=likely,
    )


def proved(changes: Changes, variant: Variant, cells: Cells) -> tuple[Split | None, Suspect | None]:
    """Return the limit or the suspect that the runs prove. Limits are to blame only where the sentences are, and only
    if no one place is likely, or they explain nearly all queries, which a place does not; but to count clauses of a
    form may be to count the one that is to blame.

    No clause is to blame if queries without any such clause fail as well. No sentence is to blame for its place alone:
    to move it moves another one, and changes the order in which actions are named, which may cure by itself. If either
    of two changes in one sentence cures, what both of them take away is to blame, and that is neither. A list that
    loses its relative clause when it is taken apart is two clauses: neither is to blame alone.
    """
    if limit := limit_besides(variant, changes.cause, cells):
        return limit, None
    limits, search = splits_of(variant, cells), search_of(changes, cells)
    one_place = _one_place(search)
    rival = rivals(limits)
    limit = to_blame(limits) if changes.cause == "Structure" else None
    if limit and one_place >= _NO_PLACE and not (rival and limit.measure.kind != "clause"):
        limit = None
    if limit is not None or rival:
        return (limit if limit is not None and _was_told(limit, variant, cells) else None), None
    found = search.proved()
    if found is None or changes.cause != "Structure":
        return None, found
    if found.either and len({changes.all[n].places[0][0] for n in found.changes}) == 1:
        return None, None
    if any(changes.all[n].includes for n in found.changes):
        return None, None
    place, _ = search.alone(found.ways[0])[0]
    own, cured = measured(variant), measured(cells["Culprit"][place][2])
    forms = {m for m in own if m.kind == "clause" and cured[m][0] < own[m][0]}
    told = any(one.measure in forms and not one.most and one.cures for one in limits)
    return None, found if told else None


def _was_told(limit: Split, variant: Variant, cells: Cells) -> bool:
    """Return whether a limit of this kind was to blame already before the last queries in other sentences were run."""
    earlier = {**cells, "QuerySynthesize": cells.get("QuerySynthesize", ())[:-_AGAIN]}
    before = to_blame(splits_of(variant, earlier))
    return before is not None and before.kind == limit.kind


def culprit_of(variant: Variant, decision: Decision, cells: Cells) -> Culprit | None:
    """Return the culprit that the runs of a dissection name, or None."""
    if decision.cause is None:
        return None
    with suppress(ParseFailure):
        if limit := limit_besides(variant, decision.cause, cells):
            return _limited(limit, variant, cells)
        if not has_culprit(decision):
            return None
        changes = Changes(reading_of(variant), decision.cause)
        limit, found = proved(changes, variant, cells)
        if limit is not None:
            return _limited(limit, variant, cells)
        if found is not None:
            search = search_of(changes, cells)
            alone = search.alone(found.ways[0])
            place = max(alone, key=lambda one: (one[1].right - one[1].wrong, -one[0]))[0]
            cured = cells["Culprit"][place][2]
            return _told(changes, search, found, reading_of(cured), cured)
    return None


def _limited(found: Split, variant: Variant, cells: Cells) -> Culprit | None:
    """Return a culprit that is a number, a length or a place, or clauses of a form: the cured query is the best one.

    None if no query with the same actions is up to the limit.
    """
    tried = (one for kind in _ALIKE for one in cells.get(kind, ()))
    below = [(c.right - c.wrong, v) for _, c, v in tried if amount(measured(v), found.measure) <= found.most]
    if not below:
        return None
    cured = max(below, key=lambda one: one[0])[1]
    _, (begin, end) = measured(variant)[found.measure]
    reading = reading_of(variant)
    number = sum(s.span[1] <= begin for s in reading.tree.sentences)
    return Culprit(
        kind="number" if found.kind == "constraint" and found.most else found.kind,
        places=((number, (begin, end), reading.text[begin:end]),),
        constraints=tuple(
            c.id for c in reading.problem.said if constraint_measure(c, reading.problem) == found.measure
        ),
        text=found.measure.said,
        instead=found.limit(),
        cured=cured.query.text,
        variant=cured.id,
        as_is=found.others,
        cured_counts=found.below,
        p_value=found.p_value,
        limited=True,
    )


def _told(changes: Changes, search: Search, found: Suspect, made: Reading, cured: Variant) -> Culprit:
    text = changes.reading.text
    chosen = [changes.all[n] for n in sorted(found.changes)]
    places = [(s, span, text[slice(*span)]) for change in chosen for s, span in change.places]
    told = [change.places[0][1] for change in chosen]
    instead = list(dict.fromkeys(changes.instead(made, n) for n in sorted(found.ways[0])))
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
        either=found.either,
    )


def in_words(found: Culprit) -> str:
    """Return one sentence: what the query says where the agent fails, and how often it is right without that."""
    where = f"sentence {found.sentence + 1}"
    rate = f"it was right {times(found.cured_counts)}, as it is {times(found.as_is)}"
    if found.limited:
        return f"It fails from a limit on: {compared(found.instead, found.cured_counts, found.as_is)}."
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
