"""The query as the page shows it: text, tree and constraints, and the links between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

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
from planscope.drawing.tree import guides
from planscope.language.outline import OutlineNode
from planscope.language.problem import Constraint, NodePath, Span
from planscope.language.reading import Reading
from planscope.report import action_rows, status_text
from planscope.rules.in_session import outline_in
from planscope.safe import clip
from planscope.session.model import Variant
from planscope.show.blocks import Block, Heading, Marked, Own, Para, Part, Rows, Toned, Words
from planscope.wording.constraints import brief, label
from planscope.wording.terms import ORIGINS, STATUS_ROLES

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

Numbers = list[list[int]]
"""For each list of a query, the numbers of the rows that are lit."""

_LABEL = 120
PIECES = 200


class QueryView:
    """One query of a session. Pieces of the text, nodes of the tree and constraints are numbered."""

    def __init__(self, variant: Variant, reading: Reading, task: str, found: Found | None) -> None:
        """``task``: what an agent without a query was asked. ``found``: what a dissection blames."""
        self.variant, self.task = variant, task
        self.problem = reading.problem
        self.outline = outline_in(reading)
        self.links = Links(reading.text, reading.problem, self.outline)
        self.required = not task
        self._text = reading.text
        self._blamed = found.spans if found is not None else ()
        self._pieces = _pieces(reading, self._blamed)
        self.number_of: dict[str, int] = {c.id: n for n, c in enumerate(self.problem.constraints)}
        self._node_number: dict[NodePath, int] = {node.path: n for n, node in enumerate(self.outline)}
        self.lit: Mapping[str, Sequence[Numbers]] = {}

    def part(self, place: str, run: Replay, spare: bool) -> Part:
        """Return text and actions, tree, and constraints, each in a pane; a pane without content is left out.

        ``run``: its last step says what the constraints are.
        """
        return Part("query", [*self._panes(run)], place=place, spare=spare)

    def _panes(self, run: Replay) -> Iterator[Block]:
        kind = self.variant.origin.mutation or self.variant.origin.kind
        notes = (ORIGINS.get(kind, kind), "timed" * self.problem.timed, self.variant.query.topic)
        about = Toned(" · ".join(filter(None, notes)), "dim")
        asked: list[Block] = [*self._words()]
        if self.task:
            asked = [Para(self.task, keep=True)]
        if self.problem.actions:
            title = "Actions" if self.required else "Tools"
            asked += [Heading(title, 4), Rows("actions", [(" ", *row) for row in action_rows(self.problem)])]
        yield Part("pane p1", asked, (Toned("1", "call"), Own(" Task " if self.task else " Query "), about))
        if self.outline:
            lines = guides([node.depth for node in self.outline])
            rows = [
                (line + clip(node.plain, _LABEL), Toned(self._name(node), "dim"))
                for line, node in zip(lines, self.outline, strict=True)
            ]
            yield Part("pane p2", [Rows("tree", rows)], (Toned("2", "call"), Own(" Tree")))
        if self.problem.constraints:
            last = len(run.steps) - 1
            core = run.steps[last].core
            clash = frozenset(core.constraints if core is not None else ())
            constraints = [
                self._constraint(c, self.status(run, last, c.id, clash)) for c in self.problem.constraints
            ]
            yield Part(
                "pane p3", [Rows("constraints", constraints)], (Toned("3", "call"), Own(" Constraints"))
            )

    def _words(self) -> Iterator[Rows]:
        """Return the text in its pieces; a long one in several lists, which end with a sentence."""
        rows: list[Sequence[Words]] = []
        for start, end in self._pieces:
            blamed = any(a <= start and end <= b for a, b in self._blamed)
            text = self._text[start:end]
            rows.append([Marked(text) if blamed else text])
            if len(rows) >= PIECES and ("." in text or "\n" in text):
                yield Rows("text", rows)
                rows = []
        yield Rows("text", rows)

    def _name(self, node: OutlineNode) -> str:
        """Name the one constraint of a node that does not say it itself."""
        names = [label(self.problem.by_id[id]) for id in node.constraints]
        return names[0] if len(names) == 1 and names[0] != node.plain else ""

    def _constraint(self, c: Constraint, status: tuple[str, str]) -> Sequence[Words]:
        where = "" if c.sentence is None else f"sentence {c.sentence + 1}"
        symbols = "" if c.is_rule else clip(c.text, _LABEL)
        return Toned(*status), Toned(label(c), "dim"), brief(c, self.problem), Toned(where, "dim"), symbols

    def status(self, run: Replay, index: int, constraint: str, core: Collection[str]) -> tuple[str, str]:
        """Return what a constraint is after a step, and its tone."""
        c = self.problem.by_id[constraint]
        role = "core" if constraint in core else STATUS_ROLES[run.status(constraint, index)]
        return status_text(run, index, c, core), role

    def steps_lit(self, run: RunIndex) -> dict[str, Any]:
        """Return the links of one run: the steps for each piece, node and constraint, and everything for each step."""
        selections: dict[str, list[Selection]] = {
            "text": [SelectedWords(piece) for piece in self._pieces],
            "tree": [SelectedNode(node.path) for node in self.outline],
            "constraints": [SelectedConstraint(c.id) for c in self.problem.constraints],
        }
        found = {name: [self.links.lit(s, run) for s in each] for name, each in selections.items()}
        # What is lit in the query is the same for every run.
        self.lit = self.lit or {name: [self.numbers(lit) for lit in each] for name, each in found.items()}
        steps = [self.numbers(self.links.lit(SelectedStep(i), run)) for i in range(len(run.steps))]
        return {name: [sorted(lit.steps) for lit in each] for name, each in found.items()} | {"steps": steps}

    def numbers(self, lit: Lit) -> Numbers:
        """Return the numbers of the pieces, nodes and constraints that are highlighted."""
        nodes = sorted(self._node_number[path] for path in lit.nodes if path in self._node_number)
        constraints = sorted(self.number_of[c] for c in lit.constraints if c in self.number_of)
        return [self._touched(lit.spans), nodes, constraints]

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
