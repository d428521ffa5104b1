"""What the words of a text can mean: the lexicon's phrases, marks and conjunctions, and words with a hint."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from planscope.language.lexicon import VERBS, Lexicon, LexiconError, load_lexicon
from planscope.language.pieces import Phrases, phrase_key
from planscope.language.tree import Terminal


class Meaning(NamedTuple):
    """A token's type and what it stands for.

    ``type``: a terminal of grammar.lark, or HINT for words that the language does not have. ``value``: the hint,
    the conjunction's entry, or "". For phrases of the lexicon: ``relation`` ("<", ">" or ""), ``number`` ("s",
    "p" or "" where the verb's form does not tell) and, by terminal, (entry key, modal key).
    """

    type: str
    value: str = ""
    relation: str = ""
    number: str = ""
    words: tuple[tuple[Terminal, tuple[str, str]], ...] = ()


_MARKS = {
    ",": Meaning("COMMA"),
    ".": Meaning("DOT"),
    ";": Meaning("SEMI", ";"),
    "and": Meaning("AND", "and"),
    "but": Meaning("BUT", "but"),
    "yet": Meaning("BUT", "yet"),
    "while": Meaning("WHILE", "while"),
    "whereas": Meaning("WHILE", "whereas"),
    "which": Meaning("WHICH"),
}


def _type(terminals: set[Terminal]) -> str:
    """The token type of a phrase that stands under these terminals; PSC is a phrase that is both P and SC."""
    kinds = {terminal.rstrip("<>") for terminal in terminals}
    if kinds == {"P", "SC"}:
        return "PSC"
    if len(kinds) > 1:
        raise LexiconError(f"one phrase under {sorted(terminals)}")
    return kinds.pop()


def _surfaces(lexicon: Lexicon) -> dict[str, Meaning]:
    """Every wording of every entry with its meaning; LexiconError where one phrase means two things."""
    found: dict[str, list[tuple[Terminal, str, str, str]]] = {}
    for entry in lexicon:
        if entry.terminal == "J":
            continue
        for modal, (singular, plural) in entry.forms.items():
            tells = entry.terminal in VERBS and singular != plural
            found.setdefault(singular, []).append((entry.terminal, entry.key, modal, "s" if tells else ""))
            if tells:
                found.setdefault(plural, []).append((entry.terminal, entry.key, modal, "p"))
    meanings = {}
    for surface, uses in found.items():
        terminals = {use[0] for use in uses}
        relations = {t[-1] if t[-1] in "<>" else "" for t in terminals}
        if len(terminals) != len(uses) or len(relations) != 1 or len({use[3] for use in uses}) != 1:
            raise LexiconError(f"{surface!r} has two meanings: {uses}")
        words = tuple((terminal, (key, modal)) for terminal, key, modal, _ in uses)
        meanings[surface] = Meaning(_type(terminals), "", relations.pop(), uses[0][3], words)
    return meanings


@cache
def surfaces() -> dict[str, Meaning]:
    """Every wording of every phrase of the bundled lexicon, in lower case, with its meaning."""
    return _surfaces(load_lexicon())


@cache
def load_hints() -> dict[str, str]:
    """Words that the language does not have, each with what to say instead (``data/hints.toml``)."""
    text = (files("planscope.language") / "data" / "hints.toml").read_text(encoding="utf-8")
    return {phrase: row["say"] for row in tomllib.loads(text)["hint"] for phrase in row["words"]}


@cache
def vocabulary() -> Phrases[Meaning]:
    """All phrases with a meaning of their own. A phrase of the language beats an equal one that has a hint."""
    phrases: Phrases[Meaning] = Phrases()
    for mark, meaning in _MARKS.items():
        phrases.add(phrase_key(mark), meaning)
    for surface, meaning in surfaces().items():
        phrases.add(phrase_key(surface), meaning)
    for phrase, hint in load_hints().items():
        phrases.add(phrase_key(phrase), Meaning("HINT", hint))
    return phrases


@cache
def load_auxiliaries() -> frozenset[str]:
    """Verbs that mean something only before another verb ("should"): what stands behind them is to blame."""
    words = {modal.singular for modal in load_lexicon().modals} | {m.plural for m in load_lexicon().modals}
    return frozenset({word for phrase in words for word in phrase.split()} | {"do", "does"})
