"""Writes a syntax tree as text: agreement, capitals, lists and punctuation (paper 4.2, "text filling").

Lists read "A and B", "A, B and C". A relative clause is set between commas; its closing comma merges with the
punctuation after it. If no verb follows, the list in a relative clause reads "A and B and C": with commas, B and C
could belong to the list before it. Synthesis renders every query that it draws, so this is simple and fast: one pass in
the order of the text writes the words and records their spans.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from planscope.language.lexicon import Lexicon, load_lexicon
from planscope.language.problem import Action
from planscope.language.tree import NP, ActionRef, Clause, Query, Relative, Sentence, Time, Word, paper_tree


class Rendered(NamedTuple):
    """A text, and its tree with spans in that text."""

    text: str
    tree: Query


def capitalised(name: str) -> str:
    """Capitalise a name for the beginning of a sentence. "iOS build", "v2 check", "run_all" stay as they are."""
    first = name[:1]
    head = name.partition(" ")[0]
    upper = first.upper()
    if not head.islower() or not head.replace("-", "").replace("'", "").isalpha():
        return name
    return upper + name[1:] if len(upper) == 1 and upper.casefold() == first.casefold() else name


class _Writer:
    """Collects the text. Each method writes one node and returns it with its span."""

    __slots__ = ("forms", "names", "out", "pos")

    def __init__(self, names: dict[str, str], lexicon: Lexicon) -> None:
        self.names = names
        self.forms = lexicon.forms
        self.out: list[str] = []
        self.pos = 0

    def word(self, word: Word, plural: bool, after: str) -> Word:
        """Write a phrase, then ``after`` (white space or punctuation), which is in no span."""
        terminal, entry, modal, _ = word
        text = self.forms[terminal, entry, modal][plural]
        start = self.pos
        end = start + len(text)
        self.out.append(text)
        self.out.append(after)
        self.pos = end + len(after)
        return Word(terminal, entry, modal, (start, end))

    def np(self, np: NP, after: str, closed: bool = True, comma: str = ", ") -> NP:
        """Write a noun phrase, then ``after``. ``closed``: a comma must close its relative clause.

        ``comma``: the separator between the actions of a list, except the last two.
        """
        refs, relative, _ = np
        start = pos = self.pos
        out, names = self.out, self.names
        placed = []
        left = len(refs)
        for action, _ in refs:
            name = names[action]
            end = pos + len(name)
            placed.append(ActionRef(action, (pos, end)))
            left -= 1
            separator = comma if left > 1 else " and " if left else ""
            out.append(name)
            out.append(separator)
            pos = end + len(separator)
        if relative is not None:
            out.append(", ")
            self.pos = pos + 2
            relative = self.relative(relative, len(placed) > 1, ", " if closed else " and ")
            pos = relative.span[1]
            if closed:
                after = "," + after
        out.append(after)
        self.pos = pos + len(after)
        return NP(tuple(placed), relative, (start, pos))

    def relative(self, relative: Relative, plural: bool, comma: str) -> Relative:
        form, relation, words, target, _ = relative
        start = self.pos
        self.out.append("which ")
        self.pos = start + 6
        if form == "direct":
            placed: tuple[Word, ...] = (self.word(words[0], plural, " "),)
        else:
            placed = (self.word(words[0], plural, " "), self.word(words[1], plural, " "))
        target = self.target(target, "", comma=comma)
        return Relative(form, relation, placed, target, (start, self.pos))

    def target(self, target: NP | Time, after: str, comma: str = ", ") -> NP | Time:
        """Write an object, which is a noun phrase or a clock time."""
        if isinstance(target, NP):
            return self.np(target, after, False, comma)
        text = f"{target.hour:02}:00"
        start = self.pos
        self.out.append(text)
        self.out.append(after)
        self.pos = start + 5 + len(after)
        return Time(target.hour, (start, start + 5))

    def clause(self, clause: Clause) -> Clause:
        form, relation, subject, target, words, _ = clause
        start = self.pos
        if form == "direct":
            subject = self.np(subject, " ")
            placed: tuple[Word, ...] = (self.word(words[0], len(subject.actions) > 1, " "),)
            target = self.target(target, "")
        elif form == "adjunct":
            subject = self.np(subject, " ")
            plural = len(subject.actions) > 1
            placed = (self.word(words[0], plural, " "), self.word(words[1], plural, " "))
            target = self.target(target, "")
        elif form == "fronted":
            phrase = self.word(words[0], False, " ")
            target = self.target(target, ", ")
            subject = self.np(subject, " ")
            placed = (phrase, self.word(words[1], len(subject.actions) > 1, ""))
        else:
            assert isinstance(target, NP), "a clock time has no verb of its own"
            if form == "compound":
                subject = self.np(subject, " ")
                verb = self.word(words[0], len(subject.actions) > 1, " ")
                phrase = self.word(words[1], False, " ")
                target = self.np(target, " ")
                placed = (verb, phrase, self.word(words[2], len(target.actions) > 1, ""))
            else:
                phrase = self.word(words[0], False, " ")
                target = self.np(target, " ")
                verb = self.word(words[1], len(target.actions) > 1, ", ")
                subject = self.np(subject, " ")
                placed = (phrase, verb, self.word(words[2], len(subject.actions) > 1, ""))
        return Clause(form, relation, subject, target, placed, (start, self.pos))

    def sentence(self, sentence: Sentence) -> Sentence:
        clauses, conj, _ = sentence
        out = self.out
        start = self.pos
        first = len(out)
        own = [clause for clause in clauses if isinstance(clause, Clause)]
        assert len(own) == len(clauses), "natural clauses are written as the paper's"
        one = self.clause(own[0])
        if conj is None:
            placed: tuple[Clause, ...] = (one,)
        else:
            if conj.entry != ";":
                out.append(", ")
                self.pos += 2
            conj = self.word(conj, False, " ")
            placed = (one, self.clause(own[1]))
        out[first] = capitalised(out[first])
        out.append(".")
        self.pos += 1
        return Sentence(placed, conj, (start, self.pos))

    def query(self, query: Query) -> Rendered:
        placed: list[Sentence] = []
        for sentence in query.sentences:
            if placed:
                self.out.append(" ")
                self.pos += 1
            placed.append(self.sentence(sentence))
        return Rendered("".join(self.out), Query(tuple(placed), (0, self.pos)))


def render(tree: Query, actions: Iterable[Action]) -> Rendered:
    """Return the text of a tree, and the same tree with spans. Raises KeyError for an unknown action or word.

    Natural clauses are only read: they are written as sentences of the paper's grammar that mean the same.
    """
    names = {action.id: action.name for action in actions}
    return _Writer(names, load_lexicon()).query(paper_tree(tree, names))
