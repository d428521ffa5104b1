"""The inspector, shown on large screens: details of the selection, watches and breakpoints."""

from __future__ import annotations

from collections.abc import Iterable

from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedWords
from planscope.language.problem import Constraint
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import BLANK, Line, Run, labelled_lines, shown, wrapped
from planscope.tui.style.roles import certificate
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
    def prepare(self, state: DebugView, width: int) -> None:
        key = (
            state.debug,
            state.progress,
            state.certificate,
            state.watch_lines,
            state.breakpoints,
            state.links,
            state.outline,
            state.waits_at,
            width,
        )
        if self.prepared_for != key:
            self.prepared_for = key
            self.lines = list(_Told(state, width).lines())
            self.top = 0

    def title(self) -> tuple[Run, ...]:
        return (Run("Inspector", "title"),)


class _Told:
    def __init__(self, state: DebugView, width: int) -> None:
        self.state = state
        self.width = width
        self.problem = state.debug.run.problem

    def lines(self) -> Iterable[Line]:
        focus = self.state.focus
        if isinstance(focus, SelectedConstraint) and focus.id in self.problem.by_id:
            yield from self.constraint(self.problem.by_id[focus.id])
        elif isinstance(focus, SelectedWords):
            yield from self.head("Words")
            yield from self.quoted(
                self.state.text[slice(*focus.span)] or self.state.text[focus.span[0] :][:1]
            )
            yield from self.saying()
        elif isinstance(focus, SelectedNode):
            yield from self.node(focus)
        else:
            yield from self.step()
        yield BLANK
        yield from self.core()
        yield from self.certificate()
        yield from self.lists()

    def head(self, *parts: str) -> Iterable[Line]:
        yield Line((Run(" ".join(parts), "title"),))

    def row(self, label: str, text: str, role: str = "") -> Iterable[Line]:
        return labelled_lines(label, text, self.width, indent=_MARGIN, role=role, limit=1200)

    def quoted(self, text: str) -> Iterable[Line]:
        return wrapped(f"“{text}”", self.width, "quote", limit=1200)

    def constraint(self, c: Constraint) -> Iterable[Line]:
        state = self.state
        yield from self.head("Rule" if c.kind == "of_calls" else "Constraint", shown(c.id, 12))
        if c.title:
            yield from self.row("name", c.title, "strong")
        yield from self.row("says", plain(c, self.problem))
        if c.means:
            yield from self.row("means", c.means)
        else:
            yield from self.row("symbols", c.text, "tool")
        if state.progress == "judged":
            status = state.debug.run.replay.status(c.id, state.debug.index)
            core = f", in the {terms.CORE_GLYPH} conflict" if c.id in state.core_ids else ""
            yield from self.row(
                "state",
                f"{terms.STATUS_GLYPHS[status]} {terms.STATUSES[status]}{core}",
                "core" if core else terms.STATUS_ROLES[status],
            )
            value = state.debug.run.judged.value_at(c.id, state.debug.index)
            if value:
                yield from self.row("value", value)
            breaks = state.debug.run.breaks.get(c.id, ())
            if breaks:
                steps = ", ".join(str(state.debug.run.steps[i].step) for i in breaks[:8])
                yield from self.row("breaks", f"at step {steps}", "broken")
        yield from self.row(
            "from", _SOURCES[c.source] + ("" if c.sentence is None else f", sentence {c.sentence + 1}")
        )
        for name, span in zip(_PARTS, c.spans, strict=False):
            yield from self.row(name, f"{state.text[slice(*span)]}  ({span[0]} to {span[1]})")
        node = self.node_label(c)
        if node:
            yield from self.row("node", node)

    def node_label(self, c: Constraint) -> str:
        outline = self.state.outline
        return next((node.plain for node in outline if node.path == c.node), "")

    def node(self, focus: SelectedNode) -> Iterable[Line]:
        outline = self.state.outline
        found = next((node for node in outline if node.path == focus.path), None)
        if found is None:
            return
        yield from self.head("Node", shown(found.plain, 60))
        if found.span[0] < found.span[1]:
            yield from self.quoted(self.state.text[slice(*found.span)])
        yield from self.saying()

    def saying(self) -> Iterable[Line]:
        """List the highlighted constraints."""
        order = self.state.debug.run.order
        ids = sorted((c for c in self.state.lit.constraints if c in order), key=order.__getitem__)
        known = [self.problem.by_id[c] for c in ids]
        for c in known[:40]:
            core = c.id in self.state.core_ids
            glyph = terms.CORE_GLYPH if core else self.glyph(c)
            yield from self.row(f"{glyph} {label(c, 12)}", brief(c, self.problem), "core" if core else "")
        if len(known) > 40:
            yield from self.row("", f"and {len(known) - 40} more", "dim")

    def glyph(self, c: Constraint) -> str:
        state = self.state
        if state.progress != "judged":
            return "·"
        return terms.STATUS_GLYPHS[state.debug.run.replay.status(c.id, state.debug.index)]

    def step(self) -> Iterable[Line]:
        debug = self.state.debug
        name = (
            "Before any call"
            if debug.step == 0
            else "The end"
            if debug.step == "end"
            else f"Step {debug.step}"
        )
        yield from self.head(f"{name}, {terms.NOT_DONE}" if self.state.at_pending else name)
        if debug.view.call is not None:
            yield from self.row("call", phrases.call(debug.view.call.tool, debug.view.call.arguments), "tool")
        if debug.checks:
            changed = [label(self.problem.by_id[c]) for c in debug.checks[:30]]
            yield from self.row("changed", ", ".join(changed), "strong")
        yield from self.saying()

    def core(self) -> Iterable[Line]:
        core = self.state.debug.view.core if self.state.progress == "judged" else None
        if core is None:
            return
        yield Line((Run(f"{terms.CORE_GLYPH} Conflict", "core"), Run("  these cannot all hold", "dim")))
        for c in core.constraints:
            known = self.problem.by_id.get(c)
            said = (label(known, 12), plain(known, self.problem)) if known else (shown(c, 8), "")
            yield from self.row(*said)
        for step in core.steps:
            view = self.state.debug.run.steps[self.state.debug.run.index_of[step]]
            text = phrases.call(view.call.tool, view.call.arguments) if view.call else phrases.step_name(step)
            yield from self.row(phrases.step_name(step), text, "tool")
        if not core.foreseeable:
            yield from self.row("", "The agent could not have known.", "dim")
        yield BLANK

    def certificate(self) -> Iterable[Line]:
        """Show Z3's certificate at the step that decides the verdict; a warning is shown at every step."""
        said = self.state.certificate
        if said == "denied" or (said in ("confirmed", "gave_up") and self.state.at_verdict):
            yield from self.row("verdict", *certificate(said))
            yield BLANK

    def lists(self) -> Iterable[Line]:
        state = self.state
        if state.watch_lines:
            yield from self.head("Watches")
            for watch in state.watch_lines:
                yield from self.row("", f"{watch.text} = {watch.value}", "caution" if watch.changed else "")
            yield BLANK
        if state.breakpoints:
            yield from self.head("Breakpoints")
            for point in state.breakpoints[:40]:
                yield from self.row("◆", str(point))
