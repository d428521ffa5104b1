"""Topics written by a model: one prompt for the jobs, one for the activities of each job, several at a time.

The answers are hostile text and are read leniently: numbered, bulleted and comma-separated lists, with headings,
explanations and Markdown around them. The result is the TOML file that ``load_topics`` reads.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from planscope.agents.asking import THOUGHT, ask, prompts_in, with_model
from planscope.agents.failures import one_line
from planscope.agents.models import LoadedModel
from planscope.agents.options import RunOptions
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.scan import phrase_key
from planscope.language.topics import (
    MAX_FILE_BYTES,
    MAX_JOB,
    TopicProblem,
    Topics,
    breaking_problems,
    check_topics,
    keywords,
)
from planscope.safe import visible
from planscope.session.json_bytes import plain_text

JOBS = 50
ACTIVITIES = 20
MOST = 100
"""The limit for the jobs, and for the activities of one job, that can be requested."""
AT_ONCE = 4
ANSWER_SECONDS = 180.0
TOTAL_SECONDS = 1800.0


@frozen
class Written:
    """Topics written by a model. ``load_topics`` reads ``toml``; ``topics`` are its contents.

    ``problems`` name what was left out. ``remarks`` name what differs from the style of the bundled topics (two
    activities that suggest an order, a plural). All are single lines that are safe to display.
    """

    toml: str
    topics: Topics
    problems: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of topics."""
        return len(self.topics)


def write_topics(
    model: RunOptions | LoadedModel,
    *,
    job: str | None = None,
    jobs: int = JOBS,
    activities: int = ACTIVITIES,
    at_once: int = AT_ONCE,
    answer_seconds: float = ANSWER_SECONDS,
    total_seconds: float = TOTAL_SECONDS,
    on_progress: Progress | None = None,
) -> Written:
    """Ask a model for the activities of ``job``; without it, for a list of jobs and the activities of each.

    ``jobs`` (1 to ``MOST``) and ``activities`` (2 to ``MOST``) are the numbers to ask for; more are never used. At most
    ``at_once`` model calls run at the same time. A :class:`LoadedModel` stays open. Blocks, so do not call it from the
    screen's thread. Raises ``ModelUnavailable`` and :class:`TopicsNotWritten`, each with one line; if one model call
    fails, nothing is written.
    """
    if not (1 <= jobs <= MOST and 2 <= activities <= MOST and at_once >= 1):
        raise TopicsNotWritten(f"ask for 1 to {MOST} jobs and 2 to {MOST} activities")
    job = None if job is None else _checked(job)

    async def answers(loaded: LoadedModel) -> tuple[list[str], list[tuple[str, str]]]:
        asking = Asking(loaded, jobs, activities, asyncio.Semaphore(at_once), answer_seconds, on_progress)
        try:
            async with asyncio.timeout(total_seconds):
                return await asking.all(job)
        except TimeoutError:
            raise TopicsNotWritten(
                f"the time limit of {total_seconds:g} seconds was reached after {asking.done} topics; name one TOPIC"
            ) from None

    left_out, found = with_model(model, answers, "write topics", TopicsNotWritten)
    return _written(model.spec.text, activities, left_out, found)


def _checked(job: str) -> str:
    job = " ".join(job.split())
    if not job or len(job) > MAX_JOB or not job.isprintable():
        raise TopicsNotWritten(
            f'"{visible(job, limit=60)}" is not the name of a job; give 1 to {MAX_JOB} plain characters'
        )
    return job


def _written(model: str, activities: int, left_out: list[str], answers: list[tuple[str, str]]) -> Written:
    comment = f"Topics written by {one_line(model, 100)}; use them with: planscope new --topics-file FILE --topic JOB"
    problems = list(left_out)
    short: list[str] = []
    topics: Topics = {}
    room = MAX_FILE_BYTES - len(toml_topics({}, comment))
    for job, answer in answers:
        listed = activities_in(answer, job, activities)
        problems += listed.left_out
        size = len(toml_topic(job, listed.names))
        if len(listed.names) < 2:
            problems.append(f"{_topic(job)} as a whole: {_too_few(answer, len(listed.names))}")
        elif size > room:
            problems.append(f"{_topic(job)} as a whole: the file would be too large")
        else:
            topics[job] = listed.names
            room -= size
            if len(listed.names) < activities:
                short.append(f"{_topic(job)} has {len(listed.names)} activities of {activities}")
    if not topics:
        raise TopicsNotWritten(f"the model's answers have no usable topic: {one_line(problems[-1])}")
    return Written(toml_topics(topics, comment), topics, tuple(problems), (*short, *_remarks(topics)))


