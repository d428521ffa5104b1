"""What if: the user plays the next calls; all reasons of a failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.session.locations import bundled
from planscope.session.mock_tools import AGENT
from planscope.session.store import load
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.controllers.run_list import judge_runs
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.dialogs.why import WhyDialog
from planscope.tui.screens.compare.screen import CompareScreen
from planscope.tui.screens.debug import playing, running
from planscope.tui.screens.debug.stage import show_run
from tests.nightly import nightly
from tests.tui.screen import Driven, opened, rows
from tests.tui.sessions import contradictory, no_run, out_of_order, write
from tests.tui.test_live import ended, paused, start, until

FIRST = bundled()["first-look"]
pytestmark = pytest.mark.usefixtures("own_file")


async def settled(driven: Driven) -> None:
    await until(driven, lambda: driven.screen.at_rest)
    await driven.answered()


async def test_playing_the_right_plan_ends_with_nothing_left_to_do() -> None:
    async with opened(FIRST) as driven:
        before = driven.state.run.id
        await driven.press("g", "p")
        await settled(driven)
        assert "WHAT IF" in driven.text and driven.state.play is not None
        for _ in range(5):
            assert driven.state.play.chosen.safe
            await driven.press("enter")
            await settled(driven)
        assert len(driven.state.play.played.run.last_attempt.first) == 5
        assert driven.state.debug.view.state == "completable"
        await driven.press("K")
        await settled(driven)
        await driven.rest()
        assert "RIGHT" in driven.text and driven.state.run.agent == AGENT
        kept = driven.screen.work.document.session.runs[-1]
        assert kept.forked_from.run == before and kept.forked_from.step == 0
        assert driven.state.play is None and not driven.screen.work.document.passing


async def test_a_bad_call_can_be_played_and_taken_back() -> None:
    async with opened(FIRST) as driven:
        await driven.press("g", "p")
        await settled(driven)
        play = driven.state.play
        bad = next(i for i, option in enumerate(play.options) if not option.safe)
        for _ in range(abs(bad - play.at)):
            await driven.press("down" if bad > play.at else "up")
        assert driven.state.play.at == bad
        await driven.press("enter")
        await settled(driven)
        assert driven.state.debug.view.state in ("doomed", "broken") and "lost at step 1" in driven.text
        await driven.press("u")
        await settled(driven)
        assert driven.state.debug.view.state == "completable" and not driven.state.play.played.calls


async def test_an_option_says_what_it_breaks_and_whether_all_is_lost_already() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press("g", "p")
        await settled(driven)
        await driven.press("u")
        assert "no call was played yet" in driven.text
        await driven.press("+")
        assert "no call was played yet" not in driven.text  # what was said is over with the next key
        await driven.press(*["up"] * 5, "down", "enter")  # the second one loses the plan
        await settled(driven)
        assert "lost already" in driven.text and "loses the plan" not in driven.text
        (play,) = (pane for pane in driven.screen.panes if pane.id == "play")
        already = [line for line in play.lines if "lost already" in line.text]
        assert already and all(line.runs[-1].role == "dim" for line in already), "one thing is loud: the loss"
        assert "violates c" in driven.text or "violates b" in driven.text
        assert "violates a rule" not in driven.text


async def test_another_hour_is_judged_before_it_is_played() -> None:
    async with opened(FIRST) as driven:
        await driven.press("g", "p")
        await settled(driven)
        first, last = driven.state.play.chosen.hours
        assert driven.state.play.start is None
        for _ in range(last - first + 1):
            await driven.press("+")
        assert driven.state.play.start == last + 1 and not driven.state.play.chosen.safe
        await driven.press("-")
        assert driven.state.play.chosen.safe
        await driven.press("enter")
        await settled(driven)
        assert driven.state.debug.view.start == last


async def test_leaving_brings_one_back_and_nothing_is_kept() -> None:
    async with opened(FIRST) as driven:
        runs, place = len(driven.screen.work.document.runs), driven.state.debug.index
        await driven.press("p")
        await settled(driven)
        await driven.press("enter")
        await settled(driven)
        assert len(driven.screen.work.document.snapshot().runs) == runs
        await driven.press("escape")
        await driven.rest()
        assert len(driven.screen.work.document.runs) == runs and driven.state.debug.index == place
        assert driven.state.play is None and "WHAT IF" not in driven.text


async def test_turning_to_another_run_ends_the_play() -> None:
    async with opened(FIRST) as driven:
        await driven.press("p")
        await settled(driven)
        driven.open_run_number(0)
        await driven.rest()
        assert driven.state.play is None and driven.state.run_number == 0
        assert len(driven.screen.work.document.runs) == 2


async def test_turning_to_a_request_ends_the_play() -> None:
    async with opened(FIRST) as driven:
        await driven.press("p")
        await settled(driven)
        driven.screen.look_at("v1")
        await driven.rest()
        assert driven.state.play is None and driven.state.run is None
        assert len(driven.screen.work.document.runs) == 2 and not driven.screen.work.document.passing


@pytest.mark.parametrize("size", [(80, 24), *nightly(((200, 60),))])
async def test_the_options_are_seen_at_every_size(size: tuple[int, int]) -> None:
    async with opened(FIRST, size) as driven:
        for place in (["g"], ["f", "N"]):
            await driven.press(*place, "p")
            await settled(driven)
            text = driven.text
            assert "What if" in text and "▶ ✓" in text and "docent_training" in text and "safe" in text
            await driven.press("z")
            assert "What if" in driven.text
            await driven.press("z", "escape")
            await settled(driven)


async def test_a_request_without_a_run_can_be_played(tmp_path: Path) -> None:
    async with opened(FIRST) as driven:
        driven.screen.look_at("v1")
        await driven.rest()
        await driven.press("p")
        await settled(driven)
        await driven.press("enter")
        await settled(driven)
        await driven.press("K")
        await driven.rest()
        assert driven.screen.work.document.session.runs[-1].forked_from is None


async def test_every_reason_and_what_would_save_it() -> None:
    async with opened(FIRST) as driven:
        await driven.press("x")
        dialog = driven.app.screen
        assert isinstance(dialog, WhyDialog)
        await until(driven, lambda: "all" in dialog.progress)
        await driven.press("2")
        assert "1 conflict: smallest sets" in driven.text and "c2, b3, step 2" in driven.text
        assert len(dialog.cores) == 1 and len(dialog.corrections) == 3
        await driven.press("3", "down")
        assert dialog.at == 1 and "Had step 2 not done" in driven.text
        await driven.press("escape")
        assert not driven.screen.work.jobs.running("reasons")


async def test_all_reasons_of_a_contradictory_request(tmp_path: Path) -> None:
    async with opened(write(contradictory(), tmp_path)) as driven:
        await driven.press("x")
        dialog = driven.app.screen
        await until(driven, lambda: "all" in dialog.progress)
        assert dialog.cores and dialog.corrections


async def test_without_a_run_the_reason_is_that_the_request_can_be_met(tmp_path: Path) -> None:
    async with opened(write(no_run(), tmp_path)) as driven:
        await driven.press("x")
        assert "The query can be met. It is not run yet" in driven.text


async def test_a_run_under_way_is_not_said_to_be_with_the_solver() -> None:
    async with opened(FIRST) as driven:
        await start(driven, RunChoice(model="sim:time-blind", stepping=True))
        await paused(driven, 1)
        await driven.press("x")
        assert "not over yet" in driven.text and "Z3 is being asked" not in driven.text
        await driven.press("escape", "X")
        await ended(driven)


async def test_a_right_run_has_no_reasons() -> None:
    async with opened(bundled()["first-look"]) as driven:
        driven.open_run_number(0)
        await driven.rest()
        assert "first violation" not in rows(driven.app)[-1] and "failed call" not in rows(driven.app)[-1]
        await driven.press("x", "2", "tab")
        assert isinstance(driven.app.screen, WhyDialog) and "Every conflict" not in driven.text
        assert "next page" not in driven.text


async def test_a_run_that_came_behind_what_is_played_is_the_one_that_is_opened() -> None:
    """Such as those of a dissection that goes on meanwhile: what was played is taken from between."""
    async with opened(FIRST) as driven:
        await driven.press("g", "p", "enter")
        document = driven.screen.work.document
        first = document.run("r1")
        assert first is not None and driven.state.play is not None
        for id in ("d1r1", "d1r2"):
            document.put_run(first.model_copy(update={"id": id}))
        for id in ("d1r1", "d1r2"):
            show_run(driven.screen, id, -1)
            await driven.rest()
            assert driven.state.play is None and driven.state.run.id == id


async def test_what_is_played_is_no_run_to_fork_before_it_is_kept(tmp_path: Path) -> None:
    """A session with a fork of what passes could not be opened again."""
    path = write(out_of_order(), tmp_path)
    async with opened(path) as driven:
        await driven.press("p", "enter")
        await settled(driven)
        await driven.press("F")
        assert driven.app.screen is driven.screen and "keep" in driven.text
        await driven.press("K")
        await driven.rest()
        await driven.press("F")
        assert isinstance(driven.app.screen, FormDialog)
    assert len(load(path).runs) == 2


async def test_a_run_that_begins_and_what_is_played_meanwhile_are_two() -> None:
    async with opened(FIRST) as driven:
        screen, before = driven.screen, len(driven.screen.work.document.open_session.runs)
        running.start_run(screen, driven.state.variant.id, RunChoice(model="sim:careful", stepping=True))
        playing.play(screen)  # before anything is heard of the run
        assert driven.state.play is not None and screen.work.live.at_work
        assert driven.state.play.run_id != screen.work.live.run_id
        await paused(driven, 1)
        await driven.press("X")
        await ended(driven)
        runs = screen.work.document.open_session.runs
        assert len({run.id for run in runs}) == len(runs) == before + 1 and not screen.work.document.passing


async def test_a_run_that_begins_does_not_throw_away_what_is_played() -> None:
    async with opened(FIRST) as driven:
        screen = driven.screen
        running.start_run(screen, driven.state.variant.id, RunChoice(model="sim:careful", stepping=True))
        playing.play(screen)
        screen.action_open_selected()  # before anything is heard of the run
        await until(driven, lambda: screen.work.live.at_work and screen.work.live.paused is not None)
        assert driven.state.play is not None and driven.state.play.played.calls
        await driven.sees("o opens it")
        await driven.press("K")
        await settled(driven)
        assert driven.state.run.agent == AGENT


async def test_where_every_call_breaks_something_one_can_play_all_the_same(tmp_path: Path) -> None:
    async with opened(write(contradictory(), tmp_path)) as driven:
        for _ in range(2):  # for the second time its pane is laid out already
            await driven.press("g", "p")
            await settled(driven)
            assert driven.state.play is not None and not driven.state.play.chosen.safe
            assert "violates “" in driven.text, "what it says may begin with no"
            await driven.press("escape")
            await driven.rest()


async def test_a_comparison_with_what_is_played_is_not_copied() -> None:
    """It is no run of the session yet: nothing of it can be looked through for what is private."""
    async with opened(FIRST) as driven:
        await driven.press("g", "p", "enter")
        await settled(driven)
        await driven.press("d")
        await until(
            driven, lambda: isinstance(driven.app.screen, CompareScreen) and driven.app.screen.at_rest
        )
        screen = driven.app.screen
        await driven.press("y")
        assert driven.app.screen is screen and "keep" in driven.text


async def test_what_is_played_may_go_while_runs_are_listed() -> None:
    async with opened(FIRST) as driven:
        await driven.press("g", "p")
        await settled(driven)
        await driven.press("o")
        await driven.sees("Queries and runs 3")
        await start(driven, RunChoice(model="sim:time-blind", stepping=True))
        await until(driven, lambda: not driven.screen.work.document.passing)
        runs, live = driven.app.screen, driven.screen.work.live
        await until(driven, lambda: runs.state.listed[-1].place.run == live.run_id)
        driven.screen.work.document.outcomes.clear()
        await driven.sees("▷ running")  # in the place of what was played
        await driven.press("end", "enter")
        await until(driven, lambda: driven.app.screen is driven.screen)
        assert driven.state.run.id == driven.screen.work.live.run_id


async def test_verdicts_may_come_when_what_was_played_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    def late(*given: Any) -> Iterator[Any]:
        gone.wait(30)
        yield from judge_runs(*given)

    monkeypatch.setattr("planscope.tui.controllers.run_list.judge_runs", late)
    async with opened(FIRST) as driven:
        await driven.press("g", "p")
        await settled(driven)
        await driven.press("o")
        driven.screen.look_at("v1", driven.screen.work.document.runs[0].id)
        gone.set()
        await driven.sees("Queries and runs 2")
        await driven.press("escape")
        assert driven.app.screen is driven.screen


async def test_the_palette_opens_the_run_that_it_names() -> None:
    """Although what was played, which stood before it, is gone by then."""
    async with opened(FIRST) as driven:
        await driven.press("g", "p")
        await settled(driven)
        await driven.press("enter")
        await settled(driven)
        await start(driven, RunChoice(model="sim:time-blind", stepping=True))
        live = driven.screen.work.live.run_id
        await until(driven, lambda: driven.screen.work.document.run(live) is not None)
        last = [entry for entry in driven.screen.palette_entries() if entry.help == "Open this run."][-1]
        await driven.press("escape")
        await settled(driven)
        last.run()
        assert driven.state.run.id == live
