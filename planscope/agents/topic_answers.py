"""What a model answers when it is asked for a list: hostile text, read leniently, and made fit for topics.

Numbered, bulleted and comma-separated lists are read, with headings, explanations and markdown around them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby

from planscope.language.pieces import phrase_key
from planscope.language.topics import MAX_JOB, TopicProblem, breaking_problems, keywords
from planscope.safe import visible

LARGEST_ANSWER = 50_000
"""Code points of an answer that are looked at."""
LARGEST_ITEM = 300
"""Code points of one item that are looked at."""
LOOKED_AT = 4
"""So many times as many items as were asked for are looked at."""
MAX_WORDS = 8
"""An item with more words names nothing."""

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|`")
_FENCE = re.compile(r"\A\s*(?:```|~~~).*")
_MARKED = re.compile(
    r"(?P<indent>\s*)(?:#{1,6}\s+)?"
    r"(?:(?P<number>\(?\d{1,3}[.)](?!\d)\s*|\d{1,3}:\s+)|[-*+\u2013\u2014]\s+|[\u2022\u2023\u25e6\u25aa\u25cf]\s*)"
    r"(?:\[[ xX]\]\s+)?(?P<item>.*)"
)
_SEPARATOR = re.compile(r"[,;]")
_SENTENCE_END = re.compile(r"[.!?]\s")
_EXPLANATION = re.compile(r"\s*[(\[{|]|:(?=\s|$)|\s-+\s|\s*[\u2013\u2014]")
_NOT_MEANT = re.compile(r"\A(?:(?:and|or)\s+)?(?:(?:an?|the)\s+)?")
_ENDS = " .,;:!*_\"'\u201c\u201d\u2018\u2019\u00ab\u00bb[]{}"
_JOB = re.compile(r"[^\W_]+(?:[-'\u2019&/. ]{1,3}[^\W_]+)*")

# Words of somebody who talks to us instead of naming things: refusals and good wishes.
_TALK = """
    cannot can't certainly etc he he's hope however i i'd i'll i'm i've it's me please she she's sorry sure they
    they're unable unfortunately we we'll we're you you'll you're
"""


@dataclass(frozen=True, slots=True)
class Listed:
    """``names`` that can be used, no more than asked for, and what is wrong with the others, one line each."""

    names: tuple[str, ...]
    left_out: tuple[str, ...]


def activities_in(answer: str, job: str, wanted: int) -> Listed:
    """The activities that an answer lists for a job: noun phrases as far as that can be told, each once."""
    phrases = _once(_items(answer, wanted), phrase_key)
    broken = {p.phrase: p for p in breaking_problems({job: phrases}, keywords())}
    names: list[str] = []
    left_out: list[str] = []
    for phrase in phrases:
        if len(names) == wanted:
            break
        message = _unfit(phrase)
        problem = broken.get(phrase) or (TopicProblem(job, phrase, message, True) if message else None)
        if problem is None:
            names.append(phrase)
        else:
            left_out.append(str(problem))
    return Listed(tuple(names), tuple(left_out))


def jobs_in(answer: str, wanted: int) -> Listed:
    """The jobs that an answer lists, each once."""
    names: list[str] = []
    left_out: list[str] = []
    for job in _once(_items(answer, wanted), str.casefold):
        if len(names) == wanted:
            break
        if len(job) > MAX_JOB or len(job.split()) > MAX_WORDS or not _JOB.fullmatch(job) or _talks(job):
            left_out.append(f'"{visible(job, limit=60)}" is no name of a job')
        else:
            names.append(job)
    return Listed(tuple(names), tuple(left_out))


def _once(items: Sequence[str], key: Callable[[str], Hashable]) -> list[str]:
    """The first of those that are the same."""
    found: dict[Hashable, str] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


def _unfit(phrase: str) -> str | None:
    """What a user's own file may hold, but what no agent can be expected to take for one action."""
    words = phrase.split()
    if any(map(str.isdigit, phrase)):
        return "holds a digit, which could be taken for a time"
    if "or" in words:
        return 'holds "or", which could be taken for two activities'
    return "is no short noun phrase" if len(words) > MAX_WORDS or _talks(phrase) else None


def _talks(phrase: str) -> bool:
    return not set(_TALK.split()).isdisjoint(phrase.replace("\u2019", "'").split())


def _items(answer: str, wanted: int) -> list[str]:
    """The items of the answer's list, normalised; those that hold nothing are gone."""
    text = _THOUGHT.sub("", answer[:LARGEST_ANSWER])
    lines = [_EMPHASIS.sub("", _FENCE.sub("", line, count=1)) for line in text.splitlines()]
    found = _marked(lines, wanted) or _unmarked(lines, wanted)
    items = (_normal(item[:LARGEST_ITEM]) for item in found[: LOOKED_AT * wanted])
    return [item for item in items if item]


def _marked(lines: Sequence[str], wanted: int) -> list[str]:
    """The items with numbers or bullets.

    Models like to group a list by headings and to explain its items below them: of the levels of such an
    outline, the outermost with at least half of what was asked for is the list.
    """
    found: list[tuple[tuple[int, bool], str]] = []
    for line in lines:
        match = _MARKED.fullmatch(line)
        if match and match["item"].strip():
            depth = len(match["indent"].expandtabs(4)) // 2  # " 9." stands under "10."
            found.append(((depth, match["number"] is None), match["item"]))
    sizes = Counter(level for level, _ in found)
    if not sizes:
        return []
    enough = [level for level in sorted(sizes) if 2 * sizes[level] >= wanted]
    chosen = enough[0] if enough else max(sizes, key=lambda level: sizes[level])
    return [item for level, item in found if level == chosen]


def _unmarked(lines: Sequence[str], wanted: int) -> list[str]:
    """A paragraph of items with commas between them, or one item a line; prose is neither."""
    least = min(wanted, max(3, wanted // 4))
    blocks = [" ".join(block) for full, block in groupby(lines, lambda line: bool(line.strip())) if full]
    fullest = max(blocks, key=lambda block: len(_SEPARATOR.findall(block)), default="")
    sentence = _SENTENCE_END.split(fullest.partition(":")[2] or fullest, maxsplit=1)[0]
    listed = _SEPARATOR.split(sentence)
    if len(listed) >= max(2, least) and not any(_talks(_normal(item[:LARGEST_ITEM])) for item in listed):
        return listed
    said = [line.strip() for line in lines if line.strip()]
    dotted = 2 * sum(line.endswith(".") for line in said) > len(said)
    prose = ("!", "?", ":") if dotted else ("!", "?", ":", ".")
    short = [line for line in said if len(line.split()) <= MAX_WORDS and not line.endswith(prose)]
    return short if len(short) >= least else []


def _normal(item: str) -> str:
    """Lower case, single blanks, without explanation, quotation marks, article and final period."""
    text = " ".join(unicodedata.normalize("NFC", item).split()).strip(_ENDS)
    text = _EXPLANATION.split(text, maxsplit=1)[0].strip(_ENDS).lower()
    return _NOT_MEANT.sub("", text, count=1)
