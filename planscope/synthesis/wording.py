"""Phrases of the lexicon for a clause: any that may be written in its place, all alike."""

from __future__ import annotations

from functools import cache

from planscope.language.lexicon import load_lexicon
from planscope.language.tree import (
    FORMS,
    RELATIONS,
    RELATIVE_FORMS,
    Form,
    Relation,
    RelativeForm,
    Terminal,
    Word,
    terminals,
)
from planscope.synthesis.draw import Draw

Slot = tuple[tuple[Word, ...], tuple[Word, ...]]
"""What may stand there plainly, and with a modal (nothing where none may stand)."""

_SUBORDINATE = {"compound": 2, "fronted_compound": 1}
"""Which word of the form is the verb of its subordinate clause."""


class Wording:
    """``modals``: share of the verbs that get one."""

    def __init__(self, modals: float) -> None:
        self.modals = modals
        self.clauses, self.relatives = _tables()
        self.conjunctions = load_lexicon().written("J")

    def clause(self, draw: Draw, form: Form, relation: Relation, clock: bool) -> tuple[Word, ...]:
        return self._words(draw, self.clauses[form, relation, clock])

    def relative(self, draw: Draw, form: RelativeForm, relation: Relation, clock: bool) -> tuple[Word, ...]:
        return self._words(draw, self.relatives[form, relation, clock])

    def conjunction(self, draw: Draw) -> Word:
        return draw.choose(self.conjunctions)

    def _words(self, draw: Draw, slots: tuple[Slot, ...]) -> tuple[Word, ...]:
        random, modals = draw.random, self.modals
        words = []
        for plain, modal in slots:
            options = modal if modal and random() < modals else plain
            words.append(options[int(random() * len(options))])
        return tuple(words)


Tables = dict[tuple[str, str, bool], tuple[Slot, ...]]


@cache
def _tables() -> tuple[Tables, Tables]:
    """By form, relation, and whether the object is a clock time: for clauses, and for relative clauses."""
    clauses: Tables = {}
    relatives: Tables = {}
    for relation in RELATIONS:
        for clock in (False, True):
            for form in FORMS:
                if clock and "compound" in form:
                    continue
                slots = enumerate(terminals(form, relation))
                clauses[form, relation, clock] = tuple(
                    _slot(t, "fronted" in form and k == 0, clock, _SUBORDINATE.get(form) == k)
                    for k, t in slots
                )
            for kind in RELATIVE_FORMS:
                relatives[kind, relation, clock] = tuple(
                    _slot(t, False, clock, False) for t in terminals(kind, relation)
                )
    return clauses, relatives


def _slot(terminal: Terminal, fronted: bool, clock: bool, subordinate: bool) -> Slot:
    lexicon = load_lexicon()
    plain = lexicon.written(terminal, fronted=fronted, clock=clock)
    if subordinate or not terminal.startswith("VP"):
        return plain, ()
    modals = lexicon.written_modals()
    return plain, tuple(word._replace(modal=modal) for word in plain for modal in modals)
