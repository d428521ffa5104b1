"""Decides what the keys n, c, Enter and Esc mean in a recorded run, in a live run, and in what-if play.

Keys whose meaning depends on the mode are handled only here. A mode has no state: it is chosen at each key, by the
state of the controllers.
"""

from __future__ import annotations

from typing import Protocol

from planscope.debugger import cursor
from planscope.debugger.errors import DebuggerError
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for
from planscope.tui.view import DebugView


class Stage(Protocol):
    """The part of the debug screen that modes use."""

    work: Workspace

    @property
    def view(self) -> DebugView: ...
    def tell(self, notice: str) -> None: ...
    def step_to(self, debug: cursor.DebugState, nowhere: str) -> None: ...
    def go_on(self, *, back: bool) -> None: ...
    def open_selected(self) -> None: ...
    def deselect(self) -> None: ...
    def show_play(self) -> None: ...
    def end_play(self) -> None: ...
    def action_answer_call(self) -> None: ...
    @property
    def nothing_after(self) -> str: ...


class Replay:
    """The mode for a recorded run, or a query without one."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def next(self) -> None:
        """Go to the next call."""
        self.stage.step_to(cursor.next_call(self.stage.view.debug), self.stage.nothing_after)

    def go_on(self) -> None:
        """Go to the next breakpoint or violation."""
        self.stage.go_on(back=False)

    def enter(self) -> None:
        """Go to a step that is linked with the selection."""
        self.stage.open_selected()

    def escape(self) -> None:
        self.stage.deselect()


class Live(Replay):
    """The mode at the end of a live run: at the paused call, or waiting for the agent."""

    def next(self) -> None:
        from planscope.agents.gate import GoOn

        if self._asked(stepping=True):
            return
        if self._dry():
            self.stage.action_answer_call()
        elif self.stage.work.live.only_watched:
            self.stage.tell(self.stage.work.live.only_watched)
        elif self.stage.work.live.paused is None:
            self.stage.tell(f"the agent is working: {key_for('pause-run')} pauses before its next call")
        else:
            decide(self.stage, GoOn(), stepping=True)

    def go_on(self) -> None:
        from planscope.agents.gate import GoOn

        live = self.stage.work.live
        if self._asked(stepping=False):
            return
        if self._dry():
            self.stage.action_answer_call()
        elif live.only_watched:
            self.stage.tell(live.only_watched)
        elif live.paused is not None:
            decide(self.stage, GoOn(), stepping=False)
        else:
            live.pause_before(next_call=False)
            self.stage.tell(
                f"running to the next breakpoint; {key_for('pause-run')} pauses before the next call"
            )

    def _asked(self, *, stepping: bool) -> bool:
        """Approve the call that the interrupted agent asks about, or say how to answer. Return False if it does not
        ask."""
        from planscope.agents.gate import GoOn

        question = self.stage.work.live.question
        if question is None:
            return False
        if question.tool is None:
            self.stage.tell(f"the agent asks you something: {key_for('answer-call')} answers")
        elif wrong := question.refuses(GoOn()):
            self.stage.tell(wrong)
        else:
            decide(self.stage, GoOn(), stepping=stepping)
        return True

    def _dry(self) -> bool:
        """Whether a call is paused whose tool must not be called: the user answers in its place."""
        live = self.stage.work.live
        return live.paused is not None and live.own is not None and live.own.dry


class WhatIf(Replay):
    """The mode in which the user plays the next calls."""

    def enter(self) -> None:
        """Play the chosen call."""
        if self.stage.view.pane != "step":
            super().enter()
            return
        try:
            self.stage.work.what_if.take()
        except DebuggerError as error:
            self.stage.tell(str(error))
        else:
            self.stage.show_play()

    def escape(self) -> None:
        if self.stage.view.zoomed:
            super().escape()
            return
        play = self.stage.view.play
        self.stage.end_play()
        kept = play is not None and play.played.calls
        self.stage.tell("the played calls were discarded; K would have kept them" if kept else "")


def mode_of(stage: Stage) -> Replay:
    """Return the mode that the screen is in."""
    view, live = stage.view, stage.work.live
    if view.play is not None:
        return WhatIf(stage)
    run = view.run
    mine = live.at_work and run is not None and run.id == live.run_id
    if mine and (view.at_pending or (live.paused is None and view.debug.index == view.debug.run.last)):
        return Live(stage)
    return Replay(stage)


def decide(stage: Stage, verb: object, *, stepping: bool) -> None:
    """Send the user's decision about the paused call, or about what the interrupted agent asks."""
    taken = stage.work.live.decide(verb, stepping=stepping)  # type: ignore[arg-type]  # one of the gate's verbs
    stage.tell("" if taken else "that call is no longer paused")
