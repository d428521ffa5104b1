"""Figure 10's session, made by hand."""

from __future__ import annotations

from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
)

TEXT = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, "
    "are carried out earlier than attending training sessions, which are executed in advance of sanitizing "
    "tools, but sanitizing tools follow 18:00. Attending training sessions should be carried out in front of "
    "12:00."
)


def figure_10() -> Session:
    actions = [
        ActionRecord(id="a1", name="sanitizing tools", tool="sanitizing_tools", duration=1),
        ActionRecord(id="a2", name="applying hair color", tool="applying_hair_color", duration=2),
        ActionRecord(
            id="a3", name="attending training sessions", tool="attending_training_sessions", duration=2
        ),
    ]
    variant = Variant(
        id="v1",
        origin=Origin(kind="written"),
        query=Query(text=TEXT, timed=True, topic="hair stylist"),
        actions=actions,
    )
    events: list = [PromptEvent(text=f"Here is the requirement: {TEXT}")]
    plan = [(actions[2], 10), (actions[1], 8), (actions[0], 18)]
    for step, (action, hour) in enumerate(plan, 1):
        events.append(MessageEvent(at=step, text=f"Next {action.name}.", took=0.5))
        events.append(CallEvent(at=step, step=step, tool=action.tool, arguments={"start_time": hour}))
        hours = "hour" if action.duration == 1 else "hours"
        events.append(AnswerEvent(at=step, step=step, text=f"{action.name} takes {action.duration} {hours}."))
    events.append(EndEvent(at=4, ending="stopped"))
    run = Run(id="r1", variant="v1", agent="tools", model="sim:time-blind", events=events)
    return Session(id="figure-10", title="Figure 10", variants=[variant], runs=[run])
