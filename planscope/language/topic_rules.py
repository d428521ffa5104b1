"""What makes a good list of activities, as far as it can be told mechanically.

Two kinds of problem: what *breaks* (the text could not be read back, or not be rendered), and style, which the
bundled topics keep and a user's own file need not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planscope.language.pieces import phrase_key
from planscope.language.problem import slug
from planscope.safe import visible

Topics = dict[str, tuple[str, ...]]
"""Activities by job, in the order of the file."""

MAX_PHRASE = 80
MAX_JOB = 60

# Heads in -s that are singular. A new one is put down here by hand.
SINGULAR_IN_S = frozenset({"analysis", "census", "diagnosis", "synthesis"})
_PLURALS = frozenset({"children", "criteria", "data", "feet", "media", "men", "people", "teeth", "women"})
_NO_NAMES = frozenset({"a", "an", "the", "and", "or", "which", "that"})

# Words that place an activity in the day or in a process, base forms of the lexicon's verbs among them.
_ORDERING = """
    advance after afterwards ahead before begin beginning behind but carry close come complete conclude conduct
    continue daily day done early earlier end ensue evening execute final finish first follow front go going
    handle happen hour implement initial initiate introduce last late later lead minute morning next night noon
    not occur once open perform place post pre precede preliminary prior resume run setup start startup
    subsequent take teardown then time tomorrow trail undertake until week when where whereas while wrap
    yesterday yet
"""

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
_LOWER = re.compile(r"[a-z]+(?: [a-z]+)*")


@dataclass(frozen=True, slots=True)
class TopicProblem:
    """``phrase`` is None where the topic as a whole is meant. ``message``: what is wrong and what to do."""

    topic: str
    phrase: str | None
    message: str
    breaks: bool

    def __str__(self) -> str:
        said = "" if self.phrase is None else f': "{visible(self.phrase, limit=60)}"'
        return f'topic "{visible(self.topic, limit=60)}"{said} {self.message}'


def check_topics(topics: Mapping[str, Sequence[str]], keywords: Iterable[str]) -> list[TopicProblem]:
    """All problems, those that break first. ``keywords`` are the phrases of the lexicon.

    Style is judged among those phrases alone that break nothing.
    """
    keywords = tuple(keywords)
    found = breaking_problems(topics, keywords)
    broken = {(p.topic, p.phrase) for p in found}
    sound = {job: [p for p in topics[job] if (job, p) not in broken] for job in topics}
    reserved = _inflected({*" ".join(keywords).casefold().split(), *_ORDERING.split()}) | _NO_NAMES
    found += [p for job in sound for p in _unlovely(job, sound[job], reserved)]
    found += [p for job in sound for p in _related(job, sound[job])]
    return found + list(_entangled(sound))


def breaking_problems(topics: Mapping[str, Sequence[str]], keywords: Iterable[str]) -> list[TopicProblem]:
    """Only what could not be read or rendered; takes time linear in the size of the topics."""
    sequences = {tuple(k.casefold().split()) for k in keywords}
    return [p for job in topics for p in _breaking(job, topics[job], sequences)]


def _breaking(job: str, phrases: Sequence[str], keywords: set[tuple[str, ...]]) -> Iterator[TopicProblem]:
    if not job.strip() or len(job) > MAX_JOB or not job.isprintable():
        yield TopicProblem(job, None, f"is no name of a job; give 1 to {MAX_JOB} plain characters", True)
    if len(phrases) < 2:
        yield TopicProblem(job, None, "has fewer than two activities; a query needs two", True)
    seen: set[tuple[str, ...]] = set()
    for phrase in phrases:
        words = phrase.casefold().split(" ")
        if len(phrase) > MAX_PHRASE:
            yield TopicProblem(job, phrase, f"is longer than {MAX_PHRASE} characters; shorten it", True)
        elif not all(map(_WORD.fullmatch, words)) or not any(map(str.isalpha, phrase)):
            message = "is not words with single blanks between them; use letters, digits, hyphen, apostrophe"
            yield TopicProblem(job, phrase, message, True)
        elif (held := _held(words, keywords)) is not None:
            yield TopicProblem(job, phrase, f'holds the keyword "{held}"; say it in other words', True)
        elif phrase_key(phrase) in seen:
            yield TopicProblem(job, phrase, "stands there twice; leave one out", True)
        seen.add(phrase_key(phrase))


def _unlovely(job: str, phrases: Sequence[str], reserved: set[str]) -> Iterator[TopicProblem]:
    for phrase in phrases:
        words = phrase.split()
        if not _LOWER.fullmatch(phrase) or not 2 <= len(words) <= 4:
            yield TopicProblem(job, phrase, "is not two to four words of plain lower-case letters", False)
            continue
        for word in words:
            if word in reserved:
                yield TopicProblem(job, phrase, f'uses "{word}", a word of queries or of order', False)
        head = words[-1]
        if head in _PLURALS or (head.endswith("s") and head not in SINGULAR_IN_S):
            yield TopicProblem(job, phrase, f'has "{head}" as its head, which looks like a plural', False)


def _related(job: str, phrases: Sequence[str]) -> Iterator[TopicProblem]:
    """Two activities that speak of one thing tend to have a natural order (paper, section 7)."""
    uses: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for phrase in phrases:
        *rest, head = phrase.casefold().split() or [""]
        for word in dict.fromkeys((*rest, head)):
            apart = word == head and uses[word] == heads[word] < 2  # two duties of one kind are fine
            if uses[word] and not apart:
                yield TopicProblem(job, phrase, f'speaks of "{word}" again, which suggests an order', False)
            uses[word] += 1
        heads[head] += 1


def _entangled(topics: Mapping[str, Sequence[str]]) -> Iterator[TopicProblem]:
    """The same phrase, one inside another, or one tool name for two: in the whole file."""
    everywhere = [(job, phrase) for job, phrases in topics.items() for phrase in phrases]
    count = Counter(phrase.casefold() for _, phrase in everywhere)
    longest = max((len(name.split()) for name in count), default=0)
    tools: dict[str, str] = {}
    for job, phrase in everywhere:
        name = phrase.casefold()
        words = name.split()
        for inner in _parts(words, longest):
            if len(inner) < len(words) and " ".join(inner) in count:
                yield TopicProblem(job, phrase, f'holds the activity "{" ".join(inner)}"', False)
        if count[name] > 1:
            yield TopicProblem(job, phrase, "stands in the file more than once", False)
        elif tools.setdefault(slug(phrase), name) != name:
            yield TopicProblem(job, phrase, f'has the tool name of "{tools[slug(phrase)]}"', False)


def _parts(words: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    """Every run of up to so many words."""
    for i in range(len(words)):
        for j in range(i + 1, min(i + longest, len(words)) + 1):
            yield tuple(words[i:j])


def _held(words: Sequence[str], keywords: set[tuple[str, ...]]) -> str | None:
    longest = max(map(len, keywords), default=0)
    return next((" ".join(part) for part in _parts(words, longest) if part in keywords), None)


def _inflected(words: Iterable[str]) -> set[str]:
    """The words and what they may become: follows, following, placing, running, carried."""
    made: set[str] = set()
    for w in words:
        made |= {w, w + "s", w + "es", w + "ed", w + "d", w + "ing", w + w[-1:] + "ing", w + w[-1:] + "ed"}
        if w.endswith("e"):
            made.add(w[:-1] + "ing")
        if w.endswith("y"):
            made |= {w[:-1] + "ies", w[:-1] + "ied"}
    return made
