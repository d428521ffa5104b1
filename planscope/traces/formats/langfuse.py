"""Reads Langfuse: a trace with its observations (``{"trace", "observations"}``), or observations alone.

Batch exports have camelCase names, blob exports snake_case; inputs and outputs may be JSON text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import speaks, usage_of
from planscope.traces.formats.otel import attributes_of, fill_model, fill_tool, kind_of
from planscope.traces.groups import Groups
from planscope.traces.json_stream import Broken, Cursor, parsed
from planscope.traces.reader import Options
from planscope.traces.source import Head, Source
from planscope.traces.spans import Kind, Span, assembled
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
        for one in head.objects:
            listed = seq(one.get("observations")) or seq(one.get("data"))
            if is_observation(one) or any(is_observation(inner) for inner in listed[:5]):
                return 0.92
            if type(one.get("observations")) is list and ("trace" in one or "projectId" in one):
                return 0.9
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        groups = Groups(source.ledger)
        about: dict[str, dict[str, Any]] = {}
        broken: Broken | None = None
        try:
            for k, (record, observed) in enumerate(_records(source)):
                if observed:
                    groups.add(name(record.get("traceId")) or source.stem, {**record, "order": k})
                elif len(about) < 100_000:
                    about[name(record.get("id")) or source.stem] = {
                        key: record.get(key) for key in ("name", "userId", "scores", "sessionId")
                    }
        except Broken as error:
            broken = error

        def title(trace: str, _records: list[dict[str, Any]]) -> str:
            known = about.get(trace) or (about.get(source.stem) if len(about) == 1 else None) or {}
            return text(known.get("name"))

        yield from assembled(groups, self.name, source, broken, _span, title)


def _records(source: Source) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield every trace and every observation (the second is True) of the file."""
    if source.seen.kind == "lines":
        for _, value in source.records():
            yield from _in_value(obj(value))
        return
    for top in source.json().documents():
        if top.kind == "[":
            for element in top.elements():
                yield from _in_value(obj(element.value()))
        elif top.kind == "{":
            yield from _in_object(top)
        else:
            top.skip()


def _in_value(record: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    if is_observation(record):
        yield camel(record), True
        return
    for one in (*seq(record.get("observations")), *seq(record.get("data"))):
        if type(one) is dict and is_observation(one):
            yield camel(one), True
    if "observations" in record:
        yield obj(record.get("trace")) or record, False


def _in_object(top: Cursor) -> Iterator[tuple[dict[str, Any], bool]]:
    beside: dict[str, Any] = {}
    for key, member in top.members():
        if key in ("observations", "data") and member.kind == "[":
            for element in member.elements():
                one = element.value()
                if type(one) is dict and is_observation({"traceId": "", **one}):
                    yield camel(one), True
        else:
            beside[key] = member.value()
    if is_observation(beside):
        yield camel(beside), True
    else:
        yield obj(beside.get("trace")) or beside, False


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
