"""The search of one tool: which arguments are sent next, from what the calls before have shown.

Deterministic: a batch of calls draws from the seed, the tool's name and the number of its first call, so fuzzing one
tool never changes another's, and a batch can begin again in a fresh child.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from planscope.toolfuzz.nodes import Knowledge
from planscope.toolfuzz.source import Hints, read_function, read_words
from planscope.toolfuzz.tools import Tool
from planscope.toolfuzz.values import Generator, Pools
from planscope.toolfuzz.words import ODD

LARGEST = 64 * 1024
"""Limit of bytes of an argument object as JSON."""

MODES = ("minimal", "", "long", "", "null", "", "unicode", "number")
"""The first calls: everything empty, everything long, and so on, with mixed ones between."""

MOST_KEPT = 200
TAINTED, MEASURED = 400, 400
"""Among this many first calls most carry taint, and all are measured for coverage; later ones now and then."""


class Search:
    """What is known of one tool, and the arguments drawn from it."""

    def __init__(self, tool: Tool, seed: int, guided: bool = True) -> None:
        self.knowledge, self.hints, self.pools = Knowledge(), Hints(), Pools()
        self.guided = guided
        self.kept: list[dict[str, Any]] = []
        self.arcs: set[tuple[str, int, int]] = set()
        self._meant: list[dict[str, Any]] = []
        self._schema = tool.schema
        self._seed = f"{seed}/{tool.name}"
        self._random = Random(self._seed)
        if guided:
            for function in tool.functions:
                read_function(function, self.knowledge, self.hints)
        read_words(tool.description, self.hints)
        self._examples(tool.schema)
        self.generator = Generator(tool.schema, self.knowledge.roots, self.hints, self.pools)
        self.draw_pools()
        self.knowledge.news.clear()

    def use_priors(self, priors: Mapping[str, list[Any]]) -> None:
        """Take values that fit the meaning of arguments, by name. Each is sent once as it is, after the first calls."""
        most = max(map(len, priors.values()), default=0)
        self._meant = [
            {name: values[k % len(values)] for name, values in priors.items()} for k in range(most)
        ]
        for name, values in priors.items():
            self.pools.meant[name] = tuple(one for one in values if isinstance(one, str))
            for one in values:
                self.hints.add(one)

    def _examples(self, schema: Any) -> None:
        if isinstance(schema, dict):
            for key in ("examples", "example", "default"):
                for one in schema[key] if isinstance(schema.get(key), list) else [schema.get(key)]:
                    if isinstance(one, str | int | float):
                        self.hints.add(one)
            if isinstance(schema.get("description"), str):
                read_words(schema["description"], self.hints)
            for inner in schema.values():
                self._examples(inner)
        elif isinstance(schema, list):
            for inner in schema:
                self._examples(inner)

    def draw_pools(self) -> None:
        """Have Hypothesis draw texts, and samples of the patterns that are new."""
        from planscope.toolfuzz.drawn import samples, texts

        if len(self.pools.texts) == 1:
            self.pools.texts = texts(self._seed)
        wanted = set(self.hints.patterns)
        _patterns(self._schema, wanted)
        todo = [*self.knowledge.roots.values()]
        while todo:
            node = todo.pop()
            wanted.update(str(one) for one in node.facts.get("regex", ()))
            todo += node.children.values()
        for pattern in sorted(wanted - self.pools.patterns.keys())[:20]:
            self.pools.patterns[pattern] = samples(pattern, self._seed)

    def begin(self, number: int) -> None:
        """Begin a batch at this call."""
        self._random = Random(f"{self._seed}/{number}")

    def draw(self, number: int) -> tuple[dict[str, Any], str]:
        """Return the arguments of a call (from 0), and their JSON text. They nest and weigh no more than allowed."""
        for _ in range(20):
            given = self._next(number)
            text = json.dumps(given, allow_nan=False)
            if len(text) <= LARGEST:
                return given, text
        return {}, "{}"

    def _next(self, number: int) -> dict[str, Any]:
        random = self._random
        if number < len(MODES):
            return self.generator.arguments(random, MODES[number])
        if number - len(MODES) < len(self._meant):
            return {**self.generator.arguments(random), **self._meant[number - len(MODES)]}
        if self.kept and self.guided and random.random() < 0.18:
            return self._changed(random)
        return self.generator.arguments(random)

    def _changed(self, random: Random) -> dict[str, Any]:
        """Return kept arguments with a change: one is drawn again, or a text in it is changed."""
        given: dict[str, Any] = json.loads(json.dumps(random.choice(self.kept)))
        if not given:
            return self.generator.arguments(random)
        name = random.choice(list(given))
        if name in self._schema.get("properties", {}) and random.random() < 0.4:
            given[name] = self.generator.argument(name, random)
            return given
        given[name] = self._mutated(given[name], random)
        return given

    def _mutated(self, value: Any, random: Random) -> Any:
        if isinstance(value, str):
            return self._text(value, random)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return value + random.choice((-1, 1, 10, -10, value, -value, -2 * value))
        if isinstance(value, float):
            return random.choice((-value, value / 2, float(int(value)) if abs(value) < 1e300 else 0.0))
        if isinstance(value, list) and value:
            k = random.randrange(len(value))
            chance = random.random()
            if chance < 0.3:
                return value[:k] + value[k + 1 :]
            if chance < 0.5:
                return [*value, value[k]]
            return [*value[:k], self._mutated(value[k], random), *value[k + 1 :]]
        if isinstance(value, dict) and value:
            key = random.choice(list(value))
            if random.random() < 0.25:
                return {k: v for k, v in value.items() if k != key}
            return {**value, key: self._mutated(value[key], random)}
        return value

    def _text(self, value: str, random: Random) -> str:
        if value[:1] in ("{", "[") and random.random() < 0.7:
            try:
                return json.dumps(self._mutated(json.loads(value), random))
            except (ValueError, RecursionError):
                pass
        at = random.randrange(len(value) + 1)
        token = (
            random.choice(self.hints.strings)
            if self.hints.strings and random.random() < 0.4
            else random.choice(ODD)
        )
        chance = random.random()
        if chance < 0.4:
            return value[:at] + token + value[at:]
        end = min(len(value), at + random.choice((1, 1, 2, 5)))
        if chance < 0.6:
            return value[:at] + value[end:]
        if chance < 0.8:
            return value[:at] + token + value[end:]
        return (value * random.choice((2, 3, 40)))[:5000]

    def carries_taint(self, number: int) -> bool:
        if number < TAINTED:
            return (
                self.guided and number >= len(MODES) and (number % 4 > 0 if number < 60 else number % 2 > 0)
            )
        return self.guided and number % 8 == 0

    def is_measured(self, number: int) -> bool:
        return self.guided and (number < MEASURED or number % 16 == 1)

    def reached(
        self, arcs: Iterable[tuple[str, int, int]], given: dict[str, Any]
    ) -> list[tuple[str, int, int]]:
        """Keep arguments that reach a new branch. Return the arcs that are new."""
        new = [arc for arc in arcs if arc not in self.arcs]
        if new:
            self.arcs.update(new)
            if len(self.kept) < MOST_KEPT:
                self.kept.append(given)
        return new


def _patterns(schema: Any, found: set[str]) -> None:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            found.add(schema["pattern"])
        for inner in schema.values():
            _patterns(inner, found)
    elif isinstance(schema, list):
        for inner in schema:
            _patterns(inner, found)
