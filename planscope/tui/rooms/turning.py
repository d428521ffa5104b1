"""From one session to another: what is under way is stopped, what was done is saved, and all begins anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.tui.desk import Desk
from planscope.tui.glance import glance_of
from planscope.tui.judging import Opened
from planscope.tui.lines import shown
from planscope.tui.rooms.asking import Asking
from planscope.tui.saving import Saver

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery
    from planscope.tui.under_way import RunChoice

PATIENCE = 3.0
"""Seconds that a run is given to end when it was told to."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A session to turn to: loaded, with its desk and with who keeps its file."""

    path: Path
    opened: Opened
    desk: Desk
    saver: Saver | None
    notice: str = ""


class Turning(Asking):
    """``turn_to`` shows another session; the application gives it."""

    turn_to: Callable[[Turn], Awaitable[None]]
    last_choice: RunChoice | None
    drafts: dict[Any, Any]
    _leaving = False

    @property
    def under_way(self) -> str:
        """What would have to be stopped, in a word; empty where nothing is."""
        return "run" if self.jobs.running("run") else "dissection" if self.jobs.running("dissect") else ""

    def stop_all(self) -> None:
        """Stop what is under way; what came of it stays."""
        raise NotImplementedError

    def take_over(self, old: Turning) -> None:
        """What belongs to the user, not to the session, stays in the next room."""
        self.drafts = old.drafts
        self.last_choice = old.last_choice

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While this session is left, nothing else is begun in it: that would be lost."""
        return super().check_action(action, parameters) if not self._leaving or action == "quit" else False

    def leave_for(self, turn: Turn) -> None:
        """Turn to another session, once what was done in this one is saved."""
        self._leaving = True
        self.tell("what was done here is saved…")
        self.run_worker(self._leave(turn), exit_on_error=False)

    async def _leave(self, turn: Turn) -> None:
        try:
            trouble = await self.leave()
        except BaseException:  # planscope itself is left meanwhile
            if turn.saver is not None:
                turn.saver.close()
            raise
        finally:
            self._leaving = False
        if not trouble:
            await self._turn(turn)
            return
        from planscope.tui.dialogs.recover import AskingDialog

        def done(answer: int | None) -> None:
            if answer == 1:
                self.run_worker(self._turn(turn), exit_on_error=False)
            elif turn.saver is not None:
                turn.saver.close()

        said = [(f"What you did here could not be saved: {shown(trouble, 600)}", "broken")]
        choices = ("Stay here", "Open the other session all the same")
        self.app.push_screen(AskingDialog(self.paint, "Not saved", said, choices), done)

    async def leave(self) -> str:
        """Stop what is under way and save; why it could not be saved, in one line, or nothing."""
        if self.under_way:
            self.stop_all()
            waited = 0.0
            while self.under_way and waited < PATIENCE:
                await asyncio.sleep(0.02)
                waited += 0.02
        self.touched()
        return await self.saver.flush() if self.saver is not None else ""

    async def _turn(self, turn: Turn) -> None:
        """The application's own task does it, since this room's end with the room."""
        self.app.call_later(self.turn_to, turn)

    def restore(self, session: Session, found: Recovery) -> None:
        """A recovered session in the place of the open one; into a copy where that was changed since."""
        path, keeper = self.state.path, None
        assert path is not None
        if self.saver is not None:
            keeper = self.saver.give_up_keeper()
        if keeper is not None and found.outdated:
            keeper.go_elsewhere()
        desk = Desk(path)
        saver = Saver(desk, keeper)
        saver.after = found.discard
        seen = glance_of(session.model_dump(mode="json"))
        turn = Turn(path, Opened(session, seen, changed=True), desk, saver, "restored, and saved")
        self.app.call_later(self.turn_to, turn)
