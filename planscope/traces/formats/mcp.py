"""Reads MCP as JSON-RPC lines: each ``tools/call`` is a call, and the response with its id is the answer."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.oracle.trace import Trace
from planscope.traces.build import Builder
from planscope.traces.reader import FileFormat, Options, one_trace
from planscope.traces.source import Source
from planscope.traces.values import Obj, as_text, compact, dig, obj, rest_of, some, text

_WRAPPED = ("message", "data", "payload", "msg", "body")
"""Keys under which loggers put the message."""
_TIMES = ("timestamp", "time", "ts", "at")


def message_of(value: object) -> Obj | None:
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


def _read(source: Source, options: Options) -> Iterator[Trace]:
    """Read a file, whose messages are one trace, whoever sent them."""
    build = Builder(source.stem, "mcp")
    asked: dict[str, str] = {}

    def take(record: Obj) -> None:
        message = message_of(record)
        if message is None:
            build.unknown(text(record.get("type")) or "no JSON-RPC message")
            return
        build.time = build.at(some(record, _TIMES))
        _take(build, message, asked)

    yield one_trace(source, build, take)


def _key(id: object) -> str:
    """Return an id as a key in which 1 and "1" differ."""
    return compact(id)


def _take(build: Builder, message: Obj, asked: dict[str, str]) -> None:
    method, key = message.get("method"), _key(message.get("id"))
    if type(method) is str:
        _take_request(build, method, obj(message.get("params")), key, asked)
        if "id" in message and len(asked) < 100_000:
            asked[key] = method
        return
    if "result" not in message and "error" not in message:
        build.unknown("a message without method, result or error")
        return
    result, error = obj(message.get("result")), message.get("error")
    if asked.get(key) == "tools/list":
        build.tools(result.get("tools"))
    if not build.known(key) or build.is_answered(key):
        return
    build.message += 1
    if error is not None:
        words, rest = obj(error).get("message") or error, rest_of(obj(error), ("message",))
    else:
        words = result.get("content", message.get("result"))
        rest = rest_of(result, ("content", "isError"))
    failed = error is not None or result.get("isError") is True
    build.answer(key, as_text(words), failed=failed, raw=rest)


def _take_request(build: Builder, method: str, params: Obj, key: str, asked: dict[str, str]) -> None:
    """Add what a request says. ``asked``: the methods of those before it, by their ids."""
    if method == "tools/call":
        build.message += 1
        tool, given = params.get("name"), params.get("arguments", {})
        if key in asked and build.known(key) and not build.is_answered(key):
            build.excuse("the same message, logged at both ends", tool, given)
        else:
            build.call(tool, given, key, raw=rest_of(params, ("name", "arguments")))
    elif method == "notifications/cancelled":
        id = _key(params.get("requestId"))
        call = build.last(id)
        if call is not None and not call.answered:
            build.answer(id, params.get("reason") or "cancelled", failed=True)
    elif method == "initialize":
        build.trace.agent = text(dig(params, "clientInfo.name")) or None
    elif not method.startswith(("notifications/", "tools/list", "ping")):
        build.unknown(method)


_SIGN = "|".join(("jsonrpc", *(f"{key}.jsonrpc" for key in _WRAPPED)))
READERS = (FileFormat("mcp", "MCP messages (JSON-RPC)", ((0.9, f"{_SIGN}=2.0"),), _read),)
