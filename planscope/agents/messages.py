"""Converts LangChain's messages to events of a run, and the events of a fork back to messages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    ToolCall,
    ToolMessage,
    message_to_dict,
)
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, Send

from planscope.agents.call_arguments import was_completed, why_unreadable
from planscope.agents.gate import PendingCall
from planscope.safe.secret_names import without_secrets
from planscope.session.json_bytes import Obj, plain, plain_text
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    Event,
    Given,
    MessageEvent,
    PromptEvent,
    Usage,
)

Middleware = AgentMiddleware[AgentState[object], None, object]


def text_of(message: BaseMessage) -> str:
    """Return the message's text with references to its images, or its reasoning if it has neither. Secrets of the
    environment are removed from errors."""
    blocks = message.content if isinstance(message.content, list) else []
    media = [said for block in blocks if isinstance(block, dict) and (said := _medium(block))]
    if message.text or media:
        failed = isinstance(message, ToolMessage) and message.status == "error"
        text = without_secrets(str(message.text)) if failed else str(message.text)
        return "\n".join(part for part in (text, *media) if part)
    thoughts = [b.get("reasoning") or b.get("thinking") for b in blocks if isinstance(b, dict)]
    thoughts.append(message.additional_kwargs.get("reasoning_content"))
    return "\n".join(t for t in thoughts if isinstance(t, str))


_MEDIA = (
    "image",
    "image_url",
    "input_image",
    "audio",
    "input_audio",
    "video",
    "file",
    "input_file",
    "document",
)
"""Types of content blocks whose data are kept by reference only."""

_SHORT = 200
"""Data up to this length, in characters, are kept as they are."""


def _medium(block: Mapping[str, object]) -> str:
    """Return a reference to an image or a file in a message: its address, or type, size and digest of its data."""
    kind = block.get("type")
    if kind not in _MEDIA:
        return ""
    word = str(kind).removeprefix("input_").removesuffix("_url")
    inner = next((b for key in ("source", "image_url", word) if isinstance(b := block.get(key), dict)), {})
    one = {**block, **inner}
    address = next(
        (a for key in ("url", "image_url", "file_url", "file_id") if isinstance(a := one.get(key), str)), ""
    )
    if address and not address.startswith("data:"):
        return f"[{word} {plain_text(address[:500])}]"
    data = address or next(
        (d for key in ("base64", "data", "file_data") if isinstance(d := one.get(key), str)), ""
    )
    mime = one.get("mime_type") or one.get("media_type")
    return f"[{word} {_reference(data, mime if isinstance(mime, str) else '')}]" if data else f"[{word}]"


def _reference(data: str, mime: str = "") -> str:
    head, _, body = data.partition(",") if data.startswith("data:") else ("", "", data)
    kind = plain_text((mime or head.removeprefix("data:").partition(";")[0])[:60])
    digest = hashlib.sha256(body.encode(errors="replace")).hexdigest()[:12]
    size = len(body) * 3 // 4
    return ", ".join(part for part in (kind, f"{size:,} bytes", f"digest {digest}") if part)


def by_reference(value: object) -> Any:
    """Return a message's content without the data of its images and files, which would make sessions huge."""
    if isinstance(value, list):
        return [by_reference(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, one in value.items():
        long = isinstance(one, str) and len(one) > _SHORT
        if long and (one.startswith("data:") or key in ("base64", "data", "file_data")):
            made[key] = _reference(one)
        else:
            made[key] = by_reference(one)
    return made


def conversation(request: ToolCallRequest) -> list[BaseMessage]:
    """Return the messages of a call's conversation. An agent's state is a mapping or an object."""
    state = request.state
    found = state.get("messages") if isinstance(state, dict) else getattr(state, "messages", None)
    return found or []


def identity_of(request: ToolCallRequest) -> str:
    """Return the id that a call was sent with, "" if it has none."""
    return request.tool_call["id"] or ""


def last_answer(messages: Sequence[BaseMessage]) -> AIMessage | None:
    """Return the model's last message."""
    return next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)


def call_ids(messages: Sequence[BaseMessage]) -> set[str]:
    """Return the ids of all calls in the messages, readable or not."""
    return {
        call["id"] or ""
        for m in messages
        if isinstance(m, AIMessage)
        for call in (*m.tool_calls, *m.invalid_tool_calls)
    }


def taken_apart(
    message: AIMessage, taken: tuple[set[str], set[str]] | None
) -> tuple[AIMessage, list[PendingCall]]:
    """Return the message as it can be sent again, fit for JSON and each call with its own id, and its calls in their
    order, or unreadable ones last if the order is lost.

    Loop and providers match answers by call id, but some servers send none, or always the same. ``taken``: the ids of
    messages and of calls that are taken, if the agent is to get the message so; then calls whose arguments the client
    completed become unreadable. Else their tool gets the completed arguments, and the text is kept with them.
    """
    message_ids, used = (set[str](), set[str]()) if taken is None else (taken[0], set(taken[1]))

    def own(call: ToolCall | InvalidToolCall) -> Any:
        old = plain_text(call["id"] or "")
        new, number = old or "call_1", 1
        while new in used:
            number += 1
            new = f"{old or 'call'}_{number}"
        used.add(new)
        return {**plain(dict(call)), "id": new}

    written = _completed(message)
    good, bad, found = [], [], list[PendingCall]()
    odd = list(message.invalid_tool_calls)
    for place, call in enumerate(message.tool_calls):
        raw = written.get(place)
        if raw is not None and taken is not None:
            odd.append(_as_written(call, raw))
            continue
        good.append(one := own(call))
        found.append(PendingCall(0, one["name"], one["args"], one["id"], raw=raw, sent_as=call["id"] or ""))
    for wrong in odd:
        bad.append(one := own(wrong))
        why, sent = why_unreadable(one["args"], one["error"]), wrong["id"] or ""
        found.append(PendingCall(0, one["name"] or "", {}, one["id"], None, one["args"], why, sent_as=sent))
    order: dict[str | None, int] = {}
    for place, sent in enumerate(_sent_ids(message)):
        meant = (p.call_id for p in found if p.sent_as == sent and p.call_id not in order)
        order[next(meant, None)] = place
    extra = {k: v for k, v in plain(message.additional_kwargs).items() if k != "tool_calls"}
    tidy = {
        "content": plain(message.content),
        "tool_calls": good,
        "invalid_tool_calls": bad,
        "id": None if message.id in message_ids else message.id,
        "additional_kwargs": extra,
    }
    found.sort(key=lambda p: order.get(p.call_id, len(found) + len(order)))
    return message.model_copy(update=tidy), found


def _completed(message: AIMessage) -> dict[int, str]:
    """Return the original arguments of calls that the client completed, by index in ``message.tool_calls``."""
    sent = [s for s in _sent(message) if _arguments(s) is not None]
    # if the message does not have all calls, ids may be missing, too
    if len(sent) == len(message.tool_calls):
        found = {i: _arguments(s) for i, s in enumerate(sent)}
    else:
        by_id = {_identity(s): _arguments(s) for s in sent}
        found = {i: by_id.get(c["id"]) for i, c in enumerate(message.tool_calls)}
    return {i: raw for i, raw in found.items() if raw is not None and was_completed(raw)}


def _as_written(call: ToolCall, raw: str) -> InvalidToolCall:
    return InvalidToolCall(
        type="invalid_tool_call", id=call["id"], name=call["name"], args=raw, error="cut off"
    )


def _sent(message: AIMessage) -> list[Obj]:
    """Return the calls in the form that the model sent, if the message still has them."""
    calls = message.additional_kwargs.get("tool_calls") or [
        block
        for block in (message.content if isinstance(message.content, list) else [])
        if isinstance(block, dict) and _identity(block) is not None
    ]
    return [c for c in calls if isinstance(c, dict)]


def _identity(sent: Obj) -> object:
    return sent.get("call_id") or sent.get("id")


def _arguments(sent: Obj) -> str | None:
    function = sent.get("function")
    raw = function.get("arguments") if isinstance(function, dict) else sent.get("arguments")
    return raw if isinstance(raw, str) else None


def _sent_ids(message: AIMessage) -> list[str]:
    """Return the ids of the calls, in the order in which the model sent them."""
    return [i for i in map(_identity, _sent(message)) if isinstance(i, str)]


def message_event(
    message: AIMessage, tidy: AIMessage, at: float, began: float, given: Given | None = None
) -> MessageEvent:
    """Return the event of one answer of the model. ``tidy`` is the message that a fork can send again."""
    usage = message.usage_metadata
    refusal = refusal_of(message)
    whole = plain(message_to_dict(tidy))
    return MessageEvent(
        at=at,
        text=plain_text(text_of(message)),
        took=max(0.0, round(at - began, 6)),
        usage=Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
        if usage
        else None,
        message=by_reference(whole) if isinstance(message.content, list) else whole,
        refusal=refusal,
        finish=finish_of(message) if refusal is None else None,
        given=given,
    )


_EARLY = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "refusal": "content_filter",
}
"""Reasons why an answer ended early: planscope's word for each provider's word."""


