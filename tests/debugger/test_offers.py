"""Breakpoints and watches to choose from: each is one that can be set."""

from __future__ import annotations

import pytest

from planscope.debugger.breakpoints import parse_breakpoint
from planscope.debugger.errors import DebuggerError
from planscope.debugger.offers import breakpoint_offers, matching, watch_offers
from planscope.debugger.run_index import RunIndex
from planscope.debugger.stops import hit_steps
from planscope.debugger.watches import parse_watch
from planscope.oracle.replay import replay
from planscope.rules.in_session import problem_in
from planscope.session.locations import bundled
from planscope.session.oracle_input import problem_of
from planscope.session.store import load
from planscope.session.traces import trace_of


def index_of(name: str) -> RunIndex:
    session = load(bundled()[name])
    run = session.runs[-1]
    variant = next(one for one in session.variants if one.id == run.variant)
    return RunIndex(replay(problem_in(session, variant), trace_of(run)))


@pytest.mark.parametrize("name", ["first-look", "figure-10", "error-lost", "cause-terminal", "returns-desk"])
def test_all_that_is_offered_can_be_set(name: str) -> None:
    index = index_of(name)
    breakpoints = [parse_breakpoint(offer.text, index) for offer in breakpoint_offers(index)]
    assert len(set(breakpoints)) == len(breakpoints) > 12
    watches = [parse_watch(offer.text, index.problem) for offer in watch_offers(index.problem)]
    assert len(set(watches)) == len(watches) > 8


def test_with_rules_states_of_rules_are_offered_and_no_counts() -> None:
    index = index_of("returns-desk")
    texts = [offer.text for offer in (*breakpoint_offers(index), *watch_offers(index.problem))]
    assert "when c2 == owed" in texts and "c2 == owed" in texts
    assert not [text for text in texts if "valid_completions" in text]
    assert str(parse_breakpoint("when c2 == so far", index)) == "when c2 == so far", "as the screen writes it"
    assert parse_watch('c2 == "so far"', index.problem) == parse_watch("c2 == kept_so_far", index.problem)
    for text in ("c2 == holds", "c2 == open"):
        with pytest.raises(DebuggerError, match="owed"):
            parse_watch(text, index.problem)


def test_typed_words_choose_among_them_and_hits_are_counted() -> None:
    session = load(bundled()["first-look"])
    index = RunIndex(replay(problem_of(session.variants[0]), trace_of(session.runs[1])))
    offers = breakpoint_offers(index)
    assert matching(offers, "tool doc")[0].text == "tool docent_training"
    assert (
        matching(offers, "3")[0].text.startswith("step 3") is False
        and matching(offers, "step 3")[0].text == "step 3"
    )
    assert "called 1 time" in matching(offers, "tool docent")[0].about
    assert matching(offers, "no such thing") == [] and matching(offers, "") == offers
    assert hit_steps(parse_breakpoint("lost", index), index) == (2,)
    assert hit_steps(parse_breakpoint("tool docent_training", index), index) == (2,), (
        "before the call of step 3"
    )
    assert hit_steps(parse_breakpoint("when valid_completions < 3", index), index) is None
