"""The light loop gives the same runs as the real agent loop."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.agents.models import ModelUnavailable
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS, UnknownAgent
from planscope.agents.simulated.profiles import PROFILES
from planscope.agents.simulated_runs import run_simulated
from planscope.session.model import EndEvent, Limits, Run
from tests.agents.support import run_agent
from tests.nightly import examples

from .support import abc, check_record, variant
from .test_profiles import drawn

GIVEN = {"slow": "?seconds=0"}


def record(run: Run) -> list[dict[str, Any]]:
    """All but the times."""
    return [e.model_dump(exclude={"at", "took"}) for e in run.events]


@settings(max_examples=examples(40))
@given(
    st.sampled_from(sorted(PROFILES)),
    st.sampled_from(AGENTS),
    st.booleans(),
    st.booleans(),
    st.integers(0, 400),
    st.integers(0, 99),
)
async def test_the_same_seed_gives_the_same_run(
    profile: str, agent: str, timed: bool, guard: bool, number: int, seed: int
) -> None:
    case = drawn(number, timed=timed, actions=2 + number % 5)
    options: dict[str, Any] = {
        "model": f"sim:{profile}{GIVEN.get(profile, '')}",
        "agent": agent,
        "seed": seed,
    }
    role = "You plan." if number % 3 == 0 else None
    real = await run_agent(case, guard=guard, role=role, **options)
    light = run_simulated(case, RunOptions(guard=guard, role=role, **options))
    check_record(light.events)
    assert record(light) == record(real)
    assert (light.agent, light.model, light.seed, light.variant) == (
        real.agent,
        real.model,
        real.seed,
        real.variant,
    )


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("calls", [1, 2, 3, 4, 5])
async def test_limits_are_the_same(agent: str, calls: int) -> None:
    limits = Limits(model_calls=calls)
    options: dict[str, Any] = {"model": "sim:careful", "agent": agent, "limits": limits}
    assert record(run_simulated(abc(), RunOptions(**options))) == record(await run_agent(abc(), **options))


def test_a_slow_models_time_is_counted_and_not_waited_for() -> None:
    run = run_simulated(abc(), RunOptions(model="sim:slow"))
    end = run.events[-1]
    assert isinstance(end, EndEvent)
    assert (end.ending, end.reason, end.at) == ("timeout", "over 180 seconds", 180.0)
    assert [e.at for e in run.events if e.type == "message"] == [60, 120, 180]


@pytest.mark.parametrize("text", ["Please be nice.", "Alpha happens before beta. Beta happens before alpha."])
@pytest.mark.parametrize("agent", AGENTS)
async def test_odd_texts_too(text: str, agent: str) -> None:
    for durations in (None, [2, 2]):
        case = variant(text, ["alpha", "beta"], durations=durations)
        options: dict[str, Any] = {"model": "sim:careful", "agent": agent}
        assert record(run_simulated(case, RunOptions(**options))) == record(await run_agent(case, **options))


def test_what_cannot_be_run_in_bulk_is_said() -> None:
    with pytest.raises(ModelUnavailable, match="is not a simulated model"):
        run_simulated(abc(), RunOptions(model="openai:x"))
    with pytest.raises(UnknownAgent):
        run_simulated(abc(), RunOptions(model="sim:careful", agent="os:getcwd"))


def test_it_needs_no_langchain() -> None:
    code = """
from planscope.agents.simulated_runs import run_simulated
from planscope.agents.options import RunOptions
from tests.agents.support_light import case
run_simulated(case(), RunOptions("react"))
import sys
print([m for m in ("langchain", "langchain_core", "langgraph", "z3") if m in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
