"""Reads Langfuse: a trace with its observations (``{"trace", "observations"}``), or observations alone.

Batch exports have camelCase names, blob exports snake_case; inputs and outputs may be JSON text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import speaks, usage_of
from planscope.traces.formats.otel import attributes_of, fill_model, fill_tool, kind_of
from planscope.traces.groups import Placed
from planscope.traces.json_stream import parsed
from planscope.traces.reader import Options, records
from planscope.traces.source import Head, Source
from planscope.traces.spans import MOST_TITLES, Kind, Span, assembled
from planscope.traces.values import as_text, name, obj, seconds, seq, text

TYPES = (
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
)
_NAMES = {
    "parent_observation_id": "parentObservationId",
    "trace_id": "traceId",
    "start_time": "startTime",
    "end_time": "endTime",
    "status_message": "statusMessage",
    "usage_details": "usageDetails",
}


def camel(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the names of batch exports."""
    return {_NAMES.get(key, key): value for key, value in record.items()}


def is_observation(value: Any) -> bool:
    """Return whether a value is an observation."""
    if type(value) is not dict or type(value.get("type")) is not str:
        return False
    beside = "startTime" in value or "start_time" in value
    return value["type"].upper() in TYPES and beside and ("traceId" in value or "trace_id" in value)


class Langfuse:
    """Reads this format. Observations with one trace id make one trace."""

    name = "langfuse"
    title = "a Langfuse export"

    def recognises(self, head: Head) -> float:
        if any(map(is_observation, head.within("observations", "data"))):
            return 0.92
        listed = [one for one in head.objects if type(one.get("observations")) is list]
        return 0.9 if any("trace" in one or "projectId" in one for one in listed) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        titles: dict[str, str] = {}

        def spans() -> Iterator[Placed]:
            for value, keys in records(source, ("observations", "data"), is_observation):
                if is_observation({"traceId": "", **value}):
                    record = camel(value)
                    yield name(record.get("traceId")), record, keys
                elif len(titles) < MOST_TITLES:
                    about = obj(value.get("trace")) or value
                    titles[name(about.get("id")) or source.stem] = text(about.get("name"))

        def title(trace: str, _records: list[dict[str, Any]]) -> str:
            return titles.get(trace) or (titles.get(source.stem, "") if len(titles) == 1 else "")

        yield from assembled(spans(), self.name, source, _span, title)


def _json(value: Any) -> Any:
    if type(value) is not str or value[:1] not in ("[", "{", '"'):
        return value
    try:
        return parsed(value)
    except ValueError:
        return value


def _span(record: dict[str, Any]) -> Span:
    metadata = obj(_json(record.get("metadata")))
    attributes = attributes_of(_json(metadata.get("attributes")))
    label = text(record.get("name"))
    kind: Kind = {"TOOL": "tool", "GENERATION": "model", "AGENT": "agent"}.get(  # type: ignore[assignment]
        text(record.get("type")).upper()
    ) or kind_of(attributes, label)
    span = Span(
        name(record.get("id")),
        name(record.get("parentObservationId")),
        kind,
        label,
        seconds(record.get("startTime")),
        seconds(record.get("endTime")),
        record.get("order", 0),
        agent=text(attributes.get("gen_ai.agent.name")) or (label if kind == "agent" else ""),
        failed=record.get("level") == "ERROR",
        error=as_text(record.get("statusMessage")),
    )
    given, made = _json(record.get("input")), _json(record.get("output"))
    if kind == "tool":
        fill_tool(span, attributes)
        if span.arguments is None and given is not None:
            inner = given.get("input") if type(given) is dict and len(given) == 1 else None
            span.arguments = (
                inner if type(inner) is dict else given if type(given) is dict else {"input": given}
            )
        if span.result is None and made is not None:
            span.result = made
        span.answered = span.answered or span.result is not None
    elif kind == "model":
        fill_model(span, attributes, [])
        span.model = text(record.get("model")) or span.model
        span.usage = span.usage or usage_of(record.get("usageDetails", record.get("usage")))
        if not span.messages and not span.answers:
            messages = obj(given).get("messages", given)
            span.messages = [one for one in seq(messages) if speaks(one)]
            answers = made if type(made) is list else [made]
            span.answers = [{"role": "assistant", **one} for one in map(obj, answers) if _is_answer(one)]
            if type(made) is str and made:
                span.answers = [{"role": "assistant", "content": made}]
    return span


def _is_answer(one: dict[str, Any]) -> bool:
    return bool(one) and any(key in one for key in ("content", "tool_calls", "parts"))


READERS = (Langfuse(),)
