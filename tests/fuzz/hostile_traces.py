"""Traces of every format, damaged in every way: ``python -m tests.fuzz.hostile_traces [SECONDS] [SEED]``.

A damaged file gives traces or one line, never a crash, and what it gives can be saved as a session and read again.
"""

from __future__ import annotations

import copy
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planscope.errors import UserError
from planscope.session.files import SessionError
from planscope.session.store import dumps, loads
from planscope.session.traces import session_of, trace_of
from planscope.traces import open_traces
from tests.traces.samples import SAMPLES, inspect_zip

DEEP: Any = None
for _ in range(300):
    DEEP = [DEEP]
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**40, 1e308, "", "x", "\ud800", "\x00\x1b[31m", "Error", "2026-01-01T00:00:00Z", "9999-99-99", "../../etc/passwd",
    [], {}, [[]], [None], [1, "a"], {"": None}, {"type": "tool_use"}, {"role": "assistant"}, {"content": []}, "{", '{"a": 1}', "[1]", "a" * 5000, DEEP,
)  # fmt: skip
NASTY = (b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\n\n\n", b"[" * 3000, b'{"a":' * 3000, b"NaN", b"\xed\xa0\x80", b'"', b"}", b"]", b",", b"\\", b"1" * 5000)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value: the list or object, and the index or key."""
    stack = [value]
    while stack:
        at = stack.pop()
        pairs = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
        for key, inner in list(pairs):
            yield at, key
            stack.append(inner)


def changed(value: Any, draw: random.Random) -> Any:
    """The value with a few places replaced, removed, repeated or swapped."""
    value = copy.deepcopy(value)
    for _ in range(draw.randint(1, 4)):
        found = list(places(value))
        if not found:
            break
        at, key = draw.choice(found)
        way = draw.randrange(5)
        if way == 0:
            at[key] = copy.deepcopy(draw.choice(ODD))
        elif way == 1:
            del at[key]
        elif way == 2 and isinstance(at, list):
            at[key:key] = [copy.deepcopy(at[key])] * draw.choice((1, 2, 500))
        elif way == 3:
            other, name = draw.choice(found)
            if name in other if isinstance(other, dict) else name < len(other):
                at[key] = copy.deepcopy(other[name])
        elif isinstance(at, dict):
            at[str(draw.choice(ODD))[:20]] = at.pop(key)
    return value


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The bytes of a damaged file."""
    if draw.random() < 0.7 and data[:2] != b"PK":
        try:
            return json.dumps(changed(json.loads(data), draw), indent=draw.choice((None, 1))).encode(
                "utf-8", "replace"
            )
        except (ValueError, RecursionError):
            values = [json.loads(line) for line in data.splitlines()]
            values = changed(values, draw)
            if isinstance(values, list) and values:
                return b"".join(json.dumps(one).encode() + b"\n" for one in values)
    at = draw.randrange(len(data) + 1)
    way = draw.randrange(4)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + draw.choice(NASTY) + data[at:]
    if way == 2:
        return data[:at] + bytes(draw.randrange(256) for _ in range(draw.randint(1, 8))) + data[at + 3 :]
    return data[:at] + data[draw.randrange(len(data)) :]


def check(folder: Path, data: bytes) -> None:
    """Read the file, save what it gives, and read that again. Raises for anything but one line about the file."""
    path = folder / "trace"
    path.write_bytes(data)
    try:
        traces = list(open_traces([path]))
    except UserError as error:
        assert len(str(error).splitlines()) == 1, error
        return
    for trace in traces:
        assert [call.step for call in trace.calls] == list(range(1, len(trace.calls) + 1))
        messages = [item.message for item in trace.items]
        assert messages == sorted(messages), messages
        assert trace.problem is None or "\n" not in trace.problem
        for call in trace.calls:
            assert isinstance(call.tool, str) and call.tool
            assert call.arguments is None or isinstance(call.arguments, dict)
            assert call.answer is None or isinstance(call.answer, str)
    try:
        session = loads(dumps(session_of(traces[:20])))
    except SessionError as error:
        assert "larger" in str(error) or "more than" in str(error), error
        return
    for run in session.runs:
        trace_of(run)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    samples = [data for _, data in SAMPLES.values()] + [inspect_zip(0)]
    end, count = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            draw = random.Random(seed + count)
            data = mutated(draw.choice(samples), draw)
            try:
                check(Path(folder), data)
            except Exception:
                sys.stdout.write(f"seed {seed + count}: {data[:300]!r}\n")
                raise
            count += 1
    sys.stdout.write(f"{count:,} damaged traces, none crashed\n")


if __name__ == "__main__":
    main()
