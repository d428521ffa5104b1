"""A run shared from the screen: in every form, with what is private replaced unless the user says otherwise."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from planscope.session.model import Session
from planscope.session.store import dumps, load, loads
from planscope.sharing.redact import Redaction, look_through
from planscope.tui.dialogs.ask import ChooseDialog, WaitDialog
from planscope.tui.dialogs.base import TextBox
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.dialogs.share_preview import PreviewDialog
from planscope.tui.screens.flows.share import FORMS, file_for
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened
from tests.tui.test_compare import entered
from tests.tui.test_hostile_screen import BATCHES, assert_clean, hostile_session
from tests.tui.test_live import until

KEY = "sk-" + "proj-Zq8vK2mXw4TbN7rLp9YdHs3JfGc6VtRe1UaQ5oMi"
MAIL = "alice.smith@acmecorp.io"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def private() -> Session:
    """A session with a key in its prompt and an address in an answer, of the second run."""
    made = sessions.figure_10()
    events = made.runs[1].events
    events[0] = events[0].model_copy(update={"text": f"Do all the tasks. Key: {KEY}"})
    events[3] = events[3].model_copy(update={"text": f"Takes 2 hours, said {MAIL}."})
    return made


@pytest.fixture(scope="module", autouse=True)
def _detectors() -> None:
    """They are loaded once, and not by a thread beside a screen that waits for it."""
    look_through(private())


async def chosen(driven: Driven, form: str = "markdown") -> None:
    """Choose a form, and the whole session."""
    await driven.press("E", "home", *["down"] * [f.name for f in FORMS].index(form), "enter")
    if isinstance(driven.app.screen, ChooseDialog):
        assert "How much?" in driven.text
        await driven.press("end", "enter")


async def previewed(driven: Driven, form: str = "markdown") -> PreviewDialog:
    """Up to the preview, with everything looked through."""
    await chosen(driven, form)
    dialog = driven.app.screen
    assert isinstance(dialog, PreviewDialog)
    await until(driven, lambda: dialog.redaction is not None or dialog.trouble)
    await driven.pilot.pause()
    return dialog


async def shared(driven: Driven) -> None:
    await driven.press("enter", "enter")
    await until(driven, lambda: not driven.screen.work.jobs.running("share make"))
    await driven.answered()


@pytest.mark.parametrize(
    "form",
    [
        form.name if form.name in ("html", "pytest") else pytest.param(form.name, marks=pytest.mark.nightly)
        for form in FORMS
    ],
)
async def test_every_form_is_written_and_holds_nothing_private(form: str, tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven, form)
        assert "2 private values will be replaced" in driven.text and "REDACTED_EMAIL_1" in driven.text
        whole = "The file contains the whole session: 1 query, 2 runs" in driven.text
        assert whole == (form in ("html", "session"))
        await shared(driven)
        (made,) = Path.cwd().iterdir()
        assert f"written to {made.name}: 2 private values replaced" in driven.text
        text = made.read_text(encoding="utf-8")
        assert KEY not in text and MAIL not in text and text.strip()
        if form in ("html", "session"):
            assert [len(run.events) for run in load(made).runs] == [len(r.events) for r in private().runs]
        if form == "svg":
            assert text.startswith("<svg") and "figure-10" in text
        if form == "json":
            assert json.loads(text)["run"]["id"] == "r2"
        if form == "pytest":
            compile(text, str(made), "exec")
            assert made.name == "test_test.py"
        assert (
            driven.screen.work.document.run("r2").events == private().runs[1].events
        )  # what is open stays as it is
        assert driven.app.work.document.saving.state == ""


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_the_preview_shows_each_finding_and_takes_decisions(
    size: tuple[int, int], tmp_path: Path, same_frame: object
) -> None:
    async with opened(sessions.write(private(), tmp_path), size) as driven:
        dialog = await previewed(driven, "session")
        for text in (KEY[:12], MAIL, "REDACTED_OPENAI_KEY_1", "REDACTED_EMAIL_1", "OpenAI key: "):
            assert text in driven.text
        if size == (80, 24):
            same_frame(driven.app, "share-preview")
        await driven.press("down")
        assert "in run r2, step 1, text" in driven.text
        await driven.press("space")
        assert "1 private value will be replaced, 1 will stay" in driven.text
        await driven.press("up", "e", "end", "ctrl+u", *"two words", "enter")
        assert "one word" in driven.text
        await driven.press("ctrl+u", *"KEY", "enter")
        assert "KEY " in driven.text and dialog.redaction is not None
        assert next((f.kept, f.replacement) for f in dialog.redaction.findings) == (False, "KEY")
        await driven.press("enter")
        assert "! 1 private value is kept; 1 replaced" in driven.text
        if size == (80, 24):
            same_frame(driven.app, "share-where")
        await driven.press("escape")
        await shared(driven)
        (made,) = Path.cwd().iterdir()
        text = made.read_text()
        assert KEY not in text and MAIL in text


async def test_one_run_can_be_shared_alone(tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await driven.press("o", "E", "home", *["down"] * [f.name for f in FORMS].index("session"), "enter")
        assert "Only run r2" in driven.text and "The whole session: 1 query, 2 runs" in driven.text
        await driven.press("home", "enter")
        await driven.sees("these runs of the session: 1 query, 1 run")
        await driven.until(lambda: not driven.screen.work.jobs.running("share look"))
        await shared(driven)
        (made,) = Path.cwd().iterdir()
        assert [run.id for run in load(made).runs] == ["r2"]


async def test_as_it_is_only_where_that_was_typed(tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        dialog = await previewed(driven, "session")
        for typed in ("", "yes", "no-redac", "redact"):
            await driven.press("a")
            await driven.type(typed)
            await driven.press("enter")
            assert "that is not no-redact" in driven.text and not dialog.as_it_is
            await driven.press("escape")
            assert driven.app.screen is dialog and "will be replaced" in driven.text
        await driven.press("a")
        await driven.type("no-redact")
        await driven.press("enter")
        assert "Shared without redaction" in driven.text and driven.text.count("! kept") == 2
        await driven.press("a")
        assert "will be replaced" in driven.text and "! kept" not in driven.text
        await driven.press("a")
        await driven.type("no-redact")
        await driven.press("enter", "enter")
        assert "! nothing is replaced" in driven.text and isinstance(driven.app.screen, FormDialog)
        await driven.press("enter")
        await until(driven, lambda: "written to test-shared" in driven.text)
        assert "nothing is replaced" in driven.text
        (made,) = Path.cwd().iterdir()
        assert KEY in made.read_text() and load(made).runs == private().runs


async def test_no_key_but_space_lets_a_value_out(tmp_path: Path) -> None:
    """Whatever else is pressed or clicked on the way, what is written holds nothing private."""
    ways = (
        "a enter escape",
        "a y escape tab delete backspace",
        "y n c s p E q question_mark down end",
    )
    async with opened(sessions.write(private(), tmp_path)) as driven:
        for way in ways:
            dialog = await previewed(driven, "session")
            for key in way.split():
                await driven.press(key)
            assert driven.app.screen is dialog
            for box in dialog.query(TextBox):
                await driven.pilot.click(box, offset=(20, 0))
            assert driven.app.screen is dialog and dialog.redaction is not None
            assert len(dialog.redaction.replaced) == 2
            await driven.press("escape", "escape")
        await previewed(driven, "session")
        await shared(driven)
        (made,) = Path.cwd().iterdir()
        assert KEY not in made.read_text() and MAIL not in made.read_text()


async def test_a_click_on_the_mark_lets_a_value_stay(tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        dialog = await previewed(driven, "session")
        for offset, stay in (((20, 1), 0), ((3, 1), 1), ((3, 1), 0), ((3, 0), 1)):
            await driven.pilot.click(dialog.gives_way, offset=offset)
            assert dialog.at == offset[1] and dialog.redaction is not None
            assert [f.kept for f in dialog.redaction.findings].count(True) == stay


async def test_nothing_found_is_said_where_the_file_is_named(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        await chosen(driven)
        await driven.sees("Name of the file", "✓ nothing private was found", "no program can know")
        await driven.press("escape")
        assert "Nothing private was found: no keys, tokens" in driven.text
        await driven.press("space", "e", "down")
        await shared(driven)
        assert len(list(Path.cwd().iterdir())) == 1


async def test_a_file_is_never_written_over_without_a_yes(tmp_path: Path) -> None:
    Path("old.md").write_text("mine")
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("enter")
        dialog = driven.app.screen
        assert isinstance(dialog, FormDialog)
        await driven.press("ctrl+u", *"old.md", "enter")
        assert isinstance(driven.app.screen, ChooseDialog) and "Replace the file?" in driven.text
        await driven.press("enter")
        assert isinstance(driven.app.screen, FormDialog) and "old.md" in driven.text
        assert Path("old.md").read_text() == "mine"
        await driven.press("enter", "down", "enter")
        await until(driven, lambda: "written to old.md" in driven.text)
        assert "figure-10" in Path("old.md").read_text()


async def test_a_place_that_cannot_be_written_stays_in_the_dialog(tmp_path: Path) -> None:
    Path("old.md").write_text("mine")
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("enter")
        for name, complaint in (
            ("", "enter the name"),
            ("old.md/x", "cannot be written"),
            (".", "is a directory"),
            ("~nobody0/x", "home"),
        ):
            await driven.press("ctrl+u")
            await driven.type(name)
            assert complaint not in driven.text
            await driven.press("enter")
            assert complaint in driven.text and isinstance(driven.app.screen, FormDialog), name


async def test_what_could_not_be_written_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that turns out to be none: everything that was decided stays, and the name too."""
    from planscope.session import files
    from planscope.tui.screens.flows import share as flow

    def full(path: Path, data: bytes) -> None:
        raise files.SessionError(f"{path} cannot be written: No space left on device")

    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("space", "enter", "ctrl+u", *"full.md")
        with monkeypatch.context() as patched:
            patched.setattr(flow, "write_atomic", full)
            await driven.press("enter")
            await until(driven, lambda: "No space left" in driven.text)
        assert isinstance(driven.app.screen, FormDialog) and "full.md" in driven.text
        assert "! 1 private value is kept" in driven.text
        await driven.press("enter")
        await until(driven, lambda: "written to full.md" in driven.text)


