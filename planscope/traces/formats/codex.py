"""Reads Codex CLI: rollout files (a session's own log) and the events of ``codex exec --json``.

A rollout has each call once as a ``response_item``; its ``event_msg`` lines repeat them for display and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.traces.blocks import usage_of
from planscope.traces.build import Builder
from planscope.traces.formats.responses import CALLS, call_of, is_item, model_speaks, other_speaks, take_item
from planscope.traces.json_stream import parsed
from planscope.traces.reader import FileFormat, Options, one_trace
from planscope.traces.source import Source
from planscope.traces.values import Obj, as_text, dig, name, obj, rest_of, text

_EXIT = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Total output lines)[^\n]*\n)*(?:Exit code|Process exited with code):? (-?\d{1,5})\b"
)
_REFUSED = ("exec command rejected by user", "patch rejected by user", "rejected by user", "aborted by user")
_LINES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
          "inter_agent_communication", "security_risk_score", "realtime_item", "ghost_snapshot")  # fmt: skip
_ERRORS = ("error", "stream_error", "turn_aborted")


def _read(source: Source, options: Options) -> Iterator[Trace]:
    """Read a rollout. A fork repeats its parent's lines; id and tool tell a call."""
    build = Builder(source.stem, "codex")
    yield one_trace(source, build, _Rollout(build).take, ("events",))


class _Rollout:
    """Reads one rollout."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.begun = False
        self.calls: set[tuple[str, str]] = set()
        """The ids and tools of all calls, also of those that were rolled back."""

    def take(self, line: Obj) -> None:
        kind, payload = line.get("type"), line.get("payload")
        if type(payload) is not dict:
            self._take_old(line)
            return
        self.build.time = self.build.at(line.get("timestamp"))
        if kind == "response_item":
            self._take_item(payload)
        elif kind == "session_meta":
            self._take_meta(payload)
        elif kind == "turn_context":
            self.build.trace.model = text(payload.get("model")) or self.build.trace.model
        elif kind == "event_msg":
            self._take_event(payload)
        elif kind == "compacted":
            self.build.message += 1
            self.build.mark("compacted", payload.get("message") or "the history was compacted")
        else:
            self.build.unknown(kind)

    def _take_old(self, line: Obj) -> None:
        """Add a line of the first version: an item as it is, or the session's beginning."""
        if is_item(line):
            self.build.time = self.build.at(line.get("timestamp"))
            self._take_item(line)
        elif "instructions" in line and not self.begun:
            self.build.at(line.get("timestamp"))
            self._take_meta(line)
        elif "record_type" not in line:
            self.build.unknown(line.get("type"))

    def _take_meta(self, payload: Obj) -> None:
        if self.begun:  # a fork repeats the beginning of its parent
            return
        self.begun = True
        trace = self.build.trace
        trace.id = name(payload.get("id")) or trace.id
        trace.agent = name(payload.get("agent_nickname")) or None
        instructions = payload.get("base_instructions", payload.get("instructions"))
        words = text(obj(instructions).get("text")) or text(instructions)
        if words:
            self.build.said("system", words)

    def _take_item(self, item: Obj) -> None:
        build = self.build
        kind = item.get("type")
        id = item.get("call_id")
        if isinstance(kind, str) and kind in CALLS and isinstance(id, str):
            tool, arguments = call_of(kind, item)
            if (id, tool) in self.calls and build.known(id):
                build.excuse("a copy of a call that is kept", tool, arguments, id)
                return
            self.calls.add((id, tool))
        if type(kind) is not str or not kind.endswith("_output"):
            take_item(build, item)
            return
        if build.is_answered(item.get("call_id")):
            return
        words, failed, refused = answer_of(item.get("output"))
        other_speaks(build)
        build.answer(item.get("call_id"), words, failed=failed, refused=refused)

    def _take_event(self, event: Obj) -> None:
        """Add what only the log for display says: tokens, errors, and turns that were rolled back."""
        build, kind = self.build, event.get("type")
        if kind == "token_count":
            tokens = usage_of(dig(event, "info.last_token_usage"))
            last = next(
                (one for one in reversed(build.items[-50:]) if isinstance(one, Said) and one.by == "model"),
                None,
            )
            if tokens is None:
                return
            if last is not None and last.usage is None:
                last.usage = tokens
            else:
                build.said("model", "", usage=tokens)
        elif kind in _ERRORS:
            build.mark("error", event.get("message") or event.get("reason") or kind)
        elif kind == "thread_rolled_back":
            turns = event.get("num_turns")
            self._roll_back(turns if type(turns) is int and 0 < turns < 10**6 else 1)
        elif kind == "context_compacted" and not any(
            getattr(one, "kind", "") == "compacted" for one in build.items[-3:]
        ):
            build.mark("compacted", "the history was compacted")

    def _roll_back(self, turns: int) -> None:
        """Turn everything after the last messages of the user into a branch."""
        items = self.build.items
        starts = [k for k, item in enumerate(items) if isinstance(item, Said) and item.by == "user"]
        if not starts:
            return
        start = starts[-min(turns, len(starts))]
        gone: list[Item] = items[start:]
        del items[start:]
        after = sum(isinstance(item, ToolCall) for item in items)
        self.build.steps = after
        self.build.branch(after, gone)


