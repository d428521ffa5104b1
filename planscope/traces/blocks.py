"""Reads messages with roles, whose content may be text or blocks: OpenAI, Anthropic, Bedrock, Gemini, Vercel AI and
OTel.

Programs mix these dialects, so one function reads them all.
"""

from __future__ import annotations

from typing import Any, Literal

from planscope.oracle.trace import Said
from planscope.traces.accounts import IN_TEXT
from planscope.traces.build import MOST_ITEMS, Builder
from planscope.traces.values import as_text, compact, count_of, obj, rest_of, seq, text

CALLS = frozenset(("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "function_call"))
"""Types of blocks that are calls."""
ANSWERS = frozenset(
    ("tool_result", "mcp_tool_result", "tool_call_response", "tool-result", "function_call_output")
)
"""Types of blocks that are answers, besides those that end in ``_tool_result``."""
REASONING = frozenset(("thinking", "redacted_thinking", "reasoning"))
SPEAKERS: dict[Any, Literal["user", "model", "system"]] = {
    "user": "user",
    "human": "user",
    "assistant": "model",
    "model": "model",
    "ai": "model",
    "agent": "model",
    "system": "system",
    "developer": "system",
}
PLAIN: dict[Any, Literal["user", "model", "system"]] = {
    key: SPEAKERS[key] for key in ("user", "assistant", "system")
}
_PLACED = frozenset(
    ("role", "content", "tool_calls", "tool_call_id", "name", "type", "id", "parts", "function_call", "usage",
     "timestamp", "created_at", "createdAt", "finish_reason", "toolInvocations")
)  # fmt: skip
_TIMES = ("timestamp", "created_at", "createdAt")
_BASIC = frozenset(("role", "content", "tool_calls", "tool_call_id", "name", "usage", "function_call"))
"""The members of most messages, which need no further look."""
_is_basic = _BASIC.issuperset


def only_text(messages: list[dict[str, Any]], beside: dict[str, Any]) -> bool:
    """Return whether the agent of these messages writes its calls as text, so that they cannot be had for certain."""
    if any(
        "tool_calls" in m or "function_call" in m or m.get("role") in ("tool", "function") for m in messages
    ):
        return False
    if any(is_act(block) for m in messages for block in (*seq(m.get("content")), *seq(m.get("parts")))):
        return False
    if any(
        type(obj(one).get("action")) is str and "observation" in one for one in seq(beside.get("trajectory"))
    ):
        return True
    words = (as_text(m.get("content")) for m in messages if SPEAKERS.get(text(m.get("role"))) == "model")
    return any(IN_TEXT.search(one) is not None for one in words)


def speaks(message: Any) -> bool:
    """Return whether a value is a message with a role."""
    if type(message) is not dict:
        return False
    role = message.get("role")
    return role in SPEAKERS or role in ("tool", "function") if type(role) is str else False


def take(
    build: Builder, message: dict[str, Any], *, at: float | None = None, agent: str | None = None
) -> None:
    """Add one message, with its calls and answers."""
    role = message.get("role")
    build.message += 1
    content = message.get("content")
    raw = None
    if not _is_basic(message):
        if at is None:
            for key in _TIMES:
                if key in message:
                    at = build.at(message[key])
        if "parts" in message and (content is None or any(map(is_act, seq(message["parts"])))):
            content = message["parts"]
        elif type(content) is dict and "parts" in content:  # ADK
            content = content["parts"]
        raw = rest_of(message, _PLACED)
        invoked = message.get("toolInvocations")
        if invoked and not (type(content) is list and any(map(is_act, content))):  # Vercel AI SDK 4
            content = [*(content if type(content) is list else [content or ""]), *_by_step(seq(invoked))]
    if role == "tool" or role == "function":
        if type(content) is str and raw is None and "tool_call_id" in message:
            build.answer(message["tool_call_id"], content, tool=message.get("name"), at=at)
        else:
            _answer(build, message, content, at, raw)
        return
    by = SPEAKERS.get(role) if type(role) is str else None
    if by is None:
        build.unknown(f"role {role[:40]}" if type(role) is str and role else "no role")
        return
    usage = message.get("usage")
    tokens = usage_of(usage) if usage is not None else None
    if type(content) is list:
        take_blocks(build, content, by, at=at, agent=agent, usage=tokens, raw=raw)
    else:
        build.said(by, content, at=at, agent=agent, usage=tokens, raw=raw)
    calls = message.get("tool_calls")
    if calls:
        for one in seq(calls):
            function = one.get("function") if type(one) is dict else None
            if type(function) is dict:
                build.call(function.get("name"), function.get("arguments"), one.get("id"), at=at, agent=agent)
            else:
                take_tool_call(build, one, at=at, agent=agent)
    elif "function_call" in message:
        old = message["function_call"]
        if type(old) is dict:
            build.call(old.get("name"), old.get("arguments"), at=at, agent=agent)


def take_plain(build: Builder, messages: list[Any]) -> None:
    """Add messages: text and answers of the form that nearly all have without further looks, others by ``take``."""
    items, says = build.items, PLAIN.get
    for message in messages:
        if type(message) is not dict:
            if type(message) is list:
                take_plain(build, message)
            else:
                build.unknown("a message that is not an object")
            continue
        content = message.get("content")
        if type(content) is str:
            if len(message) == 2:
                role = message.get("role")
                by = says(role) if type(role) is str else None
                if by is not None and len(items) < MOST_ITEMS:
                    build.message += 1
                    if content:
                        items.append(Said(by, content, build.message))
                    continue
            elif len(message) == 3 and "tool_call_id" in message and message.get("role") == "tool":
                build.message += 1
                build.answer(message["tool_call_id"], content)
                continue
        elif content is None and len(message) == 3 and message.get("role") == "assistant":
            calls = message.get("tool_calls")
            if type(calls) is list and "content" in message:
                build.message += 1
                for one in calls:
                    function = one.get("function") if type(one) is dict else None
                    if type(function) is dict:
                        build.call(function.get("name"), function.get("arguments"), one.get("id"))
                    else:
                        take_tool_call(build, one)
                continue
        take(build, message)


def take_tool_call(build: Builder, call: Any, *, at: float | None = None, agent: str | None = None) -> None:
    """Add an entry of ``tool_calls``. Its name and arguments are in ``function``, or beside the id."""
    if type(call) is not dict:
        build.unknown("a tool call that is not an object")
        return
    function = call.get("function")
    if type(function) is dict:
        build.call(function.get("name"), function.get("arguments"), call.get("id"), at=at, agent=agent)
        return
    custom = obj(call.get("custom"))  # calls of OpenAI's tools whose input is free text
    if custom:
        build.call(custom.get("name"), {"input": custom.get("input")}, call.get("id"), at=at, agent=agent)
        return
    tool = function if type(function) is str else call.get("name")
    arguments = call.get("arguments", call.get("args", call.get("input")))
    build.call(tool, arguments, call.get("id"), at=at, agent=agent)


def take_blocks(
    build: Builder,
    blocks: list[Any],
    by: Literal["user", "model", "system"],
    *,
    at: float | None = None,
    agent: str | None = None,
    usage: tuple[int, int] | None = None,
    raw: Any = None,
) -> None:
    """Add a message's blocks of content: text first, then calls and answers in their order. A block that begins a step
    begins a message."""
    words: list[Any] = []
    acts: list[dict[str, Any]] = []
    thoughts: list[str] = []
    for k, block in enumerate(blocks):
        kind = block.get("type") if type(block) is dict else None
        kind = kind if type(kind) is str else None
        if kind == "step-start":
            if not acts:
                continue
            take_blocks(build, blocks[:k], by, at=at, agent=agent, raw=raw)
            build.message += 1
            take_blocks(build, blocks[k + 1 :], by, at=at, agent=agent, usage=usage)
            return
        if kind == "text":
            words.append(block.get("text", block.get("content")))
        elif type(block) is not dict:
            words.append(block)
        elif _acts(block, kind):
            acts.append(block)
        elif kind in REASONING:
            thoughts.append(
                as_text(
                    block.get("thinking", block.get("reasoning", block.get("text", block.get("content"))))
                )
            )
        else:
            words.append(block)
    if any(thoughts):
        raw = {**(raw or {}), "reasoning": "\n".join(part for part in thoughts if part)}
    build.said(by, as_text(words), at=at, agent=agent, usage=usage, raw=raw)
    for block in acts:
        take_act(build, block, at=at, agent=agent)


def is_act(block: Any) -> bool:
    """Return whether a block is a call or an answer."""
    return type(block) is dict and _acts(block, block.get("type"))


def _acts(block: dict[str, Any], kind: Any) -> bool:
    if type(kind) is str:
        if kind in CALLS or kind in ANSWERS or kind.endswith("_tool_result"):
            return True
        return kind.startswith(("tool-", "dynamic-tool")) and (
            "toolCallId" in block or type(block.get("toolInvocation")) is dict
        )
    return any(type(block.get(key)) is dict for key in _WRAPPED)


def take_act(
    build: Builder, block: dict[str, Any], *, at: float | None = None, agent: str | None = None
) -> None:
    """Add a block that is a call or an answer."""
    kind = block.get("type")
    if type(kind) is not str:
        _take_wrapped(build, block, at, agent)
    elif kind.startswith(("tool-", "dynamic-tool")) and kind not in CALLS and kind not in ANSWERS:
        _take_invocation(build, kind, block, at, agent)
    elif kind in CALLS:
        arguments = next((block[k] for k in ("input", "arguments", "args") if k in block), None)
        tool = block.get("name", block.get("toolName", obj(block.get("function")).get("name")))
        if arguments is None and type(block.get("function")) is dict:
            arguments = block["function"].get("arguments")
        build.call(tool, arguments, block.get("id", block.get("toolCallId")), at=at, agent=agent)
    else:
        _take_answer_block(build, block, at)


def _take_answer_block(build: Builder, block: dict[str, Any], at: float | None) -> None:
    call_id = next((block[k] for k in ("tool_use_id", "toolCallId", "call_id", "id") if k in block), None)
    content = next((block[k] for k in ("content", "response", "result", "output") if k in block), "")
    failed: bool | None = None
    kind = block["type"]
    if kind in ("tool_result", "mcp_tool_result"):
        failed = block.get("is_error") is True
    elif kind.endswith("_tool_result"):
        failed = text(obj(content).get("type")).endswith("_error")
    elif kind == "tool-result":
        content, failed = _vercel(block, content)
    tool = text(block.get("toolName"))
    build.answer(call_id, content, tool=tool, failed=failed, at=at, raw=rest_of(block, _ANSWER_PLACED))


_ANSWER_PLACED = frozenset(
    ("type", "tool_use_id", "toolCallId", "call_id", "id", "content", "response", "result", "output", "is_error",
     "isError", "toolName", "cache_control")
)  # fmt: skip


def _vercel(block: dict[str, Any], content: Any) -> tuple[Any, bool | None]:
    """Return the answer of a ``tool-result`` and whether it failed. Since version 5 the output says its own type."""
    output = obj(block.get("output"))
    kind = text(output.get("type"))
    if kind in ("text", "json", "error-text", "error-json", "content", "execution-denied"):
        return output.get("value", output.get("reason", "")), kind.startswith("error")
    return content, block.get("isError") is True


def _by_step(invoked: list[Any]) -> list[Any]:
    """Return invocations of Vercel AI SDK 4 as blocks, with the beginnings of their steps."""
    made: list[Any] = []
    step = None
    for one in invoked:
        if made and obj(one).get("step") != step:
            made.append({"type": "step-start"})
        step = obj(one).get("step")
        made.append({"type": "tool-invocation", "toolInvocation": obj(one)})
    return made


def _take_invocation(
    build: Builder, kind: str, block: dict[str, Any], at: float | None, agent: str | None
) -> None:
    """Add a part of a message of the Vercel AI SDK that has a call and, if there is one, its answer."""
    inner = obj(block.get("toolInvocation")) or block
    given = next((inner[key] for key in ("input", "args", "rawInput") if inner.get(key) is not None), None)
    tool = inner.get("toolName") or kind.removeprefix("tool-")
    state = text(inner.get("state"))
    call = build.call(tool, given, inner.get("toolCallId"), at=at, agent=agent)
    denied = state == "output-denied" or obj(inner.get("approval")).get("approved") is False
    if state == "output-error":
        build.answer(call.call_id, inner.get("errorText", ""), failed=True)
    elif denied:
        build.answer(call.call_id, obj(inner.get("approval")).get("reason", "denied"), refused=True)
    elif state in ("output-available", "result") or "output" in inner or "result" in inner:
        build.answer(call.call_id, inner.get("output", inner.get("result", "")))


_WRAPPED = ("toolUse", "toolResult", "functionCall", "functionResponse", "function_call", "function_response")


def _take_wrapped(build: Builder, block: dict[str, Any], at: float | None, agent: str | None) -> None:
    """Add a block of Bedrock (``toolUse``, ``toolResult``) or Gemini (``functionCall``, ``functionResponse``)."""
    for key, value in block.items():
        inner = obj(value)
        if key == "toolUse":
            build.call(inner.get("name"), inner.get("input"), inner.get("toolUseId"), at=at, agent=agent)
        elif key == "toolResult":
            parts = [obj(one).get("text", obj(one).get("json")) for one in seq(inner.get("content"))]
            words = "\n".join(one if type(one) is str else compact(one) for one in parts if one is not None)
            build.answer(inner.get("toolUseId"), words, failed=inner.get("status") == "error", at=at)
        elif key in ("functionCall", "function_call") and inner:
            build.call(inner.get("name"), inner.get("args"), inner.get("id"), at=at, agent=agent)
        elif key in ("functionResponse", "function_response") and inner:
            answer, failed = function_response(inner.get("response"))
            build.answer(inner.get("id"), answer, tool=inner.get("name"), failed=failed, at=at)


def function_response(response: Any) -> tuple[str, bool | None]:
    """Return the answer in a function response of Gemini (its ``output`` or ``error``), and whether it failed."""
    inner = obj(response)
    if "error" in inner and len(inner) == 1:
        return as_text(inner["error"]), True
    if len(inner) == 1 and "result" in inner:
        return as_text(inner["result"]), None
    if "output" in inner and len(inner) == 1:
        return as_text(inner["output"]), None
    return as_text(response), None


def _answer(build: Builder, message: dict[str, Any], content: Any, at: float | None, raw: Any) -> None:
    """Add a message of role tool: one answer, or blocks that are answers."""
    if type(content) is list and any(map(is_act, content)):
        for block in content:
            if is_act(block):
                take_act(build, block, at=at)
        return
    call_id = message.get("tool_call_id")
    if call_id is None:
        call_id = message.get("id")
    build.answer(call_id, "" if content is None else content, tool=message.get("name"), at=at, raw=raw)


def usage_of(usage: Any) -> tuple[int, int] | None:
    """Return the tokens that the model read and wrote, as the providers name them."""
    u = obj(usage)
    if not u:
        return None
    read = count_of(u.get("input_tokens", u.get("prompt_tokens", u.get("inputTokens"))))
    cached = count_of(u.get("cache_read_input_tokens")) + count_of(u.get("cache_creation_input_tokens"))
    wrote = count_of(u.get("output_tokens", u.get("completion_tokens", u.get("outputTokens"))))
    return (read + cached, wrote) if read + cached + wrote else None
