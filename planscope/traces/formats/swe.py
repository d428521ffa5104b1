"""Reads trajectories of SWE-agent and mini-SWE-agent.

SWE-agent's ``history`` has the calls; its last ``submit`` may stand in ``trajectory`` alone. mini-SWE-agent runs one
tool, a shell: each message of the model has its ``actions``. Its first version had them in the text alone, exactly one
block a message, and what it ran shows in the next message.
"""

from __future__ import annotations

import re
from typing import Any

from planscope.oracle.trace import Said
from planscope.traces.blocks import only_text, speaks, take
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat, about_messages
from planscope.traces.values import as_text, name, obj, seq, some, text

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_RAN = re.compile(r"\s*<returncode>(-?\d+)</returncode>")


def _is_step(value: Any) -> bool:
    return type(value) is dict and "action" in value and "observation" in value


def _take_swe(build: Builder, message: dict[str, Any]) -> None:
    if speaks(message):
        take(build, message)
    elif text(message.get("action")).strip() == "submit" and not any(
        call.tool == "submit" for call in build.trace.calls[-1:]
    ):
        build.message += 1
        build.settle(call := build.call("submit", {}))
        build.fill(call, as_text(message.get("observation")))


def _sure_swe(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    both = any(map(_is_step, seq(beside.get("trajectory")))) and type(beside.get("history")) is list
    return 0.9 if both and not only_text([one for one in messages if speaks(one)], beside) else 0.0


def _about_swe(build: Builder, beside: dict[str, Any]) -> None:
    about_messages(build, beside)
    ended = text(obj(beside.get("info")).get("exit_status"))
    if ended and ended != "submitted":
        build.problem(f"the run ended: {ended}", cause="stopped")


def _take_mini(build: Builder, message: dict[str, Any]) -> None:
    extra = obj(message.get("extra"))
    key = some(message, ("tool_call_id", "call_id"))
    content = some(message, ("content", "output"))
    ran = _RAN.match(as_text(content))
    if message.get("role") == "exit":
        ended = text(extra.get("exit_status"))
        last = build.trace.calls[-1:]
        if ended != "Submitted":
            build.problem(f"the run ended: {ended}", cause="stopped")
        elif last and not last[0].answered:
            build.settle(last[0])
            build.fill(last[0], as_text(content), failed=False)
        return
    if "returncode" in extra or key is not None or ran is not None:
        code = extra.get("returncode", int(ran[1]) if ran is not None else None)
        if key is None and ran is not None:
            _take_block(build)
        build.message += 1
        build.answer(key, as_text(content), failed=code not in (0, None), at=build.at(extra.get("timestamp")))
        return
    if message.get("object") == "response":  # the Responses API
        texts = [as_text(obj(one).get("content")) for one in seq(content)]
        message = {"role": "assistant", "content": "\n".join(filter(None, texts)), "extra": extra}
    at = build.at(extra.get("timestamp"))
    kept: dict[str, Any] = {k: message[k] for k in ("role", "content", "timestamp") if k in message}
    take(build, kept, at=at)
    for action in seq(extra.get("actions")):
        command = action if type(action) is str else obj(action).get("command")
        build.call("bash", {"command": command}, obj(action).get("tool_call_id"), at=at)


def _take_block(build: Builder) -> None:
    """Add the call in the model's last text, if it has no actions beside it."""
    last = build.items[-1] if build.items else None
    found = _BLOCK.findall(last.text) if isinstance(last, Said) and last.by == "model" else []
    if len(found) == 1 and last is not None and last.message == build.message:
        build.call("bash", {"command": found[0].strip()}, at=last.at)


def _about_mini(build: Builder, beside: dict[str, Any]) -> None:
    about_messages(build, beside)
    info = obj(beside.get("info"))
    build.trace.model = name(obj(obj(info.get("config")).get("model")).get("model_name")) or None
    if info.get("exit_status") == "Submitted":
        _take_submission(build)


def _take_submission(build: Builder) -> None:
    """Add the last call of the first version, whose answer ends the run."""
    said = [one for one in build.items if isinstance(one, Said)]
    last = next((one for one in reversed(said) if one.by == "model"), None)
    if last is None or any(call.message >= last.message for call in build.trace.calls):
        return
    found = _BLOCK.findall(last.text)
    if len(found) == 1:
        later = [one for one in said if one.message > last.message]
        place = build.items.index(last) + 1
        call = build.call("bash", {"command": found[0].strip()}, at=last.at)
        call.message = last.message
        build.items.remove(call)
        build.items.insert(place, call)
        build.settle(call)
        build.fill(call, "\n".join(one.text for one in later), failed=False)


READERS = (
    MessageFormat(
        "swe-agent",
        "a SWE-agent trajectory",
        ("history", "trajectory"),
        is_message=lambda value: speaks(value) or _is_step(value),
        sure=_sure_swe,
        take=_take_swe,
        about=_about_swe,
        in_row=True,
        aside=dict.fromkeys(("messages", "query"), "the history, told again"),
    ),
    MessageFormat(
        "mini-swe-agent",
        "a mini-SWE-agent trajectory",
        ("messages",),
        is_message=lambda value: speaks(value) or type(obj(value).get("extra")) is dict,
        sure=lambda _, beside: 0.95 * text(beside.get("trajectory_format")).startswith("mini-swe-agent"),
        take=_take_mini,
        about=_about_mini,
    ),
)
