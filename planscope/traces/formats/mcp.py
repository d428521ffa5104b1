"""Reads MCP as JSON-RPC lines: each ``tools/call`` is a call, and the response with its id is the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.build import Builder
from planscope.traces.reader import Options, one_trace
from planscope.traces.source import Head, Source
from planscope.traces.values import as_text, compact, obj, rest_of, some, text

_WRAPPED = ("message", "data", "payload", "msg", "body")
"""Keys under which loggers put the message."""
_TIMES = ("timestamp", "time", "ts", "at")


def message_of(value: Any) -> dict[str, Any] | None:
    """Return the JSON-RPC message in a line, as it is or wrapped by a logger, or None if there is none."""
    if type(value) is not dict:
        return None
    if value.get("jsonrpc") == "2.0":
        return value
    for key in _WRAPPED:
        inner = value.get(key)
        if type(inner) is dict and inner.get("jsonrpc") == "2.0":
            return inner
    return None


class Mcp:
    """Reads this format. All messages of a file are one trace, whoever sent them."""

    name = "mcp"
    title = "MCP messages (JSON-RPC)"

    def recognises(self, head: Head) -> float:
        records = [one for r in head.records for one in (r if type(r) is list else [r])]
        return 0.9 if any(message_of(one) is not None for one in records) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        build = Builder(source.stem, self.name)
        asked: dict[str, str] = {}

        def take(record: dict[str, Any]) -> None:
            message = message_of(record)
            if message is None:
                build.unknown(text(record.get("type")) or "no JSON-RPC message")
                return
            _take(build, message, asked, build.at(some(record, _TIMES)))

        yield one_trace(source, build, take)


def _key(id: Any) -> str:
    """Return an id as a key in which 1 and "1" differ."""
    return compact(id)


def _take(build: Builder, message: dict[str, Any], asked: dict[str, str], at: float | None) -> None:
    method, params = message.get("method"), obj(message.get("params"))
    key = _key(message.get("id"))
    if type(method) is str:
        if method == "tools/call":
            build.message += 1
            if key in asked and build.known(key) and not build.is_answered(key):
                build.excuse(
                    "the same message, logged at both ends", params.get("name"), params.get("arguments", {})
                )
                return
            build.call(
                params.get("name"),
                params.get("arguments", {}),
                key,
                at=at,
                raw=rest_of(params, ("name", "arguments")),
            )
        elif method == "notifications/cancelled":
            call = build.last(_key(params.get("requestId")))
            if call is not None and not call.answered:
                build.answer(
                    _key(params.get("requestId")), params.get("reason") or "cancelled", failed=True, at=at
                )
        elif method == "initialize":
            build.trace.agent = text(obj(params.get("clientInfo")).get("name")) or None
        elif not method.startswith(("notifications/", "tools/list", "ping")):
            build.unknown(method)
        if "id" in message and len(asked) < 100_000:
            asked[key] = method
        return
    if "result" not in message and "error" not in message:
        build.unknown("a message without method, result or error")
        return
    if asked.get(key) == "tools/list":
        build.tools(obj(message.get("result")).get("tools"))
    if not build.known(key) or build.is_answered(key):
        return
    build.message += 1
    error = message.get("error")
    if error is not None:
        build.answer(
            key,
            as_text(obj(error).get("message") or error),
            failed=True,
            at=at,
            raw=rest_of(obj(error), ("message",)),
        )
        return
    result = obj(message.get("result"))
    content = result.get("content", message.get("result"))
    build.answer(
        key,
        as_text(content),
        failed=result.get("isError") is True,
        at=at,
        raw=rest_of(result, ("content", "isError")),
    )


READERS = (Mcp(),)
