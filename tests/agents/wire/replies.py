"""What the wire server is told to answer, one reply a request."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolCall:
    """One function call; ``arguments`` is sent as it stands, so that it may be anything but JSON."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True)
class Say:
    """An assistant message. ``usage`` is prompt and completion tokens, or None where the server sends none."""

    text: str | None = None
    calls: Sequence[ToolCall] = ()
    usage: tuple[int, int] | None = (7, 3)


@dataclass(frozen=True)
class Fail:
    """An HTTP error with a body as OpenAI sends it."""

    status: int
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """A body as it stands. ``cut`` announces more bytes than are sent and hangs up."""

    body: bytes
    content_type: str = "application/json"
    cut: bool = False


@dataclass(frozen=True)
class Slow:
    """Nothing until ``together`` requests were under way at once, nor for ``seconds`` more, then ``then``."""

    seconds: float
    then: Say
    together: int = 1


@dataclass(frozen=True)
class Drip:
    """Half of the answer, nothing for ``seconds``, then the rest."""

    seconds: float
    then: Say


Reply = Say | Fail | Raw | Slow | Drip


def call(name: str, arguments: Mapping[str, Any] | str | None = None, id: str = "call_1") -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return ToolCall(name, text, id)


def calls(*wanted: ToolCall, text: str | None = None) -> Say:
    return Say(text, wanted)


def whole(say: Say) -> bytes:
    """The body of a ``chat.completion``."""
    message: dict[str, Any] = {"role": "assistant", "content": say.text}
    if say.calls:
        message["tool_calls"] = [_function(c) for c in say.calls]
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "local",
        "choices": [{"index": 0, "message": message, "finish_reason": _why(say)}],
    }
    if say.usage:
        body["usage"] = _usage(say.usage)
    return json.dumps(body).encode()


def chunks(say: Say, *, usage: bool) -> list[bytes]:
    """The server-sent events of a streamed completion; arguments come in two pieces, as they do in life."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in re.findall(r"\S+\s*", say.text or "")]
    for index, one in enumerate(say.calls):
        half = len(one.arguments) // 2
        deltas.append({"tool_calls": [{"index": index, **_function(one, one.arguments[:half])}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": one.arguments[half:]}}]})
    bodies = [_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    bodies.append(_chunk([{"index": 0, "delta": {}, "finish_reason": _why(say)}]))
    if usage and say.usage:
        bodies.append(_chunk([]) | {"usage": _usage(say.usage)})
    return [b"data: " + json.dumps(body).encode() + b"\n\n" for body in bodies] + [b"data: [DONE]\n\n"]


def _function(one: ToolCall, arguments: str | None = None) -> dict[str, Any]:
    said = one.arguments if arguments is None else arguments
    return {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": said}}


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "local",
        "choices": choices,
    }


def _why(say: Say) -> str:
    return "tool_calls" if say.calls else "stop"


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
