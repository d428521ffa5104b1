"""Edits a text in the user's own editor, which gets the terminal and the text in a private file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from textual.app import App

MOST_BYTES = 4_000_000
"""The size limit of an edited file, in bytes."""

_USUAL = ("sensible-editor", "editor", "nano", "vim", "vi")


class EditorTrouble(UserError):
    """The text could not be edited; the message is one line, safe to show."""


def editor_command() -> list[str]:
    """Return the editor that the environment names, else the first common editor that is installed."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        try:
            command = shlex.split(named)
        except ValueError:
            command = []
        if not command:
            raise EditorTrouble(f"$EDITOR is not a command: {shown(named, 60)}")
        if shutil.which(command[0]) is None:
            raise EditorTrouble(f"$EDITOR names a program that is not installed: {shown(command[0], 60)}")
        return command
    for name in _USUAL:
        if shutil.which(name) is not None:
            return [name]
    raise EditorTrouble("no editor found: set $EDITOR")


def edit_elsewhere(app: App[Any], text: str) -> str:
    """Edit a text and return it. Blocks until the editor ends. Raises :class:`EditorTrouble`."""
    from textual.app import SuspendNotSupported

    command = editor_command()
    with tempfile.TemporaryDirectory(prefix="planscope-") as folder:  # a folder that only the user can read
        path = Path(folder) / "query.txt"
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        try:
            with app.suspend():
                status = subprocess.run([*command, str(path)], check=False).returncode
        except SuspendNotSupported:
            raise EditorTrouble("no editor can run in this terminal") from None
        except OSError as error:
            raise EditorTrouble(f"{shown(command[0], 60)} cannot be run: {error.strerror}") from None
        if status != 0:
            raise EditorTrouble(f"{shown(command[0], 60)} ended with status {status}: the text is unchanged")
        return _read(path, text)


def _read(path: Path, before: str) -> str:
    """Read the text back, without the final newline that editors add."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise EditorTrouble(f"the text cannot be read back: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise EditorTrouble("the edited text is too long; the query is unchanged")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EditorTrouble("the edited text is not UTF-8; the query is unchanged") from None
    text = text.replace("\r\n", "\n") if "\r\n" not in before else text
    return text[:-1] if text.endswith("\n") and not before.endswith("\n") else text
