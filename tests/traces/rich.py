"""Files that use what a format can say, beyond the two calls of ``samples.py``; each as the bytes of a file."""

from __future__ import annotations

from typing import Any

from tests.traces.samples import (
    AT,
    BOOK,
    CODEX,
    GEMINI_LINES,
    SAMPLES,
    SEARCH,
    agent_span,
    asks,
    atif_step,
    claude,
    codex,
    gemini_call,
    lines,
    observed,
    run,
    span,
    text,
    told,
    whole,
)


def otlp(*spans: dict[str, Any]) -> bytes:
    return whole({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def valued(made: dict[str, Any], **more: dict[str, Any]) -> dict[str, Any]:
    """A span with attributes that are not text: ``more`` has the values as OTLP writes them, ``__`` stands for a dot."""
    made["attributes"] += [{"key": key.replace("__", "."), "value": value} for key, value in more.items()]
    return made


def blocks(*found: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": one} if type(one) is str else one for one in found]


RESPONSES = {
    "id": "resp_1", "object": "response", "model": "gpt-x", "instructions": "Be kind.", "usage": {"input_tokens": 7, "output_tokens": 3},
    "tools": [{"type": "function", "name": "search", "description": "finds", "parameters": {"type": "object"}}],
    "output": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "compaction", "summary": "what was before"},
        {"type": "context_compaction"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "well"}], "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{broken", "extra": 1},
        {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "ls"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": {"success": False, "content": "no"}},
        {"type": "function_call_output", "call_id": "c1", "output": {"success": True, "body": "yes"}},
        {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["ls"]}},
        {"type": "shell_call", "id": "c4", "operation": {"cd": "x"}},
        {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "x"}},
        {"type": "file_search_call", "id": "w2", "status": "failed", "queries": ["a"], "results": [{"text": "r"}]},
        {"type": "code_interpreter_call", "id": "w3", "status": "incomplete", "code": "1+1", "outputs": None},
        {"type": "image_generation_call", "id": "w4", "status": "in_progress"},
        {"type": "mcp_call", "id": "w5", "name": "book", "arguments": text(BOOK), "output": "done"},
        {"type": "mcp_call", "id": "w6", "name": "book", "arguments": text(BOOK), "error": "full"},
        {"type": "mcp_list_tools", "tools": []},
        {"type": "message", "role": "critic", "content": "?"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Bye."}], "phase": "end"},
    ],
    "error": {"message": "too long"},
}  # fmt: skip

