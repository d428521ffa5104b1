"""Runs from the debug screen: live, paused before a call is done, edited, refused, stopped, forked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.agents.gate import GoOn
from planscope.session.locations import bundled
from planscope.session.model import AnswerEvent, CallEvent, EndEvent, Run
from planscope.session.store import dumps, load, loads
from planscope.tui.controllers.live_run import ForkChoice, RunChoice
from planscope.tui.controllers.marks import Marks
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.screens.debug import running
from tests.nightly import nightly
from tests.tui.screen import PATIENCE, Driven, opened
from tests.tui.sessions import unreadable, write

FIRST = bundled()["first-look"]
pytestmark = pytest.mark.usefixtures("own_file")
CHOICE = RunChoice(model="sim:time-blind", stepping=True)


async def until(driven: Driven, what: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until ``what()`` is true."""
    await driven.until(what, seconds)


async def paused(driven: Driven, step: int) -> None:
    await until(driven, lambda: driven.state.at_pending and len(driven.state.run.calls) == step)
    await until(
        driven, lambda: driven.state.progress == "judged" and not driven.screen.work.jobs.running("judge")
    )


async def ended(driven: Driven) -> Run:
    await until(driven, lambda: not driven.screen.work.live.at_work)
    await driven.rest()
    run = driven.screen.work.document.run(driven.state.run.id)
    assert run is not None
    return run


def calls(run: Run) -> list[CallEvent]:
    return [e for e in run.events if isinstance(e, CallEvent)]


def answers(run: Run) -> list[AnswerEvent]:
    return [e for e in run.events if isinstance(e, AnswerEvent)]


async def start(driven: Driven, choice: RunChoice = CHOICE) -> None:
    running.start_run(driven.screen, driven.state.variant.id, choice)
    await until(
        driven, lambda: not driven.screen.work.live.at_work or driven.screen.work.live.paused is not None
    )


async def test_a_run_is_shown_call_by_call_and_waits_before_each() -> None:
    async with opened(FIRST) as driven:
        before = len(driven.screen.work.document.runs)
        await start(driven)
        await paused(driven, 1)
        assert "‖ PAUSED" in driven.text and "before step 1" in driven.text
        assert (
            len(driven.screen.work.document.run(driven.state.run.id).events) == 2
        )  # prompt and thought: the call is not done
        await driven.press("n")
        await paused(driven, 2)
        assert "which would lose the plan" in driven.text
        await driven.press("c")
        run = await ended(driven)
        assert len(driven.screen.work.document.runs) == before + 1
        assert [c.step for c in calls(run)] == [1, 2, 3, 4, 5]
        assert "PARAMETER ERROR" in driven.text


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_a_call_that_waits_is_not_shown_as_done(size: tuple[int, int]) -> None:
    async with opened(FIRST, size) as driven:
        await start(driven)
        for step, becomes in ((1, "the plan would be possible"), (2, "it would lose the plan")):
            await paused(driven, step)
            await driven.rest()
            rows = driven.text.splitlines()
            (row,) = [row[:80] for row in rows if row.startswith(f" ▶   {step}")]
            assert f" {step} ‖ " in row and "not done" in row and ":00" not in row
            assert driven.text.count("PAUSED") == 1, "one fact once"
            assert not any(word in row for word in ("✓", "●", "completable", "doomed", "NO WAY ON"))
            assert f"5 Step {step} " in driven.text
            assert "‖ not done  " in driven.text and becomes in " ".join(driven.text.split())
            if size[0] >= 120:
                assert f"if step {step} is done" in driven.text and f"✓ step {step}" not in driven.text
            if size[0] >= 200:
                assert f"Step {step}, not done" in driven.text
            await driven.press("n")
        await paused(driven, 3)
        rows = driven.text.splitlines()
        (row,) = [row[:80] for row in rows if row.startswith((" ┃   2 ", "     2 "))]
        assert " 2 ● " in row and "lost" in row.lower() and "not done" not in row
        if size[0] >= 200:
            assert "✓ step 2" in driven.text


async def test_back_in_its_history_while_it_waits_and_forth_again() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        await driven.press("n")
        await paused(driven, 2)
        await driven.press("N")
        assert driven.state.debug.index == 1 and not driven.state.at_pending
        await driven.press("n")
        assert driven.state.at_pending and driven.screen.work.live.paused.step == 2
        await driven.press("n")
        await paused(driven, 3)


async def test_edited_arguments_are_called_and_what_was_asked_is_kept() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        await driven.press("a")
        await driven.press("ctrl+u", "home", "ctrl+k")
        await driven.type('{"start_time": 3}')
        await driven.press("enter")
        await paused(driven, 2)
        await driven.press("c")
        run = await ended(driven)
        assert calls(run)[0].arguments == {"start_time": 3}
        assert calls(run)[0].asked == {"start_time": 8}
        await driven.press("g", "n")
        assert "asked" in driven.text and "start_time=8" in driven.text


