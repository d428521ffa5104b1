"""The compare screen: two runs or queries side by side, in pages; keys jump between differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from textual.containers import Horizontal
from textual.widget import Widget

from planscope.compare import compare
from planscope.compare.result import Comparison
from planscope.frozen import frozen
from planscope.session.record import help_of
from planscope.session.seen import NOT_RECORDED
from planscope.tui.app_screen import flow, keys_for
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.compare_calls import ROOMY, Row
from planscope.tui.panes.compare_detail import detail_lines, detail_title
from planscope.tui.panes.compare_lines import PAGES, TITLES, Page, rows_of, verdict_of
from planscope.tui.screens.compare.comparable import Chosen, unrelated
from planscope.tui.screens.lists import At, Cursor, ListScreen, list_keys
from planscope.tui.style.lines import Line, Run, fitted, joined, shown, tabs, width_of
from planscope.wording import phrases

JOB, COPY = "compare", "compare copy"
BARS, BORDER, LOWEST = 2, 1, 4
"""Rows of title and keys, of a box's border, and of the smallest upper half."""

DETAILED: tuple[Page, ...] = ("calls", "constraints")
"""The pages whose lower half describes the selected row."""

REASONS = {
    "call": "different call",
    "arguments": "different arguments",
    "answer": "different answer",
    "state": "different state of the plan",
    "ending": "different ending",
}


@frozen
class RunChosen:
    """The result of a screen that the user left to open a run in the debug screen, at a step."""

    run: str
    index: int


@frozen
class CompareState:
    a: Chosen
    b: Chosen
    compared: Comparison | None = None
    trouble: str = ""
    page: Page = "calls"
    at: int = 0


class _Column(BoxPane):
    """One of two columns that scroll together."""

    _other: _Column | None = None

    def scroll_with(self, other: _Column) -> None:
        self._other = other

    def scroll_lines(self, by: int) -> None:
        super().scroll_lines(by)
        if self._other is not None:
            self._other.move_to(self.top)
            self._other.sync()


