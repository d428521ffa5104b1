"""Makes mutants that keep the tree: TerminalSubstitute (other words) and TopicChange (other activities), paper 4.5.

New words replace the old ones in place, so that a text written by hand keeps its lines, capitals and commas. A mutant
that differed in them as well would not show which change mattered.

TerminalSubstitute replaces every phrase by one that the query uses nowhere, as long as the lexicon has any, so that the
word that confuses an agent is gone, whichever it is. Modals ("should", "must") are forms of the same verb phrases, so
they are dropped, added and swapped. TopicChange takes the activities of another job, and so other tools; every other
word stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from math import gcd, perm
from typing import NamedTuple

from planscope.language.grammar import VERB_PLACES
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import Action, Span, free_tool, make_actions, slug
from planscope.language.reading import Reading
from planscope.language.render import capitalised, render
from planscope.language.topics import load_topics
from planscope.language.tree import (
    NOWHERE,
    NP,
    ActionRef,
    Clause,
    Natural,
    Query,
    Relative,
    Sentence,
    Time,
    Word,
    walk,
)
from planscope.synthesis.generate import PER_TOPIC, apart
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.sentences import Slot, Wording

_DIGIT = 1 << 30


class Draft(NamedTuple):
    """A mutant before it is checked. ``texts`` are ways to write ``tree``, the best one first."""

    tree: Query
    actions: tuple[Action, ...]
    texts: tuple[str, ...]
    topic: str


def draw_for(reading: Reading, kind: str, seed: int) -> RandomChoices:
    """Return the random choices of one kind for one query, the same everywhere for the same text, names and seed."""
    names = "\n".join(f"{a.id} {a.name} {a.tool}" for a in reading.problem.actions)
    text = f"{kind} {seed}\n{reading.problem.timed}\n{names}\n\n{reading.text}"
    return RandomChoices(int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big"))


def shuffled(size: int, draw: RandomChoices) -> Iterator[int]:
    """Yield the numbers 0 to ``size`` - 1, each once, by a step that is coprime to ``size``."""
    here, step = _below(size, draw), _below(size, draw)
    while gcd(step, size) != 1:
        step += 1
    for _ in range(size):
        yield here
        here = (here + step) % size


def _below(size: int, draw: RandomChoices) -> int:
    """Return a random number from 0 to ``size`` - 1. ``size`` may exceed the precision of a float."""
    number, reach = 0, 1
    while reach < size * _DIGIT:
        number = number * _DIGIT + int(draw.random() * _DIGIT)
        reach *= _DIGIT
    return number % size


Patch = tuple[Span, str]


def patched(text: str, patches: Iterable[Patch]) -> str:
    """Return the text with new words in these spans, which do not overlap."""
    out: list[str] = []
    done = 0
    for (start, end), words in sorted(patches):
        out.append(text[done:start])
        out.append(words)
        done = end
    out.append(text[done:])
    return "".join(out)


def as_written(text: str, span: Span, old: str, new: str) -> str:
    """Return ``new``, with a capital if the text has capitalised ``old``."""
    start = span[0]
    return capitalised(new) if text[start : start + 1].isupper() and not old[:1].isupper() else new


def conjunction(text: str, span: Span, new: str) -> Patch:
    """Return the patch for a conjunction: its span with the comma or blank before it, and the new text.

    A word has a comma before it; a semicolon directly follows the clause.
    """
    start, end = span
    old = text[start:end]
    if (old == ";") == (new == ";"):
        return span, new
    start = len(text[:start].rstrip())
    if old != ";" and text[:start].endswith(","):
        start = len(text[: start - 1].rstrip())
    return (start, end), ";" if new == ";" else f", {new}"


class Place(NamedTuple):
    """A phrase of the tree, the phrases that may replace it, and for a verb the actions of its subject."""

    word: Word
    options: tuple[Word, ...]
    speaks_of: tuple[str, ...]

    @property
    def plural(self) -> bool:
        return len(self.speaks_of) > 1


def substitutes(reading: Reading, draw: RandomChoices, topic: str) -> Iterator[Draft]:
    """Yield every choice of other words, each once, in random order."""
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
    """Return the draft with these words in the :func:`places` of the query's tree."""
    tree, actions = with_words(reading.tree, words), reading.problem.actions
    texts = (patched(reading.text, _word_patches(reading.text, found, words)), render(tree, actions).text)
    return Draft(tree, actions, texts, topic)


