"""Topics: a job with its daily activities (paper, section 4.2, "Text Filling").

The bundled topics are in ``data/topics.toml``. A user's file of the same shape adds to them or replaces them::

    [[topic]]
    job = "network engineer"
    activities = ["network status check", "firewall rule audit"]

Lists of activities are checked. Some problems *break* a topic: its text could not be rendered or read back. The others
are about style; the bundled topics have none, a user's own may.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import slug
from planscope.language.scan import phrase_key
from planscope.safe import visible

Topics = dict[str, tuple[str, ...]]
"""Activities by job, in the order of the file."""

MAX_PHRASE = 80
MAX_JOB = 60

# Nouns in -s that are singular. Add new ones by hand.
SINGULAR_IN_S = frozenset({"analysis", "census", "diagnosis", "synthesis"})
_PLURALS = frozenset({"children", "criteria", "data", "feet", "media", "men", "people", "teeth", "women"})
_NO_NAMES = frozenset({"a", "an", "the", "and", "or", "which", "that"})

# Words that suggest an order or a time of day. Base forms of the lexicon's verbs are among them.
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


@frozen
class TopicProblem:
    """``phrase`` is None if the problem concerns the whole topic. ``message``: the problem and its remedy."""

    topic: str
    phrase: str | None
    message: str
    breaks: bool

    def __str__(self) -> str:
        said = "" if self.phrase is None else f': "{visible(self.phrase, limit=60)}"'
        return f'topic "{visible(self.topic, limit=60)}"{said} {self.message}'


def check_topics(topics: Mapping[str, Sequence[str]], keywords: Iterable[str]) -> list[TopicProblem]:
    """Return all problems, the breaking ones first. ``keywords``: the phrases of the lexicon.

    Style is checked only for phrases that break nothing.
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
    """Return only the problems that break a topic. The time is linear in the size of the topics."""
    sequences = {tuple(k.casefold().split()) for k in keywords}
    return [p for job in topics for p in _breaking(job, topics[job], sequences)]


def _breaking(job: str, phrases: Sequence[str], keywords: set[tuple[str, ...]]) -> Iterator[TopicProblem]:
    if not job.strip() or len(job) > MAX_JOB or not job.isprintable():
        yield TopicProblem(job, None, f"is not the name of a job; give 1 to {MAX_JOB} plain characters", True)
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
            yield TopicProblem(job, phrase, f'contains the keyword "{held}"; use other words', True)
        elif phrase_key(phrase) in seen:
            yield TopicProblem(job, phrase, "is listed twice; leave one out", True)
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
    """Yield activities that share a word: such activities tend to have a natural order (paper, section 7)."""
    uses: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for phrase in phrases:
        *rest, head = phrase.casefold().split() or [""]
        for word in dict.fromkeys((*rest, head)):
            # two duties of one kind ("firewall audit", "rule audit") are fine
            apart = word == head and uses[word] == heads[word] < 2
            if uses[word] and not apart:
                yield TopicProblem(job, phrase, f'uses "{word}" again, which suggests an order', False)
            uses[word] += 1
        heads[head] += 1


def _entangled(topics: Mapping[str, Sequence[str]]) -> Iterator[TopicProblem]:
    """Yield problems across the whole file: equal phrases, one inside another, two with one tool name."""
    everywhere = [(job, phrase) for job, phrases in topics.items() for phrase in phrases]
    count = Counter(phrase.casefold() for _, phrase in everywhere)
    longest = max((len(name.split()) for name in count), default=0)
    tools: dict[str, str] = {}
    for job, phrase in everywhere:
        name = phrase.casefold()
        words = name.split()
        for inner in _parts(words, longest):
            if len(inner) < len(words) and " ".join(inner) in count:
                yield TopicProblem(job, phrase, f'contains the activity "{" ".join(inner)}"', False)
        if count[name] > 1:
            yield TopicProblem(job, phrase, "is in the file more than once", False)
        elif tools.setdefault(slug(phrase), name) != name:
            yield TopicProblem(job, phrase, f'gets the same tool name as "{tools[slug(phrase)]}"', False)


