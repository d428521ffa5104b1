"""Returns what the model saw and said in a run, in parts with names: at the start, and at each step.

The values are untrusted JSON from the record. What older sessions did not record is marked so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from planscope.session.model import AnswerEvent, Data, Given, MessageEvent, SeenTool
from planscope.session.record import MODEL, SPEAKERS, RecordedCall, RunRecord
from planscope.wording.phrases import measured, plural

NOT_RECORDED = "not recorded"
NO_SYSTEM_PROMPT = "none"
NO_TOOLS = "none"

_LONGEST_JSON = 1_000_000
"""Longer texts (characters) are not parsed as JSON."""


class Part(NamedTuple):
    """A thing that the model saw or said. ``known`` is False if ``value`` only says that it was not recorded."""

    name: str
    value: Any
    known: bool = True


def given_at_first(record: RunRecord) -> tuple[Part, ...]:
    """Return system prompt, messages and tools of the first model call."""
    prompt = record.prompt
    if prompt is None:
        return tuple(Part(name, NOT_RECORDED, False) for name in ("system prompt", "messages", "tools"))
    first = next(iter(_messages(record)), None)
    own = first.given if first is not None else None
    system, tools = prompt.system, prompt.tools
    messages = [{"role": "user", "text": prompt.text}]
    if prompt.messages is not None:
        messages = [_plain(one) for one in prompt.messages]
    if own is not None:  # the agent's own prompt and tools
        system = system if own.system is None else own.system
        tools = tools if own.tools is None else own.tools
        messages = messages if own.messages is None else [_plain(one) for one in own.messages]
    offered = Part("tools", NOT_RECORDED, False)
    if tools is not None:
        offered = Part("tools", _tools(tools), True) if tools else Part("tools", NO_TOOLS, False)
    return (
        Part("system prompt", system) if system else Part("system prompt", NO_SYSTEM_PROMPT, False),
        Part("messages", messages),
        offered,
    )


def said_at(record: RunRecord, index: int) -> tuple[Part, ...]:
    """Return what the model said and the tool answered at step ``index``; after the last call, the model's last
    messages.

    ``index`` counts the calls from 1. Step 0 is :func:`given_at_first`.
    """
    if index <= 0:
        return given_at_first(record)
    parts = [*model_parts(record, index)]
    if index <= len(record.calls):
        parts += _tool(record.calls[index - 1])
    return tuple(parts)


def model_parts(record: RunRecord, index: int) -> Iterator[Part]:
    """Return the model's part of :func:`said_at`: the message that asked for the call, its tokens and its time."""
    calls = record.calls
    return _model(record, index, calls[index - 1].messages if index <= len(calls) else record.last_messages)


def cost_of(messages: Iterable[MessageEvent]) -> str:
    """Describe tokens and time of model calls: ``120 tokens read, 8 written, 0.3 s``. Missing counts are left out."""
    told = list(messages)
    if not told:
        return ""
    usage = [one.usage for one in told if one.usage is not None]
    tokens = ""
    if usage:
        came, went = sum(u.input_tokens for u in usage), sum(u.output_tokens for u in usage)
        tokens = f"{plural(came, 'token')} read, {went:,} written, "
    took = sum(one.took for one in told)
    imported = not took and any(one.number is not None for one in told)
    return f"{tokens}{f'time {NOT_RECORDED}' if imported else measured(took)}"


def first_of_message(record: RunRecord, index: int) -> int | None:
    """Return the earlier step that has the message with this step's call, or None if this step has it or it is
    missing."""
    calls = record.calls
    if not 0 < index <= len(calls) or calls[index - 1].messages:
        return None
    return next((i for i in range(index - 1, 0, -1) if calls[i - 1].messages), None)


def _model(record: RunRecord, index: int, messages: tuple[MessageEvent, ...]) -> Iterator[Part]:
    if not messages:
        first = first_of_message(record, index)
        if first is not None:
            yield Part("message", f"the same as at step {first}", False)
        elif index <= len(record.calls):
            yield Part("message", NOT_RECORDED, False)
        return
    for event in messages:
        if event.by is not None:
            yield Part(SPEAKERS[event.by], event.text)
            continue
        if event.given is not None and event is not next(iter(_messages(record)), None):
            yield from _changed(event.given)
        if event.message is None and event.raw and event.text:  # of a trace only the place may be kept
            yield Part(MODEL, event.text)
        timed = record.cost.known_seconds is not None and event.timed is not False
        when = f", {measured(event.at)} after the start" if timed else ""
        counted = f"tokens {NOT_RECORDED}, " if event.usage is None else ""
        yield Part("tokens and time", f"{counted}{cost_of([event])}{when}")
        whole = event.message if event.message is not None else event.raw or event.text
        yield Part("raw message", whole) if whole else Part("raw message", NOT_RECORDED, False)


def _changed(given: Given) -> Iterator[Part]:
    if given.system is not None:
        yield Part("system prompt, changed", given.system or NO_SYSTEM_PROMPT)
    if given.tools is not None:
        yield Part("tools, changed", _tools(given.tools) or NO_TOOLS)
    if given.messages is not None:
        yield Part("messages, changed", [_plain(one) for one in given.messages])


def _tool(call: RecordedCall) -> Iterator[Part]:
    answered = call.answered or AnswerEvent(step=1, text="")
    unread = call.raw if call.arguments is None else None
    parts = {
        "asked for": call.asked,
        "arguments": call.arguments,
        "arguments, not readable": unread or None,
        "error": call.error or None,
        "answer": as_json(call.answer),
        "answer of the tool": as_json(call.said),
        "time of the tool": measured(answered.took) if answered.took else None,
        "artifact": answered.artifact,
        "to the graph": answered.to_graph,
        "trouble": list(call.troubles) or None,
    }
    yield from (Part(name, value) for name, value in parts.items() if value is not None)


def as_json(text: str | None) -> Any:
    """Return the object or list that a text is as JSON, or else the text itself."""
    if text is not None and len(text) <= _LONGEST_JSON and text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _messages(record: RunRecord) -> Iterator[MessageEvent]:
    for call in record.calls:
        yield from call.messages
    yield from record.last_messages


def _plain(model: Any) -> Data:
    made: Data = model.model_dump(mode="json", exclude_none=True)
    return made


def _tools(tools: Iterable[SeenTool]) -> list[Data]:
    return [_plain(tool) for tool in tools]
