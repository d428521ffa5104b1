"""Reads OpenTelemetry spans of agents: OTLP JSON (also one request on each line), Tempo, Jaeger, Python's console
exporter.

It reads the GenAI conventions in all generations and the dialects of OpenInference, OpenLLMetry, Vercel AI SDK, ADK and
pydantic-ai. Spans of other kinds are kept only for their places in the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.accounts import Link, is_schema
from planscope.traces.build import Builder, Full
from planscope.traces.groups import Placed
from planscope.traces.json_stream import Cursor, parsed
from planscope.traces.reader import Options
from planscope.traces.source import Head, Source
from planscope.traces.spans import Kind, Span, assemble, assembled
from planscope.traces.values import arguments_of, as_text, count_of, name, obj, seconds, seq, text

_OURS = ("gen_ai.", "openinference.", "llm.", "traceloop.", "ai.", "gcp.vertex.agent.", "tool", "input.value",
         "output.value", "agent.name", "graph.node.id", "pydantic_ai.",
         "model_request_parameters", "events", "all_messages_events", "error",
         "otel.status")  # fmt: skip
"""Prefixes of the attributes that are kept."""
_ARRAYS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_INNER = (*_ARRAYS, *_SCOPES, "spans", "data", "trace", "traces", "result")
MOST_MESSAGES = 10_000
_PREFIXES = ("execute_tool ", "running tool: ", "running tool ", "tool ")
ARGUMENTS = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "ai.toolCall.args", "ai.toolCall.input",
             "tool_arguments", "gen_ai.tool.arguments", "gen_ai.tool.args", "input.value", "traceloop.entity.input",
             "gen_ai.tool.parameters", "tool.parameters")  # fmt: skip
"""The last two may be the tool's schema instead."""
RESULTS = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "ai.toolCall.result", "ai.toolCall.output",
           "tool_response", "gen_ai.tool.result", "gen_ai.tool.response", "output.value",
           "traceloop.entity.output", "gen_ai.output")  # fmt: skip
IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "gen_ai.tool.id")
NAMES = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
_PYTHON_CALL = frozenset(("args", "kwargs", "sanitize_inputs_outputs", "self"))
_MODEL_OPERATIONS = ("chat", "generate_content", "text_completion", "call_llm")


class OpenTelemetry:
    """Reads this format. Spans with one trace id make one trace; they may be anywhere in the file."""

    name = "otel"
    title = "OpenTelemetry spans"

    def recognises(self, head: Head) -> float:
        for one in head.objects:
            if any(type(one.get(key)) is list for key in _ARRAYS) or type(one.get("resourceLogs")) is list:
                return 0.9
            inner = obj(next(iter(seq(one.get("data"))), None))
            if "spans" in inner or any(
                key in obj(one.get("data")) or key in obj(one.get("trace")) for key in _ARRAYS
            ):
                return 0.9
            if _is_span(one) or any(_is_span(obj(inner)) for inner in seq(one.get("spans"))[:5]):
                return 0.85
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        unknown: dict[str, int] = {}

        def spans() -> Iterator[Placed]:
            for span, link in _spans(source, unknown):
                source.ledger.walk(span, link)
                found = _slim(span)
                yield found.pop("trace"), found, ()

        def finish(build: Builder, spans: list[Span]) -> None:
            if any(one.kind == "tool" for one in spans):  # the calls in what models wrote were not read
                for one in spans:
                    if one.kind == "model" and one.answers:
                        source.ledger.walk(one.answers, (("span", one.order), "answers"))
            for kind, count in unknown.items():
                build.unknown(kind, count)

        def title(_trace: str, found: list[dict[str, Any]]) -> str:
            _drop_outer(found)
            return ""

        yield from assembled(spans(), self.name, source, _span, title, finish)


def _is_span(one: dict[str, Any]) -> bool:
    context = obj(one.get("context"))
    if "attributes" in one and ("trace_id" in context or "span_id" in one):
        return True
    return "traceId" in one and "spanId" in one


def record_of(span: dict[str, Any]) -> dict[str, Any]:
    """Return the part of one span, in the shape of OTLP, that :func:`trace_of` reads."""
    return _slim(span)


