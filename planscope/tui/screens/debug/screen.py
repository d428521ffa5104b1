"""The debug screen: query, tree and constraints above, timeline and step below, linked with each other.

The screen holds one frozen view and hands it to the panes. What its keys do are functions in the modules beside this
one, which know it as a ``Stage``; they call controllers, which do the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Region
from textual.layout import Layout
from textual.strip import Strip

from planscope.debugger import cursor
from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.selection import Selection
from planscope.drawing.agents import has_lanes
from planscope.session.model import own_runs, own_variants
from planscope.tui import shell
from planscope.tui.actions import BY_ID, KeyAction
from planscope.tui.app_screen import AppScreen, keys_for
from planscope.tui.arrangement import PlacedLayout, Rect
from planscope.tui.closing import to_front
from planscope.tui.controllers import marks as marks_
from planscope.tui.controllers.judge import FEW_STEPS, Judgement, unjudged
from planscope.tui.controllers.workspace import Workspace, leave
from planscope.tui.keys import first_key, key_for
from planscope.tui.messages import (
    CauseFound,
    DocumentChanged,
    EdgeDragged,
    FactsFound,
    Judged,
    KeyHintClicked,
    LiveChanged,
    Notice,
    OptionChosen,
    PaneClicked,
    PaneResized,
    Picked,
)
from planscope.tui.opening.load import Switch
from planscope.tui.pane_text import text_of as pane_text
from planscope.tui.panes.agents import AgentsPane
from planscope.tui.panes.bars import Bar, beside, command_line, notice_lines, too_small_lines
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.constraints import ConstraintsPane
from planscope.tui.panes.header import header_line, header_of
from planscope.tui.panes.hints import TAKE, Hint, debug_hints, footer_line, footer_notice, named_hints, phase
from planscope.tui.panes.inspector import InspectorPane
from planscope.tui.panes.picture import PicturePane
from planscope.tui.panes.play import PlayPane
from planscope.tui.panes.query import QueryPane
from planscope.tui.panes.step import StepPane
from planscope.tui.panes.timeline import TimelinePane
from planscope.tui.panes.tree import TreePane
from planscope.tui.screens.debug import arranging, doors, modes, opening, playing, running
from planscope.tui.screens.debug.stage import Stage, amounts_to, here
from planscope.tui.screens.debug.start import Start, first_place, first_view, of_document
from planscope.tui.screens.debug.verbs import entries, verb_of
from planscope.tui.style.lines import Line, shown
from planscope.tui.view import changed, with_judgement

if TYPE_CHECKING:
    from planscope.tui.palette import Command

IN_PANES = {
    "down,j": "select_in_pane(1)",
    "up,k": "select_in_pane(-1)",
    "pagedown": "scroll_pane(1)",
    "pageup": "scroll_pane(-1)",
    "enter": "open_selected",
}
"""Keys that every pane has and that users cannot change."""

_PANES: Mapping[str, type[LinePane]] = {
    "query": QueryPane,
    "tree": TreePane,
    "picture": PicturePane,
    "agents": AgentsPane,
    "constraints": ConstraintsPane,
    "inspector": InspectorPane,
    "timeline": TimelinePane,
    "step": StepPane,
    "play": PlayPane,
}

_SETTLE = 0.2
"""Seconds without a key after which panes scroll to what is linked."""


class DebugScreen(AppScreen[None]):
    """Displays one run, or a query without a run. ``places``: the places of the panes, by their ids."""

    CSS_PATH = "debug.tcss"
    where = "debug"
    BINDINGS = keys_for("debug", IN_PANES)

    def __init__(self, work: Workspace, start: Start) -> None:
        super().__init__()
        self.work = work
        self.start = start
        self.panes: tuple[LinePane, ...] = ()
        self.places: dict[str, Rect] = {}
        self._placed = PlacedLayout(lambda: self.places)
        self._rest: asyncio.TimerHandle | None = None
        self._asked = start.live
        self._asked_for_step = bool(start.step)
        self._settled_once = False
        self._leaving = False
        self._heard = work.document.version
        self.view = first_view(work.document, start)

    # Widgets

    def compose(self) -> ComposeResult:

        def key(action: KeyAction) -> str:
            return first_key(action, self.choice)

        self.hints, saves = debug_hints(key), key(BY_ID["save"])

        def of_keys() -> object:
            view = self.view
            return phase(view), view.alone, view.cause, id(view.debug.run), view.notice

        def notice(width: int) -> list[Line]:
            view = self.view
            told = "" if footer_notice(view, self.hints, width) else view.notice
            return notice_lines(told, self.app.size, view.saving, saves)

        bars = (
            Bar(lambda width: [header_line(self.view, width)], lambda: header_of(self.view), id="header"),
            Bar(lambda width: [command_line(self.view.command, width)], id="command"),
            Bar(lambda width: [footer_line(self.view, self.hints, width)], of_keys, id="footer"),
            Bar(notice, id="notice"),
            Bar(lambda width: too_small_lines(*self.app.size), id="too-small"),
        )
        self.panes = tuple(pane(self.view, id=name) for name, pane in _PANES.items())
        self.bars = {bar.id: bar for bar in bars}
        yield from (*self.panes, *self.bars.values())

    @property
    def layout(self) -> Layout:
        """Return the layout with the computed places of the panes; no style sheet sets them."""
        return self._placed

    def on_mount(self) -> None:
        self.work.layout.fit(*self.app.size)
        self.show_view()
        self.set_interval(1.0, partial(running.count_seconds, self))
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self.work.live.leave()

    def on_resize(self, event: events.Resize) -> None:
        self.work.layout.fit(*event.size)
        self.show_view()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint the ground, which the panes cover: Textual does so at each key, and takes a third of its time."""
        return [Strip.blank(crop.width, self.rich_style)] * crop.height

    def pane(self, name: str) -> LinePane:
        """Return the pane with this name; if two panes have it, the visible one."""
        panes = [pane for pane in self.panes if pane.name_in_state == name]
        return next((pane for pane in panes if pane.seen), panes[0])

    def lay_out(self) -> None:
        """Move the panes to their places, if these changed."""
        before, found = self.places, self.work.layout.places()
        if found == before:
            return
        self.places = found
        for pane in (*self.panes, *self.bars.values()):
            pane.display = pane.id in self.places
            if self.places.get(pane.id or "") != before.get(pane.id or ""):
                pane.refresh(layout=True)

    # The view

    def change(self, **changes: Any) -> None:
        """Change the view, and show it."""
        self.view = changed(self.view, **changes)
        self.show_view()

    def show_view(self) -> None:
        for pane in self.panes:
            pane.show(self.view)
        self._divide()

    @on(PaneResized)
    def _divide(self) -> None:
        """Divide the rows among the panes: the content of a pane of another width has another height."""
        view, layout = self.view, self.work.layout
        session = self.work.document.session
        rules = session and (session.rules or "").strip()
        known = [] if view.progress in ("reading", "judging") else [pane for pane in self.panes if pane.seen]
        layout.shows(
            bare=view.bare and not rules,
            notice=len(self.bars["notice"].make(layout.columns)),
            wants={pane.name_in_state: pane.rows_wanted() for pane in known if pane.name_in_state},
        )
        self.lay_out()
        for bar in self.bars.values():
            bar.show()

    def tell(self, notice: str) -> None:
        """Display a notice in the lowest line, or above it, until the next key."""
        self.change(notice=notice)

    def move(self, debug: DebugState, **changes: Any) -> None:
        """Go to another place of the run."""
        fresh: dict[str, Any] = {"hit": None, "notice": ""} | changes
        shows = self.work.layout.commands
        fresh["command"] = shell.place_command(here(self, str(debug.step))) if shows else ""
        self.change(debug=debug, facts=self.work.judge.facts(debug.index), **fresh)
        self.rest_soon()

    def rest_soon(self, seconds: float = 0.06, then: Callable[[], None] | None = None) -> None:
        """Do slow work only after a moment without keys."""
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(seconds, then or self._rested)

    def _rested(self) -> None:
        """Ask for the step's facts after a moment without keys, and soon scroll to linked places."""
        self.work.judge.ask(self.view.debug.index)
        if len(self.view.debug.run.steps) <= FEW_STEPS:
            self.work.judge.certify()
        self.rest_soon(_SETTLE, self._settle)

    def _settle(self) -> None:
        for pane in self.panes:
            pane.settle()
        self.work.judge.certify()  # certifying a long run would delay keys

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        view = self.view
        if self._heard != self.work.document.version or self.work.findings.busy:
            return False
        if view.progress in ("reading", "judging") or not self._settled_once:
            return view.progress == "failed"
        if view.run is not None and view.run.under_way:
            waits = view.run.pending or view.play is not None
            return waits and not self.work.judge.busy
        return view.progress != "judged" or (
            view.facts is not None and view.certificate != "asked" and not self.work.judge.busy
        )

    # Opening

    def _begin(self) -> None:
        """Begin to judge, and tell the user about the session's file."""
        view, session = self.view, self.work.document.session
        if session is None or view.variant is None:
            why = "This session has no query." if session is not None else self.start.trouble
            nothing = f"No session is open. {key_for('library')} lists your sessions and the bundled ones."
            self.change(progress="failed", trouble=why or nothing)
            self._settled_once = True
            if session is not None and session.fuzzings:
                doors.tools(self)  # there is nothing else in such a session
        else:
            self._judge_here(*view.key)
        opening.tell_of_file(self)

    def look_at(self, variant_id: str, run_id: str = "") -> None:
        """Display a run, or a query without one."""
        play = self.work.what_if.play
        if play is not None and run_id != play.run_id:
            self.work.judge.forget(play.run_id)
            self.work.what_if.end()
            self.work.layout.play(False)
        self.work.jobs.cancel("continue")
        self._asked_for_step = False
        document = self.work.document
        variant = document.variant(variant_id)
        record = document.record(run_id) if run_id else None
        debug = open_run(unjudged(variant, record))
        if record is not None and record.under_way:
            debug = cursor.go_end(debug)
        if self.view.picture == "agents" and not (record is not None and has_lanes(record.calls)):
            self.work.layout.picture("")
            self.view = replace(self.view, picture="tree")
        self.view = replace(
            self.view,
            variant=variant,
            debug=debug,
            progress="reading",
            trouble="",
            search=None,
            hit=None,
            notice="",
            facts=None,
            play=self.work.what_if.play,
            why_paused=running.why_paused(self, run_id),
            question=running.question_of(self, run_id),
            found=self.work.findings.of(variant_id),
            **of_document(document, record),
            **self._layout_fields(),
        )
        self._judge_here(variant_id, run_id)

    def _judge_here(self, variant_id: str, run_id: str) -> None:
        self._apply(self.work.judge.look_at(variant_id, run_id))

    def _apply(self, judgement: Judgement) -> None:
        """Display the judge's findings about the run."""
        view = self.view
        first = judgement.progress == "judged" and view.progress != "judged"
        marks, notice = view.marks, view.notice
        if first:
            marks, wrong = marks_.read_for(view.marks, judgement.run)
            debug, notice = self._first_place(judgement), wrong or notice
        elif view.run is not None and view.run.under_way and judgement.progress in ("unreadable", "failed"):
            debug = cursor.go_end(DebugState(judgement.run))
        else:
            debug = cursor.with_run(view.debug, judgement.run)
        facts = self.work.judge.facts(debug.index)
        self.view = with_judgement(replace(self.view, notice=notice, facts=facts), judgement, debug)
        if marks is not view.marks:
            self.view = changed(self.view, marks=marks)
        self.show_view()
        if judgement.over:
            self._settled(judgement)

    def _settled(self, judgement: Judgement) -> None:
        """Start the work that waited for the judge to finish or fail."""
        self._look_for_cause()
        if judgement.progress == "judged":
            if not self.work.judge.busy and not (self.view.run is not None and self.view.run.under_way):
                self.work.judge.look_ahead(self.view.debug.index)
            self.rest_soon(0.01)
        if not self._settled_once:
            self._settled_once = True
            if self.work.autosave is not None:
                self.work.autosave.begin(lambda: self.view.cursor())
        if self._asked is not None:
            asked, self._asked = self._asked, None
            running.begin_asked(self, asked)

    def _first_place(self, judgement: Judgement) -> DebugState:
        """Place the cursor in a newly judged run: at the end of a live run, else at the run's first place."""
        run = self.view.run
        if run is not None and (run.under_way or run.id == self.view.followed):
            self.view = replace(self.view, followed=run.id if run.under_way else "")
            return cursor.go_end(DebugState(judgement.run))
        left_at = self.work.document.open_session.cursor
        return first_place(self.view, judgement, left_at, asked=self._asked_for_step)

    # Messages of controllers:

    @on(Judged)
    def _judged(self, message: Judged) -> None:
        now = self.work.judge.now
        if now is not None and now.key == message.key and self.view.key == now.key:
            self._apply(now)

    @on(FactsFound)
    def _facts_found(self, message: FactsFound) -> None:
        if message.key == self.view.key and message.index == self.view.debug.index:
            self.change(facts=self.work.judge.facts(message.index))
        elif message.key == self.view.key:
            self.pane("timeline").show(self.view)  # its curve knows more

    def _look_for_cause(self) -> None:
        """Find out what the last dissection found. Another screen in front of this one may judge the same runs."""
        in_front = self.app.screen is self
        if self.view.variant is not None and in_front and not self.work.dissecting.running:
            self.work.findings.look(self.view.variant.id)

    def on_screen_resume(self) -> None:
        self._look_for_cause()

    @on(CauseFound)
    def _cause_found(self, message: CauseFound) -> None:
        if self.view.variant is not None and self.view.variant.id == message.variant:
            self.change(found=self.work.findings.of(message.variant))

    @on(Notice)
    def _notice(self, message: Notice) -> None:
        self.tell(beside(self.view.notice, message.line))

    @on(DocumentChanged)
    def _document_changed(self, message: DocumentChanged) -> None:
        document, run = self.work.document, self.view.run
        self._heard = document.version
        if message.what == "saving":
            opening.saving_changed(self)
            return
        if message.what == "dissection":
            self._look_for_cause()
        if message.what == "removed" and self._is_gone():
            self._look_elsewhere()
            return
        record = run
        if run is not None and document.run(run.id) is not None:
            record = document.record(run.id)
        self.view = changed(self.view, **of_document(document, record))
        mine = message.what == "run" and run is not None and message.id == run.id and record is not run
        if not (mine and self.work.judge.follow()):  # if the judge follows, its message displays the run
            self.show_view()

    def _is_gone(self) -> bool:
        """Return whether the displayed run or query was deleted."""
        variant, run = self.view.key
        document = self.work.document
        return bool((run and not document.run(run)) or (variant and not document.variant(variant)))

    def _look_elsewhere(self) -> None:
        """Display another run of the query whose run was deleted, or else another run, or else a query."""
        session, mine = self.work.document.open_session, self.view.key[0]
        runs = own_runs(session)
        if runs:
            last = max(reversed(runs), key=lambda run: run.variant == mine)
            self.look_at(last.variant, last.id)
        else:
            kept = self.work.document.variant(mine)
            self.look_at((kept or own_variants(session)[-1]).id)

    @on(LiveChanged)
    def _live_changed(self, message: LiveChanged) -> None:
        running.live_changed(self, message)

    @on(OptionChosen)
    def _option_chosen(self, message: OptionChosen) -> None:
        playing.option_chosen(self, message)

    # Keys

    def action_do(self, id: str) -> None:
        """Do what the table of actions names (``KeyAction.do``), and note the shell command that does the same."""
        action = BY_ID[id]
        stage: Stage = self
        if self.view.notice:  # it would stay under a dialog
            self.tell("")
        verb_of(action)(stage, *([action.parameter] if action.parameter is not None else []))
        amounts_to(stage, shell.action_command(id, here(stage)))

    def action_open_selected(self) -> None:
        modes.enter(self)

    @on(Picked)
    def _picked(self, message: Picked) -> None:
        self.pick(message.selection)

    def pick(self, selection: Selection) -> None:
        """Select something; selecting a step goes to it."""
        self.move(cursor.select(self.view.debug, selection))

    def action_select_in_pane(self, by: int) -> None:
        pane = self.pane(self.view.pane)
        selection = pane.neighbour(by) if pane.seen else None
        if selection is not None:
            self.pick(selection)
        elif self.view.notice:
            self.tell("")

    def action_scroll_pane(self, pages: int) -> None:
        pane = self.pane(self.view.pane)
        if pane.seen:
            pane.scroll_lines(pages * max(pane.window - 1, 1))
        if self.view.notice:
            self.tell("")

    def on_paste(self, event: events.Paste) -> None:
        opening.open_pasted(self, event.text)

    # Panes

    @on(PaneClicked)
    def _clicked(self, message: PaneClicked) -> None:
        if message.pane:
            arranging.show_pane(self, message.pane)
            if message.again:
                arranging.zoom(self)

    @on(EdgeDragged)
    def _edge_dragged(self, message: EdgeDragged) -> None:
        if message.to is None:
            self.work.layout.drop()
        elif self.work.layout.drag(message.start, message.to):
            self.show_view()

    @on(KeyHintClicked)
    async def _hint_clicked(self, message: KeyHintClicked) -> None:
        await self.run_action(message.action if message.action == TAKE else BY_ID[message.action].method)

    def _layout_fields(self) -> dict[str, Any]:
        layout = self.work.layout
        return {"pane": layout.pane, "top": layout.top, "zoomed": layout.zoomed}

    def laid_out(self, notice: str = "", **changes: Any) -> None:
        """Display the changed layout."""
        self.change(**self._layout_fields(), notice=notice, **changes)

    def text_of(self, pane: str) -> str:
        """Return the whole text of a pane."""
        return pane_text(self.pane(pane), self.view)

    # Leaving

    def modes(self) -> set[str]:
        return modes.active(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow no action while this session is being left, since its result would be lost."""
        return super().check_action(action, parameters) if not self._leaving or action == "quit" else False

    async def leave_for(self, switch: Switch) -> None:
        """Save this session, then switch to another one."""
        from planscope.tui.dialogs.ask import ChooseDialog

        self._leaving = True
        self.tell("saving…")
        try:
            trouble = await leave(self.work)
        except BaseException:  # planscope is being left
            if switch.autosave is not None:
                switch.autosave.close()
            raise
        finally:
            self._leaving = False
        if trouble:
            said = [(f"Your changes could not be saved: {shown(trouble, 600)}", "broken")]
            choices = ("Stay here", "Open the other session anyway")
            if await self.answer(ChooseDialog("Not saved", choices, before=said)) != 1:
                if switch.autosave is not None:
                    switch.autosave.close()
                return
        self.switch(switch)

    def switch(self, switch: Switch) -> None:
        """Let the application switch; this screen ends with that, and those over it close. Their drafts are kept."""
        to_front(self)
        turn: Any = self.app
        self.app.call_later(turn.switch_to, switch)

    def action_quit(self) -> None:
        """Leave planscope; ask first if anything would be lost."""
        from planscope.tui.screens.flows.quitting import quit_planscope

        quit_planscope(self, self.work, self.work.drafts.left)

    # Palette

    def named_keys(self) -> Sequence[Hint]:
        return named_hints(self.view, self.hints)

    def palette_entries(self) -> Iterator[Command]:
        yield from super().palette_entries()
        yield from entries(self)
