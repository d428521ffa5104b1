"""Topics: a job and what somebody in it may do in a day (paper, section 4.2, "Text Filling").

The bundled ones stand in ``data/topics.toml``. A user's file of the same shape goes on top of them::

    [[topic]]
    job = "network engineer"
    activities = ["network status check", "firewall rule audit"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from planscope.errors import UserError
from planscope.language.lexicon import load_lexicon
from planscope.language.topic_rules import Topics, breaking_problems
from planscope.safe import visible

MAX_FILE_BYTES = 256 * 1024
_SHAPE = 'write tables [[topic]] with job = "..." and activities = ["...", "..."]'


class TopicError(UserError, ValueError):
    """A topics file cannot be used; one line that names the file, what is wrong in it, and what to do."""


def load_topics(path: Path | None = None) -> dict[str, tuple[str, ...]]:
    """Activities by job: the bundled topics, with those of the user's file ``path`` on top.

    A topic of the file takes the place of a bundled one with the same job, whatever its capitals; others
    go behind the bundled ones. The file is refused (``TopicError``) if a phrase of it could not be read or
    rendered; style is the user's own.
    """
    topics: dict[str, tuple[str, ...]] = dict(_bundled())
    if path is not None:
        known = {job.casefold(): job for job in topics}
        for job, activities in _read(path).items():
            topics[known.get(job.casefold(), job)] = activities
    return topics


def keywords() -> tuple[str, ...]:
    """Every phrase that may be written between actions: no activity can hold one of them."""
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
        raise TopicError(f"larger than {MAX_FILE_BYTES // 1024} KiB; split it or leave topics out")
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
    except ValueError as error:  # also integers of more digits than Python reads
        raise TopicError(f"not TOML: {visible(str(error), limit=120)}; {_SHAPE}") from error


def _topics_in(document: dict[str, Any]) -> Topics:
    rows = document.get("topic")
    if not isinstance(rows, list) or not rows:
        raise TopicError(f"no [[topic]] in it; {_SHAPE}")
    topics: Topics = {}
    taken: set[str] = set()
    for number, row in enumerate(rows, 1):
        job = row.get("job") if isinstance(row, dict) else None
        if not isinstance(job, str):
            raise TopicError(f'topic {number} has no job; add job = "..."')
        if job.casefold() in taken:
            raise TopicError(f'topic "{visible(job, limit=60)}" stands there twice; put the two together')
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
                f'topic "{visible(job, limit=60)}": activity {number} is no text; put it in quotation marks'
            )
    return tuple(cast("list[str]", found))
