"""``check - --running`` on a pipe that stays open: each line is told when it comes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planscope.documents.schemas import schema

RULES = (
    "look first: look comes before cut.\nEvery cut is followed by mend.\ncut happens at most once per id.\n"
    "cut only if the latest look had ok = true."
)
SECONDS = 60.0


class Followed:
    """A check of a pipe that stays open."""

    def __init__(self, folder: Path, *options: str) -> None:
        (folder / "rules.txt").write_text(RULES)
        command = [sys.executable, "-m", "planscope", "check", "-", "--rules", str(folder / "rules.txt")]
        self.process = subprocess.Popen(
            [*command, "--running", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        for line in self._out:
            self._lines.put(line.decode().rstrip("\n"))

    def write(self, *values: Any) -> None:
        """Write each value as a line."""
        for value in values:
            self._in.write(json.dumps(value).encode() + b"\n")
        self._in.flush()

    def told(self, count: int) -> list[str]:
        """Return the next lines that it prints."""
        return [self._lines.get(timeout=SECONDS) for _ in range(count)]

    def end(self) -> tuple[int, str]:
        """Close the pipe. Return the exit status and what it said on standard error."""
        self._in.close()
        assert self.process.stderr is not None
        errors = self.process.stderr.read().decode()
        return self.process.wait(SECONDS), errors

    def close(self) -> None:
        self.process.kill()
        self._thread.join(SECONDS)
        for pipe in (self._in, self._out, self.process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()
        self.process.wait(SECONDS)


@pytest.fixture
def follow(tmp_path: Path) -> Iterator[Any]:
    made: list[Followed] = []

    def started(*options: str) -> Followed:
        made.append(Followed(tmp_path, *options))
        return made[-1]

    yield started
    for one in made:
        one.close()


def call(k: int, tool: str) -> dict[str, Any]:
    function = {"name": tool, "arguments": '{"id": "R1"}'}
    one = {"id": f"c{k}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [one]}


def answer(k: int, text: str = "fine") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{k}", "content": text}


def test_each_message_is_told_when_it_comes(follow: Any) -> None:
    run = follow()
    run.write({"role": "user", "content": "go"})
    run.write(call(1, "look"))
    assert run.told(1) == ["step 1 (look): look first: kept"]
    run.write(answer(1, '{"ok": true}'), {"role": "assistant", "content": "Now I cut."})
    run.write(call(2, "cut"))
    assert run.told(1) == ["step 2 (cut): rule 2: owed"]
    run.write(answer(2), call(3, "cut"))
    assert run.told(1) == ["step 3 (cut): rule 3: violated (for R1)"]
    run.write(call(4, "mend"))
    assert run.told(1) == ["step 4 (mend): rule 2: so far"]
    status, errors = run.end()
    assert status == 1 and errors == ""
    assert any("1 trace: 1 wrong" in line for line in run.told(13))


def test_json_is_a_document_a_change(follow: Any) -> None:
    run = follow("--json")
    run.write({"id": "t", "messages": [call(1, "cut")]})
    found = [json.loads(line) for line in run.told(3)]
    for one in found:
        Draft202012Validator(schema("check")).validate(one)
    assert [
        (one["trace"], one["step"], one["tool"], one["rule"], one["name"], one["state"]) for one in found
    ] == [
        ("t", 1, "cut", "c1", "look first", "broken"),
        ("t", 1, "cut", "c2", None, "owed"),
        ("t", 1, "cut", "c4", None, "broken"),
    ]
    run.write({"id": "u", "messages": [call(1, "cut")]})
    assert {json.loads(line)["trace"] for line in run.told(3)} == {"u"}
    assert run.end() == (1, "")


def claude(k: int, role: str, content: Any) -> dict[str, Any]:
    parent = f"u{k - 1}" if k else None
    whole = {"type": role, "uuid": f"u{k}", "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return {**whole, "timestamp": f"2026-01-01T00:00:{k:02}Z", "message": {"role": role, "content": content}}


def test_a_session_of_claude_code_is_followed(follow: Any) -> None:
    run = follow()
    run.write(claude(0, "user", "go"))
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"id": "R1"}}
    run.write(claude(1, "assistant", [use]))
    assert run.told(1) == ["s, step 1 (look): look first: kept"]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": '{"ok": false}'}
    run.write(claude(2, "user", [result]))
    run.write(claude(3, "assistant", [{**use, "id": "t2", "name": "cut"}]))
    assert run.told(2) == ["s, step 2 (cut): rule 2: owed", "s, step 2 (cut): rule 4: violated"]
    assert run.end() == (1, "")


def test_a_rollout_of_codex_is_followed(follow: Any) -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}

    run = follow()
    meta = {"id": "x", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/", "originator": "codex_cli_rs"}
    run.write({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": meta})
    run.write(item(type="function_call", name="cut", arguments="{}", call_id="c1"))
    assert {line.partition(": ")[2] for line in run.told(2)} >= {"look first: violated", "rule 2: owed"}
    run.end()


def test_a_document_for_the_whole_is_judged_at_its_end(follow: Any) -> None:
    run = follow("--json")
    run._in.write(json.dumps({"id": "t", "messages": [call(1, "cut")]}, indent=1).encode())
    status, errors = run.end()
    assert status == 1
    assert (
        errors == "planscope: standard input is one JSON document, or is packed; it is judged when it ends\n"
    )
    assert json.loads(run.told(1)[0])["rule"] == "c1"


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_ends_it_with_130(follow: Any) -> None:
    run = follow()
    run.write(call(1, "look"))
    run.told(1)
    os.killpg(run.process.pid, signal.SIGINT)
    assert run.process.wait(SECONDS) == 130
    assert run.process.stderr.read() == b""


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text(RULES)
    command = [
        sys.executable,
        "-m",
        "planscope",
        "check",
        "-",
        "--rules",
        str(tmp_path / "rules.txt"),
        "--running",
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        process.stdin.write(json.dumps(call(1, "look")).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(json.dumps(call(2, "cut")).encode() + b"\n")
        process.stdin.flush()
        process.wait(SECONDS)  # standard input is still open
        assert process.stderr.read() == b""
