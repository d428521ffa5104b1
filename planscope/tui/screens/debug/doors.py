"""The dialogs and screens that open over the debug screen, and what comes back from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from planscope.session.oracle_input import has_own_tools
from planscope.tui import shell
from planscope.tui.app_screen import flow, in_play
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.keys import key_for
from planscope.tui.panes.query import not_judged
from planscope.tui.screens.debug.opening import open_file
from planscope.tui.screens.debug.rules import write_rules
from planscope.tui.screens.debug.running import ask_choice, default_choice, start_run
from planscope.tui.screens.debug.stage import NO_SESSION, Stage, amounts_to, here, not_run, show_run
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.dissection.culprit import Culprit
    from planscope.tui.controllers.run_list import Place
    from planscope.tui.dialogs.look import LookDialog
    from planscope.tui.screens.compare.comparable import Chosen
    from planscope.tui.screens.compare.screen import RunChosen
    from planscope.tui.screens.edit.screen import EditResult


def _private(what: str) -> str:
    return f"{what}, with private values in it; {key_for('share')} shares a run with them replaced."


def explain(stage: Stage) -> None:
    """Explain the conflict, the verdict and the repair."""
    from planscope.tui.dialogs.why import WhyDialog

    view = stage.view
    if view.nothing_to_explain:
        stage.tell(not_judged())
        return
    stage.app.push_screen(WhyDialog(view, stage.work.jobs))


def look(stage: Stage) -> None:
    """Show the values of this step whole."""
    from planscope.tui.dialogs.look import LookDialog, pages_of, sources_at
    from planscope.tui.screens.flows.take_away import take_away

    run = stage.view.run
    if run is None:
        stage.tell(not_run(stage))
        return

    def copy(dialog: LookDialog, text: str) -> None:
        private = _private("The value as it was recorded")
        take_away(dialog, "value", text, "planscope-value.txt", private)

    trace, index = stage.view.debug.run.replay.trace, stage.view.debug.index
    dialog = LookDialog(pages_of(run, index), copy)
    stage.app.push_screen(dialog)
    if dialog.seeks:
        stage.work.jobs.start("sources", lambda _: sources_at(trace, index), dialog.came, dialog.failed)


def copy(stage: Stage) -> None:
    """Copy the text of the current pane."""
    from planscope.tui.screens.flows.take_away import take_away

    pane = stage.view.pane
    private = _private("The text of the pane")
    text = stage.text_of(pane)
    take_away(stage, f"{pane} pane", text, f"planscope-{pane}.txt", private)


def describe(stage: Stage) -> None:
    """Show the session's title and notes, which the user may change."""
    from planscope.tui.dialogs.describe import DescribeDialog

    if stage.work.document.session is None:
        stage.tell(NO_SESSION)
    else:
        stage.app.push_screen(DescribeDialog(stage.work.document))


@flow
async def share(stage: Stage) -> None:
    """Write the run to a file for others."""
    from planscope.tui.screens.flows.share import Shared, share

    view, document = stage.view, stage.work.document
    if document.session is None or view.play is not None:
        stage.tell(NO_SESSION if document.session is None else in_play(keeps=True))
        return
    what = Shared(
        document.snapshot(),
        view.run.id if view.run is not None else None,
        view.run is not None and view.run.under_way,
        str(view.debug.step) if view.progress == "judged" else None,
        document.path,
    )
    stage.change(shared_as=await share(stage, stage.work.jobs, what, view.shared_as))


# Runs


def _place(stage: Stage) -> Place | None:
    from planscope.tui.controllers.run_list import Place

    return Place(*stage.view.key) if stage.view.variant is not None else None