class CompareScreen(ListScreen):
    """Shows a comparison. The screen returns a :class:`RunChosen`, or None."""

    where = "compare"
    BINDINGS = keys_for("compare", list_keys("open(1)"))

    def __init__(self, work: Workspace, a: Chosen, b: Chosen) -> None:
        super().__init__(work)
        self.state = CompareState(a, b)
        self.rows: list[Row] = []
        self.current = "left"
        self._rows_of: Comparison | None = None
        self._row_told: Row | None = None
        self._upper, self._apart = 0, False
        self._rows_as: tuple[Page, int] = ("calls", 0)

    def body(self) -> Iterable[Widget]:
        self.left = _Column(id="left")
        self.right = _Column(id="right")
        self.left.scroll_with(self.right)
        self.right.scroll_with(self.left)
        self.columns = Horizontal(self.left, self.right, id="columns")
        self.left_detail = BoxPane(id="left-detail")
        self.right_detail = BoxPane(id="right-detail")
        self.below = Horizontal(self.left_detail, self.right_detail, id="details")
        self.details = (self.left_detail, self.right_detail)
        self.cursors = {
            box.id or "": Cursor(
                box, lambda: At(self.rows, self.state.at), self._choose_row, partial(self.action_open, side)
            )
            for side, box in enumerate((self.left, self.right))
        }
        return (self.columns, self.below)

    def on_mount(self) -> None:
        self.call_after_refresh(self.compare)

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)
        self.jobs.cancel(COPY)

    def compare(self) -> None:
        """Compare the chosen runs in the background."""
        session = self.document.snapshot()
        a, b = (self._thing(chosen) for chosen in (self.state.a, self.state.b))
        if a is None or b is None:
            self.change(trouble="this run or query is no longer in the session")
            return
        self.change(compared=None, trouble="", at=0)
        self.jobs.start(
            JOB,
            lambda token: compare(session, a, session, b),
            self._compared,
            lambda error: self.change(trouble=f"not compared: {shown(str(error), 200)}"),
        )

    def _thing(self, chosen: Chosen) -> Any:
        return (
            self.document.run(chosen.run) if chosen.run is not None else self.document.variant(chosen.variant)
        )

    def _compared(self, compared: Comparison) -> None:
        page = self.state.page
        if compared.calls is None and page == "calls":
            page = "words"
        runs = (
            self.document.run(one.run) for one in (compared.a, compared.b) if one.run and not one.text.strip()
        )
        known = [run for run in runs if run is not None]
        self._apart = len(known) == 2 and unrelated(known)
        self.change(compared=compared, page=page)
        self._go_first()

    def _go_first(self) -> None:
        """Go to the row that lost the plan; on a page without one, to the first that differs."""
        places = [i for i, row in enumerate(self.rows) if row.lost or row.differs]
        self.change(at=next((i for i in places if self.rows[i].lost), places[0] if places else 0))

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return self.state.compared is not None or bool(self.state.trouble)

    # Display

    def change(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self.show_state()

    def show_all(self) -> None:
        state, compared = self.state, self.state.compared
        width = min(self.left.inner_width, self.right.inner_width)
        if compared is None:
            said = state.trouble or "comparing…"
            lines = [Line((Run(said, "caution" if state.trouble else "dim"),))]
            self.left.set_content(lines)
            self.right.set_content([])
            return
        if self._rows_of is not compared or self._rows_as != (state.page, width):
            self._rows_of, self._rows_as = compared, (state.page, width)
            self.rows = rows_of(state.page, compared, width)
        at = max(min(state.at, len(self.rows) - 1), 0)  # a wider window may need fewer rows
        if at != state.at:
            self.state = replace(state, at=at)
        grounds = ["cursor" if i == at else "" for i in range(len(self.rows))]
        for column, side in ((self.left, compared.a), (self.right, compared.b)):
            lines = [
                Line((row.a if side is compared.a else row.b).runs, ground)
                for row, ground in zip(self.rows, grounds, strict=True)
            ]
            what = f"run {shown(side.run, 20)}" if side.run else f"query {shown(side.variant, 20)}"
            by = f"  {self._by(side.run)}" if width >= ROOMY else ""  # in a narrow column, only the verdict
            title = (Run(what, "title"), Run(by, "dim"))
            column.set_content(lines, title=title, note=verdict_of(side), current=True, reveal=at)
        self.right.move_to(self.left.top)
        self.right.sync()
        self._show_details(compared, at)

    def _show_details(self, compared: Comparison, at: int) -> None:
        """Display both sides of the selected row in the lower half, on the pages that have details."""
        more = self.state.page in DETAILED and bool(self.rows)
        height = self._upper_height() if more else 0
        if self._upper != height:
            self._upper = height
            self.below.display = more
            self.columns.styles.height = height or "1fr"
            self.call_after_refresh(self.show_state)
        if not more:
            return
        row = self.rows[at]
        for which, (pane, side) in enumerate(
            ((self.left_detail, compared.a), (self.right_detail, compared.b))
        ):
            if self._row_told is not row:
                pane.move_to(0)
            lines = detail_lines(compared, row, which, pane.inner_width)
            pane.set_content(lines, title=detail_title(side, row, which))
        self._row_told = row

    def _upper_height(self) -> int:
        """Return the height of the rows with their border: what they need, at most three fifths of the screen."""
        free = self.app.size.height - BARS
        return max(min(len(self.rows) + BORDER, free * 3 // 5), LOWEST)

    def _by(self, run_id: str | None) -> str:
        run = self.document.run(run_id) if run_id is not None else None
        if run is None:
            return ""
        agent = "" if run.agent == NOT_RECORDED else help_of(run).agent(run.agent)
        return shown(", ".join(filter(None, (agent, run.model.removeprefix(NOT_RECORDED)))), 40)

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        titles = [(f"{number} {TITLES[page]}", f"page('{page}')") for number, page in enumerate(PAGES, 1)]
        left = tabs(titles, PAGES.index(self.state.page), gap=1)
        if (compared := self.state.compared) is None:
            return left, [Run("comparing…" if not self.state.trouble else "", "dim")]
        parts = [(place, [Run(text, "strong")]) for place, text in self._parting(compared) if text]
        return left, joined(fitted(parts, width - width_of(left)))

    def _parting(self, compared: Comparison) -> Iterable[tuple[int, str]]:
        """Describe the first difference of the runs, and count the differences on this page; what matters least has the
        highest number."""
        differing, parted = sum(row.differs for row in self.rows), compared.divergence
        if self._apart:
            yield 0, "different tasks, it seems"
        elif parted is not None:
            step = compared.a.steps[parted.a].step if compared.a.steps else parted.a
            yield 0, f"first difference: {phrases.step_name(step)}"
            yield 2, " and ".join(REASONS[reason] for reason in parted.reasons)
        elif compared.calls is not None:
            yield 0, "the runs do not differ"
        yield 1, f"{phrases.plural(differing, 'difference') if differing else 'no difference'} here"

    # Keys

    def _choose_row(self, at: int) -> None:
        self.change(at=at)

    def action_difference(self, by: int) -> None:
        """Go to the next row that differs, or to the one before."""
        places = range(self.state.at + by, len(self.rows) if by > 0 else -1, by)
        found = next((i for i in places if self.rows[i].differs), None)
        if found is None:
            self.tell(f"no difference {'below' if by > 0 else 'above'}")
        else:
            self.notice = ""
            self.change(at=found)

    def action_page(self, page: Page) -> None:
        self.notice = ""
        self.change(page=page, at=0)
        self._go_first()

    def action_compare_next_page(self) -> None:
        self.action_page(PAGES[(PAGES.index(self.state.page) + 1) % len(PAGES)])

    def action_swap_sides(self) -> None:
        self.state = replace(self.state, a=self.state.b, b=self.state.a)
        self.compare()

    @flow
    async def action_choose(self, side: str) -> None:
        """Choose what to compare on a side."""
        from planscope.tui.controllers.run_list import Place
        from planscope.tui.screens.runs.screen import RunsScreen

        before = self.state.a if side == "left" else self.state.b
        begin = Place(before.variant, before.run or "")
        found = await self.answer(RunsScreen(self.work, None, begin, f"Compare: {side} side"))
        if found is None:
            return
        chosen = Chosen(found.variant, found.run or None)
        now = self.state
        self.state = replace(now, a=chosen) if side == "left" else replace(now, b=chosen)
        self.compare()

    def action_open(self, side: int) -> None:
        """Open the run of a side in the debugger, at the chosen step."""
        compared = self.state.compared
        run = (self.state.a, self.state.b)[side].run
        if compared is None or run is None:
            self.tell("no run on this side")
            return
        calls = self.rows if self.state.page == "calls" else []
        row = calls[min(self.state.at, len(calls) - 1)] if calls else None
        index = row.steps[side] if row is not None else None
        self.dismiss(RunChosen(run, -1 if index is None else index))

    def action_copy_comparison(self) -> None:
        from planscope.tui.screens.flows.take_away import take_comparison

        a, b = (self._thing(chosen) for chosen in (self.state.a, self.state.b))
        if self.state.compared is None or a is None or b is None:
            self.tell("not compared yet")
        elif {self.state.a.run, self.state.b.run} & self.document.passing:
            self.tell("the played calls are not a run yet: keep them with K in the debugger")
        else:
            snapshot = self.document.snapshot()
            take_comparison(self, self.jobs, COPY, snapshot, a, b)