def places(tree: Query, *, fresh: bool = True) -> list[Place]:
    """Return the phrases of a tree in the order in which :func:`with_words` takes new ones.

    ``fresh``: options that the tree uses elsewhere are left out, as long as there are others, and each phrase is
    offered with one modal only, so that half of the verbs drawn from the options have none.
    """
    wording = Wording(0.0)
    found: list[tuple[Word, Slot, NP | Time | None]] = []

    def relative(np: NP | Time) -> None:
        if isinstance(np, NP) and (behind := np.relative) is not None:
            slots = wording.relatives[behind.form, behind.relation, isinstance(behind.object, Time)]
            found.extend((w, s, None if k else np) for k, (w, s) in _numbered(behind.words, slots))

    for sentence in tree.sentences:
        for clause in sentence.clauses:
            if isinstance(clause, Natural):
                continue
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
            _options(word, _thinned(slot, k) if fresh else slot, used),
            tuple(r.action for r in np.actions) if isinstance(np, NP) else (),
        )
        for k, (word, slot, np) in enumerate(found)
    ]


def _numbered(words: Sequence[Word], slots: Sequence[Slot]) -> Iterator[tuple[int, tuple[Word, Slot]]]:
    return enumerate(zip(words, slots, strict=True))


def _speaks_of(clause: Clause, word: int) -> NP | Time | None:
    """Return the noun phrase whose verb a clause's word is, or None if the word is no verb."""
    for of_subject, verb in VERB_PLACES[clause.form]:
        if verb == word:
            return clause.subject if of_subject else clause.object
    return None