def refusal_of(message: AIMessage) -> str | None:
    """Return the text of a model's refusal, or None. OpenAI's two protocols have a field for it."""
    said = message.additional_kwargs.get("refusal")
    blocks = message.content if isinstance(message.content, list) else []
    found = [said, *(b.get("refusal") for b in blocks if isinstance(b, dict))]
    text = "\n".join(one for one in found if isinstance(one, str) and one.strip())
    return plain_text(text) or None


def finish_of(message: AIMessage) -> str | None:
    """Return why an answer ended early: ``length`` or ``content_filter``; None if it did not."""
    data = message.response_metadata
    details = data.get("incomplete_details")
    words = [data.get("finish_reason"), data.get("stop_reason"), data.get("done_reason")]
    words.append(details.get("reason") if isinstance(details, dict) else None)
    known = (_EARLY.get(word.lower()) for word in words if isinstance(word, str))
    return next((word for word in known if word), None)


def answer_parts(answer: object, identity: str) -> tuple[ToolMessage | None, Obj | None]:
    """Return the message in a tool's answer to that call, and the command to the graph that came with it.

    The command's ``history`` is the number of messages of the conversation that the update repeats before the answer.
    ``lost`` names what is not kept; it is empty if the command can be given again.
    """
    parts = answer if isinstance(answer, list | tuple) else [answer]
    message, command, lost = None, dict[str, object](), list[str]()
    for part in parts:
        if isinstance(part, ToolMessage):
            message = part if message is None or part.tool_call_id == identity else message
        elif isinstance(part, Command):
            update = part.update if isinstance(part.update, dict) else {}
            said = update.get("messages")
            for one in said if isinstance(said, list | tuple) else [said]:
                if isinstance(one, ToolMessage) and one.tool_call_id == identity:
                    message = one
            goto = [
                _node(n) for n in (part.goto if isinstance(part.goto, list | tuple) else [part.goto]) if n
            ]
            rest = {k: v for k, v in update.items() if k != "messages"}
            history, others = _history(said, identity)
            more = {"goto": goto, "graph": part.graph, "update": plain(rest), "history": history}
            command |= {key: value for key, value in more.items() if value}
            lost += _lost_of(part, rest, others)
            command["lost"] = lost
    if "lost" in command and message is None:
        command["wordless"] = True
    return message, command or None


