"""What the keys of the debug screen do, without an application: verbs on a fake stage, in milliseconds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from planscope.debugger.breakpoints import StepBreak
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.model import Session
from planscope.session.traces import session_of
from planscope.tui.actions import ACTIONS
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.messages import LiveChanged, OptionChosen
from planscope.tui.screens.debug import (
    arranging,
    deciding,
    doors,
    marking,
    modes,
    navigate,
    opening,
    playing,
    rules,
    running,
)
from planscope.tui.screens.debug.stage import show_run
from planscope.tui.screens.debug.verbs import entries, verb_of
from tests.tui import sessions
from tests.tui.stage import FakeStage


def test_the_table_names_a_function_for_each_key_of_the_debug_screen() -> None:
    mine = [action for action in ACTIONS if action.where == "debug"]
    assert all(verb_of(action).__module__.startswith("planscope.tui.screens.debug.") for action in mine)
    shared = {(verb_of(action), action.parameter) for action in mine}
    assert len(shared) == len(mine), "two keys do the same"


@pytest.mark.parametrize("session", [None, sessions.no_run(), sessions.figure_10(), sessions.unreadable()])
def test_every_verb_answers_wherever_it_is_called(session: Session | None) -> None:
    for action in ACTIONS:
        if action.where != "debug":
            continue
        stage = FakeStage(session)
        before = stage.view
        verb_of(action)(stage, *([action.parameter] if action.parameter is not None else []))
        answered = stage.view is not before or stage.asked or stage.app.pushed or stage.app.copied
        assert answered, action.id


# Moving


def test_calls_and_checks_are_gone_through_and_both_ends_say_so() -> None:
    stage = FakeStage(sessions.figure_10(), "r2")
    navigate.go(stage, "next_call")
    assert stage.view.debug.index == 1
    navigate.go(stage, "go_end")
    navigate.go(stage, "next_call")
    assert stage.told == "this is the end of the run"
    navigate.go(stage, "go_start")
    navigate.go(stage, "previous_check")
    assert stage.told == "this is the start of the run" and stage.view.debug.index == 0


def test_without_a_run_the_end_names_the_key_that_runs_the_query() -> None:
    stage = FakeStage(sessions.no_run())
    navigate.go(stage, "next_call")
    assert stage.told == "not run yet; press r"
    stage = FakeStage()
    navigate.go(stage, "next_call")
    assert stage.told == "no session is open"


def test_the_first_violation_is_gone_to_or_said_not_to_be() -> None:
    stage = FakeStage(sessions.figure_10(), "r2", 3)
    navigate.first_violation(stage)
    assert stage.view.debug.index == 1
    stage = FakeStage(sessions.figure_10(), "r1")
    navigate.first_violation(stage)
    assert stage.told == "no call failed; nothing is violated in this run"


def test_where_nothing_is_violated_the_failed_calls_are_gone_to() -> None:
    failed = ToolCall("look", {}, answer="no such order", answered=True, failed=True)
    session = session_of([Trace([ToolCall("look", {}), failed, ToolCall("look", {}), failed])])
    add_rules(session, "cancel never happens.")
    stage, seen = FakeStage(session, session.runs[0].id), []
    for _ in range(3):
        navigate.first_violation(stage)
        seen.append(stage.view.debug.index)
    assert seen == [2, 4, 2]


def test_go_to_step_takes_a_step_of_this_run_alone() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    stage.answers = ["2"]
    navigate.go_to_step(stage)
    assert stage.view.debug.step == 2 and "a step from 0 to 3" in stage.asked[0].keys_named
    assert navigate.wrong(int, "3") is None


def test_a_search_goes_through_its_hits_and_says_where_they_are() -> None:
    stage = FakeStage(sessions.out_of_order(), "r1")
    navigate.hit(stage, "next_hit")
    assert stage.told == "no search yet: press /"
    stage.answers = ["disk check"]
    navigate.search(stage)
    assert stage.told.startswith("1 of ") and "h next, H previous" in stage.told
    places = set()
    for _ in range(40):
        navigate.hit(stage, "next_hit")
        places.add(stage.told.partition("in ")[2])
    assert {"the query", "a constraint"} <= places and "a answer" not in places


def test_continue_stops_at_breakpoints_and_says_why() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    navigate.go(stage, "go_end")
    modes.go_on(stage)
    assert stage.told == "no stop in that direction"
    navigate.go(stage, "go_start")
    navigate.go(stage, "next_call")
    navigate.go(stage, "next_call")
    marking.toggle_breakpoint(stage)
    assert stage.told == "breakpoint set: step 2" and stage.view.breakpoints == (StepBreak(2),)
    assert stage.work.document.open_session.breakpoints == ["step 2"]
    navigate.go(stage, "go_start")
    modes.go_on(stage)
    assert stage.view.debug.step == 2 and stage.told.startswith("stopped: ")
    marking.toggle_breakpoint(stage)
    assert stage.told == "breakpoint cleared: step 2" and not stage.work.document.open_session.breakpoints


# Panes


def test_panes_are_shown_zoomed_and_hidden() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    arranging.show_pane(stage, "tree")
    assert (stage.view.pane, stage.view.top) == ("tree", "tree")
    arranging.zoom(stage)
    assert stage.view.zoomed
    modes.escape(stage)
    assert not stage.view.zoomed
    arranging.hide_pane(stage)
    assert stage.told == "tree hidden: 2 shows it again" and stage.view.pane == "constraints"
    arranging.next_pane(stage, "-1")
    assert stage.view.pane == "query"


def test_pictures_take_turns_in_the_trees_pane() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    seen = []
    for _ in range(3):
        arranging.picture(stage)
        seen.append(stage.view.picture)
    assert seen == ["order", "hours", "tree"]
    stage = FakeStage(sessions.unreadable(), "r1")
    arranging.picture(stage)
    assert stage.told == "there is no plan to draw: the query is not read"


def test_the_command_of_a_key_is_copied() -> None:
    stage = FakeStage(sessions.figure_10(), "r2", 1)
    arranging.copy_command(stage)
    assert stage.app.copied == ["planscope open SESSION --run r2 --step 1"]


# Running and deciding


def test_a_run_begins_with_the_options_that_were_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    began: list[tuple[Any, ...]] = []
    monkeypatch.setattr(stage.work.live, "start", lambda *given: began.append(given) or True)
    stage.answers = [RunChoice(model="sim:careful")]
    running.rerun(stage)
    (variant, choice, _, fork) = began[0]
    assert (variant.id, choice, fork) == ("v1", RunChoice(model="sim:careful"), None)
    assert stage.told == "starting the run… X stops it" and "planscope run SESSION" in stage.view.command


def test_keys_of_a_live_run_say_that_there_is_none() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    for verb in (running.pause_run, deciding.edit_arguments, deciding.edit_answer, deciding.refuse_call):
        verb(stage)
        assert stage.told == "no run is in progress: r runs the query"
    running.stop_run(stage)
    assert stage.told == "no run is in progress"


def test_what_is_heard_of_a_run_is_told() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    running.live_changed(stage, LiveChanged("began", "r2"))
    assert stage.view.run is not None and stage.view.run.id == "r2" and stage.view.followed == "r2"
    running.live_changed(stage, LiveChanged("asks", "r1"))
    assert stage.told == "the running agent asks you something: o opens it"
    running.live_changed(stage, LiveChanged("failed", "r2", "no \x1b[31mkey"))
    assert stage.told.startswith("not run: no ") and "\x1b" not in stage.told
    assert stage.view.seconds is None


def test_the_paused_call_takes_the_typed_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.agents.gate import EditArguments, GoOn, PendingCall, Refuse

    stage = FakeStage(sessions.figure_10(), "r1")
    call = PendingCall(4, "sanitizing_tools", {"start_time": 9})
    decided: list[Any] = []
    live = SimpleNamespace(
        at_work=True, only_watched="", paused=call, question=None, own=None, attached=None, run_id="r1"
    )
    live.decide = lambda verb, stepping: decided.append((verb, stepping)) or True
    monkeypatch.setattr(deciding, "_waits_here", lambda stage: live.paused)
    stage.work = SimpleNamespace(live=live)
    stage.answers = ['{"start_time": 18}', '{"start_time": 9}', "Not yet."]
    deciding.edit_arguments(stage)
    deciding.edit_arguments(stage)
    deciding.refuse_call(stage)
    assert decided == [
        (EditArguments({"start_time": 18}), True),
        (GoOn(), True),
        (Refuse("Not yet."), True),
    ]
    stage.answers = ["late"]
    asked = stage.answer

    async def gone(dialog: Any) -> Any:
        live.paused = None
        return await asked(dialog)

    monkeypatch.setattr(stage, "answer", gone)
    deciding.refuse_call(stage)
    assert stage.told == "that call is no longer paused" and len(decided) == 3


# What-if play


def test_calls_are_played_taken_back_and_kept() -> None:
    stage = FakeStage(sessions.out_of_order())
    playing.keep_play(stage)
    assert stage.told == "not in what-if play: p starts it"
    playing.play(stage)
    assert stage.told == "what if: ↑ ↓ choose the next call" and stage.view.pane == "step"
    playing.take_back(stage)
    assert stage.told == "no call was played yet"
    modes.enter(stage)
    modes.enter(stage)
    playing.option_chosen(stage, OptionChosen(0, False))
    play = stage.view.play
    assert play is not None and len(play.played.calls) == 2
    playing.take_back(stage)
    assert stage.view.play is not None and len(stage.view.play.played.calls) == 1
    playing.keep_play(stage)
    assert stage.view.play is None and stage.told.startswith("kept as run r")


def test_leaving_the_play_goes_back_to_where_it_began() -> None:
    stage = FakeStage(sessions.out_of_order(), "r1", 1)
    playing.play(stage)
    modes.enter(stage)
    doors.edit(stage)
    assert stage.told == "this is what-if play: Esc leaves"
    modes.escape(stage)
    assert stage.view.play is None and stage.view.key == ("v1", "r1") and stage.view.debug.index == 1
    assert stage.told == "the played calls were discarded; K would have kept them"


def test_hours_are_chosen_in_play_alone() -> None:
    stage = FakeStage(sessions.figure_10())
    playing.change_hour(stage, "1")
    assert stage.told == "hours and arguments can be chosen while you play: p plays"
    playing.play(stage)
    before = stage.view.play
    playing.change_hour(stage, "1")
    assert before is not None and stage.view.play is not None and stage.view.play.start != before.start


# Doors


def test_what_was_compared_opens_at_its_step() -> None:
    stage = FakeStage(sessions.figure_10(), "r2")
    doors.compare(stage)
    (screen, left) = stage.app.pushed[0]
    assert screen.where == "compare" and stage.view.command == "planscope compare SESSION r1 r2"
    left(SimpleNamespace(run="r1", index=2))
    assert stage.view.key == ("v1", "r1") and stage.view.debug.index == 2
    show_run(stage, "r9")
    assert stage.told == "that run is no longer in the session"


def test_a_session_without_another_run_has_nothing_to_compare() -> None:
    stage = FakeStage(sessions.no_run())
    doors.compare(stage)
    assert stage.told == "nothing to compare with yet: r runs the query again"


def test_the_next_wrong_run_is_opened() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    doors.next_failed_run(stage)
    assert stage.view.key == ("v1", "r2")


def test_a_pane_is_copied_as_text() -> None:
    stage = FakeStage(sessions.figure_10())
    doors.copy(stage)
    assert stage.app.copied == ["the text of timeline"]


def test_nothing_is_saved_where_nothing_is_kept() -> None:
    stage = FakeStage(sessions.figure_10())
    opening.save(stage)
    assert stage.told == "nothing to save: no session is loaded"


def test_rules_that_are_typed_judge_all_runs_and_are_undone() -> None:
    stage = FakeStage(sessions.figure_10(), "r1")
    rules.undo_rules(stage)
    assert stage.told.startswith("nothing to undo")
    stage.answers = ["sanitizing_tools happens at most once."]
    rules.write_rules(stage)
    assert stage.told == "all runs of the session are judged by these rules now; u undoes it"
    playing.take_back(stage)
    assert stage.told == "the last change of the rules is undone; the session has no rules"
    stage.asked[-1].keep("half a rule")
    rules.write_rules(stage)
    assert stage.asked[-1].text == "half a rule"
    assert stage.told == "your rules are not saved: W continues them"


def test_the_palette_opens_runs_and_arranges_panes() -> None:
    stage = FakeStage(sessions.figure_10(), "r2")
    found = {command.title: command.run for command in entries(stage)}
    assert [title.split()[1] for title in found if title.startswith("Run ")] == ["1", "2"]
    next(run for title, run in found.items() if title.startswith("Run 1"))()
    assert stage.view.key == ("v1", "r1")
    found["Hide the tree pane"]()
    assert "Show the tree pane" in {command.title for command in entries(stage)}
