"""Reads the spans of LangSmith (lines of ``langsmith trace export``, lists of runs, runs with ``child_runs``), Langfuse
(a trace with its observations, or observations alone; batch exports have camelCase names, blob exports snake_case), and
the OpenAI Agents SDK (bodies of its exporter, or its spans alone).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from planscope.oracle.trace import Trace
from planscope.traces.blocks import usage_of
from planscope.traces.formats.langchain import plain
from planscope.traces.formats.otel import attributes_of, fill_model, fill_tool, kind_of
from planscope.traces.groups import Placed
from planscope.traces.json_stream import parsed
from planscope.traces.reader import Options, records
from planscope.traces.signs import first_at, holds
from planscope.traces.source import Head, Source
from planscope.traces.spans import MOST_TITLES, Kind, Span, assembled
from planscope.traces.values import Obj, as_text, count_of, dig, json_of, name, obj, seconds, seq, text

DEEPEST = 50
LONGEST_LITERAL = 100_000


@dataclass(frozen=True)
class Tracer:
    """A format of spans: where a record has its parts. Spans with one trace id make one trace.

    ``lists``: keys of a file that may have the records. ``where``: the paths of each part, the first one first.
    ``sign`` tells a span, and ``titled`` a record that names its trace. ``more`` reads what truly differs, from the
    span, its record, and its parsed input and output.
    """

    name: str
    title: str
    lists: tuple[str, ...]
    sign: str
    kinds: Mapping[str, Kind]
    where: Mapping[str, str]
    more: Callable[[Span, Obj, object, object], None]
    titled: str = ""

    def recognises(self, head: Head) -> float:
        signs = [self.sign, *filter(None, [self.titled])]
        return 0.92 * any(holds(one, sign) for one in head.within(*self.lists) for sign in signs)

    def is_span(self, value: object) -> bool:
        """Return whether a value is a span."""
        return holds(value, self.sign)

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        titles: dict[str, str] = {}

        def spans() -> Iterator[Placed]:
            for record, keys in records(source, self.lists, self.is_span):
                for one in _with_children(record, "", "", 0):
                    if self.is_span({"traceId": "", **one}):
                        yield name(first_at(one, self.where["trace"])), one, keys
                    elif len(titles) < MOST_TITLES:
                        id = name(dig(one, "trace.id", "id")) or source.stem
                        titles[id] = text(dig(one, "trace.name", "workflow_name", "name"))

        def title(trace: str, found: list[Obj]) -> str:
            if trace in titles or (len(titles) == 1 and source.stem in titles):
                return titles.get(trace) or titles.get(source.stem, "")
            root = next((one for one in found if not first_at(one, self.where["parent"])), {})
            return text(root.get("name"))

        yield from assembled(spans(), self.name, source, self.span, title)

    def span(self, record: Obj) -> Span:
        """Return the span of a record."""

        def get(part: str) -> object:
            return first_at(record, self.where.get(part, "?"))

        kind: Kind = self.kinds.get(text(get("kind")).lower(), "other")
        error = get("error")
        made = Span(name(get("id")), name(get("parent")), kind, text(get("name")), seconds(get("start")),
                    seconds(get("end")), count_of(record.get("order")), failed=bool(error) or get("failed") in _FAILED,
                    error=as_text(error)[:2000], agent=text(get("agent")))  # fmt: skip
        given, answer = json_of(get("input")), json_of(get("output"))
        if kind == "tool":
            made.arguments, made.result, made.call_id = given, answer, name(get("call_id"))
        elif kind == "model":
            made.model, made.usage, made.tools = text(get("model")), usage_of(get("usage")), get("tools")
            made.messages, made.answers = messages_of(given, "user"), messages_of(answer, "assistant")
        self.more(made, record, given, answer)
        if made.kind == "tool":
            made.answered = made.answered or made.end is not None or made.result is not None
        elif made.kind == "agent":
            made.agent = made.agent or made.name
        return made


_FAILED = ("error", "ERROR")


def messages_of(value: object, role: str, depth: int = 0) -> list[Obj]:
    """Return the messages in what a model read or wrote, with ``role`` where they name none."""
    if type(value) is str:
        return [{"role": role, "content": value}] if value else []
    if type(value) is list:
        return [m for one in value for m in messages_of(one, role, depth + 1)] if depth < DEEPEST else []
    found = obj(value)
    message = plain(found)
    if message is not None:
        kind = {"ai": "assistant", "tool": "tool", "function": "tool", "system": "system"}.get(
            text(message["type"])
        )
        return [{**message, "role": kind or "user", "type": None}]
    if any(key in found for key in ("role", "content", "tool_calls", "parts")):
        return [{"role": role, **found}]
    inner = next(
        (found[key] for key in ("messages", "generations", "choices", "message") if key in found), None
    )
    return messages_of(inner, role, depth + 1) if depth < DEEPEST and type(inner) is not str else []


# LangSmith


_RUN = "trace_id|id|run_id & run_type=tool|llm|chain|retriever|embedding|prompt|parser"


def is_run(value: object) -> bool:
    """Return whether a value is a run of LangSmith."""
    return holds(value, _RUN)


def _with_children(run: Obj, trace: str, parent: str, depth: int) -> Iterator[Obj]:
    """Yield a record, and if it is a run of LangSmith those in its ``child_runs``."""
    if not is_run(run):
        yield run
        return
    id = name(dig(run, "run_id", "id"))
    trace = name(run.get("trace_id")) or trace or name(run.get("session_id")) or id
    children = seq(run.get("child_runs"))
    made = {key: value for key, value in run.items() if key not in ("child_runs", "events", "serialized")}
    yield {"parent_run_id": parent or None, **made, "trace_id": trace}
    for one in children if depth < DEEPEST else ():
        if is_run(one):
            yield from _with_children(obj(one), trace, id, depth + 1)


def _run(span: Span, run: Obj, given: object, made: object) -> None:
    if span.kind == "other" and dig(run, "extra.metadata.ls_agent_type"):
        span.kind = "agent"
    elif span.kind == "tool":
        span.arguments = given if type(given) is dict else None
        if set(obj(given)) == {"input"}:
            span.arguments = _literal(obj(given)["input"])
        result = made.get("output", made or None) if type(made) is dict else made
        said = [result, *seq(dig(result, "update.messages"))]  # a Command of LangGraph has them
        message = next((m for m in map(plain, said) if m is not None and m.get("type") == "tool"), None)
        if message is not None:
            span.call_id = span.call_id or name(message.get("tool_call_id"))
            span.failed = span.failed or message.get("status") == "error"
            result = as_text(message.get("content"))
        span.result = result
    elif span.kind == "model":
        used = {"input_tokens": run.get("prompt_tokens"), "output_tokens": run.get("completion_tokens")}
        span.usage = span.usage or usage_of(used)


def _literal(value: object) -> object:
    """Return arguments that LangChain wrote as Python's text of a dict. Nothing is run."""
    if type(value) is dict:
        return value
    words = text(value)
    if words[:1] == "{" and len(words) <= LONGEST_LITERAL:
        for read in (parsed, ast.literal_eval):
            try:
                found = read(words)
                if type(found) is dict and all(type(key) is str for key in found):
                    return parsed(json.dumps(found, default=str))
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                pass
    return {"input": value}


