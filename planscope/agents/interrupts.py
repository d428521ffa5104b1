"""What an interrupted graph asks a person (LangGraph's ``interrupt()``), and the value that it goes on with.

An approval of calls, as LangChain's ``HumanInTheLoopMiddleware`` asks for it, is answered call by call with the verbs
of the gate: go on approves, edited arguments edit, a refusal rejects, an answer responds in the tool's place. Any other
question is answered with a text or a JSON value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from langgraph.types import Interrupt

from planscope.agents.gate import (
    DECISIONS,
    Answer,
    EditArguments,
    Question,
    Refuse,
    Stop,
    StoppedAtGate,
    Verb,
)
from planscope.agents.graphs import MOST_TEXT, calls_to_approve, question_of
from planscope.wording import phrases

Asked = Sequence[Interrupt[object]]
Person = Callable[[Asked, str], Awaitable[Sequence[object]]]
"""Returns the values that an interrupted graph goes on with, one for each interrupt. Its second argument says why the
graph refused the last ones, or is "". Raises :class:`StoppedAtGate` to end the run there."""

NO_CHECKPOINTER = "it has no checkpointer, so it cannot go on; give create_agent or compile a checkpointer"
NOT_RECORDED = "the record has no answer to it; planscope debug asks you on the screen, --unmatched ask here"

_ID = re.compile(r"[0-9a-f]{32}")


def asked_in(result: object) -> Asked:
    """Return what a graph's result asks a person; empty if the graph has ended."""
    found = result.get("__interrupt__") if isinstance(result, dict) else None
    return [one for one in found if isinstance(one, Interrupt)] if isinstance(found, list | tuple) else []


def can_go_on(agent: object) -> bool:
    """Return whether an interrupted agent can be resumed."""
    return getattr(agent, "checkpointer", True) not in (None, False)


def questions_in(asked: Asked) -> list[str]:
    """Say what each interrupt asks."""
    return [question_of(one.value) for one in asked]


def by_verbs(ask: Callable[[Question], Awaitable[Verb]]) -> Person:
    """Return a person that is asked one question at a time and decides by verbs."""

    async def person(asked: Asked, wrong: str) -> Sequence[object]:
        values = []
        for one in asked:
            decisions = []
            for question in _questions(one.value, wrong):
                decisions.append(_decision(question, await _allowed(ask, question)))
            many = (
                isinstance(one.value, dict) and "action_requests" in one.value and question.tool is not None
            )
            values.append({"decisions": decisions} if many else decisions[0])
        return values

    return person


def resumed_by(asked: Asked, values: Sequence[object]) -> dict[str, object]:
    """Return the values by the interrupts' ids: so LangGraph takes a mapping, too, for the value that it is."""
    return {one.id: value for one, value in zip(asked, values, strict=True)}


def recorded(asked: Asked, text: str) -> Sequence[object] | None:
    """Return the values that a person answered in a record, or None if it does not hold one for each interrupt. There
    are the interrupts' ids, if they were several, which differ from those of now."""
    value = value_of(text)
    if isinstance(value, dict) and value and all(_ID.fullmatch(key) for key in value):
        return [*value.values()] if len(value) == len(asked) else None
    return [value] if len(asked) == 1 and len(text) < MOST_TEXT else None


def value_of(text: str) -> object:
    """Return a person's answer: a JSON value, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


async def _allowed(ask: Callable[[Question], Awaitable[Verb]], question: Question) -> Verb:
    """Ask until the verb is one that the graph takes."""
    while True:
        verb = await ask(question)
        if isinstance(verb, Stop):
            raise StoppedAtGate(verb.text)
        if not (wrong := question.refuses(verb)):
            return verb
        question = replace(question, wrong=wrong)


def _decision(question: Question, verb: Verb) -> object:
    if question.tool is None:
        return value_of(verb.text) if isinstance(verb, Answer) else None
    match verb:
        case EditArguments(arguments):
            return {"type": "edit", "edited_action": {"name": question.tool, "args": dict(arguments)}}
        case Refuse(text):
            return {"type": "reject", "message": text} if text else {"type": "reject"}
        case Answer(text):
            return {"type": "respond", "message": text}
    return {"type": "approve"}


def _questions(value: object, wrong: str) -> Iterator[Question]:
    """Yield the questions of one interrupt: one for each call to approve, or the only one."""
    calls = calls_to_approve(value)
    if not calls or not isinstance(value, dict):
        yield Question(question_of(value), wrong=wrong)
        return
    policies = value.get("review_configs")
    for number, (name, arguments) in enumerate(calls, 1):
        policy = policies[number - 1] if isinstance(policies, list) and number <= len(policies) else None
        allowed = policy.get("allowed_decisions") if isinstance(policy, dict) else None
        verbs = tuple(d for d, _ in DECISIONS.values() if not isinstance(allowed, list) or d in allowed)
        many = f" ({number} of {len(calls)})" if len(calls) > 1 else ""
        said = phrases.call(name, arguments, named=True)
        yield Question(f"approval of {said}{many}", name, arguments, verbs, wrong)
