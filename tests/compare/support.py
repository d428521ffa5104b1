"""Sessions written as one would say them: variants by their text, runs by their calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planscope.language.problem import make_actions
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    ForkPoint,
    Origin,
    PromptEvent,
    Run,
    Session,
    Variant,
    records,
)
from planscope.session.model import Query as Request

ABC = "A comes before B. B comes before C."


def variant(
    text: str = ABC,
    names: str | Sequence[ActionRecord] = "a b c",
    *,
    id: str = "v1",
    parent: str | None = None,
    kind: Any = "written",
    durations: Sequence[int] | None = None,
) -> Variant:
    """``names``: of one word each, or whole records; ``durations`` make it timed."""
    actions = records(make_actions(names.split(), durations)) if isinstance(names, str) else list(names)
    timed = durations is not None or any(a.duration is not None for a in actions)
    return Variant(
        id=id, parent=parent, origin=Origin(kind=kind), query=Request(text=text, timed=timed), actions=actions
    )


def run(
    calls: str = "a b c",
    *,
    id: str = "r1",
    of: str = "v1",
    forked: tuple[str, int] | None = None,
    answers: dict[int, str] | None = None,
    **more: Any,
) -> Run:
    """``"a b@8 restart c"``: tools, with their hours; ``b?`` is one that could not be read."""
    events: list[Event] = [PromptEvent(text="Do it.")]
    for step, word in enumerate(calls.split(), 1):
        tool, _, hour = word.partition("@")
        unreadable = tool.endswith("?")
        tool = tool.rstrip("?")
        tool = "ask_for_restart" if tool == "restart" else tool
        arguments = None if unreadable else {"start_time": int(hour)} if hour else {}
        error = "this is no JSON" if unreadable else None
        events.append(CallEvent(at=step, step=step, tool=tool, arguments=arguments, error=error))
        text = (answers or {}).get(step, f"{tool} is done.")
        events.append(AnswerEvent(at=step, step=step, text=text, status="error" if unreadable else "ok"))
    if more.get("ending", "stopped") is not None:
        events.append(EndEvent(at=len(events), ending=more.pop("ending", "stopped")))
    else:
        del more["ending"]
    fork = ForkPoint(run=forked[0], step=forked[1]) if forked else None
    more = {"agent": "tools", "model": "sim:careful", **more}
    return Run(id=id, variant=of, forked_from=fork, events=events, **more)


def session(*parts: Variant | Run, id: str = "s") -> Session:
    """With the variant of ``variant()`` where none is given."""
    variants = [p for p in parts if isinstance(p, Variant)] or [variant()]
    runs = [p for p in parts if isinstance(p, Run)]
    return Session(id=id, title="A title", variants=variants, runs=runs)
