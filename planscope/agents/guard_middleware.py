"""The guard as a middleware: it blocks calls that make the plan impossible, and the tool's answer says why.

In planscope's runs it comes after the recorder. In a user's own agent it takes two lines::

    from planscope import guard
    agent = create_agent(model, tools, middleware=[guard("Washing hands happens before cooking.", tools)])
    agent = create_agent(model, tools, middleware=[guard(rules="rules.txt")])
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from langchain.agents.middleware import AgentState, ModelRequest, ModelResponse, hook_config
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages import ToolCall as AskedCall
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.both_ways import BothWays, ModelHandler, Response, Result, ToolHandler, found_by
from planscope.agents.conversations import Turn
from planscope.agents.gate import Guardian, gives_up, problem_from
from planscope.agents.messages import (
    DONE_WITH,
    ENDED_BY,
    GAVE_UP,
    REFUSED_BY,
    TOLD_BY,
    conversation,
    ended_by_guard,
    last_answer,
    refuser,
    text_of,
)
from planscope.language.problem import Action, Problem
from planscope.oracle.trace import Item, Said, ToolCall
from planscope.session.json_bytes import Obj

_REMEMBERED = 256
"""Limit of messages whose calls are remembered, over all conversations of one agent."""


@dataclass(slots=True)
class _Turn:
    """The calls of one message, executed and refused, and its place in the conversation. ``turn`` makes them run one
    after the other."""

    message: int = 0
    done: list[ToolCall] = field(default_factory=list)
    refused: list[ToolCall] = field(default_factory=list)
    turn: Turn = field(default_factory=Turn)


class GuardMiddleware(BothWays):
    """Judges each call from its conversation alone, so that one agent can be in many conversations at once."""

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.guardian = Guardian(problem)
        self._turns: OrderedDict[tuple[str, str], _Turn] = OrderedDict()
        self._lock = threading.Lock()

    async def around_model(self, request: ModelRequest, handler: ModelHandler, later: bool) -> Response:
        found: Response = _ended(request) or await found_by(handler(request), later)
        return found

    async def around_tool(self, request: ToolCallRequest, handler: ToolHandler, later: bool) -> Result:
        turn, before = self._turn(request)
        async with turn.turn.taken(later):
            judged = request, turn, before
            refused = await asyncio.to_thread(self._refusal, *judged) if later else self._refusal(*judged)
            if refused is not None:
                return refused
            answer: Result = await found_by(handler(request), later)
            self._note(turn, request, answer)
            return answer

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[object], runtime: object) -> Obj | None:
        """Tell an agent that stops while a rule requires a call what is missing, once in a conversation."""
        messages: list[BaseMessage] = list(state["messages"])
        if not self.guardian.by_rules or not messages or any(map(_told, messages)):
            return None
        last = messages[-1]
        if not isinstance(last, AIMessage) or last.tool_calls or ended_by_guard(last):
            return None
        missing = self.guardian.owed(calls_made(messages))
        if missing is None:
            return None
        mark = {TOLD_BY: "guard"}
        return {"messages": [HumanMessage(missing, additional_kwargs=mark)], "jump_to": "model"}

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: AgentState[object], runtime: object) -> Obj | None:
        return await asyncio.to_thread(self.after_model, state, runtime)

    def _note(self, turn: _Turn, request: ToolCallRequest, answer: ToolMessage | Command[object]) -> None:
        """Note an executed call, for those of the same message. A failed one counts for rules only."""
        call = ToolCall(request.tool_call["name"], request.tool_call["args"])
        if self.guardian.by_rules:
            call.message = turn.message
            turn.done.append(_with_answer(call, answer if isinstance(answer, ToolMessage) else None))
        elif isinstance(answer, ToolMessage) and answer.status != "error":
            turn.done.append(call)
        else:
            return
        turn.refused.clear()

    def _turn(self, request: ToolCallRequest) -> tuple[_Turn, Sequence[Item]]:
        """Return the message that contains the call, and the calls executed before that message. With rules, what the
        user said is among them."""
        messages = conversation(request)
        last = last_answer(messages)
        key = (str(messages[0].id) if messages else "", str(last.id) if last is not None else "")
        place = next((k for k, message in enumerate(messages) if message is last), len(messages))
        with self._lock:
            turn = self._turns.setdefault(key, _Turn(place))
            self._turns.move_to_end(key)
            while len(self._turns) > _REMEMBERED:
                self._turns.popitem(last=False)
        made = calls_made(messages)
        if self.guardian.by_rules:
            return turn, made
        return turn, [ToolCall(c.tool, c.arguments) for c in made if isinstance(c, ToolCall) and not c.failed]

    def _refusal(self, request: ToolCallRequest, turn: _Turn, before: Sequence[Item]) -> ToolMessage | None:
        call = request.tool_call
        made = ToolCall(call["name"], call["args"])
        if self.guardian.by_rules:
            made.message = turn.message
        why = self.guardian.objection([*before, *turn.done], made)
        if why is None:
            return None
        earlier = [] if turn.done else calls_refused(conversation(request))
        ends = gives_up([*earlier, *turn.refused], made)
        turn.refused.append(made)
        mark = {REFUSED_BY: "guard"} | ({GAVE_UP: ends} if ends is not None else {})
        identity = call["id"] or ""
        return ToolMessage(why, name=call["name"], tool_call_id=identity, status="error", artifact=mark)


def calls_made(messages: Sequence[BaseMessage]) -> list[Item]:
    """Return the calls of a conversation that a tool answered, failed ones too, as they were executed, with what rules
    ask for: their answers, and what the user said."""
    found: list[Item] = []
    answered = _answered(messages)
    following = next(answered, None)
    for place, message in enumerate(messages):
        if isinstance(message, HumanMessage) and not _told(message):
            found.append(Said("user", text_of(message), place))
        while following is not None and following[0] == place:
            _, call, answer = following
            if refuser(answer) is None:
                made = ToolCall(call["name"], _arguments(answer, call["args"]), message=place)
                found.append(_with_answer(made, answer))
            following = next(answered, None)
    return found


def _with_answer(call: ToolCall, answer: ToolMessage | None) -> ToolCall:
    call.answer = text_of(answer) if answer is not None else None
    call.failed, call.answered = answer is not None and answer.status == "error", True
    return call


def _told(message: BaseMessage) -> bool:
    """Return whether the guard wrote a message, which is then not the user's."""
    return message.additional_kwargs.get(TOLD_BY) == "guard"