def _topic(job: str) -> str:
    return f'topic "{visible(job, limit=60)}"'


def _too_few(answer: str, count: int) -> str:
    return f"{count or 'no'} usable activit{'y' if count == 1 else 'ies'} in the answer ({said(answer)})"


def _remarks(topics: Topics) -> tuple[str, ...]:
    """Return one line for each topic: its first difference from the style of the bundled topics."""
    found: dict[str, list[str]] = {}
    for problem in check_topics(topics, keywords()):
        found.setdefault(problem.topic, []).append(str(problem))
    return tuple(
        first + (f" ({len(more)} more remark{'' if len(more) == 1 else 's'} on this topic)" if more else "")
        for first, *more in found.values()
    )


Progress = Callable[[int, int | None], None]
"""A function that receives the number of finished topics and of all (None if not known yet), on another thread."""


class TopicsNotWritten(UserError):
    """No topics were written. The message says why, in one line without secrets."""


def prompt(name: str, count: int, role: str = "") -> str:
    """Return one of the two prompts, ``jobs`` or ``activities``."""
    return prompts_in("topics_prompts.toml")[name].replace("[count]", str(count)).replace("[role]", role)


def said(answer: str) -> str:
    """Return the beginning of an answer, safe to display in a line."""
    return visible(one_line(answer, 60), limit=80) or "nothing"


@dataclass(slots=True)
class Asking:
    """Sends prompts to the model. Each prompt is a conversation of its own."""

    model: LoadedModel
    jobs: int
    activities: int
    gate: asyncio.Semaphore
    seconds: float
    on_progress: Progress | None
    done: int = 0

    async def all(self, job: str | None) -> tuple[list[str], list[tuple[str, str]]]:
        """Return what was left out of the list of jobs, and each job with the model's answer about its activities."""
        if job is not None:
            return [], await self._about([job])
        self._tell(None)
        answer = await self._ask(prompt("jobs", self.jobs))
        listed = jobs_in(answer, self.jobs)
        if not listed.names:
            raise TopicsNotWritten(f"the model's answer is not a list of jobs: {said(answer)}")
        missing = self.jobs - len(listed.names)
        unnamed = [f"{missing} of {self.jobs} jobs, which the model did not name"] if missing else []
        return [*listed.left_out, *unnamed], await self._about(list(listed.names))

    async def _about(self, jobs: list[str]) -> list[tuple[str, str]]:
        """Return the answers for all jobs, or none: the first failure cancels the others."""
        self._tell(len(jobs))
        tasks = [asyncio.create_task(self._activities(job, len(jobs))) for job in jobs]
        try:
            return list(zip(jobs, await asyncio.gather(*tasks), strict=True))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _activities(self, job: str, total: int) -> str:
        answer = await self._ask(prompt("activities", self.activities, job))
        self.done += 1
        self._tell(total)
        return answer

    async def _ask(self, text: str) -> str:
        async with self.gate:
            return (await ask(self.model, text, self.seconds, LARGEST_ANSWER, TopicsNotWritten)).text

    def _tell(self, total: int | None) -> None:
        if self.on_progress is not None:
            self.on_progress(self.done, total)


LARGEST_ANSWER = 50_000
"""The limit for the part of an answer that is read, in code points."""
LARGEST_ITEM = 300
"""The limit for one item, in code points."""
LOOKED_AT = 4
"""The limit for the items that are read, as a multiple of the number requested."""
MAX_WORDS = 8
"""The limit for a name, in words."""

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

# Words of a model that talks to the user and names nothing: refusals, good wishes.
_TALK = """
    cannot can't certainly etc he he's hope however i i'd i'll i'm i've it's me please she she's sorry sure they
    they're unable unfortunately we we'll we're you you'll you're
"""


@frozen
class Listed:
    """The items of a list. ``names`` are usable, at most as many as requested; ``left_out`` has a line about each
    other one."""

    names: tuple[str, ...]
    left_out: tuple[str, ...]


