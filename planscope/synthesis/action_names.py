"""Which actions a query is about: given names, or activities of one topic or several."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from planscope.language.topics import check_topics, keywords, load_topics
from planscope.synthesis.draw import Draw
from planscope.synthesis.request import Request, SynthesisError

PER_TOPIC = 20
"""More actions than this take several topics (paper, section 4.2)."""


class ActionNames:
    """The names that one request allows."""

    def __init__(self, request: Request) -> None:
        self.topic, self.count = request.topic, request.count
        self.given: tuple[str, ...] | None = None
        if not isinstance(request.actions, int):
            self.given = request.actions
            _check_names(self.given)
            return
        self.topics: Mapping[str, tuple[str, ...]] = (
            load_topics() if request.topics is None else request.topics
        )
        self.jobs = tuple(self.topics)
        if not self.jobs:
            raise SynthesisError("there are no topics to take actions from; name the actions")
        if self.topic is not None and self.topic not in self.topics:
            near = difflib.get_close_matches(self.topic, self.jobs, 3)
            hint = f"; did you mean {', '.join(near)}?" if near else f"; there are {len(self.jobs)} others"
            raise SynthesisError(f"there is no topic {self.topic!r}{hint}")

    def draw(self, draw: Draw) -> tuple[str, Sequence[str]]:
        """The topic (several with commas between, "" for given names) and the actions' names."""
        if self.given is not None:
            return self.topic or "", self.given
        first = draw.choose(self.jobs) if self.topic is None else self.topic
        names = self.topics[first]
        if self.count <= min(PER_TOPIC, len(names)):
            return first, draw.sample(names, self.count)
        others = draw.sample([job for job in self.jobs if job != first], len(self.jobs) - 1)
        taken, pool = [first], apart(names, [])
        while len(pool) < self.count or len(taken) * PER_TOPIC < self.count:
            if not others:
                raise SynthesisError(f"the topics have {len(pool)} activities that can stand in one query")
            taken.append(others.pop())
            pool += apart(self.topics[taken[-1]], pool)
        return ", ".join(taken), draw.sample(pool, self.count)


def apart(names: Sequence[str], pool: Sequence[str]) -> list[str]:
    """Those that neither hold one of the pool nor stand in one, word by word."""
    kept: list[str] = []
    for name in names:
        words = f" {name.casefold()} "
        others = [f" {other.casefold()} " for other in (*pool, *kept)]
        if not any(words in other or other in words for other in others):
            kept.append(name)
    return kept


def _check_names(names: tuple[str, ...]) -> None:
    """Names that a text could not be read back with are refused."""
    problems = [p for p in check_topics({"actions": names}, keywords()) if p.breaks]
    if problems:
        subject = "" if problems[0].phrase is None else f"{problems[0].phrase!r} "
        raise SynthesisError(f"action {subject}{problems[0].message}")
