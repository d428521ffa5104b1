"""A few of the many actions of ``python -m tests.fuzz.monkey``; and that it notices what it is there for."""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.screen import Screen

from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.screens.debug import arranging
from planscope.tui.screens.debug.screen import DebugScreen
from planscope.tui.screens.debug.stage import Stage
from planscope.tui.screens.edit.screen import EditScreen
from tests.fuzz.home import at_home
from tests.fuzz.ledger import Ledger
from tests.fuzz.monkey import Lost, Monkey, Tally, WatchedApp, check_left, let_go, nothing_fails
from tests.fuzz.ways import TO_GO
from tests.nightly import nightly
from tests.tui import sessions


@pytest.fixture(autouse=True)
def _two_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same session everywhere, with something to compare."""
    monkeypatch.setattr("tests.fuzz.home.MADE", (sessions.figure_10,))


@asynccontextmanager
async def before_one(kind: str = "file") -> AsyncIterator[Monkey]:
    """A monkey before an application; what was found broken is told at the end."""
    ledger, draw = Ledger(), random.Random(1)
    with at_home(kind, draw) as home, nothing_fails(ledger.broken):
        app = WatchedApp(home.path, ledger, Tally())
        async with app.run_test(size=(120, 40)) as pilot:
            monkey = Monkey(app, pilot, draw, home, calm=True)
            await monkey.calmed()
            monkey.look()
            yield monkey
            monkey.look()
            ledger.leaving()
        check_left(app, monkey)


async def press(monkey: Monkey, *keys: str) -> None:
    await monkey.press(*keys)
    await monkey.calmed()


@pytest.mark.parametrize("many", [3, *nightly(25)])
async def test_nothing_breaks_and_nothing_is_lost(many: int) -> None:
    tally = await let_go(many, seed=5, most=20, calm=True)
    assert tally.main_screens.total() == tally.kinds.total() == many
    assert tally.main_screens["debug"] and tally.opened


async def test_it_gets_into_all_rooms() -> None:
    async with before_one() as monkey:
        for key, where in (
            ("e", "edit"),
            ("m", "dissect"),
            ("d", "compare"),
            ("o", "runs"),
            ("L", "library"),
        ):
            assert where in TO_GO and key in TO_GO["debug"]
            await press(monkey, key)
            assert monkey.where == where
            await monkey.home()


async def test_it_notices_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(stage: Stage) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(arranging, "zoom", fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        async with before_one() as monkey:
            await press(monkey, "z")


async def test_it_notices_what_fails_behind_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **more: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("planscope.tui.controllers.judge.judged", fail)
    with pytest.raises(Lost, match="RuntimeError: on purpose"):
        async with before_one():
            pass


async def test_it_notices_a_run_that_is_lost() -> None:
    with pytest.raises(Lost, match=r"not in the file .*: run made"):
        async with before_one() as monkey:
            assert monkey.app.work is not None
            document = monkey.app.work.document
            document.put_run(document.runs[0].model_copy(update={"id": "made"}))
            document.runs[:] = [run for run in document.runs if run.id != "made"]


async def test_it_notices_what_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Autosave, "_worth_it", lambda self: False)
    monkeypatch.setattr(Autosave, "save", lambda self: None)
    with pytest.raises(Lost, match=r"not in the file .*: breakpoints"):
        async with before_one() as monkey:
            await press(monkey, "g", "b")


async def test_it_notices_marks_that_do_not_reach_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Document, "mark", lambda self, **texts: None)
    with pytest.raises(Lost, match="not in the document: breakpoints"):
        async with before_one() as monkey:
            await press(monkey, "g", "b")


async def test_it_notices_a_draft_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EditScreen, "dismiss", lambda self, result=None: Screen.dismiss(self))
    with pytest.raises(Lost, match="a draft is gone"):
        async with before_one() as monkey:
            await press(monkey, "e", "i", "x", "escape", "escape")


async def test_it_notices_a_screen_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DebugScreen, "action_help", lambda self: None)
    monkeypatch.setattr("tests.fuzz.monkey.CHANGES", 0.5)
    with pytest.raises(Lost, match="the screen does not change any more"):
        async with before_one() as monkey:
            await monkey.answers()


def test_it_writes_nowhere_else() -> None:
    outside = Path(__file__).with_name("outside.txt")
    with at_home("file", random.Random(1)) as home:
        (home.folder / "inside.txt").write_text("")
        with pytest.raises(PermissionError, match="may not write here"):
            outside.write_text("")
        with pytest.raises(PermissionError, match="may not write here"):
            home.path.rename(outside)
        assert Path(os.environ["HOME"]) == home.folder
    assert not outside.exists()


async def test_what_the_user_deletes_for_good_is_nothing_lost() -> None:
    async with before_one() as monkey:
        work = monkey.app.work
        assert work is not None and work.autosave is not None
        work.document.put_run(work.document.runs[0].model_copy(update={"id": "more"}))
        work.document.remove(runs=["more"])
        await work.autosave.flush()  # what comes next is the first change since the file was written
        work.document.delete_for_good()


async def test_it_notices_a_run_that_goes_with_what_was_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(document: Document) -> int:
        document.runs[:] = [run for run in document.runs if run.id != "kept"]
        return delete_for_good(document)

    delete_for_good = Document.delete_for_good
    monkeypatch.setattr(Document, "delete_for_good", too_much)
    with pytest.raises(Lost, match="lost in the document: run kept"):
        async with before_one() as monkey:
            assert monkey.app.work is not None
            document = monkey.app.work.document
            for id in ("kept", "more"):
                document.put_run(document.runs[0].model_copy(update={"id": id}))
            document.remove(runs=["more"])
            document.delete_for_good()


async def test_what_is_played_and_not_kept_is_nothing_lost() -> None:
    async with before_one() as monkey:
        await press(monkey, "g", "p", "enter", "escape", "p", "enter", "K")
        assert monkey.app.work is not None and len(monkey.app.work.document.runs) == 3
