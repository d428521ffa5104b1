"""Arguments and answers for the calls of what-if play: values from the run and from the rules, to choose from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from planscope.frozen import frozen
from planscope.oracle.trace import NEW, Item, Said, Tool, ToolCall, Trace

if TYPE_CHECKING:
    from planscope.language.calls import CallSet, Compare, Condition
    from planscope.rules.rule import Rule

MOST_WAYS = 40
MOST_ANSWERS = 20
_NO_RULES: tuple[Rule, ...] = ()


@frozen
class Way:
    """How a call is played. ``answer``: the tool's answer, None if it gives none. ``said``: what the user says just
    before the call, "" for nothing. ``about``: where the values come from, in words. ``message``: the message of the
    call before, if the run goes on with it so; else the call begins one."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    answer: str | None = None
    failed: bool = False
    said: str = ""
    about: str = field(default="", compare=False)
    message: int = NEW

    def items(self, tool: str) -> tuple[Item, ...]:
        """Return the call of a tool, and before it what the user says."""
        answered = self.answer is not None
        failed = self.failed if answered or self.failed else None
        call = ToolCall(tool, dict(self.arguments), failed=failed, answer=self.answer, answered=answered)
        if self.said:
            return (Said("user", self.said), call)
        call.message = self.message
        return (call,)


class Values:
    """What is known about the arguments of the tools of a run. ``rules`` are those that judge it."""

    def __init__(self, trace: Trace, rules: Sequence[Rule] = _NO_RULES) -> None:
        self.rules = rules
        self.tools = trace.tools
        self._calls: dict[str, list[tuple[int, ToolCall]]] = {}
        self._seen: dict[str, dict[str, tuple[Any, int]]] = {}
        pairs = enumerate(pairwise(trace.calls), 2)
        self._joined = {step for step, (one, other) in pairs if one.message == other.message}
        """The steps whose call was made in one message with the call before."""
        for step, call in enumerate(trace.calls, 1):
            self._calls.setdefault(call.tool, []).append((step, call))
            for name, value in (call.arguments or {}).items():
                self._seen.setdefault(name, {})[_key(value)] = (value, step)

    def ways(self, tool: str, step: int, *, as_recorded: bool = False) -> tuple[Way, ...]:
        """Return ways to call a tool as the call of this step, at least one: first as the run goes on, then as it
        called the tool before, then with other values for what the rules look at.

        ``as_recorded``: no call was played yet, so that the run may go on in the message of the call before.
        """
        own = self._calls.get(tool, [])
        later = [one for one in own if one[0] >= step]
        made = [_as_at(k, call) for k, call in (*later, *reversed([one for one in own if one[0] < step]))]
        if as_recorded and later and later[0][0] == step and step in self._joined:
            about = f"{made[0].about}, in one message with the call before"
            made[0] = replace(made[0], about=about, message=later[0][1].message)
        if not made:
            made = [self._unseen(tool)]
        made += self._varied(tool, made[0])
        answers = {_key(way.arguments): way for way in reversed(made) if way.answer is not None}
        found: dict[str, Way] = {}
        for way in made:
            key = _key(way.arguments)
            known = answers.get(key)
            if known is not None and way.answer is None:
                way = replace(way, answer=known.answer, failed=known.failed)
            found.setdefault(key, way)
            if len(found) == MOST_WAYS:
                break
        return tuple(found.values())

    def answers(self, tool: str) -> list[tuple[str, str]]:
        """Return answers of a tool to choose from, each with where it comes from: those that it gave, and such as the
        rules ask for."""
        found: dict[str, str] = {}
        for step, call in self._calls.get(tool, ()):
            if call.answer is not None:
                found.setdefault(call.answer, f"as at step {step}")
        for rule, one in self._compares(tool, "answer"):
            for value in _near(one):
                made = _nested(one.path, value)
                if isinstance(made, dict):
                    found.setdefault(json.dumps(made, default=str), f"{rule.id} looks at it")
        return list(found.items())[:MOST_ANSWERS]

    def sayings(self) -> list[str]:
        """Return what the user could say, as far as rules look at it."""
        found: dict[str, None] = {}
        for rule in self.rules:
            for calls in rule.sets:
                if calls.is_user:
                    for one in _all(calls.condition):
                        found.update(dict.fromkeys(str(value) for value in _near(one)))
        return list(found)

    @property
    def hears_users(self) -> bool:
        return any(rule.hears_users for rule in self.rules)

    def _unseen(self, tool: str) -> Way:
        """Return a way to call a tool that the run never calls, with the last values that other tools had."""
        given: dict[str, Any] = {}
        steps = set()
        for name in self._names(tool):
            known = self._seen.get(name)
            if known:
                given[name], step = next(reversed(known.values()))
                steps.add(step)
        about = f"values of step {max(steps)}" if steps else ""
        return Way(given, about=about)

    def _names(self, tool: str) -> list[str]:
        """Return the arguments of a tool, those first that rules look at."""
        looked = self._per(tool)
        looked.update(dict.fromkeys(str(one.path[0]) for _, one in self._compares(tool, "argument")))
        schema = self.tools.get(tool, Tool(tool)).parameters or {}
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            looked.update(dict.fromkeys(map(str, properties)))
        return list(looked)

    def _per(self, tool: str) -> dict[str, None]:
        """Return the arguments by whose values rules judge the calls of a tool."""
        from planscope.rules.rule import sides

        found: dict[str, None] = {}
        for rule in self.rules:
            for calls, names in sides(rule):
                if any(one.names(tool) for one in calls):
                    found.update(dict.fromkeys(str(path[0]) for path in names))
        return found

    def _varied(self, tool: str, base: Way) -> Iterator[Way]:
        given = dict(base.arguments)

        def other(name: str, value: Any, about: str) -> Way:
            return Way({**given, name: value}, about=about)

        for rule, one in self._compares(tool, "argument"):
            name = str(one.path[0])
            for value in _near(one):
                made = _nested(one.path[1:], value) if len(one.path) > 1 else value
                yield other(name, made, f"{rule.id} looks at {name}")
            if one.operator in ("is missing", "is set"):
                yield Way({k: v for k, v in given.items() if k != name}, about=f"without {name}")
        for name in self._per(tool):
            if name in given:
                yield other(name, _new(self._seen.get(name, {})), f"a new {name}")
        for name in self._names(tool):
            for value, step in reversed(list(self._seen.get(name, {}).values())[-10:]):
                yield other(name, value, f"{name} of step {step}")

    def _compares(self, tool: str, source: str) -> Iterator[tuple[Rule, Compare]]:
        """Yield what rules ask of the arguments or of the answer of a tool."""
        for rule in self.rules:
            asked: list[tuple[CallSet, Condition | None]] = [(rule.first, rule.condition)]
            asked += [((calls,), calls.condition) for calls in rule.sets]
            for calls, condition in asked:
                if any(one.names(tool) for one in calls):
                    yield from ((rule, one) for one in _all(condition) if one.source == source and one.path)


