"""A light loop for many runs of simulated models: the same runs as with LangChain's agent, a hundred times as fast.

It needs no LangChain and no event loop; the time of a slow model is counted, not waited for. A test checks that the
same seed gives the same record in both, for every profile and paradigm.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from planscope.agents.call_arguments import why_unreadable
from planscope.agents.gate import Guardian, gives_up
from planscope.agents.models import ModelUnavailable
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS, UnknownAgent
from planscope.agents.react_format import Decision, Turn, prompt_event, read_answer, write_prompt
from planscope.agents.simulated.knowledge import View, answered_call
from planscope.agents.simulated.mind import decide, react_text, react_view
from planscope.agents.simulated.profiles import Character
from planscope.agents.toolset import MockTool, make_toolset
from planscope.language.prompts import prompt_for
from planscope.oracle.trace import ToolCall
from planscope.session.json_bytes import Obj
from planscope.session.mock_tools import unknown_tool
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    Limits,
    MessageEvent,
    Run,
    Usage,
    Variant,
)
from planscope.session.oracle_input import problem_of


@dataclass(slots=True)
class _State:
    """The conversation so far. ``words`` counts the words of its messages; ``clock`` is in seconds."""

    prompt: str
    tools: tuple[MockTool, ...]
    role: str | None
    words: int = 0
    answers: int = 0
    clock: float = 0.0
    did: list[ToolCall] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)


def run_simulated(
    variant: Variant,
    options: RunOptions,
    *,
    run_id: str | None = None,
) -> Run:
    """Make one run of a simulated model (``sim:PROFILE``). Its times are simulated seconds; it is never traced.

    The guard knows the plan alone, and no rules. Raises ``ModelUnavailable``, ``UnknownAgent`` or ``BadToolset``, each
    with one line.
    """

    spec, agent, role = options.spec, options.agent, options.role
    if spec.character is None:
        raise ModelUnavailable(f"{spec.text} is not a simulated model; name one, for example sim:careful")
    if agent not in AGENTS:
        raise UnknownAgent(f"there is no agent {agent[:40]!r}; the agents are {', '.join(AGENTS)}")
    tools = make_toolset(variant.actions, timed=variant.query.timed)
    prompt = prompt_for(variant.query.text, timed=variant.query.timed, file=options.prompts)
    run = Run(
        id=run_id or f"r{uuid4().hex[:8]}",
        variant=variant.id,
        agent=agent,
        model=spec.text,
        seed=spec.character.seed,
        started=datetime.now(UTC),
    )

    emit = run.events.append
    emit(prompt_event(agent, prompt, role, [t.spec for t in tools]))
    state = _State(prompt, tools, role, words=len(prompt.split()) + len((role or "").split()))
    guardian = Guardian(problem_of(variant)) if options.guard else None
    emit(_converse(state, spec.character, agent, options.limits or variant.limits, guardian, emit))
    return run


def _converse(
    state: _State,
    character: Character,
    agent: str,
    limits: Limits,
    guardian: Guardian | None,
    emit: Callable[[Event], None],
) -> EndEvent:
    mocks = {tool.spec.name: tool for tool in state.tools}
    while True:
        if state.answers >= limits.model_calls:
            reason = f"over {limits.model_calls} model calls"
            return EndEvent(at=state.clock, ending="call_limit", reason=reason)
        answer, usage, wait = _ask(state, character, agent)
        state.clock = round(state.clock + wait, 6)
        if state.clock > limits.seconds:
            reason = f"over {limits.seconds:g} seconds"
            return EndEvent(at=limits.seconds, ending="timeout", reason=reason)
        state.answers += 1
        identity = f"call_{len(state.did) + 1}"
        emit(_message(state, answer, usage, wait, agent, identity))
        if answer.tool is None:
            return EndEvent(at=state.clock, ending="stopped")
        step = len(state.did) + 1
        unread = answer.arguments is None
        emit(
            CallEvent(
                at=state.clock,
                step=step,
                tool=answer.tool,
                arguments=None if answer.arguments is None else dict(answer.arguments),
                raw=answer.raw if unread else None,
                error=why_unreadable(answer.raw, answer.error) if unread else None,
                call_id=identity,
            )
        )
        if answer.arguments is None:
            return EndEvent(at=state.clock, ending="stopped")
        call = ToolCall(answer.tool, answer.arguments)
        done = [one for one in state.did if not one.failed] if guardian else []
        refused = guardian.objection(done, call) if guardian else None
        if refused is not None:
            text, executed = refused, False
        elif answer.tool in mocks:
            text, executed = mocks[answer.tool].answer(answer.arguments)
        else:
            text, executed = unknown_tool(answer.tool, mocks), False
        emit(
            AnswerEvent(
                at=state.clock,
                step=step,
                text=text,
                status="ok" if executed else "error",
                call_id=identity,
                refused_by="guard" if refused is not None else None,
            )
        )
        if refused is not None:
            ends = gives_up(state.refused, call)
            if ends is not None:
                return EndEvent(at=state.clock, ending="call_limit", reason=ends)
            state.refused.append(call)
        if executed:
            state.refused.clear()
        state.did.append(answered_call(answer.tool, answer.arguments, text, executed))
        state.turns.append(Turn(answer.thought, answer.tool, json.dumps(answer.arguments), text))
        state.words += len(answer.thought.split()) + len(text.split())


def _ask(state: _State, character: Character, agent: str) -> tuple[Decision, tuple[int, int], float]:
    """Return the model's answer, the numbers of words read and written, and the seconds it takes."""
    if agent == "react":
        prompt = write_prompt([t.spec for t in state.tools], state.prompt, state.turns)
        view = react_view(prompt)
        assert view is not None
        decision = decide(view, character)
        text = react_text(decision)
        read = len(prompt.split()) + len((state.role or "").split())
        return read_answer(text), (read, len(text.split())), decision.wait
    view = View(state.prompt, tuple(t.spec for t in state.tools), tuple(state.did))
    decision = decide(view, character)
    said = len(decision.thought.split()) + (decision.tool is not None)
    return decision, (state.words, said), decision.wait


def _message(
    state: _State, answer: Decision, usage: tuple[int, int], wait: float, agent: str, identity: str
) -> MessageEvent:
    """Return the event of an answer, with the message as LangChain's ``message_to_dict`` writes it."""
    read, said = usage
    calls: list[Obj] = []
    odd: list[Obj] = []
    if answer.tool is not None and answer.arguments is not None:
        calls.append({"name": answer.tool, "args": answer.arguments, "id": identity, "type": "tool_call"})
    elif answer.tool is not None:
        odd.append(
            {
                "name": answer.tool,
                "args": answer.raw,
                "id": identity,
                "error": answer.error,
                "type": "invalid_tool_call",
            }
        )
    name = "react" if agent == "react" else "sim"
    data = {
        "content": answer.thought,
        "additional_kwargs": {},
        "response_metadata": {"id": f"resp_{state.answers}"} if agent == "responses" else {},
        "type": "ai",
        "name": None,
        "id": f"{name}-{state.answers}",
        "tool_calls": calls,
        "invalid_tool_calls": odd,
        "usage_metadata": {"input_tokens": read, "output_tokens": said, "total_tokens": read + said},
    }
    return MessageEvent(
        at=state.clock,
        text=answer.thought,
        took=wait,
        usage=Usage(input_tokens=read, output_tokens=said),
        message={"type": "ai", "data": data},
    )