def choose_run(stage: Stage) -> None:
    """List the session's queries and runs."""
    from planscope.tui.screens.compare.comparable import Chosen
    from planscope.tui.screens.runs.screen import Chosen as RunOrQuery
    from planscope.tui.screens.runs.screen import RunsScreen

    if not stage.work.document.variants:
        stage.tell("this session has no query")
        return

    def left(chosen: RunOrQuery | None) -> None:
        if chosen is None:
            return
        if chosen.compare == "nearest":
            compare(stage, mine=Chosen(chosen.variant, chosen.run))
        elif chosen.compare:
            compare(stage, chosen.variant, chosen.run)
        elif chosen.run:
            show_run(stage, chosen.run)
        else:
            stage.look_at(chosen.variant)

    stage.app.push_screen(RunsScreen(stage.work, _place(stage)), left)


def next_failed_run(stage: Stage) -> None:
    """Open the next wrong run of the session."""
    from planscope.tui.controllers.run_list import RunList

    if not stage.work.document.runs:
        stage.tell(f"this session has no run: {key_for('rerun')} runs the query")
        return
    runs = RunList(stage.work.document, stage.work.jobs, lambda message: None, _place(stage))

    def found() -> None:
        said = runs.next_failure()
        chosen = runs.state.chosen
        if chosen is not None and chosen.run is not None and chosen.run.failed:
            show_run(stage, chosen.place.run)
        stage.tell(said)

    runs.read(then=found)


def tools(stage: Stage) -> None:
    """List what the fuzzer found, beginning with what explains this step."""
    from planscope.tui.screens.findings.screen import FindingsScreen

    if stage.work.document.session is None:
        stage.tell(NO_SESSION)
        return

    def left(step: tuple[str, int] | None) -> None:
        if step is not None:
            show_run(stage, *step)

    predicted = stage.view.predicted_at(stage.view.debug.index)
    finding = predicted.finding if predicted is not None else None
    stage.app.push_screen(FindingsScreen(stage.work, finding), left)


def _open_run(stage: Stage) -> Callable[[RunChosen | None], None]:
    """Return what displays the run that was chosen on another screen."""

    def left(opened: RunChosen | None) -> None:
        if opened is not None:
            show_run(stage, opened.run, opened.index)

    return left


def _compare(stage: Stage, left: Chosen, right: Chosen) -> None:
    from planscope.tui.screens.compare.screen import CompareScreen

    stage.app.push_screen(CompareScreen(stage.work, left, right), _open_run(stage))


def show_cured(stage: Stage, culprit: Culprit) -> None:
    """Show the query that the agent gets right beside this one."""
    from planscope.tui.screens.compare.comparable import Chosen

    view, document = stage.view, stage.work.document
    if view.variant is None or document.variant(culprit.variant) is None:
        stage.tell("the cured query is no longer in the session")
        return
    runs = [run.id for run in document.runs if run.variant == culprit.variant]
    both = view.run is not None and bool(runs)
    original = Chosen(view.variant.id, view.run.id if view.run is not None and both else None)
    _compare(stage, original, Chosen(culprit.variant, runs[-1] if both else None))


def compare(stage: Stage, variant: str = "", run: str = "", mine: Chosen | None = None) -> None:
    """Compare the displayed run, or ``mine``, with another, by default the nearest right one if it is wrong."""
    from planscope.tui.controllers.run_list import outcomes_of
    from planscope.tui.screens.compare.comparable import Chosen, nearest

    view, document, key = stage.view, stage.work.document, stage.view.key
    if view.variant is None or document.session is None:
        stage.tell(NO_SESSION)
        return
    at = here(stage) if mine is None else replace(here(stage), variant=mine.variant, run=mine.run or "")
    mine = mine or Chosen(view.variant.id, view.run.id if view.run is not None else None)
    session, known = document.snapshot(mine.run), outcomes_of(document)

    def search(token: object) -> Chosen | None:
        return Chosen(variant, run or None) if variant else nearest(session, mine, known)

    def found(other: Chosen | None) -> None:
        if other is None:
            more = f"yet: {key_for('rerun')} runs the query again"
            own = view.variant is not None and has_own_tools(view.variant)
            stage.tell(f"nothing to compare with{': the session has one run' if own else f' {more}'}")
        elif stage.view.key == key:
            amounts_to(stage, shell.compare_command(at, other.run or other.variant))
            _compare(stage, other, mine)

    stage.work.jobs.start(
        "nearest run", search, found, lambda error: stage.tell(f"not compared: {shown(str(error), 200)}")
    )


