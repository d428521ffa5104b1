"""Calls tools as an agent asks for them, in the process that has imported them (``served.py`` is the other end).

Lines in, one at a time: ``begin`` (a fresh child, with ``files`` in its folder), then ``call`` and at last ``end``.
Lines out: ``begun``, ``made`` for each call, ``ended`` with the files of the folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from planscope.toolfuzz.host import Channel
from planscope.toolfuzz.job import LARGEST_FILES, MOST_FILES
from planscope.toolfuzz.outcome import Made, lost
from planscope.toolfuzz.programs import Stage


def serve(stage: Stage, folder: Path, commands: int, send: Callable[..., None]) -> None:
    """Serve runs until the commands end. ``commands``: a file descriptor."""
    while (begin := _line(commands)) is not None:
        _serve_run(stage, folder, commands, send, begin.get("files") or {})


def _serve_run(
    stage: Stage, folder: Path, commands: int, send: Callable[..., None], files: dict[str, str]
) -> None:
    def job(channel: Channel) -> None:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        stage.reset()
        channel.send("begun")
        number = 0
        while (one := _line(commands)) is not None and one["do"] == "call":
            number += 1
            channel.send("made", made=asdict(stage.make(channel, one["call"], number, True)))
        if one is not None:
            channel.send("ended", files=dict(_files(folder)))

    while (end := stage.host.run(job, send, lambda: stage.limit)).how != "done":
        if end.text or end.how == "slow":  # the parent waits for an answer
            late = lost("hung", "the call was ended because it was late", None, "", stage.host.places)
            send("made", made=asdict(Made("", {}, None, end.outcome or late)))
        files = {}  # the folder was lost with the process


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the folder's files by their relative names, sorted; a folder's name ends with a slash."""
    left = LARGEST_FILES
    for number, path in enumerate(sorted(folder.rglob("*"))):
        if number >= MOST_FILES or left <= 0:
            return
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not path.is_file():
            yield (f"{name}/", "") if path.is_dir() else (name, "")
            continue
        with suppress(OSError), path.open("rb") as stream:
            data = stream.read(left)
            left -= len(data)
            yield name, data.decode("utf-8", "backslashreplace")


def _line(commands: int) -> dict[str, Any] | None:
    """Read one line of the parent, who sends the next one only after the answer. None at the end."""
    data = bytearray()
    while not data.endswith(b"\n"):
        part = os.read(commands, 2**16)
        if not part:
            return None
        data += part
    return dict(json.loads(data))