def _history(said: object, identity: str) -> tuple[int, bool]:
    """Return how many messages of the conversation an update repeats, and whether it has any others."""
    said = said if isinstance(said, list | tuple) else [said]
    others = [m for m in said if m is not None and getattr(m, "tool_call_id", None) != identity]
    last = others[-1] if others else None
    repeats = isinstance(last, AIMessage) and any(call["id"] == identity for call in last.tool_calls)
    return (len(others), False) if repeats else (0, bool(others))


def _lost_of(command: Command[object], rest: Mapping[str, object], others: bool) -> Iterator[str]:
    """Yield what of a command the record does not keep."""
    if command.update is not None and not isinstance(command.update, dict):
        yield "an update that is no mapping"
    for name, value in rest.items():
        if not is_json(value):
            yield f"the update of {plain_text(str(name))!r}, which is no JSON"
    if others:
        yield "messages besides the answer"
    goto = command.goto if isinstance(command.goto, list | tuple) else [command.goto]
    if any(isinstance(one, Send) for one in goto):
        yield "what is sent to a node"
    if command.resume is not None:
        yield "a value to resume with"


def is_json(value: object) -> bool:
    """Return whether a session can hold a value as it is."""
    try:
        return bool(json.loads(json.dumps(value)) == value == plain(value))
    except (TypeError, ValueError, RecursionError):
        return False