CODEX_RICH = [
    codex("session_meta", {"id": "s1", "agent_nickname": "helper", "instructions": "Be kind."}),
    codex("session_meta", {"id": "s2", "agent_nickname": "other"}),
    codex("turn_context", {"model": "gpt-x"}),
    codex("turn_context", {}),
    codex("event_msg", {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 2, "output_tokens": 1}}}),
    codex("response_item", {"type": "message", "role": "user", "content": "one"}, AT[1]),
    codex("response_item", {"type": "message", "role": "assistant", "content": "ok"}, AT[1]),
    codex("event_msg", {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 3}}}, AT[2]),
    codex("event_msg", {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 9, "output_tokens": 9}}}, AT[2]),
    codex("event_msg", {"type": "token_count", "info": None}),
    CODEX[4],
    codex("response_item", {"type": "function_call_output", "call_id": "c1", "output": text({"output": "found", "metadata": {"exit_code": 0}})}, AT[2]),
    codex("response_item", {"type": "function_call_output", "call_id": "c1", "output": "again"}, AT[2]),
    codex("response_item", {"type": "message", "role": "user", "content": "two"}, AT[2]),
    CODEX[6],
    codex("response_item", {"type": "function_call_output", "call_id": "c2", "output": text({"output": "full", "metadata": {"exit_code": 1}})}, AT[3]),
    codex("event_msg", {"type": "context_compacted"}, AT[3]),
    codex("event_msg", {"type": "context_compacted"}, AT[3]),
    codex("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
    codex("compacted", {}, AT[3]),
    *(codex("response_item", {"type": "local_shell_call", "call_id": f"d{k}", "action": {"command": [str(k)]}}, AT[3]) for k in range(4)),
    codex("response_item", {"type": "local_shell_call_output", "call_id": "d0", "output": "Chunk ID: 1\nWall time: 2\nProcess exited with code 0\nfine"}, AT[4]),
    codex("response_item", {"type": "local_shell_call_output", "call_id": "d1", "output": "rejected by user: no"}, AT[4]),
    codex("response_item", {"type": "local_shell_call_output", "call_id": "d2", "output": {"content": "bad", "success": False}}, AT[4]),
    codex("event_msg", {"type": "stream_error", "message": "lost"}, AT[4]),
    codex("event_msg", {"type": "turn_aborted", "reason": "interrupted"}, AT[4]),
    codex("event_msg", {"type": "error"}, AT[4]),
    codex("event_msg", {"type": "user_message", "message": "shown twice"}),
    codex("ghost_snapshot", {}),
]  # fmt: skip
CODEX_OLD = [
    {"id": "s0", "timestamp": AT[0], "instructions": "Be kind.", "git": {}},
    {"record_type": "state"},
    *({"timestamp": AT[1], **one["payload"]} for one in CODEX[4:7]),
    {"type": "odd"},
]
EXEC = [
    {"type": "thread.started", "thread_id": "t1"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "hm"}},
    {"type": "item.started", "item": {"id": "i1", "type": "command_execution", "command": "ls", "status": "in_progress"}},
    {"type": "item.updated", "item": {"id": "i1"}},
    {"type": "item.completed", "item": {"id": "i1", "type": "command_execution", "command": "ls", "aggregated_output": "a", "exit_code": 0, "status": "completed"}},
    {"type": "item.completed", "item": {"id": "i2", "item_type": "command_execution", "command": "rm", "aggregated_output": "no", "exit_code": 2, "status": "completed", "more": 1}},
    {"type": "item.completed", "item": {"id": "i3", "type": "command_execution", "command": "rm", "status": "declined"}},
    {"type": "item.completed", "item": {"id": "i4", "type": "mcp_tool_call", "server": "s", "tool": "book", "arguments": BOOK, "result": {"content": "done"}, "status": "completed"}},
    {"type": "item.completed", "item": {"id": "i5", "type": "file_change", "changes": ["x"], "status": "failed"}},
    {"type": "item.started", "item": {"id": "i6", "type": "agent_message", "text": "by"}},
    {"type": "item.completed", "item": {"id": "i6", "type": "agent_message", "text": "bye"}},
    {"type": "item.completed", "item": {"id": "i7", "type": "todo_list"}},
    {"type": "item.completed", "item": {"id": "i8", "type": "error", "message": "slow"}},
    {"type": "item.started", "item": {"id": "i9", "type": "error", "message": "not yet"}},
    {"type": "item.completed", "item": {"id": "ia"}},
    {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 3}},
    {"type": "item.completed", "item": {"type": "web_search", "query": "x"}},
    {"type": "error", "message": "odd"},
    {"type": "turn.failed", "error": {"message": "limit"}},
    {"type": "odd"},
]  # fmt: skip

