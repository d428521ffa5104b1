"""A small trace of every format, as the bytes of a file, written after the formats' own descriptions.

Each has the calls ``search({"q": "x"})``, answered with "found", and ``book({"id": 7})``, which failed.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

SEARCH, BOOK = {"q": "x"}, {"id": 7}
AT = [
    "2026-01-01T10:00:00Z",
    "2026-01-01T10:00:05Z",
    "2026-01-01T10:00:06Z",
    "2026-01-01T10:00:09Z",
    "2026-01-01T10:00:10Z",
]


def lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def whole(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


def text(value: Any) -> str:
    return json.dumps(value)


USER = {"role": "user", "content": "go"}
CHAT = [
    USER,
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": text(SEARCH)}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "found"},
    {"role": "assistant", "content": "now", "tool_calls": [{"id": "c2", "type": "function", "function": {"name": "book", "arguments": text(BOOK)}}]},
    {"role": "tool", "tool_call_id": "c2", "content": "Error: full"},
    {"role": "assistant", "content": "Sorry."},
]  # fmt: skip
ANTHROPIC = [
    USER,
    {"role": "assistant", "content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "c1", "name": "search", "input": SEARCH}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "found"}]}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c2", "name": "book", "input": BOOK}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2", "content": "full", "is_error": True}]},
]  # fmt: skip
RESPONSES = [
    {"role": "user", "content": "go"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "search", "arguments": text(SEARCH), "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "found"},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "book", "arguments": text(BOOK)},
    {"type": "function_call_output", "call_id": "c2", "output": '{"error": "full"}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Sorry."}]},
]  # fmt: skip


def claude(
    kind: str, uuid: str, parent: str | None, message: Any, at: str = AT[0], **more: Any
) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "timestamp": at, "isSidechain": False, "message": message, **more}  # fmt: skip


def asks(identity: str, tool: str, given: Any, message: str = "") -> dict[str, Any]:
    block = {"type": "tool_use", "id": identity, "name": tool, "input": given}
    return {"id": message or f"msg_{identity}", "role": "assistant", "model": "claude-x", "content": [block], "usage": {"input_tokens": 5, "output_tokens": 2}}  # fmt: skip


def told(identity: str, words: str, failed: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": words, "is_error": failed}
    return {"role": "user", "content": [block]}


CLAUDE_CODE = [
    {"type": "summary", "summary": "a title", "leafUuid": "e"},
    claude("user", "a", None, {"role": "user", "content": "go"}),
    claude("assistant", "b", "a", asks("c1", "search", SEARCH), AT[1]),
    claude("user", "c", "b", told("c1", "found"), AT[2]),
    claude("assistant", "d", "c", asks("c2", "book", BOOK), AT[3]),
    claude("user", "e", "d", told("c2", "full", True), AT[4]),
]


def codex(kind: str, payload: Any, at: str = AT[0]) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


CODEX = [
    codex("session_meta", {"id": "s1", "cwd": "/x", "base_instructions": {"text": "Be kind."}}),
    codex("turn_context", {"model": "gpt-x"}),
    codex("event_msg", {"type": "user_message", "message": "go"}),
    *(codex("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}) for _ in range(1)),
    codex("response_item", RESPONSES[2], AT[1]),
    codex("response_item", RESPONSES[3], AT[2]),
    codex("response_item", RESPONSES[4], AT[3]),
    codex("response_item", {"type": "function_call_output", "call_id": "c2", "output": "Exit code: 1\nWall time: 1 seconds\nOutput:\nfull"}, AT[4]),
]  # fmt: skip
CODEX_EXEC = [
    {"type": "thread.started", "thread_id": "s1"},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"id": "i0", "type": "mcp_tool_call", "server": "", "tool": "search", "arguments": SEARCH, "status": "in_progress"}},
    {"type": "item.completed", "item": {"id": "i0", "type": "mcp_tool_call", "server": "", "tool": "search", "arguments": SEARCH, "result": {"content": [{"type": "text", "text": "found"}]}, "status": "completed"}},
    {"type": "item.completed", "item": {"id": "i1", "type": "mcp_tool_call", "server": "", "tool": "book", "arguments": BOOK, "error": {"message": "full"}, "status": "failed"}},
    {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 3}},
]  # fmt: skip


def gemini_call(identity: str, tool: str, given: Any, status: str, words: str) -> dict[str, Any]:
    response = {"functionResponse": {"id": identity, "name": tool, "response": {"output": words}}}
    return {
        "id": identity,
        "name": tool,
        "args": given,
        "status": status,
        "result": [response],
        "timestamp": AT[2],
    }


GEMINI_MESSAGES = [
    {"id": "u1", "timestamp": AT[0], "type": "user", "content": [{"text": "go"}]},
    {"id": "g1", "timestamp": AT[1], "type": "gemini", "content": "ok", "model": "gemini-x", "toolCalls": [gemini_call("c1", "search", SEARCH, "success", "found")]},
    {"id": "g2", "timestamp": AT[3], "type": "gemini", "content": "", "toolCalls": [gemini_call("c2", "book", BOOK, "error", "full")], "tokens": {"input": 3, "output": 2}},
]  # fmt: skip
GEMINI = {"sessionId": "s1", "projectHash": "h", "startTime": AT[0], "messages": GEMINI_MESSAGES}
GEMINI_LINES = [{"sessionId": "s1", "projectHash": "h", "startTime": AT[0]}, *GEMINI_MESSAGES]
LANGCHAIN = [
    {"type": "human", "content": "go"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "search", "args": SEARCH, "id": "c1", "type": "tool_call"}], "invalid_tool_calls": []},
    {"type": "tool", "content": "found", "tool_call_id": "c1", "status": "success"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "book", "args": BOOK, "id": "c2", "type": "tool_call"}]},
    {"type": "tool", "content": "full", "tool_call_id": "c2", "status": "error"},
]  # fmt: skip
LANGCHAIN_DICT = [{"type": m["type"], "data": m} for m in LANGCHAIN]
_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
LANGCHAIN_DUMPD = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", _CLASSES[str(m["type"])]],
        "kwargs": m,
    }
    for m in LANGCHAIN
]


def run(identity: str, parent: str | None, kind: str, label: str, k: int, **more: Any) -> dict[str, Any]:
    return {"run_id": identity, "trace_id": "r0", "parent_run_id": parent, "name": label, "run_type": kind, "start_time": AT[k], "end_time": AT[k + 1], "error": None, **more}  # fmt: skip


LANGSMITH = [
    run("r0", None, "chain", "agent", 0, inputs={"messages": []}, outputs={}),
    run("r1", "r0", "llm", "Chat", 0, inputs={"messages": [[LANGCHAIN_DUMPD[0]]]}, outputs={"generations": [[{"message": LANGCHAIN_DUMPD[1]}]]}),
    run("r2", "r0", "tool", "search", 1, inputs={"input": "{'q': 'x'}"}, outputs={"output": LANGCHAIN[2]}),
    run("r4", "r0", "llm", "Chat", 2, inputs={"messages": [[]]}, outputs={}),
    run("r3", "r0", "tool", "book", 3, inputs=BOOK, outputs=None) | {"error": "full"},
]  # fmt: skip


def span(
    identity: str, parent: str, label: str, k: int, attributes: dict[str, Any], failed: bool = False
) -> dict[str, Any]:
    return {
        "traceId": "t1", "spanId": identity, "parentSpanId": parent, "name": label, "kind": 1,
        "startTimeUnixNano": str(1767261600 * 10**9 + k * 10**9), "endTimeUnixNano": str(1767261601 * 10**9 + k * 10**9),
        "status": {"code": 2 if failed else 0},
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }  # fmt: skip


def tool_span(
    identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False
) -> dict[str, Any]:
    return span(identity, "a0", f"execute_tool {tool}", k, {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": identity,
        "gen_ai.tool.call.arguments": text(given), "gen_ai.tool.call.result": result,
    }, failed)  # fmt: skip


SPANS = [
    span("a0", "", "invoke_agent helper", 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"}),
    span("m1", "a0", "chat gpt-x", 1, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x", "gen_ai.input.messages": text([{"role": "user", "parts": [{"type": "text", "content": "go"}]}])}),
    tool_span("c1", 2, "search", SEARCH, "found"),
    span("m2", "a0", "chat gpt-x", 3, {"gen_ai.operation.name": "chat"}),
    tool_span("c2", 4, "book", BOOK, "full", True),
]  # fmt: skip
OTLP = {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": SPANS}]}]}
TEMPO = {"batches": [{"resource": {}, "instrumentationLibrarySpans": [{"spans": SPANS}]}]}
JAEGER = {
    "data": [{"traceID": "t1", "spans": [
        {"traceID": "t1", "spanID": s["spanId"], "operationName": s["name"], "references": [], "startTime": int(s["startTimeUnixNano"]) // 1000, "duration": 1000,
         "tags": [{"key": a["key"], "type": "string", "value": a["value"]["stringValue"]} for a in s["attributes"]] + ([{"key": "error", "value": True}] if s["status"]["code"] else [])}
        for s in SPANS]}]
}  # fmt: skip


def by_openinference(
    identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False
) -> dict[str, Any]:
    return span(identity, "", tool, k, {"openinference.span.kind": "TOOL", "tool.name": tool, "input.value": text(given), "output.value": result}, failed)  # fmt: skip


def by_openllmetry(
    identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False
) -> dict[str, Any]:
    return span(identity, "", f"{tool}.tool", k, {"traceloop.span.kind": "tool", "traceloop.entity.name": tool, "traceloop.entity.input": text({"inputs": given}), "traceloop.entity.output": result}, failed)  # fmt: skip


def by_vercel(
    identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False
) -> dict[str, Any]:
    return span(identity, "", "ai.toolCall", k, {"ai.operationId": "ai.toolCall", "ai.toolCall.name": tool, "ai.toolCall.id": identity, "ai.toolCall.args": text(given), "ai.toolCall.result": result}, failed)  # fmt: skip


def by_vercel_7(
    identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False
) -> dict[str, Any]:
    return span(identity, "", f"execute_tool {tool}", k, {"ai.operationId": "ai.toolCall", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gen_ai.tool.call.id": identity, "gen_ai.tool.call.arguments": text(given), "gen_ai.tool.call.result": result}, failed)  # fmt: skip


def by_adk(identity: str, k: int, tool: str, given: Any, result: str, failed: bool = False) -> dict[str, Any]:
    return span(identity, "", f"execute_tool {tool}", k, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool, "gcp.vertex.agent.tool_call_args": text(given), "gcp.vertex.agent.tool_response": result}, failed)  # fmt: skip


def both(make: Any) -> dict[str, Any]:
    spans = [make("c1", 1, "search", SEARCH, "found"), make("c2", 3, "book", BOOK, "full", True)]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


OLDEST = {"resourceSpans": [{"scopeSpans": [{"spans": [{
    **span("m1", "", "chat gpt-x", 1, {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}),
    "events": [
        {"name": f"gen_ai.{role}.message", "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in given.items()]}
        for role, given in [
            ("user", {"content": "go"}),
            ("assistant", {"tool_calls": text(CHAT[1]["tool_calls"])}),
            ("tool", {"id": "c1", "content": "found"}),
            ("assistant", {"tool_calls": text(CHAT[3]["tool_calls"])}),
            ("tool", {"id": "c2", "content": "Error: full"}),
        ]
    ],
}]}]}]}  # fmt: skip
OPENLLMETRY_CHAT = {"resourceSpans": [{"scopeSpans": [{"spans": [span("m1", "", "openai.chat", 1, {
    "gen_ai.system": "openai", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "go",
    "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.id": "c1", "gen_ai.prompt.1.tool_calls.0.name": "search",
    "gen_ai.prompt.1.tool_calls.0.arguments": text(SEARCH), "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.prompt.2.content": "found", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.tool_calls.0.id": "c2",
    "gen_ai.completion.0.tool_calls.0.name": "book", "gen_ai.completion.0.tool_calls.0.arguments": text(BOOK),
})]}]}]}  # fmt: skip


def observed(identity: str, kind: str, label: str, k: int, **more: Any) -> dict[str, Any]:
    return {"id": identity, "traceId": "t1", "parentObservationId": None, "type": kind, "name": label, "startTime": AT[k], "endTime": AT[k + 1], "level": "DEFAULT", "metadata": {}, **more}  # fmt: skip


OBSERVATIONS = [
    observed(
        "o1",
        "GENERATION",
        "chat",
        0,
        input=[USER],
        output={"role": "assistant", "content": "ok"},
        model="gpt-x",
    ),
    observed("o2", "TOOL", "search", 1, input=SEARCH, output="found"),
    observed("o4", "GENERATION", "chat", 2, input=[], output={"role": "assistant", "content": "next"}),
    observed("o3", "TOOL", "book", 3, input=text(BOOK), output=None, statusMessage="full")
    | {"level": "ERROR"},
]
LANGFUSE = {"trace": {"id": "t1", "name": "helper"}, "observations": OBSERVATIONS}
_SNAKE = {"traceId": "trace_id", "startTime": "start_time", "endTime": "end_time", "parentObservationId": "parent_observation_id", "statusMessage": "status_message"}  # fmt: skip
LANGFUSE_BLOB = [{_SNAKE.get(k, k): v for k, v in o.items()} for o in OBSERVATIONS]


def agent_span(identity: str, k: int, data: dict[str, Any], error: Any = None) -> dict[str, Any]:
    return {"object": "trace.span", "id": identity, "trace_id": "t1", "parent_id": None, "started_at": AT[k], "ended_at": AT[k + 1], "span_data": data, "error": error}  # fmt: skip


AGENTS_SDK = {"data": [
    {"object": "trace", "id": "t1", "workflow_name": "w"},
    agent_span("s1", 0, {"type": "response", "response_id": "x"}),
    agent_span("s2", 1, {"type": "function", "name": "search", "input": text(SEARCH), "output": "found"}),
    agent_span("s4", 2, {"type": "response", "response_id": "y"}),
    agent_span("s3", 3, {"type": "function", "name": "book", "input": text(BOOK), "output": None}, {"message": "full", "data": {}}),
]}  # fmt: skip


def atif_step(k: int, tool: str, given: Any, result: str) -> dict[str, Any]:
    return {"step_id": k, "source": "agent", "timestamp": AT[k - 1], "message": "", "tool_calls": [{"tool_call_id": f"c{k}", "function_name": tool, "arguments": given}], "observation": {"results": [{"source_call_id": f"c{k}", "content": result}]}}  # fmt: skip


ATIF = {"schema_version": "ATIF-v1.7", "trajectory_id": "t1", "agent": {"name": "a", "version": "1", "model_name": "m"}, "steps": [
    {"step_id": 1, "source": "user", "message": "go"},
    atif_step(2, "search", SEARCH, "found"),
    atif_step(3, "book", BOOK, "Error: full"),
]}  # fmt: skip
ATIF_8 = {**ATIF, "schema_version": "ATIF-v1.8", "new_member": [{}], "steps": [
    {**one, "new_of_step": {"x": 1}, **({"observation": {**one["observation"], "new": True}} if "observation" in one else {})} for one in ATIF["steps"]
]}  # fmt: skip
INSPECT_SAMPLE = {"id": 1, "epoch": 2, "input": "go", "messages": [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": "search", "arguments": SEARCH}]},
    {"role": "tool", "tool_call_id": "c1", "function": "search", "content": "attachment://abc"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c2", "function": "book", "arguments": BOOK}]},
    {"role": "tool", "tool_call_id": "c2", "function": "book", "content": "", "error": {"type": "permission", "message": "full"}},
], "scores": {"s": {"value": "C"}}, "events": [{"event": "tool", "id": "c1", "timestamp": AT[1], "completed": AT[2]}], "attachments": {"abc": "found"}}  # fmt: skip
INSPECT = {"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [INSPECT_SAMPLE]}


def inspect_zip(pack: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", pack) as archive:
        archive.writestr("header.json", text({"version": 2, "eval": {"model": "m"}}))
        archive.writestr("samples/1_epoch_2.json", text(INSPECT_SAMPLE))
    return made.getvalue()


TAU_BENCH = [{"task_id": 0, "trial": 1, "reward": 1.0, "info": {}, "traj": CHAT}]


def tau2(k: int, tool: str, given: Any, words: str, failed: bool) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{k}", "name": tool, "arguments": given, "requestor": "assistant"}], "timestamp": AT[k]},
        {"role": "tool", "id": f"c{k}", "content": words, "requestor": "assistant", "error": failed, "timestamp": AT[k]},
    ]  # fmt: skip


TAU2 = {"info": {"agent_info": {"llm": "m"}}, "tasks": [], "simulations": [{"id": "s", "task_id": "0", "trial": 0, "reward_info": {"reward": 0.0}, "messages": [
    USER, *tau2(1, "search", SEARCH, "found", False), *tau2(2, "book", BOOK, "full", True),
]}]}  # fmt: skip


def dojo(identity: str, tool: str, given: Any, words: str, error: str | None) -> list[dict[str, Any]]:
    call = {"function": tool, "args": given, "id": identity, "placeholder_args": None}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": words, "tool_call_id": identity, "tool_call": call, "error": error},
    ]


AGENTDOJO = {"suite_name": "slack", "pipeline_name": "m", "user_task_id": "user_task_1", "injection_task_id": None, "utility": True, "security": True, "messages": [
    USER, *dojo("", "search", SEARCH, "found", None), *dojo("", "book", BOOK, "", "full"),
]}  # fmt: skip
PYDANTIC_AI = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "go", "timestamp": AT[0]}], "instructions": "Be kind."},
    {"kind": "response", "model_name": "m", "timestamp": AT[1], "usage": {"input_tokens": 3, "output_tokens": 1}, "parts": [{"part_kind": "tool-call", "tool_name": "search", "args": text(SEARCH), "tool_call_id": "c1"}]},
    {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "search", "content": "found", "tool_call_id": "c1", "timestamp": AT[2]}]},
    {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "book", "args": BOOK, "tool_call_id": "c2"}]},
    {"kind": "request", "parts": [{"part_kind": "retry-prompt", "tool_name": "book", "content": "full", "tool_call_id": "c2"}]},
]  # fmt: skip


def rpc(**more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **more}


MCP = [
    rpc(id=0, method="tools/list", params={}),
    rpc(id=0, result={"tools": [{"name": "search", "inputSchema": {"type": "object"}}]}),
    rpc(id=1, method="tools/call", params={"name": "search", "arguments": SEARCH}),
    rpc(id=1, result={"content": [{"type": "text", "text": "found"}], "isError": False}),
    rpc(id=2, method="tools/call", params={"name": "book", "arguments": BOOK}),
    rpc(id=2, error={"code": -1, "message": "full"}),
]
SESSION = {
    "format": "planscope-session", "version": 1, "id": "s", "title": "t",
    "variants": [{"id": "v1", "origin": {"kind": "imported"}, "query": {"text": ""}, "actions": []}],
    "runs": [{"id": "r1", "variant": "v1", "agent": "x", "model": "y", "events": [
        {"type": "prompt", "text": "go"}, {"type": "message", "text": "ok"},
        {"type": "call", "step": 1, "tool": "search", "arguments": SEARCH}, {"type": "answer", "step": 1, "text": "found"},
        {"type": "message", "text": ""},
        {"type": "call", "step": 2, "tool": "book", "arguments": BOOK}, {"type": "answer", "step": 2, "text": "full", "status": "error"},
        {"type": "end", "ending": "stopped"}]}],
}  # fmt: skip

VERCEL_5 = [
    {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "go"}]},
    {"id": "m2", "role": "assistant", "parts": [
        {"type": "step-start"}, {"type": "tool-search", "toolCallId": "c1", "state": "output-available", "input": SEARCH, "output": "found"},
        {"type": "step-start"}, {"type": "dynamic-tool", "toolName": "book", "toolCallId": "c2", "state": "output-error", "input": BOOK, "errorText": "full"},
        {"type": "step-start"}, {"type": "text", "text": "Sorry."}]},
]  # fmt: skip
VERCEL_4 = [
    {"id": "m1", "role": "user", "content": "go"},
    {"id": "m2", "role": "assistant", "content": "Sorry.", "toolInvocations": [
        {"state": "result", "step": 0, "toolCallId": "c1", "toolName": "search", "args": SEARCH, "result": "found"},
        {"state": "result", "step": 1, "toolCallId": "c2", "toolName": "book", "args": BOOK, "result": "Error: full"}]},
]  # fmt: skip
VERCEL_CORE = [
    USER,
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "search", "input": SEARCH}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "search", "output": {"type": "text", "value": "found"}}]},
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c2", "toolName": "book", "input": BOOK}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c2", "toolName": "book", "output": {"type": "error-text", "value": "full"}}]},
]  # fmt: skip


def contents(call: str, response: str) -> list[Any]:
    """Contents of Gemini in one of the two spellings, with all members as Python's SDK writes them."""
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"text": None, call: {"id": None, "name": "search", "args": SEARCH}}]},
        {"role": "user", "parts": [{response: {"name": "search", "response": {"result": "found"}}}]},
        {"role": "model", "parts": [{call: {"name": "book", "args": BOOK}}]},
        {"role": "user", "parts": [{response: {"name": "book", "response": {"error": "full"}}}]},
    ]


