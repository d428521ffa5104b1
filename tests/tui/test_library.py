"""The library: all sessions in one list, opened, made, renamed, copied, deleted and restored."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from planscope.errors import UserError
from planscope.session.library import delete, rename
from planscope.session.locations import bundled, library_folder, trash_folder
from planscope.session.lock import holder_of
from planscope.session.store import dumps, load, save
from planscope.session.writer import SessionWriter
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.dialogs.forms import read_request
from planscope.tui.screens.debug import running
from planscope.tui.screens.library.screen import LibraryScreen
from tests.fuzz.hostile_files import SMALL
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, key_event, opened
from tests.tui.test_hostile_screen import BATCHES, assert_clean, hostile_session
from tests.tui.test_live import until

FIRST = bundled()["first-look"]


@pytest.fixture(autouse=True)
def _folders_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the index of the library: the bundled sessions are judged once for all tests."""
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr("planscope.tui.controllers.autosave.PAUSE", 0.1)


def put(name: str, made: object = None, age: float = 1.0) -> Path:
    """A session in the library, last changed so many days ago."""
    library_folder().mkdir(parents=True, exist_ok=True)
    path = library_folder() / f"{name}.planscope.json"
    session = made or sessions.figure_10()
    save(session.model_copy(update={"title": f"The {name}"}), path)
    when = time.time() - age * 86400
    os.utime(path, (when, when))
    return path


def last_row(driven: Driven) -> str:
    return driven.text.splitlines()[-1]


async def entered(driven: Driven) -> LibraryScreen:
    await driven.press("L")
    screen = driven.app.screen
    assert isinstance(screen, LibraryScreen)
    await rested(driven)
    return screen


async def test_an_empty_list_names_no_key_that_needs_a_session() -> None:
    async with opened(FIRST, (120, 40)) as driven:
        await driven.press("L")
        await driven.until(lambda: "copy" in last_row(driven))
        assert "restore" not in last_row(driven), "the trash is empty"
        assert not any(word in last_row(driven) for word in ("rename", "delete")), "it is bundled"
        for place in ("2", "4"):
            await driven.press(place)
            foot = last_row(driven)
            assert "new" in foot and not any(
                word in foot
                for word in ("search", "open", "rename", "copy", "delete", "restore", "sort", "empty trash")
            )


async def rested(driven: Driven) -> None:
    await until(driven, lambda: not isinstance(driven.app.screen, LibraryScreen) or driven.app.screen.at_rest)
    await driven.answered()


async def turned(driven: Driven, path: Path) -> None:
    """Wait until another session is open."""
    await until(driven, lambda: driven.app.path == path and driven.app.screen is driven.app.screen_of_session)
    await driven.rest()


def slowly(work: Callable[..., Path], go_on: threading.Event) -> Callable[..., Path]:
    """The same, once it may go on."""

    def waits(*given: object) -> Path:
        go_on.wait()
        return work(*given)

    return waits


def listed(screen: LibraryScreen) -> list[str]:
    return [entry.name for entry in screen.state.listed]


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_ones_own_and_the_bundled_ones_in_one_list(size: tuple[int, int]) -> None:
    put("mine")
    put("yours", sessions.out_of_order(), age=2)
    put("none", sessions.no_run(), age=3)
    async with opened(FIRST, size) as driven:
        screen = await entered(driven)
        assert listed(screen)[:3] == ["mine", "yours", "none"] and set(listed(screen)[3:]) == set(bundled())
        model = ("sim:time-blind",) if size[0] > 100 else ()  # the title comes first
        for text in ("parameter error", "order error", "no run", "The mine", *model):
            assert text in driven.text
        assert "✗ order error" in driven.text and "✗ wrong" not in driven.text
        assert "Attending training sessions" in driven.text  # what the chosen one holds
        await driven.press("2", "down", "down")
        await rested(driven)
        assert "Network audit precedes" in driven.text and "0 runs" in driven.text


