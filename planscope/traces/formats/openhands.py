"""Reads events of OpenHands: ``output.jsonl`` of its evaluations, the events of a session, and those of version 1.

An event is an action or an observation. An action that the model called as a tool names the tool and its id beside;
older versions have none, and the next observation answers.
"""

from __future__ import annotations

from planscope.traces.blocks import By, usage_of
from planscope.traces.build import Builder
from planscope.traces.messages import IDS, MessageFormat
from planscope.traces.values import Obj, arguments_of, as_text, dig, name, obj, seq, text

_NO_CALLS = frozenset(("message", "system", "recall", "change_agent_state", "null", "condensation",
                       "condensation_request", "agent_state_changed", "start", "pause", "resume", "stop",
                       "send_pr", "push"))  # fmt: skip
_ABOUT = frozenset(("action", "thought", "keep_prompt", "is_confirmed", "confirmation_state", "action_risk", "blocking",
                    "hidden", "is_static", "kernel_init_code", "security_risk", "cwd"))  # fmt: skip
"""What an action says besides the arguments of its tool."""
COPIES = {"tool_call_metadata": "a copy of the model's answer", "llm_metrics": "a copy"}


_PLACES = "args|content|thought|source|message"
_EVENT_SIGN = (
    f"kind=*Event & source or {_PLACES} & !role & action:str or {_PLACES} & !role & observation:str & content"
)


def _take(build: Builder, event: Obj) -> None:
    build.time = build.at(event.get("timestamp"))
    kind = text(event.get("kind"))
    if kind:
        _take_v1(build, event, kind)
    elif type(event.get("action")) is str and event["action"]:
        _take_action(build, event)
    else:
        _take_observation(build, event)


def _take_action(build: Builder, event: Obj) -> None:
    action, args = event["action"], obj(event.get("args"))
    called = obj(event.get("tool_call_metadata"))
    if called or action in _NO_CALLS:
        build.excuse(
            "an event beside the model's call" if called else "an event that is no call", action, args
        )
    if action in _NO_CALLS and not called:
        words = args.get("content", event.get("content"))
        by: By = (
            "system" if action == "system" else "user" if event.get("source") in ("user", None) else "model"
        )
        if action in ("message", "system"):
            build.message += 1
            build.said(by, words)
            build.tools(args.get("tools"))
        elif action == "condensation":
            build.mark("compacted", args.get("summary") or "the history was condensed")
        else:
            build.unknown(action)
        return
    response = obj(called.get("model_response"))
    if not response.get("id") or build.turn != response["id"]:  # calls of one response are one message
        build.message += 1
        build.turn = text(response.get("id"))
        thought = args.get("thought", event.get("thought"))
        build.said("model", thought if type(thought) is str else "", usage=usage_of(response.get("usage")))
    build.trace.model = build.trace.model or text(response.get("model")) or None
    id = name(called.get("tool_call_id"))
    given = _asked(response, id) if called else None
    if given is None:
        told = args or {key: value for key, value in event.items() if key not in _EVENT}
        given = {key: value for key, value in told.items() if key not in _ABOUT}
    build.call(called.get("function_name") or action, given, id or None)


_EVENT = frozenset(("id", "timestamp", "source", "message", "timeout", "observation"))


def _asked(response: Obj, id: str) -> object:
    """Return the arguments of the call with this id in the model's response, or None if they are not there."""
    calls = (one for choice in seq(response.get("choices")) for one in seq(dig(choice, "message.tool_calls")))
    asked = next((one for one in calls if name(obj(one).get("id")) == id), None)
    return arguments_of(dig(asked, "function.arguments"))[0]


def _take_observation(build: Builder, event: Obj) -> None:
    kind, called = text(event.get("observation")), obj(event.get("tool_call_metadata"))
    if kind in _NO_CALLS and not called:
        if text(event.get("content")):
            build.unknown(f"observation {kind}")
        return
    code = dig(event, "extras.metadata.exit_code", "extras.exit_code", "exit_code")
    failed = True if kind == "error" else code != 0 if type(code) is int else None
    words, key = as_text(event.get("content")), name(called.get("tool_call_id")) or None
    _answer(build, key, words, failed, kind == "user_rejected")


def _answer(build: Builder, key: object, words: str, failed: bool | None, refused: bool) -> None:
    build.message += 1
    build.turn = ""
    build.answer(key, words, failed=failed, refused=refused)


def _take_v1(build: Builder, event: Obj, kind: str) -> None:
    """Add an event of version 1."""
    if kind == "ActionEvent":
        response = name(event.get("llm_response_id"))
        if not response or build.turn != response:
            build.message += 1
            build.turn = response
            build.said("model", as_text(event.get("thought")))
        tool, key = dig(event, "tool_name", "tool_call.name"), dig(event, "tool_call_id", "tool_call.id")
        given = dig(event, "tool_call.arguments", "tool_call.function.arguments", "action")
        build.call(tool, given, key)
    elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        words = dig(event, "observation.content", "error", "rejection_reason", "observation")
        failed = kind == "AgentErrorEvent" or dig(event, "observation.is_error") is True
        _answer(build, event.get("tool_call_id"), as_text(words), failed, kind == "UserRejectObservation")
    elif kind == "MessageEvent":
        said = obj(event.get("llm_message"))
        build.message += 1
        build.said("user" if said.get("role") == "user" else "model", said.get("content"))
    elif kind == "SystemPromptEvent":
        build.message += 1
        build.said("system", as_text([event.get("system_prompt")]))
        build.tools(event.get("tools"))
    elif kind == "Condensation":
        build.mark("compacted", event.get("summary") or "the history was condensed")
    else:
        build.unknown(kind)


READERS = (
    MessageFormat(
        "openhands",
        "OpenHands events",
        ("history", "events", "trajectory"),
        (
            (0.9, "m[].tool_call_metadata:dict"),
            (0.9, "m[].kind=ActionEvent|ObservationEvent|MessageEvent"),
            (0.85, "m[].action=message|system & m[].source"),
            (0.85, "m[].action=message|system & m[].observation & !m[].response"),
        ),
        _EVENT_SIGN,
        take=_take,
        about={"model": "model|metadata.llm_config.model"},
        ids=f"instance_id|{IDS}",
        ends=(("error:set", "the run ended in an error: {error}", "model"),),
        aside=COPIES,
    ),
)