async def test_too_much_for_a_clipboard_goes_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planscope.tui.screens.flows import share as flow

    monkeypatch.setattr(flow, "LONGEST_COPY", 100)
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven, "text")
        await driven.press("enter", "ctrl+y")
        await until(driven, lambda: "too many for the clipboard" in driven.text)
        assert driven.app.clipboard == ""
        await driven.press("enter")
        await until(driven, lambda: "written to test.txt" in driven.text)


async def test_the_clipboard_instead_of_a_file(tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven, "text")
        await driven.press("enter", "ctrl+y")
        await until(driven, lambda: "sent to the terminal's clipboard" in driven.text)
        assert "figure-10" in driven.app.clipboard and KEY not in driven.app.clipboard
    assert not list(Path.cwd().iterdir())


async def test_a_copied_comparison_holds_nothing_private(tmp_path: Path) -> None:
    made = private()
    made.runs[1].model = f"openai:{KEY}"
    async with opened(sessions.write(made, tmp_path)) as driven:
        await entered(driven)
        await driven.press("y")
        await until(driven, lambda: "was sent to the terminal" in driven.text)
        assert "1 private value was replaced in it." in driven.text
        assert "REDACTED_OPENAI_KEY_1" in driven.app.clipboard and KEY not in driven.app.clipboard