async def test_a_frame_of_it(same_frame: object, monkeypatch: pytest.MonkeyPatch) -> None:
    put("mine")
    put("yours", sessions.out_of_order(), age=2)
    (put("cut")).write_text('{"format": ')
    noon = datetime(2023, 11, 14, 12).timestamp()  # of wherever this is
    for path in library_folder().iterdir():
        os.utime(path, (noon, noon))
    async with opened(FIRST, (100, 30)) as driven:
        screen = await entered(driven)
        await driven.press("2", "comma", "down")
        screen.notice = ""
        await rested(driven)
        monkeypatch.setattr("planscope.wording.phrases.place", lambda path, limit=70: path.name)
        screen.show_state()
        await driven.pilot.pause()
        same_frame(driven.app, "library")


async def test_the_names_of_the_columns_stay_above_a_list_that_scrolls() -> None:
    for number in range(60):
        put(f"plan-{number:02}", age=number + 1)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("2")
        lines = driven.text.splitlines()
        assert "verdict" in lines[2] and "The plan-00" in lines[3] and "of 60 ─" in driven.text
        await driven.press("end")
        assert driven.text.splitlines()[2] == lines[2] and "The plan-59" in driven.text
        assert f"{60 - screen.list.window + 1} to 60 of 60" in driven.text
        await driven.press("home")
        await driven.pilot.click("#list", offset=(20, 3))
        assert screen.state.chosen.name == "plan-01"
        await driven.pilot.click("#list", offset=(20, 1))
        assert screen.state.chosen.name == "plan-01"  # that is no session


async def test_search_filters_and_order() -> None:
    put("mine")
    put("yours", sessions.out_of_order(), age=2)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("slash", *"yours")
        assert listed(screen) == ["yours"]
        await driven.press("q", "escape")  # a letter, while one types
        assert driven.app.is_running and len(listed(screen)) > 2
        await driven.press("2", "!", "enter")
        assert len(listed(screen)) == 1 and "only " in driven.text
        await driven.press("escape", "v")
        assert listed(screen) == ["mine", "yours"] and "all are alike" in driven.text  # both are wrong
        await driven.press(";")
        assert listed(screen) == ["yours", "mine"]
        await driven.press("comma")
        assert screen.state.order == "title" and listed(screen) == ["mine", "yours"]
        await driven.press("slash", *"nothing like it", "enter")
        assert "No session matches" in driven.text
        await driven.press("escape", "escape")
        assert driven.app.screen is driven.screen


@pytest.mark.parametrize("screen", ["L", "o"])
async def test_letters_sent_in_one_burst_with_the_search_key_are_searched_for(screen: str) -> None:
    async with opened(FIRST) as driven:
        await driven.press(screen)
        for key in ("slash", "o", "d", "slash", "f"):
            event = key_event(key)
            event.set_sender(driven.app)
            driven.app.post_message(event)
        await driven.answered()
        shown: Any = driven.app.screen
        assert shown.search.value == "od/f"


async def test_what_was_found_stays_chosen_when_the_search_is_left() -> None:
    put("mine")
    put("yours", sessions.out_of_order(), age=2)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("slash", *"yours", "escape")
        assert len(listed(screen)) > 2 and screen.state.chosen.name == "yours"
        await driven.press("enter")
        await turned(driven, library_folder() / "yours.planscope.json")


async def test_sessions_of_one_title_are_told_apart_by_their_names() -> None:
    put("yours")
    for name in ("mine", "mine-2"):
        put(name).write_bytes(dumps(sessions.figure_10().model_copy(update={"title": "One and the same"})))
    async with opened(FIRST, size=(80, 24)) as driven:
        await entered(driven)
        rows = [row for row in driven.text.splitlines() if "One and the same  mine" in row]
        assert sorted("mine-2" in row for row in rows) == [False, True]
        assert "The yours  yours" not in driven.text