# The query


def edit(stage: Stage) -> None:
    """Edit the displayed query, or continue its draft. For an agent's own tools without a query, edit the rules."""
    from planscope.tui.screens.edit.screen import EditScreen

    view, document, drafts = stage.view, stage.work.document, stage.work.drafts
    variant = view.variant
    if variant is None or document.session is None:
        stage.tell("no query is open yet")
        return
    if view.play is not None:
        stage.tell(in_play())
        return
    if not variant.query.text.strip() and has_own_tools(variant):
        write_rules(stage)
        return
    amounts_to(stage, shell.edit_command(here(stage)))
    key = (document.open_session.id, variant.id)
    spans = sorted(span for span in (*view.lit.spans, *view.core_spans) if span[0] < span[1])

    def left(result: EditResult | None) -> None:
        if result is not None:
            _take_edit(stage, variant.id, key, result)

    at = spans[0][0] if spans else None
    ask = partial(ask_choice, stage)
    stage.app.push_screen(EditScreen(stage.work, variant, ask, drafts.take(key), at), left)


def _take_edit(stage: Stage, of: str, key: tuple[str, str], result: EditResult) -> None:
    drafts = stage.work.drafts
    if result.draft is not None:
        drafts.keep(key, result.draft)
        stage.tell(f"your draft is kept while planscope is open: {key_for('edit')} continues it")
        return
    drafts.done(key)
    id = of
    if result.variant is not None:
        stage.work.document.put_variant(result.variant)
        id = result.variant.id
        stage.look_at(id)
        stage.tell(f"{shown(id, 20)} is a new variant of {shown(of, 20)}; {key_for('rerun')} runs it")
    if result.run is not None:
        start_run(stage, id, result.run)


def dissect(stage: Stage) -> None:
    """Find out what in this query makes the agent fail."""
    from planscope.tui.screens.dissect.screen import DissectScreen

    view, start = stage.view, stage.start
    if view.variant is None or stage.work.document.session is None:
        stage.tell("there is no query to dissect")
        return
    if not view.variant.query.text.strip():
        stage.tell("there is no query to dissect: a dissection changes its words, and runs an agent on them")
        return
    choice = default_choice(stage)
    wrong = view.verdict is not None and view.verdict.verdict == "wrong"
    mine = wrong and view.run is not None and view.play is None and view.run.model == choice.model
    amounts_to(stage, shell.dissect_command(here(stage), choice.model, choice.agent))
    wanted = DissectChoice.of(
        choice,
        run=view.run.id if mine and view.run is not None else None,
        method=start.method,  # the settings allow no other
        budget=start.budget,
    )
    stage.app.push_screen(DissectScreen(stage.work, view.variant.id, wanted), _open_run(stage))


# Other sessions


@flow
async def library(stage: Stage) -> None:
    """Open the library, from which the user may switch to another session."""
    from planscope.tui.screens.library.screen import LibraryScreen

    if switch := await stage.answer(LibraryScreen(stage.work)):
        await stage.leave_for(switch)


@flow
async def open_campaign(stage: Stage, name: str = "") -> None:
    """Show a campaign, from which the user may open one of its runs; "" asks which."""
    from planscope.tui.screens.campaign.screen import CampaignScreen
    from planscope.tui.screens.flows.campaigns import chosen_campaign

    app: Any = stage.app
    chosen = name or await chosen_campaign(stage, app.last_campaign)
    if chosen is None:
        return
    app.note_campaign(chosen)
    if path := await stage.answer(CampaignScreen(stage.work, chosen)):
        open_file(stage, path)
