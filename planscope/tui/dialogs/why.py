"""Shows why the plan is lost: the conflict in plain words, all other conflicts, and what would save the plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from planscope.language.problem import Constraint
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, TextBox
from planscope.tui.keys import key_for
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import BLANK, Line, Run, paragraph, shown
from planscope.tui.style.painter import Painter
from planscope.tui.style.roles import certificate
from planscope.tui.style.safe_text import show, wrap
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms
from planscope.wording.constraints import label, place, plain
from planscope.wording.explain import UNFORESEEABLE, explain_verdict

if TYPE_CHECKING:
    from planscope.oracle.verdict_types import Core, Correction, Reasons

JOB = "reasons"
PAGES = ("Why", "Every conflict", "What would save it")

Reason = tuple[str, tuple[str, ...]]
"""A conflict or a correction: the ids of its members, then its sentences."""


class WhyDialog(Dialog[None]):
    """Three pages; Tab and digits turn them. The search for all conflicts runs until the dialog is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("tab,right", "turn(1)", "Next page"),
        ("shift+tab,left", "turn(-1)", "Previous page"),
        ("1", "page(0)", "Why"),
        ("2", "page(1)", "Every conflict"),
        ("3", "page(2)", "What would save it"),
        ("space", "go(10)", "A page down"),
        *LIST_KEYS,
        ("enter,q,x", "leave", "Close"),
    ]

    def __init__(self, paint: Painter, state: DebugView, jobs: Jobs) -> None:
        super().__init__(paint, "")
        self.state = state
        self.jobs = jobs
        self.number = 0
        self.at = [0, 0, 0]
        self.cores: list[Reason] = []
        self.corrections: list[Reason] = []
        self.progress = "searching…"

    # The search for conflicts:

    def on_mount(self) -> None:
        self._search()
        self.call_after_refresh(self.show_page)

    @property
    def lost(self) -> bool:
        """Whether the plan is lost here, so that there is a conflict to search for."""
        verdict = self.state.verdict
        broken = self.state.debug.view.lost
        violated = verdict is not None and verdict.first_violation is not None
        return self.state.progress == "judged" and self.state.certificate != "denied" and (broken or violated)

    def _search(self) -> None:
        if not self.lost:
            self.progress = "nothing is lost here"
            return
        from planscope.wording.explain import explain_core, explain_correction

        run = self.state.debug.run.judged
        view = self.state.debug.view
        index = view.index if view.lost else None
        where = index if index is not None else run.first_doomed or 0
        loop, context = asyncio.get_running_loop(), copy_context()
        stops: list[Callable[[], None]] = []

        def tell(what: Callable[[], None], token: CancelToken) -> None:
            if not token.cancelled:
                loop.call_soon_threadsafe(lambda: None if token.cancelled else what(), context=context)

        def work(token: CancelToken) -> Reasons:
            def core_found(core: Core) -> None:
                reason = (", ".join(_members(core)), (explain_core(run, core),))
                tell(lambda: self._add(self.cores, reason), token)

            def correction_found(correction: Correction) -> None:
                sentence = explain_correction(run, where, correction)
                reason = (", ".join(_members(correction)), (sentence,))
                tell(lambda: self._add(self.corrections, reason), token)

            return run.reasons(
                index,
                on_core=core_found,
                on_correction=correction_found,
                stopped=lambda: token.cancelled,
                started=stops.append,
            )

        def interrupt() -> None:
            for stop in stops:
                stop()

        self.jobs.start(JOB, work, self._done, self._failed, interrupt=interrupt)

    def _add(self, reasons: list[Reason], reason: Reason) -> None:
        reasons.append(reason)
        self.show_page()

    def _done(self, found: Reasons) -> None:
        self.progress = terms.SEARCH_ENDS[found.ended]
        self.show_page()

    def _failed(self, error: Exception) -> None:
        self.progress = f"the search failed: {shown(str(error), 120)}"
        self.show_page()

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)

    # Display:

    def body(self) -> Sequence[Widget]:
        most = max(self.app.size.height * 9 // 10 - 7, 3)
        self.tabs = TextBox(self.paint, [self._tabs(), BLANK])
        self.text = TextBox(self.paint, [], most=most)
        hint = "Tab: next page, ↑ ↓: move, Esc: close"
        return (self.tabs, self.text, TextBox(self.paint, [BLANK, *self.wrapped(hint, "dim")]))

    def _tabs(self) -> Line:
        counts = ("", f" {len(self.cores)}", f" {len(self.corrections)}")
        runs = [Run(" ")]
        for i, (page, count) in enumerate(zip(PAGES, counts, strict=True)):
            mark = "▶ " if i == self.number else "  "
            role = "strong" if i == self.number else "dim"
            runs += [Run(mark, "mark"), Run(f"{i + 1} {page}{count}", role), Run("   ")]
        return Line(tuple(runs))

    def show_page(self) -> None:
        if not self.is_mounted:
            return
        self.tabs.set_lines([self._tabs(), BLANK])
        if self.number == 0:
            lines = [
                Line((Run(" "), *line.runs), line.ground) for line in explanation(self.state, self.text_width)
            ]
            self.text.set_lines(lines)
            self.text.move_to(self.at[0])
            self.at[0] = self.text.top
            self.text.sync()
            return
        lines, places = self._list()
        self.text.set_lines(lines)
        if places:
            at = self.at[self.number] = min(self.at[self.number], len(places) - 1)
            self.text.reveal(*places[at])
            self.text.sync()

    def _list(self) -> tuple[list[Line], list[tuple[int, int]]]:
        """Return the lines of a page, and the first and last line of each entry."""
        reasons = self.cores if self.number == 1 else self.corrections
        one, more = ("minimal core", "minimal cores") if self.number == 1 else ("way", "ways")
        about = (
            "each a smallest set that cannot all hold"
            if self.number == 1
            else "each a smallest set to give up so that the rest can be met"
        )
        head = f"{phrases.plural(len(reasons), one, more)}, {about} ({self.progress})"
        lines = [*self.wrapped(head, "dim"), BLANK]
        places: list[tuple[int, int]] = []
        for i, (members, sentences) in enumerate(reasons):
            here = i == self.at[self.number]
            ground = "cursor" if here else ""
            first = len(lines)
            mark = Run(" ▶ " if here else "   ", "mark")
            lines.append(Line((mark, Run(f"{i + 1:>2}  ", "dim"), Run(shown(members, 120), "core")), ground))
            for sentence in sentences:
                for runs in paragraph(sentence, self.text_width - 7):
                    lines.append(Line((Run("       "), *runs), ground))
            places.append((first, len(lines) - 1))
            lines.append(BLANK)
        return lines, places

    # Keys

    def action_turn(self, by: int) -> None:
        self.action_page((self.number + by) % len(PAGES))

    def action_page(self, number: int) -> None:
        self.number = number
        self.show_page()

    def action_go(self, by: int) -> None:
        self.at[self.number] = max(self.at[self.number] + by, 0)
        self.show_page()


def _members(reason: Core | Correction) -> list[str]:
    return [*reason.constraints, *map(phrases.step_name, reason.steps)]


def explanation(state: DebugView, width: int) -> list[Line]:
    """Explain why the plan was lost in this run, or say that it was not."""
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
        text, role = certificate(state.certificate)
        if state.certificate == "denied":
            yield from self.text(text, role)
            return
        run = state.debug.run.judged
        if state.run is not None:
            yield from self.text(explain_verdict(run, verdict), "strong")
            for note in verdict.notes:
                yield from self.text(terms.sentence(note), "dim")
            for warning in verdict.warnings:
                yield from self.text(terms.sentence(f"Warning: {warning}"), "caution")
        view = state.debug.view
        core = view.core or (verdict.first_violation.core if verdict.first_violation else None)
        if core is None:
            if state.run is None:
                yield from self.text(
                    f"The query can be met. It is not run yet; press {key_for('rerun')}.", "strong"
                )
            if state.run is None or not state.run.under_way:
                yield from self.text(text, role)
            return
        yield from self.text(text, role)
        yield BLANK
        yield Line(
            (Run(f"{terms.CORE_GLYPH} {terms.CONFLICT}", "core"), Run(f"  {terms.CONFLICT_MEANS}", "dim"))
        )
        for c in core.constraints:
            if c in self.problem.by_id:
                yield from self.member(self.problem.by_id[c])
        for step in core.steps:
            yield from self.step(step)
        yield BLANK
        yield from self.text(terms.DROP_ONE, "dim")
        if not core.foreseeable:
            yield from self.text(UNFORESEEABLE, "caution")
        yield from self.right_plan()

    def text(self, text: str, role: str = "", indent: int = 0) -> Iterator[Line]:
        if text:
            for runs in paragraph(text, self.width - indent, role):
                yield Line((Run(" " * indent), *runs))

    def member(self, c: Constraint) -> Iterator[Line]:
        said = plain(c, self.problem)
        head = (Run(f"{terms.CORE_GLYPH} ", "core"), Run(f"{label(c)}  ", "dim"))
        margin = sum(len(run.text) for run in head)
        for i, runs in enumerate(paragraph(terms.capital(said) + ".", self.width - margin, "strong")):
            yield Line((*(head if i == 0 else (Run(" " * margin),)), *runs))
        if c.is_rule:
            yield from self.text(place(c), "dim", margin)
        else:
            yield from self.quoted(c, margin)

    def quoted(self, c: Constraint, margin: int) -> Iterator[Line]:
        """The sentence of the query, with the words of the constraint highlighted."""
        if not c.spans:
            return
        text = self.state.text
        start, end = _sentence(text, min(s for s, _ in c.spans), max(e for _, e in c.spans))
        sentence = text[start:end]
        painted: list[Painted] = [(a - start, b - start, "core-words") for a, b in c.spans]
        whole = show(sentence, keep_newlines=True, limit=1500)
        if c.sentence is not None:
            yield Line((Run(" " * margin), Run(f"sentence {c.sentence + 1} of the query:", "dim")))
        for first, last in wrap(whole, self.width - margin):
            yield Line((Run(" " * margin), *painted_runs(whole, first, last, painted)))

    def step(self, step: object) -> Iterator[Line]:
        run = self.state.debug.run
        index = next((i for i, view in enumerate(run.steps) if view.step == step), None)
        if index is None:
            return
        view = run.steps[index]
        text = (
            "the run ended here" if view.call is None else phrases.call(view.call.tool, view.call.arguments)
        )
        when = f"  {phrases.hours(view.start, view.end)}" if view.start is not None else ""
        yield Line(
            (
                Run(f"{terms.CORE_GLYPH} ", "core"),
                Run(f"{phrases.step_name(view.step)}  ", "dim"),
                Run(text, "tool"),
                Run(when, "dim"),
            )
        )

    def right_plan(self) -> Iterator[Line]:
        repair = self.state.repair
        if repair is None or repair.order is None:
            return
        yield BLANK
        if repair.changes:
            yield Line((Run(f"✓ {terms.CHANGE_TITLE}", "holds"),))
            for one in phrases.changes(repair):
                yield from self.text(one)
            return
        swaps = f"  {phrases.plural(repair.swaps, 'swap')} away" if repair.swaps is not None else ""
        yield Line((Run("✓ A correct plan", "holds"), Run(swaps, "dim")))
        for number, step in enumerate(phrases.plan(repair)[:40], 1):
            kept = number <= repair.kept
            call = Run(phrases.planned(self.problem, step), "dim" if kept else "tool")
            yield Line((Run(f"{number:>4}  ", "dim"), call, *([Run("  as it was", "dim")] if kept else ())))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the sentence around a range, at most 600 code points to each side."""
    before = text.rfind(".", max(start - 600, 0), start) + 1
    after = text.find(".", max(end - 1, 0), end + 600)
    stop = after + 1 if after >= 0 else min(end + 600, len(text))
    begin = before if before > 0 or start <= 600 else start
    while begin < start and text[begin].isspace():
        begin += 1
    return begin, stop


def _not_yet(state: DebugView) -> str:
    if state.progress == "unreadable":
        return "The query cannot be read, so nothing can be judged. The query pane shows where."
    return state.trouble or "The run is being judged."
