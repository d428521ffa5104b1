"""Reads messages: who spoke, what was said, which calls were made, and their answers.

Programs mix the dialects of OpenAI, Anthropic, Bedrock, Gemini, Vercel AI and OTel, so one reader knows all their
spellings of calls and answers. A :class:`Shape` says where the messages of other formats have their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from planscope.traces.accounts import IN_TEXT
from planscope.traces.build import Builder
from planscope.traces.signs import first_at, holds
from planscope.traces.values import Obj, as_text, compact, count_of, dig, obj, rest_of, seq, some, text

By = Literal["user", "model", "system"]
CALLS = frozenset(
    ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "toolCall", "function_call")
)
"""Types of blocks that are calls."""
ANSWERS = frozenset(
    ("tool_result", "mcp_tool_result", "tool_call_response", "tool-result", "function_call_output")
)
"""Types of blocks that are answers, besides those that end in ``_tool_result``."""
REASONING = frozenset(("thinking", "redacted_thinking", "reasoning"))
SPEAKERS: dict[object, By] = {
    "user": "user",
    "human": "user",
    "assistant": "model",
    "model": "model",
    "ai": "model",
    "agent": "model",
    "system": "system",
    "developer": "system",
}
TOOLS = ("tool", "function", "toolResult")
"""Roles of messages that are answers."""
PLAIN: dict[object, By] = {key: SPEAKERS[key] for key in ("user", "assistant", "system")}
MARKS = ("is_error", "isError", "error", "status")
"""Members of an answer that may say whether the call failed."""
_TIMES = ("timestamp", "created_at", "createdAt")
_is_basic = frozenset(
    ("role", "content", "tool_calls", "tool_call_id", "name", "usage", "function_call")
).issuperset
"""Whether these are the members of most messages, which need no further look."""
_IDS = ("id", "toolCallId", "tool_call_id", "toolUseId")
_WORDS = ("content", "response", "result", "output")
_WRAPPED = ("toolUse", "toolResult", "functionCall", "functionResponse", "function_call", "function_response")
_PLACED = frozenset(
    (*_IDS, "tool_use_id", "call_id", *_WORDS, *_TIMES, *MARKS, "role", "tool_calls", "name", "toolName", "type",
     "parts", "function_call", "usage", "finish_reason", "toolInvocations", "cache_control")
)  # fmt: skip
"""Members of a message or a block that have their place in the trace."""


@dataclass(frozen=True)
class Shape:
    """Where the messages of a format have their parts: names of members, and what the roles are called.

    ``call`` adds an entry of ``calls``, if :func:`take_call` does not. Of an answer, ``answered`` are paths of the id
    of its call, ``tool`` of its tool and ``words`` of its text; ``marks``: it says so if it failed; ``refused``: the
    sign of a call that was. ``placed``: more members that are left out of ``raw``.
    """

    role: str = "role"
    roles: Mapping[object, By] = field(default_factory=lambda: SPEAKERS)
    content: str = "content"
    calls: str = "tool_calls"
    usage: str = "usage"
    agent: str = ""
    call: Callable[..., None] | None = None
    answered: str = "tool_call_id|tool_use_id|toolCallId|toolUseId|call_id|id"
    tool: str = "toolName|name"
    words: str = ""
    marks: bool = False
    refused: str = ""
    placed: frozenset[str] = frozenset()

    def rest(self, message: Obj) -> Obj | None:
        """Return the members that have no place of their own."""
        mine = (self.role, self.content, self.calls, self.usage)
        return rest_of(message, _PLACED.union(mine, self.placed))


CHAT = Shape()


def only_text(messages: list[Obj], beside: Obj) -> bool:
    """Return whether the agent of these messages writes its calls as text, so that they cannot be had for certain."""
    if any("tool_calls" in m or "function_call" in m or m.get("role") in TOOLS for m in messages):
        return False
    if any(is_act(block) for m in messages for block in (*seq(m.get("content")), *seq(m.get("parts")))):
        return False
    if holds(beside, "trajectory[].action:str & trajectory[].observation"):
        return True
    words = (as_text(m.get("content")) for m in messages if SPEAKERS.get(text(m.get("role"))) == "model")
    return any(IN_TEXT.search(one) is not None for one in words)


def speaks(message: object) -> bool:
    """Return whether a value is a message with a role."""
    role = message.get("role") if type(message) is dict else None
    return type(role) is str and (role in SPEAKERS or role in TOOLS)


def take(
    build: Builder,
    message: Obj,
    shape: Shape = CHAT,
    *,
    at: float | None = None,
    agent: str | None = None,
) -> None:
    """Add one message, with its calls and answers."""
    build.time = at
    build.agent = agent or (text(first_at(message, shape.agent)) if shape.agent else "") or None
    _take(build, message, shape)
    build.time = build.agent = None


def _take(build: Builder, message: Obj, shape: Shape) -> None:
    role = first_at(message, shape.role)
    build.message += 1
    content = message.get(shape.content)
    raw = None
    if shape is not CHAT or not _is_basic(message):
        if build.time is None:
            build.time = build.at(some(message, _TIMES))
        content = _content(message, content)
        raw = shape.rest(message)
        if reasoning := text(message.get("reasoning_content")):
            raw = {**obj(raw), "reasoning": reasoning}
            raw.pop("reasoning_content", None)
    by = shape.roles.get(role if type(role) is str else None)
    if by is None:
        if role not in TOOLS:
            label = "role " if shape.role.startswith("role") else ""
            build.unknown(f"{label}{role[:40]}" if type(role) is str and role else "no role")
        elif type(content) is list and any(map(is_act, content)):
            for block in filter(is_act, content):
                take_act(build, block)
        else:
            take_answer(build, message, content, shape, raw=raw)
        return
    usage = message.get(shape.usage)
    tokens = usage_of(usage) if usage is not None else None
    if type(content) is list:
        take_blocks(build, content, by, usage=tokens, raw=raw)
    else:
        build.said(by, content, usage=tokens, raw=raw)
    calls = message.get(shape.calls)
    if calls:
        add = shape.call or take_call
        for one in seq(calls):
            add(build, one)
    elif type(message.get("function_call")) is dict:
        take_call(build, message["function_call"])


def _content(message: Obj, content: object) -> object:
    """Return the content of a message that may have it under another name."""
    parts = message.get("parts", obj(content).get("parts"))  # ADK has them inside
    if parts is not None and (content is None or type(content) is dict or any(map(is_act, seq(parts)))):
        content = parts
    invoked = seq(message.get("toolInvocations"))
    if invoked and not any(map(is_act, seq(content))):  # Vercel AI SDK 4
        content = [*(content if type(content) is list else [content or ""]), *_by_step(invoked)]
    return content


def take_call(build: Builder, call: object) -> None:
    """Add a call in any spelling: its name and arguments are in ``function``, or beside the id."""
    if type(call) is not dict:
        build.unknown("a tool call that is not an object")
        return
    function = call.get("function")
    if type(function) is dict and "arguments" in function:  # the way of nearly all calls
        build.call(function.get("name"), function["arguments"], call.get("id"))
        return
    inner = function if type(function) is dict else call
    tool = function if type(function) is str else some(inner, ("name", "toolName", "function_name"))
    given = some(inner, ("arguments", "args", "input"))
    if custom := obj(call.get("custom")):  # a tool of OpenAI whose input is free text
        tool, given = custom.get("name"), {"input": custom.get("input")}
    problem = text(call.get("parse_error")) or None
    build.call(tool, given, some(call, _IDS), problem=problem)


def take_answer(
    build: Builder,
    answer: Obj,
    content: object,
    shape: Shape = CHAT,
    *,
    raw: object = None,
) -> None:
    """Add an answer in any spelling."""
    if shape.words:
        content = next(
            (found for path in shape.words.split("|") if (found := as_text(dig(answer, path)))), ""
        )
    ids = (dig(answer, path) for path in shape.answered.split("|"))
    build.answer(
        next((id for id in ids if id is not None and id != ""), None),
        "" if content is None else content,
        tool=first_at(answer, shape.tool),
        failed=failed_of(answer, shape.marks),
        refused=bool(shape.refused) and holds(answer, shape.refused),
        raw=raw,
    )


def failed_of(answer: Obj, marks: bool = False) -> bool | None:
    """Return whether an answer says that its call failed; None if it says neither. ``marks``: it says so if it did."""
    for key in MARKS:
        found = answer.get(key)
        if type(found) is bool:
            return found
        if found and (key == "error" or found == "error"):
            return True
    return False if marks or answer.get("status") == "success" else None


def take_blocks(
    build: Builder,
    blocks: list[object],
    by: By,
    *,
    usage: tuple[int, int] | None = None,
    raw: object = None,
) -> None:
    """Add a message's blocks of content: text first, then calls and answers in their order. A block that begins a step
    begins a message."""
    words: list[object] = []
    acts: list[Obj] = []
    thoughts: list[str] = []
    for k, block in enumerate(blocks):
        kind = block.get("type") if type(block) is dict else None
        if kind == "step-start":
            if not acts:
                continue
            take_blocks(build, blocks[:k], by, raw=raw)
            build.message += 1
            take_blocks(build, blocks[k + 1 :], by, usage=usage)
            return
        if kind == "text":
            words.append(some(obj(block), ("text", "content")))
        elif is_act(block):
            acts.append(obj(block))
        elif text(kind) in REASONING:
            thoughts.append(as_text(some(obj(block), ("thinking", "reasoning", "text", "content"))))
        else:
            words.append(block)
    if any(thoughts):
        raw = {**obj(raw), "reasoning": "\n".join(filter(None, thoughts))}
    build.said(by, as_text(words), usage=usage, raw=raw)
    for block in acts:
        take_act(build, block)


def is_act(block: object) -> bool:
    """Return whether a block is a call or an answer."""
    return type(block) is dict and _acts(block, block.get("type"))


def _acts(block: Obj, kind: object) -> bool:
    if type(kind) is not str:
        return any(type(block.get(key)) is dict for key in _WRAPPED)
    if kind in CALLS or kind in ANSWERS or kind.endswith("_tool_result"):
        return True
    return kind.startswith(("tool-", "dynamic-tool")) and (
        "toolCallId" in block or type(block.get("toolInvocation")) is dict
    )


def take_act(build: Builder, block: Obj) -> None:
    """Add a block that is a call or an answer."""
    kind = block.get("type")
    if type(kind) is not str:
        _take_wrapped(build, block)
    elif kind in CALLS:
        take_call(build, block)
    elif kind in ANSWERS or kind.endswith("_tool_result"):
        content = some(block, _WORDS)
        failed = failed_of(block)
        if kind in ("tool_result", "mcp_tool_result", "tool-result"):
            failed = failed is True
        elif kind.endswith("_tool_result"):
            failed = text(obj(content).get("type")).endswith("_error")
        output = obj(block.get("output")) if kind == "tool-result" else {}
        if (said := text(output.get("type"))) in _VERCEL:  # since version 5 an output says its own type
            content, failed = output.get("value", output.get("reason", "")), said.startswith("error")
        take_answer(build, {**block, "isError": failed}, content, raw=rest_of(block, _PLACED))
    else:
        _take_invocation(build, kind, block)


_VERCEL = ("text", "json", "error-text", "error-json", "content", "execution-denied")


def _by_step(invoked: list[object]) -> list[object]:
    """Return invocations of Vercel AI SDK 4 as blocks, with the beginnings of their steps."""
    made: list[object] = []
    step = None
    for one in invoked:
        if made and obj(one).get("step") != step:
            made.append({"type": "step-start"})
        step = obj(one).get("step")
        made.append({"type": "tool-invocation", "toolInvocation": obj(one)})
    return made


def _take_invocation(build: Builder, kind: str, block: Obj) -> None:
    """Add a part of a message of the Vercel AI SDK that has a call and, if there is one, its answer."""
    inner = obj(block.get("toolInvocation")) or block
    tool = inner.get("toolName") or kind.removeprefix("tool-")
    call = build.call(tool, some(inner, ("input", "args", "rawInput")), inner.get("toolCallId"))
    state, approval = text(inner.get("state")), obj(inner.get("approval"))
    if state == "output-error":
        build.fill(call, inner.get("errorText", ""), failed=True)
    elif state == "output-denied" or approval.get("approved") is False:
        build.fill(call, approval.get("reason", "denied"), refused=True)
    elif state in ("output-available", "result") or "output" in inner or "result" in inner:
        build.fill(call, inner.get("output", inner.get("result", "")))


def _take_wrapped(build: Builder, block: Obj) -> None:
    """Add a block of Bedrock (``toolUse``, ``toolResult``) or Gemini (``functionCall``, ``functionResponse``)."""
    for key, value in block.items():
        inner = obj(value)
        if key not in _WRAPPED or not inner:
            continue
        if key == "toolResult":
            parts = [some(obj(one), ("text", "json")) for one in seq(inner.get("content"))]
            words = "\n".join(one if type(one) is str else compact(one) for one in parts if one is not None)
            take_answer(build, {**inner, "isError": inner.get("status") == "error"}, words)
        elif key.endswith("esponse"):
            words, failed = function_response(inner.get("response"))
            take_answer(build, {**inner, "isError": failed}, words)
        else:
            take_call(build, inner)


def function_response(response: object) -> tuple[str, bool | None]:
    """Return the answer in a function response of Gemini (its ``output`` or ``error``), and whether it failed."""
    inner = obj(response)
    if len(inner) == 1:
        for key in ("error", "result", "output"):
            if key in inner:
                return as_text(inner[key]), True if key == "error" else None
    return as_text(response), None


_READ = "input_tokens|prompt_tokens|inputTokens|promptTokenCount|prompt_token_count|input"
_WROTE = "output_tokens|completion_tokens|outputTokens|candidatesTokenCount|candidates_token_count|output"


def usage_of(usage: object) -> tuple[int, int] | None:
    """Return the tokens that the model read and wrote, as the providers name them."""
    u = obj(usage)
    read = count_of(first_at(u, _READ))
    for key in ("cache_read_input_tokens", "cache_creation_input_tokens", "cacheRead", "cacheWrite"):
        read += count_of(u.get(key))
    wrote = count_of(first_at(u, _WROTE))
    return (read, wrote) if read + wrote else None