async def test_esc_goes_back_and_keeps_what_was_decided(tmp_path: Path) -> None:
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("space", "enter", "escape")
        dialog = driven.app.screen
        assert isinstance(dialog, PreviewDialog) and "1 will stay" in driven.text
        await driven.press("escape")
        assert "Share this run" in driven.text
        await driven.press("escape")
        assert driven.app.screen is driven.screen
    assert not list(Path.cwd().iterdir())


async def test_what_takes_long_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.tui.screens.flows import share as flow

    go_on = threading.Event()

    def slow(*_: object, **__: object) -> str:
        go_on.wait(60)
        return "late"

    monkeypatch.setattr(flow, "in_format", slow)
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("enter", "enter")
        await until(driven, lambda: isinstance(driven.app.screen, WaitDialog))
        assert "making the markdown… " in driven.text
        await driven.press("escape")
        assert "stopped; nothing was shared" in driven.text and driven.app.screen is driven.screen
        go_on.set()
        await driven.pilot.pause(0.2)
    assert not list(Path.cwd().iterdir())


async def test_trouble_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.sharing import redact
    from planscope.sharing.redact import RedactionError

    def refuse(session: Session) -> Redaction:
        raise RedactionError("nested too deeply to be looked through")

    monkeypatch.setattr(redact, "look_through", refuse)
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        assert "✗ nested too deeply" in driven.text
        await driven.press("enter")
        assert isinstance(driven.app.screen, PreviewDialog)  # not without a word about what is private


