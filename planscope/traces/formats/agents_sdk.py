"""Reads traces of the OpenAI Agents SDK: bodies of its exporter (``{"data": [..]}``), one on each line, or its spans
alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import speaks, usage_of
from planscope.traces.groups import Groups
from planscope.traces.json_stream import Broken
from planscope.traces.reader import Options
from planscope.traces.source import Head, Source
from planscope.traces.spans import Kind, Span, assembled
from planscope.traces.values import as_text, name, obj, seconds, seq, text

OBJECTS = ("trace", "trace.span")
KINDS: dict[str, Kind] = {
    "function": "tool",
    "generation": "model",
    "response": "model",
    "agent": "agent",
    "handoff": "handoff",
}


class AgentsSdk:
    """Reads this format. Spans with one trace id make one trace."""

    name = "openai-agents"
    title = "OpenAI Agents SDK spans"

    def recognises(self, head: Head) -> float:
        for one in head.objects:
            inner = [obj(i) for i in seq(one.get("data"))[:5]]
            if any(i.get("object") in OBJECTS for i in (one, *inner)):
                return 0.95
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        groups = Groups(source.ledger)
        titles: dict[str, str] = {}
        broken: Broken | None = None
        try:
            for k, (one, *keys) in enumerate(_objects(source)):
                if one.get("object") == "trace":
                    if len(titles) < 1_000_000:
                        titles[name(one.get("id"))] = text(one.get("workflow_name"))
                else:
                    groups.add(name(one.get("trace_id")) or source.stem, {**one, "order": k}, *keys)
        except Broken as error:
            broken = error
        yield from assembled(groups, self.name, source, broken, _span, lambda trace, _: titles.get(trace, ""))


def _objects(source: Source) -> Iterator[tuple[Any, ...]]:
    """Yield each object, and the keys under which it is in its record."""
    if source.seen.kind == "lines":
        for _, value in source.records():
            yield from _in_value(value)
        return
    for top in source.json().documents():
        if top.kind == "[":
            for element in top.elements():
                yield from _in_value(element.value())
        elif top.kind == "{" and "data" in next(iter(source.seen.objects), {}):
            for key, member in top.members():
                if key == "data" and member.kind == "[":
                    for element in member.elements():
                        yield from _in_value(element.value())
                else:
                    member.skip()
        else:
            yield from _in_value(top.value())


def _in_value(value: Any) -> Iterator[tuple[Any, ...]]:
    one = obj(value)
    if one.get("object") in OBJECTS:
        yield (one,)
    else:
        for k, inner in enumerate(map(obj, seq(one.get("data")))):
            if inner.get("object") in OBJECTS:
                yield inner, "data", k


def _span(one: dict[str, Any]) -> Span:
    data = obj(one.get("span_data"))
    kind: Kind = KINDS.get(text(data.get("type")), "other")
    error = one.get("error")
    label = text(data.get("name"))
    span = Span(
        name(one.get("id")),
        name(one.get("parent_id")),
        kind,
        label,
        seconds(one.get("started_at")),
        seconds(one.get("ended_at")),
        one.get("order", 0),
        agent=label if kind == "agent" else "",
        failed=bool(error),
        error=text(obj(error).get("message")) or as_text(error),
    )
    if kind == "tool":
        span.arguments, span.result = data.get("input"), data.get("output")
        span.answered = span.end is not None or span.result is not None
        if data.get("mcp_data") is not None:
            span.raw = {"mcp_data": data["mcp_data"]}
    elif kind == "model":
        span.model = text(data.get("model")) or text(obj(data.get("response")).get("model"))
        span.usage = usage_of(data.get("usage"))
        given = data.get("input")
        span.messages = [m for m in seq(given) if speaks(m)]
        if type(given) is str and given:
            span.messages = [{"role": "user", "content": given}]
        made = data.get("output", obj(data.get("response")).get("output"))
        span.answers = [
            {"role": "assistant", **m} for m in map(obj, seq(made)) if "content" in m or "tool_calls" in m
        ]
    elif kind == "handoff":
        span.name = f"{text(data.get('from_agent'))} to {text(data.get('to_agent'))}"
    return span


READERS = (AgentsSdk(),)
