"""The readings with the fewest irregularities, out of Earley's forest of all readings of a sentence.

An irregularity is a rule that lenient.lark calls odd or unsaid.lark unsaid, or a verb in the singular behind a list.
They add up, so what is best for a whole is made of what is best for its parts, of those with a list and those with
one action in a verb's reach; so a forest of many readings is walked once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from lark.grammar import Rule
from lark.parsers.earley_forest import ForestNode, ForestVisitor, PackedNode, SymbolNode, TokenNode

from planscope.language.pattern_types import (
    MAX_READINGS,
    ClausePattern,
    NPPattern,
    RelativePattern,
    SentencePattern,
    Types,
    disagreements,
)
from planscope.language.tree import FORMS, Form

Part = int | NPPattern | RelativePattern | ClausePattern | SentencePattern
"""A token's place, or what was made of several."""

Parts = tuple[Part, ...]

_WORDS = ("VP", "VP0", "P", "SC", "PSC")


Lists = tuple[bool, ...]
"""Of every noun phrase among some parts, whether it names several actions: a verb behind it has yet to agree."""


def _lists(parts: Parts) -> Lists:
    return tuple([len(part.actions) + len(part.rest) > 1 for part in parts if isinstance(part, NPPattern)])


class _Best:
    """Equally good readings of a part: for each kind that a verb may tell apart, the number of irregularities and at
    most ``MAX_READINGS``, each with whether something in it is unsaid."""

    __slots__ = ("kinds",)

    def __init__(self) -> None:
        self.kinds: dict[Lists, tuple[int, dict[Parts, bool]]] = {}

    def add(self, cost: int, parts: Parts, unsaid: bool) -> None:
        kind = _lists(parts)
        least, readings = self.kinds.get(kind, (cost, {}))
        if not readings or cost < least:
            self.kinds[kind] = cost, {parts: unsaid}
        elif cost == least and (parts in readings or len(readings) < MAX_READINGS):
            readings[parts] = unsaid and readings.get(parts, True)

    def all(self) -> Iterator[tuple[int, Parts, bool]]:
        for cost, readings in self.kinds.values():
            for parts, unsaid in readings.items():
                yield cost, parts, unsaid


_NOTHING = _Best()
_NOTHING.add(0, (), False)


class _Walk(ForestVisitor):
    """Readings of every node, from the leaves up."""

    def __init__(self, types: Types, numbers: Sequence[str]) -> None:
        super().__init__(single_visit=True)  # type: ignore[no-untyped-call]  # Lark's forests are not annotated
        self.types = types
        self.numbers = numbers
        self.best: dict[int, _Best] = {}

    def visit_symbol_node_in(self, node: SymbolNode) -> Iterator[PackedNode]:
        return iter(node.children)

    def visit_packed_node_in(self, node: PackedNode) -> Iterator[ForestNode]:
        return iter(node.children)

    def visit_symbol_node_out(self, node: SymbolNode) -> None:
        best = self.best[id(node)] = _Best()
        for packed in node.children:
            left, right = self._of(packed.left), self._of(packed.right)
            for (cost, one, gap), (more, other, lack) in product(left.all(), right.all()):
                if node.is_intermediate:
                    best.add(cost + more, one + other, gap or lack)
                else:
                    self._complete(best, packed.rule, cost + more, one + other, gap or lack)

    def _of(self, node: Any) -> _Best:
        if node is None:
            return _NOTHING
        if isinstance(node, TokenNode):
            leaf = _Best()
            leaf.add(0, (int(node.token),), False)
            return leaf
        return self.best[id(node)]

    def _complete(self, best: _Best, rule: Rule, cost: int, parts: Parts, unsaid: bool) -> None:
        name = str(rule.alias or rule.origin.name)
        if name.startswith("odd_"):
            best.add(cost + 1, parts, unsaid)
        elif name.startswith("unsaid_"):
            best.add(cost + 1, parts, True)
        elif name in FORMS:
            clause = self._clause(name, parts)
            best.add(cost + disagreements(clause, self.numbers), (clause,), unsaid)
        else:
            best.add(cost, self._node(name, parts), unsaid)

    def _node(self, name: str, parts: Parts) -> Parts:
        match name:
            case "sentence":
                clauses = tuple(part for part in parts if isinstance(part, ClausePattern))
                return (SentencePattern(clauses, self._conj(parts[1:-2])),)
            case "relative":
                words = self._places(parts, *_WORDS)
                which, target = parts[0], parts[-1]
                assert isinstance(which, int) and isinstance(target, int | NPPattern)
                return (RelativePattern("direct" if len(words) == 1 else "adjunct", which, words, target),)
            case "subject" | "object" | "plain":
                if time := self._places(parts, "TIME"):
                    return time
                relative = next((part for part in parts if isinstance(part, RelativePattern)), None)
                end = len(parts) if relative is None else parts.index(relative)
                actions, rest = self._places(parts[:end], "ACTION"), self._places(parts[end:], "ACTION")
                return (NPPattern(actions, relative, rest),)
        return parts

    def _clause(self, form: Form, parts: Parts) -> ClausePattern:
        words = self._places(parts, *_WORDS)
        first, second = (part for part in parts if isinstance(part, NPPattern) or self._is(part, "TIME"))
        subject, target = (second, first) if "fronted" in form else (first, second)
        assert isinstance(subject, NPPattern) and isinstance(target, int | NPPattern)
        return ClausePattern(form, subject, target, words)

    def _conj(self, marks: Parts) -> int | None:
        """The place of the conjunction: a comma only where nothing else is."""
        places = self._places(marks, "SEMI", "AND", "BUT", "WHILE") or self._places(marks, "COMMA")
        return places[0] if places else None

    def _is(self, part: Part, *types: str) -> bool:
        return isinstance(part, int) and self.types[part] in types

    def _places(self, parts: Iterable[Part], *types: str) -> tuple[int, ...]:
        return tuple(part for part in parts if isinstance(part, int) and self.types[part] in types)


def fewest(root: SymbolNode, types: Types, numbers: Sequence[str]) -> Iterator[tuple[Part, int, bool]]:
    """The best readings of a forest: a clause or sentence, its irregularities, whether something is unsaid.

    ``numbers``: by place, a verb's ("s", "p", or "" where its form does not tell).
    """
    walk = _Walk(types, numbers)
    walk.visit(root)  # type: ignore[no-untyped-call]  # as above
    best = walk.best[id(root)]
    for cost, parts, unsaid in best.all():
        yield parts[0], cost, unsaid
