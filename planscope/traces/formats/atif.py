"""Reads ATIF trajectories (any version 1): steps of a user, the system and the agent; results are with their calls."""

from __future__ import annotations

from typing import Any

from planscope.oracle.trace import Item, ToolCall
from planscope.traces.blocks import Shape, take
from planscope.traces.build import Builder, spliced
from planscope.traces.messages import MessageFormat
from planscope.traces.values import name, number, obj, rest_of, seq, text

_SHAPE = Shape(
    role="source",
    content="message",
    usage="metrics",
    placed=frozenset(("step_id", "observation", "model_name")),
)
DEEPEST = 5
"""The number of levels of sub-agents that are read."""


def is_step(value: Any) -> bool:
    """Return whether a value is a step."""
    return type(value) is dict and "step_id" in value and "source" in value


def _take(build: Builder, step: dict[str, Any]) -> None:
    take_step(build, step, None)


def take_step(build: Builder, step: dict[str, Any], agent: str | None) -> None:
    """Add one step: what was said, its calls, and their results."""
    if step.get("is_copied_context") is True:
        for call in map(obj, seq(step.get("tool_calls"))):
            build.excuse("copied from another trajectory", call.get("function_name"), call.get("arguments"))
        return
    take(build, {**step, "source": step.get("source") or "agent"}, _SHAPE, agent=agent)
    for result in map(obj, seq(obj(step.get("observation")).get("results"))):
        key, words = result.get("source_call_id"), result.get("content")
        kept = rest_of(result, ("source_call_id", "content"))
        if key is not None or (words is not None and step.get("tool_calls")):
            build.answer(key, "" if words is None else words, raw=kept)
        elif words is not None:
            build.said("user", words, at=build.at(step.get("timestamp")), raw=kept)


def _sure(steps: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    if text(beside.get("schema_version")).startswith("ATIF"):
        return 0.95
    return 0.7 if any(one.get("source") in ("agent", "user", "system") for one in steps) else 0.0


def _about(build: Builder, beside: dict[str, Any]) -> None:
    agent = obj(beside.get("agent"))
    trace = build.trace
    trace.model = text(agent.get("model_name")) or None
    trace.agent = text(agent.get("name")) or None
    build.tools(agent.get("tool_definitions"))
    metrics = obj(beside.get("final_metrics"))
    trace.reward = number(obj(metrics.get("extra")).get("reward"))
    _take_subagents(build, beside.get("subagent_trajectories"), 1)


def _take_subagents(build: Builder, trajectories: Any, depth: int) -> None:
    """Add sub-agents whose steps are in the same file, after the calls whose results name them."""
    starts: dict[str, ToolCall] = {}
    for item in build.items:
        if isinstance(item, ToolCall) and type(item.raw) is dict:
            for ref in seq(obj(item.raw.get("answer")).get("subagent_trajectory_ref")):
                for key in ("trajectory_id", "session_id"):
                    starts.setdefault(name(obj(ref).get(key)), item)
    parts: list[tuple[ToolCall | None, list[Item]]] = []
    for one in seq(trajectories):
        one = obj(one)
        agent = text(obj(one.get("agent")).get("name")) or name(one.get("trajectory_id")) or "sub-agent"
        part = Builder("", "atif")
        part.trace.started = build.trace.started
        for step in seq(one.get("steps")):
            if type(step) is dict:
                take_step(part, step, agent)
        if depth < DEEPEST:
            _take_subagents(part, one.get("subagent_trajectories"), depth + 1)
        ids = (name(one.get("trajectory_id")), name(one.get("session_id")))
        parts.append((next((starts[i] for i in ids if i and i in starts), None), part.items))
    if parts:
        build.items[:] = spliced(build.items, parts)


def _id(beside: dict[str, Any]) -> str:
    return name(beside.get("trajectory_id")) or name(beside.get("session_id"))


READERS = (
    MessageFormat(
        "atif",
        "an ATIF trajectory",
        ("steps",),
        is_message=is_step,
        sure=_sure,
        take=_take,
        about=_about,
        id_of=_id,
    ),
)
