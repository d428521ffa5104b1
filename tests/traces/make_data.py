"""Make traces with the formats' own libraries: ``python -m tests.traces.make_data``, where these are installed.

pydantic-ai, openai-agents, langsmith, opentelemetry-sdk with opentelemetry-exporter-otlp-proto-common, inspect-ai and
langchain-core; what is missing is left out. Nothing needs the network. The files lie in ``tests/traces/data``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


def search(q: str) -> str:
    """Search."""
    return f"found {q}"


def book(id: int) -> str:
    """Book."""
    raise ValueError(f"{id} is full")


def pydantic_ai() -> bytes:
    from pydantic_ai import Agent, ModelRetry
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    steps = [
        ModelResponse(parts=[ToolCallPart("search", {"q": "x"}, "c1")]),
        ModelResponse(parts=[ToolCallPart("book", '{"id": 7}', "c2")]),
        ModelResponse(parts=[TextPart("Sorry.")]),
    ]
    agent = Agent(FunctionModel(lambda messages, info: steps.pop(0)), instructions="Be kind.")
    agent.tool_plain(search)

    @agent.tool_plain(name="book")
    def retried(id: int) -> str:
        raise ModelRetry(f"{id} is full")

    return bytes(ModelMessagesTypeAdapter.dump_json(agent.run_sync("go").all_messages(), indent=1))


def openai_agents() -> bytes:
    from agents import agent_span, function_span, generation_span, set_trace_processors, trace
    from agents.tracing.processor_interface import TracingProcessor

    kept: list[Any] = []

    class Keeper(TracingProcessor):
        def on_trace_start(self, trace: Any) -> None:
            kept.append(trace)

        def on_trace_end(self, trace: Any) -> None: ...
        def on_span_start(self, span: Any) -> None: ...
        def on_span_end(self, span: Any) -> None:
            kept.append(span)

        def shutdown(self) -> None: ...
        def force_flush(self) -> None: ...

    set_trace_processors([Keeper()])
    with trace("booking"), agent_span("helper", tools=["search", "book"]):
        with generation_span(input=[{"role": "user", "content": "go"}], output=[{"role": "assistant", "content": "ok"}], model="m"):  # fmt: skip
            pass
        with function_span("search", input='{"q": "x"}', output="found x"):
            pass
        with generation_span(input=[], output=[{"role": "assistant", "content": "now"}], model="m"):
            pass
        with function_span("book", input='{"id": 7}') as failed:
            failed.set_error({"message": "7 is full", "data": None})
    return json.dumps({"data": [one.export() for one in kept]}, indent=1, default=str).encode()


def opentelemetry() -> bytes:
    from google.protobuf.json_format import MessageToJson
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    return MessageToJson(encode_spans(_spans())).encode()


def opentelemetry_console() -> bytes:
    return "\n".join(span.to_json() for span in _spans()).encode()


def _spans() -> list[Any]:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("tests")
    names = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}
    with tracer.start_as_current_span("invoke_agent helper", attributes=names):
        for k, (tool, given) in enumerate((("search", {"q": "x"}), ("book", {"id": 7}))):
            said = [{"role": "user", "parts": [{"type": "text", "content": "go"}]}]
            chat = {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "m",
                "gen_ai.input.messages": json.dumps(said),
            }
            with tracer.start_as_current_span("chat m", attributes=chat):
                pass
            attributes = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.id": f"c{k + 1}",
                "gen_ai.tool.call.arguments": json.dumps(given),
            }
            with contextlib.suppress(ValueError), tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes) as span:  # fmt: skip
                span.set_attribute("gen_ai.tool.call.result", search("x") if tool == "search" else book(7))
    return list(exporter.get_finished_spans())


def langsmith() -> bytes:
    from langsmith.run_trees import RunTree

    root = RunTree(name="agent", run_type="chain", inputs={"input": "go"})
    runs = [root]
    for tool, given, answer, error in (("search", {"q": "x"}, "found x", None), ("book", {"id": 7}, None, "ValueError('7 is full')")):  # fmt: skip
        model = root.create_child("Chat", "llm", inputs={"messages": [{"role": "user", "content": "go"}]})
        model.end(outputs={"choices": [{"message": {"role": "assistant", "content": f"{tool} now"}}]})
        child = root.create_child(tool, "tool", inputs=given)
        child.end(outputs={"output": answer} if answer else None, error=error)
        runs += [model, child]
    root.end(outputs={"output": "Sorry."})
    keep = {
        "id",
        "trace_id",
        "parent_run_id",
        "name",
        "run_type",
        "start_time",
        "end_time",
        "inputs",
        "outputs",
        "error",
    }
    return b"".join(json.dumps(one.dict(include=keep), default=_text).encode() + b"\n" for one in runs)


def _text(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def langchain(write: Callable[[Any], Any]) -> bytes:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    messages = [
        HumanMessage("go"),
        AIMessage("", tool_calls=[{"name": "search", "args": {"q": "x"}, "id": "c1"}]),
        ToolMessage("found x", tool_call_id="c1", name="search"),
        AIMessage("", tool_calls=[{"name": "book", "args": {"id": 7}, "id": "c2"}]),
        ToolMessage("7 is full", tool_call_id="c2", name="book", status="error"),
    ]
    return json.dumps(write(messages), indent=1).encode()


def langchain_to_dict() -> bytes:
    from langchain_core.messages import messages_to_dict

    return langchain(messages_to_dict)


def langchain_dumpd() -> bytes:
    from langchain_core.load import dumpd

    return langchain(dumpd)


def langchain_model_dump() -> bytes:
    return langchain(lambda messages: {"messages": [one.model_dump() for one in messages]})


def inspect_ai() -> bytes:
    import tempfile

    from inspect_ai import Task, eval_async
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, ToolError, tool

    @tool(name="search")
    def searching() -> Tool:
        async def execute(q: str) -> str:
            """Search.

            Args:
                q: what
            """
            return search(q)

        return execute

    @tool(name="book")
    def booking() -> Tool:
        async def execute(id: int) -> str:
            """Book.

            Args:
                id: which
            """
            raise ToolError(f"{id} is full")

        return execute

    outputs = [
        ModelOutput.for_tool_call("mockllm/model", "search", {"q": "x"}),
        ModelOutput.for_tool_call("mockllm/model", "book", {"id": 7}),
        ModelOutput.from_content("mockllm/model", "Sorry."),
    ]
    for output in outputs:
        output.usage = ModelUsage(
            input_tokens=1, output_tokens=1, total_tokens=2
        )  # else it is counted, over the network
    task = Task([Sample("go")], solver=[use_tools(searching(), booking()), generate()], name="task")
    with tempfile.TemporaryDirectory() as folder:
        model = get_model("mockllm/model", custom_outputs=outputs)
        (log,) = asyncio.run(eval_async(task, model=model, log_dir=folder, log_format="eval"))
        return Path(log.location.removeprefix("file://")).read_bytes()


MADE: dict[str, Callable[[], bytes]] = {
    "pydantic_ai.json": pydantic_ai,
    "openai_agents.json": openai_agents,
    "opentelemetry.json": opentelemetry,
    "opentelemetry_console.json": opentelemetry_console,
    "langsmith.jsonl": langsmith,
    "langchain_to_dict.json": langchain_to_dict,
    "langchain_dumpd.json": langchain_dumpd,
    "langchain_model_dump.json": langchain_model_dump,
    "inspect.eval": inspect_ai,
}


def main() -> None:
    DATA.mkdir(exist_ok=True)
    for name in sys.argv[1:] or MADE:
        try:
            data = MADE[name]()
        except ImportError as error:
            sys.stdout.write(f"{name}: left out: {error}\n")
            continue
        (DATA / name).write_bytes(data)
        sys.stdout.write(f"{name}: {len(data):,} bytes\n")


if __name__ == "__main__":
    main()