def completion(message: Any, asked: list[Any]) -> dict[str, Any]:
    response = {"id": "x", "object": "chat.completion", "created": 1767261600, "model": "gpt-x", "choices": [{"index": 0, "message": message}]}  # fmt: skip
    return {"request": {"model": "gpt-x", "messages": asked}, "response": response}


COMPLETIONS = [completion(CHAT[k], CHAT[:k]) for k in (1, 3, 5)]
"""A proxy's log: each request tells the history again."""


def hand(action: str, tool: str, identity: str, given: Any, source: str = "agent") -> dict[str, Any]:
    call = {"id": identity, "type": "function", "function": {"name": tool, "arguments": text(given)}}
    response = {
        "id": f"r{identity}",
        "model": "m",
        "choices": [{"message": {"role": "assistant", "tool_calls": [call]}}],
    }
    named = {
        "function_name": tool,
        "tool_call_id": identity,
        "model_response": response,
        "total_calls_in_response": 1,
    }
    return {"source": source, "message": "", "timestamp": AT[0], "tool_call_metadata": named, **({"action": action, "args": {**given, "thought": "so"}} if action else {})}  # fmt: skip


def in_pi(k: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"role": role, "content": content, "timestamp": 1767261600000, **more}
    return {"type": "message", "id": f"e{k}", "parentId": f"e{k - 1}" if k else None, "timestamp": AT[0], "message": said}  # fmt: skip