def _all(condition: Any) -> Iterable[Compare]:
    from planscope.language.calls import compares

    return compares(condition)


def _as_at(step: int, call: ToolCall) -> Way:
    return Way(dict(call.arguments or {}), call.answer, bool(call.failed), about=f"as at step {step}")


def _near(one: Compare) -> Iterator[Any]:
    """Yield values that meet a comparison, and such as just miss it."""
    value = one.value
    if isinstance(value, tuple):
        yield from value
    elif one.operator in ("is missing", "is set"):
        return
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and one.operator not in ("=", "!="):
        yield from (value + 1, value) if one.operator in (">", "<=") else (value, value - 1)
    else:
        yield value


def _new(seen: Mapping[str, tuple[Any, int]]) -> Any:
    """Return a value that no call has, of the kind of those seen."""
    values = [value for value, _ in seen.values()]
    numbers = [value for value in values if isinstance(value, (int, float))]
    if numbers and len(numbers) == len(values):
        return max(numbers) + 1
    return next(text for k in range(1, len(values) + 2) if _key(text := f"new-{k}") not in seen)


def _nested(path: Sequence[str | int], value: Any) -> Any:
    """Return data that has a value at a path."""
    for part in reversed(path):
        value = [*[None] * min(part, 100), value] if isinstance(part, int) else {part: value}
    return value


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