async def test_a_session_is_opened_in_the_debugger_and_the_old_one_is_saved_first(tmp_path: Path) -> None:
    first, second = put("first", age=1), put("second", sessions.out_of_order(), age=2)
    async with opened(first) as driven:
        await driven.press("b")
        before = driven.screen
        await entered(driven)
        await driven.press("down", "enter")
        await turned(driven, second)
        assert load(first).breakpoints == ["step 1"]
        assert driven.screen is not before and "The second" in driven.text and "ORDER ERROR" in driven.text
        assert holder_of(first) is None and holder_of(second) is not None
        await driven.press("n", "b")
        await until(driven, lambda: load(second).breakpoints != [])
        await entered(driven)
        await driven.press("home", "down", "enter")
        await turned(driven, first)
        assert list(map(str, driven.state.breakpoints)) == ["step 1"]
    assert holder_of(first) is None and holder_of(second) is None


async def test_enter_on_the_session_that_is_open_goes_back_to_it() -> None:
    path = put("mine")
    async with opened(path) as driven:
        screen = driven.screen
        await entered(driven)
        assert "● The mine" in driven.text
        await driven.press("enter")
        assert driven.app.screen is screen and driven.app.screen_of_session is screen


async def test_what_is_under_way_is_asked_about_and_kept(tmp_path: Path) -> None:
    first, second = put("first", age=1), put("second", age=2)
    async with opened(first) as driven:
        running.start_run(driven.screen, "v1", RunChoice(model="sim:time-blind", stepping=True))
        await until(
            driven, lambda: driven.screen.work.live.at_work and driven.screen.work.live.paused is not None
        )
        await entered(driven)
        await driven.press("down", "enter")
        assert "Stop the run?" in driven.text
        await driven.press("enter")
        assert isinstance(driven.app.screen, LibraryScreen) and driven.app.path == first
        await driven.press("enter", "down", "enter")
        await turned(driven, second)
    kept = load(first).runs[-1]
    assert len(load(first).runs) == 3 and kept.events[-1].type == "end"
    assert len(load(second).runs) == 2


async def test_a_session_that_cannot_be_saved_is_not_left_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.tui.test_autosave import refusing

    first, second = put("first", age=1), put("second", age=2)
    async with opened(first) as driven:
        refusing(monkeypatch)
        await driven.press("b")
        await entered(driven)
        await driven.press("down", "enter")
        await until(driven, lambda: "could not be saved" in driven.text)
        await driven.press("enter")
        assert driven.app.path == first and holder_of(second) is None
        await entered(driven)
        await driven.press("down", "enter")
        await until(driven, lambda: "could not be saved" in driven.text)
        await driven.press("down", "enter")
        await turned(driven, second)


async def test_a_broken_file_is_listed_with_what_is_wrong_and_not_opened() -> None:
    path = put("cut")
    path.write_text('{"format": "planscope-session", "version": 1')
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        assert "✗ BROKEN" in driven.text and "cannot be opened" in driven.text
        await driven.press("enter")
        assert driven.app.screen is screen and driven.app.path == FIRST
        await driven.press("-")
        await rested(driven)
        assert not path.exists() and len(list(trash_folder().iterdir())) == 1


async def test_a_file_that_breaks_meanwhile_says_so_in_one_line() -> None:
    path = put("mine")
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        path.write_text("{")
        await driven.press("enter")
        await until(driven, lambda: "not opened" in driven.text)
        assert driven.app.screen is screen and holder_of(path) is None


async def test_what_somebody_else_does_to_the_library_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.tui.controllers.library_list.WATCH_EVERY", 0.05)
    first, second = put("first", age=2), put("second", age=3)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("2", "down")
        put("third", sessions.out_of_order(), age=1)
        await until(driven, lambda: listed(screen) == ["third", "first", "second"])
        assert screen.state.chosen.path == second  # the same one, wherever it stands now
        first.unlink()
        await until(driven, lambda: listed(screen) == ["third", "second"])
        save(sessions.no_run().model_copy(update={"title": "Another one"}), second)
        await until(driven, lambda: "Another one" in driven.text and "Network audit precedes" in driven.text)
        await rested(driven)
        assert screen.state.chosen.path == second and not screen.notice


