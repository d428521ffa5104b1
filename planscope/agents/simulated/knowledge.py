"""What a simulated model knows: the query as the model reads it, the calls so far and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from planscope.agents.react_format import Decision
from planscope.agents.simulated.planning import Done
from planscope.agents.toolset import ARGUMENT_TEXT, REFUSED, ToolSpec
from planscope.frozen import frozen
from planscope.language.problem import Action, Problem
from planscope.language.reading import ParseFailure, read_query
from planscope.language.tree import Query
from planscope.oracle.arguments import START, read_start
from planscope.oracle.trace import RESTART_TOOL, ToolCall

_MARKER = re.compile(r"requirements?\s*(?:is|are)?\s*:", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_TRIES = 12


@frozen
class Understanding:
    """A prompt that was read. ``mention`` has the action ids in the order of their first mention, then the others.

    ``restart`` is the name of the tool that starts a new attempt, if there is one. The constraints' paths refer to
    ``tree``.
    """

    problem: Problem
    mention: tuple[str, ...]
    restart: str | None
    tree: Query


@frozen
class NotUnderstood:
    """A prompt could not be read. The message says why."""

    reason: str


@frozen
class SeenTool:
    """A tool as the model sees it, hashable."""

    name: str
    description: str
    takes_start: bool


def seen(tools: tuple[ToolSpec, ...]) -> tuple[SeenTool, ...]:
    return tuple(SeenTool(t.name, t.description, START in _properties(t.parameters)) for t in tools)


@lru_cache(maxsize=512)
def understand(prompt: str, tools: tuple[SeenTool, ...]) -> Understanding | NotUnderstood:
    """Read the query in a prompt. Action names come from the tools' descriptions."""

    timed = any(t.takes_start for t in tools)
    restart = next((t.name for t in tools if timed and t.name == RESTART_TOOL and not t.takes_start), None)
    doers = [t for t in tools if t.name != restart]
    actions = tuple(Action(f"a{i}", _action_name(t), t.name) for i, t in enumerate(doers, 1))
    reason = "it is empty"
    for number, text in enumerate(_candidates(prompt)):
        try:
            reading = read_query(text, actions, timed=timed, kept=True)
        except ParseFailure as failure:
            if number == 0:
                reason = failure.errors[0].message if failure.errors else str(failure)
            continue
        return Understanding(reading.problem, _mention(text, actions), restart, reading.tree)
    return NotUnderstood(reason)


def _properties(parameters: Mapping[str, object]) -> Mapping[str, object]:
    found = parameters.get("properties")
    return found if isinstance(found, Mapping) else {}


def _action_name(tool: SeenTool) -> str:
    """Return the action's name from a tool's description: "network diagnosis" from "Network diagnosis."."""
    name = tool.description.strip().removesuffix(ARGUMENT_TEXT.strip()).strip().removesuffix(".")
    name = name or tool.name.replace("_", " ")
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _candidates(prompt: str) -> Iterator[str]:
    """Yield parts of a prompt that may be the query: after its announcement, in brackets, shorter and shorter ends,
    lines."""
    found: set[str] = set()
    marked = [prompt[m.end() :] for m in reversed(list(_MARKER.finditer(prompt)))]
    bracketed = re.findall(r"\[([^\[\]]*)\]", prompt)[::-1]
    ends = [prompt, *(prompt[m.end() :] for m in _SENTENCE.finditer(prompt))]
    lines = [line for part in (*marked, prompt) for line in part.strip().splitlines()]
    for text in [*marked, *bracketed, *ends[:_TRIES], *lines[:_TRIES]]:
        text = text.strip()
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1].strip()
        if text and text not in found:
            found.add(text)
            yield text


def _mention(text: str, actions: tuple[Action, ...]) -> tuple[str, ...]:
    """Return action ids by first mention. A longer name wins over one that it begins with; unmentioned ones come
    last."""
    wanted = {_key(n): a.id for a in actions for n in (a.tool, a.name)}
    names = sorted({n for a in actions for n in (a.tool, a.name)}, key=lambda n: (-len(n), n))
    pattern = "|".join(r"\s+".join(re.escape(w) for w in name.split()) for name in names if name.split())
    order: dict[str, None] = {}
    if pattern:
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE):
            identity = wanted.get(_key(match.group()))
            if identity is not None:
                order.setdefault(identity)
    order.update(dict.fromkeys(a.id for a in actions))
    return tuple(order)


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


_TAKES = re.compile(r"takes (\d{1,4}) hours?\b")
_PATIENCE = 4
"""A model gives up after this many refusals for each action."""

Wish = tuple[str, int | None]
"""An action, with its hour if timed."""


def answered_call(tool: str, arguments: Mapping[str, object], answer: str, executed: bool) -> ToolCall:
    """Return a call that was answered; not ``executed`` if the answer reports an error, perhaps a refusal."""
    refused = not executed and answer.startswith(REFUSED.strip())
    return ToolCall(tool, arguments, None, refused, not executed, answer, True)


