"""Reads traces of the OpenAI Agents SDK: bodies of its exporter (``{"data": [..]}``), one on each line, or its spans
alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import speaks, usage_of
from planscope.traces.groups import Placed
from planscope.traces.reader import Options, records
from planscope.traces.source import Head, Source
from planscope.traces.spans import MOST_TITLES, Kind, Span, assembled
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
        return 0.95 if any(one.get("object") in OBJECTS for one in head.within("data")) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        titles: dict[str, str] = {}

        def spans() -> Iterator[Placed]:
            for one, keys in records(source, ("data",)):
                if one.get("object") == "trace.span":
                    yield name(one.get("trace_id")), one, keys
                elif one.get("object") == "trace" and len(titles) < MOST_TITLES:
                    titles[name(one.get("id"))] = text(one.get("workflow_name"))

        yield from assembled(spans(), self.name, source, _span, lambda trace, _: titles.get(trace, ""))


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
