"""Each simulated profile does what its name says, and nothing else, in all three paradigms."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.agents.simulated.knowledge import Understanding, View, seen, understand
from planscope.agents.simulated.mind import decide
from planscope.agents.simulated.misreading import perceive
from planscope.agents.simulated.profiles import PROFILES, make_character
from planscope.agents.toolset import make_toolset
from planscope.language.tree import Clause, Relative, at
from planscope.oracle.replay import replay
from planscope.session.model import Limits, Origin, Run, Variant, make_variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.agents.support import run_agent
from tests.nightly import examples, nightly, rounds

from .support import abc, called, calls_of, check_record, end_of, variant

AGENTS = ("tools", "react", "responses")
BLIND = ("word-blind", "topic-blind", "clause-blind", "constraint-blind")


def drawn(seed: int, *, timed: bool = False, actions: int = 5) -> Variant:
    made = synthesize(Request(actions=actions, seed=seed, timed=timed))
    return make_variant(made.problem, Origin(kind="synthesized"))


def outcome(case: Variant, run: Run) -> str:
    check_record(run.events)
    found = replay(problem_of(case), trace_of(run)).verdict()
    return found.error_type or found.verdict


def told(run: Run) -> list[tuple[str, str]]:
    return [(e.type, getattr(e, "text", getattr(e, "tool", ""))) for e in run.events]


@settings(max_examples=examples(25))
@given(
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from(sorted(set(PROFILES) - {"slow"})),
    st.integers(0, 99),
)
async def test_all_paradigms_give_the_same_run(number: int, timed: bool, profile: str, seed: int) -> None:
    case = drawn(number % 50, timed=timed)
    runs = [await run_agent(case, model=f"sim:{profile}", agent=agent, seed=seed) for agent in AGENTS]
    assert told(runs[0]) == told(runs[1]) == told(runs[2])
    assert called(runs[0]) == called(runs[1]) == called(runs[2])


@pytest.mark.parametrize("timed", [False, *nightly(True)])
async def test_flaky_is_right_as_often_as_it_says(timed: bool) -> None:
    case = drawn(3, timed=timed)
    many = rounds(40, 80)
    found = Counter(
        [outcome(case, await run_agent(case, model="sim:flaky?p=0.6", seed=s)) for s in range(many)]
    )
    assert abs(found["right"] - 0.6 * many) <= 4 * sqrt(many * 0.6 * 0.4)
    for p, right in ((0, 0), (1, 10)):
        runs = [await run_agent(case, model=f"sim:flaky?p={p}", seed=s) for s in range(10)]
        assert sum(outcome(case, r) == "right" for r in runs) == right


@settings(max_examples=examples(30))
@given(st.integers(0, 200), st.integers(0, 99), st.booleans())
async def test_flaky_is_never_right_by_accident(number: int, seed: int, timed: bool) -> None:
    case = drawn(number, timed=timed)
    assert outcome(case, await run_agent(case, model="sim:flaky?p=0", seed=seed)) != "right"


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("timed", [False, True])
async def test_clumsy_makes_an_act_error(agent: str, timed: bool) -> None:
    case = drawn(5, timed=timed)
    for kind in (1, 2, 3):
        run = await run_agent(case, model=f"sim:clumsy?kind={kind}", agent=agent, seed=kind)
        assert outcome(case, run) == "act_error"
        bad = [
            c for c in calls_of(run) if c.arguments is None or c.tool not in {a.tool for a in case.actions}
        ]
        if kind == 3:
            assert calls_of(run)[-1].arguments is None
        elif kind == 1:
            assert len([c for c in bad if c.tool != "ask_for_restart"]) == 1
        elif timed:
            wrong = [c for c in calls_of(run) if isinstance((c.arguments or {}).get("start_time"), str)]
            assert len(wrong) == 1


async def test_slow_meets_the_limit_of_time() -> None:
    case = abc()
    limits = Limits(seconds=0.5)
    for agent in AGENTS:
        run = await run_agent(case, model="sim:slow?seconds=0.3", agent=agent, limits=limits)
        assert outcome(case, run) == "timeout"
        assert len(calls_of(run)) <= 1
    assert outcome(case, await run_agent(case, model="sim:slow?seconds=0")) == "right"


def reading(case: Variant) -> Understanding:
    tools = tuple(t.spec for t in make_toolset(case.actions, timed=case.query.timed))
    found = understand(f"Here is the requirement: {case.query.text}", seen(tools))
    assert isinstance(found, Understanding)
    return found


def misread(case: Variant, model: str, **given: str) -> Understanding:
    import random

    return perceive(reading(case), make_character(model, given), random.Random(1), {})


def pairs(read: Understanding) -> set[tuple[str | None, ...]]:
    return {(c.kind, c.before, c.after, c.action, str(c.hour)) for c in read.problem.said}


def test_word_blind_misreads_words_and_no_others() -> None:
    case = variant("Alpha happens before beta. Gamma precedes beta.", ["alpha", "beta", "gamma"])
    outcomes = set()
    for trait in range(40):
        found = pairs(misread(case, "word-blind", trait=str(trait)))
        outcomes.add(tuple(sorted((b, a) for _, b, a, *_ in found)))
    assert outcomes == {
        (("a1", "a2"), ("a3", "a2")), (("a2", "a1"), ("a3", "a2")),
        (("a1", "a2"), ("a2", "a3")), (("a2", "a1"), ("a2", "a3")),
    }  # fmt: skip


def test_word_blind_is_blind_to_the_same_words_whatever_its_luck() -> None:
    for number in range(20):
        case = drawn(number)
        found = [pairs(misread(case, "word-blind", trait="3", seed=str(s))) for s in range(5)]
        assert all(f == found[0] for f in found)


def test_topic_blind_goes_by_the_topic() -> None:
    topics = {}
    for number in range(60):
        made = synthesize(Request(actions=4, seed=number))
        case = make_variant(made.problem, Origin(kind="synthesized"))
        confused = misread(case, "topic-blind") != reading(case)
        assert topics.setdefault(made.topic, confused) == confused
    assert set(topics.values()) == {True, False}


def test_clause_blind_skips_what_it_is_blind_to_alone() -> None:
    skipped = Counter[bool]()
    for number in range(30):
        case = drawn(number)
        read = reading(case)
        for fronted in (False, True):
            kept = {c.id for c in misread(case, "clause-blind", fronted=str(int(fronted))).problem.said}
            for c in read.problem.said:
                node = at(read.tree, c.node)
                assert isinstance(node, Clause | Relative)
                blind = node.form.startswith("fronted") if fronted else isinstance(node, Relative)
                assert (c.id in kept) != blind
                skipped[fronted] += blind
    assert skipped[False] > 5
    assert skipped[True] > 5


@pytest.mark.parametrize(
    ("shape", "text", "hit"),
    [
        (1, "Alpha happens before gamma. Beta happens before gamma.", True),
        (1, "Alpha happens before beta. Beta happens before gamma.", False),
        (1, "Alpha happens before beta. Beta happens before gamma. Alpha happens before gamma.", False),
        (2, "Alpha happens before beta. Alpha happens before gamma.", True),
        (2, "Alpha happens before gamma. Beta happens before gamma.", False),
        (3, "Alpha happens before beta. Beta happens before gamma. Gamma happens before delta.", True),
        (3, "Alpha happens before beta. Beta happens before gamma.", False),
        (3, "Alpha happens before beta. Gamma happens before delta.", False),
    ],
)
async def test_constraint_blind_goes_by_the_shape(shape: int, text: str, hit: bool) -> None:
    case = variant(text, ["alpha", "beta", "gamma", "delta"])
    run = await run_agent(case, model=f"sim:constraint-blind?shape={shape}")
    assert outcome(case, run) == ("order_error" if hit else "right")


async def test_constraint_blind_does_not_care_how_it_is_said() -> None:
    ways = [
        "Alpha happens before gamma. Beta happens before gamma.",
        "Gamma follows alpha and beta.",
        "Gamma, which happens after alpha, follows beta.",
        "Beta precedes gamma, and gamma happens after alpha.",
    ]
    for text in ways:
        case = variant(text, ["alpha", "beta", "gamma"])
        assert outcome(case, await run_agent(case, model="sim:constraint-blind")) == "order_error"


@pytest.mark.parametrize("profile", BLIND)
async def test_a_blind_one_that_does_not_fire_is_careful(profile: str) -> None:
    for number in range(6):
        case = drawn(number, timed=bool(number % 2))
        blind = await run_agent(case, model=f"sim:{profile}?fires=0", seed=number)
        assert called(blind) == called(await run_agent(case, model="sim:careful"))


@pytest.mark.parametrize("profile", [BLIND[0], *nightly(*BLIND[1:])])
async def test_noise_fails_for_no_reason(profile: str) -> None:
    case = drawn(2)
    many = rounds(30, 60)
    runs = [await run_agent(case, model=f"sim:{profile}?fires=0&noise=0.3", seed=s) for s in range(many)]
    wrong = sum(outcome(case, r) != "right" for r in runs)
    assert wrong and abs(wrong - 0.3 * many) <= 4 * sqrt(many * 0.3 * 0.7)
    runs = [await run_agent(case, model=f"sim:{profile}?noise=1", seed=s) for s in range(5)]
    assert all(outcome(case, r) != "right" for r in runs)


@settings(max_examples=examples(40))
@given(st.integers(0, 300), st.sampled_from(BLIND), st.booleans())
async def test_what_was_misread_fails(number: int, profile: str, timed: bool) -> None:
    """Where the misreading shows at all in an order, it is an error; where nothing was misread, all is right."""
    case = drawn(number, timed=timed)
    same = pairs(misread(case, profile)) == pairs(reading(case))
    run = await run_agent(case, model=f"sim:{profile}")
    if same:
        assert outcome(case, run) == "right"
    elif profile in ("constraint-blind",):
        assert outcome(case, run) != "right"
    assert end_of(run).ending == "stopped"


def test_the_reason_of_an_unknown_text_is_said_by_all() -> None:
    for name in PROFILES:
        case = abc("Please be nice to alpha.")
        tools = tuple(t.spec for t in make_toolset(case.actions, timed=False))
        found = decide(View("Here is the requirement: " + case.query.text, tools), make_character(name, {}))
        assert found.tool is None