def calls_refused(messages: Sequence[object]) -> list[ToolCall]:
    """Return the calls that the guard refused since the last executed one."""
    found: list[ToolCall] = []
    for _, call, answer in _answered(messages):
        if answer.status != "error":
            found = []
        elif refuser(answer) == "guard":
            found.append(ToolCall(call["name"], call["args"]))
    return found


def _answered(messages: Sequence[object]) -> Iterator[tuple[int, AskedCall, ToolMessage]]:
    """Yield the places of messages with their calls and the answers, in the order of the calls. Call ids are unique
    only within one message."""
    for place, message in enumerate(messages):
        if not isinstance(message, AIMessage) or not message.tool_calls:
            continue
        answers: dict[str, ToolMessage] = {}
        for other in islice(messages, place + 1, None):
            if isinstance(other, AIMessage):
                break
            if isinstance(other, ToolMessage):
                answers.setdefault(other.tool_call_id, other)
        for call in message.tool_calls:
            answer = answers.get(call["id"] or "")
            if answer is not None:
                yield place, call, answer


def _ended(request: ModelRequest) -> ModelResponse[object] | None:
    """Return a final message in place of the model's next answer, if the guard has ended the run."""
    for message in reversed(request.messages):
        if not isinstance(message, ToolMessage):
            return None
        if isinstance(message.artifact, dict) and (why := message.artifact.get(GAVE_UP)):
            mark = {ENDED_BY: "guard"}
            return ModelResponse(result=[AIMessage(f"This run was ended: {why}.", response_metadata=mark)])
    return None


def _arguments(answer: ToolMessage, asked: Obj) -> Obj:
    changed = answer.artifact.get(DONE_WITH) if isinstance(answer.artifact, dict) else None
    return changed if isinstance(changed, dict) else asked


def guard(
    query: str | Problem = "",
    tools: Iterable[BaseTool | Callable[..., object] | str] = (),
    *,
    rules: str | Path | Sequence[str] = "",
    timed: bool = False,
    hours: Mapping[str, int] | None = None,
) -> GuardMiddleware:
    """Make a middleware that blocks calls after which the query or the rules could not be met any more.

    The query names a tool by its name with blanks (``boil_water`` is "boil water"). ``timed``: tools take an hour as
    ``start_time``, and ``hours`` has their durations. ``rules``: a file of rules, or a list of sentences. A call is
    blocked if every answer to it would break a rule, or make it impossible to keep all of them. An agent that stops
    while a rule requires a call is told so once. ``tools``: with rules, the calls that can be named as safe, besides
    those that the rules name.

    Raises ``ParseFailure`` if the query cannot be read, ValueError if the rules cannot, or if neither is given.
    """
    if isinstance(query, Problem):
        return GuardMiddleware(query)
    names = [_name(tool) for tool in tools]
    if not rules and not query.strip():
        raise ValueError("guard needs a query or rules")
    problem = problem_from(query, names, timed=timed, hours=hours)
    if not rules:
        return GuardMiddleware(problem)
    from planscope.rules.beside import ruled
    from planscope.rules.in_session import given_text, read_text

    actions = [Action(f"a{number}", name, name) for number, name in enumerate(dict.fromkeys(names), 1)]
    return GuardMiddleware(ruled(problem, read_text(given_text(rules)), () if query.strip() else actions))


def _name(tool: BaseTool | Callable[..., object] | str) -> str:
    return (
        tool if isinstance(tool, str) else str(getattr(tool, "name", None) or getattr(tool, "__name__", tool))
    )