GEMINI_RICH = [
    {**GEMINI_LINES[0], "summary": "a title"},
    {"id": "u0", "timestamp": AT[0], "type": "user", "content": [{"text": "first"}], "extra": 1},
    {"id": "e0", "timestamp": AT[0], "type": "warning", "content": "slow"},
    {"id": "g0", "timestamp": AT[1], "type": "gemini", "content": "ok", "model": "gemini-y", "thoughts": [{"subject": "s", "description": "d"}], "tokens": {"input": 3, "output": 2},
     "toolCalls": [
         gemini_call("c1", "search", SEARCH, "success", "found"),
         {"id": "c2", "name": "rm", "args": {}, "status": "cancelled"},
         {"id": "c3", "name": "rm", "args": {}, "status": "error", "result": "bad"},
         {"id": "c4", "name": "rm", "args": {}, "status": "executing"},
         {"id": "c5", "name": "ls", "status": "success", "result": [{"text": "a"}, {"functionResponse": {"response": {"error": "b"}}}, {"text": ""}], "agentId": "x"},
     ]},
    {"type": "info", "id": "i0", "content": "note"},
    {"type": "gemini", "content": "no id", "timestamp": AT[2]},
    {"id": "u1", "timestamp": AT[2], "type": "user", "content": "second"},
    {"id": "g1", "timestamp": AT[3], "type": "gemini", "content": "lost", "toolCalls": [gemini_call("c6", "book", BOOK, "success", "x")]},
    {"$rewindTo": "u1"},
    {"$rewindTo": "nothing"},
    {"strange": 1},
    {"id": "g2", "timestamp": AT[4], "type": "gemini", "content": "", "tokens": {}},
]  # fmt: skip

CLAUDE_RICH = [
    {"type": "summary", "summary": "first title", "leafUuid": "e"},
    {"type": "summary", "summary": "second title", "leafUuid": "e"},
    {"type": "queue-operation"},
    claude("user", "a", None, {"role": "user", "content": "go"}, extra={"x": 1}),
    claude("user", "a1", "a", {"role": "user", "content": "for the model"}, isMeta=True),
    claude("assistant", "b", "a1", {"id": "m1", "role": "assistant", "model": "claude-x", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I look."}], "usage": {"input_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 1, "output_tokens": 2}}, AT[1]),
    claude("assistant", "b1", "b", {**asks("c1", "Read", {"n": 1}), "id": "m1"}, AT[1]),
    claude("assistant", "b2", "b1", {"id": "m1", "role": "assistant", "content": "plain"}, AT[1]),
    claude("user", "c", "b2", told("c1", "ok"), AT[2]),
    {"type": "system", "subtype": "api_error", "uuid": "s1", "parentUuid": "c", "timestamp": AT[2], "error": {"status": 529}},
    {"type": "system", "subtype": "microcompact_boundary", "uuid": "s2", "parentUuid": "s1", "timestamp": AT[2]},
    {"type": "system", "subtype": "turn_duration", "uuid": "s3", "parentUuid": "s2"},
    {"type": "attachment", "uuid": "s4", "parentUuid": "s3"},
    claude("assistant", "d", "s4", asks("c2", "Bash", {"command": "rm"}), AT[3]),
    claude("user", "e", "d", told("c2", "Permission to use Bash was denied", True), AT[4]),
    claude("assistant", "f", "e", {"id": "m9", "role": "assistant", "model": "<synthetic>", "content": "API Error"}, AT[4]),
    {"type": "custom-title", "customTitle": "my title"},
    {"type": "ai-title", "title": ""},
]  # fmt: skip

MESSAGES = [
    {"role": "developer", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "go"}, {"type": "image", "source": "x"}, "bare"]},
    {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "redacted_thinking", "data": "x"}, {"type": "tool_use", "id": "c1", "name": "search", "input": SEARCH}], "usage": {"prompt_tokens": 4, "completion_tokens": 1}},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "found", "extra": 1}]},
    {"role": "assistant", "content": [{"type": "server_tool_use", "id": "c2", "name": "web", "input": {}}, {"type": "web_search_tool_result", "tool_use_id": "c2", "content": {"type": "web_search_tool_result_error"}}]},
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c3", "toolName": "book", "input": BOOK}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c3", "toolName": "book", "output": {"type": "error-text", "value": "full"}}]},
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c4", "toolName": "book", "args": BOOK}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c4", "toolName": "book", "result": "full", "isError": True}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c5", "name": "book", "input": BOOK}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "c5", "content": [{"text": "a"}, {"json": {"b": 1}}], "status": "error"}}]},
    {"role": "model", "parts": [{"functionCall": {"name": "book", "args": BOOK}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "book", "response": {"error": "full"}}}]},
    {"role": "assistant", "tool_calls": [{"id": "c7", "custom": {"name": "run", "input": "ls"}}, {"id": "c8", "function": "book", "arguments": BOOK}, {"id": "c9", "name": "book", "args": BOOK}, "odd"]},
    {"role": "tool", "tool_call_id": "c8", "content": None},
    {"role": "tool", "tool_call_id": "nobody", "content": "lost"},
    {"role": "function", "name": "book", "content": "by name"},
    {"role": "critic", "content": "?"},
]  # fmt: skip

