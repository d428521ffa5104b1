"""Draws arguments that a JSON schema accepts, led by what is known of the tool (``nodes.py``).

A value that the tool takes apart is put together backwards: for ``query.split(": ")[1] == "map"`` a text with ``": "``
and ``map`` behind it. The rest comes from words by meaning, constants of the code, boundaries, odd strings, and texts
drawn from all of Unicode.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate
from random import Random
from typing import Any, ClassVar, TypeVar

from planscope.toolfuzz.hints import Hints
from planscope.toolfuzz.nodes import Node
from planscope.toolfuzz.words import DATA, ODD, ORDINARY, words_for

DEEPEST = 8
"""Values that are drawn nest at most this deep; what is sent may nest 20 deep."""

LENGTHS: Sequence[int] = DATA["lengths"]
INTEGERS: Sequence[int] = DATA["integers"]
FLOATS: Sequence[float] = DATA["floats"]
ANY = (*["string"] * 3, *["integer"] * 2, *["object"] * 2, "array", "number", "boolean", "null")
YEARS = range(date(1990, 1, 1).toordinal(), date(2036, 1, 1).toordinal())
"""Ordinals of the days that are drawn most."""

FIXED = {**DATA["fixed"], "long": "a" * 5000}
"""The texts of calls that are all of a kind."""


@dataclass
class Pools:
    """Values that were drawn before: texts, and samples of regular expressions and of ``formats``.

    ``meant``: values for an argument that are known to exist, or that a model gave, by its name.
    """

    texts: list[str] = field(default_factory=lambda: ["a"])
    formats: dict[str, Sequence[str]] = field(default_factory=lambda: dict(DATA["formats"]))
    patterns: dict[str, list[str]] = field(default_factory=dict)
    meant: dict[str, tuple[object, ...]] = field(default_factory=dict)


T = TypeVar("T", int, float)
Schema = Mapping[str, Any]
Recipe = Callable[["Generator", Node, int], object]


class Generator:
    """Draws the argument object of one tool."""

    def __init__(self, schema: Schema, roots: Mapping[str, Node], hints: Hints, pools: Pools) -> None:
        self.schema, self.roots, self.hints, self.pools = schema, roots, hints, pools
        self._definitions = schema.get("$defs") or schema.get("definitions") or {}
        self._words: Sequence[str] = ORDINARY
        self._begin(Random(0), "")

    def _begin(self, random: Random, mode: str) -> None:
        self.random, self.roll, self.pick, self.mode = random, random.random, random.choice, mode

    def arguments(self, random: Random, mode: str = "") -> dict[str, object]:
        """Return one argument object. ``mode``: all of a kind (``minimal``, ``long``, ...), or mixed."""
        self._begin(random, mode)
        made: dict[str, object] = {}
        required = self.schema.get("required") or ()
        texts: list[str] = []
        for name, one in (self.schema.get("properties") or {}).items():
            if name not in required and (mode == "minimal" or (mode in ("", "eager") and self.roll() < 0.3)):
                continue
            value = self._named(one, name)
            if isinstance(value, str):
                if texts and self.roll() < 0.06 and "enum" not in one and one.get("type") == "string":
                    value = texts[-1]
                texts.append(value)
            made[name] = value
        return made

    def argument(self, name: str, random: Random) -> object:
        """Return a new value for one argument."""
        self._begin(random, "")
        return self._named(self.schema["properties"][name], name)

    def _named(self, schema: Any, name: str) -> object:
        """Return a value for an argument: often one that is known to exist."""
        meant = self.pools.meant.get(name)
        if meant and self.mode in ("", "eager") and self.roll() < 0.4:
            return self.pick(meant)
        return self._value(schema, self.roots.get(name), name)

    def _value(self, schema: object, node: Node | None, name: str, depth: int = 0) -> object:
        """Return a value that the schema accepts, or nearly always does."""
        wanted = self._resolved(schema)
        if "const" in wanted:
            return wanted["const"]
        if wanted.get("enum"):
            return self.pick(wanted["enum"])
        options = wanted.get("anyOf") or wanted.get("oneOf")
        if options:
            return self._value(self._option(options, depth), node, name, depth)
        kind = wanted.get("type")
        if isinstance(kind, list):
            kind = self.pick(kind)
        make = self._kinds.get(kind, Generator._object if "properties" in wanted else Generator._any)
        return make(self, wanted, node, name, depth)

    def _resolved(self, schema: object) -> Schema:
        """Return a schema with what it refers to, and what it is all of, in itself."""
        found: dict[str, Any] = dict(schema) if isinstance(schema, Mapping) else {}
        for _ in range(20):
            if "$ref" in found:
                found = {**self._defined(found.pop("$ref"), {}), **found}
            elif "allOf" in found and "const" not in found and not found.get("enum"):
                for part in found.pop("allOf"):
                    if isinstance(part, Mapping):
                        found = {**self._defined(part.get("$ref"), part), **found}
            else:
                break
        return found

    def _defined(self, reference: object, other: Schema) -> Schema:
        known: Schema = self._definitions.get(str(reference).rpartition("/")[2], other)
        return known

    def _option(self, options: Sequence[object], depth: int) -> object:
        null = [one for one in options if isinstance(one, Mapping) and one.get("type") == "null"]
        rest = [one for one in options if one not in null]
        if null and (depth > DEEPEST or not rest or self.roll() < 0.25):
            return null[0]
        return self.pick(rest) if rest else {}

    # --- strings ---

    def _string(self, schema: Schema, node: Node | None, name: str, depth: int) -> str:
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        samples = self.pools.patterns.get(schema.get("pattern", "")) or self.pools.formats.get(
            schema.get("format", "")
        )
        if samples and self.roll() < 0.95:
            made = self.pick(samples)
        else:
            self._words = words_for(name, str(schema.get("description", "")))
            made = self.text(node, 0)
            if high is not None and self.roll() < 0.2:
                made = ((made or "a") * high)[: self.pick((low, high))]
        return f"{made}{'a' * (low - len(made))}"[:high]

    def text(self, node: Node | None, depth: int) -> str:
        """Return a text for this node."""
        if depth == 0 and self.mode in FIXED:
            return str(FIXED[self.mode])
        if (
            node is not None
            and (node.children or node.facts)
            and (self.mode == "eager" or self.roll() < 0.87)
        ):
            return str(self._planned(node, depth))
        return self._loose(depth)

    def _loose(self, depth: int = 0) -> str:
        """Return a text that the tool's code says nothing about. Inside another one it is rarely long."""
        chance = self.roll()
        if depth and 0.85 <= chance < 0.93 and self.roll() < 0.85:
            chance = self.roll() * 0.8
        if chance < 0.4:
            return self.pick(self._words)
        if chance < 0.55 and self.hints.strings:
            made = self.pick(self.hints.strings)
            return made if self.roll() < 0.7 else f"{made}{self.pick(ODD)}"
        if chance < 0.85:
            return self.pick(ODD)
        if chance < 0.93:
            return self.pick("a0 x.") * self.pick(LENGTHS)
        return self.pick(self.pools.texts)

    def _planned(self, node: Node, depth: int) -> object:
        """Follow one of the node's recipes for a text."""
        if depth > DEEPEST:
            return self._loose(depth)
        recipes, weights = _plan(node)
        if not recipes or (weights[-1] < 0.6 and self.roll() < 0.6):  # a weak hint is not all there is
            return self._loose(depth)
        recipe = self.random.choices(recipes, cum_weights=weights)[0]
        made = recipe(self, node, depth)
        if not isinstance(made, str):
            return made
        facts = node.facts
        if "startswith" in facts and recipe is not Generator._startswith and self.roll() < 0.4:
            start = self.pick(facts["startswith"])
            if isinstance(start, str) and not made.startswith(start):
                made = start + made
        if "endswith" in facts and recipe is not Generator._endswith and self.roll() < 0.5:
            made += str(self.pick(facts["endswith"]))
        return made

    def _json(self, node: Node, depth: int) -> str:
        chance = 1.0 if self.mode == "eager" else self.roll()
        if chance < 0.06:
            return str(self.pick(DATA["no_objects"]))
        words, self._words = self._words, ORDINARY
        inner = node.children[("json",)]
        kind = "object" if self.roll() < 0.8 else self.pick(_likely(inner) or ANY)
        made = json.dumps(self._kinds[kind](self, {}, inner, "", depth + 1))
        self._words = words
        return made if chance > 0.09 else made[:-1]

    def _split(self, node: Node, depth: int) -> str:
        step, child = self.pick(node.under("split"))
        items = [inner[1] for inner in child.children if inner[0] == "item" and isinstance(inner[1], int)]
        wanted = [k + 1 for k in items if k >= 0] + [-k for k in items if k < 0]
        length = child.children.get(("len",))
        for source in length.facts.values() if length else ():
            wanted += [n for n in source if isinstance(n, int) and 0 < n < 50]
        count = self.pick(wanted) if wanted and self.roll() < 0.5 else max(wanted, default=2)
        if self.roll() < 0.15:
            count += self.pick((-1, 1, 2))
        parts = []
        for k in range(max(1, count)):
            last = child.children.get(("item", -1)) if k == count - 1 else None
            part = child.children.get(("item", k)) or last or child.children.get(("each",))
            parts.append(self.text(part, depth + 1))
        return (step[1] if isinstance(step[1], str) else " ").join(parts)

    def _partition(self, node: Node, depth: int) -> str:
        step, child = self.pick(node.under("partition"))
        before, after = (self.text(child.children.get(("item", k)), depth + 1) for k in (0, 2))
        return f"{before}{step[1]}{after}"

    def _same(self, node: Node, depth: int) -> str:
        step, child = self.pick(node.under("same"))
        made = self.text(child, depth + 1)
        if step[1] in ("strip", "lstrip", "rstrip") and self.roll() < 0.3:
            return self.pick(("  {}", "{} ", "\n{}\n", " ", "{}")).replace("{}", made)
        if step[1] in ("lower", "casefold") and self.roll() < 0.3:
            return made.upper()
        return made

    def _sliced(self, node: Node, depth: int) -> str:
        step, child = self.pick(node.under("slice"))
        low = step[1] if isinstance(step[1], int) else 0
        starts = [one for one in node.facts.get("startswith", ()) if isinstance(one, str)]
        start = ((self.pick(starts) if starts else "") + "a" * low)[: max(low, 0)]
        inner = self.text(child, depth + 1)
        if isinstance(step[2], int) and step[2] > low:
            inner = inner[: step[2] - low] + self._loose()
        return start + inner

    def _int_text(self, node: Node, depth: int) -> str:
        child = node.children.get(("int",)) or node.children.get(("float",))
        return self._loose(depth) if self.roll() < 0.15 else str(self._whole(child or node))

    def _sized(self, node: Node, depth: int) -> str:
        wanted = self._length(node)
        other = [one for one in _plan(node)[0] if one is not Generator._sized]
        made = str(self.pick(other)(self, node, depth)) if other else self._loose(1)
        if len(made) < wanted:
            made += self.pick("a 0x") * (wanted - len(made))
        return made[:wanted]

    def _length(self, node: Node) -> int:
        known = node.children.get(("len",))
        bounds = [n for facts in (known.facts.values() if known else ()) for n in facts if isinstance(n, int)]
        if bounds and self.roll() < 0.9:
            return max(0, min(60_000, self.pick(bounds) + self.pick((-1, 0, 0, 1, 1, 20))))
        return self.pick((0, 1, 2, 3, 5, 10))

    def _each_character(self, node: Node, depth: int) -> str:
        each = node.children[("each",)]
        return "".join(self.text(each, depth + 1)[:3] for _ in range(self.random.randrange(6)))

    def _equal(self, node: Node, depth: int) -> str:
        return str(self.pick(node.facts["eq"]))

    def _containing(self, node: Node, depth: int) -> str:
        token = str(self.pick(node.facts["contains"]))
        chance = self.roll()
        if chance < 0.2:
            return token
        made = f"{self._loose(1) if chance < 0.7 else ''}{token}{self._loose(1)}"
        return made if chance > 0.3 else f"{made}{self.pick(node.facts['contains'])}{self._loose(1)}"

    def _startswith(self, node: Node, depth: int) -> str:
        start = str(self.pick(node.facts["startswith"]))
        if node.under("slice") and self.roll() < 0.7:
            return self._sliced(node, depth)
        return start + self._loose(1) if self.roll() < 0.85 else start

    def _endswith(self, node: Node, depth: int) -> str:
        return self._loose(1) + str(self.pick(node.facts["endswith"]))

    def _matching(self, node: Node, depth: int) -> str:
        samples = self.pools.patterns.get(str(self.pick(node.facts["regex"])))
        if not samples:
            return self._loose(depth)
        made = self.pick(samples)
        chance = self.roll()
        if chance < 0.1:  # what a pattern with nested repetitions is slow on
            return (made[:2] or "a") * 30 + "!"
        return made if chance < 0.8 else made + self.pick(ODD)

    def _of_characters(self, node: Node, depth: int) -> str:
        letters = DATA["letters"].get(str(self.pick(node.facts["is"])), "a1")
        return "".join(self.pick(letters) for _ in range(self.pick((1, 1, 2, 3, 8))))

    def _moment(self, node: Node, depth: int) -> str:
        days = (
            self.random.randrange(1, date.max.toordinal()) if self.roll() < 0.2 else self.random.choice(YEARS)
        )
        moment = datetime.fromordinal(days).replace(tzinfo=UTC) + timedelta(
            seconds=self.random.randrange(86_400)
        )
        return moment.strftime(str(self.pick(node.facts["strptime"])))

    # --- numbers ---

    def _within(self, made: T, low: T | None, high: T | None, between: Callable[[T, T], T]) -> T:
        """Return a number within bounds, often one of them; ``between`` draws from the rest."""
        if (low is None or made >= low) and (high is None or made <= high):
            return made
        chance = self.roll()
        if low is not None and high is not None:
            return low if chance < 0.25 else high if chance < 0.5 else between(low, max(low, high))
        far = abs(made) if chance < 0.7 else 0
        return low + far if low is not None else (high or 0) - far

    def _integer(self, schema: Schema, node: Node | None, name: str = "", depth: int = 0) -> int:
        low, high = _bounds(schema)
        least, most = None if low is None else math.ceil(low), None if high is None else math.floor(high)
        made = self._within(self._whole(node), least, most, self.random.randint)
        step = schema.get("multipleOf")
        if isinstance(step, int) and step > 0:
            made -= made % step
            made += step if least is not None and made < least else 0
        return made

    def _whole(self, node: Node | None, depth: int = 0) -> int:
        if self.mode in ("minimal", "number"):
            return 0 if self.mode == "minimal" else -1
        if node is not None and depth < 6 and (node.facts or node.children):
            derived = [(step, child) for step, child in node.children.items() if step[0] in _ARITHMETIC]
            if derived and self.roll() < 0.3:
                (operation, constant), child = self.pick(derived)
                inner, by = self._whole(child, depth + 1), constant if isinstance(constant, int) else 1
                if operation == "mod" or (operation == "mul" and not by):
                    return self.random.randrange(20) * by + (inner % by if by else 0)
                return {"add": inner - by, "mul": inner // (by or 1)}.get(str(operation), inner * by)
            facts = [n for kind in ("eq", "cmp") for n in node.facts.get(kind, ())]
            constants = [n for n in facts if isinstance(n, int | float) and not isinstance(n, bool)]
            if constants and self.roll() < 0.5:
                return self._near(constants)
        chance = self.roll()
        if chance < 0.15 and self.hints.numbers:
            return self._near(self.hints.numbers)
        if chance < 0.65:
            return self.pick(INTEGERS)
        return self.random.randint(-20, 120) if chance < 0.95 else self.random.randint(-(10**9), 10**9)

    def _near(self, constants: Sequence[float]) -> int:
        return int(max(-1e18, min(1e18, self.pick(constants)))) + self.pick((-1, 0, 0, 1))

    def _number(self, schema: Schema, node: Node | None, name: str, depth: int) -> float:
        low, high = _bounds(schema)
        made = self.pick(FLOATS) if self.roll() < 0.5 else self._whole(node) + self.pick((0, 0, 0.5, -0.25))
        made = self._within(0 if self.mode == "minimal" else made, low, high, self.random.uniform)
        if made in (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")):
            inner = 1 if made == low else -1
            made = made + inner if low is None or high is None else (low + high) / 2
        return made

    # --- lists, objects, anything ---

    def _array(self, schema: Schema, node: Node | None, name: str, depth: int) -> list[object]:
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if self.mode == "minimal":
            count = 0
        elif node is not None and ("len",) in node.children and self.roll() < 0.4:
            count = min(self._length(node), 200)
        else:
            count = self.pick((0, 1, 1, 2, 2, 3, 5, 12)) if depth < 4 else self.pick((0, 1))
        fixed = schema.get("prefixItems") or ()
        count = len(fixed) or max(low, count if high is None else min(count, high))
        made = []
        for k in range(count):
            child = _first(node, ("item", k), ("each",))
            item = fixed[k] if k < len(fixed) else schema.get("items", {})
            made.append(self._value(item, child, name, depth + 1))
        if schema.get("uniqueItems"):
            made = list({json.dumps(one, sort_keys=True): one for one in made}.values())
        elif made and self.roll() < 0.1 and (high is None or len(made) < high):
            made.append(made[0])
        return made

    def _object(self, schema: Schema, node: Node | None, name: str, depth: int) -> dict[str, object]:
        properties, extra = schema.get("properties"), schema.get("additionalProperties")
        if properties:
            required = schema.get("required") or ()
            return {
                key: self._value(one, _under(node, key), key, depth + 1)
                for key, one in properties.items()
                if key in required or (depth < DEEPEST and self.mode != "minimal" and self.roll() < 0.6)
            }
        if isinstance(extra, Mapping) and extra:
            keys = _keys(node) + self.random.sample(("a", "b", "", "x y", "id"), self.pick((0, 1, 2)))
            return {
                str(key): self._value(extra, _under(node, key), str(key), depth + 1)
                for key in keys
                if self.roll() < 0.8
            }
        self._words = words_for(name)
        return {} if self.mode == "minimal" else self._any_object(node, depth)

    def _any(self, schema: Schema, node: Node | None, name: str, depth: int) -> object:
        """Return any JSON value; what the tool does with it says which type is likely."""
        if self.mode == "minimal":
            return ""
        kinds = _likely(node) if node is not None else []
        kind = self.pick(kinds) if kinds and self.roll() < 0.85 else self.pick(ANY)
        return self._kinds["string" if depth > DEEPEST else kind](self, schema, node, name, depth + 1)

    def _any_object(self, node: Node | None, depth: int) -> dict[str, object]:
        keys = _keys(node)
        made = {
            str(key): self._any({}, _under(node, key), str(key), depth + 1)
            for key in keys
            if self.mode == "eager" or self.roll() < 0.88
        }
        if not keys and depth <= 4:
            names = [word for word in self.hints.strings if word.isidentifier()] or ["a", "id", "name"]
            for key in self.random.sample(names, min(len(names), self.pick((0, 1, 1, 2, 3)))):
                made[key] = self._any({}, _under(node, key), key, depth + 1)
        elif self.roll() < 0.1:
            made[self.pick(ODD)] = self.pick(INTEGERS)
        return made

    # --- tables ---

    _kinds: ClassVar[dict[object, Callable[[Generator, Schema, Node | None, str, int], object]]] = {
        "string": _string, "integer": _integer, "number": _number, "array": _array, "object": _object,
        "boolean": lambda self, *_: self.mode != "minimal" and self.roll() < 0.5, "null": lambda *_: None,
    }  # fmt: skip
    by_step: ClassVar[dict[str, tuple[Recipe, float]]] = {
        "json": (_json, 20), "split": (_split, 6), "partition": (_partition, 6), "same": (_same, 4),
        "int": (_int_text, 3), "float": (_int_text, 3), "len": (_sized, 0.9), "each": (_each_character, 1),
        "slice": (_sliced, 2),
    }  # fmt: skip
    by_fact: ClassVar[dict[str, tuple[Recipe, float]]] = {
        "eq": (_equal, 5), "contains": (_containing, 3), "startswith": (_startswith, 4), "endswith": (_endswith, 3),
        "regex": (_matching, 5), "is": (_of_characters, 3), "strptime": (_moment, 5),
        "cmp": (_int_text, 0.5),
    }  # fmt: skip
    """What makes a text from a step that the tool takes on it, or from what the tool compares it with; its weight."""


_TYPES = {"dict": "object", "list": "array", "str": "string", "int": "integer", "float": "number"}
_ARITHMETIC = ("add", "mul", "mod", "floordiv")


def _plan(node: Node) -> tuple[list[Recipe], list[float]]:
    """Return the recipes for a node, with their weights added up."""
    steps = {step[0] for step in node.children}
    found = [one for kind, one in Generator.by_step.items() if kind in steps]
    found += [one for kind, one in Generator.by_fact.items() if kind in node.facts]
    return [recipe for recipe, _ in found], list(accumulate(float(weight) for _, weight in found))


def _likely(node: Node) -> list[str]:
    """Return types that the tool takes a value for, as often as they are likely."""
    steps = {step[0] for step in node.children}
    kinds: list[str] = []
    if "key" in steps:
        kinds += ["object"] * 3
    if "each" in steps or ("item" in steps and "key" not in steps):
        kinds += ["array"] * 2
    text = {"split", "partition", "same", "slice", "json", "int"}
    if steps & text or node.facts.keys() & {"startswith", "endswith", "regex", "contains", "is"}:
        kinds += ["string"] * 2
    if steps & set(_ARITHMETIC):
        kinds += ["integer"]
    facts = [_TYPES.get(type(one).__name__) for kind in ("eq", "cmp") for one in node.facts.get(kind, ())]
    facts += [_TYPES.get(str(one)) for one in node.facts.get("type", ())] * 4
    return kinds + [one for one in facts if one is not None]


def _first(node: Node | None, *steps: tuple[object, ...]) -> Node | None:
    found = (node.children.get(step) for step in steps) if node is not None else ()
    return next((one for one in found if one is not None), None)


def _under(node: Node | None, key: object) -> Node | None:
    return _first(node, ("key", key))


def _keys(node: Node | None) -> list[object]:
    return [step[1] for step, _ in node.under("key")] if node is not None else []


def _bounds(schema: Schema) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    far = schema.get("type") == "integer"
    if isinstance(above, int | float) and not isinstance(above, bool):
        low = above + far
    if isinstance(below, int | float) and not isinstance(below, bool):
        high = below - far
    return low, high
