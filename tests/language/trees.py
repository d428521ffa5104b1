"""Random syntax trees, drawn with any chooser: Hypothesis's or a seeded generator's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from planscope.language.lexicon import VERBS, load_lexicon
from planscope.language.problem import Action, make_actions
from planscope.language.tree import (
    FORMS,
    NP,
    RELATIONS,
    RELATIVE_FORMS,
    ActionRef,
    Clause,
    Query,
    Relative,
    Sentence,
    Terminal,
    Time,
    Word,
    terminals,
)

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]

NAMES = (
    "network diagnosis",
    "network status check",
    "status check",
    "follow up meeting",
    "after hours call",
    "client's call",
    "hair-color mixing",
    "attending training sessions",
    "a",
    "b",
    "iOS build v2.1",
    "Q3 report",
    "überprüfung der daten",
    "before school run",
    "the end review",
    "and gate test",
    "15 minute walk",
    "order follow",
    "which of two",
    "Dr. Li's talk, part 2",
)


class Trees:
    """Draws trees over some actions. All words of the lexicon, in every place where they can be read."""

    def __init__(self, choose: Choose, ids: Sequence[str], *, timed: bool, most: int = 4) -> None:
        self.choose = choose
        self.ids = ids
        self.timed = timed
        self.most = most
        lexicon = load_lexicon()
        self.entries = {terminal: list(lexicon.entries[terminal]) for terminal in lexicon.entries}
        self.modals = ["", "", "", *(modal.key for modal in lexicon.modals)]

    def word(self, terminal: Terminal) -> Word:
        modal = self.choose(self.modals) if terminal in VERBS else ""
        return Word(terminal, self.choose(self.entries[terminal]), modal)

    def words(self, form: Any, relation: Any) -> tuple[Word, ...]:
        return tuple(self.word(terminal) for terminal in terminals(form, relation))

    def actions(self) -> tuple[ActionRef, ...]:
        size = self.choose(range(1, min(self.most, len(self.ids)) + 1))
        left = list(self.ids)
        return tuple(ActionRef(left.pop(self.choose(range(len(left))))) for _ in range(size))

    def target(self) -> NP | Time:
        if self.timed and self.choose((False, False, True)):
            return Time(self.choose(range(25)))
        return NP(self.actions())

    def np(self) -> NP:
        if self.choose((False, False, True)):
            form, relation = self.choose(RELATIVE_FORMS), self.choose(RELATIONS)
            return NP(self.actions(), Relative(form, relation, self.words(form, relation), self.target()))
        return NP(self.actions())

    def clause(self) -> Clause:
        form, relation = self.choose(FORMS), self.choose(RELATIONS)
        target: NP | Time = self.np()
        if "compound" not in form and isinstance(time := self.target(), Time):
            target = time
        return Clause(form, relation, self.np(), target, self.words(form, relation))

    def sentence(self) -> Sentence:
        if self.choose((False, True)):
            return Sentence((self.clause(), self.clause()), self.word("J"))
        return Sentence((self.clause(),))

    def query(self, sentences: int) -> Query:
        return Query(tuple(self.sentence() for _ in range(sentences)))


def seeded(seed: int, *, actions: int, sentences: int, timed: bool) -> tuple[Query, tuple[Action, ...]]:
    """A tree and its actions, the same for the same seed."""
    rng = Random(seed)
    names = rng.sample(NAMES, actions)
    made = make_actions(names)
    trees = Trees(rng.choice, [action.id for action in made], timed=timed)
    return trees.query(sentences), made


@st.composite
def queries(draw: st.DrawFn, timed: bool | None = None) -> tuple[Query, tuple[Action, ...], bool]:
    """(tree, actions, timed)."""
    is_timed = draw(st.booleans()) if timed is None else timed
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=20, unique=True))
    made = make_actions(names)
    trees = Trees(lambda xs: draw(st.sampled_from(xs)), [action.id for action in made], timed=is_timed)
    return trees.query(draw(st.integers(1, 3))), made, is_timed
