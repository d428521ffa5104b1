"""A session of many steps and many constraints, the same one every time."""

from __future__ import annotations

import random
from pathlib import Path

from planscope.language.problem import make_actions
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    Origin,
    Query,
    Run,
    Session,
    Variant,
)
from planscope.session.store import save

_FIRST = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "jetty",
    "knoll",
    "maple",
)
_SECOND = (
    "audit",
    "batch",
    "cargo",
    "draft",
    "entry",
    "forum",
    "grant",
    "index",
    "label",
    "model",
    "order",
    "paper",
)
_THIRD = ("review", "check", "survey", "summary", "transfer", "delivery", "estimate", "inspection")


def big_session(path: Path, *, steps: int = 1000, constraints: int = 2000, wrong: int | None = None) -> None:
    """Write a session whose run does ``steps`` actions; at step ``wrong`` two of them change places."""
    draw = random.Random(20261121)
    names = [f"{a} {b} {c}" for c in _THIRD for a in _FIRST for b in _SECOND]
    actions = make_actions(names[:steps])
    order = list(range(steps))
    draw.shuffle(order)
    said = []
    while len(said) < constraints:
        i, j = sorted((draw.randrange(steps), draw.randrange(steps)))
        if i < j:
            said.append(f"{names[order[i]].capitalize()} precedes {names[order[j]]}.")
    if wrong is not None:
        said.append(f"{names[order[wrong - 1]].capitalize()} precedes {names[order[wrong]]}.")
        order[wrong - 1], order[wrong] = order[wrong], order[wrong - 1]
    events: list[Event] = []
    for step, number in enumerate(order, 1):
        action = actions[number]
        events += [
            MessageEvent(at=step, text=f"Now {action.name} can be done, since all that comes before it is."),
            CallEvent(at=step, step=step, tool=action.tool, arguments={}),
            AnswerEvent(at=step, step=step, text=f"{action.name} is done."),
        ]
    events.append(EndEvent(at=steps, ending="stopped"))
    records = [ActionRecord(id=a.id, name=a.name, tool=a.tool) for a in actions]
    query = Query(text=" ".join(said))
    variant = Variant(id="v1", origin=Origin(kind="written"), query=query, actions=records)
    run = Run(id="r1", variant="v1", agent="tools", model="sim:long", events=events)
    save(Session(id="big", title="big", variants=[variant], runs=[run]), path)
