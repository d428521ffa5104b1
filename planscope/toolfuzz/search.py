"""The search of one tool: which arguments are sent next, from what the calls before have shown.

Deterministic: a batch of calls draws from the seed, the tool's name and the number of its first call, so fuzzing one
tool never changes another's, and a batch can begin again in a fresh child.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

from planscope.toolfuzz.accepts import fitting, mismatch, parts_of, properties, required
from planscope.toolfuzz.coverage import Arc
from planscope.toolfuzz.hints import Hints, calls_in, examples_of, read_function, read_words
from planscope.toolfuzz.nodes import Knowledge, Step
from planscope.toolfuzz.tools import Tool
from planscope.toolfuzz.values import Generator, Pools
from planscope.toolfuzz.words import LONG, ODD, SLOW

T = TypeVar("T")
LARGEST = 64 * 1024
"""Limit of bytes of an argument object as JSON."""

MODES = ("minimal", *[""] * 19, "long", "", "null", "", "unicode", "number")
"""The first calls: everything empty; then mixed ones, which learn; everything long, and so on."""

EAGER = 3
"""Calls that follow at once where one has learned something new."""

MOST_KEPT = 200
SHARE, SHARE_WHEN_QUIET = 0.45, 0.06
"""How many calls change kept arguments: while new branches are reached, and when QUIET calls have reached none."""

FIRST_LONG, LONG_EVERY = 70, 12
"""Which calls send a long text."""

QUIET = 300
MOST_TRIES = 24
"""Limit of calls that wait with what an argument was compared with."""

_THROUGH = frozenset(("same", "split", "partition", "item", "each", "int"))
SEPARATORS = (" ", ",", ";", "\n", "/", ":", "=", ".")
TAINTED, MEASURED = 400, 400
"""Among this many first calls most carry taint, and all are measured for coverage; later ones now and then."""


class Search:
    """What is known of one tool, and the arguments drawn from it."""

    def __init__(self, tool: Tool, seed: int, guided: bool = True) -> None:
        self.knowledge, self.hints, self.pools = Knowledge(), Hints(), Pools()
        self.guided = guided
        self.kept: list[dict[str, object]] = []
        self.arcs: set[Arc] = set()
        self._last_kept, self._is_changed = 0, False
        self._next_tries: deque[dict[str, object]] = deque(maxlen=MOST_TRIES)
        self._meant: list[dict[str, object]] = []
        self._eager = 0
        self._schema = tool.schema
        self._seed = f"{seed}/{tool.name}"
        self._random = Random(self._seed)
        if guided:
            moments = self.pools.formats["date-time"]  # Python's own takes one that the format does not
            self.pools.formats["date-time"] = (*moments, "2026-01-31T07:30:00")
            for function in tool.functions:
                read_function(function, self.hints)
        read_words(tool.description, self.hints)
        for part in parts_of(tool.schema):
            read_words(str(part.get("description") or ""), self.hints)
        self.generator = Generator(tool.schema, self.knowledge.roots, self.hints, self.pools)
        names = [name for name, one in properties(tool.schema).items() if _is_free_text(one)]
        self._long = [(name, token) for token in SLOW for name in names]
        self._examples(tool)
        self.draw_pools()
        self.knowledge.news.clear()

    def use(self, examples: Sequence[dict[str, object]], values: Mapping[str, Sequence[object]]) -> None:
        """Take whole arguments, and values that fit the meaning of single ones, by name.

        Each is sent once as it is, after the first call.
        """
        most = max(map(len, values.values()), default=0)
        self._meant += examples
        self._meant += ({name: some[k % len(some)] for name, some in values.items()} for k in range(most))
        self.kept += examples
        for name, some in values.items():
            self.pools.meant[name] = (*self.pools.meant.get(name, ()), *some)

    def _examples(self, tool: Tool) -> None:
        """Take the examples of schema and documentation."""
        schemas, given = properties(tool.schema), tool.schema.get("examples")
        calls = [
            *(given if isinstance(given, list) else ()),
            *calls_in(tool.description, tool.name, list(schemas)),
        ]
        named = {
            name: fitting(examples_of(name, one, tool.description), one, tool.schema)
            for name, one in schemas.items()
        }
        whole = [one for one in calls if isinstance(one, dict) and mismatch(one, tool.schema) is None]
        self.use(whole, {name: some for name, some in named.items() if some})

    def draw_pools(self) -> None:
        """Draw texts, and samples of the patterns that are new."""
        from planscope.toolfuzz.drawn import samples, texts

        if len(self.pools.texts) == 1:
            self.pools.texts = texts(self._seed)
        wanted = set(self.hints.patterns)
        wanted |= {one for part in parts_of(self._schema) if isinstance(one := part.get("pattern"), str)}
        nodes = (node for root in self.knowledge.roots.values() for node in root.walk())
        wanted.update(str(one) for node in nodes for one in node.facts.get("regex", ()))
        for pattern in sorted(wanted - self.pools.patterns.keys())[:20]:
            self.pools.patterns[pattern] = samples(pattern, self._seed)

    def begin(self, number: int) -> None:
        """Begin a batch at this call."""
        self._random = Random(f"{self._seed}/{number}")

    def draw(self, number: int) -> tuple[dict[str, object], str]:
        """Return the arguments of a call (from 0), and their JSON text. They nest and weigh no more than allowed."""
        for _ in range(20):
            given = self._next(number)
            text = json.dumps(given, allow_nan=False)
            if len(text) <= LARGEST:
                return given, text
        return {}, "{}"

    def _next(self, number: int) -> dict[str, object]:
        random = self._random
        self._is_changed = False
        mode = MODES[number] if number < len(MODES) else ""
        if mode:
            return self.generator.arguments(random, mode)
        meant = number - sum(map(bool, MODES[:number]))
        if meant < len(self._meant):
            wanted = self._meant[meant]
            needed = required(self._schema)
            return wanted if set(needed) <= set(wanted) else {**self.generator.arguments(random), **wanted}
        if self._is_long(number):
            return self._with_long_text(number, random)
        if self._next_tries and random.random() < 0.5:
            return self._next_tries.pop()
        if self._eager:
            self._eager -= 1
            return self.generator.arguments(random, "eager")
        if self.kept:
            share = SHARE if number - self._last_kept < QUIET else SHARE_WHEN_QUIET
            if random.random() < share:
                changed = self._changed(random)
                if changed is not None:
                    self._is_changed = True
                    return changed
        return self.generator.arguments(random)

    def try_next(
        self, given: dict[str, object], news: Sequence[tuple[str, tuple[Step, ...], str | None, object]]
    ) -> None:
        """Take what arguments were newly compared with in their place, for the next calls: the newest first.

        So several arguments that must fit together are found one after another.
        """
        self._eager = EAGER if news else self._eager
        for root, path, operation, constant in news:
            if operation != "eq" or root not in given or not all(step[0] in _THROUGH for step in path):
                continue
            value = given[root]
            if isinstance(value, str) and isinstance(constant, str | int):
                constant = str(constant)
            made = {**given, root: [constant] if isinstance(value, list) else constant}
            if mismatch(made, self._schema) is None:
                self._next_tries.append(made)

    def _with_long_text(self, number: int, random: Random) -> dict[str, object]:
        """Return arguments of which one is a token again and again, as often as may be sent."""
        name, token = self._long[(number - FIRST_LONG) // LONG_EVERY]
        times = LONG * 2 // (len(json.dumps(token)) - 2)
        schema = properties(self._schema)[name]
        most = schema.get("maxLength", LONG) if isinstance(schema, dict) else LONG
        return {**self.generator.arguments(random, "minimal"), name: (token * times)[: min(most, LONG)]}

    def _changed(self, random: Random) -> dict[str, object] | None:
        """Return kept arguments with a few changes that the schema accepts, or None. The newest are changed most."""
        at = len(self.kept) - 1 - int(random.expovariate(0.3))
        text = json.dumps(self.kept[at] if at >= 0 else random.choice(self.kept))
        for _ in range(4):
            given: dict[str, object] = json.loads(text)
            for _ in range(random.choice((1, 1, 1, 2, 4))):
                if given:
                    name = random.choice(list(given))
                    if name in properties(self._schema) and random.random() < 0.15:
                        given[name] = self.generator.argument(name, random)
                    else:
                        given[name] = self._mutated(given[name], random, self._tokens(name))
            if given and mismatch(given, self._schema) is None:
                return given
        return None

    def _tokens(self, name: str) -> list[str]:
        """Return the texts that the tool compares parts of an argument with."""
        facts = (
            one for node in self.knowledge.node(name).walk() for some in node.facts.values() for one in some
        )
        return [one for one in facts if isinstance(one, str) and 0 < len(one) <= 40]

    def _mutated(self, value: object, random: Random, tokens: list[str]) -> object:
        if isinstance(value, str):
            return self._text(value, random, tokens)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            if random.random() < 0.5:
                return value + random.choice((-1, 1, 10, -10, value, -value, -2 * value))
            digits = str(abs(value))
            at = random.randrange(len(digits))
            digit = random.choice("0123456789")
            changed = digits[:at] + digit + digits[at + (random.random() < 0.7) :]
            return int(changed[:18]) * (-1 if value < 0 else 1)
        if isinstance(value, float):
            return random.choice((-value, value / 2, float(int(value)) if abs(value) < 1e300 else 0.0))
        if isinstance(value, list) and value:
            return _parts(value, lambda one: self._mutated(one, random, tokens), random)
        if isinstance(value, dict) and value:
            key = random.choice(list(value))
            if random.random() < 0.25:
                return {k: v for k, v in value.items() if k != key}
            return {**value, key: self._mutated(value[key], random, tokens)}
        return value

    def _text(self, value: str, random: Random, tokens: list[str]) -> str:
        if value[:1] in ("{", "[") and random.random() < 0.7:
            try:
                return json.dumps(self._mutated(json.loads(value), random, tokens))
            except (ValueError, RecursionError):
                pass
        chance = random.random()
        known = tokens if tokens and chance < 0.7 else self.hints.strings if chance < 0.9 else ()
        token = random.choice(known or ODD)
        separators = [one for one in SEPARATORS if one in value]
        if separators and random.random() < 0.5:
            separator = random.choice(separators)
            return separator.join(_parts(value.split(separator), lambda one: one + token, random, token))[
                :5000
            ]
        chance = random.random()
        if chance < 0.05:
            return (value * random.choice((2, 3, 40)))[:5000]
        at = len(value) if random.random() < 0.25 else random.randrange(len(value) + 1)
        new = token if random.random() < 0.5 else self._letter(value, random)
        end = min(len(value), at + random.choice((1, 1, 2, 5)))
        if chance < 0.4:
            return value[:at] + new + value[at:]
        return value[:at] + value[end:] if chance < 0.55 else value[:at] + new + value[end:]

    def _letter(self, value: str, random: Random) -> str:
        """Return one character: one of the text, a neighbour of one, or an ordinary one."""
        chance = random.random()
        if not value or chance < 0.3:
            return random.choice("0123456789abcdefghijklmnopqrstuvwxyzABCXYZ")
        letter = random.choice(value)
        return letter if chance < 0.8 else chr(max(1, min(0xD7FF, ord(letter) + random.choice((-1, 1)))))

    def carries_taint(self, number: int) -> bool:
        if self._is_long(number):
            return False
        if number < TAINTED:
            return self.guided and (number % 4 < 3 if number < 60 else number % 2 > 0)
        return self.guided and number % 8 == 0

    def _is_long(self, number: int) -> bool:
        at, rest = divmod(number - FIRST_LONG, LONG_EVERY)
        return rest == 0 and 0 <= at < len(self._long)

    def is_measured(self, number: int) -> bool:
        return (
            self.guided
            and not self._is_long(number)
            and (number < MEASURED or self._is_changed or number % 16 == 1)
        )

    def reached(self, number: int, arcs: Iterable[Arc], given: dict[str, object]) -> list[Arc]:
        """Keep arguments that reach a new branch, or one more often. Return the arcs that are new."""
        new = sorted(arc for arc in arcs if arc not in self.arcs)
        if new:
            self.keep(number, new, given)
        return new

    def keep(self, number: int, arcs: Iterable[Arc], given: dict[str, object]) -> None:
        """Keep the arguments of a call that reached these arcs."""
        self.arcs.update(arcs)
        self._last_kept = number
        if len(self.kept) >= MOST_KEPT:
            del self.kept[0]
        self.kept.append(given)


def _is_free_text(schema: object) -> bool:
    """Return whether an argument may be any text."""
    if not isinstance(schema, dict):
        return False
    options = [schema, *(one for one in schema.get("anyOf", ()) if isinstance(one, dict))]
    return any(
        one.get("type") == "string" and not one.keys() & {"enum", "const", "pattern", "format"}
        for one in options
    )


def _parts(parts: list[T], changed: Callable[[T], T], random: Random, token: T | None = None) -> list[T]:
    """Return parts with one more, one less, one changed, or two exchanged. ``token``: a new one, if there is one."""
    at, other = random.randrange(len(parts)), random.randrange(len(parts))
    one, before, after = parts[at], parts[:at], parts[at + 1 :]
    match random.randrange(8):
        case 0:
            return before + after
        case 1:
            return [*parts, one]
        case 2 if token is not None:
            return [*before, parts[other], *parts[at:]]
        case 3:
            return [*parts, changed(one)] if token is None else [*parts, token]
        case 4 | 5 if token is not None:
            return [*before, token, *(parts[at:] if random.random() < 0.5 else after)]
        case 6 if token is not None:
            swapped = list(parts)
            swapped[at], swapped[other] = parts[other], one
            return swapped
    return [*before, changed(one), *after]
