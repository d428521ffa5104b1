"""Pane 5: all about the current step: what was done, what came of it, what would have been right."""

from __future__ import annotations

from planscope.debugger.selection import Selection
from planscope.oracle.verdict_types import StepView
from planscope.tui import words
from planscope.tui.lines import BLANK, Line, Run, labelled, paragraph, shown
from planscope.tui.panes.base import LinePane
from planscope.tui.state import RoomState

_MARGIN = 9


class StepPane(LinePane):
    name_in_state = "step"

    def prepare(self, state: RoomState, width: int) -> None:
        key = (
            state.debug.run,
            state.debug.index,
            state.facts,
            state.repair,
            state.watch_lines,
            state.progress,
            state.trouble,
            state.zoomed,
            width,
        )
        if getattr(self, "_key", None) != key:
            new_step = getattr(self, "_key", key)[:2] != key[:2]
            self._key = key
            self._lines = list(_Told(state, width, self.window).lines())
            if new_step:
                self.top = 0

    def size_of(self) -> int:
        return len(self._lines)

    def line_at(self, index: int) -> Line:
        return self._lines[index]

    def title(self) -> tuple[Run, ...]:
        state = self.state
        if state is None:
            return ()
        step = state.debug.step
        name = "The end" if step == "end" else "Before any call" if step == 0 else f"Step {step}"
        return (Run("5", "number"), Run(f" {name}", "title"))

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if state is None:
            return ()
        if state.progress != "judged":
            return (Run(waiting(state), "dim"),)
        view = state.debug.view
        return (Run(f"{words.STATE_GLYPHS[view.state]} {view.state}", view.state),)

    def foot(self) -> tuple[Run, ...]:
        return self.where_in_all()

    def neighbour(self, by: int) -> Selection | None:
        self.scroll_lines(by)
        return None


def waiting(state: RoomState) -> str:
    """What stands where a verdict will be."""
    if state.progress == "unreadable":
        return "not judged: the text cannot be read"
    return "not judged" if state.progress == "failed" else "judging…"


