"""Patterns: trees over the places of a sentence's tokens, before words and spans come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from planscope.language.tree import Form, RelativeForm

if TYPE_CHECKING:
    from collections.abc import Sequence

Types = tuple[str, ...]

MAX_READINGS = 16
"""More readings of one sentence are not looked at: two that differ are an error anyway."""


class NPPattern(NamedTuple):
    """``rest``: what the list goes on with behind its relative clause, in readings that are never accepted."""

    actions: tuple[int, ...]
    relative: RelativePattern | None = None
    rest: tuple[int, ...] = ()


class RelativePattern(NamedTuple):
    form: RelativeForm
    which: int
    words: tuple[int, ...]
    object: NPPattern | int
    """A clock time is its token's place."""


class ClausePattern(NamedTuple):
    form: Form
    subject: NPPattern
    object: NPPattern | int
    words: tuple[int, ...]


class SentencePattern(NamedTuple):
    clauses: tuple[ClausePattern, ...]
    conj: int | None = None


VERBS: dict[Form, tuple[tuple[bool, int], ...]] = {
    "direct": ((True, 0),),
    "adjunct": ((True, 0),),
    "fronted": ((True, 1),),
    "compound": ((True, 0), (False, 2)),
    "fronted_compound": ((False, 1), (True, 2)),
}
"""The noun phrases that have a verb behind them (True: the subject), with the place of that verb."""


def disagreements(clause: ClausePattern, numbers: Sequence[str]) -> int:
    """How many verbs in the singular stand behind lists, those of relative clauses included."""
    nps = [np for np in (clause.subject, clause.object) if isinstance(np, NPPattern)]
    verbs = [(np, np.relative.words[0]) for np in nps if np.relative is not None]
    for of_subject, word in VERBS[clause.form]:
        np = clause.subject if of_subject else clause.object
        assert isinstance(np, NPPattern), "a clock time has no verb of its own"
        verbs.append((NPPattern(np.actions + np.rest), clause.words[word]))
    return sum(len(np.actions) > 1 and numbers[verb] == "s" for np, verb in verbs)
