"""The query as the page shows it: text, tree and constraints, and the links between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from planscope.debugger.linked import Links, Lit
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import (
    SelectedConstraint,
    SelectedNode,
    SelectedStep,
    SelectedWords,
    Selection,
)
from planscope.dissection.told import Found
from planscope.language.problem import Constraint, NodePath, Span
from planscope.language.reading import Reading
from planscope.rules.in_session import outline_in
from planscope.safe import show, visible
from planscope.session.model import Variant
from planscope.wording.constraints import brief, label
from planscope.wording.terms import ORIGINS

Json = dict[str, Any]

_NAME = 200
_LABEL = 120


class QueryView:
    """One query of a redacted session, with control characters replaced.

    Pieces of the text, nodes of the tree and constraints are numbered. What is highlighted is given as lists of
    numbers.
    """

    def __init__(self, variant: Variant, reading: Reading, found: Found | None = None) -> None:
        self.variant, self.found = variant, found
        self.problem = reading.problem
        self.outline = outline_in(reading)
        self.links = Links(reading.text, reading.problem, self.outline)
        self._text = reading.text
        self._pieces = _pieces(reading, found.spans if found is not None else ())
        self.number_of: dict[str, int] = {c.id: n for n, c in enumerate(self.problem.constraints)}
        self._lit: Json | None = None
        self._node_number: dict[NodePath, int] = {node.path: n for n, node in enumerate(self.outline)}

    def document(self) -> Json:
        shown = show(self._text, keep_newlines=True)
        return {
            "id": visible(self.variant.id, limit=_NAME),
            "timed": self.problem.timed,
            "topic": visible(self.variant.query.topic or "", limit=_NAME),
            "origin": ORIGINS.get(self.variant.origin.kind, self.variant.origin.kind),
            "pieces": [shown.part(*piece) for piece in self._pieces],
            "actions": [
                {
                    "id": a.id,
                    "name": visible(a.name, limit=_NAME),
                    "tool": visible(a.tool),
                    "hours": a.duration or 0,
                    "pieces": self._touched(self.links.mentions(a.id)),
                }
                for a in self.problem.actions
            ],
            "nodes": [
                {
                    "depth": node.depth,
                    "label": visible(node.plain, limit=_LABEL),
                    "says": self._said(node.constraints),
                }
                for node in self.outline
            ],
            "constraints": [self._constraint(c) for c in self.problem.constraints],
            "lit": self._lit if self._lit is not None else self._links(None)[0],
            "found": self._found(),
        }

    def _found(self) -> Json | None:
        """Return what the last dissection found: sentences, the pieces to blame, and the cured query."""
        found = self.found
        if found is None:
            return None
        return {
            "told": [visible(one) for one in found.sentences],
            "pieces": self._touched(found.spans),
            "cured": visible(found.cured, keep_newlines=True),
        }

    def _constraint(self, c: Constraint) -> Json:
        return {
            "id": label(c),
            "symbols": "" if c.is_rule else visible(c.text, limit=_LABEL),
            "words": brief(c, self.problem),
            "rule": c.is_rule,
            "sentence": None if c.sentence is None else c.sentence + 1,
        }

    def _said(self, ids: Iterable[str]) -> list[int]:
        return [self.number_of[c] for c in ids if c in self.number_of]

    def steps_lit(self, run: RunIndex) -> dict[str, Any]:
        """Return the links of one run: the steps for each piece, node and constraint, and everything for each step."""
        lit, steps = self._links(run)
        self._lit = lit
        return steps | {
            "steps": [self.numbers(self.links.lit(SelectedStep(i), run)) for i in range(len(run.steps))]
        }

    def _links(self, run: RunIndex | None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Yield for each piece, node and constraint what is highlighted in the query (for any run), and which steps
        are."""
        selections: dict[str, list[Selection]] = {
            "pieces": [SelectedWords(piece) for piece in self._pieces],
            "nodes": [SelectedNode(node.path) for node in self.outline],
            "constraints": [SelectedConstraint(c.id) for c in self.problem.constraints],
        }
        found = {name: [self.links.lit(s, run) for s in each] for name, each in selections.items()}
        known = self._lit or {name: [self.numbers(lit) for lit in each] for name, each in found.items()}
        return known, {name: [sorted(lit.steps) for lit in each] for name, each in found.items()}

    def numbers(self, lit: Lit) -> list[list[int]]:
        """Return the numbers of the pieces, nodes and constraints that are highlighted."""
        nodes = sorted(self._node_number[path] for path in lit.nodes if path in self._node_number)
        return [self._touched(lit.spans), nodes, sorted(self._said(lit.constraints))]

    def _touched(self, spans: Iterable[Span]) -> list[int]:
        """Return the numbers of the pieces inside the spans. Pieces and spans are in order."""
        found: set[int] = set()
        for start, end in spans:
            found.update(n for n in self._within(start, end) if self._text[slice(*self._pieces[n])].strip())
        return sorted(found)

    def _within(self, start: int, end: int) -> Iterable[int]:
        n = bisect_left(self._pieces, (start, start))
        while n < len(self._pieces) and self._pieces[n][1] <= end:
            yield n
            n += 1


def _pieces(reading: Reading, blamed: Iterable[Span]) -> list[Span]:
    """Return the spans between all places where a highlight begins or ends."""
    places = {0, len(reading.text), *(end for span in blamed for end in span)}
    for node in reading.outline:
        places.update(node.span)
    for constraint in reading.problem.constraints:
        for span in constraint.spans:
            places.update(span)
    ordered = sorted(place for place in places if 0 <= place <= len(reading.text))
    return list(pairwise(ordered))
