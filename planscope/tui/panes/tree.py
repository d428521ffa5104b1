"""Pane 2: the syntax tree, one node a line, with what its requirements have become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from planscope.debugger.selection import SelectedNode
from planscope.language.problem import NodePath
from planscope.tui import words
from planscope.tui.lines import Line, Run, justify, shown
from planscope.tui.messages import Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.language.outline import OutlineNode


class TreePane(LinePane):
    name_in_state = "tree"

    def prepare(self, state: RoomState, width: int) -> None:
        outline: Sequence[OutlineNode] = state.reading.outline if state.reading else ()
        if getattr(self, "_outline", None) is not outline:
            self._outline = outline
            self._guides = list(guides([node.depth for node in outline]))
            self._places: dict[NodePath, int] = {node.path: i for i, node in enumerate(outline)}
        self._width = width
        self._core = state.core_ids
        self._picked = state.focus.path if isinstance(state.focus, SelectedNode) else None

    def size_of(self) -> int:
        return len(self._outline) or 1

    def line_at(self, index: int) -> Line:
        state = self.state
        assert state is not None
        if not self._outline:
            return Line((Run(_nothing(state), "dim"),))
        node = self._outline[index]
        picked = node.path == self._picked
        lit = node.path in state.lit.nodes
        mark = "▶" if picked else "┃" if lit else " "
        ids = [c for c in node.constraints[:40] if c]
        glyph, role = self._became(ids)
        left = (
            Run(mark, "mark"),
            Run(f"{glyph} ", role),
            Run(self._guides[index], "faint"),
            Run(shown(node.label, 120), "" if node.constraints else "dim"),
        )
        return Line(justify(left, _names(ids), self._width), "cursor" if picked else "lit" if lit else "")

    def _became(self, ids: Iterable[str]) -> tuple[str, str]:
        """The glyph for the worst that became of a node's constraints."""
        state = self.state
        assert state is not None
        known = [c for c in ids if c in state.debug.run.problem.by_id]
        if any(c in self._core for c in known):
            return words.CORE_GLYPH, "core"
        if known and state.progress == "judged":
            statuses = {state.debug.run.replay.status(c, state.debug.index) for c in known}
            for status in ("broken", "open", "holds"):
                if status in statuses:
                    return words.STATUS_GLYPHS[status], status
        return " ", ""

    def title(self) -> tuple[Run, ...]:
        return (Run("2", "number"), Run(" Tree", "title"))

    def foot(self) -> tuple[Run, ...]:
        return self.where_in_all()

    def wanted(self) -> tuple[int, int] | None:
        at = self._places.get(self._picked) if self._picked is not None else None
        return None if at is None else (at, at)

    def linked_lines(self) -> Sequence[int]:
        assert self.state is not None
        return sorted(self._places[path] for path in self.state.lit.nodes if path in self._places)

    def clicked(self, index: int, column: int) -> None:
        if index < len(self._outline):
            self.post_message(Picked(SelectedNode(self._outline[index].path)))

    def neighbour(self, by: int) -> SelectedNode | None:
        if not self._outline:
            return None
        lit = self.linked_lines()
        here = self._places.get(self._picked) if self._picked is not None else None
        if here is None:
            here = lit[0] - by if lit else -1 if by > 0 else 0
        return SelectedNode(self._outline[min(max(here + by, 0), len(self._outline) - 1)].path)


def _nothing(state: RoomState) -> str:
    if state.errors:
        return "The text cannot be read: see pane 1."
    return "reading…" if state.progress == "reading" else "No query."


def _names(ids: Sequence[str]) -> tuple[Run, ...]:
    if not ids:
        return ()
    more = "…" if len(ids) > 4 else ""
    return (Run(shown(" ".join(ids[:4]), 40) + more, "dim"),)


def guides(depths: Sequence[int]) -> list[str]:
    """The lines that join a tree's nodes, from the depths of its nodes in order."""
    made = [""] * len(depths)
    goes_on: list[bool] = []  # at each depth: whether a sibling follows below
    for i in range(len(depths) - 1, -1, -1):
        depth = depths[i]
        while len(goes_on) <= depth:
            goes_on.append(False)
        if depth > 0:
            bars = "".join("│ " if goes_on[d] else "  " for d in range(1, depth))
            made[i] = bars + ("├ " if goes_on[depth] else "└ ")
        goes_on[depth] = True
        del goes_on[depth + 1 :]
    return made