class _Told:
    """Builds the lines of one step."""

    def __init__(self, state: RoomState, width: int, window: int) -> None:
        self.state = state
        self.width = width
        self.body = max(width - _MARGIN, 8)
        self.few = 400 if state.zoomed else max(2, window // 6)

    def lines(self) -> list[Line]:
        state, view = self.state, self.state.debug.view
        made = [*self.done(view)]
        became = [*self.became(view)] if state.progress == "judged" else [*self.trouble()]
        after = [*self.watches()]
        for part in (became, after):
            if made and part:
                made.append(BLANK)
            made += part
        return made

    def row(self, label: str, text: str, role: str = "", few: int = 0) -> list[Line]:
        body = paragraph(text, self.body, role)
        if few and len(body) > few:
            body = [*body[:few], (Run("… z shows all", "dim"),)]
        return [Line(runs) for runs in labelled(label, body, indent=_MARGIN)]

    def done(self, view: StepView) -> list[Line]:
        """Thought, call, arguments, answer."""
        told = self.state.call_at(view.index)
        made: list[Line] = []
        if view.call is None:
            run = self.state.run
            if view.step == "end" and run is not None and run.last_words:
                made += self.row("said", run.last_words, "quote", self.few)
            text = (
                "Nothing has been called yet." if view.step == 0 else f"The run is over: {words.ending(run)}."
            )
            if run is None:
                text = "This session has no run: only the request is shown."
            return made + self.row("", text, "dim")
        if told is not None and told.thought:
            made += self.row("thought", told.thought, "quote", self.few)
        made += self.row(
            "call", words.call(view.call.tool, view.call.arguments, named=True, limit=400), "tool"
        )
        if view.call.error or (told is not None and told.error):
            made += self.row("refused", view.call.error or (told.error if told else ""), "broken", self.few)
            if told is not None and told.raw:
                made += self.row("raw", told.raw, "dim", self.few)
        if told is not None and told.answer is not None:
            made += self.row("answer", told.answer, "caution" if told.failed else "", self.few)
        if view.start is not None and view.end is not None:
            made += self.row("clock", f"{view.start}:00 to {view.end}:00", "dim")
        return made

    def trouble(self) -> list[Line]:
        if self.state.trouble:
            return self.row("", self.state.trouble, "caution")
        return self.row("", waiting(self.state), "dim")

    def became(self, view: StepView) -> list[Line]:
        """State, findings, why, what would have been right, what is left."""
        state, facts = self.state, self.state.facts
        made = [self.state_line(view)]
        told = facts.findings if facts else ()
        for i, found in enumerate(state.debug.run.findings[view.index]):
            role = "finding" if found.severity == "error" else "caution"
            made.append(
                Line(
                    (Run("✗ " if found.severity == "error" else "! ", role), Run(words.finding(found), role))
                )
            )
            message = told[i] if i < len(told) else found.message
            if message:
                made += self.row("", message)
        if facts is None:
            return [*made, *self.row("", "…", "dim")]
        if facts.why:
            made += self.row("why", facts.why)
        made += self.instead(view)
        if view.state == "completable" and view.step != "end":
            moves = ", ".join(words.move(state.debug.run.problem, move) for move in facts.safe[:12])
            more = f" and {len(facts.safe) - 12} more" if len(facts.safe) > 12 else ""
            made += self.row("next", (moves + more) or "nothing is left to do", "safe" if moves else "dim")
            made += self.row(
                "orders",
                f"{words.count(facts.orders)} valid {'order' if facts.orders == 1 else 'orders'} left",
            )
            if facts.one_way:
                way = " → ".join(words.planned(state.debug.run.problem, step) for step in facts.one_way[:30])
                made += self.row("one way", way, "dim")
        elif view.state in ("doomed", "broken"):
            made += self.row("orders", "no valid order is left", "dim")
        return made

    def state_line(self, view: StepView) -> Line:
        role = view.state
        runs = [Run(f"{words.STATE_GLYPHS[view.state]} {view.state}", role)]
        lost = self.state.lost_at(view)
        if lost == view.index:
            runs.append(Run(f"  {words.NO_WAY_ON}", "core"))
            runs.append(
                Run(
                    "  the plan was lost here" if view.step != 0 else "  the request contradicts itself",
                    "dim",
                )
            )
        elif lost is not None and lost < view.index:
            since = self.state.debug.run.steps[lost].step
            runs.append(Run(f"  lost since step {since}", "dim"))
        elif view.state == "completable" and view.step == "end":
            runs.append(Run("  every requirement is met", "dim"))
        elif view.state == "completable":
            runs.append(Run("  the plan can still be finished", "dim"))
        return Line(tuple(runs))

    def instead(self, view: StepView) -> list[Line]:
        facts = self.state.facts
        assert facts is not None
        problem = self.state.debug.run.problem
        made: list[Line] = []
        if facts.instead:
            moves = " or ".join(words.move(problem, move) for move in facts.instead[:8])
            after = facts.instead_at
            when = "" if after is None or after == view.index - 1 else f" as step {after + 1}"
            made += self.row("instead", moves + when, "safe")
        repair = self.state.repair
        if repair is not None and repair.order is not None and view.state != "completable":
            starts = repair.starts or {}
            calls = (
                f"{words.move_name(problem, a)}({starts[a]})" if a in starts else words.move_name(problem, a)
                for a in repair.order[:30]
            )
            made += self.row("plan", " → ".join(calls))
        return made

    def watches(self) -> list[Line]:
        made = []
        for watch in self.state.watch_lines:
            text = f"{shown(watch.text, 80)} = {shown(watch.value, 40)}"
            made += self.row(
                "watch", text + ("  new" if watch.changed else ""), "caution" if watch.changed else ""
            )
        return made
