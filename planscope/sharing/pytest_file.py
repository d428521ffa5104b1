"""Writes a case as a pytest file: one test judges the recorded run again, another makes and judges a new run."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

from planscope import __version__
from planscope.agents.paradigms import AGENTS
from planscope.case import Case
from planscope.session.containers import for_test
from planscope.session.json_bytes import json_text
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    PromptEvent,
    Run,
    Session,
)

_MODEL = "sim:careful"
_JUDGED_BY = (CallEvent, AnswerEvent, EndEvent)
"""The events that decide the verdict on a query; prompts and thoughts are left out of the file."""
_JUDGED_BY_RULES = (*_JUDGED_BY, PromptEvent, MessageEvent)
"""Rules are about what the user said, too, and about which calls came in one message."""


def pytest_file(case: Case) -> str:
    """Return the text of the file. Everything from the session is an ASCII literal in it.

    A custom agent is never imported by the name in the session: the person who runs the test names it.
    """
    run = case.run
    verdict = case.replay.verdict() if run is not None else None
    first = verdict.first_violation if verdict is not None else None
    constants: dict[str, Any] = {
        "model": run.model if run is not None else _MODEL,
        "agent": "tools" if run is None else run.agent if run.agent in AGENTS else None,
        "was": run.agent[:200] if run is not None else None,
        "seed": run.seed if run is not None else None,
        "verdict": verdict.verdict
        if verdict is not None and verdict.verdict in ("right", "wrong")
        else "right",
        "recorded": None
        if verdict is None
        else {
            "verdict": verdict.verdict,
            "error_type": verdict.error_type,
            "lost_at": first.step if first is not None else None,
        },
        "run": run.id if run is not None else None,
    }
    parts = {name: ascii(value) for name, value in constants.items()}
    parts |= {"version": __version__, "session": for_test(_small(case.session, case.variant.id, run))}
    template = (files("planscope.sharing") / "data" / "case_test.txt").read_text(encoding="utf-8")
    return re.sub(r"@([a-z]+)@", lambda found: parts[found[1]], template)


def _small(session: Session, variant_id: str, run: Run | None) -> str:
    """Return the query and the events that decide the verdict of its run, as ASCII JSON."""
    variant = next(v for v in session.variants if v.id == variant_id)
    update: dict[str, Any] = {
        "notes": "",
        "variants": [variant.model_copy(update={"parent": None})],
        "runs": [],
        "dissections": [],
        "fuzzings": None,
        "breakpoints": [],
        "watches": [],
        "cursor": {},
        "rules_before": None,
    }
    if run is not None:
        judged_by = _JUDGED_BY if session.rules is None else _JUDGED_BY_RULES
        events = [_bare(event) for event in run.events if isinstance(event, judged_by)]
        update["runs"] = [run.model_copy(update={"events": events, "forked_from": None})]
    made = session.model_copy(update=update).model_dump(mode="json", exclude_none=True)
    for one in made["variants"]:
        one["query"].pop("tree", None)
        one["constraints"] = []
    return "".join(line.lstrip() for line in json_text(made, ascii_only=True).splitlines())


def _bare(event: Event) -> Event:
    """Return an event without what no verdict needs: a message in the form of its model, and the thoughts in it."""
    if not isinstance(event, MessageEvent):
        return event
    said = event.text if event.by == "user" else ""
    return event.model_copy(update={"text": said, "message": None, "raw": None, "structured": None})