LANGSMITH = Tracer(
    "langsmith",
    "LangSmith runs",
    ("runs", "data"),
    _RUN,
    {"tool": "tool", "llm": "model"},
    {
        "id": "run_id|id",
        "trace": "trace_id",
        "parent": "parent_run_id",
        "kind": "run_type",
        "name": "name",
        "start": "start_time",
        "end": "end_time",
        "agent": "extra.metadata.lc_agent_name",
        "error": "error",
        "failed": "status",
        "call_id": "extra.tool_call_id|extra.metadata.tool_call_id",
        "input": "inputs",
        "output": "outputs",
        "model": "extra.metadata.ls_model_name|extra.invocation_params.model|extra.invocation_params.model_name",
        "tools": "extra.invocation_params.tools",
        "usage": "outputs.usage_metadata",
    },
    _run,
)

# Langfuse

_TYPES = "SPAN|GENERATION|EVENT|AGENT|TOOL|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL"
_OBSERVATION = f"startTime|start_time & traceId|trace_id & type={_TYPES}|{_TYPES.lower()}"


def _observation(span: Span, record: Obj, given: object, made: object) -> None:
    attributes = attributes_of(json_of(obj(json_of(record.get("metadata"))).get("attributes")))
    if span.kind == "other":
        span.kind = kind_of(attributes, span.name)
    span.failed = record.get("level") == "ERROR"
    span.agent = text(attributes.get("gen_ai.agent.name"))
    if span.kind == "tool":
        result = span.result if span.result is not None else made
        fill_tool(span, attributes)
        if span.arguments is None and given is not None:
            inner = given.get("input") if type(given) is dict and len(given) == 1 else None
            span.arguments = (
                inner if type(inner) is dict else given if type(given) is dict else {"input": given}
            )
        span.result = result if span.result is None else span.result
    elif span.kind == "model":
        messages, answers, model, usage = span.messages, span.answers, span.model, span.usage
        span.messages, span.answers = [], []
        fill_model(span, attributes, [])
        span.model, span.usage = model or span.model, span.usage or usage
        if not span.messages and not span.answers:
            span.messages = messages or messages_of(given, "user")
            span.answers = answers or messages_of(made, "assistant")


LANGFUSE = Tracer(
    "langfuse",
    "a Langfuse export",
    ("observations", "data"),
    _OBSERVATION,
    {"tool": "tool", "generation": "model", "agent": "agent"},
    {
        "id": "id",
        "trace": "traceId|trace_id",
        "parent": "parentObservationId|parent_observation_id",
        "kind": "type",
        "name": "name",
        "start": "startTime|start_time",
        "end": "endTime|end_time",
        "error": "statusMessage|status_message",
        "input": "input",
        "output": "output",
        "model": "model",
        "usage": "usageDetails|usage_details|usage",
    },
    _observation,
    "observations:list & trace|projectId",
)

# OpenAI Agents SDK


def _sdk(span: Span, record: Obj, given: object, made: object) -> None:
    data = obj(record.get("span_data"))
    if span.kind == "tool":
        span.arguments, span.result = data.get("input"), data.get("output")
        span.raw = {"mcp_data": data["mcp_data"]} if data.get("mcp_data") is not None else None
    elif span.kind == "handoff":
        span.name = f"{text(data.get('from_agent'))} to {text(data.get('to_agent'))}"


AGENTS_SDK = Tracer(
    "openai-agents",
    "OpenAI Agents SDK spans",
    ("data",),
    "object=trace.span",
    {"function": "tool", "generation": "model", "response": "model", "agent": "agent", "handoff": "handoff"},
    {
        "id": "id",
        "trace": "trace_id",
        "parent": "parent_id",
        "kind": "span_data.type",
        "name": "span_data.name",
        "start": "started_at",
        "end": "ended_at",
        "error": "error.message|error",
        "input": "span_data.input",
        "output": "span_data.output|span_data.response.output",
        "model": "span_data.model|span_data.response.model",
        "usage": "span_data.usage",
    },
    _sdk,
    "object=trace",
)

READERS = (LANGSMITH, LANGFUSE, AGENTS_SDK)
