"""What is said to a run under way: do the call that waits, change it, refuse it, pause, stop."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from planscope.tui import words
from planscope.tui.rooms.running import STOPPING, Running

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Verb


class Deciding(Running):
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
                value=json.dumps(
                    dict(call.arguments), default=str
                ),  # escaped, so that nothing is lost in an input line
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
