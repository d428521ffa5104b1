"""Makes mutants of a query, which mean the same as Z3 proves (paper, section 4.5).

``Repeat`` is the same query again. ``TerminalSubstitute`` has other words, ``TopicChange`` another job's activities
(and so other tools), ``QuerySynthesize`` other sentences whose constraints are equivalent to the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Literal, get_args

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.language.reading import ActionNameError, ParseFailure, Reading, paper_reading, read_query
from planscope.language.tree import Query, Word, same_tree
from planscope.oracle.equivalence import equivalent
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.synthesis.query_synthesis import retellings
from planscope.synthesis.request import Request
from planscope.synthesis.substitution import Draft, draw_for, other_topics, places, substitute, substitutes
from planscope.wording.phrases import plural
from planscope.wording.terms import NO_MUTANT

Kind = Literal["Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of mutants, in the paper's order."""

_MISSES = 200
"""After this many drafts in a row without a new mutant, the search ends."""


class CannotMutate(UserError):
    """No such mutant exists. One line says why, and what to do."""


@frozen
class Mutant:
    """A query that means the same as another one. ``number`` counts from 1 within its kind.

    ``problem`` has the new text, constraints with their spans in it, and actions with the ids and durations of the old
    query. Reading the text gives this problem and this ``tree``. ``topic``: a job, several joined by commas, or "".
    """

    kind: Kind
    number: int
    problem: Problem
    tree: Query
    topic: str


def mutants(
    reading: Reading,
    kind: Kind,
    *,
    seed: int = 0,
    topic: str | None = None,
    topics: Mapping[str, tuple[str, ...]] | None = None,
    manner: Request | None = None,
    first: int = 1,
) -> Iterator[Mutant]:
    """Yield the mutants of a kind from number ``first`` on, the same for the same query, kind, number and seed.

    ``reading`` is the query as it was read (``planscope.session.oracle_input.reading_of``). ``topic`` is its own topic,
    if known; ``topics`` are activities by job for ``TopicChange`` (default: the bundled ones). ``manner`` has the
    shares and forms with which ``QuerySynthesize`` makes sentences, as ``Request`` describes them; its other options
    are ignored. Raises CannotMutate after the last one.
    """
    if kind not in KINDS:
        raise CannotMutate(f"there is no mutation {kind!r}; the kinds are {', '.join(KINDS)}")
    if first < 1:
        raise CannotMutate(f"mutants are numbered from 1; there is no number {first}")
    problem = reading.problem
    if not problem.said:
        raise CannotMutate("the query asks for nothing, so there is nothing to mutate; write a sentence")
    if replay(problem, Trace((), "running")).steps[0].lost:
        raise CannotMutate("no plan meets the query, so it has no mutants; correct it first")
    if kind == "Repeat":
        for number in count(first):
            yield _proved(problem, Mutant(kind, number, problem, reading.tree, topic or ""))
    draw = draw_for(reading, kind, seed)
    if kind == "TerminalSubstitute":
        drafts = substitutes(paper_reading(reading), draw, topic or "")
    elif kind == "TopicChange":
        drafts = other_topics(reading, draw, topic, topics)
    else:
        drafts = retellings(reading, draw, topic or "", manner or Request())
    made = 0
    for made, (found, draft) in enumerate(_read(reading, drafts), 1):
        if made >= first:
            yield _proved(problem, Mutant(kind, made, found.problem, found.tree, draft.topic))
    raise CannotMutate(_no_more(kind, made, max(first, made + 1)))


def reworded(reading: Reading, words: Sequence[Word], number: int, *, topic: str | None = None) -> Mutant:
    """Return a ``TerminalSubstitute`` with words that a caller chose, one for each of ``substitute.places``, each
    from its options. Raises CannotMutate if the text with these words cannot be read back, and as :func:`mutants`
    does.

    Natural sentences are put in the paper's words first (``paper_reading``), and the places are of that tree."""
    reading = paper_reading(reading)
    draft = substitute(reading, places(reading.tree), words, topic or "")
    for found, _ in _read(reading, iter([draft])):
        return _proved(
            reading.problem,
            Mutant("TerminalSubstitute", number, found.problem, found.tree, draft.topic),
        )
    raise CannotMutate("these words cannot be read in their places")


def _read(reading: Reading, drafts: Iterator[Draft]) -> Iterator[tuple[Reading, Draft]]:
    """Yield the drafts whose text is read back as it was meant, each text once."""
    timed, seen, misses = reading.problem.timed, {reading.text}, 0
    for draft in drafts:
        found = next(filter(None, (_as_meant(draft, text, timed) for text in draft.texts)), None)
        if found is not None and found.text not in seen:
            seen.add(found.text)
            misses = 0
            yield found, draft
        else:
            misses += 1
            if misses >= _MISSES:
                return


def _as_meant(draft: Draft, text: str, timed: bool) -> Reading | None:
    try:
        found = read_query(text, draft.actions, timed=timed)
    except (ParseFailure, ActionNameError):
        return None
    return found if same_tree(found.tree, draft.tree) else None


def _proved(old: Problem, mutant: Mutant) -> Mutant:
    """Return the mutant, after Z3 has proved that the two sets of constraints imply each other."""
    answer = equivalent(old, mutant.problem, foreseen=True)
    if answer is None:
        raise CannotMutate(
            f"Z3 could not prove in time that {mutant.kind} {mutant.number} means the same; try another seed"
        )
    if not answer:
        raise AssertionError(f"{mutant.kind} {mutant.number} means something else: {mutant.problem.text!r}")
    return mutant


def _no_more(kind: Kind, made: int, wanted: int) -> str:
    if made:
        has = f"has only {plural(made, 'mutant')} of the kind {kind}"
        return f"the query {has}, so there is no number {wanted}; ask for fewer"
    return f"the query has no mutant of the kind {kind}: {NO_MUTANT.get(kind, '')}"
