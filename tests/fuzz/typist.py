"""A random typist on the edit screen: types, pastes, deletes, undoes, commands, leaves and comes back.

What is in the draft is what a model of it says, and nothing that was typed is ever lost.
``python -m tests.fuzz.typist 20000`` lets one type for longer.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from pathlib import Path

from textual import events

from planscope.debugger.draft_reading import read_draft
from planscope.session.json_bytes import plain_text
from planscope.tui.actions import ACTIONS
from planscope.tui.keys import normal
from planscope.tui.screens.edit.screen import EditScreen
from tests.hostile import HOSTILE
from tests.tui import sessions
from tests.tui.editing import Editing, editing

LEAVING = {"run-draft", "keep-draft", "leave-edit", "own-editor"}
COMMANDS = [normal(a.keys[0]) for a in ACTIONS if a.where == "edit" and a.id not in LEAVING]
WORDS = (
    "Network audit",
    "disk check",
    " precedes",
    " before",
    " happens",
    ", which",
    ".",
    " and",
    " ",
    "\n",
    "qx",
)
MOVES = ("left", "right", "up", "down", "home", "end", "pageup", "pagedown", "ctrl+left", "ctrl+right")
TAKES = ("backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "alt+delete", "ctrl+x")
SIZES = ((80, 24), (120, 40), (200, 60), (50, 12), (61, 16))


class Typist:
    """``text`` is the model: what was typed, with ``at`` and the selection as the screen has them before each key."""

    def __init__(self, driven: Editing, draw: random.Random) -> None:
        self.driven, self.draw = driven, draw
        self.seen = {driven.draft}
        self.text = driven.draft
        self.edits = 0

    def agree(self) -> None:
        assert self.driven.draft == self.text, (self.driven.draft[-80:], self.text[-80:])
        self.seen.add(self.text)
        edited = self.driven.edit.state.edited
        assert 0 <= edited.at <= len(self.text) and edited.anchor != edited.at

    async def step(self) -> None:
        kind = self.draw.choices(
            ("type", "paste", "take", "move", "travel", "complete", "command", "return", "resize"),
            (60, 12, 18, 20, 12, 6, 5, 2, 1),
        )[0]
        await getattr(self, kind)()
        self.agree()

    def put(self, text: str) -> None:
        start, end = self.driven.edit.state.edited.selection
        self.text = self.text[:start] + plain_text(text) + self.text[end:]
        self.seen.add(self.text)
        self.edits += 1

    async def type(self) -> None:
        for char in self.draw.choice(WORDS):
            key = {" ": "space", "\n": "enter"}.get(char, char)
            self.put(char)
            if key == "enter":
                await self.close()
            self.driven.edit.post_message(events.Key(key, None if key == "enter" else char))
            await self.driven.pilot.pause()

    async def close(self) -> None:
        """An open offer would take Enter for itself."""
        if self.driven.edit.state.offered is not None:
            await self.driven.keys("escape")

    async def paste(self) -> None:
        text = self.draw.choice(HOSTILE)[: self.draw.choice((3, 30, 900))]
        self.put(text.replace("\r\n", "\n").replace("\r", "\n"))
        self.driven.edit.post_message(events.Paste(text))
        await self.driven.pilot.pause()

    async def take(self) -> None:
        before, (start, end) = self.text, self.driven.edit.state.edited.selection
        await self.driven.keys(self.draw.choice(TAKES))
        now = self.driven.draft
        if start < end:
            assert now == before[:start] + before[end:]
        else:  # one stretch is gone that ends or begins at the caret
            at = self.driven.edit.state.edited.at
            assert at in range(start + 1) and now == before[:at] + before[at + len(before) - len(now) :]
            assert at == start or at + len(before) - len(now) == start
        self.text = now
        self.edits += 1

    async def move(self) -> None:
        await self.close()
        shift = self.draw.choice(("", "", "shift+"))
        move = self.draw.choice(MOVES)
        await self.driven.keys(*[move if "+" in move else shift + move] * self.draw.randint(1, 4))

    async def travel(self) -> None:
        """Undo and redo lead to what was there before, and as far as they go nothing is missing."""
        back, forth = self.draw.randint(1, 6), self.draw.randint(0, 6)
        await self.driven.keys(*["ctrl+z"] * back, *["ctrl+y"] * forth)
        if self.draw.random() < 0.1:
            steps = len(self.driven.edit.state.history.future)
            await self.driven.keys(*["ctrl+y"] * steps)
        assert self.driven.draft in self.seen
        self.text = self.driven.draft

    async def complete(self) -> None:
        before, (start, end) = self.text, self.driven.edit.state.edited.selection
        for key in ("tab", *self.draw.choice(((), ("down",), ("enter",), ("escape",), ("tab", "tab")))):
            await self.driven.keys(key)
            self.seen.add(self.driven.draft)
        if not self.driven.edit.state.typing:
            await self.driven.keys("i")
        now = self.driven.draft
        kept = "".join((before[:start] + before[end:]).split())  # Enter where nothing is offered is typed
        assert len("".join(now.split())) >= len(kept) - 60, (before, now)
        self.text = now
        await self.close()

    async def command(self) -> None:
        """A command with whatever it asks, then back to the text. Only renaming, dropping and undoing change it."""
        await self.close()
        driven = self.driven
        await driven.keys("escape")
        for _ in range(self.draw.randint(1, 3)):
            await driven.press(self.draw.choice((*COMMANDS, "down", "up", "tab", "enter", "question_mark")))
            for _ in range(4):
                if isinstance(driven.app.screen, EditScreen):
                    break
                keys = (
                    *self.draw.choice(("7", "xy", "disk check", "[/")),
                    "backspace",
                    "enter",
                    "down",
                    "escape",
                )
                await driven.press("space" if (key := self.draw.choice(keys)) == " " else key)
            while not isinstance(driven.app.screen, EditScreen):
                await driven.press("escape")
            while driven.edit.state.typing:  # once more where something is offered
                await driven.keys("escape")
            self.seen.add(driven.draft)
        self.text = driven.draft
        await driven.keys("i")

    async def return_(self) -> None:
        """Leave, and come back: the draft is as it was."""
        history = self.driven.edit.state.history
        await self.close()
        await self.driven.keys("escape")
        await self.driven.press("escape")
        assert not isinstance(self.driven.app.screen, EditScreen)
        await self.driven.press("e")
        assert self.driven.edit.state.history.past == history.past or not self.driven.edit.state.changed
        self.text = self.text if self.driven.edit.state.changed else self.driven.draft

    async def resize(self) -> None:
        await self.driven.pilot.resize_terminal(*self.draw.choice(SIZES))
        await self.driven.pilot.pause()


setattr(Typist, "return", Typist.return_)


async def let_type(path: Path, seed: int, edits: int) -> Typist:
    """Type so often, then look whether the last reading is that of the draft."""
    async with editing(path) as driven:
        typist = Typist(driven, random.Random(seed))
        while typist.edits < edits:
            await typist.step()
        await typist.close()
        await driven.settle()
        seen = driven.edit.state.seen
        assert seen is not None
        fresh = read_draft(driven.edit.state.draft, seen.before)
        assert (seen.errors, seen.rows, seen.problem) == (fresh.errors, fresh.rows, fresh.problem)
    return typist


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    path = sessions.write(sessions.out_of_order(), Path(tempfile.mkdtemp()))
    typist = asyncio.run(let_type(path, int(sys.argv[2]) if len(sys.argv) > 2 else 0, edits))
    sys.stdout.write(f"{typist.edits} edits, {len(typist.seen)} texts seen\n")


if __name__ == "__main__":
    main()
