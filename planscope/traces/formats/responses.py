"""Reads items of OpenAI's Responses API: the ``input`` of a request, the ``output`` of a response, or a list of
both."""

from __future__ import annotations

from planscope.oracle.trace import Said, ToolCall
from planscope.traces.blocks import SPEAKERS, usage_of
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat
from planscope.traces.values import Obj, as_text, dig, name, obj, rest_of, some, text

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call",
         "tool_search_call")  # fmt: skip
"""Calls whose answers are items of their own, with the same name and ``_output``."""
HOSTED = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call")
"""Calls that the provider makes itself. The item has the answer, if there is one."""
_OUTPUTS = (*(f"{kind}_output" for kind in CALLS), "tool_search_output")
_BESIDE = ("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "item_reference", "compaction",
           "compaction_summary", "context_compaction")  # fmt: skip
_PLACED = frozenset(
    (
        "type",
        "role",
        "content",
        "id",
        "call_id",
        "name",
        "arguments",
        "input",
        "output",
        "status",
        "summary",
        "action",
    )
)


def is_item(value: object) -> bool:
    """Return whether a value is an item, alone or in the state of a run."""
    item = obj(obj(value).get("raw_item")) or obj(value)
    kind = item.get("type")
    if type(kind) is not str:
        return text(item.get("role")) in SPEAKERS
    return "role" in item if kind == "message" else kind in _ITEMS


_ITEMS = frozenset((*CALLS, *HOSTED, *_OUTPUTS, *_BESIDE, "reasoning"))


def take_item(build: Builder, item: Obj) -> None:
    """Add one item. Items that the model made in a row are one message."""
    inner = item.get("raw_item")
    if isinstance(inner, dict):
        build.agent = text(dig(item, "agent.name")) or None
        item = inner
    kind = text(item.get("type")) or ("message" if "role" in item else "")
    told = build.last(item.get("call_id")) if isinstance(inner, dict) and kind in CALLS else None
    if told is not None and call_of(kind, item)[0] == told.tool:
        return  # a call that waits for approval is told twice
    if kind == "message":
        _take_message(build, item)
    elif kind in CALLS or kind in HOSTED:
        model_speaks(build)
        tool, arguments = call_of(kind, item)
        key = item.get("call_id", item.get("id"))
        call = build.call(tool, arguments, key, raw=rest_of(item, _PLACED))
        if kind in HOSTED:
            _fill_hosted(build, call, item)
    elif kind in _OUTPUTS:
        other_speaks(build)
        answer, failed = output_of(item.get("output"))
        key = item.get("call_id", item.get("id"))
        build.answer(key, answer, failed=failed, raw=rest_of(item, _PLACED))
    elif kind == "reasoning":
        model_speaks(build)
        words = as_text(item.get("content")) or as_text(item.get("summary"))
        if words:
            build.said("model", "", raw={"reasoning": words})
    elif kind in ("compaction", "compaction_summary", "context_compaction"):
        build.mark("compacted", item.get("summary") or "the history was compacted")
    else:
        build.unknown(kind or "an item without a type")


def model_speaks(build: Builder) -> None:
    """Begin the model's message, unless the last item was the model's too."""
    if build.turn != "model":
        build.message += 1
        build.turn = "model"


def other_speaks(build: Builder) -> None:
    """Begin a new message: each item of someone else is one."""
    build.message += 1
    build.turn = "other"


def _take_message(build: Builder, item: Obj) -> None:
    role = item.get("role")
    by = SPEAKERS.get(text(role))
    if by is None:
        build.unknown(f"role {name(role)[:40]}")
        return
    if by == "model":
        model_speaks(build)
    else:
        other_speaks(build)
    build.said(by, item.get("content"), raw=rest_of(item, _PLACED))


def call_of(kind: str, item: Obj) -> tuple[str, object]:
    """Return the tool of a call and its arguments. Tools of OpenAI have no name of their own."""
    tool = name(item.get("name"))
    if kind in ("function_call", "mcp_call"):
        return tool, item.get("arguments")
    if kind == "custom_tool_call":
        value = item.get("input")
        return tool, {"input": value} if value is not None else None
    keys = ("action", "queries", "code") if kind in HOSTED else ("action", "operation")
    found = {key: item[key] for key in keys if item.get(key) is not None}
    first = next(iter(found.values()), None)
    given = first if type(first) is dict and len(found) == 1 else found if kind in HOSTED else None
    return tool or kind.removesuffix("_call"), given


def output_of(output: object) -> tuple[str, bool | None]:
    """Return an answer's text, and whether it failed if the item says so."""
    inner = obj(output)
    if type(inner.get("success")) is bool:
        return as_text(inner.get("content", inner.get("body", ""))), not inner["success"]
    return as_text(output), None


def _fill_hosted(build: Builder, call: ToolCall, item: Obj) -> None:
    """Give a call that the provider made itself its answer, if the item has one."""
    build.settle(call)
    error, status = item.get("error"), item.get("status")
    result = some(item, ("output", "results", "outputs")) if error is None else error
    if error is not None or status in ("completed", "failed", "incomplete") or "output" in item:
        failed = error is not None or status == "failed"
        build.fill(call, as_text(result) if result is not None else None, failed=failed)


def _about(build: Builder, beside: Obj) -> None:
    tokens = usage_of(beside.get("usage"))
    last = next((one for one in reversed(build.items) if isinstance(one, Said) and one.by == "model"), None)
    if tokens is not None and last is not None and last.usage is None:
        last.usage = tokens


_KINDS = "|".join((*CALLS, *_OUTPUTS, *HOSTED))
READERS = (
    MessageFormat(
        "openai-responses",
        "OpenAI Responses items",
        ("input", "original_input", "output", "items", "data", "generated_items"),
        (
            (0.9, f"m[].raw_item.type|m[].type={_KINDS}"),
            (0.7, "beside.object=response"),
            (0.7, "m[].raw_item.type|m[].type=reasoning|message"),
            (0.35, "beside.input|beside.output"),
            (0.1, ""),
        ),
        is_item,
        take=take_item,
        about={"user": "original_input|input", "system": "instructions"},
        ends=(("error:dict & error:set", "the response ended in an error: {error.message}", "model"),),
        more=_about,
        in_row=True,
        aside=dict.fromkeys(("session_items", "current_step"), "a copy"),
    ),
)
