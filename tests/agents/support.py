"""Variants, a chat model that says what it is told, and what a well-formed record is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.gate import PendingCall, Verb
from planscope.agents.models import LoadedModel, ModelSpec
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.language.problem import make_actions
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    Limits,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    Variant,
)

FIGURE_10 = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, are "
    "carried out earlier than attending training sessions, which are executed in advance of sanitizing tools, but "
    "sanitizing tools follow 18:00. Attending training sessions should be carried out in front of 12:00."
)
FIGURE_10_ACTIONS = ["sanitizing tools", "applying hair color", "attending training sessions"]


async def run_agent(variant: Variant, *, model: str | LoadedModel, **options: Any) -> Run:
    """One run, from prompt to end."""
    return await live_run(variant, model=model, **options).go()


def run_once(variant: Variant, *, model: str | LoadedModel, **options: Any) -> Run:
    """The same without an event loop of one's own."""
    return live_run(variant, model=model, **options).wait()


def live_run(variant: Variant, *, model: str | LoadedModel, **given: Any) -> LiveRun:
    """A run of a model by its text, or of a loaded one. ``given``: its options, and how it is watched."""
    options = {name: given.pop(name) for name in [one.name for one in fields(RunOptions)] if name in given}
    if isinstance(model, str):
        return LiveRun(variant, RunOptions(model=model, **options), **given)
    return LiveRun(variant, RunOptions(**options), loaded=model, **given)


def variant(
    text: str,
    names: Sequence[str],
    *,
    durations: Sequence[int | None] | None = None,
    timed: bool | None = None,
    limits: Limits | None = None,
) -> Variant:
    """A variant written by hand; with durations it is timed."""
    actions = [
        ActionRecord(id=a.id, name=a.name, tool=a.tool, duration=a.duration)
        for a in make_actions(names, durations)
    ]
    return Variant(
        id="v1",
        origin=Origin(kind="written"),
        query=Query(text=text, timed=bool(durations) if timed is None else timed),
        actions=actions,
        limits=limits or Limits(),
    )


def abc(text: str = "Alpha happens before beta. Beta happens before gamma.") -> Variant:
    return variant(text, ["alpha", "beta", "gamma"])


@dataclass(eq=False)
class decided:
    """A gate of an asynchronous function."""

    decide: Callable[[PendingCall], Awaitable[Verb]]

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        assert later, "no agent here is synchronous"
        return await self.decide(call)


class Scripted(BaseChatModel):
    """Says one line of its script after another; an exception is raised, a number is slept."""

    script: list[Any]
    seen: list[Any] = []  # noqa: RUF012  (pydantic copies it for each instance)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools])

    def _next(self, messages: list[BaseMessage]) -> Any:
        self.seen.append(list(messages))
        line = self.script.pop(0) if self.script else AIMessage("Done.")
        if isinstance(line, BaseException):
            raise line
        return line

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        line = self._next(messages)
        while isinstance(line, int | float):
            await asyncio.sleep(line)
            line = self._next(messages)
        return ChatResult(generations=[ChatGeneration(message=line)])


def scripted(*script: Any) -> LoadedModel:
    return LoadedModel(Scripted(script=list(script)), ModelSpec("test:scripted"))


def says(*calls: Any, text: str = "") -> AIMessage:
    """A message with calls: ``("tool", {...})`` is readable, ``("tool", "raw")`` is not."""
    good, bad = [], []
    for number, (name, arguments) in enumerate(calls, 1):
        if isinstance(arguments, dict):
            good.append(tool_call(name=name, args=arguments, id=f"c{number}"))
        else:
            bad.append(invalid_tool_call(name=name, args=arguments, id=f"c{number}", error="x"))
    return AIMessage(text, tool_calls=good, invalid_tool_calls=bad)


def calls_of(run: Run) -> list[CallEvent]:
    return [e for e in run.events if isinstance(e, CallEvent)]


def answers_of(run: Run) -> list[AnswerEvent]:
    return [e for e in run.events if isinstance(e, AnswerEvent)]


def end_of(run: Run) -> EndEvent:
    end = run.events[-1]
    assert isinstance(end, EndEvent)
    return end


def called(run: Run) -> list[tuple[str, Any]]:
    """Tools with their start hours (None in the base language), in order."""
    return [(c.tool, (c.arguments or {}).get("start_time")) for c in calls_of(run)]


def check_record(events: Sequence[Event]) -> None:
    """What holds of every record, whatever happened."""
    assert isinstance(events[0], PromptEvent)
    assert [e for e in events if isinstance(e, PromptEvent)] == [events[0]]
    assert isinstance(events[-1], EndEvent)
    assert [e for e in events if isinstance(e, EndEvent)] == [events[-1]]
    times = [e.at for e in events]
    assert times == sorted(times)
    open_steps: set[int] = set()
    step = 0
    talked = False
    for event in events:
        if isinstance(event, MessageEvent):
            talked = True
        elif isinstance(event, CallEvent):
            assert talked or event.by == "program"
            step += 1
            assert event.step == step
            assert (event.arguments is None) == (event.error is not None)
            open_steps.add(step)
        elif isinstance(event, AnswerEvent):
            open_steps.remove(event.step)  # KeyError: answered twice, or before the call
    if events[-1].ending == "stopped":
        left = {
            c.step
            for c in events
            if isinstance(c, CallEvent) and c.step in open_steps and c.arguments is not None
        }
        assert not left, "a readable call without an answer"
