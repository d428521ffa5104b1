"""The screen of what the fuzzer found in tools: the smallest call, the place, and the steps that failed so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from textual.containers import Container
from textual.widget import Widget

from planscope.errors import UserError
from planscope.session.model import FuzzFinding
from planscope.toolfuzz.formats import tests_of
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.labels import SPECIFIED
from planscope.toolfuzz.report import rate_sentence
from planscope.tui.app_screen import flow, keys_for
from planscope.tui.arrangement import WIDE
from planscope.tui.controllers.finding_list import FindingList
from planscope.tui.controllers.tool_search import ToolSearch, again
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.ask import sure_dialog
from planscope.tui.dialogs.form import ask_dialog
from planscope.tui.keys import key_for
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.columns import row_line
from planscope.tui.screens.findings.discovery import discovery_lines, discovery_title
from planscope.tui.screens.findings.lines import chosen_lines, chosen_title, columns_of, empty_lines
from planscope.tui.screens.lists import Cursor, ListScreen, list_keys
from planscope.tui.style.lines import Run, shown
from planscope.wording import phrases

CALLS = 2000
"""Calls for each tool, as on the command line."""


class FindingsScreen(ListScreen):
    """Lists findings. The screen returns a run's id and a step's index, to open them, or None.

    ``begin``: the finding that is chosen at first.
    """

    where = "findings"
    BINDINGS = keys_for("findings", list_keys("open_step"))

    def __init__(self, work: Workspace, begin: FuzzFinding | None = None) -> None:
        super().__init__(work)
        self.searched = self.list = FindingList(work.document, self.post_message, begin)
        self.current = "list"
        self.fuzzer = ToolSearch(work.document, work.jobs, self._searched)

    def idle_keys(self) -> set[str]:
        """What needs a finding, or a run's step that failed so, where there is none."""
        row = self.list.state.chosen
        idle = set() if row is not None and row.steps else {"open-step"}
        if row is None or row.only is not None:
            idle |= {"copy-reproducer", "reproduce-finding"}
        if not self.list.fuzzings:
            idle |= {"search-findings", "filter-findings", "hide-verdicts", "look-on-finding"}
        return idle

    def modes(self) -> set[str]:
        chosen = self.list.state.chosen
        found = {"found"} if chosen is not None and chosen.labelled is not None else set()
        return found | ({"busy"} if self.fuzzer.running else set())

    def body(self) -> Iterable[Widget]:
        self.rows, self.chosen, self.curve = BoxPane(id="list"), BoxPane(id="chosen"), BoxPane(id="curve")
        rows = Cursor(self.rows, lambda: self.list.state, self.list.choose, self.action_open_step)
        self.cursors, self.details = {"list": rows}, (self.chosen,)
        return (Container(self.search, self.curve, Container(self.rows, self.chosen, id="both"), id="panes"),)

    def on_mount(self) -> None:
        self.call_after_refresh(self.show_state)

    def show_all(self) -> None:
        progress, found = self.fuzzer.progress, self.list.state
        self.set_class(progress is not None, "-searching")
        if progress is not None:
            lines = discovery_lines(progress, self.curve.inner_width, self.curve.window)
            self.curve.set_content(lines, title=discovery_title(progress))
        columns = columns_of(found.listed, found.hidden)
        self.show_list(
            "list",
            lambda i, chosen: row_line(columns, found.listed[i], chosen),
            partial(empty_lines, found, self.list.fuzzings, self.fuzzer.running),
            title=(
                Run("To be labelled" if found.hidden else "Findings", "title"),
                Run(f" {found.count:,}", "number"),
            ),
            note=[*self.filters(), Run("" if found.hidden else "most frequent first", "dim")],
        )
        told = partial(chosen_lines, found.chosen, hidden=found.hidden)
        self.show_detail(self.chosen, found.chosen and found.chosen.place, told, chosen_title(found.chosen))

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        tools = sum(len(one.tools) for one in self.list.fuzzings)
        calls = sum(one.calls for one in self.list.fuzzings)
        prompts = sum(len(one.runs) for fuzzing in self.list.fuzzings for one in fuzzing.sets)
        told = f"{phrases.plural(tools, 'tool')}, {phrases.plural(calls, 'call')}"
        told += f", {phrases.plural(prompts, 'prompt')}" if prompts else ""
        shut = sum(
            tool.succeeded == 0 and not tool.skipped for one in self.list.fuzzings for tool in one.tools
        )
        told += f", {phrases.plural(shut, 'tool')} never entered" if shut else ""
        rate, left = self.list.rate, [Run(told)]
        if rate is None or self.list.state.hidden:
            return left, []
        short = f"{phrases.percent(rate.rate)} of {rate.labelled:,} labelled are false"
        return left, [Run(f"{rate_sentence(rate) if self.size.width >= WIDE else short} ", "dim")]

    @flow
    async def action_run_fuzzer(self) -> None:
        """Ask for a target and fuzz its tools."""
        if self.fuzzer.running:
            self.tell(f"the fuzzer is running; {key_for('stop-fuzzer')} stops it")
            return
        targets = dict.fromkeys(shown(one.target, 100) for one in self.list.fuzzings)
        before = (
            "module:object, SCHEMA.json=module:function, or mcp:COMMAND ARGS.",
            "Its code is imported and run in a sandbox.",
            *((f"fuzzed before: {', '.join(targets)}",) if targets else ()),
            f"Each tool gets {CALLS:,} calls.",
        )

        def check(text: str) -> str | None:
            return None if text.strip() else "name a target"

        target = await self.answer(ask_dialog("Fuzz tools", "the target", check, before=before))
        if target is not None:
            self.fuzzer.start(Options(target.strip(), calls=CALLS))

    def action_stop_fuzzer(self) -> None:
        """Stop the search; what it found is kept."""
        self.fuzzer.stop()
        self.tell("stopping…")

    def _searched(self, said: str) -> None:
        """The search is further, or at its end with something to say."""
        if not self.fuzzer.running:
            self.list.read()
        self.call_after_refresh(self.show_state)
        self.show_state()
        if said:
            self.tell(shown(said, 300))

    def action_label_finding(self) -> None:
        """Give the chosen finding the next label: true, false, none."""
        self.list.label()

    def action_specify_finding(self) -> None:
        """Say how the documentation is at fault: under-, over- or ill-specified, nothing."""
        told = self.list.specify()
        self.tell(SPECIFIED[told] if told is not None else "nothing is said of the documentation")

    def action_hide_verdicts(self) -> None:
        """Hide verdicts while labelling, or show them."""
        self.list.arrange(hidden=not self.list.state.hidden)
        self.tell(
            "verdicts are hidden; label what you see" if self.list.state.hidden else "verdicts are shown"
        )

    def action_open_step(self) -> None:
        """Open the last run's step that failed as this finding says, or the agent's run with the lowest score."""
        row = self.list.state.chosen
        if row is None or row.only is not None:
            self.tell("nothing was found")
        elif not row.steps:
            self.tell(
                "no step of this session's runs failed so"
                if row.set is None
                else "the agent's runs are not kept"
            )
        else:
            self.dismiss((row.steps[0].run, row.steps[0].step))

    def action_copy_reproducer(self) -> None:
        from planscope.tui.screens.flows.take_away import take_away

        row = self.list.state.chosen
        if row is None or row.only is not None:
            self.tell("nothing was found")
            return
        if row.finding is None or row.finding.kind == "inconsistent":
            self.tell("there is no test of prompts: it would need a model")
            return
        one = row.fuzzing
        text = tests_of(one.target, one.seed, [row.finding], one.reset, one.settings)
        private = "The test has the arguments that were sent; private values in them are not replaced."
        take_away(self, "test", text, "test_finding.py", private)

    @flow
    async def action_reproduce(self) -> None:
        """Make the calls of the finding again, after a question: the target's code is imported."""
        row = self.list.state.chosen
        if (
            row is None
            or row.finding is None
            or not row.finding.at_call
            or row.finding.kind == "inconsistent"
        ):
            self.tell("there is no call to make again")
            return
        fuzzing, finding = row.fuzzing, row.finding
        text = (
            f"The code of {shown(fuzzing.target, 100)} is imported, and runs in the sandbox without network."
        )
        if await self.answer(sure_dialog("Make the call again?", text, "No", "Make it")) != 1:
            return
        self.tell("making the call again…")
        try:
            said = await self.jobs.run("reproduce", lambda token: again(fuzzing, finding))
        except UserError as error:
            said = f"not made: {error}"
        self.tell(shown(said, 300))

    def action_leave_findings(self) -> None:
        if self.fuzzer.running:
            self.action_stop_fuzzer()
        else:
            self.action_end_search()
