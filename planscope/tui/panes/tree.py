"""Pane 2: the syntax tree, one node on each line, with the state of its constraints."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.debugger.selection import SelectedNode
from planscope.drawing.tree import guides
from planscope.language.outline import OutlineNode
from planscope.language.problem import NodePath
from planscope.tui.panes.base import LinePane, nothing
from planscope.tui.style.lines import Line, Run, justify, shown
from planscope.tui.view import DebugView
from planscope.wording import terms

_FEW = 60
"""A node with more constraints than this shows only whether it is part of the unsat core."""


class TreePane(LinePane):
    name_in_state = "tree"
    head_words = "2 Tree"

    def prepare(self, state: DebugView, width: int) -> None:
        outline = state.outline
        if self.prepared_for is not outline:
            self.prepared_for = outline
            self._guides = list(guides([node.depth for node in outline]))
            self.items = [SelectedNode(node.path) for node in outline]
            self._places: dict[NodePath, int] = {node.path: i for i, node in enumerate(outline)}
            self._made: dict[tuple[int, str, str, int], Line] = {}
        self._width = width
        self._core = state.core_ids
        focus = state.focus
        self.chosen = self._places.get(focus.path) if isinstance(focus, SelectedNode) else None
        self.lit = sorted(self._places[path] for path in state.lit.nodes if path in self._places)

    def size_of(self) -> int:
        return len(self.items) or 1

    def line_at(self, index: int) -> Line:
        if not self.items:
            return Line((Run(nothing(self.state), "dim"),))
        node = self.state.outline[index]
        mark = "▶" if index == self.chosen else "┃" if node.path in self.state.lit.nodes else " "
        glyph, role = self._became(node)
        key = (index, mark, glyph + role, self._width)
        line = self._made.get(key)
        if line is None:
            line = self._made[key] = self._line(node, self._guides[index], mark, glyph, role)
        return line

    def _line(self, node: OutlineNode, guide: str, mark: str, glyph: str, role: str) -> Line:
        left = (
            Run(mark, "mark"),
            Run(f"{glyph} ", role),
            Run(guide, "faint"),
            Run(shown(node.plain, 120), "" if node.constraints else "dim"),
        )
        own = [c for c in node.constraints[:40] if self._own(c, node.path)]
        ground = {"▶": "cursor", "┃": "lit"}.get(mark, "")
        symbol = (Run(f"{node.symbol}{' ' if own else ''}", "dim"),) if node.symbol else ()
        return Line(justify(left, (*symbol, *_names(own)), self._width), ground)

    def _own(self, constraint: str, path: NodePath) -> bool:
        """Return whether the constraint belongs to this node and not to a descendant, and has no name of its own."""
        known = self.state.debug.run.problem.by_id.get(constraint)
        return known is not None and known.node == path and not known.title

    def _became(self, node: OutlineNode) -> tuple[str, str]:
        """Return the sign and role of the worst state among a node's constraints."""
        state = self.state
        if self._core and not self._core.isdisjoint(node.constraints):
            return terms.CORE_GLYPH, "core"
        if node.constraints and state.progress == "judged" and len(node.constraints) <= _FEW:
            status_of = state.debug.run.replay.status
            statuses = {status_of(c, state.debug.index) for c in node.constraints}
            for status in ("broken", "unknown", "owed", "open", "kept_so_far", "holds", "kept"):
                if status in statuses:
                    return terms.STATUS_GLYPHS[status], terms.STATUS_ROLES[status]
        return " ", ""


def _names(ids: Sequence[str]) -> tuple[Run, ...]:
    if not ids:
        return ()
    more = "…" if len(ids) > 4 else ""
    return (Run(shown(" ".join(ids[:4]), 40) + more, "dim"),)
