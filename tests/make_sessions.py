"""Make the bundled sessions again: ``python -m tests.make_sessions [NAME ...]``.

Every run is a real one, through the agent loop. Times are set to a beat, so that the files say the same each time.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planscope.documents.query import constraint_documents
from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.language.tree_json import dump
from planscope.session.model import Limits, MessageEvent, Origin, Run, Session, Variant, make_variant
from planscope.session.oracle_input import reading_of
from planscope.session.store import save
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.agents.support import run_agent, says, scripted
from tests.make_causes import makers
from tests.make_returns import returns_desk
from tests.session.make import TEXT as FIGURE_10

FOLDER = Path(__file__).parent.parent / "sessions"
MADE = datetime(2026, 11, 21, tzinfo=UTC)
BEAT = 0.25
"""Seconds between two events."""


def written(
    text: str, names: Sequence[str], durations: Sequence[int] | None = None, topic: str | None = None
) -> Variant:
    actions = make_actions(names, durations)
    reading = read_query(text, actions, timed=durations is not None)
    return make_variant(
        reading.problem,
        Origin(kind="written"),
        topic=topic,
        tree=dump(reading.tree),
        constraints=constraint_documents(reading.problem),
    )


def session(name: str, title: str, notes: str, variant: Variant, runs: Sequence[Run]) -> Session:
    return Session(
        id=name, title=title, notes=notes, created=MADE, variants=[variant], runs=[steady(r) for r in runs]
    )


def steady(run: Run) -> Run:
    """The run with its events on a beat; ids that are drawn anew each time are left out."""
    events = []
    for k, event in enumerate(run.events):
        change: dict[str, object] = {"at": round(k * BEAT, 2)}
        if hasattr(event, "took"):
            change["took"] = BEAT
        if isinstance(event, MessageEvent) and event.message is not None:
            change["message"] = _without_id(event.message)
        events.append(event.model_copy(update=change))
    return run.model_copy(update={"started": MADE, "events": events})


def _without_id(message: dict[str, Any]) -> dict[str, Any]:
    data = message.get("data")
    return (
        {**message, "data": {k: v for k, v in data.items() if k != "id"}}
        if isinstance(data, dict)
        else message
    )


def simulated(variant: Variant, number: int, model: str) -> Run:
    return asyncio.run(run_agent(variant, model=model, run_id=f"r{number}"))


def told(variant: Variant, number: int, *lines: tuple[str, str, dict[str, int]], last: str) -> Run:
    """A run of a model that says what the paper's agent is described to say."""
    messages = [says((tool, arguments), text=text) for text, tool, arguments in lines]
    run = asyncio.run(run_agent(variant, model=scripted(*messages, says(text=last)), run_id=f"r{number}"))
    return run.model_copy(update={"model": "sim:scripted"})


def synthesized(request: Request, limits: Limits | None = None) -> Variant:
    made = synthesize(request)
    return make_variant(
        made.problem,
        Origin(kind="synthesized"),
        topic=made.topic,
        seed=made.seed,
        tree=dump(made.tree),
        constraints=constraint_documents(made.problem),
        limits=limits,
    )


def first_look() -> Session:
    variant = synthesized(Request(actions=5, seed=84, sentences=3, timed=True, repeats=True))
    runs = [simulated(variant, 1, "sim:careful"), simulated(variant, 2, "sim:time-blind")]
    notes = "A synthesized query of five timed actions. The run that fails was lost a step before it shows."
    return session("first-look", "A first look: five actions", notes, variant, runs)


def figure_5() -> Session:
    variant = written(
        "Network diagnosis comes after network status check.", ["network diagnosis", "network status check"]
    )
    runs = [simulated(variant, 1, "sim:careful"), simulated(variant, 2, "sim:literal")]
    return session("figure-5", "Figure 5: network diagnosis", "PDoctor paper, Figure 5.", variant, runs)


