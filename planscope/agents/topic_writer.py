"""Topics of a model's making: the paper's two prompts (section 4.2, "Text Filling"), and what becomes of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from planscope.agents.background import wait_for
from planscope.agents.failures import one_line
from planscope.agents.models import LoadedModel, load_model, parse_model
from planscope.agents.topic_answers import activities_in
from planscope.agents.topic_file import toml_topic, toml_topics
from planscope.agents.topic_talk import Asking, Progress, TopicsNotWritten, said, within
from planscope.language.topics import MAX_FILE_BYTES, MAX_JOB, Topics, check_topics, keywords
from planscope.safe import visible

JOBS = 50
ACTIVITIES = 20
MOST = 100
"""No more jobs, and no more activities of one, are asked for."""
AT_ONCE = 4
ANSWER_SECONDS = 180.0
TOTAL_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote. ``toml`` loads with ``load_topics``; ``topics`` is what stands in it.

    ``problems`` name what was left out, ``remarks`` what is there and short of the bundled topics' style (an
    order that two activities suggest, a plural). All are single lines that are safe to show.
    """

    toml: str
    topics: Topics
    problems: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def count(self) -> int:
        """Topics."""
        return len(self.topics)


def write_topics(
    model: str | LoadedModel,
    *,
    job: str | None = None,
    base_url: str | None = None,
    jobs: int = JOBS,
    activities: int = ACTIVITIES,
    at_once: int = AT_ONCE,
    answer_seconds: float = ANSWER_SECONDS,
    total_seconds: float = TOTAL_SECONDS,
    on_progress: Progress | None = None,
) -> Written:
    """Ask a model for the activities of ``job``; without one, for a list of jobs and the activities of each.

    ``jobs`` and ``activities`` (2 to ``MOST``; at least 1 job) are how many are asked for: never more are taken.
    ``at_once`` requests are under way at a time. A :class:`LoadedModel` is left open. Blocks, so not from a
    thread with a screen. Raises ``ModelUnavailable`` and :class:`TopicsNotWritten`, each one line; where a single
    request fails for good, nothing is written.
    """
    if not (1 <= jobs <= MOST and 2 <= activities <= MOST and at_once >= 1):
        raise TopicsNotWritten(f"ask for 1 to {MOST} jobs and 2 to {MOST} activities")
    job = None if job is None else _checked(job)
    loaded = _load(model, base_url)
    asking = Asking(loaded, jobs, activities, asyncio.Semaphore(at_once), answer_seconds, on_progress)
    answers = wait_for(within(total_seconds, asking, job, close=isinstance(model, str)))
    return _written(loaded.spec.text, activities, *answers)


def _checked(job: str) -> str:
    job = " ".join(job.split())
    if not job or len(job) > MAX_JOB or not job.isprintable():
        raise TopicsNotWritten(
            f'"{visible(job, limit=60)}" is no name of a job; give 1 to {MAX_JOB} plain characters'
        )
    return job


def _load(model: str | LoadedModel, base_url: str | None) -> LoadedModel:
    """The model, if it is one that can write."""
    spec = parse_model(model) if isinstance(model, str) else model.spec
    if spec.simulated:
        raise TopicsNotWritten(
            "a simulated model cannot write topics; name a real one, for example openai:gpt-4o-mini"
        )
    return load_model(model, base_url=base_url) if isinstance(model, str) else model


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
        raise TopicsNotWritten(
            f"the model's answers hold no topic that can be used: {one_line(problems[-1])}"
        )
    return Written(toml_topics(topics, comment), topics, tuple(problems), (*short, *_remarks(topics)))


def _topic(job: str) -> str:
    return f'topic "{visible(job, limit=60)}"'


def _too_few(answer: str, count: int) -> str:
    return f"{count or 'no'} usable activit{'y' if count == 1 else 'ies'} in the answer ({said(answer)})"


def _remarks(topics: Topics) -> tuple[str, ...]:
    """One line a topic, with the first thing that the bundled topics would not hold."""
    found: dict[str, list[str]] = {}
    for problem in check_topics(topics, keywords()):
        found.setdefault(problem.topic, []).append(str(problem))
    return tuple(
        first + (f" ({len(more)} more remark{'' if len(more) == 1 else 's'} on this topic)" if more else "")
        for first, *more in found.values()
    )
