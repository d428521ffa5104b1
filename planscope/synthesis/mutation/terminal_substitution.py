"""TerminalSubstitute: other phrases of the lexicon in the same tree (paper 4.5).

Every phrase is another one than before, and none is one that the request used anywhere, as long as the lexicon has
others: whatever word an agent stumbles over is gone. A verb with "should" or the like keeps one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planscope.language.grammar import VERB_PLACES
from planscope.language.lexicon import load_lexicon
from planscope.language.reading import Reading
from planscope.language.render import render
from planscope.language.tree import NOWHERE, NP, Clause, Query, Relative, Sentence, Time, Word
from planscope.synthesis.draw import Draw
from planscope.synthesis.mutation.proposal import Draft, Patch, as_written, conjunction, patched, shuffled
from planscope.synthesis.sentences import Slot, Wording


class Place(NamedTuple):
    """A phrase of the tree, what may stand there instead, and for a verb the actions that it speaks of."""

    word: Word
    options: tuple[Word, ...]
    speaks_of: tuple[str, ...]

    @property
    def plural(self) -> bool:
        return len(self.speaks_of) > 1


def substitutes(reading: Reading, draw: Draw, topic: str) -> Iterator[Draft]:
    """Every choice of other words, each once, in an order that is drawn."""
    found = places(reading.tree)
    size = 1
    for place in found:
        size *= len(place.options) or 1
    if not any(place.options for place in found):
        return
    for number in shuffled(size, draw):
        words = []
        for place in found:
            number, digit = divmod(number, len(place.options) or 1)
            words.append(place.options[digit] if place.options else place.word)
        yield substitute(reading, found, words, topic)


def substitute(reading: Reading, found: Sequence[Place], words: Sequence[Word], topic: str) -> Draft:
    """These words in the :func:`places` of the request's tree."""
    tree, actions = with_words(reading.tree, words), reading.problem.actions
    texts = (patched(reading.text, _patches(reading.text, found, words)), render(tree, actions).text)
    return Draft(tree, actions, texts, topic)


def places(tree: Query, *, fresh: bool = True) -> list[Place]:
    """The phrases of a tree in the order in which :func:`with_words` takes new ones.

    ``fresh``: options that the tree uses elsewhere are left out, as long as there are others.
    """
    wording = Wording(0.0)
    found: list[tuple[Word, Slot, NP | Time | None]] = []

    def relative(np: NP | Time) -> None:
        if isinstance(np, NP) and (behind := np.relative) is not None:
            slots = wording.relatives[behind.form, behind.relation, isinstance(behind.object, Time)]
            found.extend((w, s, None if k else np) for k, (w, s) in _numbered(behind.words, slots))

    for sentence in tree.sentences:
        for clause in sentence.clauses:
            relative(clause.subject)
            relative(clause.object)
            slots = wording.clauses[clause.form, clause.relation, isinstance(clause.object, Time)]
            found.extend((w, s, _speaks_of(clause, k)) for k, (w, s) in _numbered(clause.words, slots))
        if sentence.conj is not None:
            stands = sentence.conj.span != NOWHERE
            found.append((sentence.conj, (wording.conjunctions if stands else (), ()), None))
    used = {word.entry for word, _, _ in found} if fresh else set[str]()
    return [
        Place(
            word,
            _options(word, slot, used),
            tuple(r.action for r in np.actions) if isinstance(np, NP) else (),
        )
        for word, slot, np in found
    ]


def _numbered(words: Sequence[Word], slots: Sequence[Slot]) -> Iterator[tuple[int, tuple[Word, Slot]]]:
    return enumerate(zip(words, slots, strict=True))


def _speaks_of(clause: Clause, word: int) -> NP | Time | None:
    """The noun phrase of which a clause's word is the verb, if it is one."""
    for of_subject, verb in VERB_PLACES[clause.form]:
        if verb == word:
            return clause.subject if of_subject else clause.object
    return None


def _options(word: Word, slot: Slot, used: set[str]) -> tuple[Word, ...]:
    """What may stand there instead: unused phrases if there are any, and another modal if the lexicon has one."""
    plain, modal = slot
    pool = modal if word.modal and modal else plain
    others = [w for w in pool if w.entry != word.entry]
    fresh = [w for w in others if w.entry not in used] or others
    return tuple([w for w in fresh if w.modal != word.modal] or fresh) if word.modal else tuple(fresh)


def with_words(tree: Query, words: Sequence[Word]) -> Query:
    """The tree with these words in the :func:`places` of its own; its spans are those of the old text."""
    left = iter(words)

    def take(old: Sequence[Word]) -> tuple[Word, ...]:
        return tuple(next(left)._replace(span=word.span) for word in old)

    def relative(np: NP | Time) -> NP | Time:
        if isinstance(np, NP) and isinstance(np.relative, Relative):
            return np._replace(relative=np.relative._replace(words=take(np.relative.words)))
        return np

    def clause(old: Clause) -> Clause:
        subject = relative(old.subject)
        assert isinstance(subject, NP)
        target = relative(old.object)
        return old._replace(subject=subject, object=target, words=take(old.words))

    def sentence(old: Sentence) -> Sentence:
        clauses = tuple(clause(one) for one in old.clauses)
        return old._replace(clauses=clauses, conj=take([old.conj])[0] if old.conj else None)

    return tree._replace(sentences=tuple(sentence(one) for one in tree.sentences))


def _patches(text: str, found: Sequence[Place], words: Sequence[Word]) -> Iterator[Patch]:
    lexicon = load_lexicon()
    numbers = [number(text, place) for place in found]
    many = {place.speaks_of for place, told in zip(found, numbers, strict=True) if told == "p"}
    for place, told, new in zip(found, numbers, words, strict=True):
        old, span = place.word, place.word.span
        if new[:3] == old[:3]:
            continue
        if old.terminal == "J":
            yield conjunction(text, span, new.entry)
            continue
        plural = told == "p" if told else place.plural or place.speaks_of in many
        yield span, as_written(text, span, lexicon.surface(old), lexicon.surface(new, plural))


def number(text: str, place: Place) -> str:
    """The number of a verb as it stands in the text: "s", "p", or "" where the form does not tell.

    Somebody who writes by hand makes it fit a plural name ("training sessions follow"), though it is one action.
    """
    singular, plural = load_lexicon().forms[place.word[:3]]
    if singular == plural or not place.speaks_of:
        return ""
    return "p" if " ".join(text[slice(*place.word.span)].casefold().split()) == plural else "s"
