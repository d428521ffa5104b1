"""The campaign screen: tables and curves of a campaign, and below them the runs of the chosen cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from textual.containers import Horizontal
from textual.widget import Widget

from planscope.campaign.cases import case_id
from planscope.errors import UserError
from planscope.tui.app_screen import flow, keys_for
from planscope.tui.controllers.campaign_view import SOON, CampaignState, CampaignView, Wanted
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.columns import Column, head_line, row_line
from planscope.tui.screens.campaign.curves import curve_lines
from planscope.tui.screens.campaign.tables import TABLES, Table, columns_of, table_of
from planscope.tui.screens.lists import At, Cursor, ListScreen, list_keys
from planscope.tui.style.lines import (
    Line,
    Run,
    cut,
    fitted,
    joined,
    line,
    shown,
    tabs,
    width_of,
    wrapped,
)
from planscope.tui.style.roles import outcome_runs
from planscope.wording import phrases

BROAD = 120
"""A window of this width has the curves beside the table."""
_OUTCOME = 15


class CampaignScreen(ListScreen):
    """Shows a campaign. The screen returns the file of a run to open, or None."""

    where = "campaign"
    BINDINGS = keys_for("campaign", list_keys("take"))

    def __init__(self, work: Workspace, name: str) -> None:
        super().__init__(work)
        self.campaign = CampaignView(name, work.jobs, self.post_message)
        self.table_name = TABLES[0]
        self.current = "table"
        self.curves_shown: bool | None = None
        """Whether the user wants the curves; None: where there is room."""
        self._row = self._case = 0
        self._table = Table()
        self._made_of: tuple[object, str] | None = None
        self._told = ""

    def modes(self) -> set[str]:
        return {"busy"} if self.state.at_work else set()

    def body(self) -> Iterable[Widget]:
        self.table, self.curves, self.cases = BoxPane(id="table"), BoxPane(id="curves"), BoxPane(id="cases")
        self.cursors = {
            "table": Cursor(self.table, lambda: At(self._table.rows, self._row), self._choose_row),
            "cases": Cursor(
                self.cases,
                lambda: At(self.state.runs, self._case),
                self._choose_case,
                self.action_open_case,
            ),
        }
        return (Horizontal(self.table, self.curves, id="above"), self.cases)

    def on_mount(self) -> None:
        self.set_interval(SOON, self.campaign.look)
        self.campaign.look()

    def on_unmount(self) -> None:
        self.campaign.close()

    @property
    def state(self) -> CampaignState:
        return self.campaign.state

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return self.campaign.at_rest

    @property
    def _with_curves(self) -> bool:
        return self.curves_shown if self.curves_shown is not None else self.app.size.width >= BROAD

    # Display

    @property
    def wanted(self) -> Wanted | None:
        """The runs that the chosen row counts."""
        return self._table.rows[self._row].wanted if self._table.rows else None

    def state_changed(self) -> None:
        report = self.state.report
        if report is not None and self._made_of != (report, self.table_name):
            before = self.wanted
            self._table, self._made_of = table_of(report, self.table_name), (report, self.table_name)
            rows = self._table.rows
            same = (k for k, row in enumerate(rows) if row.wanted == before)
            self._row = next(same, max(min(self._row, len(rows) - 1), 0))
            self.campaign.show(self.wanted)
        self._case = min(self._case, max(len(self.state.runs) - 1, 0))
        if self.state.trouble not in ("", self._told):
            self.notice = shown(self.state.trouble, 300)
        self._told = self.state.trouble
        self.show_state()

    def show_state(self) -> None:
        if self.is_mounted:
            self.curves.display = self._with_curves
            self.table.display = not self._with_curves or self.app.size.width >= BROAD
        super().show_state()

    def show_all(self) -> None:
        columns, rows = columns_of(self._table, self.table.inner_width), self._table.rows
        self.show_list(
            "table",
            lambda k, chosen: row_line(columns, rows[k], chosen),
            self._nothing,
            title=(Run(shown(self.campaign.name, 40), "title"),),
            note=(Run(self._table.note, "dim"),) if self._table.note else (),
            head=head_line(columns),
        )
        if self.curves.display:
            self._show_curves()
        self._show_cases()

    def _nothing(self, width: int) -> list[Line]:
        if self.state.trouble:
            return wrapped(self.state.trouble, width, "caution")
        if self.state.report is None:
            return [line(Run("reading…", "dim"))]
        said = {
            "rates": f"No run yet: {key_for('run-campaign')} runs the campaign.",
            "causes": f"No error was dissected yet: {key_for('dissect-errors')} dissects a sample of them.",
        }.get(self.table_name, "No errors.")
        return wrapped(said, width, "dim")

    def _show_curves(self) -> None:
        report, arm = self.state.report, self.wanted.arm if self.wanted is not None else None
        size = self.curves.inner_width, self.curves.window
        self.curves.set_content(
            curve_lines(report.cells, arm, *size) if report is not None else [],
            title=(Run("By number of actions", "title"),),
            note=(Run("share of right runs", "dim"),),
        )

    def _show_cases(self) -> None:
        state, wanted = self.state, self.state.wanted
        on_cases, width = self.current == "cases", self.cases.inner_width - 2
        cases = [one for one in _CASES if one is not _ARM or wanted is None or wanted.arm is None]
        told = Run(shown(wanted.words, 200) if wanted is not None else "", "dim")
        self.show_list(
            "cases",
            lambda k, chosen: row_line(cases, state.runs[k], chosen and on_cases, width),
            lambda width: [line(Run("no such runs" if state.listed else "", "dim"))],
            title=(Run("Runs", "title"), Run(f" {len(state.runs):,}", "number")),
            note=cut([told], max(width - 18, 8)),
        )

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        state, report = self.state, self.state.report
        titles = [(f"{number} {name.title()}", f"table('{name}')") for number, name in enumerate(TABLES, 1)]
        left = tabs(titles, TABLES.index(self.table_name), gap=1)
        parts: list[tuple[int, Sequence[Run]]] = []
        if report is not None:
            parts += [
                (3, [Run(f"seed {report.seed}")]),
                (2, [Run("with clock times" if report.timed else "without clock times")]),
                (1, [Run(phrases.plural(report.cases, "query", "queries"))]),
            ]
        if state.money:
            parts.append((1, [Run(f"{state.money:.2f} spent")]))
        parts.append((0, self._progress()))
        return left, joined(fitted(parts, width - width_of(left)))

    def _progress(self) -> list[Run]:
        state, report = self.state, self.state.report
        if report is None:
            return []
        complete = state.planned is not None and report.runs >= state.planned
        of = f" of {state.planned:,}" if state.planned is not None and not complete else ""
        made = [Run(f"{report.runs:,}{of} runs")]
        if state.doing == "dissect":
            return [*made, Run(f"  ▷ dissecting, {report.dissected} done", "caution")]
        if state.at_work:
            broad = self.app.size.width >= BROAD
            rate = f" {state.rate:.1f} a second" if state.rate and broad else ""
            left = f", {phrases.time_left(state.left)}" if state.left and broad else ""
            return [*made, Run(f"  ▷ running{rate}{left}", "caution")]
        return [*made, Run(" complete", "holds")] if complete else made

    # Moving

    def _choose_row(self, at: int) -> None:
        self._row, self._case = at, 0
        if self._table.rows:
            self.campaign.show(self.wanted)
        self.show_state()

    def _choose_case(self, at: int) -> None:
        self._case = at
        self.show_state()

    def action_next_wrong_case(self) -> None:
        runs = self.state.runs
        order = [*range(self._case + (self.current == "cases"), len(runs)), *range(self._case)]
        found = next((k for k in order if runs[k]["verdict"] == "wrong"), None)
        if found is None:
            self.tell("no other of these runs is wrong")
        else:
            self.notice, self.current, self._case = "", "cases", found
            self.show_state()

    def action_table(self, name: str) -> None:
        """Show one of the tables."""
        self.notice, self.table_name, self.current = "", name, "table"
        self._row = self._case = 0
        self._table = Table()
        if self.curves_shown and self.app.size.width < BROAD:
            self.curves_shown = None
        self.state_changed()

    def action_show_curves(self) -> None:
        self.curves_shown = not self._with_curves
        self.call_after_refresh(self.show_state)
        self.show_state()

    # Running

    def action_run_campaign(self) -> None:
        if self.state.at_work:
            self.tell(f"it runs already: {key_for('stop-campaign')} stops it")
        else:
            self._begin(self.campaign.run, "it runs by itself, and goes on when you leave this screen")

    def action_dissect_errors(self) -> None:
        if self.state.at_work:
            self.tell(f"the campaign runs: {key_for('stop-campaign')} stops it first")
        else:
            self._begin(
                self.campaign.dissect, "a sample of up to 100 errors is dissected; what is finished is kept"
            )

    def _begin(self, begin: Any, said: str) -> None:
        try:
            begin()
        except UserError as error:
            said = str(error)
        self.tell(said)

    def action_stop_campaign(self) -> None:
        stopped = self.campaign.stop()
        self.tell("stopping; finished runs are kept" if stopped else "no process of this machine runs it")

    # Opening

    def action_take(self) -> None:
        if self.current == "table":
            self.action_next_list()
        else:
            self.action_open_case()

    def action_open_case(self) -> None:
        if not self.state.runs:
            self.tell("there is no run to open")
        else:
            self.campaign.open(self.state.runs[self._case], self._opened)

    def _opened(self, path: Path) -> None:
        if not self.is_left:
            self.dismiss(path)

    @flow
    async def action_other_campaign(self) -> None:
        from planscope.tui.screens.flows.campaigns import chosen_campaign

        name = await chosen_campaign(self, self.campaign.name)
        if name == self.campaign.name:
            self.tell("this one is shown")
        elif name is not None:
            self.campaign.close()
            self.campaign = CampaignView(name, self.jobs, self.post_message)
            self._table, self._made_of, self._row, self._case = Table(), None, 0, 0
            self.campaign.look()
            self.show_state()

    def action_copy_table(self) -> None:
        from planscope.show.text import table
        from planscope.tui.screens.flows.take_away import take_away

        if not self._table.rows:
            self.tell("there is nothing to copy yet")
            return
        private = "The names of agents and models are as they are."
        rows = [self._table.heading, *(row.texts for row in self._table.rows)]
        text = "".join(f"{line}\n" for line in table(rows, indent=""))
        take_away(self, "table", text, f"{self.campaign.name}.txt", private)


def _lost(row: dict[str, Any]) -> list[Run]:
    step = row["lost"]
    told = "" if step is None else f"lost at step {step}" if step else "lost at the end"
    return [Run(told)]


_ARM: Column[dict[str, Any]] = Column("", 0, lambda row: [Run(shown(row["arm_name"], 60), "dim")])
"""What the title names if all runs of a cell are of one agent and model."""
_CASES: tuple[Column[dict[str, Any]], ...] = (
    Column("", 9, lambda row: [Run(case_id(row["n"], row["idx"]))], gap=1),
    Column("", _OUTCOME + 2, lambda row: outcome_runs(row["verdict"], row["error_type"])),
    Column("", 15, _lost, gap=1),
    Column("", 9, lambda row: [Run(phrases.plural(row["calls"], "call"))], gap=1),
    _ARM,
    Column("", 0, lambda row: [Run(shown(row["topic"], 40), "quote")]),
    Column("", 0, lambda row: [Run(shown(row["why"] or "", 200), "caution")]),
)
"""The columns of the runs of a cell."""