async def test_a_session_that_is_gone_is_said_so_and_listed_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.tui.controllers.library_list.WATCH_EVERY", 1000.0)
    for key, told in (("enter", "not opened"), ("-", "not done"), ("y", "not done"), ("D", "not done")):
        path = put("mine")
        async with opened(FIRST) as driven:
            screen = await entered(driven)
            path.unlink()
            await driven.press(key)
            if key == "y":
                await driven.press("enter")
            elif key == "D":
                await driven.press("x", "enter")
            await until(driven, lambda told=told: told in driven.text)
            await until(driven, lambda screen=screen: "mine" not in listed(screen))
            assert "? help" in driven.text and str(library_folder()) not in driven.text.splitlines()[-1]
    assert not list(library_folder().iterdir())


async def test_a_copy_is_called_as_no_other() -> None:
    put("mine")
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("y", "end", "ctrl+u", *"figure-10", "enter")
        assert "this name is taken" in driven.text
        await driven.press("ctrl+u", *"mine", "enter")
        assert "this name is taken" in driven.text
        await driven.press("ctrl+u", *"other", "enter")
        await rested(driven)
    assert (library_folder() / "other.planscope.json").exists()


async def test_rename_and_title() -> None:
    put("mine")
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("D")
        assert isinstance(driven.app.screen, FormDialog)
        await driven.press("end", "ctrl+u", *"a b/c", "enter")
        assert "cannot be a session's name" in driven.text
        await driven.press("ctrl+u", *"other", "down", "end", "ctrl+u", *"Its title", "enter")
        await rested(driven)
        screen = driven.app.screen
        assert isinstance(screen, LibraryScreen) and listed(screen)[0] == "other"
        assert "renamed to other" in driven.text
    assert load(library_folder() / "other.planscope.json").title == "Its title"
    assert len(list(library_folder().iterdir())) == 1


async def test_the_session_that_is_open_can_be_renamed_too() -> None:
    path = put("mine")
    async with opened(path) as driven:
        await driven.press("b")
        await entered(driven)
        await driven.press("D", "end", "ctrl+u", *"other", "down", "end", "ctrl+u", *"Its title", "enter")
        new = library_folder() / "other.planscope.json"
        await until(driven, lambda: driven.app.work.document.path == new)
        await rested(driven)
        await driven.press("-")
        assert "session is open" in driven.text
        await driven.press("escape", "n", "b")
        assert "Its title" in driven.text
        await until(driven, lambda: len(load(new).breakpoints) == 2)
    assert load(new).title == "Its title" and not path.exists() and holder_of(new) is None


async def test_names_given_at_once_are_given_one_after_the_other() -> None:
    path = put("mine")
    async with opened(path) as driven:
        saver = driven.app.work.autosave
        assert saver is not None
        moves = [saver.move(lambda old, name=name: rename(old, name)) for name in ("one", "two")]
        *_, trouble = await asyncio.gather(*moves, saver.flush())
        assert trouble == "" and driven.app.work.document.path == library_folder() / "two.planscope.json"
        assert saver.hold().place == driven.app.work.document.path
    assert [p.name for p in library_folder().iterdir()] == ["two.planscope.json"]


async def test_who_leaves_while_the_open_session_is_renamed_goes_on_saving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, go_on = put("mine"), threading.Event()
    monkeypatch.setattr("planscope.session.library.rename", slowly(rename, go_on))
    async with opened(path) as driven:
        await entered(driven)
        await driven.press("D", "end", "ctrl+u", *"other", "enter", "escape")
        assert driven.app.screen is driven.screen
        go_on.set()
        new = library_folder() / "other.planscope.json"
        await until(driven, lambda: driven.app.work.document.path == new)
        await driven.press("b")
        await until(driven, lambda: load(new).breakpoints)
    assert holder_of(new) is None


async def test_who_renames_leaves_a_title_that_cannot_be_seen_as_it_is() -> None:
    path, title = put("mine"), "a\x1b[31mb"
    save(load(path).model_copy(update={"title": title}), path)
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("home", "D", "enter")
        assert "nothing changed" in driven.text
        await driven.press("D", "end", "ctrl+u", *"other", "enter")
        await rested(driven)
    assert load(library_folder() / "other.planscope.json").title == title