def command_again(
    to_graph: Mapping[str, object], answer: ToolMessage, messages: Sequence[BaseMessage]
) -> Command[object]:
    """Return a recorded command with the answer to this call. ``messages``: the conversation now."""
    history, update, goto = to_graph.get("history"), to_graph.get("update"), to_graph.get("goto")
    history = min(history, len(messages)) if type(history) is int and history > 0 else 0
    said = [*(messages[-history:] if history else ()), *(() if to_graph.get("wordless") else (answer,))]
    made = {**(update if isinstance(update, dict) else {}), **({"messages": said} if said else {})}
    nodes = [one for one in goto if isinstance(one, str)] if isinstance(goto, list) else ()
    graph = to_graph.get("graph")
    return Command(graph=graph if isinstance(graph, str) else None, update=made or None, goto=nodes)


def _node(goto: object) -> str:
    return plain_text(str(getattr(goto, "node", goto)))


def artifact_of(message: ToolMessage | None, marks: Collection[str]) -> object:
    """Return a tool message's artifact as JSON, without planscope's own ``marks``. A long one is left out."""
    found = message.artifact if message is not None else None
    if isinstance(found, dict):
        found = {key: value for key, value in found.items() if key not in marks} or None
    if found is None:
        return None
    kept = plain(found)
    size = len(json.dumps(kept))
    return (
        kept if size <= LONGEST_ARTIFACT else f"{type(found).__name__}, {size:,} characters of JSON: not kept"
    )


LONGEST_ARTIFACT = 64 * 1024
"""The limit for an artifact's JSON, in characters."""


def call_event(call: PendingCall, at: float, step: int, asked: Obj | None = None) -> CallEvent:
    """Return the event of one call. ``asked`` has the agent's own arguments if the user changed them."""
    return CallEvent(
        at=at,
        step=step,
        tool=call.tool,
        arguments=None if call.error is not None else dict(call.arguments),
        raw=call.raw,
        error=call.error,
        call_id=call.call_id,
        asked=asked,
    )


RETURNED = "planscope_returned"
"""Key in ``additional_kwargs`` of a tool's answer: what the tool returned to a program that called it itself."""

DONE_WITH = "planscope_arguments"
REFUSED_BY = "planscope_refused_by"
"""Keys in a tool message's artifact, which no model sees: the changed arguments, and who refused the call."""


GAVE_UP = "planscope_gave_up"
"""Key beside ``REFUSED_BY``: the guard ends the run with this refusal; the value says why."""

ENDED_BY = "planscope_ended_by"
"""Key in the metadata of a message that the guard wrote in the model's place to end the run."""

TOLD_BY = "planscope_told_by"
"""Key in the metadata of a message in which the guard told the agent what it still owes."""


def ended_by_guard(message: AIMessage) -> str | None:
    """Return why the guard ended the run, if this is its final message, or None."""
    if message.response_metadata.get(ENDED_BY) != "guard":
        return None
    return str(message.text).removeprefix("This run was ended: ").removesuffix(".")


def refuser(message: ToolMessage | None) -> Literal["guard", "user"] | None:
    """Return who refused a call, or None if nobody did."""
    artifact = message.artifact if message is not None else None
    by = artifact.get(REFUSED_BY) if isinstance(artifact, dict) else None
    return by if by in ("guard", "user") else None


