"""The Responses API's bodies: whole and as server-sent events."""

from __future__ import annotations

import json
from typing import Any

from .replies import Say


def response(say: Say, identity: str) -> dict[str, Any]:
    """A finished response: its message, if there is one, then its calls."""
    output: list[dict[str, Any]] = []
    if say.text is not None:
        part = {"type": "output_text", "text": say.text, "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{identity}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for number, one in enumerate(say.calls, 1):
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{identity}_{number}",
                "call_id": one.id,
                "name": one.name,
                "arguments": one.arguments,
                "status": "completed",
            }
        )
    body = {
        "id": identity,
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": "local",
        "output": output,
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
    }
    if say.usage:
        read, said = say.usage
        body["usage"] = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + said,
        }
    return body


def inputs(body: dict[str, Any]) -> list[Any]:
    """What a request adds to the conversation."""
    given = body.get("input")
    return given if isinstance(given, list) else [{"role": "user", "content": given}]


def response_events(made: dict[str, Any]) -> list[bytes]:
    """The same as a stream: created, each item in pieces, completed."""
    begun = made | {"status": "in_progress", "output": []}
    begun.pop("usage", None)
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(made["output"]):
        at = {"output_index": place, "item_id": item["id"]}
        if item["type"] == "message":
            text = item["content"][0]["text"]
            empty = item | {"content": [], "status": "in_progress"}
            part = {"type": "output_text", "text": "", "annotations": []}
            events += [
                {"type": "response.output_item.added", "output_index": place, "item": empty},
                {"type": "response.content_part.added", "content_index": 0, "part": part, **at},
            ]
            half = len(text) // 2
            for piece in (text[:half], text[half:]):
                events.append(
                    {
                        "type": "response.output_text.delta",
                        "content_index": 0,
                        "delta": piece,
                        "logprobs": [],
                        **at,
                    }
                )
            events.append(
                {"type": "response.output_text.done", "content_index": 0, "text": text, "logprobs": [], **at}
            )
        else:
            empty = item | {"arguments": "", "status": "in_progress"}
            half = len(item["arguments"]) // 2
            events.append({"type": "response.output_item.added", "output_index": place, "item": empty})
            for piece in (item["arguments"][:half], item["arguments"][half:]):
                events.append({"type": "response.function_call_arguments.delta", "delta": piece, **at})
            events.append(
                {
                    "type": "response.function_call_arguments.done",
                    "arguments": item["arguments"],
                    "name": item["name"],
                    **at,
                }
            )
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": "response.completed", "response": made})
    return [
        f"event: {e['type']}\ndata: {json.dumps(e | {'sequence_number': n})}\n\n".encode()
        for n, e in enumerate(events)
    ]