def trace_of(id: str, records: list[dict[str, Any]]) -> Trace | None:
    """Return the trace of these records; None if no model and no tool was called in it."""
    _drop_outer(records)
    spans = [_span(one) for one in records]
    if not any(span.kind in ("model", "tool") for span in spans):
        return None
    build = Builder(id, OpenTelemetry.name)
    try:
        assemble(build, spans)
    except Full:
        build.full()
    return build.done()


# finding the spans ------------------------------------------------------------------------------------------------


def _spans(source: Source, unknown: dict[str, int]) -> Iterator[tuple[dict[str, Any], Link]]:
    """Yield every span of the file unchanged, and its place. What else the file has is accounted for."""
    if source.seen.kind == "lines":
        for number, value in source.records(again=True):
            yield from _in_value(value, f"line {number}", source, unknown, 0)
        return
    for top in source.json().documents():
        yield from _in_cursor(top, source, unknown, 0)


def _in_value(
    value: Any, link: Link, source: Source, unknown: dict[str, int], depth: int
) -> Iterator[tuple[dict[str, Any], Link]]:
    if type(value) is list:
        for k, one in enumerate(value):
            yield from _in_value(one, (link, k), source, unknown, depth)
        return
    record = obj(value)
    if _is_span(record) or "operationName" in record:
        yield record, link
        return
    found = False
    for key, inner in record.items():
        if key in _INNER and type(inner) in (list, dict) and depth < 8:
            found = True
            yield from _in_value(inner, (link, key), source, unknown, depth + 1)
        else:
            source.ledger.walk(inner, (link, key))
    if not found:
        label = next((key for key in ("resourceLogs", "resourceMetrics") if key in record), "no span")
        unknown[label] = unknown.get(label, 0) + 1


def _in_cursor(
    cursor: Cursor, source: Source, unknown: dict[str, int], depth: int
) -> Iterator[tuple[dict[str, Any], Link]]:
    """Do as _in_value, but element by element: a resource may have all spans of a day."""
    if cursor.kind == "[":
        for element in cursor.elements():
            yield from _in_cursor(element, source, unknown, depth + 1)
        return
    if cursor.kind != "{" or depth > 12:
        cursor.skip()
        return
    beside: dict[str, Any] = {}
    for key, member in cursor.members():
        if key in _INNER and member.kind in "[{":
            yield from _in_cursor(member, source, unknown, depth + 1)
        else:
            beside[key] = member.value()
    if _is_span(beside) or "operationName" in beside:
        source.ledger.take()  # its members
        yield beside, cursor.link


# one span ---------------------------------------------------------------------------------------------------------


def _plain(value: Any, depth: int = 0) -> Any:
    """Return an attribute's OTLP value as JSON."""
    if type(value) is not dict or depth > 50:
        return value
    for key, inner in value.items():
        if key in (
            "stringValue",
            "boolValue",
            "doubleValue",
            "bytesValue",
            "string_value",
            "bool_value",
            "double_value",
        ):
            return inner
        if key in ("intValue", "int_value"):
            return (
                int(inner)
                if type(inner) is str and inner.lstrip("-").isdigit() and len(inner) < 20
                else inner
            )
        if key in ("arrayValue", "array_value"):
            return [_plain(one, depth + 1) for one in seq(obj(inner).get("values"))]
        if key in ("kvlistValue", "kvlist_value"):
            pairs = [obj(one) for one in seq(obj(inner).get("values"))]
            return {name(one.get("key")): _plain(one.get("value"), depth + 1) for one in pairs}
    return value


def attributes_of(found: Any) -> dict[str, Any]:
    """Return the attributes that say something about an agent, from a list of pairs or an object."""
    if type(found) is dict:
        pairs = ((key, _plain(value)) for key, value in found.items())
    else:
        pairs = ((name(obj(one).get("key")), _plain(obj(one).get("value"))) for one in seq(found))
    return {key: value for key, value in pairs if key.startswith(_OURS)}