async def test_a_request_without_a_run_and_what_if(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.no_run(), tmp_path)) as driven:
        await driven.press("E")
        assert "Share this query" in driven.text
        await driven.press("escape")
        await chosen(driven, "session")
        await driven.sees("Name of the file", "Share the session", "1 query, 0 runs")
        await driven.press("enter")
        await until(driven, lambda: not driven.screen.work.jobs.running("share make"))
        assert loads(next(Path.cwd().iterdir()).read_bytes()).runs == []
        await driven.press("p", "enter")
        await driven.rest()
        await driven.press("E")
        assert "K keeps the calls as a run" in driven.text


async def test_hostile_texts_in_the_preview(tmp_path: Path) -> None:
    texts = tuple(f"{text[:80]} {MAIL} key={KEY}" for text in BATCHES[1])
    path = tmp_path / "x.planscope.json"
    path.write_bytes(dumps(hostile_session(texts, readable=True)))
    async with opened(path, (100, 30)) as driven:
        await previewed(driven)
        assert_clean(driven)
        for key in ("down", "space", "pagedown", "e", "escape", "a", "end", "enter"):
            await driven.press(key)
            assert_clean(driven)


def test_names_of_files_that_nothing_has_yet(tmp_path: Path) -> None:
    by_name = {form.name: form for form in FORMS}
    assert file_for(Path("/x/first-look.planscope.json"), by_name["html"]) == "first-look.html"
    Path("first-look.html").write_text("x")
    assert file_for(Path("/x/first-look.planscope.json"), by_name["html"]) == "first-look-2.html"
    assert file_for(Path("/x/a b/case.planscope.json.gz"), by_name["session"]) == "case-shared.planscope.json"
    assert file_for(None, by_name["svg"]) == "planscope.svg"
    for text in SAVEABLE:
        for form in FORMS:
            name = file_for(Path("/x") / (text[:100].replace("/", "").replace("\0", "") or "y"), form)
            assert name.isprintable() and os.sep not in name and not name.startswith((".", "-"))
            if form.name == "pytest":
                assert name.removesuffix(".py").isidentifier()


async def test_what_is_being_written_is_not_said_to_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planscope.tui.screens.flows import share as sharing

    begun, go_on, write = threading.Event(), threading.Event(), sharing._write

    def slow(file: Path, text: str, over: bool) -> None:
        begun.set()
        go_on.wait()
        write(file, text, over)

    monkeypatch.setattr(sharing, "_write", slow)
    async with opened(sessions.write(private(), tmp_path)) as driven:
        await previewed(driven)
        await driven.press("enter", "enter")
        await until(driven, begun.is_set)
        await driven.press("escape")
        assert "it could not be stopped in time; see " in driven.text and driven.app.screen is driven.screen
        go_on.set()
        await until(driven, lambda: list(Path.cwd().glob("*.md")))
