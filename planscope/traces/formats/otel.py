"""Reads OpenTelemetry spans of agents: OTLP JSON (also one request on each line), Tempo, Jaeger, Python's console
exporter.

It reads the GenAI conventions in all generations and the dialects of OpenInference, OpenLLMetry, Vercel AI SDK, ADK and
pydantic-ai. Spans of other kinds are kept only for their places in the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planscope.oracle.trace import Trace
from planscope.traces.accounts import Link, is_schema
from planscope.traces.build import Builder, Full
from planscope.traces.groups import Placed
from planscope.traces.json_stream import Cursor
from planscope.traces.reader import FileFormat, Options
from planscope.traces.signs import first_at, holds
from planscope.traces.source import Source
from planscope.traces.spans import Kind, Span, assemble, assembled
from planscope.traces.values import (
    Obj,
    arguments_of,
    as_text,
    count_of,
    dig,
    json_of,
    name,
    number,
    obj,
    seconds,
    seq,
    some,
    text,
)

_OURS = ("gen_ai.", "openinference.", "llm.", "traceloop.", "ai.", "gcp.vertex.agent.", "tool", "input.value",
         "output.value", "agent.name", "graph.node.id", "pydantic_ai.",
         "model_request_parameters", "events", "all_messages_events", "error",
         "otel.status")  # fmt: skip
"""Prefixes of the attributes that are kept."""
_ARRAYS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_INNER = (*_ARRAYS, *_SCOPES, "spans", "data", "trace", "traces", "result")
NAME = "otel"
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


_SPANS = ("attributes & context.trace_id|span_id", "traceId & spanId")
"""Signs of a span."""


def _read(source: Source, options: Options) -> Iterator[Trace]:
    """Yield the traces of a file. Spans with one trace id make one trace; they may be anywhere in the file."""
    unknown: Counter[str] = Counter()

    def spans() -> Iterator[Placed]:
        for span, link in _spans(source, unknown):
            source.ledger.walk(span, link)
            found = record_of(span)
            yield text(found.pop("trace")), found, ()

    def finish(build: Builder, spans: list[Span]) -> None:
        if any(one.kind == "tool" for one in spans):  # the calls in what models wrote were not read
            for one in spans:
                if one.kind == "model" and one.answers:
                    source.ledger.walk(one.answers, (("span", one.order), "answers"))
        for kind, count in unknown.items():
            build.unknown(kind, count)

    def title(_trace: str, found: list[Obj]) -> str:
        _drop_outer(found)
        return ""

    yield from assembled(spans(), NAME, source, _span, title, finish)


def _is_span(one: Obj) -> bool:
    return any(holds(one, sign) for sign in _SPANS)


def trace_of(id: str, records: list[Obj]) -> Trace | None:
    """Return the trace of these records; None if no model and no tool was called in it."""
    _drop_outer(records)
    spans = [_span(one) for one in records]
    if not any(span.kind in ("model", "tool") for span in spans):
        return None
    build = Builder(id, NAME)
    try:
        assemble(build, spans)
    except Full:
        build.full()
    return build.done()


# finding the spans ------------------------------------------------------------------------------------------------


def _spans(source: Source, unknown: Counter[str]) -> Iterator[tuple[Obj, Link]]:
    """Yield every span of the file unchanged, and its place. What else the file has is accounted for."""
    if source.seen.kind == "lines":
        for number, value in source.records(again=True):
            yield from _in_value(value, f"line {number}", source, unknown, 0)
        return
    for top in source.json().documents():
        yield from _in_cursor(top, source, unknown, 0)


def _in_value(
    value: object, link: Link, source: Source, unknown: Counter[str], depth: int
) -> Iterator[tuple[Obj, Link]]:
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
        unknown[label] += 1


def _in_cursor(
    cursor: Cursor, source: Source, unknown: Counter[str], depth: int
) -> Iterator[tuple[Obj, Link]]:
    """Do as _in_value, but element by element: a resource may have all spans of a day."""
    if cursor.kind == "[":
        for element in cursor.elements():
            yield from _in_cursor(element, source, unknown, depth + 1)
        return
    if cursor.kind != "{" or depth > 12:
        cursor.skip()
        return
    beside: Obj = {}
    for key, member in cursor.members():
        if key in _INNER and member.kind in "[{":
            yield from _in_cursor(member, source, unknown, depth + 1)
        else:
            beside[key] = member.value()
    if _is_span(beside) or "operationName" in beside:
        source.ledger.take()  # its members
        yield beside, cursor.link


# one span ---------------------------------------------------------------------------------------------------------


def _plain(value: object, depth: int = 0) -> object:
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


def attributes_of(found: object) -> Obj:
    """Return the attributes that say something about an agent, from a list of pairs or an object."""
    return {key: value for key, value in _pairs(found).items() if key.startswith(_OURS)}


_WHERE = {
    "trace": "traceId|traceID|trace_id|context.trace_id",
    "id": "spanId|spanID|span_id|context.span_id",
    "parent": "parentSpanId|parent_span_id|parent_id",
    "name": "name|operationName",
    "start": "startTimeUnixNano|start_time_unix_nano|start_time|startTime",
    "end": "endTimeUnixNano|end_time_unix_nano|end_time|endTime",
    "status": "status.code|status.status_code",
    "words": "status.message|status.description",
}
"""The paths of the parts of a span."""


def record_of(span: Obj) -> Obj:
    """Return the part of a span, whichever program wrote it, that is kept and that :func:`trace_of` reads."""
    attributes = attributes_of(span.get("attributes", span.get("tags")))
    found = {part: first_at(span, paths) for part, paths in _WHERE.items()}
    began, ended, duration = seconds(found["start"]), seconds(found["end"]), span.get("duration")
    if ended is None and began is not None and type(duration) is int:
        ended = began + duration / 1e6
    for reference in map(obj, seq(span.get("references"))):
        if reference.get("refType") == "CHILD_OF":
            found["parent"] = reference.get("spanID")
    kept: Obj = {part: name(found[part]).removeprefix("0x") for part in ("trace", "id", "parent")}
    kept |= {"name": name(found["name"]), "start": began, "end": ended}
    error = attributes.get("error.type")
    if (
        found["status"] in (2, "2", "STATUS_CODE_ERROR", "ERROR")
        or attributes.get("otel.status_code") == "ERROR"
        or attributes.get("error") is True
        or error is not None
    ):
        kept["failed"] = True
        kept["error"] = text(found["words"]) or name(error)
    if attributes:
        kept["attributes"] = attributes
    if events := _events(span.get("events", span.get("logs"))):
        kept["events"] = events
    return kept


def _pairs(found: object) -> Obj:
    """Return attributes as an object, from a list of pairs or an object."""
    if type(found) is not dict:
        found = {name(one.get("key")): one.get("value") for one in map(obj, seq(found))}
    return {key: _plain(value) for key, value in found.items()}


def _events(events: object) -> list[Obj]:
    """Return events that carry messages (the first generation), each with its name and its attributes."""
    found: list[Obj] = []
    for event in map(obj, seq(events)):
        given = _pairs(event.get("attributes", event.get("fields")))
        label = name(event.get("name")) or name(given.get("event"))
        if label.startswith("gen_ai."):
            found.append({"name": label, "attributes": given})
    return found[:MOST_MESSAGES]


def _drop_outer(records: list[Obj]) -> None:
    """Mark the outer spans of the Vercel AI SDK, whose inner ones say the same."""
    inner = {one.get("parent") for one in records if _operation(one).endswith((".doGenerate", ".doStream"))}
    for one in records:
        if one.get("id") in inner and _operation(one).startswith("ai."):
            one["outer"] = True


def _operation(record: Obj) -> str:
    return text(obj(record.get("attributes")).get("ai.operationId"))


def kind_of(attributes: Obj, label: str) -> Kind:
    """Return the kind of a span with these attributes and this name."""
    operation = text(attributes.get("gen_ai.operation.name"))
    other = text(some(attributes, ("openinference.span.kind", "traceloop.span.kind"))).lower()
    vercel = text(attributes.get("ai.operationId"))
    kind = _KINDS.get(operation) or _KINDS.get(other) or _KINDS.get(vercel)
    if kind == "tool" or not {"ai.toolCall.name", "gcp.vertex.agent.tool_call_args"}.isdisjoint(attributes):
        return "tool"
    if "gen_ai.tool.name" in attributes and not operation:
        return "tool"
    if kind is not None:
        return kind
    if vercel.endswith((".doGenerate", ".doStream")) or "gcp.vertex.agent.llm_request" in attributes:
        return "model"
    return "model" if any(key.startswith(_SAID) for key in attributes) else "other"


_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("execute_tool", "tool", "ai.toolCall"), "tool"),
    **dict.fromkeys(("invoke_agent", "create_agent", "agent"), "agent"),
    **dict.fromkeys(("chat", "generate_content", "text_completion", "call_llm", "llm"), "model"),
    **dict.fromkeys(("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"), "model"),
}
_SAID = ("gen_ai.prompt.", "gen_ai.completion.", "llm.input_messages.", "llm.output_messages.", "gen_ai.input.messages",
         "gen_ai.output.messages")  # fmt: skip


def _span(record: Obj) -> Span:
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
        number(record.get("start")),
        number(record.get("end")),
        count_of(record.get("order")),
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


def fill_tool(span: Span, attributes: Obj) -> None:
    """Take a call's name, id, arguments and answer from attributes of any dialect."""
    label = span.name
    for prefix in _PREFIXES:
        label = label.removeprefix(prefix)
    if text(attributes.get("traceloop.span.kind")):
        label = label.removesuffix(".tool")
    span.name, span.call_id = name(some(attributes, NAMES)) or label, name(some(attributes, IDS))
    if span.name.startswith("(") or label.startswith("(merged"):  # ADK's span around calls made together
        span.kind = "other"
        return
    stated = obj(json_of(attributes.get("tool.parameters")))
    schema = json_of(some(attributes, ("tool.json_schema", "gen_ai.tool.json_schema")))
    if schema is None and is_schema(stated):
        schema = stated if "properties" in stated else {"type": "object", "properties": stated}
    given = {
        key: value
        for key, value in attributes.items()
        if key in ARGUMENTS and not is_schema(obj(json_of(value)))
    }
    span.arguments = _unwrapped(some(given, ARGUMENTS), "traceloop.entity.input" in attributes, obj(schema))
    span.result = some(attributes, RESULTS)
    span.answered = span.end is not None or span.result is not None
    inner = obj(json_of(span.result))
    span.failed = span.failed or inner.get("isError") is True
    if type(inner.get("content")) is list and "isError" in inner:
        span.result = as_text(inner["content"])
    description = text(some(attributes, ("gen_ai.tool.description", "tool.description")))
    if description or schema is not None:
        span.tools = [{"name": span.name, "description": description, "parameters": schema}]