async def test_the_open_session_is_known_however_its_path_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = put("mine")
    monkeypatch.chdir(library_folder())
    async with opened(Path(path.name)) as driven:
        await entered(driven)
        await driven.press("home")
        await rested(driven)
        await driven.press("-")
        await rested(driven)
        assert "session is open" in driven.text and driven.app.work.document.path == path


async def test_whoever_comes_back_to_a_session_sees_what_it_holds() -> None:
    put("mine")
    put("yours", sessions.out_of_order(), age=2)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("home")
        await rested(driven)
        screen.action_go(1)
        screen.action_go(-1)
        await rested(driven)
        assert screen.state.chosen is not None and screen.library.preview is not None
        assert screen.state.chosen.name == screen.library.preview.entry.name == "mine"


async def test_nothing_looks_at_the_library_once_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    put("mine")
    go_on = threading.Event()
    monkeypatch.setattr("planscope.session.library.delete", slowly(delete, go_on))
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("home", "delete", "escape")
        assert driven.app.screen is driven.screen
        go_on.set()
        for thread in threading.enumerate():
            if thread.name == "planscope library work":
                await asyncio.to_thread(thread.join)
        await driven.answered()
        assert not list(library_folder().iterdir())
        assert not any(map(driven.screen.work.jobs.running, ("library list", "library watch")))


async def test_a_session_that_was_opened_too_late_is_let_go_of() -> None:
    path = put("mine")
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("home")
        screen.action_open_session()
        for thread in threading.enumerate():
            if thread.name == "planscope library open":
                thread.join()  # its answer waits for this very task
        screen.dismiss(None)
        await driven.rest()
        await until(driven, lambda: holder_of(path) is None)
        assert driven.app.path == FIRST and driven.app.screen is driven.screen


async def test_the_keys_that_are_named_are_those_of_the_place() -> None:
    put("mine")
    async with opened(FIRST, size=(120, 30)) as driven:
        await entered(driven)
        assert "- delete" in last_row(driven) and "empty trash" not in last_row(driven)
        await driven.press("-")
        await rested(driven)
        await driven.press("4")
        assert "Z empty trash" in last_row(driven) and "delete" not in last_row(driven)
        await driven.press("u", "2")
        await driven.until(lambda: "- delete" in last_row(driven))


async def test_copy_delete_restore_and_empty() -> None:
    put("mine")
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("y", "enter")
        await rested(driven)
        assert listed(screen)[:2] == ["mine-2", "mine"] and "copied to mine-2" in driven.text
        assert screen.state.chosen.name == "mine-2"
        await driven.press("-")
        await rested(driven)
        assert listed(screen)[:1] == ["mine"] and "4 Trash 1" in driven.text
        await driven.press("u")
        await rested(driven)
        assert "mine-2" in listed(screen) and "4 Trash 1" not in driven.text
        await driven.press("2", "home", "-")
        await rested(driven)
        await driven.press("4", "enter")
        assert "u restores it" in driven.text
        await driven.press("Z", "enter")
        assert len(list(trash_folder().iterdir())) == 1
        await driven.press("Z", "down", "enter")
        await rested(driven)
        assert "1 session removed for good" in driven.text and "The trash is empty" in driven.text
    assert not list(trash_folder().iterdir()) and len(list(library_folder().iterdir())) == 1


async def test_bundled_sessions_stay_as_they_are_and_are_copied() -> None:
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        for key in ("D", "-"):
            await driven.press(key)
            assert "bundled sessions are read-only" in driven.text
        name = screen.state.chosen.name
        await driven.press("y", "enter")
        await rested(driven)
        assert [p.name for p in library_folder().iterdir()] == [f"{name}-2.planscope.json"]


async def test_a_session_that_somebody_else_has_open_is_named_and_not_renamed() -> None:
    path = put("mine")
    with SessionWriter(path):
        async with opened(FIRST) as driven:
            await entered(driven)
            await until(driven, lambda: "in another planscope (process" in driven.text)
            await driven.press("D", "end", "ctrl+u", *"other", "enter")
            await rested(driven)
            assert "not done" in driven.text and path.exists()


