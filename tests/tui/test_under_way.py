"""A run under way: what the screen says while it runs and while it waits, and what each key does to it."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from textual.message import Message

from planscope.agents.gate import GoOn
from planscope.debugger.breakpoints import StepBreak
from planscope.session.locations import bundled
from planscope.session.store import load
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.live_run import LiveRun, RunChoice, RunRequest
from planscope.tui.messages import LiveChanged
from planscope.tui.screens.debug import running
from tests.hostile import HOSTILE
from tests.tui.screen import Driven, opened
from tests.tui.sessions import no_run, write
from tests.tui.test_live import answers, calls, ended, paused, start, until

FIRST = bundled()["first-look"]
pytestmark = pytest.mark.usefixtures("own_file")
STEPPING = RunChoice(model="sim:time-blind", stepping=True)


# Breakpoints


async def test_a_step_that_is_still_to_come_can_be_paused_at() -> None:
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        await driven.press("B")
        await driven.type("step 4")
        await driven.press("enter")
        assert "no step" not in driven.text
        await driven.press("escape", "c")
        await paused(driven, 4)
        assert "step 4" in driven.state.why_paused
        await driven.press("X")
        await ended(driven)


async def test_a_breakpoint_that_the_run_looked_at_has_no_use_for_counts_in_one_under_way() -> None:
    choice = RunChoice(model="sim:forgetful?seed=1", stepping=True)
    live = RunRequest(choice, "v1", ("step 6",))  # the run that is looked at first has five steps
    async with opened(FIRST, live=live) as driven:
        await paused(driven, 1)
        assert driven.screen.work.live.at_work
        assert StepBreak(6) in driven.screen.work.live.breakpoints
        assert StepBreak(6) in driven.state.breakpoints
        await driven.press("o", "home", "down", "enter")  # a run that is over
        await driven.press("B", "escape", "b")
        assert StepBreak(6) in driven.screen.work.live.breakpoints
        await driven.press("X")
        await ended(driven)


# What is said to a call that waits


async def test_taking_arguments_and_answer_as_they_stand_edits_nothing() -> None:
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        await driven.press("a", "enter")
        await paused(driven, 2)
        await driven.press("A", "enter")
        await paused(driven, 3)
        await driven.press("X")
        run = await ended(driven)
        assert [call.asked for call in calls(run)] == [None, None]
        assert [answer.said for answer in answers(run)] == [None, None]


async def test_whatever_an_answer_holds_can_be_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "".join(HOSTILE[:60]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    monkeypatch.setattr(
        "planscope.agents.toolset.tool_answer", lambda done, arguments, timed: (hostile, True)
    )
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        await driven.press("A", "end", *"! \\n", "enter")
        await paused(driven, 2)
        assert "\x1b" not in driven.text and "\x9b" not in driven.text
        await driven.press("X")
        run = await ended(driven)
        assert answers(run)[0].said == hostile
        assert answers(run)[0].text == hostile + "! \n"


async def test_what_makes_no_sense_is_said_in_the_dialog_and_the_call_waits_on() -> None:
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        for keys, said in (
            (("a", "end", "ctrl+u", "enter"), "enter {} for no arguments"),
            (("a", "end", "ctrl+u", "[", "1", "]", "enter"), "enter an object"),
            (("A", "end", "ctrl+u", "enter"), "enter a text"),
            (("R", "end", "\\", "q", "enter"), "is not an escape"),
        ):
            await driven.press(*keys)
            assert said in driven.text
            await driven.press("escape")
            assert driven.screen.work.live.at_work and driven.screen.work.live.paused is not None
        await driven.press("X")
        await ended(driven)


async def test_a_call_that_cannot_be_read_has_nothing_to_edit() -> None:
    async with opened(FIRST) as driven:
        await start(driven, RunChoice(model="sim:clumsy?kind=3", stepping=True))
        for _ in range(6):
            await until(driven, lambda: driven.state.at_pending)
            if driven.screen.work.live.paused.error:
                break
            await driven.press("n")
            await until(
                driven,
                lambda: not driven.screen.work.live.at_work or driven.screen.work.live.paused is not None,
            )
        assert driven.screen.work.live.paused.error
        for key in "aAR":
            await driven.press(key)
            assert "no tool is called" in driven.state.notice
        assert "a arguments" not in driven.text
        await driven.press("X")
        await ended(driven)


async def test_a_decision_about_a_call_that_is_gone_is_not_taken_for_another() -> None:
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        live = driven.screen.work.live
        await driven.press("R")
        live.decide(_go_on(), stepping=True)  # as if by a key pressed before
        await until(driven, lambda: live.paused is not None and live.paused.step == 2)
        await driven.press("enter")
        assert "is no longer paused" in driven.state.notice
        assert live.paused.step == 2
        await driven.press("X")
        assert [answer.refused_by for answer in answers(await ended(driven))] == [None]


def _go_on() -> object:
    from planscope.agents.gate import GoOn

    return GoOn()


# While it runs


async def test_keys_of_a_call_that_waits_say_what_to_do_while_none_does() -> None:
    async with opened(FIRST) as driven:
        running.start_run(driven.screen, "v1", RunChoice(model="sim:slow"))
        await until(driven, lambda: driven.state.run.under_way)
        assert "the agent is working on its next call" in driven.text and "0 calls so far" in driven.text
        for key, said in (
            ("a", "P pauses"),
            ("n", "P pauses"),
            ("c", "next breakpoint"),
            ("P", "pausing before"),
        ):
            await driven.press(key)
            assert said in driven.state.notice, key
        assert driven.screen.work.live.stepping is True
        await driven.press("c")
        assert driven.screen.work.live.stepping is False
        await driven.press("X")
        await ended(driven)


async def test_who_follows_a_run_stands_at_its_end_however_quick_it_was() -> None:
    async with opened(FIRST) as driven:
        running.start_run(driven.screen, "v1", RunChoice(model="sim:careful"))
        run = await ended(driven)
        assert driven.state.run.id == run.id and driven.state.verdict.verdict == "right"
        assert driven.state.debug.index == driven.state.debug.run.last


async def test_what_was_done_to_calls_is_seen_in_the_timeline() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        await driven.press("A", "end", "!", "enter")
        await paused(driven, 2)
        await driven.press("R", "enter")
        await paused(driven, 3)
        rows = driven.text.splitlines()
        assert any("1 ✓ replica_procurement" in row and "edited" in row for row in rows)
        assert any("2 ✓ school_tour_guidance" in row and "refused" in row for row in rows)
        await driven.press("X")
        await ended(driven)
        assert "! STOPPED" in driven.text


async def test_the_row_of_a_form_that_keys_go_to_is_marked() -> None:
    async with opened(FIRST) as driven:
        await driven.press("r")
        for label in ("Model", "Agent", "Seed"):
            assert f"▶{label}" in driven.text and driven.text.count("▶" + label[0]) == 1
            await driven.press("down")
        await driven.press("escape")


# What the lowest line names


async def test_the_keys_that_matter_now_are_named_in_a_small_window() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        assert lowest(driven) == "n run  c continue  a arguments  A answer  R refuse  X stop  ?  Ctrl+p  q"
        await driven.press("n")
        await paused(driven, 2)
        await driven.press("N")
        assert lowest(driven).startswith("End paused call  n next  N back  X stop  ? help")
        await driven.press("X")
        await ended(driven)
        assert lowest(driven).startswith("n next  N back")
        running.start_run(driven.screen, "v1", RunChoice(model="sim:slow"))
        await until(driven, lambda: driven.state.run.under_way and not driven.state.notice)
        assert lowest(driven).startswith("P pause  X stop  N back")
        driven.screen.tell(
            "something long that has to be said while the run goes on, whatever the window's size"
        )
        await driven.pilot.pause()
        assert lowest(driven).startswith("P pause  X stop  ") and "something long" in driven.text
        await driven.press("X")
        await ended(driven)
        await driven.press("p", "+")
        assert lowest(driven).startswith("Enter play it  u take back  K keep  Esc leave  ? help")


@pytest.mark.parametrize(("key", "seen"), [("d", "Esc leave"), ("m", "Esc leave"), ("e", "F1 help")])
async def test_every_room_names_the_key_for_help_in_a_small_window(key: str, seen: str) -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press(key)
        await driven.until(lambda: "help" in lowest(driven) and seen in lowest(driven))


async def test_without_a_run_it_is_named_what_leads_to_one(tmp_path: Path) -> None:
    async with opened(write(no_run(), tmp_path), (80, 24)) as driven:
        assert lowest(driven).startswith("r run it  p what if  e edit  m dissect  ? help")
    session = no_run()
    query = session.variants[0].query.model_copy(update={"text": "Nobody can read this.", "tree": None})
    session.variants = [session.variants[0].model_copy(update={"query": query, "constraints": []})]
    async with opened(write(session, tmp_path), (80, 24)) as driven:
        assert lowest(driven).startswith("e edit it  r run it")


def lowest(driven: Driven) -> str:
    return driven.text.rpartition("\n")[2].strip()


async def test_what_is_heard_late_is_told_as_it_was() -> None:
    """While the screen is held up a run goes on: then its events come one after the other, never fewer again."""
    session = load(FIRST)
    told: list[int] = []

    def heard(message: Message) -> None:
        if (run := document.run(run_id)) is not None:
            told.append(len(run.events))

    run_id = ""
    document = Document(FIRST, heard)
    document.open(session)
    jobs = Jobs(asyncio.get_running_loop())
    live = LiveRun(document, jobs, heard)
    assert live.start(session.variants[0], STEPPING, lambda problem: ())
    run_id = live.run_id
    ends = time.monotonic() + 20
    while any(t.name == "planscope run" for t in threading.enumerate()) and time.monotonic() < ends:
        live.decide(GoOn(), stepping=True)
        time.sleep(0.001)  # not awaited: nothing is heard meanwhile
    await asyncio.sleep(0.1)
    assert not live.at_work and len(told) > 10 and told == sorted(told)


async def test_a_run_that_begins_while_the_screen_is_left_is_kept_and_not_turned_to(tmp_path: Path) -> None:
    async with opened(write(no_run(), tmp_path), (80, 24)) as driven:
        screen, document = driven.screen, driven.screen.work.document
        failed: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failed.append(context))
        screen.disable_messages(LiveChanged)  # as on leaving
        running.start_run(screen, "v1", RunChoice(model="sim:literal"))
        await until(driven, lambda: not screen.work.live.at_work)
        assert failed == []
        assert [run.events[-1].type for run in document.open_session.runs] == ["end"]
        assert screen.view.run is None and driven.app.is_running
