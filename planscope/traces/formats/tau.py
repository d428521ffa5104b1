"""Reads results of tau-bench and tau2-bench: many trials of many tasks in one file, each a trace ``task.trial``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.blocks import Shape, speaks, take
from planscope.traces.build import Builder, cut_off
from planscope.traces.json_stream import Cursor
from planscope.traces.messages import MessageFormat, about_messages, whole_or_saved
from planscope.traces.reader import Options
from planscope.traces.source import Head, Source
from planscope.traces.values import dig, name, number, obj


def id_of(beside: dict[str, Any]) -> str:
    """Return ``task_id.trial``, or without a trial the task alone."""
    task, trial = name(beside.get("task_id")), name(beside.get("trial"))
    return f"{task}.{trial}" if task and trial else task


def _sure_tau_bench(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    return 0.95 if "task_id" in beside and "traj" in beside else 0.0


TAU_BENCH = MessageFormat(
    "tau-bench",
    "tau-bench results",
    ("traj",),
    is_message=speaks,
    sure=_sure_tau_bench,
    take=take,
    id_of=id_of,
    aside={"info": "a gold plan"},
)

_TAU2 = Shape(placed=frozenset(("requestor", "turn_idx", "cost", "raw_data")))


def _take_tau2(build: Builder, message: dict[str, Any]) -> None:
    """Add one message of tau2, or the answers in one. The simulated user makes calls, too."""
    if type(message.get("tool_messages")) is list:
        for one in message["tool_messages"]:
            _take_tau2(build, obj(one))
        return
    answer = {"error": False, **message} if message.get("role") == "tool" else message
    take(build, answer, _TAU2, agent="user" if message.get("role") == "user" else None)


def _about_tau2(build: Builder, beside: dict[str, Any]) -> None:
    about_messages(build, beside)
    build.trace.reward = number(dig(beside, "reward_info.reward"))
    end = beside.get("termination_reason")
    if end in ("too_many_errors", "agent_error", "user_error", "infrastructure_error"):
        build.problem(f"the simulation ended: {end}", cause="model")
    elif end in ("timeout", "max_steps"):
        build.problem(f"the simulation ended: {end}", cause="stopped")


_SIMULATION = MessageFormat(
    "tau2",
    "tau2 results",
    ("messages",),
    is_message=speaks,
    sure=lambda messages, beside: 0.0,
    take=_take_tau2,
    about=_about_tau2,
    id_of=id_of,
    aside={"tasks": "a gold plan", "reward_info": "a gold plan", "info": "a gold plan"},
)


class Tau2:
    """The reader of ``{"info", "tasks", "simulations"}``. The simulations are read one by one."""

    name = "tau2"
    title = "tau2 results"
    aside = _SIMULATION.aside

    def recognises(self, head: Head) -> float:
        for one in head.objects[:5]:
            tasks = "info" in one and type(one.get("tasks")) is list
            alone = "reward_info" in one and "task_id" in one and type(one.get("messages")) is list
            if type(one.get("simulations")) is list or tasks or alone:
                return 0.95
        return 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        first = next(iter(source.seen.objects), {})
        if source.seen.kind == "lines" or "reward_info" in first:
            yield from _SIMULATION.read(source, options)
            return
        model = None
        for top in source.json().documents():
            if top.kind != "{":
                top.skip()
                continue
            for key, member in top.members():
                if key == "info":
                    model = dig(member.value(), "agent_info.llm")
                elif key == "simulations" and member.kind == "[":
                    for trace in self._simulations(member, source):
                        trace.model = trace.model or (model if type(model) is str else None)
                        yield trace

    def _simulations(self, member: Cursor, source: Source) -> Iterator[Trace]:
        for count, element in enumerate(member.elements(), 1):
            record, broken = whole_or_saved(element)
            trace = _SIMULATION.trace_of(record, f"{source.stem}:{count}")
            if broken is not None:
                cut_off(trace, f"{broken.where}: {broken.why}")
            yield trace
            if broken is not None:
                return


READERS = (TAU_BENCH, Tau2())