async def test_a_new_session_is_made_and_opened() -> None:
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("+", "down", "enter", "enter")  # as it is proposed
        await until(
            driven, lambda: driven.app.path != FIRST and driven.app.screen is driven.app.screen_of_session
        )
        await driven.rest()
        made = load(driven.app.path)
        assert len(made.variants[0].actions) == 5 and made.variants[0].origin.kind == "synthesized"
        before = driven.app.path  # its name is drawn, and may begin with the same word
        await entered(driven)
        await driven.press(
            "+", "down", "enter", "end", "ctrl+u", "4", "down", "right", "down", *"2..3", "down", *"museum"
        )
        await driven.press("down", "7", "enter")
        await until(driven, lambda: driven.app.path != before and driven.app.path.name.startswith("museum"))
        await driven.rest()
        variant = load(driven.app.path).variants[0]
        assert (variant.query.timed, variant.query.seed, len(variant.actions)) == (True, 7, 4)


@pytest.mark.parametrize(
    ("field", "said", "complaint"),
    [
        ("actions", "1", "is 2 to"),
        ("actions", "x", "whole number"),
        ("orders", "5.3", "a number or a range"),
        ("orders", "9..3", "1 <= A <= B"),
        ("topic", "nonsuch", "no topic nonsuch"),
        ("topic", "er", "several topics match"),
        ("seed", "-3", "whole number"),
    ],
)
def test_a_wrong_wish_is_named(field: str, said: str, complaint: str) -> None:
    wished = {"actions": "5", "timed": "off", "orders": "", "topic": "", "seed": "", field: said}
    with pytest.raises(UserError, match=complaint):
        read_request(wished)


@pytest.mark.parametrize("every", [3, *nightly(1)])
async def test_hostile_titles_and_names_do_nothing(every: int) -> None:
    library_folder().mkdir(parents=True)
    for i, batch in enumerate(BATCHES[::every]):
        made = hostile_session(batch, readable=bool(i % 2)).model_copy(update={"title": batch[0]})
        save(made, library_folder() / f"{i}\x1b[31m\u202e[b].planscope.json")
    async with opened(FIRST, (100, 30)) as driven:
        screen = await entered(driven)
        for _ in BATCHES[::every]:
            await driven.press("down")
            await rested(driven)
            assert_clean(driven)
        for key in ("v", "escape", "!", "escape", "D", "escape", "y", "escape", "Y", "slash", "a"):
            await driven.press(key)
            assert_clean(driven)
        await driven.press("escape", "home", "enter")
        await until(driven, lambda: driven.app.screen is driven.app.screen_of_session or bool(screen.notice))
        assert_clean(driven)


@pytest.mark.parametrize("every", [18, *nightly(6)])
async def test_hostile_files_are_listed_or_named(every: int) -> None:
    library_folder().mkdir(parents=True)
    for number, file in enumerate(SMALL[::every]):
        folder = library_folder() / "made" / str(number)
        folder.mkdir(parents=True)
        path = file.write(folder)
        if os.path.lexists(path):
            path.rename(library_folder() / f"{number:03}.planscope.json")
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        assert len(screen.state.listed) >= len(SMALL[::every]) - 3
        assert all(entry.wrong or entry.checked for entry in screen.state.listed)
        for _ in range(72 // every):
            await driven.press("pagedown")
            await rested(driven)
            assert_clean(driven)


async def test_the_list_does_not_wait_for_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(found: object, stop: object) -> object:
        while not stop():
            time.sleep(0.01)
        return iter(())

    for i in range(5):
        put(f"s{i}")
    monkeypatch.setattr("planscope.tui.controllers.library_list.judge_all", slow)
    async with opened(FIRST) as driven:
        await driven.press("L")
        screen = driven.app.screen
        await until(driven, lambda: screen.state.complete)
        await driven.pilot.pause()
        assert "… judging" in driven.text and len(screen.state.listed) >= 5
        await driven.press("escape")
        assert driven.app.screen is driven.screen