def _slim(span: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a span that is kept, whichever program wrote it."""
    context = obj(span.get("context"))
    given = span.get("attributes", span.get("tags"))
    attributes = attributes_of(given)
    start = span.get(
        "startTimeUnixNano", span.get("start_time_unix_nano", span.get("start_time", span.get("startTime")))
    )
    end = span.get(
        "endTimeUnixNano", span.get("end_time_unix_nano", span.get("end_time", span.get("endTime")))
    )
    began, ended = seconds(start), seconds(end)
    duration = span.get("duration")
    if ended is None and began is not None and type(duration) is int:
        ended = began + duration / 1e6
    parent = name(span.get("parentSpanId", span.get("parent_span_id", span.get("parent_id"))))
    for reference in seq(span.get("references")):
        if obj(reference).get("refType") == "CHILD_OF":
            parent = name(obj(reference).get("spanID"))
    status = obj(span.get("status"))
    code = status.get("code", status.get("status_code"))
    kept: dict[str, Any] = {
        "trace": name(_first(span, context, "traceId", "traceID", "trace_id")).removeprefix("0x"),
        "id": name(_first(span, context, "spanId", "spanID", "span_id")).removeprefix("0x"),
        "parent": parent.removeprefix("0x"),
        "name": name(span.get("name", span.get("operationName"))),
        "start": began,
        "end": ended,
    }
    failed = code in (2, "2", "STATUS_CODE_ERROR", "ERROR") or attributes.get("otel.status_code") == "ERROR"
    failed = failed or attributes.get("error") is True or "error.type" in attributes
    if failed:
        kept["failed"] = True
        kept["error"] = text(status.get("message", status.get("description"))) or name(
            attributes.get("error.type")
        )
    events = _events(span.get("events", span.get("logs")))
    if attributes:
        kept["attributes"] = attributes
    if events:
        kept["events"] = events
    return kept


def _first(span: dict[str, Any], context: dict[str, Any], *keys: str) -> Any:
    return next((one[key] for one in (span, context) for key in keys if key in one), None)


def _events(events: Any) -> list[dict[str, Any]]:
    """Return events that carry messages (the first generation), each with its name and its attributes."""
    found = []
    for event in seq(events):
        event = obj(event)
        given = event.get("attributes", event.get("fields"))
        label = name(event.get("name"))
        if type(given) is list and not label:
            label = next((name(obj(one).get("value")) for one in given if obj(one).get("key") == "event"), "")
        if label.startswith("gen_ai."):
            pairs = (
                given
                if type(given) is dict
                else {name(obj(o).get("key")): obj(o).get("value") for o in seq(given)}
            )
            found.append({"name": label, "attributes": {key: _plain(value) for key, value in pairs.items()}})
        if len(found) >= MOST_MESSAGES:
            break
    return found


def _drop_outer(records: list[dict[str, Any]]) -> None:
    """Mark the outer spans of the Vercel AI SDK, whose inner ones say the same."""
    inner = {one.get("parent") for one in records if _operation(one).endswith((".doGenerate", ".doStream"))}
    for one in records:
        if one.get("id") in inner and _operation(one).startswith("ai."):
            one["outer"] = True


def _operation(record: dict[str, Any]) -> str:
    return text(obj(record.get("attributes")).get("ai.operationId"))


def kind_of(attributes: dict[str, Any], label: str) -> Kind:
    """Return the kind of a span with these attributes and this name."""
    operation = attributes.get("gen_ai.operation.name")
    other = (
        text(attributes.get("openinference.span.kind")).upper()
        or text(attributes.get("traceloop.span.kind")).upper()
    )
    vercel = text(attributes.get("ai.operationId"))
    if (
        operation == "execute_tool"
        or other == "TOOL"
        or vercel == "ai.toolCall"
        or "ai.toolCall.name" in attributes
    ):
        return "tool"
    if "gcp.vertex.agent.tool_call_args" in attributes or (
        "gen_ai.tool.name" in attributes and not operation
    ):
        return "tool"
    if operation in _MODEL_OPERATIONS or other == "LLM" or vercel.endswith((".doGenerate", ".doStream")):
        return "model"
    if operation in ("invoke_agent", "create_agent") or other == "AGENT":
        return "agent"
    if vercel in ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"):
        return "model"
    if "gcp.vertex.agent.llm_request" in attributes or any(k.startswith(_SAID) for k in attributes):
        return "model"
    return "other"


_SAID = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages.", "gen_ai.input.messages",
         "gen_ai.output.messages")  # fmt: skip


def _span(record: dict[str, Any]) -> Span:
    attributes = obj(record.get("attributes"))
    label = text(record.get("name"))
    kind = kind_of(attributes, label)
    agent = text(attributes.get("gen_ai.agent.name")) or text(attributes.get("agent.name"))
    if not agent and kind == "agent":
        agent = text(attributes.get("graph.node.id")) or label.removeprefix("invoke_agent ").strip()
    span = Span(
        text(record.get("id")),
        text(record.get("parent")),
        kind,
        label,
        record.get("start"),
        record.get("end"),
        record.get("order", 0),
        agent=agent,
        failed=bool(record.get("failed")),
        error=text(record.get("error")),
    )
    if kind == "tool":
        fill_tool(span, attributes)
    elif kind == "model" and not record.get("outer"):
        fill_model(span, attributes, seq(record.get("events")))
    elif kind == "model":
        span.kind = "other"
    return span


def fill_tool(span: Span, attributes: dict[str, Any]) -> None:
    """Take a call's name, id, arguments and answer from attributes of any dialect."""
    label = span.name
    for prefix in _PREFIXES:
        label = label.removeprefix(prefix)
    if text(attributes.get("traceloop.span.kind")):
        label = label.removesuffix(".tool")
    span.name = next((found for key in NAMES if (found := name(attributes.get(key)))), label)
    span.call_id = next((found for key in IDS if (found := name(attributes.get(key)))), "")
    if span.name.startswith("(") or label.startswith("(merged"):  # ADK's span around calls made together
        span.kind = "other"
        return
    stated = obj(_json(attributes.get("tool.parameters")))
    schema = attributes.get("tool.json_schema", attributes.get("gen_ai.tool.json_schema"))
    if schema is None and is_schema(stated):
        schema = stated if "properties" in stated else {"type": "object", "properties": stated}
    given = next(
        (
            attributes[key]
            for key in ARGUMENTS
            if key in attributes and not is_schema(obj(_json(attributes[key])))
        ),
        None,
    )
    span.arguments = _unwrapped(given, "traceloop.entity.input" in attributes, obj(_json(schema)))
    result = next((attributes[key] for key in RESULTS if key in attributes), None)
    span.result = result
    span.answered = span.end is not None or result is not None
    inner = _json(result)
    if obj(inner).get("isError") is True:
        span.failed = True
    if type(obj(inner).get("content")) is list and "isError" in obj(inner):
        span.result = as_text(obj(inner)["content"])
    description = text(attributes.get("gen_ai.tool.description")) or text(attributes.get("tool.description"))
    if description or schema is not None:
        span.tools = [{"name": span.name, "description": description, "parameters": _json(schema)}]


def _unwrapped(given: Any, wrapped: bool, schema: dict[str, Any]) -> Any:
    """Return arguments without the wrapping of OpenLLMetry (``{"inputs": {..}}``) and of a call of Python (``{"args":
    [], "kwargs": {..}}``), whose arguments without a name get those of the schema."""
    value = arguments_of(given)[0] if type(given) is str else given
    if type(value) is not dict:
        return given
    if type(value.get("kwargs")) is dict and _PYTHON_CALL.issuperset(value):
        names = [*obj(schema.get("properties")), *(f"argument {k}" for k in range(1, 100))]
        return {**dict(zip(names, seq(value.get("args")), strict=False)), **value["kwargs"]}
    if wrapped:
        for key in ("inputs", "kwargs", "tool_input"):
            if type(value.get(key)) is dict:
                return value[key]
        if type(value.get("input_str")) is str:
            return arguments_of(value["input_str"].replace("'", '"'))[0] or {"input": value["input_str"]}
    return value


def _json(value: Any) -> Any:
    """Return the value, parsed if it is JSON text."""
    if type(value) is not str or value[:1] not in ("[", "{"):
        return value
    try:
        return parsed(value)
    except ValueError:
        return value


# what the model read and wrote ------------------------------------------------------------------------------------


def fill_model(span: Span, attributes: dict[str, Any], events: list[Any]) -> None:
    """Take messages, tokens, model and tools from attributes and events of any dialect."""
    span.model = text(attributes.get("gen_ai.request.model")) or text(attributes.get("llm.model_name"))
    span.model = (
        span.model or text(attributes.get("ai.model.id")) or text(attributes.get("gen_ai.response.model"))
    )
    span.usage = _usage(attributes)
    for reader in (_by_conventions, _by_numbers, _by_vercel, _by_adk):
        reader(span, attributes)
        if span.messages or span.answers:
            break
    for event in events[:MOST_MESSAGES]:
        _take_event(span, obj(event))
    tools = _json(attributes.get("gen_ai.tool.definitions"))
    if type(tools) is not list:
        listed = attributes.get("ai.prompt.tools")
        tools = [_json(one) for one in seq(listed)] or [
            _json(obj(obj(one).get("tool")).get("json_schema")) for one in _numbered(attributes, "llm.tools.")
        ]
    span.tools = tools or None
    asked = obj(_json(attributes.get("model_request_parameters")))  # pydantic-ai
    span.outputs = tuple(name(obj(one).get("name")) for one in seq(asked.get("output_tools")))


def _usage(attributes: dict[str, Any]) -> tuple[int, int] | None:
    def count(*keys: str) -> int:
        return next((count_of(attributes[key]) for key in keys if key in attributes), 0)

    read = count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
                 "ai.usage.promptTokens",
                 "ai.usage.inputTokens")  # fmt: skip
    wrote = count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
                  "ai.usage.completionTokens", "ai.usage.outputTokens")  # fmt: skip
    return (read, wrote) if read or wrote else None