def _unwrapped(given: object, wrapped: bool, schema: Obj) -> object:
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


# what the model read and wrote ------------------------------------------------------------------------------------


def fill_model(span: Span, attributes: Obj, events: list[object]) -> None:
    """Take messages, tokens, model and tools from attributes and events of any dialect."""
    models = ("gen_ai.request.model", "llm.model_name", "ai.model.id", "gen_ai.response.model")
    span.model = text(some(attributes, models))
    read, wrote = (count_of(some(attributes, keys)) for keys in (_READ, _WROTE))
    span.usage = (read, wrote) if read or wrote else None
    for reader in (_by_conventions, _by_numbers, _by_vercel, _by_adk):
        reader(span, attributes)
        if span.messages or span.answers:
            break
    for event in events[:MOST_MESSAGES]:
        _take_event(span, obj(event))
    tools = json_of(attributes.get("gen_ai.tool.definitions"))
    if type(tools) is not list:
        numbered = (dig(one, "tool.json_schema") for one in _numbered(attributes, "llm.tools."))
        tools = [json_of(one) for one in (seq(attributes.get("ai.prompt.tools")) or numbered)]
    span.tools = tools or None
    asked = obj(json_of(attributes.get("model_request_parameters")))  # pydantic-ai
    span.outputs = tuple(name(obj(one).get("name")) for one in seq(asked.get("output_tools")))


