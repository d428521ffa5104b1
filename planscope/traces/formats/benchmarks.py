"""Reads runs of benchmarks and of the agents that run on them: AgentDojo, tau-bench and tau2-bench, ATIF trajectories
(any version 1), SWE-agent and mini-SWE-agent.

SWE-agent's ``history`` has the calls; its last ``submit`` may stand in ``trajectory`` alone. mini-SWE-agent runs one
tool, a shell: each message of the model has its ``actions``. Its first version had them in the text alone, exactly one
block a message, and what it ran shows in the next message.
"""

from __future__ import annotations

import re

from planscope.oracle.trace import Said, ToolCall
from planscope.traces.blocks import Shape, speaks, take
from planscope.traces.build import Builder
from planscope.traces.messages import SPEAKS, MessageFormat
from planscope.traces.values import Obj, as_text, dig, name, obj, rest_of, seq, some, text

# tau2

_TAU2 = Shape(marks=True, placed=frozenset(("requestor", "turn_idx", "cost", "raw_data")))


def _take_tau2(build: Builder, message: Obj) -> None:
    """Add one message of tau2, or the answers in one. The simulated user makes calls, too."""
    for one in seq(message.get("tool_messages")):
        _take_tau2(build, obj(one))
    if type(message.get("tool_messages")) is not list:
        take(build, message, _TAU2, agent="user" if message.get("role") == "user" else None)


# ATIF

_STEP = Shape(
    role="source",
    content="message",
    usage="metrics",
    placed=frozenset(("step_id", "observation", "model_name")),
)
DEEPEST = 5
"""The number of levels of sub-agents that are read."""


def _take_step(build: Builder, step: Obj, agent: str | None = None) -> None:
    """Add one step of ATIF: what was said, its calls, and their results."""
    if step.get("is_copied_context") is True:
        for call in map(obj, seq(step.get("tool_calls"))):
            build.excuse("copied from another trajectory", call.get("function_name"), call.get("arguments"))
        return
    take(build, {**step, "source": step.get("source") or "agent"}, _STEP, agent=agent)
    for result in map(obj, seq(dig(step, "observation.results"))):
        key, words = result.get("source_call_id"), result.get("content")
        kept = rest_of(result, ("source_call_id", "content"))
        if key is not None or (words is not None and step.get("tool_calls")):
            build.answer(key, "" if words is None else words, raw=kept)
        elif words is not None:
            build.said("user", words, at=build.at(step.get("timestamp")), raw=kept)


def _take_subagents(build: Builder, beside: Obj, depth: int = 1) -> None:
    """Add sub-agents whose steps are in the same file, after the calls whose results name them."""
    starts: dict[str, ToolCall] = {}
    for call in build.trace.calls:
        for ref in seq(dig(call.raw, "answer.subagent_trajectory_ref")):
            for key in ("trajectory_id", "session_id"):
                starts.setdefault(name(obj(ref).get(key)), call)
    for one in map(obj, seq(beside.get("subagent_trajectories"))):
        part = Builder("", "atif")
        part.trace.started = build.trace.started
        ids = name(one.get("trajectory_id")), name(one.get("session_id"))
        for step in seq(one.get("steps")):
            if type(step) is dict:
                _take_step(part, step, text(dig(one, "agent.name")) or ids[0] or "sub-agent")
        if depth < DEEPEST:
            _take_subagents(part, one, depth + 1)
        build.parts.append((next((starts[i] for i in ids if i and i in starts), None), part.items))
    build.put_in()


# SWE-agent and mini-SWE-agent

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_RAN = re.compile(r"\s*<returncode>(-?\d+)</returncode>")


def _take_swe(build: Builder, message: Obj) -> None:
    if speaks(message):
        take(build, message)
    elif text(message.get("action")).strip() == "submit" and not any(
        call.tool == "submit" for call in build.trace.calls[-1:]
    ):
        build.message += 1
        build.fill(build.call("submit", {}), as_text(message.get("observation")))


def _take_mini(build: Builder, message: Obj) -> None:
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
            build.fill(last[0], as_text(content), failed=False)
        return
    at = build.at(extra.get("timestamp"))
    if "returncode" in extra or key is not None or ran is not None:
        code = extra.get("returncode", int(ran[1]) if ran is not None else None)
        if key is None and ran is not None:
            _take_block(build)
        build.message += 1
        build.answer(key, as_text(content), failed=code not in (0, None), at=at)
        return
    if message.get("object") == "response":  # the Responses API
        texts = [as_text(obj(one).get("content")) for one in seq(content)]
        message = {"role": "assistant", "content": "\n".join(filter(None, texts)), "extra": extra}
    take(build, {k: message[k] for k in ("role", "content", "timestamp") if k in message}, at=at)
    for action in seq(extra.get("actions")):
        command = action if type(action) is str else obj(action).get("command")
        build.call("bash", {"command": command}, obj(action).get("tool_call_id"), at=at)


