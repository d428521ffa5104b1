"""A short sample of random rules and traces; ``python -m tests.rules.many_cases N`` does more."""

from __future__ import annotations

import time
from random import Random

import pytest

from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.beside import judged_trace, ruled
from planscope.rules.reading import read_rules
from tests.bench.bench_rules import interlocking
from tests.nightly import nightly
from tests.rules import joint_cases
from tests.rules.many_cases import case


@pytest.mark.parametrize("seed", [*range(3), 30254, *nightly(703070, *range(3, 12))])
def test_random_rules(seed: int) -> None:
    case(seed)


@pytest.mark.parametrize("seed", range(5))
def test_random_rules_with_random_queries(seed: int) -> None:
    joint_cases.case(seed)


def test_the_nearest_plan_that_the_rules_allow() -> None:
    """The nearest plan of the query alone breaks the rule. Where no order helps, a call is inserted."""
    query = read_query("Alpha happens before beta.", make_actions(["alpha", "beta", "gamma"])).problem
    made = Trace((ToolCall("beta", {}), ToolCall("alpha", {}), ToolCall("gamma", {})))

    def order(rules: str) -> tuple[str, ...] | None:
        problem = ruled(query, read_rules(rules))
        found = replay(problem, made).repair().order
        return found and tuple(problem.action_by_id[id].tool for id in found)

    assert order("gamma comes before alpha.") == ("gamma", "alpha", "beta")
    assert order("log comes before alpha.") == ("log", "alpha", "beta", "gamma")
    assert order("beta comes before alpha.") is None


def test_a_walk_of_interlocking_rules_costs_what_its_calls_change() -> None:
    """One search a step took 27 s of processor time here."""
    file = read_rules(interlocking(24, 12))
    draw = Random(6)
    tools = [*range(12), *(draw.randrange(12) for _ in range(988))]
    calls = [
        ToolCall(
            f"tool_{tool}",
            {"id": f"R{draw.randrange(20)}"},
            step=k + 1,
            message=k,
            answer="fine",
            answered=True,
            failed=False,
        )
        for k, tool in enumerate(tools)
    ]
    began = time.process_time()
    states = [view.state for view in judged_trace(file, Trace(calls, id="t", format="test")).steps]
    assert states[:-1] == ["completable"] * 1_001
    assert time.process_time() - began < 2