async def test_what_is_not_json_stays_in_the_dialog() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        await driven.press("a", "x", "enter")
        assert "not JSON" in driven.text
        await driven.press("escape")
        assert driven.state.at_pending


async def test_an_edited_answer_and_a_refusal() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        await driven.press("A", "end", "!", "enter")
        await paused(driven, 2)
        await driven.press("R", "enter")
        await until(
            driven, lambda: driven.screen.work.live.paused and driven.screen.work.live.paused.step == 3
        )
        await driven.press("X")
        run = await ended(driven)
        first, second = answers(run)[:2]
        assert first.said and first.text == first.said + "!"
        assert second.refused_by == "user"
        assert "stopped by the user" in driven.text


@pytest.mark.parametrize("text", ["tool school_tour_guidance", "when state == doomed"])
async def test_breakpoints_stop_it(text: str) -> None:
    async with opened(FIRST) as driven:
        await driven.press("B")
        await driven.type(text)
        await driven.press("enter", "escape")
        assert driven.state.breakpoints
        await start(driven, RunChoice(model="sim:time-blind"))
        await paused(driven, 2)
        assert driven.state.why_paused
        await driven.press("X")
        await ended(driven)


async def test_a_breakpoint_set_while_it_waits_counts() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        await driven.press("B")
        await driven.type("tool gallery_label_writing")
        await driven.press("enter", "escape", "c")
        await paused(driven, 5)
        assert "tool gallery_label_writing" in " ".join(driven.state.why_paused)
        await driven.press("X")
        await ended(driven)


async def test_the_form_runs_what_it_says() -> None:
    async with opened(FIRST) as driven:
        await driven.press("r")
        dialog = driven.app.screen
        assert isinstance(dialog, FormDialog)
        await driven.press("ctrl+u", "home", "ctrl+k")
        await driven.type("sim:nobody")
        await driven.press("enter")
        assert "nobody" in driven.text and driven.app.screen is dialog
        await driven.press("home", "ctrl+k")
        await driven.type("sim:careful")
        await driven.press("down", "home", "ctrl+k")
        await driven.type("react")
        await driven.press("enter")
        await until(driven, lambda: len(driven.screen.work.document.runs) == 3)
        run = await ended(driven)
        assert (run.agent, run.model) == ("react", "sim:careful")
        assert "RIGHT" in driven.text


async def test_stopping_and_leaving_leave_nothing_running() -> None:
    async with opened(FIRST) as driven:
        running.start_run(driven.screen, "v1", RunChoice(model="sim:slow"))
        await until(driven, lambda: "RUNNING" in driven.text)
        await driven.press("q", "q")
    for _ in range(1200):
        left = [t.name for t in threading.enumerate() if t.name == "planscope run"]
        if not left:
            break
        await asyncio.sleep(0.05)
    assert not left


KEYS = ["q q", "q", "q y", "ctrl+q ctrl+q"]
"""The second is taken back."""
WAYS = ["", "L", "e escape", "m"]


@pytest.mark.parametrize(
    ("way", "keys"),
    [
        *zip(WAYS[::2], KEYS[::2], strict=True),
        *nightly(*zip(WAYS[1::2], KEYS[1::2], strict=True)),
        *nightly(*((way, keys) for way in WAYS for keys in KEYS if WAYS.index(way) != KEYS.index(keys))),
    ],
)
async def test_quitting_during_a_run_is_asked_about_once_and_its_record_is_kept(
    tmp_path: Path, keys: str, way: str
) -> None:
    path = tmp_path / "mine.planscope.json"
    path.write_bytes(FIRST.read_bytes())
    async with opened(path) as driven:
        await start(driven)
        await driven.press("n")
        await paused(driven, 2)
        screen = driven.app.screen
        if way:
            await driven.press(way.split()[0])
            await until(driven, lambda: driven.app.screen is not screen)
            screen = driven.app.screen
            await driven.press(*way.split()[1:])
        await driven.press(keys.split()[0])
        assert not driven.app._exit and "A run is in progress" in driven.text
        if keys != "q":
            await driven.press(keys.split()[1])
            await until(driven, lambda: driven.app._exit)
        else:
            await driven.press("escape")
            assert driven.app.screen is screen and driven.screen.work.live.at_work
            return
    run = load(path).runs[-1]
    end = run.events[-1]
    assert len(calls(run)) == 1 and isinstance(end, EndEvent) and end.ending == "aborted"
    assert "by the user" in (end.reason or "")


