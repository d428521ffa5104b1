"""The inspector, shown on large screens: details of the selection, the conflict, breakpoints."""

from __future__ import annotations

from collections.abc import Mapping

from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedStep, SelectedWords
from planscope.language.outline import OutlineNode
from planscope.language.problem import Constraint, NodePath
from planscope.oracle.verdict_types import Core
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.step_lines import step_title
from planscope.tui.style.lines import Page, Run, shown
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, label, plain

_MARGIN = 9
_SOURCES = {
    "text": "the query",
    "prompt": "the instructions",
    "environment": "the environment",
    "rules": "the rules",
}
_PARTS = ("subject", "relation", "object")


class InspectorPane(LinePane):
    head_words = "Inspector"
    _by_path: Mapping[NodePath, OutlineNode] = {}
    _outline: object = None

    def prepare(self, state: DebugView, width: int) -> None:
        if self._outline is not state.outline:
            self._outline = state.outline
            self._by_path = {node.path: node for node in state.outline}
        if self.prepared_for != (state.debug, width):
            self.prepared_for = state.debug, width
            self.top = 0
        self.lines = _Told(state, self._by_path, width).lines


class _Told(Page):
    """The lines about a view. ``nodes``: those of the tree, by their paths."""

    def __init__(self, state: DebugView, nodes: Mapping[NodePath, OutlineNode], width: int) -> None:
        super().__init__(width, _MARGIN, 1200)
        self.state, self.nodes = state, nodes
        self.problem = state.debug.run.problem
        core = state.debug.view.core if state.progress == "judged" else None
        steps = isinstance(state.focus, SelectedStep)
        if core is not None and steps:  # it stays while one steps, and fewer rows change below it
            self._core(core)
        self._selected()
        self.add()
        if core is not None and not steps:
            self._core(core)
        if state.breakpoints:
            self._head("Breakpoints")
        for point in state.breakpoints[:40]:
            self.say("◆", str(point))

    def _selected(self) -> None:
        state, focus = self.state, self.state.focus
        if isinstance(focus, SelectedConstraint) and focus.id in self.problem.by_id:
            self._constraint(self.problem.by_id[focus.id])
        elif isinstance(focus, SelectedWords):
            start, end = focus.span
            self._head("Words")
            self._quoted(state.text[start:end] or state.text[start:][:1])
            self._saying()
        elif isinstance(focus, SelectedNode):
            self._node(focus)
        else:
            self._step()

    def _head(self, *parts: str) -> None:
        self.add(Run(" ".join(parts), "title"))

    def _quoted(self, text: str) -> None:
        self.text(f"“{text}”", "quote")

    def _constraint(self, c: Constraint) -> None:
        self._head("Rule" if c.kind == "of_calls" else "Constraint", shown(c.id, 12))
        if c.title:
            self.say("name", c.title, "strong")
        self.say("says", plain(c, self.problem))
        if c.means:
            self.say("means", c.means)
        else:
            self.say("symbols", c.text, "tool")
        if self.state.progress == "judged":
            self._judged(c)
        sentence = "" if c.sentence is None else f", sentence {c.sentence + 1}"
        self.say("from", _SOURCES[c.source] + sentence)
        for name, (start, end) in zip(_PARTS, c.spans, strict=False):
            self.say(name, f"{self.state.text[start:end]}  ({start} to {end})")
        if node := self.nodes.get(c.node):
            self.say("node", node.plain)

    def _judged(self, c: Constraint) -> None:
        run, index = self.state.debug.run, self.state.debug.index
        status = run.replay.status(c.id, index)
        core = f", in the {terms.CORE_GLYPH} conflict" if c.id in self.state.core_ids else ""
        told = f"{terms.STATUS_GLYPHS[status]} {terms.STATUSES[status]}{core}"
        self.say("state", told, "core" if core else terms.STATUS_ROLES[status])
        if value := run.judged.value_at(c.id, index):
            self.say("value", value)
        if breaks := run.breaks.get(c.id, ()):
            self.say("breaks", f"at step {', '.join(str(run.steps[i].step) for i in breaks[:8])}", "broken")

    def _node(self, focus: SelectedNode) -> None:
        if found := self.nodes.get(focus.path):
            start, end = found.span
            self._head("Node", shown(found.plain, 60))
            if start < end:
                self._quoted(self.state.text[start:end])
            self._saying()

    def _saying(self) -> None:
        """List the highlighted constraints."""
        state = self.state
        order = state.debug.run.order
        ids = sorted((c for c in state.lit.constraints if c in order), key=order.__getitem__)
        for id in ids[:40]:
            c, core = self.problem.by_id[id], id in state.core_ids
            glyph = terms.CORE_GLYPH if core else "·"
            if not core and state.progress == "judged":
                glyph = terms.STATUS_GLYPHS[state.debug.run.replay.status(id, state.debug.index)]
            self.say(glyph, f"{label(c)}: {brief(c, self.problem)}", "core" if core else "")
        if len(ids) > 40:
            self.say("", f"and {len(ids) - 40} more", "dim")

    def _step(self) -> None:
        debug = self.state.debug
        name = step_title(debug.step)
        self._head(f"{name}, {terms.NOT_DONE}" if self.state.at_pending else name)
        if debug.checks:
            changed = [label(self.problem.by_id[c]) for c in debug.checks[:30]]
            self.say("changed", ", ".join(changed), "strong")
        self._saying()

    def _core(self, core: Core) -> None:
        run = self.state.debug.run
        self.add(Run(f"{terms.CORE_GLYPH} Conflict", "core"), Run("  these cannot all hold", "dim"))
        for id in core.constraints:
            c = self.problem.by_id.get(id)
            self.say("", f"{label(c)}: {plain(c, self.problem)}" if c else shown(id, 8))
        for step in core.steps:
            call = run.steps[run.index_of[step]].call
            name = phrases.step_name(step)
            self.say(name, phrases.call(call.tool, call.arguments) if call else name, "tool")
        if not core.foreseeable:
            self.say("", "The agent could not have known.", "dim")
        self.add()