def figure_7() -> Session:
    variant = written(
        "Network diagnosis comes before network speed test, which occurs before 15:00. "
        "Network diagnosis should be executed after 10:00.",
        ["network diagnosis", "network speed test"],
        [2, 1],
    )
    restarts = told(
        variant,
        1,
        ("Network diagnosis comes first, after 10:00.", "network_diagnosis", {"start_time": 14}),
        ("It took two hours: the speed test can no longer be over by 15:00.", "ask_for_restart", {}),
        ("This time earlier.", "network_diagnosis", {"start_time": 10}),
        ("Now the speed test.", "network_speed_test", {"start_time": 12}),
        last="Both tasks are done.",
    )
    goes_on = told(
        variant,
        2,
        ("Network diagnosis comes first, after 10:00.", "network_diagnosis", {"start_time": 14}),
        ("Now the speed test.", "network_speed_test", {"start_time": 16}),
        last="Both tasks are done.",
    )
    notes = (
        "PDoctor paper, Figure 7 and section 4.4: started at 14:00, network diagnosis turns out to take two "
        "hours, and the plan is lost. The first run starts over, the second goes on."
    )
    return session("figure-7", "Figure 7: a plan negated by a duration", notes, variant, [restarts, goes_on])


def figure_10() -> Session:
    variant = written(
        FIGURE_10,
        ["sanitizing tools", "applying hair color", "attending training sessions"],
        [1, 2, 2],
        "hair stylist",
    )
    runs = [simulated(variant, 1, "sim:careful"), simulated(variant, 2, "sim:time-blind")]
    notes = "PDoctor paper, Figure 10: a parameter error whose hours would meet every order constraint."
    return session("figure-10", "Figure 10: an hour that had passed", notes, variant, runs)


def error_timeout() -> Session:
    variant = synthesized(Request(actions=4, seed=21, repeats=True), Limits(model_calls=3))
    notes = "The agent plans well, but may ask its model three times only: the run ends before the plan does."
    runs = [simulated(variant, 1, "sim:careful")]
    return session("error-timeout", "Error: timeout", notes, variant, runs)


def error_act() -> Session:
    variant = synthesized(Request(actions=4, seed=5, repeats=True))
    notes = "The last call is of a tool that does not exist, and the agent takes no notice."
    runs = [simulated(variant, 1, "sim:clumsy")]
    return session("error-act", "Error: failed call", notes, variant, runs)


def error_lost() -> Session:
    variant = synthesized(Request(actions=4, seed=4, repeats=True))
    notes = "The agent stops with an action never done."
    runs = [simulated(variant, 1, "sim:forgetful")]
    return session("error-lost", "Error: missing action", notes, variant, runs)


def error_repeated() -> Session:
    variant = written(
        "Room booking comes before guest invitation. Menu selection follows room booking.",
        ["room booking", "guest invitation", "menu selection"],
    )
    run = told(
        variant,
        1,
        ("The room comes first.", "room_booking", {}),
        ("Now the menu.", "menu_selection", {}),
        ("Room booking comes before guest invitation, so the room.", "room_booking", {}),
        ("Then the guests.", "guest_invitation", {}),
        last="All is done.",
    )
    notes = "The agent forgets what it has done, and does it again."
    return session("error-repeated", "Error: repeated action", notes, variant, [run])


SESSIONS: dict[str, Callable[[], Session]] = {
    "first-look": first_look,
    "figure-5": figure_5,
    "figure-7": figure_7,
    "figure-10": figure_10,
    "error-timeout": error_timeout,
    "error-act": error_act,
    "error-lost": error_lost,
    "error-repeated": error_repeated,
    "returns-desk": lambda: returns_desk(MADE),
    **makers(simulated, steady),
}


def main() -> None:
    wanted = sys.argv[1:] or list(SESSIONS)
    for name in wanted:
        make = SESSIONS[name]
        made = make()
        for variant in made.variants:
            reading_of(variant)
        save(made, FOLDER / f"{name}.planscope.json")
        sys.stdout.write(f"{FOLDER / name}.planscope.json: {len(made.runs)} runs\n")


if __name__ == "__main__":
    main()