_READ = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.promptTokens",
         "ai.usage.inputTokens")  # fmt: skip
_WROTE = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
          "ai.usage.completionTokens", "ai.usage.outputTokens")  # fmt: skip


def _by_conventions(span: Span, attributes: Obj) -> None:
    """Read the semantic conventions from 1.37 on."""
    instructions = json_of(attributes.get("gen_ai.system_instructions"))
    if instructions:
        span.messages.append(
            {"role": "system", "parts": instructions if type(instructions) is list else [instructions]}
        )
    span.messages += _objects(attributes.get("gen_ai.input.messages"))
    span.answers += _objects(attributes.get("gen_ai.output.messages"))


def _objects(value: object) -> list[Obj]:
    """Return the objects of a list, which may be JSON."""
    return [one for one in map(obj, seq(json_of(value))) if one]


def _by_numbers(span: Span, attributes: Obj) -> None:
    """Read OpenLLMetry (``gen_ai.prompt.0.role``) and OpenInference (``llm.input_messages.0.message.role``)."""
    for prefix, into in (
        ("gen_ai.prompt.", span.messages),
        ("gen_ai.completion.", span.answers),
        ("llm.input_messages.", span.messages),
        ("llm.output_messages.", span.answers),
    ):
        for one in _numbered(attributes, prefix):
            message = obj(one.get("message")) or one
            made: Obj = {
                "role": message.get("role") or ("assistant" if into is span.answers else "user"),
                "content": _blocks_of(message.get("content")),
            }
            if made["content"] is None and (contents := obj(message.get("contents"))):
                parts = [obj(obj(p).get("message_content")) for p in contents.values()]
                made["content"] = [{"type": "text", "text": p.get("text")} for p in parts if p.get("text")]
            calls = [obj(c.get("tool_call")) or c for c in map(obj, obj(message.get("tool_calls")).values())]
            if calls:
                made["tool_calls"] = calls
            if "tool_call_id" in message:
                made["tool_call_id"] = message["tool_call_id"]
            into.append(made)


