"""Every kind of error of the table, out of a real run through the real agent loop."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from planscope.agents.models import LoadedModel
from planscope.oracle.replay import Replay, replay
from planscope.oracle.verdict_types import Verdict
from planscope.session.model import Limits, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.wording.explain import explain_verdict
from tests.agents.support import run_agent

from .support import abc, check_record, says, scripted, variant

ALL = [says((t, {})) for t in ("alpha", "beta", "gamma")]


def timed() -> Variant:
    return variant("Alpha happens before beta.", ["alpha", "beta"], durations=[2, 3])


def at(tool: str, hour: Any) -> AIMessage:
    return says((tool, {"start_time": hour}))


def act(text: str) -> AIMessage:
    return AIMessage(text)


async def judged(case: Variant, model: LoadedModel, **options: Any) -> Verdict:
    return (await replayed(case, model, **options)).verdict()


async def replayed(case: Variant, model: LoadedModel, **options: Any) -> Replay:
    run = await run_agent(case, model=model, **options)
    check_record(run.events)
    return replay(problem_of(case), trace_of(run))


KINDS: list[tuple[str, Variant, list[Any], dict[str, Any], str, list[Any]]] = [
    ("unknown tool", abc(), [says(("alfa", {})), *ALL[1:]], {}, "act_error", [1]),
    ("unknown tool, recovered", abc(), [says(("alfa", {})), *ALL], {}, "right", [1]),
    ("arguments refused", timed(), [at("alpha", "0"), at("beta", 2)], {}, "act_error", [1]),
    ("no arguments", timed(), [says(("alpha", {})), at("beta", 2)], {}, "act_error", [1]),
    ("unreadable, alone", abc(), [ALL[0], says(("beta", "{"))], {}, "act_error", [2]),
    (
        "unreadable, beside a good one",
        abc(),
        [says(("alpha", {}), ("beta", "{")), ALL[2]],
        {},
        "act_error",
        [2],
    ),
    (
        "unreadable, recovered",
        abc(),
        [says(("alpha", {}), ("beta", "{")), *ALL[1:]],
        {},
        "right",
        [2],
    ),
    ("format error", abc(), [act("Action: alpha"), act("Done!")], {"agent": "react"}, "act_error", [2]),
    ("lost", abc(), ALL[:2], {}, "action_lost", ["end"]),
    ("repeated", abc(), [*ALL[:2], ALL[0], ALL[2]], {}, "action_repeated", [3]),
    ("over 24", timed(), [at("alpha", 0), at("beta", 22)], {}, "parameter_error", [2]),
    ("out of range", timed(), [at("alpha", -1), at("beta", 2)], {}, "parameter_error", [1]),
    ("before the clock", timed(), [at("alpha", 4), at("beta", 5)], {}, "parameter_error", [2]),
    ("order", abc(), [ALL[1], ALL[0], ALL[2]], {}, "order_error", [1]),
    ("time limit", abc(), [ALL[0], 30], {"limits": Limits(seconds=0.2)}, "timeout", ["end"]),
    ("call limit", abc(), ALL, {"limits": Limits(model_calls=2)}, "timeout", ["end"]),
]


@pytest.mark.parametrize(
    ("case", "script", "options", "kind", "steps"), [k[1:] for k in KINDS], ids=[k[0] for k in KINDS]
)
async def test_every_kind_of_error(
    case: Variant, script: list[Any], options: dict[str, Any], kind: str, steps: list[Any]
) -> None:
    found = await judged(case, scripted(*script), **options)
    assert (found.error_type or found.verdict) == kind
    assert [f.step for f in found.findings if f.step in steps][:1] == steps
    if kind != "right":
        assert found.findings[0].type == kind


async def test_a_restart_begins_anew_and_the_last_attempt_counts() -> None:
    script = [at("beta", 0), says(("ask_for_restart", {})), at("alpha", 0), at("beta", 2)]
    found = await judged(timed(), scripted(*script))
    assert (found.verdict, found.findings) == ("right", ())


@pytest.mark.parametrize("agent", ["tools", "react"])
async def test_trouble_of_model_and_network_is_no_error_of_planning(agent: str) -> None:
    error = ConnectionResetError("peer")
    run = await replayed(abc(), scripted(error), agent=agent)
    found = run.verdict()
    assert (found.verdict, found.error_type, found.findings) == ("aborted", None, ())
    said = explain_verdict(run, found)
    assert "peer" in said or "could not be reached" in said
    again = await judged(abc(), scripted(*ALL))
    assert again.verdict == "right"