PI_MODEL = {
    "provider": "p",
    "model": "m",
    "usage": {"input": 3, "output": 2, "cacheRead": 1, "cacheWrite": 0},
}
PI = [
    {"type": "session", "version": 3, "id": "s1", "timestamp": AT[0], "cwd": "/x"},
    in_pi(0, "user", [{"type": "text", "text": "go"}]),
    in_pi(1, "assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "ok"}, {"type": "toolCall", "id": "c1", "name": "search", "arguments": SEARCH}], stopReason="toolUse", **PI_MODEL),
    in_pi(2, "toolResult", [{"type": "text", "text": "found"}], toolCallId="c1", toolName="search", isError=False),
    in_pi(3, "assistant", [{"type": "toolCall", "id": "c2", "name": "book", "arguments": BOOK}], stopReason="toolUse", **PI_MODEL),
    in_pi(4, "toolResult", [{"type": "text", "text": "full"}], toolCallId="c2", toolName="book", isError=True),
]  # fmt: skip
_GEMINI_PARTS = [
    {"role": "user", "parts": [{"text": "go"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "search", "args": SEARCH}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "search", "response": {"result": "found"}}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "book", "args": BOOK}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "book", "response": {"error": "full"}}}]},
    {"role": "model", "parts": [{"text": "Sorry."}]},
]
GEMINI_RESPONSES = [
    {"request": {"contents": _GEMINI_PARTS[:k]}, "response": {"candidates": [{"content": _GEMINI_PARTS[k], "finishReason": "STOP"}], "modelVersion": "gemini-x", "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1}}}
    for k in (1, 3, 5)
]  # fmt: skip


OPENHANDS = [
    {"id": 0, "source": "agent", "message": "", "action": "system", "args": {"content": "Be kind.", "tools": []}},
    {"id": 1, "source": "user", "message": "go", "action": "message", "args": {"content": "go"}},
    {"id": 2, **hand("run", "search", "c1", SEARCH)},
    {"id": 3, **hand("", "search", "c1", SEARCH), "observation": "run", "cause": 2, "content": "found", "extras": {"metadata": {"exit_code": 0}}},
    {"id": 4, **hand("edit", "book", "c2", BOOK)},
    {"id": 5, **hand("", "book", "c2", BOOK), "observation": "error", "cause": 4, "content": "full", "extras": {}},
]  # fmt: skip
OPENHANDS_OLD = [
    {"action": "message", "content": "go", "wait_for_response": False},
    {"action": "search", "thought": "so", "q": "x"},
    {"observation": "search", "content": "found", "exit_code": 0},
    {"action": "book", "thought": "now", "args": BOOK},
    {"observation": "error", "content": "full"},
]
OPENHANDS_1 = [
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "go"}]}},
    {"kind": "ActionEvent", "source": "agent", "thought": [], "action": {"kind": "S", **SEARCH}, "tool_name": "search", "tool_call_id": "c1", "tool_call": {"id": "c1", "name": "search", "arguments": text(SEARCH)}, "llm_response_id": "r1"},
    {"kind": "ObservationEvent", "source": "environment", "tool_name": "search", "tool_call_id": "c1", "observation": {"content": [{"type": "text", "text": "found"}], "is_error": False}},
    {"kind": "ActionEvent", "source": "agent", "thought": [], "action": {"kind": "B", **BOOK}, "tool_name": "book", "tool_call_id": "c2", "tool_call": {"id": "c2", "name": "book", "arguments": text(BOOK)}, "llm_response_id": "r2"},
    {"kind": "AgentErrorEvent", "source": "environment", "tool_name": "book", "tool_call_id": "c2", "error": "full"},
]  # fmt: skip
PLAIN = [
    {"tool": "search", "arguments": SEARCH, "answer": "found", "time": AT[0], "agent": "a"},
    {"tool": "book", "arguments": BOOK, "error": "full", "time": AT[1], "grade": 0},
]
GEMINI_STREAM = [
    {"type": "init", "session_id": "s1", "model": "gemini-x"},
    {"type": "message", "role": "user", "content": "go"},
    {"type": "tool_use", "tool_name": "search", "tool_id": "c1", "parameters": SEARCH},
    {"type": "tool_result", "tool_id": "c1", "status": "success", "output": "found"},
    {"type": "tool_use", "tool_name": "book", "tool_id": "c2", "parameters": BOOK},
    {"type": "tool_result", "tool_id": "c2", "status": "error", "error": {"type": "x", "message": "full"}},
    {"type": "result", "status": "success", "stats": {}},
]
AUTOGEN = [
    {"source": "user", "models_usage": None, "content": "go", "type": "TextMessage"},
    {"source": "a", "models_usage": {"prompt_tokens": 1, "completion_tokens": 2}, "content": [{"id": "c1", "arguments": text(SEARCH), "name": "search"}], "type": "ToolCallRequestEvent"},
    {"source": "a", "models_usage": None, "content": [{"content": "found", "name": "search", "call_id": "c1", "is_error": False}], "type": "ToolCallExecutionEvent"},
    {"source": "a", "models_usage": None, "content": [{"id": "c2", "arguments": text(BOOK), "name": "book"}], "type": "ToolCallRequestEvent"},
    {"source": "a", "models_usage": None, "content": [{"content": "full", "name": "book", "call_id": "c2", "is_error": True}], "type": "ToolCallExecutionEvent"},
    {"source": "a", "models_usage": None, "content": "full", "type": "ToolCallSummaryMessage"},
]  # fmt: skip
CREWAI = [
    {"type": "tool_usage_started", "timestamp": AT[0], "agent_role": "clerk", "tool_name": "search", "tool_args": SEARCH},
    {"type": "tool_usage_finished", "timestamp": AT[1], "agent_role": "clerk", "tool_name": "search", "tool_args": SEARCH, "output": "found", "from_cache": False},
    {"type": "tool_usage_started", "timestamp": AT[2], "agent_role": "clerk", "tool_name": "book", "tool_args": text(BOOK)},
    {"type": "tool_usage_error", "timestamp": AT[3], "agent_role": "clerk", "tool_name": "book", "tool_args": text(BOOK), "error": "full"},
]  # fmt: skip
SMOLAGENTS = [
    {"task": "go", "task_images": None},
    {"step_number": 1, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "search", "arguments": SEARCH}}], "model_output": "so", "observations": "found", "error": None},
    {"step_number": 2, "tool_calls": [{"id": "c2", "type": "function", "function": {"name": "book", "arguments": BOOK}}], "observations": None, "error": {"type": "AgentToolExecutionError", "message": "full"}},
]  # fmt: skip
SHAREGPT = [
    {"from": "human", "value": "go"},
    {"from": "function_call", "value": text({"name": "search", "arguments": SEARCH})},
    {"from": "observation", "value": "found"},
    {"from": "function_call", "value": text({"name": "book", "arguments": BOOK})},
    {"from": "observation", "value": "Error: full"},
]


