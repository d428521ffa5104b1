"""The draft while it is written, without an application: what changes it, what is read of it, what is written down."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from textual.message import Message

from planscope.debugger.draft import Draft, DraftError, drop_action, set_timed
from planscope.debugger.draft_reading import DraftReading, read_draft
from planscope.debugger.draft_typing import redo, undo
from planscope.tui.controllers import draft_editor
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.draft_editor import DraftEditor
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.messages import Notice, StateChanged
from tests.tui import sessions
from tests.tui.editing import TWO


class Noted:
    """Takes drafts to be written down."""

    def __init__(self) -> None:
        self.drafts: list[Draft | None] = []

    def note(self, path: object, session: str, parent: object, draft: Draft | None) -> None:
        self.drafts.append(draft)


class Desk:
    """The controller with what it posted; its threads end with the test."""

    made: ClassVar[list[Desk]] = []

    def __init__(self, **more: Any) -> None:
        self.made.append(self)
        self.posted: list[Message] = []
        self.noted = Noted()
        document = Document(Path("none"))
        document.open(sessions.out_of_order())
        drafts: Any = self.noted
        self.jobs = Jobs(asyncio.get_running_loop())
        parent = document.open_session.variants[0]
        self.editor = DraftEditor(parent, document, self.jobs, drafts, self.posted.append, **more)

    async def rest(self, done: Callable[[], object] | None = None) -> None:
        begun = time.monotonic()
        while not (done() if done else self.editor.at_rest) and time.monotonic() - begun < 60:
            await asyncio.sleep(0.002)


@pytest.fixture(autouse=True)
async def ended() -> AsyncIterator[None]:
    yield
    for document in Desk.made:
        document.jobs.close(60.0)
    Desk.made.clear()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """Reading waits for the event; the texts that were begun to be read."""
    go, begun = threading.Event(), []

    def read(draft: Draft, before: Any = None) -> DraftReading:
        begun.append(draft.text)
        go.wait(60)
        return read_draft(draft, before)

    monkeypatch.setattr(draft_editor, "read_draft", read)
    yield go, begun
    go.set()


async def test_what_is_typed_is_read_and_solved_and_said() -> None:
    document = Desk()
    document.editor.insert(" Network audit precedes cable survey.")
    assert not document.editor.at_rest and [type(message) for message in document.posted] == [StateChanged]
    await document.rest()
    seen, solved = document.editor.state.seen, document.editor.state.solved
    assert seen is not None and solved is not None
    assert len(seen.sentences) == 3 and solved.can_be_met and not seen.errors
    assert isinstance(document.posted[-1], StateChanged) and len(document.posted) > 1


async def test_of_drafts_typed_meanwhile_only_the_newest_is_read(held: Any) -> None:
    go, begun = held
    document = Desk()
    document.editor.read()
    await document.rest(lambda: begun)
    for letter in "abc":
        document.editor.insert(letter, "type")
    go.set()
    await document.rest()
    assert begun == [TWO, TWO + "abc"]
    assert document.editor.state.seen is not None and document.editor.state.seen.draft.text == TWO + "abc"


async def test_what_is_read_after_leaving_changes_nothing(held: Any) -> None:
    go, begun = held
    document = Desk()
    document.editor.read()
    await document.rest(lambda: begun)
    document.editor.insert("x")
    document.editor.close()
    posted = len(document.posted)
    go.set()
    await asyncio.sleep(0.05)
    assert begun == [TWO] and len(document.posted) == posted and document.editor.state.seen is None


async def test_an_error_in_reading_is_said_and_the_next_draft_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(*given: object) -> None:
        raise RuntimeError("no \x1b[2J memory")

    document = Desk()
    monkeypatch.setattr(draft_editor, "read_draft", wrong)
    document.editor.read()
    await document.rest(lambda: document.posted)
    notice = document.posted[0]
    assert (
        isinstance(notice, Notice) and notice.line.startswith("not read: no ") and "\x1b" not in notice.line
    )
    monkeypatch.undo()
    document.editor.insert("x")
    await document.rest()
    assert document.editor.at_rest


async def test_changes_are_noted_and_a_draft_that_is_as_its_parent_is_none() -> None:
    document = Desk(at=0)
    document.editor.insert("x")
    document.editor.select((0, 1), typing=True)
    assert document.editor.travel(undo) and not document.editor.travel(undo)
    assert [draft.text if draft else None for draft in document.noted.drafts] == ["x" + TWO, None]
    assert (
        document.editor.travel(redo)
        and not document.editor.travel(redo)
        and document.editor.state.draft.text == "x" + TWO
    )


async def test_what_is_refused_leaves_the_draft_as_it_is() -> None:
    document = Desk()
    state = document.editor.state
    with pytest.raises(DraftError):
        document.editor.insert("x" * (state.draft.longest + 1))
    wrong = document.editor.refused(lambda draft: drop_action(draft, "a9"))
    assert wrong is not None and "a9" in wrong
    with pytest.raises(DraftError, match="a9"):
        document.editor.redraft(lambda draft: drop_action(draft, "a9"))
    assert document.editor.state is state and not document.posted and not document.noted.drafts


async def test_a_draft_is_gone_on_with_and_begun_anew() -> None:
    first = Desk()
    first.editor.insert("!")
    first.editor.redraft(lambda draft: set_timed(draft, True))
    document = Desk(history=first.editor.state.history)
    assert document.editor.state.changed and document.editor.state.draft == first.editor.state.draft
    document.editor.start_over()
    assert not document.editor.state.changed and document.editor.state.draft.text == TWO
    assert document.editor.travel(undo) and document.editor.state.draft.timed


async def test_what_is_offered_follows_what_is_typed_until_it_does_not() -> None:
    document = Desk()
    document.editor.insert(" Cable survey p")
    assert document.editor.complete().offers and document.editor.state.offered is not None
    document.editor.insert("r", "type")
    assert document.editor.state.offered is not None
    document.editor.insert("q", "type")
    assert document.editor.state.offered is None
    assert document.editor.replace_text("net") and document.editor.complete().offers
    assert document.editor.state.draft.text == "Network audit "  # the only thing that begins so
    assert not document.editor.replace_text("Network audit ")


async def test_troubles_are_known_once_it_is_read() -> None:
    document = Desk()
    document.editor.insert(" Qx. Disk check zz.")
    assert document.editor.troubles() is None
    await document.rest()
    text = document.editor.state.draft.text
    assert [text[start:end] for start, end in document.editor.troubles() or ()] == ["Qx", "zz"]


async def test_the_action_meant_is_that_of_the_pane_or_of_the_caret() -> None:
    document = Desk(at=TWO.index("audit"))
    document.editor.read()
    await document.rest()
    line = document.editor.action_meant()
    assert line is not None and line.now is not None and line.now.name.casefold() == "network audit"
    document.editor.redraft(lambda draft: drop_action(draft, "a2"))
    document.editor.command("actions")
    document.editor.choose("actions", 99)
    line = document.editor.action_meant()
    assert line is not None and line.now is None and line.was is not None and line.was.id == "a2"


async def test_a_variant_is_made_of_a_draft_whether_it_can_be_read_or_not() -> None:
    document = Desk()
    for text, readable in ((" Network audit precedes cable survey.", True), (" Qx.", False)):
        document.editor.insert(text)
        made = document.editor.variant()
        assert made.parent == document.editor.of.id and made.id != document.editor.of.id
        assert made.query.text == document.editor.state.draft.text
        assert document.editor.seen_now().readable is readable