def _take_block(build: Builder) -> ToolCall | None:
    """Add the call in the model's last text, if it has no actions beside it."""
    last = next((one for one in reversed(build.items) if isinstance(one, Said) and one.by == "model"), None)
    found = _BLOCK.findall(last.text) if last is not None else []
    if last is None or len(found) != 1 or any(call.message >= last.message for call in build.trace.calls):
        return None
    call = build.call("bash", {"command": found[0].strip()}, at=last.at)
    call.message = last.message
    build.items.remove(call)
    build.items.insert(build.items.index(last) + 1, call)
    return call


def _take_submission(build: Builder, beside: Obj) -> None:
    """Add the last call of the first version, whose answer ends the run."""
    call = _take_block(build) if dig(beside, "info.exit_status") == "Submitted" else None
    if call is not None:
        later = [one.text for one in build.items if isinstance(one, Said) and one.message > call.message]
        build.fill(call, "\n".join(later), failed=False)


READERS = (
    MessageFormat(
        "atif",
        "an ATIF trajectory",
        ("steps",),
        ((0.95, "beside.schema_version=ATIF*"), (0.7, "m[].source=agent|user|system")),
        "step_id & source",
        take=_take_step,
        about={
            "model": "agent.model_name",
            "agent": "agent.name",
            "tools": "agent.tool_definitions",
            "reward": "final_metrics.extra.reward",
        },
        ids="trajectory_id|session_id",
        more=_take_subagents,
    ),
    MessageFormat(
        "tau-bench",
        "tau-bench results",
        ("traj",),
        ((0.95, "beside.task_id & beside.traj"),),
        ids="task_id|trial",
        joined=True,
        aside={"info": "a gold plan"},
    ),
    MessageFormat(
        "tau2",
        "tau2 results",
        ("messages",),
        (
            (0.95, "beside.simulations:list"),
            (0.95, "beside.info & beside.tasks:list"),
            (0.95, "beside.reward_info & beside.task_id & beside.messages:list"),
        ),
        take=_take_tau2,
        about={"reward": "reward_info.reward"},
        ids="task_id|trial",
        joined=True,
        ends=(
            (
                "termination_reason=too_many_errors|agent_error|user_error|infrastructure_error",
                "the simulation ended: {termination_reason}",
                "model",
            ),
            (
                "termination_reason=timeout|max_steps",
                "the simulation ended: {termination_reason}",
                "stopped",
            ),
        ),
        many="simulations",
        aside=dict.fromkeys(("tasks", "reward_info", "info"), "a gold plan"),
    ),
    MessageFormat(
        "agentdojo",
        "an AgentDojo run",
        ("messages",),
        ((0.95, "beside.suite_name & beside.user_task_id"), (0.85, "m[].tool_call:dict")),
        shape=Shape(
            answered="tool_call_id|tool_call.id",
            tool="tool_call.function",
            words="content|error",
            marks=True,
            placed=frozenset(("tool_call",)),
        ),
        about={"model": "pipeline_name|model", "reward": "utility"},
        ids="suite_name|pipeline_name|user_task_id|injection_task_id|attack_type",
        joined=True,
        ends=(("error:set", "the run ended in an error: {error}", "model"),),
        aside={"evaluation": "a gold plan"},
    ),
    MessageFormat(
        "swe-agent",
        "a SWE-agent trajectory",
        ("history", "trajectory"),
        (
            (0.0, "only text"),
            (0.9, "beside.trajectory[].action & beside.trajectory[].observation & beside.history:list"),
        ),
        f"{SPEAKS} or action & observation",
        take=_take_swe,
        ends=(
            (
                "info.exit_status:str & info.exit_status:set & !info.exit_status=submitted",
                "the run ended: {info.exit_status}",
                "stopped",
            ),
        ),
        in_row=True,
        aside=dict.fromkeys(("messages", "query"), "the history, told again"),
    ),
    MessageFormat(
        "mini-swe-agent",
        "a mini-SWE-agent trajectory",
        ("messages",),
        ((0.95, "beside.trajectory_format=mini-swe-agent*"),),
        f"{SPEAKS} or extra:dict",
        take=_take_mini,
        about={"model": "info.config.model.model_name"},
        more=_take_submission,
    ),
)