@frozen
class View:
    """Everything that a simulated model sees: prompt, tools, and its calls so far."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    did: tuple[ToolCall, ...] = ()


def learned(problem: Problem, did: Sequence[ToolCall]) -> dict[str, int]:
    """Return the durations, in hours, that tools have told in their answers."""
    return dict(_told(problem, did))


def _told(problem: Problem, did: Sequence[ToolCall]) -> Iterator[tuple[str, int]]:
    for one in did:
        action = problem.action_by_tool.get(one.tool)
        match = None if one.failed else _TAKES.search(one.answer or "")
        if action is not None and match is not None:
            yield action.id, max(1, int(match.group(1)))


class Situation:
    """The current attempt, as far as the model knows.

    ``believed`` maps tools whose failed calls the model takes for done to the actions it meant.
    """

    def __init__(self, read: Understanding, did: Sequence[ToolCall], believed: Mapping[str, str]) -> None:
        self.read, self.did, self.believed = read, did, believed
        self.hours = learned(read.problem, did)
        restarts = [i for i, d in enumerate(did) if d.tool == read.restart and not d.failed]
        self.attempt = did[restarts[-1] + 1 :] if restarts else did
        self.restarts = len(restarts)
        self.corrected = any(d.refused for d in did)
        """A call was refused, so its own view is no reason to restart."""
        self.done = [d for d in map(self._execution, self.attempt) if d]
        self.clock = max((d.end for d in self.done), default=0)
        ran = {d.action for d in self.done}
        self.left = [a.id for a in read.problem.actions if a.id not in ran]
        known = read.problem.action_by_id
        self.left_by_mention = [a for a in read.mention if a not in ran and a in known]

    def _execution(self, one: ToolCall) -> Done | None:
        problem = self.read.problem
        known = problem.action_by_tool.get(one.tool)
        action = known.id if known else None
        if one.failed:
            action = None if one.refused else self.believed.get(one.tool)
        if action is None:
            return None
        if not problem.timed:
            return Done(action)
        start = (
            (one.arguments or {}).get(START) if one.tool in self.believed else read_start(one.arguments or {})
        )
        if isinstance(start, str) and start.isdecimal() and one.tool in self.believed:
            start = int(start)
        if isinstance(start, bool) or not isinstance(start, int | float):
            return None
        return Done(action, int(start), int(start) + self.hours.get(action, 1))

    def stuck(self) -> str | None:
        """Return the action that failed twice in a row, "this" after far too many restarts, or None."""
        if self.restarts > 2 * len(self.read.problem.actions):
            return "this"
        last = self.did[-2:]
        if (
            len(last) == 2
            and last[0].tool == last[1].tool
            and not any(d.refused or not d.failed for d in last)
        ):
            action = self.read.problem.action_by_tool.get(last[0].tool)
            return action.name if action else last[0].tool
        return None

    def _just_refused(self) -> list[Wish]:
        """Return the calls that were refused since the last executed one."""
        found: list[Wish] = []
        for one in self.attempt:
            action = self.read.problem.action_by_tool.get(one.tool)
            if not one.failed:
                found = []
            elif one.refused and action is not None:
                start = read_start(one.arguments or {}) if self.read.problem.timed else None
                found.append((action.id, start if isinstance(start, int) else None))
        return found

    def instead(self, wish: Wish) -> Wish | None:
        """Return the wish, or another one if it was just refused: the next by mention, then by hour. None means give
        up."""
        refused = self._just_refused()
        if wish not in refused:
            return wish
        if len(refused) > _PATIENCE * len(self.read.problem.actions):
            return None
        tried = {action for action, _ in refused}
        other = next((a for a in self.left_by_mention if a not in tried), None)
        if other is not None:
            return other, self.clock if self.read.problem.timed else None
        if not self.read.problem.timed:
            return None
        last = {
            action: max(h or 0 for a, h in refused if a == action) for action in tried if action in self.left
        }
        later = [(hour + 1, action) for action, hour in last.items() if hour < 23]
        return min(later)[::-1] if later else None

    def do(self, wish: Wish, why: str, before: str = "") -> Decision:
        """Return the call for a wish, or for another one that was not refused."""
        chosen = self.instead(wish)
        if chosen is None:
            name = self.read.problem.action_by_id[wish[0]].name
            return Decision(f"I stop here, because {name} is refused, whatever I try.")
        if chosen != wish:
            why, before = "what I wanted was refused", ""
        action, hour = chosen
        one = self.read.problem.action_by_id[action]
        timed = self.read.problem.timed
        at = f" at {hour}:00" if timed else ""
        thought = f"{before}Next I do {one.name}{at}, because {why}."
        return Decision(thought, one.tool, {START: hour} if timed else {})
