"""What is said to a run under way: do the call that waits, change it, refuse it, pause, stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planscope.debugger.errors import DebuggerError
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.tui import words
from planscope.tui.rooms.running import STOPPING, Running

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Verb


class Deciding(Running):
    def waiting(self) -> PendingCall | None:
        """The call that waits for a decision, where one stands at it."""
        return self.live.paused if self.live is not None and self.state.at_pending else None

    def decide(self, verb: Verb, *, stepping: bool) -> None:
        taken = self.live is not None and self.live.decide(verb, stepping=stepping)
        self.tell("" if taken else "no call is waiting")

    @property
    def following(self) -> bool:
        """Whether one stands at the end of the run under way, while it goes on."""
        run, live = self.state.run, self.live
        mine = live is not None and run is not None and run.id == live.run_id
        return mine and not self.state.at_pending and self.state.debug.index == self.state.debug.run.last

    def action_next_call(self) -> None:
        if self.waiting() is not None:
            from planscope.agents.gate import GoOn

            self.decide(GoOn(), stepping=True)
        elif self.following:
            self.tell("the agent is at it: P pauses it before its next call")
        else:
            super().action_next_call()

    def action_continue(self) -> None:
        if self.waiting() is not None:
            from planscope.agents.gate import GoOn

            self.decide(GoOn(), stepping=False)
        elif self.following and self.live is not None:
            self.live.stepping = False
            self.tell("it goes on to the next breakpoint; P pauses it before its next call")
        else:
            super().action_continue()

    def action_pause_run(self) -> None:
        if self.live is None:
            self.tell("no run is under way: r runs the request")
        elif self.live.paused is not None:
            self.tell("it waits already: n does the call, c goes on")
        else:
            self.live.stepping = True
            self.tell("it will pause before its next call")

    def action_stop_run(self) -> None:
        if self.live is None:
            self.tell("no run is under way")
        else:
            self.live.stop()
            self.tell(STOPPING)

    def action_edit_arguments(self) -> None:
        from planscope.agents.gate import EditArguments, GoOn

        call = self._waiting_call()
        if call is None:
            return
        was = json_of(call.arguments)

        def read(text: str) -> Verb:
            return GoOn() if text == was else EditArguments(arguments_of(text))

        self._ask(
            call,
            "Arguments of step {step}",
            "JSON. The call is done with these; the record keeps what the agent asked for, too.",
            was,
            read,
        )

    def action_edit_answer(self) -> None:
        from planscope.agents.gate import EditAnswer, GoOn

        call = self._waiting_call()
        if call is None:
            return
        was = line_of(call.answer) if call.answer is not None else ""

        def read(text: str) -> Verb:
            return GoOn() if was and text == was else EditAnswer(_said(text))

        self._ask(
            call,
            "Answer to step {step}",
            "The call is done, and the agent is told this; the record keeps what the tool said, too.",
            was,
            read,
        )

    def action_refuse_call(self) -> None:
        from planscope.agents.gate import Refuse

        call = self._waiting_call()
        if call is None:
            return
        self._ask(
            call,
            "Refuse step {step}",
            "The call is kept from its tool, and the agent is told this.",
            "Think again about what has to be done before it.",
            lambda text: Refuse(_said(text)),
        )

    def _ask(self, call: PendingCall, title: str, hint: str, value: str, read: Callable[[str], Verb]) -> None:
        """Ask for a line; what is read from it becomes of the call, unless that is gone by then."""
        from planscope.tui.dialogs.ask import AskDialog

        def check(text: str) -> str | None:
            try:
                read(text)
            except DebuggerError as error:
                return str(error)
            return None

        def go(text: str | None) -> None:
            live = self.live
            if text is None:
                return
            if live is None or live.paused is not call:
                self.tell("that call does not wait any more")
            else:
                self.decide(read(text), stepping=True)

        self.app.push_screen(
            AskDialog(
                self.paint,
                title.format(step=call.step),
                f"{hint} Enter takes it, Esc leaves all as it is.",
                check,
                value=value,
                before=(f"{words.call(call.tool, call.arguments, named=True)} waits.",),
            ),
            go,
        )

    def _waiting_call(self) -> PendingCall | None:
        call = self.waiting()
        if call is None:
            self.tell(self._nothing_waits())
        elif call.error is not None:
            self.tell("this call cannot be read and reaches no tool: n tells the agent so")
            return None
        return call

    def _nothing_waits(self) -> str:
        if self.live is None:
            return "no run is under way: r runs the request"
        if self.live.paused is None:
            return "no call waits: P pauses the run before its next one"
        return f"the call that waits is step {self.live.paused.step}: G goes to it"


def _said(line: str) -> str:
    """What is to be told to the agent. Raises DebuggerError."""
    if not line.strip():
        raise DebuggerError("say something")
    return text_of(line)
