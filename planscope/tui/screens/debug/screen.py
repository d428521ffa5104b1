"""The debug screen: query, tree and constraints above, timeline and step below, linked with each other.

The screen holds one frozen view and hands it to the panes. Its actions call controllers, which do the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.layout import Layout
from textual.screen import Screen
from textual.timer import Timer

from planscope.debugger import cursor
from planscope.debugger.breakpoints import Breakpoint, StepBreak, When
from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.errors import DebuggerError
from planscope.debugger.nesting import Nesting
from planscope.debugger.run_index import RunIndex
from planscope.debugger.search import Document as Searched
from planscope.debugger.search import Haystack, Search, documents, next_hit, previous_hit, show_hit
from planscope.debugger.selection import SelectedWords, Selection
from planscope.debugger.stops import continue_back, continue_forward, hit_steps, in_words, reasons
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.drawing.agents import has_lanes
from planscope.errors import UserError
from planscope.tui import shell
from planscope.tui.actions import BY_ID, KeyAction
from planscope.tui.app_screen import AppScreen, FixedKey, keys_for
from planscope.tui.arrangement import PlacedLayout, Rect
from planscope.tui.closing import to_front
from planscope.tui.controllers import marks as marks_
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import CancelToken
from planscope.tui.controllers.judge import FEW_STEPS, Judgement, unjudged
from planscope.tui.controllers.live_run import ForkChoice, OwnChoice, RunChoice
from planscope.tui.controllers.marks import Marks
from planscope.tui.controllers.pane_layout import COLUMNS_A_KEY, ROWS_A_KEY
from planscope.tui.controllers.what_if import Origin
from planscope.tui.controllers.workspace import Workspace, leave
from planscope.tui.keys import key_for, keys_of, shown_key
from planscope.tui.messages import (
    CauseFound,
    DocumentChanged,
    EdgeDragged,
    EdgeDropped,
    FactsFound,
    Judged,
    KeyHintClicked,
    LiveChanged,
    Notice,
    OptionChosen,
    PaneClicked,
    PaneZoomed,
    Picked,
    SessionLoaded,
)
from planscope.tui.opening.load import Opened, Switch
from planscope.tui.pane_text import text_of as pane_text
from planscope.tui.panes.agents import AgentsPane
from planscope.tui.panes.bars import Footer, Header
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.command import CommandPane
from planscope.tui.panes.constraints import ConstraintsPane
from planscope.tui.panes.hints import TAKE, debug_hints
from planscope.tui.panes.inspector import InspectorPane
from planscope.tui.panes.notice import NoticePane
from planscope.tui.panes.picture import PicturePane
from planscope.tui.panes.play import PlayPane
from planscope.tui.panes.query import QueryPane
from planscope.tui.panes.step import StepPane
from planscope.tui.panes.timeline import TimelinePane
from planscope.tui.panes.too_small import TooSmall
from planscope.tui.panes.tree import TreePane
from planscope.tui.screens.debug.modes import Replay, decide, mode_of
from planscope.tui.screens.debug.start import Start, first_place, first_view
from planscope.tui.style.lines import shown
from planscope.tui.style.painter import Painter
from planscope.tui.view import DebugView, Picture, changed, with_judgement
from planscope.wording import phrases
from planscope.wording.constraints import brief

if TYPE_CHECKING:
    from pathlib import Path

    from planscope.agents.gate import PendingCall, Question, Verb
    from planscope.dissection.culprit import Culprit
    from planscope.language.problem import Problem
    from planscope.oracle.verdict_types import StepNo
    from planscope.session.model import Run, Variant
    from planscope.session.record import RecordedCall
    from planscope.tui.controllers.library_list import LibraryList
    from planscope.tui.dialogs.rules import Finder
    from planscope.tui.palette import Command
    from planscope.tui.screens.compare.screen import RunChosen
    from planscope.tui.screens.edit.screen import EditResult

IN_PANES: tuple[FixedKey, ...] = (
    ("down,j", "select_in_pane(1)", "Select the next thing in the pane"),
    ("up,k", "select_in_pane(-1)", "Select the previous thing in the pane"),
    ("pagedown", "scroll_pane(1)", "A page down"),
    ("pageup", "scroll_pane(-1)", "A page up"),
    ("enter", "open_selected", "Go to what is selected"),
)
"""Keys that every pane has and that users cannot change."""

_AT_START = "this is the start of the run"
_STOPPING = "stopping…"
_ANOTHER = "another run is shown now"
_NOT_CALLED = "The tool is not called, and the agent gets this answer."
_THINK_AGAIN = "Think again about what has to be done before it."
MOST_JUDGED = 400
"""In longer runs (steps), typed arguments are not judged, because the run is judged again for it."""

MOST_RECENT = 8
"""Limit of recent sessions in the palette."""

_SETTLE = 0.2
"""Seconds without a key after which panes scroll to what is linked."""

_BREAKPOINT_HINT = "such as: tool NAME, step 3, breaks c2, lost, error, when valid_completions < 3"
_WATCH_HINT = "such as: ACTION.place, ACTION.start, c2, valid_completions, state, c2 == violated"
_RULE_HINTS = {
    _BREAKPOINT_HINT: "such as: tool NAME, step 3, breaks c2, lost, error, when c2 == owed",
    _WATCH_HINT: "such as: state, c2, c2 == owed, c2 == violated, TOOL.place",
}
"""The hints where there are rules, with which orders are not counted."""


def _starting() -> str:
    return f"starting the run… {key_for('stop-run')} stops it"


def _playing() -> str:
    return (
        f"this is what-if play: {key_for('keep-play')} keeps the calls as a run, {key_for('deselect')} leaves"
    )


class DebugScreen(AppScreen[None]):
    """Displays one run, or a query without a run. ``places``: the places of the panes, by their ids."""

    CSS_PATH = "debug.tcss"
    where = "debug"
    BINDINGS = keys_for("debug", IN_PANES)

    def __init__(self, paint: Painter, work: Workspace, start: Start) -> None:
        super().__init__(paint)
        self.work = work
        self.start = start
        self.panes: tuple[LinePane, ...] = ()
        self.places: dict[str, Rect] = {}
        self._placed = PlacedLayout(lambda: self.places)
        self._rest: asyncio.TimerHandle | None = None
        self._tick: Timer | None = None
        self._asked = start.live
        self._asked_for_step = bool(start.step)
        self._followed = ""
        self._settled_once = False
        self._asked_to_save = False
        self._leaving = False
        self._opener: LibraryList | None = None
        self._last_form = 0
        self._heard = work.document.version
        self.view = first_view(work.document, start)

    # Widgets

    def compose(self) -> ComposeResult:
        paint = self.paint

        def key(action: KeyAction) -> str:
            return shown_key(keys_of(action, self.choice)[0])

        self.panes = (
            Header(paint, id="header"),
            QueryPane(paint, id="query"),
            TreePane(paint, id="tree"),
            PicturePane(paint, id="picture"),
            AgentsPane(paint, id="agents"),
            ConstraintsPane(paint, id="constraints"),
            InspectorPane(paint, id="inspector"),
            TimelinePane(paint, id="timeline"),
            StepPane(paint, id="step"),
            PlayPane(paint, id="play"),
            CommandPane(paint, id="command"),
            TooSmall(paint, id="too-small"),
            Footer(paint, debug_hints(key), id="footer"),
            notice := NoticePane(paint, save_key=key(BY_ID["save"]), id="notice"),
        )
        self.notice_pane = notice
        yield from self.panes

    @property
    def layout(self) -> Layout:
        """Return the layout with the computed places of the panes; no style sheet sets them."""
        return self._placed

    def on_mount(self) -> None:
        self.work.layout.fit(*self.app.size)
        self.lay_out()
        self.show_view()
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        if self._opener is not None:
            self._opener.close()
        self.work.live.leave()

    def on_resize(self, event: events.Resize) -> None:
        self.work.layout.fit(*event.size)
        self.lay_out()
        self.show_view()

    def pane(self, name: str) -> LinePane:
        """Return the pane with this name; if two panes have it, the visible one."""
        panes = [pane for pane in self.panes if pane.name_in_state == name]
        return next((pane for pane in panes if pane.seen), panes[0])

    def lay_out(self) -> None:
        """Move the panes to their places, if these changed."""
        found = self.work.layout.places()
        if found == self.places:
            return
        self.places = found
        for pane in self.panes:
            pane.display = pane.id in found
            if pane.display:
                pane.refresh(layout=True)

    # The view

    def change(self, **changes: Any) -> None:
        """Change the view, and show it."""
        self.view = changed(self.view, **changes)
        self.show_view()

    def show_view(self) -> None:
        layout = self.work.layout
        if layout.leave_for_notice(self.notice_pane.lines_of(self.view, layout.columns, layout.rows)):
            self.places = layout.places()
            self.notice_pane.display = "notice" in self.places
            self.notice_pane.refresh(layout=True)
        for pane in self.panes:
            pane.show(self.view)

    def tell(self, notice: str) -> None:
        """Display a notice above the footer until the next key."""
        self.change(notice=notice)

    def move(self, debug: DebugState, **changes: Any) -> None:
        """Go to another place of the run."""
        fresh: dict[str, Any] = {"hit": None, "notice": ""} | changes
        shows = self.work.layout.commands
        fresh["command"] = shell.place_command(self._here(str(debug.step))) if shows else ""
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

    # The command log

    def _here(self, step: str = "") -> shell.Here:
        """Return what the command of a key is about. ``step``: by default the current one."""
        view, document = self.view, self.work.document
        run = view.run.id if view.run is not None and view.play is None else ""
        variant = view.variant.id if view.variant is not None else ""
        return shell.Here(document.path, variant, run, step or str(view.debug.step))

    def _amounts_to(self, command: str) -> None:
        """Note the shell command that does the same as a key."""
        if command:
            self.change(command=command)

    def action_show_command(self) -> None:
        layout = self.work.layout
        layout.show_commands(not layout.commands)
        if not self.view.command:
            self._amounts_to(shell.place_command(self._here()))
        self._laid_out("" if layout.commands else "the line of commands is hidden")

    def action_copy_command(self) -> None:
        text = self.view.command or shell.place_command(self._here())
        self.app.copy_to_clipboard(text)
        self.tell(f"sent to the terminal's clipboard: {shown(text, 200)}")

    # Opening

    def _begin(self) -> None:
        """Begin to judge, and tell the user about the session's file."""
        view, document, opened = self.view, self.work.document, self.start.opened
        if document.session is None or view.variant is None:
            why = "This session has no query." if document.session is not None else self.start.trouble
            nothing = f"No session is open. {key_for('library')} lists your sessions and the bundled ones."
            self.change(progress="failed", trouble=why or nothing)
            self._settled_once = True
            if document.session is not None and document.session.fuzzings:
                self._show_findings()  # there is nothing else in such a session
        else:
            self._judge_here(view.variant.id, view.run.id if view.run is not None else "")
        if opened is None:
            return
        if opened.changed and self.work.autosave is not None:
            document.touch()
            self.work.autosave.save()
        if opened.held:
            self.tell(f"{shown(opened.held.partition(';')[0], 200)}; your changes go into a copy")
        if opened.recovery is not None:
            self.start_flow(self._offer_recovery(opened))
        self.work.drafts.find(document, self.work.jobs, self.work.post)

    async def _offer_recovery(self, opened: Opened) -> None:
        from planscope.tui.controllers.autosave import Autosave
        from planscope.tui.screens.flows.recover import offer_recovery

        found, document = opened.recovery, self.work.document
        assert found is not None and document.path is not None
        session = await offer_recovery(self, document, self.work.jobs, found)
        if session is None:
            return
        to_front(self)  # closes the screens over this one; their drafts are kept
        writer = self.work.autosave.give_up_writer() if self.work.autosave is not None else None
        if writer is not None and found.outdated:
            writer.go_elsewhere()
        again = Document(document.path, self.work.post)
        autosave = Autosave(again, self.work.post, writer, found.discard)
        self._switch(Switch(again, Opened(session, changed=True), autosave, "restored and saved"))

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
            run=record,
            run_number=document.number_of(run_id) if run_id else None,
            debug=debug,
            progress="reading",
            trouble="",
            search=None,
            hit=None,
            notice="",
            facts=None,
            play=self.work.what_if.play,
            why_paused=self._why_paused(run_id),
            question=self._question(run_id),
            found=self.work.findings.of(variant_id),
            predicted=document.predicted(record),
            **self._layout_fields(),
        )
        self.lay_out()
        self._judge_here(variant_id, run_id)

    def _judge_here(self, variant_id: str, run_id: str) -> None:
        self._apply(self.work.judge.look_at(variant_id, run_id))

    def open_run_number(self, number: int) -> None:
        """Display another run of the session."""
        run = self.work.document.runs[number]
        if self.view.run is None or run.id != self.view.run.id:
            self.look_at(run.variant, run.id)

    def show_run(self, run_id: str, index: int) -> None:
        """Display a run at a step, by id and index. A negative index means the run's own first place."""
        number = self.work.document.number_of(run_id)
        if number is None:
            self.tell("that run is no longer in the session")
            return
        self.open_run_number(number)
        if index >= 0:
            self.move(cursor.go_to(self.view.debug, index))

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
        self.view = with_judgement(replace(view, notice=notice, facts=facts), judgement, debug)
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
            asked, self._asked = dict(self._asked), None
            asked.pop("breakpoints", None)
            variant, choice = asked.pop("variant"), RunChoice(**asked)
            if choice.attached is not None:
                self._amounts_to(shell.run_command(self._here(), choice))
                self.work.live.attach(choice, self._breakpoints_of)
            elif choice.own is not None and not choice.own.message:
                self.rerun(variant, choice)
            else:
                self.start_run(variant, choice)

    def _first_place(self, judgement: Judgement) -> DebugState:
        """Place the cursor in a newly judged run: at the end of a live run, else at the run's first place."""
        run = self.view.run
        if run is not None and (run.under_way or run.id == self._followed):
            self._followed = run.id if run.under_way else ""
            return cursor.go_end(DebugState(judgement.run))
        left_at = self.work.document.open_session.cursor
        return first_place(self.view, judgement, left_at, asked=self._asked_for_step)

    # Messages of controllers:

    @on(Judged)
    def _judged(self, message: Judged) -> None:
        now = self.work.judge.now
        if now is not None and now.key == message.key and self._key == now.key:
            self._apply(now)

    @on(FactsFound)
    def _facts_found(self, message: FactsFound) -> None:
        if message.key == self._key and message.index == self.view.debug.index:
            self.change(facts=self.work.judge.facts(message.index))
        elif message.key == self._key:
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
        self.tell(message.line)

    @on(DocumentChanged)
    def _document_changed(self, message: DocumentChanged) -> None:
        document, run = self.work.document, self.view.run
        self._heard = document.version
        if message.what == "saving":
            self.change(saving=document.saving, path=document.path)
            self._say_saved()
            return
        if message.what == "dissection":
            self._look_for_cause()
        if message.what == "removed" and self._is_gone():
            self._look_elsewhere()
            return
        record = run
        if run is not None and document.run(run.id) is not None:
            record = document.record(run.id)
        self.view = changed(
            self.view,
            title=document.title,
            runs=len(document.runs),
            has_queries=bool(document.variants),
            run=record,
            run_number=document.number_of(run.id) if run is not None else None,
            predicted=document.predicted(record),
        )
        mine = message.what == "run" and run is not None and message.id == run.id and record is not run
        if not (mine and self.work.judge.follow()):  # if the judge follows, its message displays the run
            self.show_view()

    def _is_gone(self) -> bool:
        """Return whether the displayed run or query was deleted."""
        run, variant = self.view.run, self.view.variant
        document = self.work.document
        gone = run is not None and document.run(run.id) is None
        return gone or (variant is not None and document.variant(variant.id) is None)

    def _look_elsewhere(self) -> None:
        """Display another run of the query whose run was deleted, or else another run, or else a query."""
        from planscope.session.model import own_runs, own_variants

        session = self.work.document.open_session
        mine = self.view.variant.id if self.view.variant is not None else ""
        runs = own_runs(session)
        found = [run for run in runs if run.variant == mine] or runs
        if found:
            self.look_at(found[-1].variant, found[-1].id)
        else:
            kept = self.work.document.variant(mine)
            self.look_at((kept or own_variants(session)[-1]).id)

    @on(LiveChanged)
    def _live_changed(self, message: LiveChanged) -> None:
        mine = self.view.run is not None and self.view.run.id == message.run_id
        match message.what:
            case "began":
                self.change(seconds=self.work.live.seconds)
                if self.work.live.attached is not None:
                    self._count()
                    self.work.judge.forget_all()  # its tools and rules may be new
                self._follow(message.run_id)
                self.change(only_watched=self.work.live.only_watched)
                if self.view.only_watched:
                    self.tell(self.view.only_watched)
            case "tools":
                self.work.judge.forget_all()
                if mine and self.view.variant is not None:
                    self.look_at(self.view.variant.id, message.run_id)
            case "paused":
                call = self.work.live.paused
                if mine:
                    self.change(why_paused=self._why_paused(message.run_id))
                elif call is not None:
                    self.tell(
                        f"the running agent is paused before step {call.step}: {key_for('choose-run')} opens it"
                    )
            case "asks":
                if mine:
                    self.change(question=self._question(message.run_id))
                else:
                    self.tell(f"the running agent asks you something: {key_for('choose-run')} opens it")
            case "resumed":
                self.change(why_paused=(), question=None)
            case "ended" | "failed":
                self._stop_counting()
                self.change(why_paused=(), question=None, seconds=None, only_watched="", unfollowed=0)
                if message.what == "failed":
                    self.tell(f"not run: {shown(message.trouble, 300)}")
                elif self.view.notice in (_starting(), _STOPPING):
                    self.tell("")
            case "waiting":
                self.tell(self._waiting())
            case "gone":
                trouble = shown(message.trouble, 200)
                self.tell(f"no longer attached: {trouble or 'the process of the agent has ended'}")

    def _waiting(self) -> str:
        """Say that the attached agent has no run that could be displayed."""
        agent = self.work.live.attached
        if agent is None:
            return ""
        return f"attached to {shown(agent.welcome.title, 60)} ({agent.id}), which waits for its next run"

    def _why_paused(self, run_id: str) -> tuple[str, ...]:
        call = self.work.live.paused
        return call.why if call is not None and run_id and run_id == self.work.live.run_id else ()

    def _question(self, run_id: str) -> Question | None:
        """Return what the interrupted agent asks the user, if that is the run."""
        return self.work.live.question if run_id and run_id == self.work.live.run_id else None

    def _follow(self, run_id: str) -> None:
        """Display a run that began, unless the user is playing calls, which would be lost."""
        play, run = self.view.play, self.work.document.run(run_id)
        if play is not None and play.played.calls:
            self.tell(
                f"run {shown(run_id, 20)} started: {key_for('choose-run')} opens it; "
                f"{key_for('keep-play')} keeps what you play"
            )
        elif run is not None:
            self._followed = run_id
            self.look_at(run.variant, run_id)

    @property
    def _key(self) -> tuple[str, str]:
        view = self.view
        return (view.variant.id if view.variant else "", view.run.id if view.run else "")

    # Moving

    @property
    def mode(self) -> Replay:
        return mode_of(self)

    def action_next_call(self) -> None:
        self.mode.next()

    def action_previous_call(self) -> None:
        self.step_to(cursor.previous_call(self.view.debug), _AT_START)

    def action_next_check(self) -> None:
        self.step_to(cursor.next_check(self.view.debug), self.nothing_after)

    def action_previous_check(self) -> None:
        self.step_to(cursor.previous_check(self.view.debug), _AT_START)

    def action_go_start(self) -> None:
        self.step_to(cursor.go_start(self.view.debug), _AT_START)

    def action_go_end(self) -> None:
        self.step_to(cursor.go_end(self.view.debug), self.nothing_after)

    def step_to(self, debug: DebugState, nowhere: str) -> None:
        """Go to a place. If it is the current one, display ``nowhere``, so that every key has an effect."""
        here = self.view.debug
        self.move(debug)
        if (debug.index, debug.check) == (here.index, here.check):
            self.tell(nowhere)

    @property
    def nothing_after(self) -> str:
        """Return the notice that nothing follows at the end of the run."""
        if not self.view.has_queries:
            return "no session is open"
        if self.view.run is None:
            return f"not run yet; press {key_for('rerun')}"
        return "this is the end of the run"

    def action_first_violation(self) -> None:
        view = self.view
        if view.progress in ("reading", "judging"):
            self.tell("not judged yet")
        elif view.debug.run.first_violation is None:
            said = (
                "nothing is violated in this run" if view.progress == "judged" else "this run is not judged"
            )
            self.tell(said)
        else:
            self.step_to(cursor.first_violation(view.debug), "this is the first violation")
            self._amounts_to(shell.action_command("first-violation", self._here()))

    def action_continue(self) -> None:
        self.mode.go_on()

    def action_continue_back(self) -> None:
        self.go_on(back=True)

    def go_on(self, *, back: bool) -> None:
        """Go to the next or the previous breakpoint or violation."""
        view = self.view
        go = continue_back if back else continue_forward
        if any(isinstance(b, When) and b.costly for b in view.breakpoints):
            self.tell(f"searching for the next stop… ({key_for('deselect')} cancels)")

            def look(token: CancelToken) -> DebugState:
                return go(view.debug, view.breakpoints, lambda: token.cancelled)

            self.work.jobs.start("continue", look, self._stopped, lambda error: self.tell(str(error)))
        else:
            self._stopped(go(view.debug, view.breakpoints))

    def _stopped(self, debug: DebugState) -> None:
        moved = debug.index != self.view.debug.index
        self.move(debug)
        why = reasons(debug.run, debug.index, self.view.breakpoints)
        if why and moved:
            self.tell("stopped: " + in_words(why[:3], self.view.debug.run.problem))
        elif not moved:
            self.tell("no stop in that direction")

    def action_go_to_step(self) -> None:
        self.start_flow(self._go_to_step())

    async def _go_to_step(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        key, run = self._key, self.view.debug.run
        last = run.last if run.steps[-1].step != "end" else run.last - 1
        hint = f"a step from 0 to {last}, start or end"
        check = partial(_wrong, partial(cursor.parse_step, run))
        text = await self.answer(AskDialog(self.paint, "Go to step", hint, check))
        if text is None:
            return
        if self._key != key:
            self.tell(_ANOTHER)
            return
        try:
            self.move(cursor.go_to(self.view.debug, cursor.parse_step(self.view.debug.run, text)))
        except DebuggerError as error:  # the run has continued, or calls were undone
            self.tell(str(error))

    # Selecting and searching

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

    def action_open_selected(self) -> None:
        self.mode.enter()

    def open_selected(self) -> None:
        """Go to the next step that is linked with the selection, such as the one that violates a constraint.

        In the query's pane, show the cured query beside this one, if the words to blame are known.
        """
        view, debug = self.view, self.view.debug
        culprit = view.found.culprit if view.found is not None else None
        elsewhere = debug.selection is not None and not isinstance(debug.selection, SelectedWords)
        if view.pane == "query" and culprit is not None and not elsewhere:
            self.show_cured(culprit)
            return
        lit = sorted(self.view.lit.steps - {debug.index})
        later = [index for index in lit if index > debug.index]
        if not lit:
            self.tell("no other step belongs to what is selected")
        else:
            self.move(replace(cursor.go_to(debug, (later or lit)[0]), selection=debug.selection))

    def action_deselect(self) -> None:
        self.mode.escape()

    def deselect(self) -> None:
        """Cancel the search for a stop, or else end the zoom, or else drop the selection."""
        if self.work.jobs.running("continue"):
            self.work.jobs.cancel("continue")
            self.tell("search cancelled")
        elif self.view.zoomed:
            self.work.layout.zoom(False)
            self._laid_out()
        else:
            self.move(cursor.select(self.view.debug, None))

    def action_search(self) -> None:
        self.start_flow(self._search())

    async def _search(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        key, view = self._key, self.view
        haystack = Haystack(_searched(view))

        def check(text: str) -> str | None:
            if not text.strip():
                return "type a text"
            if haystack.find(text).hits:
                return None
            return f"{shown(text, 60)} is not in the query, constraints or calls"

        hint = "in query, constraints, thoughts, calls and answers"
        old = view.search.needle if view.search else ""
        text = await self.answer(AskDialog(self.paint, "Search", hint, check, value=old))
        if text is None:
            return
        if self._key != key:
            self.tell(_ANOTHER)
            return
        found = Haystack(_searched(self.view)).find(text)  # the run may have continued since
        self.move_to_hit(found)
        self.tell(
            f"1 of {phrases.plural(len(found.hits), 'place')}; "
            f"{key_for('next-hit')} next, {key_for('previous-hit')} previous"
        )

    def action_next_hit(self) -> None:
        self._hit(next_hit)

    def action_previous_hit(self) -> None:
        self._hit(previous_hit)

    def _hit(self, turn: Callable[[Search], Search]) -> None:
        found = self.view.search
        if found is None or found.at is None:
            self.tell(f"no search yet: press {key_for('search')}" if found is None else "nothing was found")
            return
        found = turn(found)
        hit = found.hit
        assert hit is not None and found.at is not None
        self.move_to_hit(found)
        self.tell(
            f"{found.at + 1} of {phrases.plural(len(found.hits), 'place')}, in {_place(hit.document.kind)}"
        )

    def move_to_hit(self, found: Search) -> None:
        """Go to a search hit, and bring its pane to the front."""
        self.move(show_hit(self.view.debug, found), search=found, hit=found.hit)
        if found.hit is None:
            return
        pane = {"query": "query", "constraint": "constraints"}.get(found.hit.document.kind, "step")
        layout = self.work.layout
        layout.reveal(pane)
        self._laid_out(notice=self.view.notice)

    # Breakpoints and watches

    def action_toggle_breakpoint(self) -> None:
        here = StepBreak(self.view.debug.step)
        marks = marks_.toggled(self.view.marks, here)
        self._mark(marks)
        self.tell(f"breakpoint {'set' if here in marks.breakpoints else 'cleared'}: {here}")

    def action_list_breakpoints(self) -> None:
        from planscope.debugger.offers import breakpoint_offers, matching
        from planscope.tui.dialogs.ask import Item, SetDialog

        def listed() -> list[Item]:
            marks, run = self.view.marks, self.view.debug.run
            return [Item(str(b), _stops_in_words(hit_steps(b, run)), b in marks.off) for b in marks.every]

        self.app.push_screen(
            SetDialog(
                self.paint,
                "Breakpoints",
                _hint(_BREAKPOINT_HINT, self.view.debug.run.problem),
                listed,
                partial(self._put_mark, marks_.with_breakpoint),
                lambda at: self._mark(marks_.without_breakpoint(self.view.marks, at)),
                lambda typed: matching(breakpoint_offers(self.view.debug.run), typed),
                lambda at: self._mark(marks_.switched(self.view.marks, at)),
            )
        )

    def action_watch(self) -> None:
        from planscope.debugger.offers import matching, watch_offers
        from planscope.tui.dialogs.ask import Item, SetDialog

        self.app.push_screen(
            SetDialog(
                self.paint,
                "Watches",
                _hint(_WATCH_HINT, self.view.debug.run.problem),
                lambda: [Item(watch.text, f"= {watch.value}") for watch in self.view.watch_lines],
                partial(self._put_mark, marks_.with_watch),
                lambda at: self._mark(marks_.without_watch(self.view.marks, at)),
                lambda typed: matching(watch_offers(self.view.debug.run.problem), typed),
            )
        )

    def _put_mark(
        self, put: Callable[[Marks, str, RunIndex, int | None], Marks], text: str, at: int | None
    ) -> str | None:
        try:
            self._mark(put(self.view.marks, text, self.view.debug.run, at))
        except DebuggerError as error:
            return str(error)
        return None

    def _mark(self, marks: Marks) -> None:
        """Set breakpoints and watches, in the session and in the live run."""
        self.change(marks=marks)
        self.work.document.mark(**marks.texts)
        run = self.work.document.run(self.work.live.run_id)
        variant = self.work.document.variant(run.variant) if run is not None else self.view.variant
        self.work.live.set_breakpoints(self._breakpoints_of(variant))

    def _breakpoints_of(self, variant: Variant | None) -> Callable[[Problem | None], Iterable[Breakpoint]]:
        """Return all breakpoints that are valid in a run of a query. Some may be invalid in the displayed run."""
        return lambda problem: marks_.breakpoints_for(
            self.view.marks, RunIndex(unjudged(variant, None, problem))
        )

    # Panes

    @on(PaneClicked)
    def _clicked(self, message: PaneClicked) -> None:
        if message.pane:
            self.action_show_pane(message.pane)

    @on(PaneZoomed)
    def _zoomed(self, message: PaneZoomed) -> None:
        if message.pane:
            self.action_show_pane(message.pane)
            self.action_zoom()

    @on(EdgeDragged)
    def _edge_dragged(self, message: EdgeDragged) -> None:
        if self.work.layout.drag(message.start, message.to):
            self.lay_out()

    @on(EdgeDropped)
    def _edge_dropped(self) -> None:
        self.work.layout.drop()

    @on(KeyHintClicked)
    async def _hint_clicked(self, message: KeyHintClicked) -> None:
        await self.run_action(message.action if message.action == TAKE else BY_ID[message.action].method)

    def _layout_fields(self) -> dict[str, Any]:
        layout = self.work.layout
        return {"pane": layout.pane, "top": layout.top, "zoomed": layout.zoomed}

    def _laid_out(self, notice: str = "") -> None:
        """Display the changed layout."""
        self.lay_out()
        self.change(**self._layout_fields(), notice=notice)

    def action_show_pane(self, name: str) -> None:
        self.work.layout.show(name)
        self._laid_out()

    def action_fold_calls(self) -> None:
        """Fold the calls inside this call, or those around this one; unfold them if they are folded."""
        view = self.view
        if view.run is None or not (nesting := Nesting(view.run.calls)):
            self.tell("no sub-agent made calls inside a call here")
            return
        index = view.debug.index
        around = index if nesting.inner(index) else nesting.caller(index)
        if not around:
            self.tell("no sub-agent made calls inside this call")
            return
        key = (view.run.id, around)
        folding = key not in view.folded or around != index
        folded = view.folded | {key} if folding else view.folded - {key}
        calls = phrases.plural(len(nesting.inner(around)), "call")
        said = f"{calls} {'folded' if folding else 'unfolded'}"
        self.move(cursor.go_to(view.debug, around), folded=folded, notice=said)

    def action_picture(self) -> None:
        """Show the next picture in the tree's pane: the tree, the order of the actions, their hours, the agents."""
        view = self.view
        turn = _pictures(view)
        if len(turn) == 1:
            known = view.debug.run.problem.unjudged
            self.tell(
                f"there is no plan to draw{', and one agent made all calls' if known else ': the query is not read'}"
            )
            return
        at = turn.index(view.picture) if view.picture in turn else 0
        chosen = turn[(at + 1) % len(turn)]
        self.work.layout.picture({"tree": "", "agents": "agents"}.get(chosen, "picture"))
        self.view = changed(view, picture=chosen)
        self.action_show_pane("tree")

    def action_next_pane(self) -> None:
        self.work.layout.next(1)
        self._laid_out()

    def action_previous_pane(self) -> None:
        self.work.layout.next(-1)
        self._laid_out()

    def action_zoom(self) -> None:
        self.work.layout.zoom(not self.view.zoomed)
        self._laid_out()

    def action_hide_pane(self) -> None:
        self._laid_out(self.work.layout.hide(self.view.pane))

    def hide_pane(self, name: str) -> None:
        self._laid_out(self.work.layout.hide(name))

    def action_toggle_inspector(self) -> None:
        self._laid_out(self.work.layout.toggle_inspector())

    def action_wider(self) -> None:
        self._grow(across=True, by=COLUMNS_A_KEY)

    def action_narrower(self) -> None:
        self._grow(across=True, by=-COLUMNS_A_KEY)

    def action_higher(self) -> None:
        self._grow(across=False, by=ROWS_A_KEY)

    def action_lower(self) -> None:
        self._grow(across=False, by=-ROWS_A_KEY)

    def _grow(self, *, across: bool, by: int) -> None:
        self._laid_out(self.work.layout.grow(across=across, by=by))

    def action_reset_layout(self) -> None:
        self._laid_out(self.work.layout.reset())

    # Running

    def action_rerun(self) -> None:
        if self.view.variant is None:
            self.tell("there is no query to run")
        else:
            self.rerun(self.view.variant.id)

    def rerun(self, variant_id: str, choice: RunChoice | None = None) -> None:
        """Ask for the options of a run, and run the query. ``choice``: the options to offer."""
        self.start_flow(self._rerun(variant_id, choice))

    async def _rerun(self, variant_id: str, offered: RunChoice | None) -> None:
        from planscope.tui.dialogs.forms import models_of, run_form

        variant = self.work.document.variant(variant_id)
        if self._busy():
            return
        if variant is None:
            self.tell("there is no query to run")
            return
        chosen = offered or self.default_choice()
        if chosen.own is not None:
            await self._ask_agent(variant_id, chosen, chosen.own)
            return
        if self._only_with_own_tools(variant):
            return
        used = models_of(self.work.document.runs)
        form = run_form(self.paint, self.view.breakpoints, chosen, variant, used)
        choice = await self.answer(form)
        if choice is not None:
            self.start_run(variant_id, choice)

    def _only_with_own_tools(self, variant: Variant) -> bool:
        """Tell how to run an agent that has its own tools and no query: mock tools cannot stand in for them."""
        from planscope.session.oracle_input import has_own_tools

        if not has_own_tools(variant) or variant.query.text.strip():
            return False
        self.tell(
            "an agent with its own tools: planscope debug package.module:agent runs it; rerun and fork take --agent"
        )
        return True

    async def _ask_agent(self, variant_id: str, choice: RunChoice, own: OwnChoice) -> None:
        """Ask what to say to the user's own agent, and run it."""
        from planscope.tui.dialogs.forms import own_form

        made = await self.answer(own_form(self.paint, choice, own))
        if made is not None:
            self.start_run(variant_id, made)

    def action_fork(self) -> None:
        self.start_flow(self._fork())

    async def _fork(self) -> None:
        from planscope.tui.dialogs.forms import fork_form, models_of

        view, document = self.view, self.work.document
        run = document.run(view.run.id) if view.run is not None else None
        if self._busy():
            return
        if view.play is not None:
            self.tell(_playing())
            return
        if run is None or view.run is None:
            self.tell(f"no run to fork: {key_for('rerun')} runs the query")
            return
        step = min(view.debug.index, len(view.run.calls))
        try:
            told, choice = view.call_at(step), self.default_choice()
            if choice.own is not None:
                await self._fork_own(run, step, told, choice)
                return
            own = document.variant(run.variant)
            if own is not None and self._only_with_own_tools(own):
                return
            used = models_of(document.runs)
            form = fork_form(self.paint, document.variants, run, step, told, choice, used)
        except UserError as error:
            self.tell(str(error))
            return
        forked = await self.answer(form)
        if forked is not None:
            self.start_run(forked.variant, forked.choice, ForkChoice(run, step, forked.answer))

    async def _fork_own(self, run: Run, step: int, told: RecordedCall | None, choice: RunChoice) -> None:
        """Ask how the user's own agent goes on from a step, and run it. Raises ``CannotFork``."""
        from planscope.tui.dialogs.forms import own_fork_form

        made = await self.answer(own_fork_form(self.paint, run, step, told, choice))
        if made is not None:
            self.start_run(run.variant, choice, ForkChoice(run, step, made.answer))

    def default_choice(self) -> RunChoice:
        """Return the options to offer for a run."""
        run = self.work.document.run(self.view.run.id) if self.view.run is not None else None
        return self.work.live.default_choice(run)

    def _busy(self) -> bool:
        if self.work.live.attached is not None:
            self.tell("the attached agent begins its runs itself; planscope debug runs an agent from here")
            return True
        if self.work.live.at_work:
            self.tell(f"a run is in progress: {key_for('stop-run')} stops it")
            return True
        if self.work.document.session is None:
            self.tell("no session is open yet")
            return True
        return False

    def start_run(self, variant_id: str, choice: RunChoice, fork: ForkChoice | None = None) -> None:
        """Run a query in the background, and display the run as soon as it begins."""
        variant = self.work.document.variant(variant_id)
        if self._busy() or variant is None:
            return
        of = replace(self._here(), variant=variant_id)
        if fork is None:
            self._amounts_to(shell.run_command(of, choice))
        else:
            self._amounts_to(shell.fork_command(of, choice, fork.run.id, fork.step, fork.answer))
        if self.work.live.start(variant, choice, self._breakpoints_of(variant), fork):
            self.tell(_starting())
            self._count()

    def _count(self) -> None:
        self._stop_counting()
        self._tick = self.set_interval(1.0, self._count_seconds)

    def _count_seconds(self) -> None:
        live = self.work.live
        if live.unfollowed != self.view.unfollowed:
            self.change(unfollowed=live.unfollowed)
        if self.view.seconds is not None and not live.waits:
            self.change(seconds=live.seconds)

    def _stop_counting(self) -> None:
        if self._tick is not None:
            self._tick.stop()
            self._tick = None

    def action_pause_run(self) -> None:
        live = self.work.live
        if not live.at_work:
            self.tell(self._waiting() or f"no run is in progress: {key_for('rerun')} runs the query")
        elif live.only_watched:
            self.tell(live.only_watched)
        elif live.question is not None:
            self.tell(f"the agent asks you something: {key_for('go-end')} goes there")
        elif live.paused is not None:
            self.tell(
                f"already paused: {key_for('next-call')} runs the call, {key_for('continue')} continues"
            )
        else:
            live.pause_before(next_call=True)
            self.tell("pausing before the next call")

    def action_stop_run(self) -> None:
        if not self.work.live.at_work:
            self.tell(self._waiting() or "no run is in progress")
        elif self.work.live.only_watched:
            self.tell(self.work.live.only_watched)
        else:
            self.work.live.stop()
            self.tell(_STOPPING)

    def action_edit_arguments(self) -> None:
        from planscope.agents.gate import EditArguments, GoOn

        if self.view.play is not None:
            self._edit_played("arguments")
            return
        if (question := self._asked_here()) is not None:
            self._reply_arguments(question)
            return
        call = self._paused_call()
        if call is None:
            return
        was = json_of(call.arguments)

        def read(text: str) -> Verb:
            return GoOn() if text == was else EditArguments(arguments_of(text))

        hint = "JSON. The tool is called with these; the record also keeps what the agent asked for."
        title = "Arguments of step {step}"
        self.start_flow(self._ask(call, title, hint, was, read, self._judge_of(call)))

    def _judge_of(self, call: PendingCall) -> Callable[[str], Sequence[tuple[str, str]]] | None:
        """Return the judge of the typed arguments of a paused call, or None if nothing is known of it."""
        from planscope.debugger.paused_call import PausedCall, judge_by_schema

        run, schema = self.view.debug.run, call.schema or self._schema_of(call.tool)
        if self.view.progress != "judged" or len(run.steps) > MOST_JUDGED:
            return None if not schema else partial(judge_by_schema, schema)
        return PausedCall(run.replay, call.step, call.tool, schema).judge

    def _schema_of(self, tool: str) -> Mapping[str, Any] | None:
        """Return the schema of a tool of the user's agent, {} if it is not known; None if the tools are mock tools."""
        variant = self.view.variant
        if variant is None or not variant.own:
            return None
        return next((a.parameters for a in variant.actions if a.tool == tool), None) or {}

    def action_edit_answer(self) -> None:
        from planscope.agents.gate import EditAnswer, GoOn

        if self.view.play is not None:
            self._edit_played("answer")
            return
        if self._asked_here() is not None:
            self.action_answer_call()
            return
        call = self._paused_call()
        if call is None:
            return
        if self.work.live.own is not None and self.work.live.own.dry:
            self.action_answer_call()
            return
        was = line_of(call.answer) if call.answer is not None else ""

        def read(text: str) -> Verb:
            return GoOn() if was and text == was else EditAnswer(_said(text))

        hint = "The tool is called and the agent gets this answer; the record also keeps the tool's own."
        self.start_flow(self._ask(call, "Answer to step {step}", hint, was, read))

    def action_answer_call(self) -> None:
        from planscope.agents.gate import Answer

        if (question := self._asked_here()) is not None:
            hint = "A JSON value, or else a text." if question.tool is None else _NOT_CALLED
            read = Answer if question.tool is None else lambda text: Answer(_said(text))
            self._reply(Answer(""), "Answer", hint, "", read)
            return
        call = self._paused_call()
        if call is None:
            return
        if self.work.live.own is None and self.work.live.attached is None:
            self.tell(f"a mock tool does nothing: {key_for('edit-answer')} changes its answer")
            return
        self.start_flow(
            self._ask(
                call,
                "Answer to step {step}",
                _NOT_CALLED,
                "",
                lambda text: Answer(_said(text)),
            )
        )

    def action_refuse_call(self) -> None:
        from planscope.agents.gate import Refuse

        if self._asked_here() is not None:
            self._reply(
                Refuse(""), "Reject the call", _NOT_CALLED, _THINK_AGAIN, lambda text: Refuse(_said(text))
            )
            return
        call = self._paused_call()
        if call is None:
            return
        self.start_flow(
            self._ask(
                call,
                "Refuse step {step}",
                _NOT_CALLED,
                _THINK_AGAIN,
                lambda text: Refuse(_said(text)),
            )
        )

    async def _ask(
        self,
        call: PendingCall,
        title: str,
        hint: str,
        value: str,
        read: Callable[[str], Verb],
        judge: Callable[[str], Sequence[tuple[str, str]]] | None = None,
    ) -> None:
        """Ask for a line of text, then apply it to the call if that is still paused."""
        before = f"{phrases.call(call.tool, call.arguments, named=True)} is paused."
        verb = await self._ask_verb(before, title.format(step=call.step), hint, value, read, judge)
        if verb is None:
            return
        if self.work.live.paused is not call:
            self.tell("that call is no longer paused")
        else:
            decide(self, verb, stepping=True)

    async def _ask_verb(
        self,
        before: str,
        title: str,
        hint: str,
        value: str,
        read: Callable[[str], Verb],
        judge: Callable[[str], Sequence[tuple[str, str]]] | None = None,
    ) -> Verb | None:
        """Ask for a line of text, and return what ``read`` makes of it, None if the dialog is cancelled."""
        from planscope.tui.dialogs.ask import AskDialog

        dialog = AskDialog(
            self.paint,
            title,
            f"{hint} Enter: OK, Esc: cancel",
            partial(_wrong, read),
            value=value,
            before=(before,),
            judge=judge,
        )
        text = await self.answer(dialog)
        return None if text is None else read(text)

    def _asked_here(self) -> Question | None:
        """Return what the interrupted agent asks, if the cursor is there."""
        return self.view.question if self.view.at_question else None

    def _reply_arguments(self, question: Question) -> None:
        from planscope.agents.gate import EditArguments, GoOn

        was = json_of(question.arguments or {})

        def read(text: str) -> Verb:
            return GoOn() if text == was else EditArguments(arguments_of(text))

        self._reply(EditArguments({}), "Arguments", "JSON. The agent calls the tool with these.", was, read)

    def _reply(self, kind: Verb, title: str, hint: str, value: str, read: Callable[[str], Verb]) -> None:
        """Answer what the interrupted agent asks with a line of text, if it takes an answer of this kind."""
        question = self.work.live.question
        if question is None:
            self.tell("the agent no longer asks")
        elif wrong := question.refuses(kind):
            self.tell(wrong)
        else:
            self.start_flow(self._ask_reply(question, title, hint, value, read))

    async def _ask_reply(
        self, question: Question, title: str, hint: str, value: str, read: Callable[[str], Verb]
    ) -> None:
        verb = await self._ask_verb(f"The agent asks: {question.text}", title, hint, value, read)
        if verb is None:
            return
        if self.work.live.question is not question:
            self.tell("the agent no longer asks")
        else:
            decide(self, verb, stepping=True)

    def _paused_call(self) -> PendingCall | None:
        """Return the paused call if the cursor is at it and it can be edited. Otherwise a notice says why not."""
        live = self.work.live
        call = live.paused
        mine = self.view.at_pending and self.view.run is not None and self.view.run.id == live.run_id
        if not live.at_work:
            self.tell(self._waiting() or f"no run is in progress: {key_for('rerun')} runs the query")
        elif call is None and live.only_watched:
            self.tell(live.only_watched)
        elif call is None:
            self.tell(f"no call is paused: {key_for('pause-run')} pauses before the next one")
        elif not mine:
            self.tell(f"the paused call is step {call.step}: {key_for('go-end')} goes to it")
        elif call.error is not None:
            self.tell(
                f"this call cannot be read, so no tool is called: {key_for('next-call')} tells the agent so"
            )
        else:
            return call
        return None

    # What-if play:

    def action_play(self) -> None:
        """Begin to play at this step, or go to the pane of options."""
        view, document = self.view, self.work.document
        if view.play is not None:
            self.action_show_pane("step")
            return
        if view.progress == "unreadable":
            self.tell(f"the query cannot be read, so nothing can be played: {key_for('edit')} edits it")
            return
        if view.progress != "judged" or document.session is None or view.variant is None:
            self.tell("not judged yet")
            return
        if view.run is not None and view.run.under_way:
            self.tell(
                f"this run is in progress: {key_for('stop-run')} stops it, "
                f"{key_for('edit-arguments')} edits the paused call"
            )
            return
        origin = Origin(view.variant.id, view.run.id if view.run is not None else "", view.debug.index)
        self.work.what_if.begin(view.debug.run.replay, origin, self.work.live.run_id)
        self.show_play()
        self.tell("what if: ↑ ↓ choose the next call")

    def show_play(self) -> None:
        """Display the changed play."""
        play = self.work.what_if.play
        assert play is not None
        self.work.layout.play(True)
        self.work.layout.turn_to("step")
        self.lay_out()
        self.change(play=play, why_paused=(), notice="", **self._layout_fields())
        if self.view.run is None or self.view.run.id != play.run_id:
            run = self.work.document.run(play.run_id)
            assert run is not None
            self.look_at(run.variant, play.run_id)

    def end_play(self) -> None:
        """End the play, and go back to the run where it began."""
        origin = self.work.what_if.origin
        self.look_at(origin.variant, origin.run)
        self.move(cursor.go_to(self.view.debug, origin.index))

    @on(OptionChosen)
    def _option_chosen(self, message: OptionChosen) -> None:
        if self.view.play is None:
            return
        self.work.what_if.choose(message.at)
        self.work.layout.turn_to("step")
        self.change(play=self.work.what_if.play, notice="", **self._layout_fields())
        if message.taken:
            self.mode.enter()

    def action_later_hour(self) -> None:
        self._change_hour(1)

    def action_earlier_hour(self) -> None:
        self._change_hour(-1)

    def _change_hour(self, by: int) -> None:
        if self.work.what_if.change_values(by):
            self.change(play=self.work.what_if.play, notice="")
        elif self.view.play is not None:
            self.tell("there is nothing else to choose for this call")
        else:
            self.tell(f"hours and arguments can be chosen while you play: {key_for('play')} plays")

    def _edit_played(self, row: str) -> None:
        """Ask for the arguments and the answer of the chosen call."""
        option = self.view.play.chosen if self.view.play is not None else None
        if option is None or option.way is None:
            timed = self.view.debug.run.problem.timed
            hours = f": {key_for('later-hour')} and {key_for('earlier-hour')} change the hour"
            self.tell(f"no rule looks at arguments or answers here{hours if timed else ''}")
        else:
            self.start_flow(self._ask_played(row))

    async def _ask_played(self, row: str) -> None:
        from planscope.tui.dialogs.forms import played_form

        play = self.view.play
        assert play is not None
        way = await self.answer(played_form(self.paint, play, row))
        if way is not None and self.view.play is play:
            self.work.what_if.set_way(way)
            self.change(play=self.work.what_if.play, notice="")

    def action_take_back(self) -> None:
        play = self.view.play
        if play is None:
            self._undo_rules()
        elif not play.played.calls:
            self.tell("no call was played yet")
        else:
            self.work.what_if.undo()
            self.show_play()

    def action_keep_play(self) -> None:
        """Save the played calls as a run of the session."""
        play = self.view.play
        if play is None:
            self.tell(f"not in what-if play: {key_for('play')} starts it")
        elif not play.played.calls:
            self.tell("no call was played yet")
        else:
            self.work.judge.forget(play.run_id)
            run = self.work.what_if.keep()
            self.work.layout.play(False)
            self.view = replace(self.view, play=None)
            self.look_at(run.variant, run.id)
            self.tell(f"kept as run {run.id}")

    # Dialogs

    def action_explain(self) -> None:
        self._amounts_to(shell.action_command("explain", self._here()))
        from planscope.tui.dialogs.why import WhyDialog

        self.app.push_screen(WhyDialog(self.paint, self.view, self.work.jobs))

    def action_look(self) -> None:
        """Show the values of this step whole."""
        self._amounts_to(shell.action_command("look", self._here()))
        from planscope.tui.dialogs.look import LookDialog, pages_of
        from planscope.tui.screens.flows.take_away import take_away

        run = self.view.run
        if run is None:
            self.tell(
                f"not run yet; press {key_for('rerun')}" if self.view.has_queries else "no session is open"
            )
            return
        private = (
            "The value as it was recorded, with private values in it; "
            f"{key_for('share')} shares a run with them replaced."
        )

        def copy(dialog: LookDialog, text: str) -> None:
            dialog.start_flow(take_away(dialog, "value", text, "planscope-value.txt", private))

        self.app.push_screen(LookDialog(self.paint, pages_of(run, self.view.debug.index), copy))

    def action_choose_run(self) -> None:
        """List the session's queries and runs."""
        self._amounts_to(shell.action_command("choose-run", self._here()))
        from planscope.tui.controllers.run_list import Place
        from planscope.tui.screens.runs.screen import Chosen, RunsScreen

        if not self.work.document.variants:
            self.tell("this session has no query")
            return
        here = Place(*self._key) if self.view.variant is not None else None

        def left(chosen: Chosen | None) -> None:
            if chosen is None:
                return
            if chosen.compare:
                self.compare_with(chosen.variant, chosen.run)
            elif chosen.run:
                self.show_run(chosen.run, -1)
            else:
                self.look_at(chosen.variant)

        self._enter(RunsScreen(self.paint, self.work, here), left)

    def action_tools(self) -> None:
        """List what the fuzzer found, beginning with what explains this step."""
        document = self.work.document
        if document.session is None:
            self.tell("no session is open yet")
        else:
            self._show_findings()

    def _show_findings(self) -> None:
        from planscope.tui.screens.findings.screen import FindingsScreen

        def left(step: tuple[str, int] | None) -> None:
            if step is not None:
                self.show_run(*step)

        here = self.view.predicted_at(self.view.debug.index)
        self._enter(FindingsScreen(self.paint, self.work, here.finding if here is not None else None), left)

    def action_next_failed_run(self) -> None:
        """Open the next wrong run of the session."""
        from planscope.tui.controllers.run_list import Place, RunList

        here = Place(*self._key) if self.view.variant is not None else None
        runs = RunList(self.work.document, self.work.jobs, lambda message: None, here)

        def found() -> None:
            said = runs.next_failure()
            chosen = runs.state.chosen
            if chosen is not None and chosen.run is not None and chosen.run.failed:
                self.show_run(chosen.place.run, -1)
            self.tell(said)

        if not self.work.document.runs:
            self.tell(f"this session has no run: {key_for('rerun')} runs the query")
            return
        runs.read(then=found)

    def action_describe(self) -> None:
        self.start_flow(self._describe())

    async def _describe(self) -> None:
        """Show the session's title and notes, which the user may change."""
        from planscope.tui.dialogs.describe import Described, DescribeDialog

        document = self.work.document
        if document.session is None:
            self.tell("no session is open yet")
            return

        def typed(said: Described) -> None:
            now = document.open_session
            if (said.title, said.notes) != (now.title, now.notes):
                document.edit(title=said.title, notes=said.notes)

        session = document.session
        dialog = DescribeDialog(self.paint, session.title, session.notes, typed)
        said = await self.answer(dialog)
        if said is not None:
            typed(said)
            if said.quit:
                self.action_quit()

    def action_copy(self) -> None:
        from planscope.tui.screens.flows.take_away import take_away

        name = self.view.pane
        text = pane_text(self.pane(name), self.view)
        private = (
            "The text of the pane, with private values in it; "
            f"{key_for('share')} shares a run with them replaced."
        )
        self.start_flow(take_away(self, f"{name} pane", text, f"planscope-{name}.txt", private))

    def action_share(self) -> None:
        self._amounts_to(shell.action_command("share", self._here()))
        if self.work.document.session is None:
            self.tell("no session is open yet")
        elif self.view.play is not None:
            self.tell(_playing())
        else:
            self.start_flow(self._share())

    async def _share(self) -> None:
        from planscope.tui.screens.flows.share import Shared, share

        view, document = self.view, self.work.document
        what = Shared(
            document.snapshot(),
            view.run.id if view.run is not None else None,
            view.run is not None and view.run.under_way,
            str(view.debug.step) if view.progress == "judged" else None,
            document.path,
        )
        self._last_form = await share(self, self.work.jobs, what, self._last_form)

    # Saving

    def action_save(self) -> None:
        """Save now. If saving failed before, ask what to do."""
        if self.work.document.session is None or self.work.autosave is None:
            self.tell("nothing to save: no session is loaded")
        elif self.work.document.saving.state == "failed":
            self.start_flow(self._ask_about_trouble())
        else:
            self._save_and_say()

    async def _ask_about_trouble(self) -> None:
        from planscope.tui.screens.flows.recover import ask_about_trouble

        assert self.work.autosave is not None
        if await ask_about_trouble(self, self.work.document, self.work.autosave) == "again":
            self._save_and_say()

    def _save_and_say(self) -> None:
        assert self.work.autosave is not None
        self._asked_to_save = True
        self.tell("saving…")
        self.work.autosave.save()

    def _say_saved(self) -> None:
        saving, path = self.work.document.saving, self.work.document.path
        if not self._asked_to_save or saving.state == "changed":
            return
        self._asked_to_save = False
        said = saving.state == "saved" and path is not None
        self.tell(f"saved to {phrases.place(path)}" if said and path is not None else "")

    # Other screens

    def _enter(self, screen: Screen[Any], left: Callable[[Any], None]) -> None:
        self.app.push_screen(screen, left)

    def show_cured(self, culprit: Culprit) -> None:
        """Show the query that the agent gets right beside this one."""
        from planscope.tui.screens.compare.comparable import Chosen
        from planscope.tui.screens.compare.screen import CompareScreen

        view = self.view
        if view.variant is None or self.work.document.variant(culprit.variant) is None:
            self.tell("the cured query is no longer in the session")
            return
        runs = [run.id for run in self.work.document.runs if run.variant == culprit.variant]
        shown_run = view.run.id if view.run is not None and runs else None
        original = Chosen(view.variant.id, shown_run)
        cured = Chosen(culprit.variant, runs[-1] if shown_run else None)

        def left(opened: RunChosen | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self._enter(CompareScreen(self.paint, self.work, original, cured), left)

    def action_compare(self) -> None:
        """Compare with the run that this one was forked from, or with the one before it."""
        self.compare_with()

    def compare_with(self, variant: str = "", run: str = "") -> None:
        """Compare the displayed run with another one. "" means the one that fits best."""
        from planscope.tui.screens.compare.comparable import Chosen, before_it
        from planscope.tui.screens.compare.screen import CompareScreen

        view, document = self.view, self.work.document
        if view.variant is None or document.session is None:
            self.tell("no session is open yet")
            return
        here = Chosen(view.variant.id, view.run.id if view.run is not None else None)
        other = Chosen(variant, run or None) if variant else before_it(document.open_session, here)
        if other is None:
            self.tell(f"nothing to compare with yet: {key_for('rerun')} runs the query again")
            return
        self._amounts_to(shell.compare_command(self._here(), other.run or other.variant))

        def left(opened: RunChosen | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self._enter(CompareScreen(self.paint, self.work, other, here), left)

    def action_write_rules(self) -> None:
        """Write the rules of the session."""
        if self.work.document.session is None:
            self.tell("no session is open yet")
        elif self.view.play is not None:
            self.tell(f"this is what-if play: {key_for('deselect')} leaves")
        else:
            self.start_flow(self._write_rules())

    async def _write_rules(self) -> None:
        from planscope.session.traces import trace_of
        from planscope.tui.dialogs.rules import RulesDialog

        document, view, drafts = self.work.document, self.view, self.work.drafts
        session = document.open_session
        run = document.run(view.run.id) if view.run is not None else None
        text = drafts.rules.get(session.id, session.rules or "")
        trace = trace_of(run) if run is not None else None
        written = await self.answer(RulesDialog(self.paint, text, trace, self._finders(run)))
        if written is None:
            return
        changed = not written.save and written.text != (session.rules or "")
        drafts.keep_rules(session.id, written.text if changed else None)
        if not written.save:
            if changed:
                self.tell(f"your rules are not saved: {key_for('write-rules')} continues them")
        elif document.put_rules(written.text):
            undo = key_for("take-back")
            self._judge_anew(f"all runs of the session are judged by these rules now; {undo} undoes it")

    def _finders(self, run: Run | None) -> dict[str, Finder]:
        """Return the ways to find rules: in examples, or by a model in a policy."""
        from planscope.tui.screens.flows.find_rules import Place, draft_rules, mine_rules

        document, choice = self.work.document, self.default_choice()
        outcomes = document.outcomes.items()
        wrong = frozenset(key[1] for key, outcome in outcomes if outcome.verdict == "wrong")
        model = "" if choice.model.startswith("sim:") or ":" not in choice.model else choice.model
        place = Place(self.work.jobs, document.kept_runs(), run, wrong, model, choice.base_url or "")
        return {
            "mine": lambda screen, known: mine_rules(screen, place, known),
            "draft": lambda screen, known: draft_rules(screen, place, known),
        }

    def _judge_anew(self, notice: str) -> None:
        """Judge the displayed run by the changed rules of the session."""
        self.work.judge.forget_all()
        if self.view.variant is not None:
            self.look_at(self.view.variant.id, self.view.run.id if self.view.run is not None else "")
        self.tell(notice)

    def _undo_rules(self) -> None:
        """Restore the rules before their last change, and say which."""
        from planscope.rules.in_session import rules_of

        document = self.work.document
        if document.session is None or not document.undo_rules():
            self.tell(f"nothing to undo: no call was played ({key_for('play')}), and no rule was changed")
            return
        file = rules_of(document.open_session)
        count = len(file.rules) if file is not None else 0
        self._judge_anew(f"the last change of the rules is undone; {_rules_in_words(count)}")

    def action_edit(self) -> None:
        """Edit the displayed query, or continue its draft. For an agent's own tools without a query, edit the rules."""
        from planscope.session.oracle_input import has_own_tools
        from planscope.tui.screens.edit.screen import EditScreen

        view, document, drafts = self.view, self.work.document, self.work.drafts
        variant = view.variant
        if variant is None or document.session is None:
            self.tell("no query is open yet")
            return
        if not variant.query.text.strip() and has_own_tools(variant) and view.play is None:
            self.action_write_rules()
            return
        if view.play is not None:
            self.tell(f"this is what-if play: {key_for('deselect')} leaves")
            return
        self._amounts_to(shell.edit_command(self._here()))
        key = (document.open_session.id, variant.id)
        spans = sorted(span for span in (*view.lit.spans, *view.core_spans) if span[0] < span[1])
        at = spans[0][0] if spans else None

        def left(result: EditResult | None) -> None:
            if result is not None:
                self._take_edit(variant.id, key, result)

        self._enter(EditScreen(self.paint, self.work, variant, drafts.take(key), at), left)

    def _take_edit(self, of: str, key: tuple[str, str], result: EditResult) -> None:
        if result.draft is not None:
            self.work.drafts.keep(key, result.draft)
            self.tell(f"your draft is kept while planscope is open: {key_for('edit')} continues it")
            return
        self.work.drafts.done(key)
        if result.variant is not None:
            self.work.document.put_variant(result.variant)
        id = of if result.variant is None else result.variant.id
        choice = self.default_choice()  # taken from the displayed run, before another is displayed
        if result.variant is not None:
            self.look_at(id)
            self.tell(f"{shown(id, 20)} is a new variant of {shown(of, 20)}; {key_for('rerun')} runs it")
        if result.run:
            self.rerun(id, choice)

    def action_dissect(self) -> None:
        """Find out what in this query makes the agent fail."""
        from planscope.tui.screens.dissect.screen import DissectScreen

        view = self.view
        if view.variant is None or self.work.document.session is None:
            self.tell("there is no query to dissect")
            return
        choice = self.default_choice()
        wrong = view.verdict is not None and view.verdict.verdict == "wrong"
        mine = wrong and view.run is not None and view.play is None and view.run.model == choice.model
        self._amounts_to(shell.dissect_command(self._here(), choice.model, choice.agent))
        wanted = DissectChoice(
            agent=choice.agent,
            model=choice.model,
            run=view.run.id if mine and view.run is not None else None,
            method=self.start.method,  # type: ignore[arg-type]  # the settings allow no other
            budget=self.start.budget,
            seed=choice.seed,
            base_url=choice.base_url,
        )

        def left(opened: RunChosen | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self._enter(DissectScreen(self.paint, self.work, view.variant.id, wanted), left)

    def action_library(self) -> None:
        """Open the library, from which the user may switch to another session."""
        self._amounts_to(shell.action_command("library", self._here()))
        from planscope.tui.screens.library.screen import LibraryScreen

        def left(switch: Switch | None) -> None:
            if switch is not None:
                self.start_flow(self._leave_for(switch))

        self._enter(LibraryScreen(self.paint, self.work), left)

    def action_campaigns(self) -> None:
        """Show a campaign, from which the user may open one of its runs."""
        self._amounts_to(shell.command("campaign", "list"))
        self.start_flow(self._show_campaign())

    def open_campaign(self, name: str) -> None:
        self.start_flow(self._show_campaign(name))

    async def _show_campaign(self, name: str | None = None) -> None:
        from planscope.tui.screens.campaign.screen import CampaignScreen
        from planscope.tui.screens.flows.campaigns import chosen_campaign

        app: Any = self.app
        name = name or await chosen_campaign(self, app.last_campaign)
        if name is None:
            return
        app.note_campaign(name)
        if path := await self.answer(CampaignScreen(self.paint, self.work, name)):
            self.open_file(path)

    def open_file(self, path: Path) -> None:
        self.start_flow(self._open_file(path))

    async def _open_file(self, path: Path) -> None:
        """Open another session in place of this one."""
        from planscope.tui.controllers.library_list import LibraryList
        from planscope.tui.screens.flows.quitting import may_stop

        if not await may_stop(self, self.work.jobs):
            return
        work = self.work
        self._opener = LibraryList(work.document, work.jobs, work.autosave, self.post_message, work.post)
        self._opener.open(path)

    @on(SessionLoaded)
    def _session_loaded(self, message: SessionLoaded) -> None:
        if self._opener is not None:
            self._opener.release()
            self._opener = None
            self.start_flow(self._leave_for(message.switch))

    # Leaving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow no action while this session is being left, since its result would be lost."""
        return super().check_action(action, parameters) if not self._leaving or action == "quit" else False

    async def _leave_for(self, switch: Switch) -> None:
        """Save this session, then switch to another one."""
        from planscope.tui.dialogs.ask import asking

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
            if await self.answer(asking(self.paint, "Not saved", said, choices)) != 1:
                if switch.autosave is not None:
                    switch.autosave.close()
                return
        self._switch(switch)

    def _switch(self, switch: Switch) -> None:
        """Let the application switch; this screen ends with that."""
        turn: Any = self.app
        self.app.call_later(turn.switch_to, switch)

    def action_quit(self) -> None:
        """Leave planscope; ask first if anything would be lost."""
        from planscope.tui.screens.flows.quitting import is_asked, quit_or_ask

        if not is_asked(self):
            work = self.work
            self.start_flow(
                quit_or_ask(self, work.document, work.jobs, work.drafts.left, partial(leave, work))
            )

    # Palette

    def palette_entries(self) -> Iterator[Command]:
        from planscope.session.locations import name_of
        from planscope.session.recent import recent
        from planscope.tui.palette import Command
        from planscope.tui.panes.run_line import run_runs

        yield from super().palette_entries()
        document = self.work.document
        for number, run in enumerate(document.runs):
            line = run_runs(document.record(run.id), number, here=number == self.view.run_number)
            title = "Run " + "".join(part.text for part in line).strip()
            yield Command(title, "Open this run.", partial(self.show_run, run.id, -1))
        for left in recent()[:MOST_RECENT]:
            if left.path != document.path:
                name = shown(name_of(left.path), 60)
                do = partial(self.open_file, left.path)
                yield Command(f"Recent session {name}", f"Open it: {phrases.place(left.path)}", do)
        for name, hidden in self.work.layout.hidden_panes():
            do = partial(self.action_show_pane if hidden else self.hide_pane, name)
            yield Command(f"{'Show' if hidden else 'Hide'} the {name} pane", "Arrange the panes.", do)


def _pictures(view: DebugView) -> list[Picture]:
    """Return what the tree's pane can show, in the order of the key."""
    problem = view.debug.run.problem
    made: list[Picture] = ["tree"]
    if problem.actions and view.progress not in ("reading", "unreadable", "failed"):
        made += ["order", "hours"] if problem.timed else ["order"]
    if view.run is not None and has_lanes(view.run.calls):
        made.append("agents")
    return made


def _hint(hint: str, problem: Problem) -> str:
    return hint if problem.counted else _RULE_HINTS[hint]


def _wrong(read: Callable[[str], object], text: str) -> str | None:
    try:
        read(text)
    except DebuggerError as error:
        return str(error)
    return None


def _rules_in_words(count: int) -> str:
    return f"the session has {phrases.plural(count, 'rule')}" if count else "the session has no rules"


def _stops_in_words(steps: Sequence[StepNo] | None) -> str:
    """Say how often a breakpoint stops in the displayed run, and where."""
    if steps is None:
        return "when it stops is computed by c"
    if not steps:
        return "does not stop in this run"
    where = ", ".join(map(str, steps[:5])) + (", …" if len(steps) > 5 else "")
    return f"stops {phrases.plural(len(steps), 'time')}: {'step' if len(steps) == 1 else 'steps'} {where}"


def _searched(view: DebugView) -> tuple[Searched, ...]:
    run = view.debug.run
    calls = view.run.calls if view.run else ()
    return documents(
        view.text,
        run,
        plain={c.id: brief(c, run.problem) for c in run.problem.constraints},
        answers={i: call.answer for i, call in enumerate(calls, 1) if call.answer},
        thoughts={i: call.thought for i, call in enumerate(calls, 1) if call.thought},
    )


def _place(kind: str) -> str:
    return {"query": "the query", "constraint": "a constraint"}.get(
        kind, f"a {kind}".replace("a answer", "an answer")
    )


def _said(line: str) -> str:
    """Turn a typed line into a text for the agent. Raises ``DebuggerError`` if it is empty or invalid."""
    if not line.strip():
        raise DebuggerError("enter a text")
    return text_of(line)
