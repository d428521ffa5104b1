"""Draws arguments that a JSON schema accepts, led by what is known of the tool (``nodes.py``).

A value that the tool takes apart is put together backwards: for ``query.split(": ")[1] == "map"`` a text with ``": "``
and ``map`` behind it. The rest comes from words by meaning, constants of the code, boundaries, odd strings, and texts
drawn by Hypothesis.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Any

from planscope.toolfuzz.nodes import Node
from planscope.toolfuzz.source import Hints
from planscope.toolfuzz.words import LISTS, ODD, ORDINARY, words_for

DEEPEST = 8
"""Values that are drawn nest at most this deep; what is sent may nest 20 deep."""

LENGTHS = (
    1,
    2,
    3,
    10,
    31,
    32,
    63,
    64,
    65,
    99,
    100,
    101,
    127,
    128,
    129,
    140,
    141,
    255,
    256,
    257,
    281,
    300,
    512,
    1000,
    1025,
    5000,
)
INTEGERS = (
    0, 1, -1, 2, 3, 5, 7, 10, 12, 13, 31, 32, 42, 59, 60, 61, 99, 100, 101, 127, 128, 255, 256, 365, 366, 999, 1000,
    1001, 1024, 4096, 9999,
    10000, 65535, 65536, 10**6, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63 - 1, 2**63, -(2**63), 10**20, -2,
    -10, -100, -1000, -273, -300,
)  # fmt: skip
FLOATS = (
    0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.1,
    1e-9,
    1e9,
    -1e9,
    100.0,
    20.5,
    1e308,
    -1e308,
    5e-324,
    1e16,
    3.14159,
    -0.0,
    273.15,
    -300.0,
    99.9,
)
FORMATS: dict[str, tuple[str, ...]] = {
    "date": ("2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"),
    "date-time": ("2026-01-31T07:30:00Z", "2024-02-29T23:59:59+02:00", "0001-01-01T00:00:00Z"),
    "time": ("07:30:00", "23:59:59", "00:00:00Z"),
    "email": ("ada@example.com", "a.b+c@example.org"),
    "uri": ("https://example.com/", "http://localhost:1/x?y=z"),
    "uuid": ("00000000-0000-0000-0000-000000000000", "123e4567-e89b-42d3-a456-426614174000"),
    "ipv4": ("192.0.2.1", "0.0.0.0"),
    "ipv6": ("::1", "2001:db8::1"),
    "duration": ("P1D", "PT0S", "P1Y2M3DT4H5M6S"),
    "binary": ("a",),
    "regex": (".*",),
}
CHARACTER = {
    "isdigit": "0123456789", "isdecimal": "0123456789", "isnumeric": "0123456789²", "isalpha": "abcXYZä",
    "isalnum": "abc123Z", "isspace": " \t\n",
    "isupper": "ABC", "islower": "abc", "isidentifier": "abc_",
}  # fmt: skip


@dataclass
class Pools:
    """Values that Hypothesis has drawn: texts, and samples of regular expressions.

    ``meant``: texts that a model gave for an argument, by its name.
    """

    texts: list[str] = field(default_factory=lambda: ["a"])
    patterns: dict[str, list[str]] = field(default_factory=dict)
    meant: dict[str, tuple[str, ...]] = field(default_factory=dict)


Recipe = Callable[[Node, Random, tuple[str, ...], int], Any]


class Generator:
    """Draws the argument object of one tool."""

    def __init__(
        self, schema: Mapping[str, Any], roots: Mapping[str, Node], hints: Hints, pools: Pools
    ) -> None:
        self.schema, self.roots, self.hints, self.pools = schema, roots, hints, pools
        self._definitions = schema.get("$defs") or schema.get("definitions") or {}
        self._plans: dict[int, tuple[int, list[Recipe], list[float]]] = {}
        self._mode = ""

    def arguments(self, random: Random, mode: str = "") -> dict[str, object]:
        """Return one argument object. ``mode``: all of a kind (``minimal``, ``long``, ...), or mixed."""
        self._mode = mode
        made: dict[str, object] = {}
        properties = self.schema.get("properties") or {}
        required = self.schema.get("required") or ()
        texts: list[str] = []
        for name, one in properties.items():
            if name not in required and (mode == "minimal" or (not mode and random.random() < 0.3)):
                continue
            value = self.value(one, self.roots.get(name), random, name, 0)
            if isinstance(value, str):
                if texts and random.random() < 0.06 and "enum" not in one and one.get("type") == "string":
                    value = texts[-1]
                texts.append(value)
            made[name] = value
        return made

    def argument(self, name: str, random: Random) -> object:
        """Return a new value for one argument."""
        self._mode = ""
        return self.value(self.schema["properties"][name], self.roots.get(name), random, name, 0)

    def value(self, schema: Any, node: Node | None, random: Random, name: str, depth: int) -> object:
        """Return a value that the schema accepts, or nearly always does."""
        if not isinstance(schema, Mapping):
            schema = {}
        for _ in range(20):
            if "$ref" not in schema:
                break
            schema = {
                **self._definitions.get(str(schema["$ref"]).rpartition("/")[2], {}),
                **{k: v for k, v in schema.items() if k != "$ref"},
            }
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return random.choice(schema["enum"])
        if "allOf" in schema:
            merged: dict[str, object] = {k: v for k, v in schema.items() if k != "allOf"}
            for part in schema["allOf"]:
                if isinstance(part, Mapping):
                    merged = {
                        **self._definitions.get(str(part.get("$ref")).rpartition("/")[2], part),
                        **merged,
                    }
            return self.value(merged, node, random, name, depth)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return self.value(self._option(options, node, random, depth), node, random, name, depth)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = random.choice(kind)
        if kind == "string":
            return self._string(schema, node, random, name)
        if kind == "integer":
            return self._integer(schema, node, random)
        if kind == "number":
            return self._number(schema, node, random)
        if kind == "boolean":
            return self._mode != "minimal" and random.random() < 0.5
        if kind == "null":
            return None
        if kind == "array":
            return self._array(schema, node, random, name, depth)
        if kind == "object" or "properties" in schema:
            return self._object(schema, node, random, name, depth)
        return self._anything(node, random, words_for(name, str(schema.get("description", ""))), depth)

    def _option(self, options: list[Any], node: Node | None, random: Random, depth: int) -> object:
        null = [one for one in options if isinstance(one, Mapping) and one.get("type") == "null"]
        rest = [one for one in options if one not in null]
        if null and (depth > DEEPEST or not rest or random.random() < 0.25):
            return null[0]
        return random.choice(rest) if rest else {}

    # --- strings ---

    def _string(self, schema: Mapping[str, Any], node: Node | None, random: Random, name: str) -> str:
        low = schema.get("minLength", 0)
        high = schema.get("maxLength")
        pattern, kind = schema.get("pattern"), schema.get("format")
        if pattern in self.pools.patterns and random.random() < 0.95:
            made = random.choice(self.pools.patterns[pattern])
        elif kind in FORMATS and random.random() < 0.95:
            made = random.choice(FORMATS[kind])
        else:
            words = self.pools.meant.get(name, ()) + words_for(name, str(schema.get("description", "")))
            made = self.text(node, random, words, 0)
            if high is not None and low is not None and random.random() < 0.2:
                made = (made or "a") * (high // max(1, len(made)) + 1)
                made = made[: random.choice((low, high))]
        if low and len(made) < low:
            made += "a" * (low - len(made))
        return made[:high] if high is not None else made

    def text(self, node: Node | None, random: Random, words: tuple[str, ...], depth: int) -> str:
        """Return a text for this node."""
        if self._mode and depth == 0:
            fixed = {
                "minimal": "",
                "long": "a" * 5000,
                "null": "a\0b",
                "unicode": "京都 ä\u202e👩‍👩‍👧",
                "number": "-1",
            }.get(self._mode)
            if fixed is not None:
                return fixed
        if node is not None and (node.children or node.facts) and random.random() < 0.87:
            return str(self._planned(node, random, words, depth))
        return self._loose(random, words, depth)

    def _loose(self, random: Random, words: tuple[str, ...], depth: int = 0) -> str:
        """Return a text that the tool's code says nothing about. Inside another one it is rarely long."""
        chance = random.random()
        if depth and 0.8 <= chance < 0.93 and random.random() < 0.85:
            chance = random.random() * 0.8
        if chance < 0.4:
            return random.choice(words)
        if chance < 0.55 and self.hints.strings:
            made = random.choice(self.hints.strings)
            return made if random.random() < 0.7 else f"{made}{random.choice(ODD)}"
        if chance < 0.8:
            return random.choice(ODD)
        if chance < 0.88:
            return random.choice("a0 x.") * random.choice(LENGTHS)
        if chance < 0.9:
            return "".join(random.choice(ODD) for _ in range(4))
        if chance < 0.93:
            return random.choice(("()[]{}"[0:2], "([", "((", "))", "{{", '"')) * random.choice(
                (1, 40, 400, 2000)
            )
        return random.choice(self.pools.texts)

    def _planned(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> object:
        """Follow one of the node's recipes for a text."""
        if depth > DEEPEST:
            return self._loose(random, words, depth)
        size = len(node.children) * 1000 + sum(map(len, node.facts.values()))
        plan = self._plans.get(id(node))
        if plan is None or plan[0] != size:
            plan = self._plans[id(node)] = (size, *self._plan(node))
        if not plan[1] or (plan[2][-1] < 0.6 and random.random() < 0.6):  # a weak hint is not all there is
            return self._loose(random, words, depth)
        recipe = random.choices(plan[1], cum_weights=plan[2])[0]
        made = recipe(node, random, words, depth)
        if not isinstance(made, str):
            return made
        facts = node.facts
        if "startswith" in facts and recipe != self._startswith and random.random() < 0.4:
            start = random.choice(facts["startswith"])
            if isinstance(start, str) and not made.startswith(start):
                made = start + made
        if "endswith" in facts and recipe != self._endswith and random.random() < 0.5:
            made += str(random.choice(facts["endswith"]))
        return made

    def _plan(self, node: Node) -> tuple[list[Recipe], list[float]]:
        found: list[tuple[Recipe, float]] = []
        steps = {step[0] for step in node.children}
        for kind, recipe, weight in (
            ("json", Generator._json, 8), ("split", Generator._split, 6), ("partition", Generator._partition, 6),
            ("same", Generator._same, 4),
            ("csv", Generator._csv, 8), ("int", Generator._int_text, 3), ("float", Generator._int_text, 3), ("len",
            Generator._sized, 0.9),
            ("each", Generator._each_character, 1), ("slice", Generator._sliced, 2), ("key", Generator._same, 0.5),
            ("item", Generator._each_character, 0.5),
        ):  # fmt: skip
            if kind in steps:
                found.append((recipe.__get__(self), float(weight)))
        for kind, recipe, weight in (
            ("eq", Generator._equal, 5), ("contains", Generator._containing, 3), ("startswith",
            Generator._startswith, 4), ("endswith", Generator._endswith, 3),
            ("regex", Generator._matching, 5), ("is", Generator._of_characters, 3), ("strptime", Generator._moment,
            5), ("meaning", Generator._path, 6),
            ("cmp", Generator._int_text, 0.5),
        ):  # fmt: skip
            if kind in node.facts:
                found.append((recipe.__get__(self), float(weight)))
        return [recipe for recipe, _ in found], list(accumulate(weight for _, weight in found))

    def _text_children(self, node: Node, kind: str) -> list[tuple[tuple[object, ...], Node]]:
        return [(step, child) for step, child in node.children.items() if step[0] == kind]

    def _json(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        chance = random.random()
        if chance < 0.06:
            return random.choice(
                ("{", "[1,", "", "nope", '{"a": 1', "{'a': 1}", "[]", "{}", "null", "1", '"x"')
            )
        made = json.dumps(self._anything(node.children[("json",)], random, ORDINARY, depth + 1, want=dict))
        return made if chance > 0.09 else made[:-1]

    def _split(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        step, child = random.choice(self._text_children(node, "split"))
        separator = step[1] if isinstance(step[1], str) else " "
        items = [inner[1] for inner in child.children if inner[0] == "item" and isinstance(inner[1], int)]
        wanted = [k + 1 for k in items if k >= 0] + [-k for k in items if k < 0]
        length = child.children.get(("len",))
        for source in (child.facts.get("parts", ()), *(length.facts.values() if length else ())):
            wanted += [n for n in source if isinstance(n, int) and 0 < n < 50]
        count = random.choice(wanted) if wanted and random.random() < 0.5 else max(wanted, default=2)
        if random.random() < 0.15:
            count += random.choice((-1, 1, 2))
        each = child.children.get(("each",))
        parts = []
        for k in range(max(1, count)):
            part = child.children.get(("item", k)) or (
                child.children.get(("item", -1)) if k == count - 1 else None
            )
            parts.append(self.text(part or each, random, words, depth + 1))
        return separator.join(parts)

    def _partition(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        step, child = random.choice(self._text_children(node, "partition"))
        ends = [self.text(child.children.get(("item", k)), random, words, depth + 1) for k in (0, 2)]
        return f"{ends[0]}{step[1]}{ends[1]}"

    def _same(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        children = self._text_children(node, "same") or self._text_children(node, "key")
        step, child = random.choice(children)
        made = self.text(child, random, words, depth + 1)
        if step[1] in ("strip", "lstrip", "rstrip") and random.random() < 0.3:
            return random.choice(("  {}", "{} ", "\n{}\n", " ", "{}")).replace("{}", made)
        if step[1] in ("lower", "casefold") and random.random() < 0.3:
            return made.upper()
        return made

    def _sliced(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        step, child = random.choice(self._text_children(node, "slice"))
        low = step[1] if isinstance(step[1], int) else 0
        starts = [one for one in node.facts.get("startswith", ()) if isinstance(one, str)]
        start = random.choice(starts) if starts else ""
        if low > 0:
            start = start[:low] + "abcdefgh"[: max(0, low - len(start))] + "a" * max(0, low - len(start) - 8)
        else:
            start = ""
        inner = self.text(child, random, words, depth + 1)
        if isinstance(step[2], int) and step[2] > low:
            wide = step[2] - low
            inner = inner[:wide] + self._loose(random, words)
        return start + inner

    def _int_text(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        child = node.children.get(("int",)) or node.children.get(("float",))
        if random.random() < 0.15:
            return self._loose(random, words, depth)
        return str(self._integer({}, child or node, random))

    def _sized(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        wanted = self._length(node, random)
        other = [k for k in self._plans.get(id(node), (0, [], []))[1] if k != self._sized]
        made = (
            str(random.choice(other)(node, random, words, depth)) if other else self._loose(random, words, 1)
        )
        if len(made) < wanted:
            made += random.choice("a 0x") * (wanted - len(made))
        return made[:wanted]

    def _length(self, node: Node, random: Random) -> int:
        known = node.children.get(("len",))
        bounds = [n for facts in (known.facts.values() if known else ()) for n in facts if isinstance(n, int)]
        if bounds and random.random() < 0.9:
            return max(0, min(60_000, random.choice(bounds) + random.choice((-1, 0, 0, 1, 1, 20))))
        return random.choice((0, 1, 2, 3, 5, 10))

    def _each_character(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        each = node.children.get(("each",))
        if each is None:
            return self._loose(random, words, depth)
        return "".join(self.text(each, random, words, depth + 1)[:3] for _ in range(random.randrange(6)))

    def _csv(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        _, child = random.choice(self._text_children(node, "csv"))
        each = child.children.get(("each",), child)
        keys = [step[1] for holder in (each, child) for step in holder.children if step[0] == "key"]
        names = list(
            dict.fromkeys(keys + [word for word in self.hints.strings if word.isidentifier()][:6])
        ) or ["a", "b"]
        header = [name for name in names if random.random() < 0.6] or names[:1]
        rows = [
            ",".join(random.choice(("1", "", "x", "-2.5", '"a,b"',
            "nan")) for _ in range(len(header) + random.choice((0, 0, 0, -1, 1))))
            for _ in range(random.randrange(4))
        ]  # fmt: skip
        return "\n".join([",".join(header), *rows])

    def _equal(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        return str(random.choice(node.facts["eq"]))

    def _containing(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        token = str(random.choice(node.facts["contains"]))
        chance = random.random()
        if chance < 0.2:
            return token
        before, after = self._loose(random, words, 1), self._loose(random, words, 1)
        if chance < 0.3:
            return before + token + after + str(random.choice(node.facts["contains"])) + before
        return before + token + after if chance < 0.7 else token + after

    def _startswith(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        start = str(random.choice(node.facts["startswith"]))
        if self._text_children(node, "slice") and random.random() < 0.7:
            return self._sliced(node, random, words, depth)
        return start + self._loose(random, words, 1) if random.random() < 0.85 else start

    def _endswith(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        return self._loose(random, words, 1) + str(random.choice(node.facts["endswith"]))

    def _matching(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        samples = self.pools.patterns.get(str(random.choice(node.facts["regex"])))
        if not samples:
            return self._loose(random, words, depth)
        made = random.choice(samples)
        chance = random.random()
        if chance < 0.1:  # what a pattern with nested repetitions is slow on
            return (made[:2] or "a") * 30 + "!"
        return made if chance < 0.8 else made + random.choice(ODD)

    def _of_characters(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        letters = CHARACTER.get(str(random.choice(node.facts["is"])), "a1")
        return "".join(random.choice(letters) for _ in range(random.choice((1, 1, 2, 3, 8))))

    def _moment(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        made = str(random.choice(node.facts["strptime"]))
        odd = random.random() < 0.2
        for code, low, high in (
            ("%Y", 1 if odd else 1990, 9999 if odd else 2035), ("%m", 1, 13 if odd else 12), ("%d", 1, 31), ("%H",
            0, 23), ("%I", 1, 12),
            ("%M", 0, 59), ("%S", 0, 59), ("%y", 0, 99), ("%f", 0, 999999),
        ):  # fmt: skip
            made = made.replace(code, str(random.randint(low, high)).zfill(4 if code == "%Y" else 2))
        return (
            made.replace("%p", "PM")
            .replace("%b", "Jan")
            .replace("%B", "January")
            .replace("%A", "Monday")
            .replace("%z", "+0000")
            .replace("%Z", "UTC")
        )

    def _path(self, node: Node, random: Random, words: tuple[str, ...], depth: int) -> str:
        return random.choice(_PATHS) if random.random() < 0.8 else self._loose(random, words)

    # --- numbers ---

    def _integer(self, schema: Mapping[str, Any], node: Node | None, random: Random) -> int:
        made = self._whole(node, random, 0)
        low, high = _bounds(schema)
        low_end = int(-(-low // 1)) if low is not None else None
        high_end = int(high // 1) if high is not None else None
        if (low_end is not None and made < low_end) or (high_end is not None and made > high_end):
            chance = random.random()
            if low_end is not None and high_end is not None:
                made = (
                    low_end
                    if chance < 0.25
                    else high_end
                    if chance < 0.5
                    else random.randint(low_end, max(low_end, high_end))
                )
            else:
                end = low_end if low_end is not None else high_end
                assert end is not None
                far = abs(random.choice(INTEGERS))
                made = end if chance < 0.3 else end + (far if low_end is not None else -far)
        step = schema.get("multipleOf")
        if isinstance(step, int) and step > 0:
            made -= made % step
            made += step if low_end is not None and made < low_end else 0
        return made

    def _whole(self, node: Node | None, random: Random, depth: int) -> int:
        if self._mode == "minimal":
            return 0
        if self._mode == "number":
            return -1
        if node is not None and depth < 6 and (node.facts or node.children):
            derived = [
                (step, child)
                for step, child in node.children.items()
                if step[0] in ("add", "mul", "mod", "floordiv")
            ]
            if derived and random.random() < 0.3:
                step, child = random.choice(derived)
                inner, by = self._whole(child, random, depth + 1), step[1] if isinstance(step[1], int) else 1
                if step[0] == "add":
                    return inner - by
                if step[0] == "mul" and by:
                    return inner // by
                if step[0] == "floordiv":
                    return inner * by
                return random.randrange(20) * by + (inner % by if by else 0)
            constants = [
                n for kind in ("eq", "cmp") for n in node.facts.get(kind, ()) if isinstance(n,
                int | float) and not isinstance(n, bool)
            ]  # fmt: skip
            if constants and random.random() < 0.5:
                return int(max(-1e18, min(1e18, random.choice(constants)))) + random.choice((-1, 0, 0, 1))
        chance = random.random()
        if chance < 0.15 and self.hints.numbers:
            return int(max(-1e18, min(1e18, random.choice(self.hints.numbers)))) + random.choice(
                (-1, 0, 0, 1)
            )
        if chance < 0.65:
            return random.choice(INTEGERS)
        return random.randint(-20, 120) if chance < 0.95 else random.randint(-(10**9), 10**9)

    def _number(self, schema: Mapping[str, Any], node: Node | None, random: Random) -> float | int:
        low, high = _bounds(schema)
        if self._mode == "minimal":
            made: float | int = 0
        elif random.random() < 0.5:
            made = random.choice(FLOATS)
        else:
            made = self._whole(node, random, 0) + random.choice((0, 0, 0.5, -0.25))
        if (low is not None and made < low) or (high is not None and made > high):
            if low is not None and high is not None:
                chance = random.random()
                made = (
                    low if chance < 0.15 else high if chance < 0.3 else low + (high - low) * random.random()
                )
            else:
                made = (low or 0) + abs(made) % 1e6 if low is not None else (high or 0) - abs(made) % 1e6
        if schema.get("exclusiveMinimum") == made:
            made = made + (min(1.0, (high - made) / 2) if high is not None else 1)
        if schema.get("exclusiveMaximum") == made:
            made = made - (min(1.0, (made - low) / 2) if low is not None else 1)
        return made

    # --- lists, objects, anything ---

    def _array(
        self, schema: Mapping[str, Any], node: Node | None, random: Random, name: str, depth: int
    ) -> list[object]:
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if self._mode == "minimal":
            count = 0
        elif node is not None and ("len",) in node.children and random.random() < 0.4:
            count = min(self._length(node, random), 200)
        else:
            count = random.choice((0, 1, 1, 2, 2, 3, 5, 12)) if depth < 4 else random.choice((0, 1))
        count = max(low, count if high is None else min(count, high))
        fixed = schema.get("prefixItems") or ()
        items = schema.get("items", {})
        if fixed:
            count = len(fixed)
        made = []
        for k in range(count):
            child = None
            if node is not None:
                child = (
                    node.children.get(("item", k))
                    or node.children.get(("each",))
                    or node.children.get(("values",))
                )
            made.append(self.value(fixed[k] if k < len(fixed) else items, child, random, name, depth + 1))
        if schema.get("uniqueItems"):
            made = list({json.dumps(one, sort_keys=True): one for one in made}.values())
        elif made and random.random() < 0.1:
            made.append(made[0]) if high is None or len(made) < high else None
        return made

    def _object(
        self, schema: Mapping[str, Any], node: Node | None, random: Random, name: str, depth: int
    ) -> dict[str, object]:
        properties = schema.get("properties")
        if not properties:
            extra = schema.get("additionalProperties")
            if isinstance(extra, Mapping) and extra:
                keys = [step[1] for step in node.children if step[0] == "key"] if node is not None else []
                keys += random.sample(("a", "b", "", "x y", "id"), random.choice((0, 1, 2)))
                return {
                    str(key): self.value(extra, self._key(node, key), random, str(key), depth + 1)
                    for key in keys
                    if random.random() < 0.8
                }
            made = self._anything(node, random, words_for(name), depth, want=dict, always=True)
            return made if isinstance(made, dict) else {}
        required = schema.get("required") or ()
        return {
            key: self.value(one, self._key(node, key), random, key, depth + 1)
            for key, one in properties.items()
            if key in required or (depth < DEEPEST and self._mode != "minimal" and random.random() < 0.6)
        }

    @staticmethod
    def _key(node: Node | None, key: object) -> Node | None:
        if node is None:
            return None
        return node.children.get(("key", key)) or node.children.get(("values",))

    def _anything(
        self, node: Node | None, random: Random, words: tuple[str, ...], depth: int, want: type | None = None,
        always: bool = False
    ) -> object:  # fmt: skip
        """Return any JSON value; what the tool does with it says which type is likely."""
        if self._mode == "minimal":
            return {} if want is dict else ""
        kinds: list[type] = []
        if node is not None:
            steps = {step[0] for step in node.children}
            facts = [type(one) for kind in ("eq", "cmp") for one in node.facts.get(kind, ())]
            if "key" in steps or "values" in steps:
                kinds += [dict] * 3
            if steps & {"each", "parts"} or ("item" in steps and "key" not in steps):
                kinds += [list] * 2
            if steps & {"split", "partition", "same", "slice", "json", "int"} or node.facts.keys() & {
                "startswith",
                "endswith",
                "regex",
                "contains",
                "is",
            }:
                kinds += [str] * 2
            if steps & {"add", "mul", "mod", "floordiv"}:
                kinds += [int]
            kinds += [kind for kind in facts if kind in (str, int, float)]
            kinds += [
                {"dict": dict, "list": list, "str": str, "int": int, "float": float, "bool": bool}.get(
                    str(one), str
                )
                for one in node.facts.get("type", ())
            ] * 2
        chance = random.random()
        if always and want is not None:
            kind = want
        elif kinds and chance < 0.85:
            kind = random.choice(kinds)
        elif want is not None and chance < 0.95:
            kind = want
        elif depth > DEEPEST:
            kind = str
        else:
            kind = random.choice((str, str, str, int, int, dict, dict, list, float, bool, type(None)))
        if kind is dict:
            keys = [step[1] for step in node.children if step[0] == "key"] if node is not None else []
            made = {
                str(key): self._anything(self._key(node, key), random, words, depth + 1)
                for key in keys
                if random.random() < 0.88
            }
            if not keys and depth <= 4:
                names = [word for word in self.hints.strings if word.isidentifier()] or ["a", "id", "name"]
                for key in random.sample(names, min(len(names), random.choice((0, 1, 1, 2, 3)))):
                    made[key] = self._anything(self._key(node, key), random, words, depth + 1)
            elif random.random() < 0.1:
                made[random.choice(ODD)] = random.choice(INTEGERS)
            return made
        if kind is list:
            count = random.choice((0, 1, 2, 3)) if depth < 5 else 0
            if node is None:
                return [self._anything(None, random, words, depth + 1) for _ in range(count)]
            children = [node.children.get(("item", k)) or node.children.get(("each",)) for k in range(count)]
            return [self._anything(child, random, words, depth + 1) for child in children]
        if kind is int:
            return self._whole(node, random, 0)
        if kind is float:
            return random.choice(FLOATS)
        if kind is bool:
            return random.random() < 0.5
        return self.text(node, random, words, depth + 1) if kind is str else None


def _bounds(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, int | float) and not isinstance(above, bool):
        low = above + 1 if schema.get("type") == "integer" else above
    if isinstance(below, int | float) and not isinstance(below, bool):
        high = below - 1 if schema.get("type") == "integer" else below
    return low, high


_PATHS = LISTS["path|file|filename|folder|dir|directory|destination|source"]


def depth_of(value: Any, deepest: int = 30) -> int:
    """Return how deep a JSON value nests, at most ``deepest``."""
    if deepest <= 0 or not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max((depth_of(one, deepest - 1) for one in inner), default=0)
