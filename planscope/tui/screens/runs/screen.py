"""The screen of the session's runs: searches, filters, deletes and restores them, and shows where each was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from textual import events, on
from textual.containers import Container, Horizontal
from textual.widget import Widget
from textual.widgets import Input

from planscope.session.run_list import Facet, Losses
from planscope.tui.app_screen import FixedKey, keys_for
from planscope.tui.controllers.run_list import Place, Row, RunList, Runs
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.base import SafeInput
from planscope.tui.keys import key_for
from planscope.tui.messages import DocumentChanged, RunsChanged
from planscope.tui.panes.box import BoxPane, Lazy, LineClicked
from planscope.tui.screens.runs.lines import (
    chosen_lines,
    chosen_title,
    columns_of,
    empty_lines,
    loss_lines,
    row_line,
)
from planscope.tui.screens.side import SIDE_STYLE, SideScreen
from planscope.tui.style.lines import Run, shown
from planscope.tui.style.painter import Painter
from planscope.wording import phrases


def playing() -> str:
    """Return the notice that something is not possible during what-if play."""
    return (
        f"this is what-if play: {key_for('keep-play')} keeps the calls as a run, {key_for('deselect')} leaves"
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """The result of the screen: a query, and a run of it or "". ``compare``: compare it with what is displayed, not
    open it."""

    variant: str
    run: str
    compare: bool = False


_FIXED: tuple[FixedKey, ...] = (
    ("down,j", "go(1)", "The row below"),
    ("up,k", "go(-1)", "The row above"),
    ("pagedown", "go_page(1)", "A page down"),
    ("pageup", "go_page(-1)", "A page up"),
    ("home", "go(-1000000)", "The first row"),
    ("end", "go(1000000)", "The last row"),
    ("enter", "take", "Open the run, or show the runs lost at this step"),
)


class RunsScreen(SideScreen):
    """Lists the queries and runs of a session. The screen returns a :class:`Chosen`, or None.

    ``here``: the displayed query and run, which the list marks. ``begin``: the first selection. ``title``: what is
    chosen, if the screen asks for a run.
    """

    CSS_PATH = [SIDE_STYLE, "runs.tcss"]  # noqa: RUF012  (Textual's own way to say it)
    where = "runs"
    BINDINGS = keys_for("runs", _FIXED)

    def __init__(
        self, paint: Painter, work: Workspace, here: Place | None, begin: Place | None = None, title: str = ""
    ) -> None:
        super().__init__(paint, work)
        self.here = here
        self.title_text = title
        self.list = RunList(work.document, work.jobs, self.post_message, begin or here)
        self.pane: Literal["list", "losses"] = "list"
        self.step = 0
        self._columns = columns_of(())
        self._scrolled: Row | None = None
        self._columns_of: tuple[Row, ...] = ()
        self._losses: tuple[tuple[Row, ...], Losses, str] | None = None

    def body(self) -> Iterable[Widget]:
        self.search = SafeInput(id="search", placeholder="search for", compact=True)
        self.search.display = False
        self.rows = BoxPane(self.paint, id="list")
        self.histogram = BoxPane(self.paint, id="losses")
        self.run = BoxPane(self.paint, id="chosen")
        below = Horizontal(self.histogram, self.run, id="below")
        return (Container(self.search, self.rows, below, id="panes"),)

    def on_mount(self) -> None:
        self.list.read()

    def on_unmount(self) -> None:
        self.list.close()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_state)

    @property
    def state(self) -> Runs:
        return self.list.state

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return self.list.at_rest

    # Display

    @on(RunsChanged)
    def _runs_changed(self) -> None:
        self.show_state()

    @on(DocumentChanged)
    def _session_changed(self, message: DocumentChanged) -> None:
        self.list.heard(message)

    def _counted(self) -> tuple[Losses, str]:
        """Return the histogram and the counts of the displayed runs, made once for each list."""
        listed = self.state.listed
        if self._losses is None or self._losses[0] is not listed:
            self._losses = (listed, self.state.losses, self.state.tally.text)
        return self._losses[1:]

    def show_state(self) -> None:
        if not self.is_mounted:
            return
        for pane in (self.rows, self.histogram, self.run):
            pane.measure()
        state, here = self.state, self.here.run if self.here is not None else ""
        listed, at = state.listed, state.at
        losses, _ = self._counted()
        if self._columns_of is not state.rows:
            self._columns_of, self._columns = state.rows, columns_of(state.rows)
        self.step = min(self.step, max(len(losses.rows) - 1, 0))
        typing, on_list = self.search.has_focus, self.pane == "list"
        self.rows.set_content(
            Lazy(len(listed), lambda i: row_line(listed[i], i == at, here, self._columns))
            if listed
            else empty_lines(state, self.rows.inner_width),
            title=(Run("Queries and runs", "title"), Run(f" {len(state.runs):,}", "number")),
            note=self._filters(),
            current=not typing and on_list,
            reveal=at,
        )
        step = None if on_list else self.step
        self.histogram.set_content(
            loss_lines(losses, self.histogram.inner_width, step),
            title=(Run("Lost at", "title"),),
            note=(Run(f"{losses.lost:,} of {phrases.plural(losses.total, 'run')}", "dim"),),
            current=not typing and not on_list,
            reveal=step,
        )
        if self._scrolled is not state.chosen:
            self._scrolled = state.chosen
            self.run.move_to(0)
        self.run.set_content(
            chosen_lines(state.chosen, state.all_runs, self.run.inner_width), title=chosen_title(state.chosen)
        )
        self.show_bars()

    def _filters(self) -> list[Run]:
        state = self.state
        made = [Run(f'"{shown(state.words.strip(), 30)}"  ', "hit-mark")] if state.words.strip() else []
        made += [Run(f"only {shown(facet.text, 30)}  ", "mark") for facet in sorted(state.facets)]
        if state.filtered:
            made.append(Run(f"of {len(state.all_runs):,}", "dim"))
        elif state.removed:
            made.append(
                Run(
                    f"{phrases.plural(state.removed, 'deletion')}: {key_for('take-back-run')} takes back",
                    "dim",
                )
            )
        return made

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        left = [Run(" runs ", "brand"), Run(" "), Run(self.title_text or self._counted()[1] or "no run yet")]
        done, many = self.state.judging
        return left, [Run(f"judging {done:,} of {many:,}" if many else "", "dim")]

    # Moving

    def action_go(self, by: int) -> None:
        self.notice = ""
        if self.pane == "losses":
            self.step = min(max(self.step + by, 0), max(len(self._counted()[0].rows) - 1, 0))
            self.show_state()
        else:
            self.list.choose(self.state.at + by)

    def action_go_page(self, by: int) -> None:
        pane = self.rows if self.pane == "list" else self.histogram
        self.action_go(by * max(pane.window - 1, 1))

    def action_runs_next_pane(self) -> None:
        self.pane = "losses" if self.pane == "list" else "list"
        self.show_state()

    def action_look_on_run(self) -> None:
        """Scroll the chosen run; at its end, go back to its start."""
        self.run.scroll_round()

    def action_next_failure(self) -> None:
        self.notice = ""
        self.tell(self.list.next_failure())

    @on(LineClicked)
    def _clicked(self, message: LineClicked) -> None:
        if message.box == "list" and message.index < len(self.state.listed):
            self.pane = "list"
            self.list.choose(message.index)
            if message.again:
                self.action_open_run()
        elif message.box == "losses" and message.index < len(self._counted()[0].rows):
            self.pane, self.step = "losses", message.index
            self._filter_by_step()

    # Search and filters

    def action_search_runs(self) -> None:
        self.notice = ""
        self.search.display = True
        self.set_focus(self.search)
        self.call_after_refresh(self.show_state)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.state.words:
            self.list.search(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._stop_typing()

    def _stop_typing(self) -> None:
        """Go back to the list; the search stays."""
        self.set_focus(None)
        self.search.display = bool(self.state.words.strip())
        self.call_after_refresh(self.show_state)

    def action_leave_runs(self) -> None:
        """Go from typing to the list, then end search and filters, then leave the screen."""
        if self.search.has_focus and not self.state.words:
            self._stop_typing()
        elif self.state.filtered:
            self.search.value = ""
            self.list.clear()
            self._stop_typing()
        else:
            self.dismiss(None)

    def action_filter_runs(self) -> None:
        self.start_flow(self._filter())

    async def _filter(self) -> None:
        from planscope.tui.dialogs.ask import ChooseDialog

        counts = self.state.counts()
        if not counts:
            self.tell("all runs are alike: nothing to filter by")
            return
        lines = [
            (
                Run("✓ " if facet in self.state.facets else "  ", "mark"),
                Run(f"{shown(facet.text, 40):<32}"),
                Run(f"{count:>5,}", "dim"),
            )
            for facet, count in counts
        ]
        number = await self.answer(ChooseDialog(self.paint, "Show only runs that are", lines))
        if number is not None:
            self.notice = ""
            self.list.toggle(counts[number][0])

    def _filter_by_step(self) -> None:
        rows = self._counted()[0].rows
        if rows:
            self.list.toggle(Facet("lost", rows[min(self.step, len(rows) - 1)].step))

    # Opening

    def action_take(self) -> None:
        if self.pane == "losses":
            self._filter_by_step()
        else:
            self.action_open_run()

    def action_open_run(self) -> None:
        row = self.state.chosen
        if row is None:
            self.tell("nothing is chosen")
        elif row.run is not None and self.document.run(row.place.run) is None:
            self.tell("this played run was discarded")
        else:
            self.dismiss(Chosen(*row.place))

    def action_compare_run(self) -> None:
        row, here = self.state.chosen, self.here
        if row is None or here is None:
            self.tell("no run is open in the debugger to compare with")
        elif row.place == here:
            self.tell("this one is open in the debugger: choose another to compare with it")
        else:
            self.dismiss(Chosen(*row.place, compare=True))

    def action_share_run(self) -> None:
        row = self.state.chosen
        if row is None:
            self.tell("nothing is chosen")
        elif self.work.what_if.play is not None:
            self.tell(playing())
        else:
            self.start_flow(self._share(row))

    async def _share(self, row: Row) -> None:
        from planscope.tui.screens.flows.share import Shared, share

        run = row.run.run if row.run is not None else None
        listed = tuple(one.run.id for one in self.state.runs) if self.state.filtered else ()
        what = Shared(
            self.document.snapshot(),
            run.id if run is not None else None,
            run is not None and run.under_way,
            None,
            self.document.path,
            listed,
        )
        await share(self, self.jobs, what)

    # Deleting

    def _busy(self) -> set[str]:
        """Return the ids of dissections under way."""
        record = self.work.dissecting.record
        return {record.id} if record is not None and self.work.dissecting.running else set()

    def action_delete_run(self) -> None:
        if self.work.what_if.play is not None:
            self.tell(playing())
        elif self.state.filtered and len(self.state.runs) > 1:
            self.start_flow(self._delete())
        else:
            self.tell(self.list.delete(self._busy()))

    async def _delete(self) -> None:
        from planscope.tui.dialogs.ask import asking

        row, many = self.state.chosen, len(self.state.runs)
        if row is None:
            return
        what = (
            f"run {shown(row.place.run, 20)}"
            if row.run is not None
            else f"query {shown(row.place.variant, 20)}"
        )
        told = [
            (
                "What is deleted stays in the file until you empty the trash; "
                f"{key_for('take-back-run')} takes it back.",
                "dim",
            )
        ]
        number = await self.answer(
            asking(self.paint, "Delete", told, (f"Only {what}", f"All {many:,} listed runs"))
        )
        if number is not None:
            self.tell(self.list.delete(self._busy(), listed=number == 1))

    def action_take_back_run(self) -> None:
        self.tell(self.list.take_back())

    def action_empty_runs(self) -> None:
        if self.state.removed:
            self.start_flow(self._empty())
        else:
            self.tell("nothing was deleted")

    async def _empty(self) -> None:
        from planscope.tui.dialogs.ask import sure_dialog

        text = "What you deleted in this session would be gone for good."
        if await self.answer(sure_dialog(self.paint, "Empty the trash?", text, "Keep it", "Delete it")) == 1:
            self.tell(self.list.delete_for_good())