def answer_of(output: object) -> tuple[str, bool | None, bool]:
    """Return the text of an answer, whether it failed (if it says so), and whether the call was refused."""
    inner = obj(output)
    failed: bool | None = None
    words = as_text(output)
    if "content" in inner or "success" in inner:
        words = as_text(inner.get("content"))
        failed = not inner["success"] if type(inner.get("success")) is bool else None
    elif words.startswith("{"):
        try:
            wrapped = obj(parsed(words))
        except ValueError:
            wrapped = {}
        code = dig(wrapped, "metadata.exit_code")
        if type(code) is int and "output" in wrapped:
            words, failed = as_text(wrapped["output"]), code != 0
    found = _EXIT.match(words)
    if found is not None:
        failed = int(found[1]) != 0
    return words, failed, words.startswith(_REFUSED)


def _read_exec(source: Source, options: Options) -> Iterator[Trace]:
    build = Builder(source.stem, "codex-exec")
    started: dict[str, ToolCall] = {}
    yield one_trace(source, build, lambda line: _take_exec(build, line, started), ("events",))


def _take_exec(build: Builder, line: Obj, started: dict[str, ToolCall]) -> None:
    kind = line.get("type")
    if kind == "thread.started":
        build.trace.id = name(line.get("thread_id")) or build.trace.id
    elif kind in ("item.started", "item.completed"):
        _take_exec_item(build, obj(line.get("item")), started, ended=kind == "item.completed")
    elif kind == "turn.completed":
        tokens = usage_of(line.get("usage"))
        if tokens is not None:
            build.said("model", "", usage=tokens)
        build.turn = ""
    elif kind in ("turn.failed", "error"):
        words = as_text(dig(line, "error.message", "message", "error"))
        build.mark("error", words)
        if kind == "turn.failed":
            build.problem(f"the turn failed: {words[:200]}", cause="model")
    elif kind not in ("turn.started", "item.updated"):
        build.unknown(kind)


def _take_exec_item(build: Builder, item: Obj, started: dict[str, ToolCall], *, ended: bool) -> None:
    kind = item.get("type", item.get("item_type"))
    key = name(item.get("id"))
    if kind == "agent_message" or kind == "assistant_message":
        if ended:
            model_speaks(build)
            build.said("model", item.get("text"))
        return
    if kind in ("reasoning", "todo_list", "error") or type(kind) is not str:
        if kind == "error" and ended:
            build.mark("error", item.get("message"))
        elif kind != "reasoning" and ended:
            build.unknown(f"item {kind}" if type(kind) is str else "an item without a type")
        return
    call = started.get(key) if key else None
    if call is None:
        model_speaks(build)
        tool, arguments = _exec_call(kind, item)
        call = build.call(tool, arguments, key or None, raw=rest_of(item, _EXEC_PLACED))
        build.settle(call)
        if key:
            started[key] = call
    if ended and not call.answered:
        words, failed = _exec_answer(item)
        build.fill(call, words, failed=failed, refused=item.get("status") == "declined")
        build.turn = ""


_EXEC_PLACED = frozenset(("id", "type", "item_type", "status", "arguments", "server", "tool", "result", "error",
                          "aggregated_output", "command"))  # fmt: skip


def _exec_call(kind: str, item: Obj) -> tuple[str, object]:
    if kind == "command_execution":
        return "shell", {"command": item.get("command")}
    if kind == "mcp_tool_call":
        server, tool = name(item.get("server")), name(item.get("tool"))
        return f"mcp__{server}__{tool}" if server else tool, item.get("arguments")
    about = ("id", "type", "item_type", "status", "aggregated_output")
    return kind, {key: value for key, value in item.items() if key not in about}


def _exec_answer(item: Obj) -> tuple[str | None, bool]:
    code = item.get("exit_code")
    failed = item.get("status") == "failed" or (type(code) is int and code != 0)
    if item.get("error"):
        return as_text(dig(item, "error.message", "error")), True
    found = dig(item, "aggregated_output", "result.content", "result")
    return as_text(found) if found is not None else None, failed


_ITEM = "all[].type=message|reasoning|*_call|*_call_output"
READERS = (
    FileFormat(
        "codex",
        "a Codex rollout",
        (
            (0.95, f"payload:dict & type={'|'.join(_LINES)}"),
            (0.92, f"record_type & {_ITEM}"),
            (0.92, f"instructions & git & {_ITEM}"),
        ),
        _read,
        ("events",),
    ),
    FileFormat(
        "codex-exec",
        "events of codex exec --json",
        ((0.95, "type=thread.started|turn.started"),),
        _read_exec,
        ("events",),
    ),
)