def flat_span(
    identity: str, parent: str, label: str, at: int, attributes: Any, failed: bool = False
) -> dict[str, Any]:
    return {"name": label, "trace_id": "t1", "span_id": identity, "parent_span_id": parent, "start_time": AT[at], "end_time": AT[at + 1], "status": {"status_code": "ERROR" if failed else "OK", "description": "full" if failed else None}, "attributes": attributes}  # fmt: skip


def in_python(given: Any) -> str:
    return text({"args": [], "sanitize_inputs_outputs": False, "kwargs": given})


OPENINFERENCE_FLAT = [
    flat_span("m1", "", "llm", 0, {"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "go"}),
    flat_span("c1", "", "SearchTool", 1, {"openinference.span.kind": "TOOL", "tool.name": "search", "input.value": in_python(SEARCH), "output.value": "found", "tool.parameters": text({"q": {"type": "string", "description": "what"}})}),
    flat_span("c1b", "c1", "execute_tool search", 1, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "k1"}),
    flat_span("m2", "", "llm", 2, {"openinference.span.kind": "LLM", "llm.output_messages.0.message.content": "now"}),
    flat_span("c2", "", "BookTool", 3, {"openinference.span.kind": "TOOL", "tool.name": "book", "input.value": text({"args": [7], "kwargs": {}}), "tool.parameters": text({"id": {"type": "integer", "description": "which"}})}, True),
]  # fmt: skip
SAMPLES: dict[str, tuple[str, bytes]] = {
    "vercel 5": ("vercel-ai", whole({"id": "chat", "messages": VERCEL_5})),
    "vercel 4": ("vercel-ai", whole(VERCEL_4)),
    "vercel, model messages": ("vercel-ai", whole(VERCEL_CORE)),
    "genai": ("google-genai", whole({"contents": contents("functionCall", "functionResponse")})),
    "genai, python": ("google-genai", whole(contents("function_call", "function_response"))),
    "completions": ("openai-completions", lines(COMPLETIONS)),
    "openhands": ("openhands", lines([{"instance_id": "i1", "history": OPENHANDS, "metadata": {}}])),
    "openhands, a list": ("openhands", whole(OPENHANDS)),
    "openhands, old": ("openhands", whole({"history": OPENHANDS_OLD})),
    "pi": ("pi", lines(PI)),
    "pi, first version": ("pi", lines([{k: v for k, v in one.items() if k not in ("id", "parentId") or one["type"] == "session"} for one in PI])),
    "claude code, web": ("claude-code", whole({"loglines": [{k: v for k, v in one.items() if k not in ("uuid", "parentUuid", "sessionId")} for one in CLAUDE_CODE]})),
    "codex, under events": ("codex", whole({"events": CODEX})),
    "codex exec, under events": ("codex-exec", whole({"model": "x", "events": CODEX_EXEC})),
    "gemini, responses": ("gemini-responses", lines(GEMINI_RESPONSES)),
    "swe-agent": ("swe-agent", whole({"trajectory": [{"action": "search x", "observation": "found", "response": "now"}], "history": CHAT, "info": {"exit_status": "submitted"}})),
    "openhands 1": ("openhands", lines(OPENHANDS_1)),
    "plain": ("calls", lines(PLAIN)),
    "plain, args and result": ("calls", whole([{"tool": "search", "args": SEARCH, "result": "found"}, {"tool": "book", "args": BOOK, "result": "Error: full"}])),
    "plain, under a key": ("calls", whole({"id": "r1", "calls": [{"name": "search", "arguments": text(SEARCH), "output": "found"}, {"name": "book", "arguments": BOOK, "output": {"error": "full"}}]})),
    "gemini, stream": ("calls", lines(GEMINI_STREAM)),
    "autogen": ("calls", whole(AUTOGEN)),
    "autogen, a message a line": ("calls", lines(AUTOGEN)),
    "crewai": ("calls", lines(CREWAI)),
    "smolagents": ("calls", whole(SMOLAGENTS)),
    "sharegpt": ("sharegpt", whole([{"conversations": SHAREGPT}])),
    "otel, flat": ("otel", whole(OPENINFERENCE_FLAT)),
    "chat": ("openai-chat", whole(CHAT)),
    "chat with tools": ("openai-chat", whole({"messages": CHAT, "model": "gpt-x", "tools": [{"type": "function", "function": {"name": "search"}}]})),
    "chat, a message a line": ("openai-chat", lines(CHAT)),
    "chat, a trace a line": ("openai-chat", lines([{"id": "t1", "messages": CHAT}, {"id": "t2", "messages": CHAT}])),
    "chat, a list of lists": ("openai-chat", whole([CHAT, CHAT])),
    "anthropic": ("anthropic", whole({"model": "claude-x", "system": "Be kind.", "messages": ANTHROPIC})),
    "claude code": ("claude-code", lines(CLAUDE_CODE)),
    "codex": ("codex", lines(CODEX)),
    "codex exec": ("codex-exec", lines(CODEX_EXEC)),
    "responses": ("openai-responses", whole({"input": RESPONSES[:4], "output": RESPONSES[4:]})),
    "responses, a list": ("openai-responses", whole(RESPONSES)),
    "gemini": ("gemini-cli", whole(GEMINI)),
    "gemini, lines": ("gemini-cli", lines(GEMINI_LINES)),
    "langchain": ("langchain", whole({"messages": LANGCHAIN})),
    "langchain, to_dict": ("langchain", whole(LANGCHAIN_DICT)),
    "langchain, dumpd": ("langchain", whole(LANGCHAIN_DUMPD)),
    "langsmith": ("langsmith", lines(LANGSMITH)),
    "langsmith, nested": ("langsmith", whole({**LANGSMITH[0], "id": "r0", "child_runs": LANGSMITH[1:]})),
    "otel": ("otel", whole(OTLP)),
    "otel, lines": ("otel", lines([{"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]} for one in reversed(SPANS)])),
    "otel, tempo": ("otel", whole(TEMPO)),
    "otel, jaeger": ("otel", whole(JAEGER)),
    "otel, openinference": ("otel", whole(both(by_openinference))),
    "otel, openllmetry": ("otel", whole(both(by_openllmetry))),
    "otel, vercel": ("otel", whole(both(by_vercel))),
    "otel, vercel 7": ("otel", whole(both(by_vercel_7))),
    "otel, adk": ("otel", whole(both(by_adk))),
    "otel, events": ("otel", whole(OLDEST)),
    "langfuse": ("langfuse", whole(LANGFUSE)),
    "langfuse, blob": ("langfuse", lines(LANGFUSE_BLOB)),
    "agents sdk": ("openai-agents", lines([AGENTS_SDK])),
    "atif": ("atif", whole(ATIF)),
    "atif 1.8": ("atif", whole(ATIF_8)),
    "inspect": ("inspect", whole(INSPECT)),
    "inspect, zip": ("inspect", inspect_zip()),
    "tau-bench": ("tau-bench", whole(TAU_BENCH)),
    "tau2": ("tau2", whole(TAU2)),
    "agentdojo": ("agentdojo", whole(AGENTDOJO)),
    "pydantic-ai": ("pydantic-ai", whole(PYDANTIC_AI)),
    "mcp": ("mcp", lines(MCP)),
    "planscope": ("planscope", whole(SESSION)),
}  # fmt: skip
"""A name, the format's name, and the bytes of a file."""