def _parts(words: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    """Yield every run of at most ``longest`` words."""
    for i in range(len(words)):
        for j in range(i + 1, min(i + longest, len(words)) + 1):
            yield tuple(words[i:j])


def _held(words: Sequence[str], keywords: set[tuple[str, ...]]) -> str | None:
    longest = max(map(len, keywords), default=0)
    return next((" ".join(part) for part in _parts(words, longest) if part in keywords), None)


def _inflected(words: Iterable[str]) -> set[str]:
    """Return the words with their inflections: follows, following, placing, running, carried."""
    made: set[str] = set()
    for w in words:
        made |= {w, w + "s", w + "es", w + "ed", w + "d", w + "ing", w + w[-1:] + "ing", w + w[-1:] + "ed"}
        if w.endswith("e"):
            made.add(w[:-1] + "ing")
        if w.endswith("y"):
            made |= {w[:-1] + "ies", w[:-1] + "ied"}
    return made


MAX_FILE_BYTES = 256 * 1024
_SHAPE = 'write tables [[topic]] with job = "..." and activities = ["...", "..."]'


class TopicError(UserError, ValueError):
    """A topics file cannot be used. One line names the file, the problem and its remedy."""


def load_topics(path: Path | None = None) -> dict[str, tuple[str, ...]]:
    """Return activities by job: the bundled topics and those of the user's file ``path``.

    A topic of the file replaces the bundled one with the same job (case is ignored). Raises TopicError if a phrase of
    the file could not be rendered or read back. The file's style is not checked.
    """
    topics: dict[str, tuple[str, ...]] = dict(_bundled())
    if path is not None:
        known = {job.casefold(): job for job in topics}
        for job, activities in _read(path).items():
            topics[known.get(job.casefold(), job)] = activities
    return topics


def keywords() -> tuple[str, ...]:
    """Return every phrase that may be written between actions. No activity may contain one."""
    written = {form for e in load_lexicon() if not e.parse_only for form in e.forms[""]}
    return tuple(sorted(written | {"which"}))


@cache
def _bundled() -> Topics:
    text = (files("planscope.language") / "data" / "topics.toml").read_text(encoding="utf-8")
    return {row["job"]: tuple(row["activities"]) for row in tomllib.loads(text)["topic"]}


def _read(path: Path) -> Topics:
    where = visible(str(path), limit=200)
    try:
        topics = _topics_in(_parse(_bounded_text(path)))
        problems = breaking_problems(topics, keywords())
    except OSError as error:
        raise TopicError(f"{where}: {error.strerror or 'cannot be read'}; check the path") from error
    except TopicError as error:
        raise TopicError(f"{where}: {error}") from error
    if problems:
        more = f" ({len(problems) - 1} more like this)" if len(problems) > 1 else ""
        raise TopicError(f"{where}: {problems[0]}{more}")
    return topics


def _bounded_text(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise TopicError("not a file; give the path of a TOML file")
    with path.open("rb") as file:
        raw = file.read(MAX_FILE_BYTES + 1)
    if len(raw) > MAX_FILE_BYTES:
        raise TopicError(f"larger than {MAX_FILE_BYTES // 1024} kB; split it or leave topics out")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise TopicError(f"line {line} is not UTF-8; save the file as UTF-8") from error


def _parse(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise TopicError(f"nested too deeply; {_SHAPE}") from error
    # tomllib raises ValueError, too, for integers of more digits than Python reads
    except ValueError as error:
        raise TopicError(f"not TOML: {visible(str(error), limit=120)}; {_SHAPE}") from error


def _topics_in(document: dict[str, Any]) -> Topics:
    rows = document.get("topic")
    if not isinstance(rows, list) or not rows:
        raise TopicError(f"it has no [[topic]]; {_SHAPE}")
    topics: Topics = {}
    taken: set[str] = set()
    for number, row in enumerate(rows, 1):
        job = row.get("job") if isinstance(row, dict) else None
        if not isinstance(job, str):
            raise TopicError(f'topic {number} has no job; add job = "..."')
        if job.casefold() in taken:
            raise TopicError(f'topic "{visible(job, limit=60)}" occurs twice; merge the two')
        taken.add(job.casefold())
        topics[job] = _activities_in(job, row.get("activities"))
    return topics


def _activities_in(job: str, found: object) -> tuple[str, ...]:
    if not isinstance(found, list):
        raise TopicError(
            f'topic "{visible(job, limit=60)}" has no list of activities; add activities = ["...", "..."]'
        )
    for number, name in enumerate(cast("Iterable[object]", found), 1):
        if not isinstance(name, str):
            raise TopicError(
                f'topic "{visible(job, limit=60)}": activity {number} is not a text; put it in quotation marks'
            )
    return tuple(cast("list[str]", found))