def _blocks_of(content: object) -> object:
    """Return content that OpenLLMetry wrote as the JSON of its blocks as blocks."""
    found = json_of(content)
    return found if type(found) is list and all(type(one) is dict for one in found) else content


def _numbered(attributes: Obj, prefix: str) -> list[Obj]:
    """Return attributes like ``PREFIX0.role`` as a list of objects, nested at the dots."""
    found: dict[int, Obj] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        number, _, rest = key[len(prefix) :].partition(".")
        if not number.isdecimal() or len(number) > 6 or not rest:
            continue
        at = found.setdefault(int(number), {})
        words = rest.split(".", 7)  # of which at most a few are levels
        for word in words[:-1]:
            inner = at.setdefault(word, {})
            if type(inner) is not dict:
                break
            at = inner
        else:
            at[words[-1]] = value
    return [found[number] for number in sorted(found)][:MOST_MESSAGES]


def _by_vercel(span: Span, attributes: Obj) -> None:
    """Read the Vercel AI SDK to version 6."""
    prompt = obj(json_of(attributes.get("ai.prompt")))
    system = prompt.get("system")
    if type(system) is str and system:
        span.messages.append({"role": "system", "content": system})
    span.messages += _objects(attributes.get("ai.prompt.messages", prompt.get("messages")))
    if not span.messages and type(prompt.get("prompt")) is str:
        span.messages.append({"role": "user", "content": prompt["prompt"]})
    words = text(attributes.get("ai.response.text"))
    calls = [{"type": "tool-call", **one} for one in _objects(attributes.get("ai.response.toolCalls"))]
    if words or calls:
        said = [{"type": "text", "text": words}] if words else []
        span.answers.append({"role": "assistant", "content": [*said, *calls]})


def _by_adk(span: Span, attributes: Obj) -> None:
    """Read Google's ADK, whose request and response are JSON of Gemini."""
    request = obj(json_of(attributes.get("gcp.vertex.agent.llm_request")))
    system = dig(request, "config.system_instruction")
    if system:
        span.messages.append({"role": "system", "content": as_text(system)})
    span.messages += [{"role": "user", **m} for m in _objects(request.get("contents"))]
    response = obj(dig(json_of(attributes.get("gcp.vertex.agent.llm_response")), "content"))
    if response:
        span.answers.append({"role": "model", **response})


def _take_event(span: Span, event: Obj) -> None:
    """Add a message of the first generation, or the details of 1.37 in an event."""
    label, attributes = text(event.get("name")), obj(event.get("attributes"))
    if label == "gen_ai.client.inference.operation.details":
        if not span.messages and not span.answers:
            _by_conventions(span, attributes)
        return
    if label in ("gen_ai.content.prompt", "gen_ai.content.completion"):
        into = span.messages if label.endswith("prompt") else span.answers
        into += _objects(some(attributes, ("gen_ai.prompt", "gen_ai.completion")))
        return
    role = label.removeprefix("gen_ai.").removesuffix(".message")
    if label == "gen_ai.choice":
        message = obj(json_of(attributes.get("message"))) or attributes
        span.answers.append(_of_event(message, "assistant", attributes))
    elif role in ("system", "user", "assistant", "tool"):
        span.messages.append(_of_event(attributes, role, attributes))


def _of_event(message: Obj, role: str, attributes: Obj) -> Obj:
    made: Obj = {"role": role, "content": _blocks_of(message.get("content"))}
    calls = json_of(message.get("tool_calls", attributes.get("tool_calls")))
    if type(calls) is list:
        made["tool_calls"] = calls
    key = message.get("tool_call_id", message.get("id"))
    if role == "tool" and key is not None:
        made["tool_call_id"] = key
    return made


READERS = (
    FileFormat(
        NAME,
        "OpenTelemetry spans",
        (
            (0.9, "resourceSpans/resource_spans/batches/resourceLogs:list"),
            (0.9, "data[].spans"),
            (0.9, "data/trace.resourceSpans/resource_spans/batches"),
            *((0.85, sign) for sign in _SPANS),
        ),
        _read,
        ("spans",),
    ),
)
