"""Shows why the plan is lost: the conflict in plain words, all other conflicts, and what would save the plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.widget import Widget

from planscope.language.problem import Constraint
from planscope.oracle.verdict_types import Blame, Core, Correction, Reasons, Verdict
from planscope.safe import show, wrap
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, Said, TextBox
from planscope.tui.keys import fixed_keys, key_for
from planscope.tui.panes.query import Painted, not_judged, painted_runs
from planscope.tui.style.lines import Line, Page, Run, indented, shown
from planscope.tui.style.roles import certificate
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms
from planscope.wording.constraints import label, place, plain
from planscope.wording.explain import UNFORESEEABLE, asides, explain_core, explain_correction, explain_verdict

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

JOB = "reasons"
Reason = tuple[str, str]
"""A conflict or a correction: the names of its members, then its sentence."""

_LISTS = (
    ("conflict", "conflicts", "smallest sets that cannot all hold"),
    ("way", "ways", "smallest sets to give up so that the rest can be met"),
)
"""The second and third page: what is counted, and what it is."""


class WhyDialog(Dialog[None]):
    """Three pages; Tab and digits turn them. The search for all conflicts runs until the dialog is closed. Where
    nothing is lost, the first page is all there is."""

    BINDINGS = fixed_keys(
        {
            "tab,right": "turn_page(1)",
            "shift+tab,left": "turn_page(-1)",
            "1": "page(0)",
            "2": "page(1)",
            "3": "page(2)",
            "space": "go(10)",
            **LIST_KEYS,
            "enter,q,x": "leave",
        }
    )

    def __init__(self, state: DebugView, jobs: Jobs) -> None:
        super().__init__("")
        self.state = state
        self.jobs = jobs
        self.cores: list[Reason] = []
        self.corrections: list[Reason] = []
        self.progress = "searching…"
        self._entries: list[tuple[int, int]] = []

    # The search for conflicts:

    def on_mount(self) -> None:
        if self.lost:
            self._search(self.state.debug.run.judged)

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)

    @property
    def lost(self) -> bool:
        """Whether the plan is lost here, so that there is a conflict to search for."""
        verdict = self.state.verdict
        violated = verdict is not None and verdict.first_violation is not None
        judged = self.state.progress == "judged" and self.state.certificate != "denied"
        return judged and (self.state.debug.view.lost or violated)

    def _search(self, run: Replay) -> None:
        view = self.state.debug.view
        index = view.index if view.lost else None
        where = index if index is not None else run.first_doomed or 0
        stops: list[Callable[[], None]] = []

        def work(token: CancelToken) -> Reasons:
            def found(reasons: list[Reason], one: Core | Correction, sentence: str) -> None:
                named = (label(run.problem.by_id[id]) for id in one.constraints)
                members = ", ".join([*named, *map(phrases.step_name, one.steps)])
                self.jobs.tell(lambda: None if token.cancelled else self._add(reasons, (members, sentence)))

            return run.reasons(
                index,
                on_core=lambda core: found(self.cores, core, explain_core(run, core)),
                on_correction=lambda one: found(self.corrections, one, explain_correction(run, where, one)),
                stopped=lambda: token.cancelled,
                started=stops.append,
            )

        def interrupt() -> None:
            for stop in stops:
                stop()

        def ended(found: Reasons) -> None:
            self._end(terms.SEARCH_ENDS[found.ended])

        def failed(error: Exception) -> None:
            self._end(f"the search failed: {shown(str(error), 120)}")

        self.jobs.start(JOB, work, ended, failed, interrupt=interrupt)

    def _add(self, reasons: list[Reason], reason: Reason) -> None:
        reasons.append(reason)
        self.show()

    def _end(self, progress: str) -> None:
        self.progress = progress
        self.show()

    # Display:

    def body(self) -> Sequence[Widget]:
        self.text = self.gives_way = TextBox(self._lines, at=self._chosen, clicked=self._clicked)
        return TextBox(lambda: self.tabs(self._titles(), self.number, "strong")), self.text

    def hint(self) -> Sequence[Said]:
        return "", f"{'Tab: next page, ' * self.lost}↑ ↓: move, Esc: close"

    def _titles(self) -> list[str]:
        if not self.lost:
            return ["Why"]
        ways = f"3 What would save it ({len(self.corrections)})"
        return ["1 Why", f"2 Every conflict ({len(self.cores)})", ways]

    @property
    def _reasons(self) -> list[Reason]:
        return self.cores if self.number == 1 else self.corrections

    def count(self) -> int:
        return len(self._reasons)

    def _lines(self) -> list[Line]:
        """Make the lines of a page, and note the first and the last line of each entry."""
        self._entries = []
        if self.number == 0:
            return indented(explanation(self.state, self.text_width))
        one, more, about = _LISTS[self.number - 1]
        page = Page(self.text_width)
        head = f"{phrases.plural(len(self._reasons), one, more)}: {about} ({self.progress})"
        page.lines.extend(self.told([head, ""], "dim"))
        for i, (members, sentence) in enumerate(self._reasons):
            here, first = i == self.at, len(page.lines)
            ground = "cursor" if here else ""
            mark = Run(" ▶ " if here else "   ", "mark")
            page.add(mark, Run(f"{i + 1:>2}  ", "dim"), Run(shown(members, 120), "core"), ground=ground)
            page.text(sentence, "", 7, ground)
            self._entries.append((first, len(page.lines) - 1))
            page.add()
        return page.lines

    def _chosen(self) -> tuple[int, int] | None:
        return self._entries[self.at] if self._entries else None

    def _clicked(self, line: int, column: int) -> None:
        self.at = next((i for i, (a, b) in enumerate(self._entries) if a <= line <= b), self.at)
        self.show()

    # Keys

    def page_count(self) -> int:
        return len(self._titles())

    def action_page(self, number: int) -> None:
        super().action_page(number)
        if self.number == 0:
            self.text.scroll_lines(self.at - self.text.top)

    def action_go(self, by: int) -> None:
        if self.number == 0:
            self.text.scroll_lines(by)
            self.at = self.text.top
        else:
            super().action_go(by)


def explanation(state: DebugView, width: int) -> list[Line]:
    """Explain why the plan was lost in this run, or say that it was not."""
    page, verdict = Page(width), state.verdict
    sealed = certificate(state.certificate)
    if state.progress != "judged" or verdict is None:
        page.text(_not_yet(state))
    elif state.certificate == "denied":
        page.text(*sealed)
    else:
        _explain(page, state, verdict, sealed)
    return page.lines


def _explain(page: Page, state: DebugView, verdict: Verdict, sealed: tuple[str, str]) -> None:
    if state.run is not None:
        if state.cause is not None:
            _cause(page, state.cause)
        judged = state.debug.run.judged
        unjudged = judged.problem.unjudged
        page.text(terms.sentence(not_judged()) if unjudged else explain_verdict(judged, verdict), "strong")
        for note in asides(verdict):
            page.text(note, "dim")
    core = state.debug.view.core or (verdict.first_violation.core if verdict.first_violation else None)
    if core is not None:
        page.text(*sealed)
        page.add()
        _conflict(page, state, core)
        _right_plan(page, state)
        return
    if state.run is None:
        page.text(f"The query can be met. It is not run yet; press {key_for('rerun')}.", "strong")
    if state.run is None or not state.run.under_way:
        page.text(*sealed)


def _cause(page: Page, cause: Blame) -> None:
    from planscope.cause.told import chain, told

    page.text(told(cause), "caution" if cause.step is not None else "dim")
    for line in chain(cause):
        page.text(line, "", 2)
    page.add()


def _conflict(page: Page, state: DebugView, core: Core) -> None:
    problem = state.debug.run.problem
    page.add(Run(f"{terms.CORE_GLYPH} {terms.CONFLICT}", "core"), Run(f"  {terms.CONFLICT_MEANS}", "dim"))
    for id in core.constraints:
        if id in problem.by_id:
            _member(page, state, problem.by_id[id])
    for step in core.steps:
        _step(page, state, step)
    page.add()
    page.text(terms.DROP_ONE, "dim")
    if not core.foreseeable:
        page.text(UNFORESEEABLE, "caution")


def _member(page: Page, state: DebugView, c: Constraint) -> None:
    head = (Run(f"{terms.CORE_GLYPH} ", "core"), Run(f"{label(c)}  ", "dim"))
    margin, first = sum(len(run.text) for run in head), len(page.lines)
    said = plain(c, state.debug.run.problem)  # a rule begins with the name of a tool
    page.text((said if c.kind == "of_calls" else terms.capital(said)) + ".", "strong", margin)
    page.lines[first] = Line((*head, *page.lines[first].runs[1:]))
    if c.is_rule:
        page.text(place(c), "dim", margin)
    elif c.spans:
        _quoted(page, state.text, c, margin)


def _quoted(page: Page, text: str, c: Constraint, margin: int) -> None:
    """Quote the sentence of the query, with the words of the constraint highlighted."""
    start, end = _sentence(text, min(s for s, _ in c.spans), max(e for _, e in c.spans))
    painted: list[Painted] = [(a - start, b - start, "core-words") for a, b in c.spans]
    whole = show(text[start:end], keep_newlines=True, limit=1500)
    if c.sentence is not None:
        page.text(f"sentence {c.sentence + 1} of the query:", "dim", margin)
    for first, last in wrap(whole, page.width - margin):
        page.add(" " * margin, *painted_runs(whole, first, last, painted))


def _step(page: Page, state: DebugView, step: object) -> None:
    view = next((view for view in state.debug.run.steps if view.step == step), None)
    if view is None:
        return
    call = view.call
    text = "the run ended here" if call is None else phrases.call(call.tool, call.arguments)
    page.add(
        Run(f"{terms.CORE_GLYPH} ", "core"),
        Run(f"{phrases.step_name(view.step)}  ", "dim"),
        Run(text, "tool"),
        Run(f"  {phrases.hours(view.start, view.end)}" if view.start is not None else "", "dim"),
    )


def _right_plan(page: Page, state: DebugView) -> None:
    repair = state.repair
    if repair is None or repair.order is None:
        return
    page.add()
    if repair.changes:
        page.add(Run(f"✓ {terms.CHANGE_TITLE}", "holds"))
        for one in phrases.changes(repair):
            page.text(one)
        return
    swaps = f"  {phrases.plural(repair.swaps, 'swap')} away" if repair.swaps is not None else ""
    page.add(Run("✓ A correct plan", "holds"), Run(swaps, "dim"))
    for number, step in enumerate(phrases.plan(repair)[:40], 1):
        kept = number <= repair.kept
        call = Run(phrases.planned(state.debug.run.problem, step), "dim" if kept else "tool")
        page.add(Run(f"{number:>4}  ", "dim"), call, Run("  as it was" * kept, "dim"))


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