async def test_a_fork_keeps_what_it_says_and_runs_the_rest_anew() -> None:
    async with opened(FIRST) as driven:
        await driven.press("g", "n", "F")
        assert "Step 1 is kept" in driven.text
        await driven.press("end", "!", "down", "down", "home", "ctrl+k")
        await driven.type("sim:careful")
        await driven.press("enter")
        await until(driven, lambda: len(driven.screen.work.document.runs) == 3)
        run = await ended(driven)
        original = driven.screen.work.document.run(run.forked_from.run)
        kept = [e for e in run.events if e.kept]
        assert run.forked_from.step == 1 and [e.type for e in kept] == ["prompt", "message", "call", "answer"]
        assert answers(run)[0].text == answers(original)[0].text + "!"
        assert all(not e.kept for e in run.events[len(kept) :])
        assert "kept from" in driven.text
        await driven.press("o")
        await driven.sees("forked from")


async def test_a_run_that_cannot_begin_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with opened(FIRST) as driven:
        before = len(driven.screen.work.document.runs)
        running.start_run(driven.screen, driven.state.variant.id, RunChoice(model="openai:nothing"))
        await until(driven, lambda: not driven.screen.work.live.at_work)
        assert "not run" in driven.state.notice
        assert len(driven.screen.work.document.runs) == before


async def test_what_was_run_is_saved_whole(tmp_path: Path) -> None:
    path = tmp_path / "mine.planscope.json"
    path.write_bytes(FIRST.read_bytes())
    async with opened(path) as driven:
        await start(driven, RunChoice(model="sim:careful"))
        run = await ended(driven)
        await driven.press("ctrl+s")
        await until(driven, lambda: "saved" in driven.state.notice)
        kept = loads(path.read_bytes())
        assert kept.runs[-1] == run and isinstance(run.events[-1], EndEvent)
        assert loads(dumps(kept)) == kept


async def test_a_fork_of_a_run_of_anothers_agent_is_not_imported() -> None:
    async with opened(FIRST) as driven:
        document = driven.screen.work.document
        document.put_run(document.session.runs[-1].model_copy(update={"id": "r9", "agent": "os:system"}))
        driven.open_run_number(2)
        await driven.rest()
        assert running.default_choice(driven.screen).agent == "tools"
        run = document.run("r9")
        running.start_run(driven.screen, "v1", RunChoice(model="sim:careful"), ForkChoice(run, 1))
        await until(driven, lambda: len(driven.screen.work.document.runs) == 4)
        made = await ended(driven)
        assert made.agent == "tools"


async def test_a_request_that_cannot_be_read_pauses_at_a_tool_all_the_same(tmp_path: Path) -> None:
    async with opened(write(unreadable(), tmp_path), (80, 24)) as driven:
        assert driven.state.progress == "unreadable"
        tool = driven.state.variant.actions[1].tool
        driven.screen.work.document.edit(breakpoints=[f"tool {tool}"])
        driven.screen.change(marks=Marks(strange_breakpoints=(f"tool {tool}",)))
        running.start_run(driven.screen, "v1", RunChoice(model="sim:literal"))
        await until(
            driven, lambda: not driven.screen.work.live.at_work or driven.screen.work.live.paused is not None
        )
        assert driven.screen.work.live.at_work and driven.screen.work.live.paused.tool == tool
        await until(driven, lambda: "‖ PAUSED" in driven.text)
        assert driven.state.at_pending and f"{tool}()" in driven.text
        assert "n run  c continue" in driven.text.splitlines()[-1]
        await driven.press("c")
        await until(driven, lambda: not driven.screen.work.live.at_work)
        assert driven.state.debug.run.last == len(driven.state.run.calls) + 1
        assert (
            f"{driven.state.run.calls[-1].tool}()" in driven.text
            and "the query cannot be read" in driven.text
        )


async def test_a_step_and_a_search_are_found_although_the_run_went_on_meanwhile() -> None:
    async with opened(FIRST) as driven:
        await start(driven)
        await paused(driven, 1)
        live = driven.screen.work.live
        await driven.press("J")
        assert live.decide(GoOn(), stepping=True)
        await paused(driven, 2)
        await driven.press("0", "enter")
        assert driven.app.screen is driven.screen and driven.state.debug.index == 0
        await driven.press("G", "slash")
        assert live.decide(GoOn(), stepping=True)
        await paused(driven, 3)
        await driven.type("tour")
        await driven.press("enter")
        assert driven.app.screen is driven.screen and driven.state.search is not None


async def test_a_step_of_a_run_that_is_displayed_no_more_is_not_gone_to() -> None:
    async with opened(FIRST) as driven:
        await driven.press("J")
        here = driven.screen.work.document.runs[0]
        driven.screen.look_at(here.variant, here.id)
        await driven.press("2", "enter")
        assert "another run is shown now" in driven.text
