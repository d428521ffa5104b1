"""Sessions to share, with something private planted wherever a session has room for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from planscope.documents.query import constraint_documents
from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.language.tree_json import dump
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    Given,
    MessageEvent,
    Origin,
    PromptEvent,
    Run,
    SeenMessage,
    SeenTool,
    Session,
    Variant,
    make_variant,
)

NAMES = ("alpha review", "beta review", "gamma review")
TEXT = "Alpha review comes before beta review. Gamma review follows beta review."


def written(
    text: str = TEXT, names: Sequence[str] = NAMES, durations: Sequence[int] | None = None, id: str = "v1"
) -> Variant:
    """A variant with tree and constraints, as synthesis leaves it."""
    reading = read_query(text, make_actions(names, durations), timed=durations is not None)
    return make_variant(
        reading.problem,
        Origin(kind="written"),
        id=id,
        tree=dump(reading.tree),
        constraints=constraint_documents(reading.problem),
    )


def run_of(variant: Variant, order: Sequence[int], id: str = "r1", hours: Sequence[int] | None = None) -> Run:
    """A run that does the actions in that order (numbers from 0), with raw messages as a model leaves them."""
    events: list[Event] = [PromptEvent(text=f"Do it: {variant.query.text}")]
    for step, number in enumerate(order, 1):
        action = variant.actions[number]
        arguments: dict[str, Any] = {"start_time": hours[step - 1]} if hours else {}
        raw = json.dumps(arguments)
        message = {
            "type": "ai",
            "data": {
                "content": f"I call {action.tool} now.",
                "tool_calls": [{"name": action.tool, "args": arguments, "id": f"call_{step}"}],
                "additional_kwargs": {
                    "tool_calls": [{"function": {"name": action.tool, "arguments": raw}, "type": "function"}]
                },
            },
        }
        events.append(MessageEvent(text=f"Next comes {action.name}.", message=message))
        events.append(
            CallEvent(step=step, tool=action.tool, arguments=arguments, raw=raw, call_id=f"call_{step}")
        )
        events.append(
            AnswerEvent(step=step, text=f"{action.name[:1].upper()}{action.name[1:]} has been done.")
        )
    events.append(EndEvent(ending="stopped"))
    return Run(id=id, variant=variant.id, agent="tools", model="sim:literal", events=events)


def plain_session(**fields: Any) -> Session:
    variant = written()
    return Session(id="s", title="A case", variants=[variant], runs=[run_of(variant, (1, 0, 2))], **fields)


def planted(texts: Sequence[str]) -> Session:
    """A session whose one run holds each text in a prompt, a thought, a call, an answer and an error."""
    variant = written()
    events: list[Event] = []
    for text in texts:
        tool = SeenTool(name="look", description=f"Looks at {text}", parameters={"default": text})
        said = [SeenMessage(role="user", text=f"See {text}", calls=[{"name": "look", "args": {"at": text}}])]
        events.append(
            PromptEvent(
                text=f"The task is this. {text}", system=f"You know: {text}", tools=[tool], messages=said
            )
        )
        message = {"type": "ai", "data": {"content": [{"type": "text", "text": text}]}}
        given = Given(system=f"Now: {text}", tools=[tool], messages=said)
        events.append(MessageEvent(text=f"I read: {text}", message=message, given=given))
    for step, number in enumerate((1, 0, 2), 1):
        arguments = {f"note {n}": text for n, text in enumerate(texts)} | {"deep": {"list": [*texts]}}
        events.append(
            CallEvent(
                step=step,
                tool=variant.actions[number].tool,
                arguments=arguments,
                raw=json.dumps({"args": json.dumps(arguments)}),
            )
        )
        events += [AnswerEvent(step=step, text=f"Done. {text}") for text in texts]
    events += [ErrorEvent(kind="network", text=f"It failed: {text}") for text in texts]
    events.append(EndEvent(ending="stopped"))
    run = Run(id="r1", variant="v1", agent="tools", model="sim:literal", events=events)
    notes = "\n".join(texts)
    return Session(id="s", title="A case", notes=notes, variants=[variant], runs=[run])