_READ = [{"role": "user", "parts": [{"type": "text", "content": "go"}]}]
OTEL_NEW = otlp(
    span("a0", "", "invoke_agent helper", 0, {"gen_ai.operation.name": "invoke_agent"}),
    valued(
        span("m1", "a0", "chat gpt-x", 1, {
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x", "gen_ai.system_instructions": text([{"type": "text", "content": "Be kind."}]), "gen_ai.input.messages": text(_READ),
            "gen_ai.output.messages": text([{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "search", "arguments": SEARCH}]}]),
            "gen_ai.tool.definitions": text([{"type": "function", "name": "search", "description": "finds", "parameters": {"type": "object"}}]),
        }), gen_ai__usage__input_tokens={"intValue": "7"}, gen_ai__usage__output_tokens={"intValue": 3}),
    span("c1", "a0", "execute_tool search", 2, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "c1", "gen_ai.tool.description": "finds things"}),
    span("m2", "a0", "chat gpt-y", 3, {
        "gen_ai.operation.name": "chat", "gen_ai.response.model": "gpt-y", "gen_ai.system_instructions": text({"type": "text", "content": "Be kind."}),
        "gen_ai.input.messages": text([*_READ, {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "found"}]}]),
    }, True),
    span("c2", "a0", "tool book", 4, {"tool.name": "book", "openinference.span.kind": "TOOL", "tool.parameters": text(BOOK), "output.value": text({"isError": True, "content": [{"type": "text", "text": "full"}]}), "tool.json_schema": text({"type": "object"})}),
    span("c3", "a0", "(merged tools)", 4, {"gen_ai.operation.name": "execute_tool"}),
    span("x1", "a0", "http", 4, {"http.url": "x"}),
)  # fmt: skip
OTEL_NUMBERED = otlp(
    valued(
        span("m1", "", "ChatOpenAI", 0, {
            "openinference.span.kind": "LLM", "llm.model_name": "gpt-x",
            "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Be kind.",
            "llm.input_messages.1.message.role": "user", "llm.input_messages.1.message.contents.0.message_content.text": "go",
            "llm.input_messages.1.message.contents.1.message_content.type": "image", "llm.input_messages.x.message.role": "user", "llm.input_messages.1234567.message.content": "no number",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": text(SEARCH),
            "llm.tools.0.tool.json_schema": text({"type": "function", "function": {"name": "search", "parameters": {}}}),
        }), llm__token_count__prompt={"intValue": 4}, llm__token_count__completion={"intValue": 2}),
    span("m2", "", "openai.chat", 2, {
        "gen_ai.prompt.0.content": "no role", "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.content": text([{"type": "text", "text": "as blocks"}]),
        "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c1", "gen_ai.prompt.2.content": "found", "gen_ai.completion.0.content": "bye",
    }),
)  # fmt: skip
OTEL_VERCEL = otlp(
    span("o1", "", "ai.generateText", 0, {"ai.operationId": "ai.generateText", "ai.prompt": text({"system": "Be kind.", "prompt": "go"})}),
    span("m1", "o1", "ai.generateText.doGenerate", 0, {
        "ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "gpt-x", "ai.prompt.messages": text([{"role": "user", "content": [{"type": "text", "text": "go"}]}]),
        "ai.response.text": "I look.", "ai.response.toolCalls": text([{"toolCallId": "c1", "toolName": "search", "args": SEARCH}]),
    }),
    span("m2", "", "ai.streamText", 2, {"ai.operationId": "ai.streamText", "ai.prompt": text({"system": "Be brief.", "prompt": "again"}), "ai.response.text": "done"}),
)  # fmt: skip
OTEL_ADK = otlp(
    span("m1", "", "call_llm", 0, {
        "gcp.vertex.agent.llm_request": text({"config": {"system_instruction": "Be kind."}, "contents": [{"role": "user", "parts": [{"text": "go"}]}, "odd", {"parts": [{"text": "no role"}]}]}),
        "gcp.vertex.agent.llm_response": text({"content": {"parts": [{"function_call": {"id": "c1", "name": "search", "args": SEARCH}, "text": None}]}}),
    }),
    span("c1", "m1", "execute_tool search", 1, {"gcp.vertex.agent.tool_call_args": text(SEARCH), "gcp.vertex.agent.tool_response": "found"}),
)  # fmt: skip
OTEL_EVENTS = otlp({
    **span("m1", "", "chat", 0, {"gen_ai.operation.name": "chat"}),
    "events": [
        {"name": "gen_ai.system.message", "attributes": [{"key": "content", "value": {"stringValue": "Be kind."}}]},
        {"name": "gen_ai.content.prompt", "attributes": [{"key": "gen_ai.prompt", "value": {"stringValue": text([{"role": "user", "content": "go"}, "odd"])}}]},
        {"name": "gen_ai.assistant.message", "attributes": {"tool_calls": text([{"id": "c0", "function": {"name": "search", "arguments": text(SEARCH)}}])}},
        {"name": "gen_ai.tool.message", "attributes": {"tool_call_id": "c0", "content": "found"}},
        {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": text({"content": "ok", "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": text(SEARCH)}}]})}}]},
        {"name": "gen_ai.choice", "attributes": {"content": "flat"}},
        {"name": "other", "attributes": {}},
    ],
})  # fmt: skip
OTEL_DETAILS = otlp({
    **span("m1", "", "chat", 0, {"gen_ai.operation.name": "chat"}),
    "events": [{"name": "gen_ai.client.inference.operation.details", "attributes": {"gen_ai.input.messages": text(_READ), "gen_ai.output.messages": text([{"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}])}}],
})  # fmt: skip
OTEL_OPENLLMETRY = otlp(
    *(span(f"c{k}", "", "book.tool", k, {"traceloop.span.kind": "tool", "traceloop.entity.input": text(given), "traceloop.entity.output": "ok"})
      for k, given in enumerate([{"inputs": BOOK}, {"args": [], "kwargs": BOOK}, {"input_str": "{'id': 7}"}, {"input_str": "odd"}, {"tool_input": BOOK}])),
)  # fmt: skip

LANGSMITH_RICH = {"runs": [
    run("r0", None, "chain", "agent", 0, inputs={}, outputs={}, extra={"metadata": {"ls_agent_type": "root"}}, child_runs=[
        run("r1", "r0", "llm", "Chat", 0, inputs={"messages": [{"role": "system", "content": "Be kind."}, [{"role": "user", "content": "go"}]]},
            outputs={"choices": [{"message": {"role": "assistant", "content": "ok"}}]}, prompt_tokens=4, completion_tokens=2,
            extra={"invocation_params": {"model_name": "gpt-x", "tools": [{"type": "function", "function": {"name": "search", "description": "finds"}}]}}),
        run("r2", "r0", "tool", "search", 1, inputs={"input": text(SEARCH)}, outputs={"output": {"update": {"messages": [{"type": "tool", "content": "found", "tool_call_id": "c1", "status": "success"}]}}}, extra={"metadata": {"lc_agent_name": "finder"}}),
        run("r3", "r0", "llm", "Chat", 2, inputs={}, outputs={"role": "assistant", "content": "hm", "usage_metadata": {"input_tokens": 1, "output_tokens": 1}}, extra={"metadata": {"ls_model_name": "gpt-y"}}),
        run("r4", "r0", "tool", "book", 3, inputs={"input": "free text"}, outputs="plain", extra={"tool_call_id": "c4"}),
        run("r5", "r0", "tool", "book", 3, inputs=BOOK, outputs={"output": {"type": "tool", "content": "full", "tool_call_id": "c5", "status": "error"}}),
        run("r6", "r0", "llm", "Chat", 3, inputs={"messages": []}, outputs={"message": {"role": "assistant", "content": "last"}}) | {"status": "error", "error": "limit"},
    ]),
]}  # fmt: skip

LANGFUSE_RICH = {"trace": {"id": "t1", "name": "helper"}, "observations": [
    observed("o0", "AGENT", "planner", 0),
    observed("o1", "GENERATION", "chat", 0, parentObservationId="o0", input={"messages": [{"role": "user", "content": "go"}]}, output="as text", model="gpt-x", usageDetails={"input_tokens": 4, "output_tokens": 2}),
    observed("o2", "TOOL", "search", 1, parentObservationId="o0", input="x", output=["found"]),
    observed("o3", "GENERATION", "chat", 2, input=[{"role": "user", "content": "go"}], output=[{"content": "ok"}, {"other": 1}], usage={"prompt_tokens": 1, "completion_tokens": 1}) | {"level": "ERROR", "statusMessage": "limit"},
    observed("o4", "SPAN", "execute_tool book", 3, input=None, output=None, metadata={"attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book", "gen_ai.tool.call.arguments": text(BOOK)}}),
    observed("o5", "TOOL", "still_open", 3, input={}, output="yet answered") | {"endTime": None},
    observed("o6", "TOOL", "lost", 3, input={}, output=None) | {"endTime": None},
]}  # fmt: skip

AGENTS_RICH = {"data": [
    {"object": "trace", "id": "t1", "workflow_name": "w"},
    agent_span("s0", 0, {"type": "agent", "name": "planner"}),
    agent_span("s1", 0, {"type": "response", "input": "go", "response": {"model": "gpt-x", "output": [{"content": "ok"}, {"type": "reasoning"}]}, "usage": {"input_tokens": 3, "output_tokens": 1}}) | {"parent_id": "s0"},
    agent_span("s2", 1, {"type": "handoff", "from_agent": "planner", "to_agent": "booker"}),
    agent_span("s3", 2, {"type": "generation", "model": "gpt-y", "input": [{"role": "user", "content": "go"}, {"role": "system", "content": "Be kind."}], "output": [{"role": "assistant", "content": "well"}]}),
    agent_span("s4", 3, {"type": "function", "name": "book", "input": text(BOOK), "output": "ok", "mcp_data": {"server": "s"}}),
    agent_span("s5", 3, {"type": "generation", "input": []}, "refused"),
]}  # fmt: skip

ATIF_RICH = {
    "schema_version": "ATIF-v1.7", "session_id": "t1", "agent": {"name": "a", "model_name": "m", "tool_definitions": [{"type": "function", "function": {"name": "search", "description": "finds"}}]},
    "final_metrics": {"extra": {"reward": 0.5}},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Be kind."},
        {"step_id": 2, "source": "user", "message": "go", "extra": 1},
        {**atif_step(3, "search", SEARCH, "found"), "reasoning_content": "hm", "metrics": {"prompt_tokens": 3, "completion_tokens": 1}},
        {"step_id": 4, "source": "agent", "message": "", "observation": {"results": [{"content": "from outside"}]}},
        {**atif_step(5, "start", {}, "x"), "observation": {"results": [{"source_call_id": "c5", "content": None, "subagent_trajectory_ref": [{"session_id": "sub"}]}]}},
        atif_step(5, "book", BOOK, "Error: full"),
    ],
    "subagent_trajectories": [
        {"session_id": "sub", "agent": {"name": "helper"}, "steps": [atif_step(2, "look", {}, "seen")], "subagent_trajectories": [{"trajectory_id": "deep", "steps": [atif_step(1, "dig", {}, "hole")]}]},
        {"steps": [atif_step(1, "stray", {}, "x")]},
    ],
}  # fmt: skip

PYDANTIC = [
    {"kind": "request", "instructions": "Be kind.", "timestamp": AT[0], "parts": [{"part_kind": "system-prompt", "content": "Be brief."}, {"part_kind": "user-prompt", "content": "go", "timestamp": AT[0], "extra": 1}]},
    {"kind": "response", "timestamp": AT[1], "model_name": "gpt-x", "usage": {"input_tokens": 3, "output_tokens": 1}, "parts": [{"part_kind": "thinking", "content": "hm"}, {"part_kind": "tool-call", "tool_name": "search", "args": text(SEARCH), "tool_call_id": "c1"}, {"part_kind": "builtin-tool-call", "tool_name": "book", "args": BOOK, "tool_call_id": "c2"}]},
    {"kind": "request", "instructions": "Be kind.", "parts": [
        {"part_kind": "tool-return", "tool_name": "search", "content": "found", "tool_call_id": "c1", "timestamp": AT[2], "outcome": "success"},
        {"part_kind": "tool-return", "tool_name": "book", "content": "full", "tool_call_id": "c2", "timestamp": AT[3], "outcome": "failed"},
    ]},
    {"kind": "response", "timestamp": AT[3], "model_name": "gpt-y", "usage": {"input_tokens": 4, "output_tokens": 2}, "parts": [{"part_kind": "text", "content": "well"}, *({"part_kind": "tool-call", "tool_name": "book", "args": BOOK, "tool_call_id": f"d{k}"} for k in range(2))]},
    {"kind": "request", "parts": [{"part_kind": "retry-prompt", "tool_name": "book", "tool_call_id": "d0", "content": "wrong"}, {"part_kind": "tool-return", "tool_name": "book", "tool_call_id": "d1", "content": "no", "outcome": "denied"}, {"part_kind": "retry-prompt", "content": "say more"}, {"part_kind": "odd"}]},
]  # fmt: skip


def rpc(id: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, **more}


MCP = [
    {"timestamp": AT[0], "message": rpc(0, method="initialize", params={"clientInfo": {"name": "client"}})},
    {"time": AT[0], "data": rpc(1, method="tools/list")},
    rpc(1, result={"tools": [{"name": "search", "description": "finds", "inputSchema": {"type": "object"}}]}),
    {"ts": AT[1], **rpc(2, method="tools/call", params={"name": "search", "arguments": SEARCH, "_meta": {"x": 1}})},
    {"ts": AT[1], **rpc(2, method="tools/call", params={"name": "search", "arguments": SEARCH})},
    {"ts": AT[1], **rpc("2", method="tools/call", params={"name": "book"})},
    {"ts": AT[2], **rpc(2, result={"content": [{"type": "text", "text": "found"}], "isError": False})},
    {"ts": AT[2], **rpc(2, result={"content": "again"})},
    {"ts": AT[3], **rpc("2", error={"code": -1, "message": "full"})},
    {"ts": AT[3], **rpc(3, method="tools/call", params={"name": "slow", "arguments": {}})},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}},
    {"jsonrpc": "2.0", "method": "notifications/progress"},
    rpc(4, method="tools/call", params={"name": "bad", "arguments": {}}),
    rpc(4, result={"content": [], "isError": True}),
    rpc(5, method="resources/read"),
    rpc(6),
    {"type": "log"},
]  # fmt: skip

INSPECT_RICH = {"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [
    {"id": "a", "epoch": 1, "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "attachment://h1"},
        {"role": "assistant", "content": [{"type": "text", "text": "hm"}], "tool_calls": [{"id": "c1", "function": "search", "arguments": {"q": "attachment://h2"}}, {"id": "c2", "function": "book", "arguments": {}, "parse_error": "not JSON"}]},
        {"role": "tool", "tool_call_id": "c1", "function": "search", "content": "attachment://h3", "extra": 1},
        {"role": "tool", "tool_call_id": "c2", "function": "book", "content": "", "error": {"type": "approval", "message": "denied"}},
    ], "scores": {"s": {"value": "P"}}, "events": [
        {"event": "model"},
        {"event": "tool", "id": "x0", "function": "before", "arguments": {}, "result": "b", "timestamp": AT[0], "completed": AT[1]},
        {"event": "tool", "id": "c1", "timestamp": AT[1], "completed": AT[2], "events": [{"event": "tool", "id": "x1", "function": "inner", "arguments": {}, "agent": "sub", "error": {"type": "approval", "message": "no"}, "timestamp": AT[2], "completed": AT[3]}]},
        {"event": "tool", "id": "x1", "function": "inner", "arguments": {}},
        {"event": "tool", "id": "x2", "function": "open", "arguments": {}, "timestamp": AT[3]},
    ], "attachments": {"h1": "go", "h2": "x", "h3": "found", "h4": "nobody's"}, "output": {"model": "n"}},
    {"id": 2, "messages": [{"role": "user", "content": "go"}], "error": {"message": "crashed"}, "scores": {"s": {"value": "?"}, "t": 0.25}},
    {"id": 3, "epoch": 1, "messages": [{"role": "user", "content": "go"}], "limit": {"type": "token"}},
]}  # fmt: skip

TAU2 = {"info": {"agent_info": {"llm": "gpt-x"}}, "tasks": [], "simulations": [
    {"task_id": "7", "trial": 0, "reward_info": {"reward": 0.0}, "termination_reason": "max_steps", "messages": [
        {"role": "user", "content": "go", "timestamp": AT[0], "extra": 1},
        {"role": "assistant", "content": "ok", "usage": {"prompt_tokens": 3, "completion_tokens": 1}, "tool_calls": [{"id": "c1", "name": "search", "arguments": SEARCH}, {"id": "c2", "name": "book", "arguments": BOOK}], "timestamp": AT[1]},
        {"role": "tool", "tool_messages": [{"role": "tool", "id": "c1", "content": None, "error": False, "timestamp": AT[2]}, {"role": "tool", "id": "c2", "content": "full", "error": True, "timestamp": AT[3]}]},
        {"role": "user", "content": "", "tool_calls": [{"id": "c3", "name": "check", "arguments": {}}], "timestamp": AT[4]},
        {"role": "critic", "content": "?"},
    ]},
    {"task_id": "8", "reward_info": {"reward": 1}, "termination_reason": "user_stop", "messages": [{"role": "user", "content": "go"}]},
]}  # fmt: skip

CHAT_RICH = [
    {"role": "user", "content": "go"},
    {"role": "critic", "content": "?"},
    ["odd"],
    7,
    {"role": "assistant", "content": ""},
    {"role": "assistant", "content": "ok"},
    {"role": "user", "content": "again", "name": "ann"},
]

RICH: dict[str, bytes] = {
    "chat": whole({"messages": CHAT_RICH}),
    "responses": whole(RESPONSES), "codex": lines(CODEX_RICH), "codex, first version": lines(CODEX_OLD), "codex exec": lines(EXEC), "gemini": lines(GEMINI_RICH),
    "claude code": lines(CLAUDE_RICH), "messages": whole({"messages": MESSAGES}), "otel, conventions": OTEL_NEW, "otel, numbered": OTEL_NUMBERED, "otel, vercel": OTEL_VERCEL,
    "otel, adk": OTEL_ADK, "otel, events": OTEL_EVENTS, "otel, details": OTEL_DETAILS, "otel, openllmetry": OTEL_OPENLLMETRY, "langsmith": whole(LANGSMITH_RICH),
    "langfuse": whole(LANGFUSE_RICH), "agents sdk": whole(AGENTS_RICH), "atif": whole(ATIF_RICH), "pydantic-ai": whole(PYDANTIC), "mcp": lines(MCP), "inspect": whole(INSPECT_RICH), "tau2": whole(TAU2),
}  # fmt: skip
FILES = {
    **{f"small: {name}": data for name, (_, data) in SAMPLES.items()},
    **{f"rich: {name}": data for name, data in RICH.items()},
}
