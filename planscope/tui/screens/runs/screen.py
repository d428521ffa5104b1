"""The screen of the session's runs: searches, filters, deletes and restores them, and shows where each was lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from textual import on
from textual.containers import Container, Horizontal
from textual.widget import Widget

from planscope.frozen import frozen
from planscope.session.run_list import Facet, losses_of, tally
from planscope.tui.app_screen import flow, in_play, keys_for
from planscope.tui.controllers.run_list import Place, RunList, Runs
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for
from planscope.tui.messages import DocumentChanged
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.columns import head_line
from planscope.tui.screens.lists import At, Cursor, ListScreen, list_keys
from planscope.tui.screens.runs.lines import (
    cause_lines,
    chosen_lines,
    chosen_title,
    columns_of,
    empty_lines,
    loss_lines,
    run_line,
)
from planscope.tui.style.lines import Run, shown
from planscope.wording import phrases


@frozen
class Chosen:
    """The result of the screen: a query, and a run of it or "". ``compare``: do not open it, but compare it with what
    is displayed (``here``), or with the nearest right run (``nearest``)."""

    variant: str
    run: str
    compare: Literal["", "here", "nearest"] = ""


class RunsScreen(ListScreen):
    """Lists the queries and runs of a session. The screen returns a :class:`Chosen`, or None.

    ``here``: the displayed query and run, which the list marks. ``begin``: the first selection. ``title``: what is
    chosen, if the screen asks for a run.
    """

    LEAVES_ROWS = True
    where = "runs"
    BINDINGS = keys_for("runs", list_keys("take"))

    def __init__(
        self, work: Workspace, here: Place | None, begin: Place | None = None, title: str = ""
    ) -> None:
        super().__init__(work)
        self.here = here
        self.title_text = title
        self.searched = self.list = RunList(work.document, work.jobs, self.post_message, begin or here)
        self.current = "list"
        self.step = 0
        self._columns_of: object = None
        self._counted_of: object = None
        self.groups: list[Facet] = []
        self.told = ""

    def body(self) -> Iterable[Widget]:
        self.rows, self.histogram, self.run = BoxPane(id="list"), BoxPane(id="losses"), BoxPane(id="chosen")
        self.cursors = {
            "list": Cursor(self.rows, lambda: self.state, self.list.choose, self.action_open_run),
            "losses": Cursor(
                self.histogram,
                lambda: At(self.groups, self.step),
                self._choose_step,
                clicked=self._filter_by_step,
            ),
        }
        self.details = (self.run,)
        below = Horizontal(self.histogram, self.run, id="below")
        return (Container(self.search, self.rows, below, id="panes"),)

    def on_mount(self) -> None:
        self.list.read()

    def on_unmount(self) -> None:
        self.list.close()

    @property
    def state(self) -> Runs:
        return self.list.state

    def idle_keys(self) -> set[str]:
        """What finds nothing here: another run to compare with, a failure."""
        state = self.state
        idle = {"compare-run"} if len(state.all_runs) < 2 else set()
        if self.at_rest and state.next_failure() is None:
            idle.add("next-failure")
        return idle

    def modes(self) -> set[str]:
        return {"undo"} if self.state.removed else set()

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return self.list.at_rest

    # Display

    @on(DocumentChanged)
    def _session_changed(self, message: DocumentChanged) -> None:
        self.list.heard(message)

    def _count(self) -> None:
        """Count the displayed runs, once for each list. ``groups``: the filter of each row of the histogram."""
        if self._counted_of is not (listed := self.state.listed):
            runs, self._counted_of, self.causes = self.state.runs, listed, self.state.causes
            self.losses, self.told = losses_of(runs), tally(runs).text
            self.groups = [Facet("cause", cause) for cause, _ in self.causes] or [
                Facet("lost", row.step) for row in self.losses.rows
            ]

    def show_all(self) -> None:
        self._count()
        state, losses, causes = self.state, self.losses, self.causes
        if self._columns_of is not state.rows:
            here = self.here.run if self.here is not None else ""
            self._columns_of, self._columns = state.rows, columns_of(state.rows, here)
        self.step = min(self.step, max(len(self.groups) - 1, 0))
        self.show_list(
            "list",
            lambda i, chosen: run_line(state.listed[i], chosen, self._columns),
            partial(empty_lines, state),
            title=(Run("Queries and runs", "title"), Run(f" {len(state.runs):,}", "number")),
            note=self._note(),
            head=head_line(self._columns),
        )
        on_losses = self.current == "losses"
        step = self.step if on_losses else None
        counted = sum(runs for _, runs in causes) if causes else losses.lost
        note = f"{counted:,} of {phrases.plural(losses.total, 'run')}"
        if on_losses and causes:
            note = f"{key_for('compare-run')}: beside the nearest right run"
        self.histogram.set_content(
            cause_lines(causes, self.histogram.inner_width, step)
            if causes
            else loss_lines(losses, self.histogram.inner_width, step),
            title=(Run("By cause" if causes else "Lost at", "title"),),
            note=(Run(note, "dim"),),
            current=on_losses and not self.search.has_focus,
            reveal=step,
        )
        told = partial(chosen_lines, state.chosen, state.all_runs)
        self.show_detail(self.run, state.chosen, told, chosen_title(state.chosen))

    def _note(self) -> list[Run]:
        state = self.state
        made = self.filters()
        if state.filtered:
            made.append(Run(f"of {len(state.all_runs):,}", "dim"))
        elif state.removed:
            undo = key_for("take-back-run")
            made.append(Run(f"{phrases.plural(state.removed, 'deletion')}: {undo} takes back", "dim"))
        return made

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        runs = phrases.plural(len(self.state.runs), "run") if self.state.runs else "no run yet"
        left = [Run(self.title_text or self.told or runs)]
        done, many = self.state.judging
        return left, [Run(f"judging {done:,} of {many:,}" if many else "", "dim")]

    # Moving, filters

    def _choose_step(self, step: int) -> None:
        self.step = step
        self.show_state()

    def action_next_failure(self) -> None:
        self.tell(self.list.next_failure())

    def _filter_by_step(self) -> None:
        if self.groups:
            self.list.toggle(self.groups[self.step])

    # Opening

    def action_take(self) -> None:
        if self.current == "losses":
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
        if self.current == "losses" and self.causes and row is not None:
            cause = self.groups[self.step]
            mine = (one for one in (row, *self.state.listed) if cause in self.state.facets_of(one))
            self.dismiss(Chosen(*next(mine, row).place, compare="nearest"))
        elif row is None or here is None:
            self.tell("no run is open in the debugger to compare with")
        else:  # the one in the debugger itself is compared with the run that is nearest
            self.dismiss(Chosen(*(row.place if row.place != here else Place("")), compare="here"))

    @flow
    async def action_share_run(self) -> None:
        from planscope.tui.screens.flows.share import Shared, share

        row = self.state.chosen
        if row is None or self.work.what_if.play is not None:
            self.tell("nothing is chosen" if row is None else in_play(keeps=True))
            return
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

    @flow
    async def action_delete_run(self) -> None:
        from planscope.tui.dialogs.ask import ChooseDialog

        row, many = self.state.chosen, len(self.state.runs)
        if self.work.what_if.play is not None:
            self.tell(in_play(keeps=True))
            return
        if row is None or not self.state.filtered or many < 2:
            self.tell(self.list.delete(self._busy()))
            return
        what = (
            f"run {shown(row.place.run, 20)}"
            if row.run is not None
            else f"query {shown(row.place.variant, 20)}"
        )
        told = (
            "What is deleted stays in the file until you empty the trash; "
            f"{key_for('take-back-run')} takes it back.",
            "dim",
        )
        choices = (f"Only {what}", f"All {many:,} listed runs")
        number = await self.answer(ChooseDialog("Delete", choices, before=[told]))
        if number is not None:
            self.tell(self.list.delete(self._busy(), listed=number == 1))

    def action_take_back_run(self) -> None:
        self.tell(self.list.take_back())

    @flow
    async def action_empty_runs(self) -> None:
        from planscope.tui.dialogs.ask import sure_dialog

        text = "What you deleted in this session would be gone for good."
        if await self.answer(sure_dialog("Empty the trash?", text, "Keep it", "Delete it")) == 1:
            self.tell(self.list.delete_for_good())
