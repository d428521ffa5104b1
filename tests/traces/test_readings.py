"""All that is read of each sample file, field by field.

``PLANSCOPE_UPDATE_READINGS=1`` writes ``readings.txt`` anew; look at the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from planscope.oracle.trace import Item, ToolCall, Trace
from planscope.traces import open_traces
from tests.traces.rich import FILES

EXPECTED = Path(__file__).parent / "readings.txt"


CALL = (
    *("step", "tool", "message", "arguments", "error", "answer", "answered", "failed", "guessed", "refused"),
    *("agent", "at", "took", "call_id", "raw"),
)
"""The fields of a call in the order of ``readings.txt``."""


def shown(item: Item) -> str:
    """An item on one line: its kind, and its fields, without those that are None or, but for ``failed``, False."""
    kind = "call" if isinstance(item, ToolCall) else "by" if hasattr(item, "by") else "mark"
    names = [field.name for field in fields(item)]
    if isinstance(item, ToolCall):
        names.sort(key=CALL.index)
    found = [(name, getattr(item, name)) for name in names]
    return f"  {kind}  " + "  ".join(
        f"{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in found
        if value is not None and (value is not False or name == "failed")
    )


def rows(trace: Trace) -> Iterator[str]:
    about = (
        "id",
        "format",
        "model",
        "agent",
        "title",
        "started",
        "ending",
        "reason",
        "cause",
        "problem",
        "unknown_lines",
        "reward",
        "left_out",
    )
    yield "  ".join(
        f"{key}={getattr(trace, key)!r}" for key in about if getattr(trace, key) not in (None, {}, [])
    )
    for tool in trace.tools.values():
        yield f"  tool  {tool.name}  {tool.description!r}  {json.dumps(tool.parameters)}"
    yield from map(shown, trace.items)
    for branch in trace.branches:
        yield f"  branch after {branch.after}"
        yield from ("  " + shown(item) for item in branch.items)


def read(folder: Path, data: bytes) -> str:
    (folder / "run.txt").write_bytes(data)
    return "\n".join(row for trace in open_traces([folder / "run.txt"]) for row in rows(trace))


def expected() -> dict[str, str]:
    parts = EXPECTED.read_text().split("\n== ")[1:]
    return {name: rest.rstrip("\n") for name, _, rest in (part.partition("\n") for part in parts)}


def test_every_file_has_its_reading(tmp_path: Path) -> None:
    if os.environ.get("PLANSCOPE_UPDATE_READINGS"):
        made = "".join(f"\n== {name}\n{read(tmp_path, data)}\n" for name, data in FILES.items())
        EXPECTED.write_text(made)
    assert set(expected()) == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_all_fields_are_read(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, FILES[name]) == expected()[name]
