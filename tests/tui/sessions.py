"""Sessions to open on the screen, built in a line or two each."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planscope.language.problem import make_actions
from planscope.rules.in_session import with_rules
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
)
from planscope.session.store import save
from planscope.session.traces import session_of
from planscope.traces import open_traces

FIGURE_10 = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, are "
    "carried out earlier than attending training sessions, which are executed in advance of sanitizing tools, "
    "but sanitizing tools follow 18:00. Attending training sessions should be carried out in front of 12:00."
)


def events(
    calls: Sequence[tuple[str, dict[str, Any] | None, str]],
    *,
    ending: str = "stopped",
    reason: str | None = None,
    thought: str = "Next comes {tool}.",
    last: str = "All is done.",
) -> list[Event]:
    """A run's events from its calls: tool, arguments, answer."""
    made: list[Event] = [PromptEvent(text="Do all the tasks.")]
    for step, (tool, arguments, answer) in enumerate(calls, 1):
        made.append(MessageEvent(at=step, text=thought.replace("{tool}", tool)))
        made.append(CallEvent(at=step, step=step, tool=tool, arguments=arguments))
        made.append(AnswerEvent(at=step, step=step, text=answer))
    if ending == "aborted":
        made.append(ErrorEvent(at=99, kind="network", text=reason or "the line is dead"))
    elif last:
        made.append(MessageEvent(at=99, text=last))
    made.append(EndEvent(at=99, ending=ending, reason=reason))
    return made


def variant(
    text: str, names: Sequence[str], *, timed: bool = False, durations: Sequence[int] = ()
) -> Variant:
    made = make_actions(names, list(durations) or None)
    records = [ActionRecord(id=a.id, name=a.name, tool=a.tool, duration=a.duration) for a in made]
    return Variant(
        id="v1", origin=Origin(kind="written"), query=Query(text=text, timed=timed), actions=records
    )


def session(
    title: str, of: Variant, *runs: list[Event], model: str = "sim:time-blind", **more: Any
) -> Session:
    made = [
        Run(id=f"r{i}", variant=of.id, agent="tools", model=model, events=run)
        for i, run in enumerate(runs, 1)
    ]
    return Session(id=title, title=title, variants=[of], runs=made, **more)


def figure_10() -> Session:
    """The golden case: two runs, the first right, the second lost at step 1 with a parameter error at step 2."""
    hair, training, tools = "applying_hair_color", "attending_training_sessions", "sanitizing_tools"
    of = variant(
        FIGURE_10,
        ["sanitizing tools", "applying hair color", "attending training sessions"],
        timed=True,
        durations=[1, 2, 2],
    )
    right = events(
        [
            (hair, {"start_time": 8}, "Applying hair color takes 2 hours."),
            (training, {"start_time": 10}, "Attending training sessions takes 2 hours."),
            (tools, {"start_time": 18}, "Sanitizing tools takes 1 hour."),
        ]
    )
    wrong = events(
        [
            (training, {"start_time": 10}, "Attending training sessions takes 2 hours."),
            (hair, {"start_time": 8}, "Applying hair color takes 2 hours."),
            (tools, {"start_time": 18}, "Sanitizing tools takes 1 hour."),
        ]
    )
    return session("figure-10", of, right, wrong)


ABC = ("network audit", "disk check", "cable survey")


def base(
    text: str, calls: str, *, ending: str = "stopped", reason: str | None = None, **more: Any
) -> Session:
    """``base("Network audit precedes disk check.", "B A")`` over the actions A, B and C."""
    of = variant(text, ABC)
    tools = dict(zip("ABC", (a.tool for a in of.actions), strict=True))
    made = [(tools.get(word, word), {}, "Done.") for word in calls.split()]
    return session("base", of, events(made, ending=ending, reason=reason), **more)


def out_of_order() -> Session:
    return base("Network audit precedes disk check. Disk check precedes cable survey.", "B A C")


def contradictory() -> Session:
    return base("Network audit precedes disk check. Disk check precedes network audit.", "A B C")


def unreadable() -> Session:
    return base("Network audit tickles disk check. Cable survey precedes disk check.", "A B C")


def aborted() -> Session:
    return base("Network audit precedes disk check.", "A", ending="aborted", reason="the line is dead")


def restarted() -> Session:
    """Lost in the first attempt, right in the second."""
    of = variant(
        "Network audit precedes disk check.", ["network audit", "disk check"], timed=True, durations=[1, 1]
    )
    calls = [
        ("disk_check", {"start_time": 8}, "Disk check takes 1 hour."),
        ("ask_for_restart", {}, "Granted."),
        ("network_audit", {"start_time": 8}, "Network audit takes 1 hour."),
        ("disk_check", {"start_time": 9}, "Disk check takes 1 hour."),
    ]
    return session("restarted", of, events(calls))


def no_run() -> Session:
    return session("no run", variant("Network audit precedes disk check.", ABC))


def ruled() -> Session:
    """Two runs of an agent's own tools without a query, read from a trace; the first breaks the session's rules."""
    tools = ("cancel_order", "get_order", "get_order", "refund")
    chats = [_chat(tools), _chat((*tools[1:], "cancel_order"))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"run-{number}.json" for number in (1, 2)]
        for path, chat in zip(paths, chats, strict=True):
            path.write_text(json.dumps(chat))
        made = session_of(list(open_traces(paths)))
    return with_rules(made, "get_order comes before cancel_order for the same order_id.")


def _chat(tools: Sequence[str]) -> list[dict[str, Any]]:
    chat: list[dict[str, Any]] = [{"role": "user", "content": "Cancel order 7"}]
    for number, tool in enumerate(tools):
        function = {"name": tool, "arguments": '{"order_id": 7}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        chat.append({"role": "assistant", "content": None, "tool_calls": [call]})
        chat.append({"role": "tool", "tool_call_id": f"c{number}", "content": "done"})
    return chat


def write(made: Session, folder: Path) -> Path:
    path = folder / "test.planscope.json"
    save(made, path)
    return path
