"""Runs from the debug screen: again, forked, and live, where each call can be looked at before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from planscope.debugger import cursor
from planscope.debugger.breakpoints import load_breakpoints
from planscope.debugger.run_index import RunIndex
from planscope.errors import UserError
from planscope.session.events import CallEvent
from planscope.tui.desk import Desk
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.doors import Doors
from planscope.tui.state import RoomState
from planscope.tui.under_way import ForkChoice, Heard, RunChoice, UnderWay
from planscope.tui.unjudged import unjudged

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall
    from planscope.debugger.breakpoints import Breakpoint
    from planscope.debugger.cursor import DebugState
    from planscope.language.problem import Problem
    from planscope.session.events import Event
    from planscope.session.model import Run
    from planscope.tui.judging import JudgedRun

RESERVED = "run"
"""The job that a run is. One at a time is run from this screen."""

STARTING, STOPPING = "starting the run… X stops it", "stopping…"


class Running(Doors):
    """``live`` is the run under way, ``asked_to_run`` what the command line wants run as soon as all is read."""

    asked_to_run: Mapping[str, Any] | None = None
    _followed = ""
    preset = RunChoice()
    """How to run where nothing else says so."""

    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk, asked_for_step=asked_for_step)
        self.live: UnderWay | None = None
        self.last_choice: RunChoice | None = None
        self._tick: Timer | None = None

    # Starting

    def settled(self) -> None:
        super().settled()
        if self.asked_to_run is not None:
            asked, self.asked_to_run = dict(self.asked_to_run), None
            variant = asked.pop("variant")
            self.start_run(variant, RunChoice(**asked))

    def rerun(self, variant_id: str) -> None:
        """Ask how to run a variant, and run it."""
        from planscope.tui.dialogs.run_form import run_form

        if self._busy():
            return
        variant = self.state.session.variant(variant_id)
        if variant is None:
            self.tell("there is no request to run")
            return

        def go(choice: RunChoice | None) -> None:
            if choice is not None:
                self.start_run(variant_id, choice)

        self.app.push_screen(run_form(self.paint, self.state, self.default_choice(), variant), go)

    def action_rerun(self) -> None:
        variant = self.state.variant
        if variant is None:
            self.tell("there is no request to run")
        else:
            self.rerun(variant.id)

    def action_fork(self) -> None:
        from planscope.tui.dialogs.run_form import Forked, fork_form

        state = self.state
        run = self.desk.run(state.run.id) if state.run is not None else None
        if self._busy():
            return
        if state.play is not None:
            self.tell("you are playing what if: K keeps it as a run, Esc leaves it")
            return
        if run is None or state.run is None:
            self.tell("there is no run to fork: r runs the request")
            return
        step = min(state.debug.index, len(state.run.calls))

        def go(forked: Forked | None) -> None:
            if forked is not None:
                fork = ForkChoice(run, step, forked.answer)
                self.start_run(forked.variant, forked.choice, fork)

        try:
            form = fork_form(self.paint, state, run, step, self.default_choice())
        except UserError as error:
            self.tell(str(error))
            return
        self.app.push_screen(form, go)

    def default_choice(self) -> RunChoice:
        """As the last time, else as the run that is looked at, else as the config file has it.

        No code is imported because a session's file names it.
        """
        from planscope.agents.paradigms import AGENTS

        if self.last_choice is not None:
            return self.last_choice
        run = self.desk.run(self.state.run.id) if self.state.run is not None else None
        if run is None:
            return self.preset
        agent = run.agent if run.agent in AGENTS else "tools"
        return replace(self.preset, agent=agent, model=run.model, seed=run.seed)

    def _busy(self) -> bool:
        if self.jobs.running(RESERVED):
            self.tell("a run is under way: X stops it")
            return True
        if self.desk.session is None:
            self.tell("no session is open yet")
            return True
        return False

    def start_run(self, variant_id: str, choice: RunChoice, fork: ForkChoice | None = None) -> None:
        """Run a variant in the background, and turn to it as soon as there is anything to see."""
        from planscope.session.derive import problem_of
        from planscope.session.new_parts import next_run_id

        variant = self.desk.variant(variant_id)
        if self._busy() or variant is None:
            return
        try:
            problem = problem_of(variant)
        except UserError:
            problem = None  # it can be run all the same, and pauses at tools and steps
        self.last_choice = choice
        live = self.live = UnderWay(
            variant,
            choice,
            next_run_id(self.desk.open_session),
            asyncio.get_running_loop(),
            Heard(self._heard_event, self._heard_pause, self._heard_resume),
            problem=problem,
            breakpoints=self._breakpoints_of(problem, variant_id),
            fork=fork,
        )
        self.tell(STARTING)
        self.jobs.start(
            RESERVED, live.work, self._ended, lambda error: self._not_run(live, error), interrupt=live.stop
        )
        self._tick = self.set_interval(1.0, self._count_seconds)

    def _breakpoints_of(self, problem: Problem | None, variant_id: str) -> tuple[Breakpoint, ...]:
        """All that are set and make sense in a run of this; in the run that is looked at some may make none.

        ``problem`` None: the text cannot be read, but the tools are known.
        """
        texts = (*map(str, self.state.breakpoints), *self.state.strange_breakpoints)
        nothing = RunIndex(unjudged(None, self.state.session.variant(variant_id), problem))
        return load_breakpoints(texts, nothing)[0]

    # What is heard of it

    def _heard_event(self, run: Run, event: Event) -> None:
        if self.live is None or run.id != self.live.run_id:
            return
        fresh = self.desk.run(run.id) is None
        self.desk.put_run(run, under_way=True)
        if fresh:
            self.change(seconds=0)
            self._follow(run)
            self.tell("")

    def _follow(self, run: Run) -> None:
        """Turn to a run that began just now; a screen that is being left hears of it no more.

        Not from what was played meanwhile: turning away would throw that away.
        """
        play = self.state.play
        if play is not None and play.played.calls:
            self.tell(f"run {shown(run.id, 20)} began: o goes to it; K keeps what you play")
            return
        number = next((i for i, one in enumerate(self.state.session.runs) if one.id == run.id), None)
        if number is not None:
            self._followed = run.id
            self.open_run_number(number)

    def _first_place(self, judged: JudgedRun) -> DebugState:
        """Who saw a run end stands at its end, also where that came before the first look at it was over."""
        run = self.state.run
        if run is None or run.id != self._followed or run.under_way:
            return super()._first_place(judged)
        self._followed = ""
        return cursor.go_end(judged.debug)

    def _heard_pause(self, run: Run, call: PendingCall) -> None:
        if self.live is None or run.id != self.live.run_id:
            return
        readable = None if call.error else dict(call.arguments)
        pending = CallEvent(
            step=call.step, tool=call.tool, arguments=readable, raw=call.raw, error=call.error
        )
        here = self.state.run is not None and self.state.run.id == run.id
        if here:
            self.change(why_paused=call.why)
        self.desk.put_run(run, under_way=True, pending=pending)
        if not here:
            self.tell(f"the run under way waits before step {call.step}: o goes to it")

    def _heard_resume(self, run: Run) -> None:
        if self.live is not None and run.id == self.live.run_id:
            self.change(why_paused=())
            self.desk.put_run(run, under_way=True)

    def _ended(self, run: Run) -> None:
        self._put_away()
        fresh = self.desk.run(run.id) is None
        self.desk.put_run(run)
        if fresh:
            self._follow(run)
        if self.state.notice in (STARTING, STOPPING):
            self.tell("")
        self.touched()

    def _not_run(self, live: UnderWay, error: Exception) -> None:
        self._put_away()
        begun = self.desk.run(live.run_id)
        if begun is not None:
            self.desk.put_run(begun)
        self.tell(f"not run: {shown(str(error) or type(error).__name__, 300)}")

    def _put_away(self) -> None:
        self.live = None
        if self._tick is not None:
            self._tick.stop()
            self._tick = None
        self.change(why_paused=(), seconds=None)

    def _count_seconds(self) -> None:
        if self.state.seconds is not None and self.live is not None and self.live.paused is None:
            self.change(seconds=self.state.seconds + 1)

    def touched(self) -> None:
        super().touched()
        if self.live is not None:
            self.live.breakpoints = self._breakpoints_of(self.live.problem, self.live.variant.id)

    def stop_all(self) -> None:
        if self.live is not None:
            self.live.stop()
        super().stop_all()

    def on_unmount(self) -> None:
        if self.live is not None:
            self.live.stop()
        super().on_unmount()