def _by_conventions(span: Span, attributes: dict[str, Any]) -> None:
    """Read the semantic conventions from 1.37 on."""
    instructions = _json(attributes.get("gen_ai.system_instructions"))
    if instructions:
        span.messages.append(
            {"role": "system", "parts": instructions if type(instructions) is list else [instructions]}
        )
    span.messages += [m for m in seq(_json(attributes.get("gen_ai.input.messages"))) if type(m) is dict]
    span.answers += [m for m in seq(_json(attributes.get("gen_ai.output.messages"))) if type(m) is dict]


def _by_numbers(span: Span, attributes: dict[str, Any]) -> None:
    """Read OpenLLMetry (``gen_ai.prompt.0.role``) and OpenInference (``llm.input_messages.0.message.role``)."""
    for prefix, into in (
        ("gen_ai.prompt.", span.messages),
        ("gen_ai.completion.", span.answers),
        ("llm.input_messages.", span.messages),
        ("llm.output_messages.", span.answers),
    ):
        for one in _numbered(attributes, prefix):
            message = obj(one.get("message")) or one
            made: dict[str, Any] = {
                "role": message.get("role") or ("assistant" if into is span.answers else "user"),
                "content": _json_blocks(message.get("content")),
            }
            if made["content"] is None and type(message.get("contents")) is dict:
                parts = [obj(obj(p).get("message_content")) for p in message["contents"].values()]
                made["content"] = [{"type": "text", "text": p.get("text")} for p in parts if p.get("text")]
            calls = [obj(c.get("tool_call")) or c for c in map(obj, obj(message.get("tool_calls")).values())]
            if calls:
                made["tool_calls"] = calls
            if "tool_call_id" in message:
                made["tool_call_id"] = message["tool_call_id"]
            into.append(made)


