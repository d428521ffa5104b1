"""What the explanation of a core says, as lines: the core in plain sentences, with the request's own words."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.language.describe import plain
from planscope.language.problem import Constraint
from planscope.tui import words
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import BLANK, Line, Run, paragraph, shown
from planscope.tui.style.safe_text import show, wrap
from planscope.tui.view import DebugView

_INDENT = 4


def explanation(state: DebugView, width: int) -> list[Line]:
    """Why the plan was lost in this run, or that it was not."""
    return list(_Explained(state, width).lines())


class _Explained:
    def __init__(self, state: DebugView, width: int) -> None:
        self.state = state
        self.width = width
        self.problem = state.debug.run.problem

    def lines(self) -> Iterator[Line]:
        state, verdict = self.state, self.state.verdict
        if state.progress != "judged" or verdict is None:
            yield from self.text(_not_yet(state))
            return
        text, role = words.CERTIFICATES[state.certificate]
        if state.certificate == "denied":
            yield from self.text(text, role)
            return
        if state.run is not None:
            yield from self.text(verdict.explanation, "strong")
        view = state.debug.view
        core = view.core or (verdict.first_violation.core if verdict.first_violation else None)
        if core is None:
            if state.run is None:
                yield from self.text("The request can be met. It was not run yet: r runs it.", "strong")
            if state.run is None or not state.run.under_way:
                yield from self.text(text, role)
            return
        yield from self.text(text, role)
        yield BLANK
        yield Line((Run(f"{words.CORE_GLYPH} The core", "core"), Run("  these cannot all be true", "dim")))
        for c in core.constraints:
            if c in self.problem.by_id:
                yield from self.member(self.problem.by_id[c])
        for step in core.steps:
            yield from self.step(step)
        yield BLANK
        yield from self.text("Without any one of these the rest could be met.", "dim")
        if not core.foreseeable:
            yield from self.text(
                "The agent could not have known: it depends on how long a task takes.", "caution"
            )
        yield from self.right_plan()

    def text(self, text: str, role: str = "", indent: int = 0) -> Iterator[Line]:
        if text:
            for runs in paragraph(text, self.width - indent, role):
                yield Line((Run(" " * indent), *runs))

    def member(self, c: Constraint) -> Iterator[Line]:
        said = plain(c, self.problem)
        head = (Run(f"{words.CORE_GLYPH} ", "core"), Run(f"{shown(c.id, 8)}  ", "dim"))
        margin = sum(len(run.text) for run in head)
        for i, runs in enumerate(paragraph(said[:1].upper() + said[1:] + ".", self.width - margin, "strong")):
            yield Line((*(head if i == 0 else (Run(" " * margin),)), *runs))
        if c.is_rule:
            source = "the instructions say so" if c.source == "prompt" else "so long is the day"
            yield from self.text(source, "dim", margin)
        else:
            yield from self.quoted(c, margin)

    def quoted(self, c: Constraint, margin: int) -> Iterator[Line]:
        """The sentence, with the words that say it highlighted."""
        if not c.spans:
            return
        text = self.state.text
        start, end = _sentence(text, min(s for s, _ in c.spans), max(e for _, e in c.spans))
        sentence = text[start:end]
        painted: list[Painted] = [(a - start, b - start, "core-words") for a, b in c.spans]
        whole = show(sentence, keep_newlines=True, limit=1500)
        if c.sentence is not None:
            yield Line((Run(" " * margin), Run(f"sentence {c.sentence + 1} of the request:", "dim")))
        for first, last in wrap(whole, self.width - margin):
            yield Line((Run(" " * margin), *painted_runs(whole, first, last, painted)))

    def step(self, step: object) -> Iterator[Line]:
        run = self.state.debug.run
        index = next((i for i, view in enumerate(run.steps) if view.step == step), None)
        if index is None:
            return
        view = run.steps[index]
        text = (
            "the agent stopped here" if view.call is None else words.call(view.call.tool, view.call.arguments)
        )
        when = f"  {words.hours(view.start, view.end)}" if view.start is not None else ""
        yield Line(
            (
                Run(f"{words.CORE_GLYPH} ", "core"),
                Run(f"{words.step_name(view.step)}  ", "dim"),
                Run(text, "tool"),
                Run(when, "dim"),
            )
        )

    def right_plan(self) -> Iterator[Line]:
        repair = self.state.repair
        if repair is None or repair.order is None:
            return
        yield BLANK
        swaps = f"  {words.plural(repair.swaps, 'swap')} away" if repair.swaps is not None else ""
        yield Line((Run("✓ A plan that works", "holds"), Run(swaps, "dim")))
        for number, step in enumerate(words.plan(repair)[:40], 1):
            yield Line((Run(f"{number:>4}  ", "dim"), Run(words.planned(self.problem, step), "tool")))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch around a range that ends in full stops; not longer than a screen can bear."""
    before = text.rfind(".", max(start - 600, 0), start) + 1
    after = text.find(".", max(end - 1, 0), end + 600)
    stop = after + 1 if after >= 0 else min(end + 600, len(text))
    begin = before if before > 0 or start <= 600 else start
    while begin < start and text[begin].isspace():
        begin += 1
    return begin, stop


def _not_yet(state: DebugView) -> str:
    if state.progress == "unreadable":
        return "The request cannot be read, so nothing can be judged. Pane 1 says where."
    return state.trouble or "The run is being judged."
