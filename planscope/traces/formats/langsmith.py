"""Reads runs of LangSmith: lines of ``langsmith trace export``, lists of runs, or runs with ``child_runs`` in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import speaks, usage_of
from planscope.traces.formats.langchain import plain
from planscope.traces.json_stream import parsed
from planscope.traces.reader import Options, records
from planscope.traces.source import Head, Source
from planscope.traces.spans import Kind, Span, assembled
from planscope.traces.values import as_text, name, obj, seconds, seq, text

RUN_TYPES = ("tool", "llm", "chain", "retriever", "embedding", "prompt", "parser")
DEEPEST = 50
LONGEST_LITERAL = 100_000


def is_run(value: Any) -> bool:
    """Return whether a value is a run."""
    if type(value) is not dict:
        return False
    return value.get("run_type") in RUN_TYPES and ("trace_id" in value or "id" in value or "run_id" in value)


class LangSmith:
    """Reads this format. Runs with one trace id make one trace."""

    name = "langsmith"
    title = "LangSmith runs"

    def recognises(self, head: Head) -> float:
        return 0.92 if any(map(is_run, head.within("runs", "data"))) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        found = (
            (name(run.get("trace_id")), run, keys)
            for value, keys in records(source, ("runs", "data"), is_run)
            for run in _with_children(value, "", "", 0)
        )
        yield from assembled(found, self.name, source, _span, _title)


def _title(_trace: str, runs: list[dict[str, Any]]) -> str:
    """Return the name of the run that began the trace."""
    root = next((run for run in runs if not run.get("parent_run_id")), {})
    return text(root.get("name"))


def _with_children(value: Any, trace: str, parent: str, depth: int) -> Iterator[dict[str, Any]]:
    """Yield a run, and those in its ``child_runs``."""
    if not is_run(value):
        return
    run = {key: one for key, one in value.items() if key in _KEPT}
    run["trace_id"] = name(run.get("trace_id")) or trace or name(run.get("session_id")) or _id(run)
    run.setdefault("parent_run_id", parent or None)
    yield run
    for one in seq(value.get("child_runs")) if depth < DEEPEST else ():
        yield from _with_children(one, run["trace_id"], _id(run), depth + 1)


_KEPT = ("id", "run_id", "trace_id", "parent_run_id", "name", "run_type", "start_time", "end_time", "inputs", "outputs",
         "error", "extra", "status", "prompt_tokens", "completion_tokens", "dotted_order", "session_id")  # fmt: skip


def _id(run: dict[str, Any]) -> str:
    return name(run.get("run_id")) or name(run.get("id"))


def _span(run: dict[str, Any]) -> Span:
    label = text(run.get("name"))
    kind: Kind = {"tool": "tool", "llm": "model"}.get(text(run.get("run_type")), "other")  # type: ignore[assignment]
    metadata = obj(obj(run.get("extra")).get("metadata"))
    if kind == "other" and metadata.get("ls_agent_type"):
        kind = "agent"
    error = run.get("error")
    span = Span(
        _id(run),
        name(run.get("parent_run_id")),
        kind,
        label,
        seconds(run.get("start_time")),
        seconds(run.get("end_time")),
        run.get("order", 0),
        agent=text(metadata.get("lc_agent_name")) or (label if kind == "agent" else ""),
        failed=bool(error) or run.get("status") == "error",
        error=as_text(error)[:2000],
    )
    inputs, outputs = run.get("inputs"), run.get("outputs")
    if kind == "tool":
        _fill_tool(span, run, inputs, outputs)
    elif kind == "model":
        _fill_model(span, run, metadata, obj(inputs), obj(outputs))
    return span


def _fill_tool(span: Span, run: dict[str, Any], inputs: Any, outputs: Any) -> None:
    given = obj(inputs)
    extra = obj(run.get("extra"))
    span.call_id = name(extra.get("tool_call_id")) or name(obj(extra.get("metadata")).get("tool_call_id"))
    if set(given) == {"input"}:
        span.arguments = _literal(given["input"])
    else:
        span.arguments = inputs if type(inputs) is dict else None
    made = obj(outputs)
    result = made.get("output", outputs if made else None) if type(outputs) is dict else outputs
    message = plain(result)
    if message is None and "update" in obj(result):  # a Command of LangGraph
        found = [plain(one) for one in seq(obj(obj(result)["update"]).get("messages"))]
        message = next((one for one in found if one is not None and one.get("type") == "tool"), None)
    if message is not None and message.get("type") == "tool":
        span.call_id = span.call_id or name(message.get("tool_call_id"))
        span.failed = span.failed or message.get("status") == "error"
        result = as_text(message.get("content"))
    span.result = result
    span.answered = span.end is not None or result is not None


def _literal(value: Any) -> Any:
    """Return arguments that LangChain wrote as Python's text of a dict. Nothing is run."""
    if type(value) is not str:
        return value if type(value) is dict else {"input": value}
    begins = value[:1]
    if begins == "{" and len(value) <= LONGEST_LITERAL:
        try:
            return obj(parsed(value))
        except ValueError:
            pass
        try:
            found = ast.literal_eval(value)
            if type(found) is dict and all(type(key) is str for key in found):
                return parsed(_as_json(found))
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            pass
    return {"input": value}


def _as_json(found: dict[str, Any]) -> str:
    import json

    return json.dumps(found, default=str)


def _fill_model(
    span: Span, run: dict[str, Any], metadata: dict[str, Any], inputs: dict[str, Any], outputs: dict[str, Any]
) -> None:
    span.model = text(metadata.get("ls_model_name"))
    invocation = obj(obj(run.get("extra")).get("invocation_params"))
    span.model = span.model or text(invocation.get("model")) or text(invocation.get("model_name"))
    span.tools = invocation.get("tools")
    span.messages = _messages(inputs.get("messages"))
    for one in seq(outputs.get("generations")):
        for inner in one if type(one) is list else [one]:
            span.answers += _messages([obj(inner).get("message")])
    for choice in seq(outputs.get("choices")):
        span.answers += _messages([obj(choice).get("message")])
    if not span.answers and ("content" in outputs or "role" in outputs):
        span.answers = _messages([{"role": "assistant", **outputs}])
    if not span.answers:
        span.answers = _messages(outputs.get("messages") or [outputs.get("message")])
    used = {"input_tokens": run.get("prompt_tokens"), "output_tokens": run.get("completion_tokens")}
    span.usage = usage_of(outputs.get("usage_metadata")) or usage_of(used)


def _messages(found: Any) -> list[dict[str, Any]]:
    """Return messages of LangChain or with roles as messages with roles. A list of lists is flattened."""
    made: list[dict[str, Any]] = []
    for one in seq(found):
        if type(one) is list:
            made += _messages(one)
            continue
        message = plain(one)
        if message is not None:
            kind = message["type"]
            role = {"ai": "assistant", "tool": "tool", "function": "tool", "system": "system"}.get(
                kind, "user"
            )
            made.append({**message, "role": role, "type": None})
        elif speaks(one):
            made.append(one)
    return made


READERS = (LangSmith(),)