def _json_blocks(content: Any) -> Any:
    """Return content that OpenLLMetry wrote as the JSON of its blocks as blocks."""
    found = _json(content)
    return found if type(found) is list and all(type(one) is dict for one in found) else content


def _numbered(attributes: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Return attributes like ``PREFIX0.role`` as a list of objects, nested at the dots."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        number, _, rest = key[len(prefix) :].partition(".")
        if not number.isdecimal() or len(number) > 6 or not rest:
            continue
        at = found.setdefault(int(number), {})
        words = _joined(rest.split("."))
        for word in words[:-1]:
            inner = at.setdefault(word, {})
            if type(inner) is not dict:
                break
            at = inner
        else:
            at[words[-1]] = value
    return [found[number] for number in sorted(found)][:MOST_MESSAGES]


def _joined(words: list[str]) -> list[str]:
    """Return the words of a key, of which at most a few are levels."""
    return words if len(words) <= 8 else [*words[:7], ".".join(words[7:])]


def _by_vercel(span: Span, attributes: dict[str, Any]) -> None:
    """Read the Vercel AI SDK to version 6."""
    prompt = obj(_json(attributes.get("ai.prompt")))
    system = prompt.get("system")
    if type(system) is str and system:
        span.messages.append({"role": "system", "content": system})
    given = _json(attributes.get("ai.prompt.messages"))
    messages = given if type(given) is list else prompt.get("messages")
    span.messages += [m for m in seq(messages) if type(m) is dict]
    if not span.messages and type(prompt.get("prompt")) is str:
        span.messages.append({"role": "user", "content": prompt["prompt"]})
    words = text(attributes.get("ai.response.text"))
    calls = seq(_json(attributes.get("ai.response.toolCalls")))
    if words or calls:
        blocks: list[Any] = [{"type": "text", "text": words}] if words else []
        blocks += [{"type": "tool-call", **obj(call)} for call in calls]
        span.answers.append({"role": "assistant", "content": blocks})


def _by_adk(span: Span, attributes: dict[str, Any]) -> None:
    """Read Google's ADK, whose request and response are JSON of Gemini."""
    request = obj(_json(attributes.get("gcp.vertex.agent.llm_request")))
    system = obj(request.get("config")).get("system_instruction")
    if system:
        span.messages.append({"role": "system", "content": as_text(system)})
    span.messages += [_gemini(m) for m in seq(request.get("contents")) if type(m) is dict]
    response = obj(obj(_json(attributes.get("gcp.vertex.agent.llm_response"))).get("content"))
    if response:
        span.answers.append(_gemini({"role": "model", **response}))


def _gemini(message: dict[str, Any]) -> dict[str, Any]:
    """Return a content of Gemini, also with Python's names."""
    names = {"function_call": "functionCall", "function_response": "functionResponse"}
    parts = [
        {names.get(k, k): v for k, v in obj(part).items() if v is not None}
        for part in seq(message.get("parts"))
    ]
    return {"role": message.get("role") or "user", "parts": parts}


def _take_event(span: Span, event: dict[str, Any]) -> None:
    """Add a message of the first generation, or the details of 1.37 in an event."""
    label, attributes = text(event.get("name")), obj(event.get("attributes"))
    if label == "gen_ai.client.inference.operation.details":
        if not span.messages and not span.answers:
            _by_conventions(span, attributes)
        return
    if label in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        found = _json(attributes.get("gen_ai.prompt", attributes.get("gen_ai.completion")))
        into = span.messages if label.endswith("prompt") else span.answers
        into += [m for m in seq(found) if type(m) is dict]
        return
    role = label.removeprefix("gen_ai.").removesuffix(".message")
    if label == "gen_ai.choice":
        message = obj(_json(attributes.get("message"))) or attributes
        span.answers.append(_of_event(message, "assistant", attributes))
    elif role in ("system", "user", "assistant", "tool"):
        span.messages.append(_of_event(attributes, role, attributes))


def _of_event(message: dict[str, Any], role: str, attributes: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"role": role, "content": _json_blocks(message.get("content"))}
    calls = _json(message.get("tool_calls", attributes.get("tool_calls")))
    if type(calls) is list:
        made["tool_calls"] = calls
    key = message.get("tool_call_id", message.get("id"))
    if role == "tool" and key is not None:
        made["tool_call_id"] = key
    return made


READERS = (OpenTelemetry(),)
