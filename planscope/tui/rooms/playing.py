"""What if: from any step on the user plays the next calls, and the oracle answers at each.

What is played is shown as a run of the session that passes: all panes follow it, and nothing of it is saved until it
is kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on

from planscope.debugger import cursor
from planscope.debugger.errors import DebuggerError
from planscope.session.events import EndEvent
from planscope.tui.messages import OptionChosen
from planscope.tui.rooms.deciding import Deciding
from planscope.tui.state import Play

if TYPE_CHECKING:
    from planscope.debugger.played import Played
    from planscope.session.model import Run

LAST_HOUR = 47
"""The largest hour that can be tried; 23 is the last that is allowed."""


class Playing(Deciding):
    """``_before`` is the number of the run that one came from and the place there."""

    _before: tuple[int | None, int] = (None, 0)
    _source: Run | None = None

    def action_play(self) -> None:
        """Begin to play at this step, or turn to the options."""
        from planscope.debugger.played import begin

        state = self.state
        if state.play is not None:
            self.action_show_pane("step")
            return
        if state.progress == "unreadable":
            self.tell("the request cannot be read, so nothing can be played: e mends it")
            return
        if state.progress != "judged" or self.desk.session is None:
            self.tell("not judged yet")
            return
        if state.run is not None and state.run.under_way:
            self.tell("this run is under way: X stops it, or a edits the call that waits")
            return
        index = min(state.debug.index, len(state.run.calls) if state.run is not None else 0)
        self._before = (state.run_number, state.debug.index)
        self._source = self.desk.run(state.run.id) if state.run is not None else None
        self._play_on(begin(state.debug.run.replay, index))
        self.tell("what if: ↑ ↓ choose the next call")

    def _play_on(self, played: Played) -> None:
        """Show what was played so far, and what could come next."""
        from planscope.debugger.played import options

        before = self.state.play
        run = self._made(played)
        if before is not None:
            run = run.model_copy(update={"id": before.run_id})
        going = [event for event in run.events if not isinstance(event, EndEvent)]
        offered = options(played)
        at = next((i for i, option in enumerate(offered) if option.safe and not option.again), 0)
        self.change(play=Play(run.id, played, offered, at), pane="step", why_paused=(), notice="")
        self.desk.put_run(run.model_copy(update={"events": going}), under_way=True, passing=True)
        if before is None:
            self.open_run_number(len(self.state.session.runs) - 1)
            self.lay_out()
            self.show_state()

    def _made(self, played: Played) -> Run:
        from planscope.session.new_parts import next_run_id
        from planscope.session.played_run import as_run

        session = self.desk.open_session
        variant = self.desk.variant(self.state.variant.id) if self.state.variant is not None else None
        run = as_run(session, self._source, played, variant=variant)
        coming = () if self.live is None else (self.live.run_id,)  # it may have nothing to show yet
        return run.model_copy(update={"id": next_run_id(session, coming)})

    def action_open_selected(self) -> None:
        if self.state.play is not None and self.state.pane == "step":
            self._take()
        else:
            super().action_open_selected()

    @on(OptionChosen)
    def _option_chosen(self, message: OptionChosen) -> None:
        play = self.state.play
        if play is None:
            return
        self.change(play=replace(play, at=message.at, start=None), pane="step", notice="")
        if message.taken:
            self._take()

    def _take(self) -> None:
        """Play the chosen call."""
        from planscope.debugger.played import play as play_call

        play = self.state.play
        if play is None or play.chosen is None:
            return
        try:
            self._play_on(play_call(play.played, play.chosen.action, play.start))
        except DebuggerError as error:
            self.tell(str(error))

    def action_later_hour(self) -> None:
        self._change_hour(1)

    def action_earlier_hour(self) -> None:
        self._change_hour(-1)

    def _change_hour(self, by: int) -> None:
        from planscope.debugger.played import outcome

        play = self.state.play
        if play is None or play.chosen is None or not play.played.problem.timed:
            self.tell("hours are chosen while a timed request is played: p plays")
            return
        option = play.chosen
        hour = min(max((play.start if play.start is not None else option.start or 0) + by, 0), LAST_HOUR)
        then = outcome(play.played, option.action, hour)
        changed = replace(option, becomes=then.state, breaks=then.breaks)
        offered = (*play.options[: play.at], changed, *play.options[play.at + 1 :])
        self.change(play=replace(play, options=offered, start=hour), notice="")

    def action_take_back(self) -> None:
        from planscope.debugger.played import undo

        play = self.state.play
        if play is None:
            self.tell("nothing is played: p plays")
        elif not play.played.calls:
            self.tell("nothing was played yet")
        else:
            self._play_on(undo(play.played))

    def action_keep_play(self) -> None:
        """Make a run of the session of what was played."""

        play = self.state.play
        if play is None:
            self.tell("nothing is played: p plays")
            return
        if not play.played.calls:
            self.tell("nothing was played yet")
            return
        self._end_play()
        run = self._made(play.played)
        self.desk.put_run(run)
        self.touched()
        self.open_run_number(len(self.state.session.runs) - 1)
        self.tell(f"kept as run {run.id}")

    def _end_play(self) -> None:
        """Back to the run that one came from; what was played is taken off the desk."""
        play = self.state.play
        if play is None:
            return
        self.change(play=None)
        self.open_run_number(self._before[0])
        self._judged.pop(play.run_id, None)
        self.facts = {place: facts for place, facts in self.facts.items() if place[0] != play.run_id}
        self.desk.drop_run(play.run_id)
        self.lay_out()

    def _look_at(self, number: int | None, bare: str = "") -> None:
        """Another run or request ends the play."""
        play, wanted = self.state.play, None if number is None else self.state.session.runs[number].id
        if play is not None and wanted != play.run_id:
            self._end_play()  # what was played may have stood before the run that is wanted
            numbers = {run.id: i for i, run in enumerate(self.state.session.runs)}
            number = numbers[wanted] if wanted is not None else None
        super()._look_at(number, bare)

    def action_deselect(self) -> None:
        play = self.state.play
        if play is None or self.state.zoomed:
            super().action_deselect()
            return
        index = self._before[1]
        self._end_play()
        self.move(cursor.go_to(self.state.debug, index))
        self.tell("what was played is gone; K would have kept it" if play.played.calls else "")
