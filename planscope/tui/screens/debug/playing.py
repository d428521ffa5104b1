"""What-if play: the user plays the next calls."""

from __future__ import annotations

from planscope.debugger import cursor
from planscope.debugger.errors import DebuggerError
from planscope.tui.app_screen import flow
from planscope.tui.controllers.what_if import Origin
from planscope.tui.keys import key_for
from planscope.tui.messages import OptionChosen
from planscope.tui.screens.debug.rules import undo_rules
from planscope.tui.screens.debug.stage import Stage

_NO_CALL = "no call was played yet"


def play(stage: Stage) -> None:
    """Begin to play at this step, or go to the pane of options."""
    view, work = stage.view, stage.work
    if view.play is not None:
        work.layout.show("step")
        stage.laid_out()
    elif view.progress == "unreadable":
        stage.tell(f"the query cannot be read, so nothing can be played: {key_for('edit')} edits it")
    elif view.progress != "judged" or work.document.session is None or view.variant is None:
        stage.tell("not judged yet")
    elif view.run is not None and view.run.under_way:
        edits = f"{key_for('edit-arguments')} edits the paused call"
        stage.tell(f"this run is in progress: {key_for('stop-run')} stops it, {edits}")
    else:
        work.what_if.begin(view.debug.run.replay, Origin(*view.key, view.debug.index), work.live.run_id)
        _show(stage)
        stage.tell("what if: ↑ ↓ choose the next call")


def _show(stage: Stage) -> None:
    """Display the changed play."""
    work = stage.work
    playing = work.what_if.play
    assert playing is not None
    work.layout.play(True)
    work.layout.turn_to("step")
    stage.laid_out(play=playing, why_paused=())
    if stage.view.key[1] != playing.run_id:
        run = work.document.run(playing.run_id)
        assert run is not None
        stage.look_at(run.variant, playing.run_id)


def take(stage: Stage) -> None:
    """Play the chosen call."""
    try:
        stage.work.what_if.take()
    except DebuggerError as error:
        stage.tell(str(error))
    else:
        _show(stage)


def leave(stage: Stage) -> None:
    """End the play, and go back to the run where it began."""
    playing, origin = stage.view.play, stage.work.what_if.origin
    stage.look_at(origin.variant, origin.run)
    stage.move(cursor.go_to(stage.view.debug, origin.index))
    kept = playing is not None and playing.played.calls
    stage.tell("the played calls were discarded; K would have kept them" if kept else "")


def option_chosen(stage: Stage, message: OptionChosen) -> None:
    """Choose the option that was clicked, or pointed at in the pane."""
    if stage.view.play is None:
        return
    stage.work.what_if.choose(message.at)
    stage.work.layout.turn_to("step")
    stage.laid_out(play=stage.work.what_if.play)
    if message.taken:
        take(stage)


def change_hour(stage: Stage, by: str) -> None:
    if stage.work.what_if.change_values(int(by)):
        stage.change(play=stage.work.what_if.play, notice="")
    elif stage.view.play is not None:
        stage.tell("there is nothing else to choose for this call")
    else:
        stage.tell(f"hours and arguments can be chosen while you play: {key_for('play')} plays")


@flow
async def edit(stage: Stage, row: str) -> None:
    """Ask for the arguments and the answer of the chosen call. ``row``: the one to begin with."""
    from planscope.tui.dialogs.forms import played_form

    playing = stage.view.play
    option = playing.chosen if playing is not None else None
    if playing is None or option is None or option.way is None:
        timed = stage.view.debug.run.problem.timed
        hours = f": {key_for('later-hour')} and {key_for('earlier-hour')} change the hour"
        stage.tell(f"no rule looks at arguments or answers here{hours if timed else ''}")
        return
    way = await stage.answer(played_form(playing, row))
    if way is not None and stage.view.play is playing:
        stage.work.what_if.set_way(way)
        stage.change(play=stage.work.what_if.play, notice="")


def take_back(stage: Stage) -> None:
    playing = stage.view.play
    if playing is None:
        undo_rules(stage)
    elif not playing.played.calls:
        stage.tell(_NO_CALL)
    else:
        stage.work.what_if.undo()
        _show(stage)


def keep_play(stage: Stage) -> None:
    """Save the played calls as a run of the session."""
    playing = stage.view.play
    if playing is None:
        stage.tell(f"not in what-if play: {key_for('play')} starts it")
    elif not playing.played.calls:
        stage.tell(_NO_CALL)
    else:
        stage.work.judge.forget(playing.run_id)
        run = stage.work.what_if.keep()
        stage.work.layout.play(False)
        stage.change(play=None)
        stage.look_at(run.variant, run.id)
        stage.tell(f"kept as run {run.id}")
