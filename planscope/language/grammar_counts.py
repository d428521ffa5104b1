"""How much the language can say, counted from grammar and lexicon themselves (`planscope grammar`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from planscope.language.lexicon import TERMINALS, VERBS, Lexicon, Modal, load_lexicon
from planscope.language.patterns import strict_rules
from planscope.language.tree import FORMS, RELATIONS, Form, terminals

_RELATED = {"VP": "VP", "p": "P", "sc": "SC"}
"""Symbols of the grammar that come in a kind for each relation, with the terminal's name without it."""


@cache
def clause_skeletons(timed: bool = False) -> int:
    """Expansions of the grammar's ``clause``: kinds of "<" and ">" count, words and the length of lists do not."""
    rules = strict_rules()
    lexicon = load_lexicon()

    def count(symbol: str) -> int:
        if symbol in _RELATED:
            return sum(f"{_RELATED[symbol]}{relation}" in lexicon.entries for relation in RELATIONS)
        if symbol == "TIME":
            return int(timed)
        if symbol == "list" or symbol not in rules:
            return 1
        total = 0
        for expansion in rules[symbol]:
            product = 1
            for part in expansion:
                product *= count(part)
            total += product
        return total

    return count("clause")


def wordings(form: Form, lexicon: Lexicon | None = None) -> int:
    """Ways to write one clause of this form between two actions, modals and relative clauses aside."""
    lexicon = lexicon or load_lexicon()
    total = 0
    for relation in RELATIONS:
        product = 1
        for terminal in terminals(form, relation):
            product *= len(lexicon.written(terminal, fronted="fronted" in form))
        total += product
    return total


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of the lexicon, where it may stand, and whether it is read only and never written."""

    phrase: str
    singular: str
    plural: str
    adjunct: bool
    fronted: bool
    clock: bool
    parse_only: bool


@dataclass(frozen=True, slots=True)
class GrammarReport:
    """Counts, and the words by the paper's terminals."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]
    modals: tuple[Modal, ...]
    terminals: dict[str, list[Phrase]]


def grammar_report() -> GrammarReport:
    lexicon = load_lexicon()
    by_form: dict[str, int] = {form: wordings(form) for form in FORMS}
    return GrammarReport(
        {"base": clause_skeletons(), "timed": clause_skeletons(timed=True)},
        {"total": sum(by_form.values()), **by_form},
        lexicon.modals,
        {
            terminal: [
                Phrase(
                    entry.key,
                    *entry.forms[""],
                    adjunct=entry.adjunct and not entry.parse_only and terminal not in (*VERBS, "J"),
                    fronted=entry.fronted,
                    clock=entry.clock,
                    parse_only=entry.parse_only,
                )
                for entry in lexicon.entries[terminal].values()
            ]
            for terminal in TERMINALS
        },
    )
