"""Calls tools as an agent asks for them, in the process that has imported them (``served.py`` is the other end).

Lines in, one at a time: ``begin`` (a fresh child, with ``files`` in its folder), then ``call`` and at last ``end``.
Lines out: ``begun``, ``made`` for each call, ``ended`` with the files of the folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.toolfuzz.host import Channel, Host
from planscope.toolfuzz.outcome import OK, REFUSED, Refused
from planscope.toolfuzz.sequences import plain_answer
from planscope.toolfuzz.served import LARGEST_FILES, MOST_FILES
from planscope.toolfuzz.tools import Tool

if TYPE_CHECKING:
    from planscope.toolfuzz.mcp_tools import ServerHost


def serve(
    tools: Mapping[str, Tool],
    hosts: Mapping[str, Host | ServerHost],
    folder: Path,
    commands: int,
    limit: float,
    send: Callable[[Mapping[str, Any]], None],
) -> None:
    """Serve runs until the commands end. ``commands``: a file descriptor; ``limit``: seconds of a call."""
    host = next(iter(hosts.values()))
    while (begin := _line(commands)) is not None:
        files: dict[str, str] = begin.get("files") or {}
        while True:
            end = host.run(_job(tools, hosts, folder, commands, files), send, lambda: limit)
            if end.how == "done":
                break
            if end.outcome is not None and end.text:
                send({"event": "made", "answer": None, "refusal": "", "outcome": asdict(end.outcome)})
            files = {}  # the folder was lost with the process


def _job(
    tools: Mapping[str, Tool],
    hosts: Mapping[str, Host | ServerHost],
    folder: Path,
    commands: int,
    files: Mapping[str, str],
) -> Callable[[Channel], None]:
    def job(channel: Channel) -> None:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for reset in {id(one.reset): one.reset for one in tools.values()}.values():
            if reset is not None:
                reset()
        channel.send({"event": "begun"})
        number = 0
        while (one := _line(commands)) is not None and one["do"] == "call":
            number += 1
            channel.send(
                {"event": "made", **_made(channel, tools[one["tool"]], hosts[one["tool"]], one, number)}
            )
        if one is not None:
            channel.send({"event": "ended", "files": dict(_files(folder))})

    return job


def _made(
    channel: Channel, tool: Tool, host: Host | ServerHost, one: Mapping[str, Any], number: int
) -> dict[str, Any]:
    """Call a tool as an agent does, through its own validation."""
    given, places = one["arguments"], host.places
    text = json.dumps(given)
    channel.begin(number, text)
    answer, refusal, outcome = None, "", OK
    try:
        tool.bind(json.loads(text))
    except Refused as error:
        refusal, outcome = str(error)[:2000] or "the schema does not accept the arguments", REFUSED
    except Exception as error:  # a validator of the tool's own that fails otherwise
        refusal, outcome = f"{type(error).__name__}: {error}"[:2000], REFUSED
    if outcome is OK:
        answer, outcome = channel.judged(lambda: tool.invoke(json.loads(text)), given, places)
    channel.end()
    channel.told.take()
    return {"answer": plain_answer(answer), "refusal": places.clean(refusal), "outcome": asdict(outcome)}


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
    return json.loads(data)  # type: ignore[no-any-return]