def answer_event(
    answer: object, at: float, step: int, identity: str, took: float, said: str | None = None
) -> AnswerEvent:
    """Return the event of a tool's answer: a message, a command to the graph, or several of both."""
    message, command = answer_parts(answer, identity)
    return AnswerEvent(
        at=at,
        step=step,
        text=plain_text(text_of(message)) if message is not None else _without_words(answer, command),
        status="error" if message is not None and message.status == "error" else "ok",
        took=max(0.0, round(took, 6)),
        call_id=identity,
        refused_by=refuser(message),
        said=said,
        to_graph=command,
        artifact=artifact_of(message, (DONE_WITH, REFUSED_BY, GAVE_UP)),
        returned=_returned(message if message is not None else answer),
    )


def _returned(answer: object) -> object:
    """Return what a program gets of a tool that it calls itself, if it is more than text, and short enough."""
    found = answer.additional_kwargs.get(RETURNED) if isinstance(answer, ToolMessage) else answer
    if isinstance(found, str | Command) or not is_json(found) or len(json.dumps(found)) > LONGEST_ARTIFACT:
        return None
    return found


def _without_words(answer: object, command: Mapping[str, object] | None) -> str:
    if command and isinstance(goto := command.get("goto"), list):
        return f"continues at {', '.join(goto)}"
    if isinstance(answer, list | tuple) and any(isinstance(one, Command | BaseMessage) for one in answer):
        return ""
    return "" if isinstance(answer, Command) else said_of(answer)


def said_of(returned: object) -> str:
    """Return what a tool returned to a program as text: JSON if it can be."""
    if isinstance(returned, str) or not is_json(returned):
        return plain_text(str(returned))
    return json.dumps(returned, ensure_ascii=False)


def messages_of(events: Sequence[Event]) -> list[BaseMessage]:
    """Return the conversation of a fork, up to its last answer, as plain messages, so that any model can continue
    it.

    Nothing in it refers to state on a server: with ``previous_response_id`` an edited message would not be sent.
    """
    answers = {e.step: e for e in events if isinstance(e, AnswerEvent)}
    messages: list[BaseMessage] = []
    said, calls, turns = "", list[CallEvent](), count(1)
    talks = any(isinstance(e, MessageEvent) for e in events)  # imported runs may have calls without messages

    def flush() -> None:
        nonlocal calls, said
        if calls:
            messages.extend(_turn(said, calls, answers, f"kept-{next(turns)}"))
            calls, said = [], ""

    for event in events:
        if isinstance(event, PromptEvent):
            messages.append(HumanMessage(event.text))
        elif isinstance(event, MessageEvent):
            flush()
            if event.by is None:
                said = event.text
            elif event.by == "user":
                messages.append(HumanMessage(event.text))
        elif (
            isinstance(event, CallEvent) and event.by != "program"
        ):  # no model knows of a program's own calls
            if not talks or event.call_id is None:  # a call added by a person belongs to no message
                flush()
            calls.append(event)
    flush()
    return messages


def _turn(
    said: str, calls: Sequence[CallEvent], answers: Mapping[int, AnswerEvent], identity: str
) -> Iterator[BaseMessage]:
    """Yield a message of the model with its calls, and the answers to them."""
    good: list[object] = []
    bad: list[object] = []
    behind: list[BaseMessage] = []
    for call in calls:
        id = call.call_id or f"step_{call.step}"
        asked = call.arguments if call.asked is None else call.asked
        if asked is not None:
            good.append(tool_call(name=call.tool, args=dict(asked), id=id))
        else:
            bad.append(invalid_tool_call(name=call.tool, args=call.raw, id=id, error=call.error))
        answer = answers.get(call.step)
        if answer is None:
            continue
        mark: Obj = {REFUSED_BY: answer.refused_by} if answer.refused_by else {}
        if call.asked is not None:
            mark[DONE_WITH] = call.arguments
        behind.append(
            ToolMessage(
                answer.text,
                name=call.tool,
                tool_call_id=id,
                status="error" if answer.status == "error" else "success",
                artifact=mark or None,
            )
        )
    yield AIMessage(said, tool_calls=good, invalid_tool_calls=bad, id=identity)
    yield from behind
