"""Runs from the debug screen: again, forked, and live, where each call can be looked at before it is done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from planscope.errors import UserError
from planscope.session.events import CallEvent
from planscope.tui import words
from planscope.tui.desk import Desk
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.doors import Doors
from planscope.tui.state import RoomState
from planscope.tui.under_way import ForkChoice, Heard, RunChoice, UnderWay

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Verb
    from planscope.session.events import Event
    from planscope.session.model import Run

RESERVED = "run"
"""The job that a run is. One at a time is run from this screen."""

STARTING, STOPPING = "starting the run…", "stopping…"


class Running(Doors):
    """``live`` is the run under way, ``asked_to_run`` what the command line wants run as soon as all is read."""

    asked_to_run: Mapping[str, Any] | None = None

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
        """As the last time, else as the run that is looked at. No code is imported because a file names it."""
        from planscope.agents.paradigms import AGENTS

        if self.last_choice is not None:
            return self.last_choice
        run = self.desk.run(self.state.run.id) if self.state.run is not None else None
        if run is None:
            return RunChoice()
        agent = run.agent if run.agent in AGENTS else "tools"
        return RunChoice(agent=agent, model=run.model, seed=run.seed)

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
        from planscope.session.edit import next_run_id

        variant = self.desk.variant(variant_id)
        if self._busy() or variant is None:
            return
        try:
            problem = problem_of(variant)
        except UserError:
            problem = None  # it can be run all the same; no breakpoint but a step will stop it
        self.last_choice = choice
        live = self.live = UnderWay(
            variant,
            choice,
            next_run_id(self.desk.open_session),
            asyncio.get_running_loop(),
            Heard(self._heard_event, self._heard_pause, self._heard_resume),
            problem=problem,
            breakpoints=self.state.breakpoints,
            fork=fork,
        )
        self.tell(STARTING)
        self.jobs.start(
            RESERVED, live.work, self._ended, lambda error: self._not_run(live, error), interrupt=live.stop
        )
        self._tick = self.set_interval(1.0, self._count_seconds)

    # What is heard of it

    def _heard_event(self, run: Run, event: Event) -> None:
        if self.live is None or run.id != self.live.run_id:
            return
        fresh = self.desk.run(run.id) is None
        self.desk.put_run(run, under_way=True)
        if fresh:
            self.change(seconds=0)
            self.open_run_number(len(self.state.session.runs) - 1)
            self.tell("")

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
            self.open_run_number(len(self.state.session.runs) - 1)
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

    # What is said to it

    def waiting(self) -> PendingCall | None:
        """The call that waits for a decision, where one stands at it."""
        return self.live.paused if self.live is not None and self.state.at_pending else None

    def decide(self, verb: Verb, *, stepping: bool) -> None:
        if self.live is None or not self.live.decide(verb, stepping=stepping):
            self.tell("no call is waiting")

    def action_next_call(self) -> None:
        if self.waiting() is None:
            super().action_next_call()
            return
        from planscope.agents.gate import GoOn

        self.decide(GoOn(), stepping=True)

    def action_continue(self) -> None:
        if self.waiting() is None:
            super().action_continue()
            return
        from planscope.agents.gate import GoOn

        self.decide(GoOn(), stepping=False)

    def action_pause_run(self) -> None:
        if self.live is None:
            self.tell("no run is under way: r runs the request")
        elif self.live.paused is not None:
            self.tell("it waits already: n does the call, c goes on")
        else:
            self.live.pause_soon()
            self.tell("it will pause before its next call")

    def action_stop_run(self) -> None:
        if self.live is None:
            self.tell("no run is under way")
        else:
            self.live.stop()
            self.tell(STOPPING)

    def action_edit_arguments(self) -> None:
        call = self._waiting_call()
        if call is None:
            return
        from planscope.agents.gate import EditArguments
        from planscope.tui.dialogs.ask import AskDialog

        def check(text: str) -> str | None:
            try:
                read = json.loads(text)
            except (ValueError, RecursionError) as error:
                return f"not JSON: {error}"
            return None if isinstance(read, dict) else 'arguments are an object, such as {"start_time": 8}'

        def go(text: str | None) -> None:
            if text is not None:
                self.decide(EditArguments(json.loads(text)), stepping=True)

        self._ask(
            AskDialog(
                self.paint,
                f"Arguments of step {call.step}",
                "JSON. The call is done with these; the record keeps what the agent asked for, too.",
                check,
                value=json.dumps(dict(call.arguments), ensure_ascii=False, default=str),
                before=(f"{words.call(call.tool, call.arguments, named=True)} waits.",),
            ),
            go,
        )

    def action_edit_answer(self) -> None:
        from planscope.agents.gate import EditAnswer

        self._ask_text(
            "Answer to step {step}",
            "The call is done, and the agent is told this; the record keeps what the tool said, too.",
            lambda call: call.answer or "",
            EditAnswer,
        )

    def action_refuse_call(self) -> None:
        from planscope.agents.gate import Refuse

        self._ask_text(
            "Refuse step {step}",
            "The call is kept from its tool, and the agent is told this.",
            lambda call: "This call was refused. Think again about what has to be done before it.",
            Refuse,
        )

    def _ask_text(self, title: str, hint: str, value: Any, verb: Any) -> None:
        call = self._waiting_call()
        if call is None:
            return
        from planscope.tui.dialogs.ask import AskDialog

        def go(text: str | None) -> None:
            if text is not None:
                self.decide(verb(text), stepping=True)

        dialog = AskDialog(
            self.paint,
            title.format(step=call.step),
            hint,
            lambda text: None if text.strip() else "say something",
            value=value(call),
            before=(f"{words.call(call.tool, call.arguments, named=True)} waits.",),
        )
        self._ask(dialog, go)

    def _ask(self, dialog: Any, go: Any) -> None:
        self.app.push_screen(dialog, go)

    def _waiting_call(self) -> PendingCall | None:
        call = self.waiting()
        if call is None:
            self.tell("no call waits here" if self.live is not None else "no run is under way")
        return call

    def touched(self) -> None:
        super().touched()
        if self.live is not None:
            self.live.set_breakpoints(self.state.breakpoints)

    def on_unmount(self) -> None:
        if self.live is not None:
            self.live.stop()
        super().on_unmount()