def _thinned(slot: Slot, place: int) -> Slot:
    """Return the slot with one modal for each phrase, another one for the next phrase and in the next place."""
    plain, modal = slot
    many = len(modal) // len(plain) if plain else 0
    if many < 2:
        return slot
    return plain, tuple([w for k, w in enumerate(modal) if k % many == (k // many + place) % many])


def _options(word: Word, slot: Slot, used: set[str]) -> tuple[Word, ...]:
    """Return the forms of the same terminal that may replace a word: other phrases, unused ones if there are any,
    without a modal or with another one."""
    plain, modal = slot
    others = [w for w in (*plain, *modal) if w.entry != word.entry]
    fresh = [w for w in others if w.entry not in used] or others
    return tuple([w for w in fresh if w.modal != word.modal] or fresh) if word.modal else tuple(fresh)


def with_words(tree: Query, words: Sequence[Word]) -> Query:
    """Return the tree with these words in the :func:`places` of its own. Its spans are those of the old text."""
    left = iter(words)

    def take(old: Sequence[Word]) -> tuple[Word, ...]:
        return tuple(next(left)._replace(span=word.span) for word in old)

    def relative(np: NP | Time) -> NP | Time:
        if isinstance(np, NP) and isinstance(np.relative, Relative):
            return np._replace(relative=np.relative._replace(words=take(np.relative.words)))
        return np

    def clause(old: Clause | Natural) -> Clause | Natural:
        if isinstance(old, Natural):
            return old
        subject = relative(old.subject)
        assert isinstance(subject, NP)
        target = relative(old.object)
        return old._replace(subject=subject, object=target, words=take(old.words))

    def sentence(old: Sentence) -> Sentence:
        clauses = tuple(clause(one) for one in old.clauses)
        return old._replace(clauses=clauses, conj=take([old.conj])[0] if old.conj else None)

    return tree._replace(sentences=tuple(sentence(one) for one in tree.sentences))


def _word_patches(text: str, found: Sequence[Place], words: Sequence[Word]) -> Iterator[Patch]:
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
    """Return the grammatical number of a verb in the text: "s", "p", or "" if its form does not show it.

    People who write by hand let it agree with a plural name ("training sessions follow"), though it is one action.
    """
    singular, plural = load_lexicon().forms[place.word[:3]]
    if singular == plural or not place.speaks_of:
        return ""
    return "p" if " ".join(text[slice(*place.word.span)].casefold().split()) == plural else "s"


def other_topics(
    reading: Reading, draw: RandomChoices, topic: str | None, topics: Mapping[str, tuple[str, ...]] | None
) -> Iterator[Draft]:
    """Yield the query with activities of other jobs, the jobs in turn, each choice of activities once."""
    old = reading.problem.actions
    known = load_topics() if topics is None else topics
    jobs = _others(old, topic, known)
    order = draw.sample(jobs, len(jobs))
    turns = [_Turn(order, first, known, len(old), RandomChoices(_seed(draw))) for first in range(len(order))]
    while turns:
        left = []
        for turn in turns:
            names = turn.names()
            if names is not None:
                left.append(turn)
                yield _draft(reading, turn.topic, names)
        turns = left


def _seed(draw: RandomChoices) -> int:
    return draw.between(0, (1 << 53) - 1)


def _others(old: Sequence[Action], topic: str | None, known: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the jobs other than the query's own that have none of its activities and tools."""
    own = {job.strip().casefold() for job in (topic or "").split(",")}
    names, tools = {a.name.casefold() for a in old}, {a.tool for a in old}
    return [
        job
        for job, activities in known.items()
        if job.casefold() not in own
        and not any(name.casefold() in names or slug(name) in tools for name in activities)
    ]


class _Turn:
    """Enough topics for ``k`` actions, beginning with one job, and the ways to take ``k`` activities from them."""

    def __init__(
        self,
        order: Sequence[str],
        first: int,
        known: Mapping[str, tuple[str, ...]],
        k: int,
        draw: RandomChoices,
    ) -> None:
        self.jobs = (*order[first:], *order[:first])
        self.known, self.k, self.draw = known, k, draw
        self.topic = ""
        self.pool: list[str] = []
        self.numbers: Iterator[int] | None = None

    def names(self) -> list[str] | None:
        """Return the next choice of names, or None if there are no more."""
        if self.numbers is None:
            self.numbers = self._begin()
        number = next(self.numbers, None)
        return None if number is None else _chosen(self.pool, self.k, number)

    def _begin(self) -> Iterator[int]:
        taken: list[str] = []
        for job in self.jobs:
            self.pool += apart(self.known[job], self.pool)
            taken.append(job)
            if len(self.pool) >= self.k and len(taken) * PER_TOPIC >= self.k:
                self.topic = ", ".join(taken)
                return shuffled(perm(len(self.pool), self.k), self.draw)
        return iter(())


def _chosen(pool: Sequence[str], k: int, number: int) -> list[str]:
    """Return one of the ways to take ``k`` of the pool in some order, by its number."""
    left, names = list(pool), []
    for size in range(len(pool), len(pool) - k, -1):
        number, digit = divmod(number, size)
        names.append(left.pop(digit))
    return names


def _draft(reading: Reading, job: str, names: Sequence[str]) -> Draft:
    old = reading.problem.actions
    actions = tuple(
        replace(action, name=new.name, tool=new.tool)
        for action, new in zip(old, make_actions(names), strict=True)
    )
    texts = (patched(reading.text, _name_patches(reading, actions)), render(reading.tree, actions).text)
    return Draft(reading.tree, actions, texts, job)


def renamed(reading: Reading, names: Mapping[str, str]) -> Draft:
    """Return the query with other names, and so other tools, for some actions, by their ids."""
    old = reading.problem.actions
    taken = [a.tool for a in old if a.id not in names]
    actions = []
    for action in old:
        if action.id in names:
            tool = free_tool(names[action.id], taken)
            taken.append(tool)
            action = replace(action, name=names[action.id], tool=tool)
        actions.append(action)
    made = tuple(actions)
    texts = (patched(reading.text, _name_patches(reading, made)), render(reading.tree, made).text)
    return Draft(reading.tree, made, texts, "")


def _name_patches(reading: Reading, actions: Sequence[Action]) -> Iterator[Patch]:
    """Return patches that replace the old names, and make verbs singular because the new names' heads are singular."""
    text, named = reading.text, reading.problem.action_by_id
    new = {action.id: action for action in actions}
    for _, node in walk(reading.tree):
        if isinstance(node, ActionRef):
            before, after = named[node.action], new[node.action]
            written = text[slice(*node.span)].casefold()
            by_tool = written == before.tool.casefold() != before.name.casefold()
            span = node.span
            yield span, after.tool if by_tool else as_written(text, span, before.name, after.name)
    for place in places(reading.tree):
        if number(text, place) == "p" and not place.plural:
            singular, plural = load_lexicon().forms[place.word[:3]]
            yield place.word.span, as_written(text, place.word.span, plural, singular)