def activities_in(answer: str, job: str, wanted: int) -> Listed:
    """Return the activities that an answer lists for a job, each once, if they look like noun phrases."""
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
    """Return the jobs that an answer lists, each once."""
    names: list[str] = []
    left_out: list[str] = []
    for job in _once(_items(answer, wanted), str.casefold):
        if len(names) == wanted:
            break
        if len(job) > MAX_JOB or len(job.split()) > MAX_WORDS or not _JOB.fullmatch(job) or _talks(job):
            left_out.append(f'"{visible(job, limit=60)}" is not the name of a job')
        else:
            names.append(job)
    return Listed(tuple(names), tuple(left_out))


def _once(items: Sequence[str], key: Callable[[str], Hashable]) -> list[str]:
    """Return the items without repetitions. Of equal ones the first stays."""
    found: dict[Hashable, str] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


def _unfit(phrase: str) -> str | None:
    """Return why an agent might not read a phrase as one action, although a user's own file may contain it."""
    words = phrase.split()
    if any(map(str.isdigit, phrase)):
        return "has a digit, which could be read as a time"
    if "or" in words:
        return 'has "or", which could be read as two activities'
    return "is not a short noun phrase" if len(words) > MAX_WORDS or _talks(phrase) else None


def _talks(phrase: str) -> bool:
    return not set(_TALK.split()).isdisjoint(phrase.replace("\u2019", "'").split())


def _items(answer: str, wanted: int) -> list[str]:
    """Return the items of the answer's list, normalised and without empty ones."""
    text = THOUGHT.sub("", answer[:LARGEST_ANSWER])
    lines = [_EMPHASIS.sub("", _FENCE.sub("", line, count=1)) for line in text.splitlines()]
    found = _marked(lines, wanted) or _unmarked(lines, wanted)
    items = (_normal(item[:LARGEST_ITEM]) for item in found[: LOOKED_AT * wanted])
    return [item for item in items if item]


def _marked(lines: Sequence[str], wanted: int) -> list[str]:
    """Return the items with numbers or bullets.

    Models often group a list by headings and explain its items below them. Of the levels of such an outline, the list
    is the outermost one with at least half as many items as requested.
    """
    found: list[tuple[tuple[int, bool], str]] = []
    for line in lines:
        match = _MARKED.fullmatch(line)
        if match and match["item"].strip():
            depth = len(match["indent"].expandtabs(4)) // 2  # " 9." is at the level of "10."
            found.append(((depth, match["number"] is None), match["item"]))
    sizes = Counter(level for level, _ in found)
    if not sizes:
        return []
    enough = [level for level in sorted(sizes) if 2 * sizes[level] >= wanted]
    chosen = enough[0] if enough else max(sizes, key=lambda level: sizes[level])
    return [item for level, item in found if level == chosen]


def _unmarked(lines: Sequence[str], wanted: int) -> list[str]:
    """Return the items of a comma-separated paragraph, or one item for each line. Prose has no items."""
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
    """Return the item in lower case, with single blanks, without explanation, quotation marks, article and final
    period."""
    text = " ".join(unicodedata.normalize("NFC", item).split()).strip(_ENDS)
    text = _EXPLANATION.split(text, maxsplit=1)[0].strip(_ENDS).lower()
    return _NOT_MEANT.sub("", text, count=1)


def toml_string(text: str) -> str:
    """Return the text as a TOML string in plain ASCII, so that nothing in it can control a terminal."""
    quoted = re.sub(r'["\\]', r"\\\g<0>", plain_text(text))
    ascii_only = re.sub("[^ -~]", lambda found: f"\\U{ord(found[0]):08X}", quoted)
    return f'"{ascii_only}"'


def toml_topic(job: str, activities: Sequence[str]) -> str:
    """Return one table ``[[topic]]``, with one activity on each line."""
    lines = "".join(f"    {toml_string(name)},\n" for name in activities)
    return f"\n[[topic]]\njob = {toml_string(job)}\nactivities = [\n{lines}]\n"


def toml_topics(topics: Mapping[str, Sequence[str]], comment: str) -> str:
    """Return the whole TOML file, in plain ASCII. ``comment`` is its first line."""
    return f"# {toml_string(comment)[1:-1]}\n" + "".join(toml_topic(*topic) for topic in topics.items())
