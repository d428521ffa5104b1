"""Decisions of the simulated models, without any chat model around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from planscope.agents.react_format import Decision
from planscope.agents.simulated.knowledge import View, answered_call
from planscope.agents.simulated.mind import decide
from planscope.agents.simulated.profiles import Character, make_character
from planscope.agents.toolset import MockTool, make_toolset
from planscope.session.model import ActionRecord

from .support import FIGURE_10, FIGURE_10_ACTIONS, variant

ANNOUNCED = "Do all tasks. Here is the requirement: "


def character(name: str, **given: str) -> Character:
    return make_character(name, given)


def tools_for(names: Sequence[str], durations: Sequence[int] | None = None) -> dict[str, MockTool]:
    made = make_toolset(variant("", names, durations=durations).actions, timed=bool(durations))
    return {t.spec.name: t for t in made}


def view(text: str, tools: Mapping[str, MockTool], prompt: str = ANNOUNCED) -> View:
    return View(prompt + text, tuple(t.spec for t in tools.values()))


def play(start: View, tools: Mapping[str, MockTool], who: Character, limit: int = 60) -> list[Decision]:
    """Decisions until the final answer, with the tools' true answers in between."""
    decisions = []
    for _ in range(limit):
        decision = decide(start, who)
        decisions.append(decision)
        if decision.tool is None:
            return decisions
        text, executed = tools[decision.tool].answer(decision.arguments)
        did = answered_call(decision.tool, decision.arguments or {}, text, executed)
        start = replace(start, did=(*start.did, did))
    raise AssertionError("it never ends")


def moves(decisions: Sequence[Decision]) -> list[tuple[str, Any]]:
    return [(d.tool, (d.arguments or {}).get("start_time")) for d in decisions if d.tool]


def run(profile: str, text: str, names: Sequence[str], durations: Sequence[int] | None = None) -> list[Any]:
    tools = tools_for(names, durations)
    return moves(play(view(text, tools), tools, character(profile)))


def test_figure_10() -> None:
    names = FIGURE_10_ACTIONS
    assert run("time-blind", FIGURE_10, names, [1, 2, 2]) == [
        ("attending_training_sessions", 10),
        ("applying_hair_color", 8),
        ("sanitizing_tools", 18),
    ]
    assert run("careful", FIGURE_10, names, [1, 2, 2]) == [
        ("applying_hair_color", 0),
        ("attending_training_sessions", 10),
        ("sanitizing_tools", 18),
    ]
    assert run("literal", FIGURE_10, names, [1, 2, 2]) == [
        ("attending_training_sessions", 0),
        ("applying_hair_color", 2),
        ("sanitizing_tools", 4),
    ]


def test_careful_asks_for_a_restart_and_remembers_what_it_learned() -> None:
    text = "Alpha happens before 20:00. Beta happens after 1:00. Beta happens before 4:00."
    tools = tools_for(["alpha", "beta"], [5, 2])
    decisions = play(view(text, tools), tools, character("careful"))
    assert moves(decisions) == [("alpha", 0), ("ask_for_restart", None), ("beta", 1), ("alpha", 3)]
    assert "restart" in decisions[1].thought


def test_careful_sees_at_the_end_that_the_last_task_took_too_long() -> None:
    text = "Alpha happens after 1:00. Alpha happens before 7:00."
    assert run("careful", text, ["alpha", "beta"], [4, 4]) == [
        ("beta", 0), ("alpha", 4), ("ask_for_restart", None), ("alpha", 1), ("beta", 5),
    ]  # fmt: skip
    assert run("careful", "Alpha happens after 20:00.", ["alpha", "beta"], [1, 24]) == [
        ("beta", 0), ("alpha", 24),
    ]  # fmt: skip


def test_careful_fits_what_is_free_around_what_is_not() -> None:
    text = "Alpha happens after 10:00. Alpha happens before 15:00. Beta happens before 15:00."
    assert run("careful", text, ["alpha", "beta"], [5, 4]) == [("beta", 0), ("alpha", 10)]


@pytest.mark.parametrize("timed", [False, True])
def test_a_contradiction_is_named_and_the_rest_is_done(timed: bool) -> None:
    text = "Alpha happens before beta. Beta happens before alpha. Beta happens before gamma."
    tools = tools_for(["gamma", "alpha", "beta"], [1, 2, 3] if timed else None)
    decisions = play(view(text, tools), tools, character("careful"))
    assert "contradicts itself" in decisions[0].thought
    done = [tool for tool, _ in moves(decisions)]
    assert sorted(done) == ["alpha", "beta", "gamma"]
    assert done.index("alpha") < done.index("beta") < done.index("gamma")


def test_what_cannot_be_met_in_time_is_named_when_it_is_known() -> None:
    text = "Alpha happens before beta. Beta happens before 4:00."
    tools = tools_for(["alpha", "beta"], [4, 2])
    decisions = play(view(text, tools), tools, character("careful"))
    assert decisions[0].thought.startswith("Next I do alpha at 0:00, because it comes before beta.")
    assert "cannot be met in time" in decisions[1].thought
    assert decisions[2].thought == "All tasks have been done, but the requirement cannot be met in time."
    assert [t for t, _ in moves(decisions)] == ["alpha", "beta"]


def test_thoughts_are_short_and_plain() -> None:
    tools = tools_for(["alpha", "beta"])
    decisions = play(view("Alpha happens before beta.", tools), tools, character("careful"))
    assert [d.thought for d in decisions] == [
        "Next I do alpha, because it comes before beta.",
        "Next I do beta, because alpha comes before it and is done.",
        "All tasks have been done.",
    ]


def test_forgetful_forgets_one_drawn_by_its_seed() -> None:
    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    tools = tools_for(names)
    start = view("Alpha happens before beta. Gamma happens before beta.", tools)
    lost = set()
    for seed in range(20):
        made = [t for t, _ in moves(play(start, tools, character("forgetful", seed=str(seed))))]
        (gone,) = set(names) - set(made)
        assert len(made) == 4
        lost.add(gone)
    assert len(lost) > 2


def test_literal_puts_what_is_never_mentioned_last() -> None:
    assert run("literal", "Gamma happens before beta.", ["delta", "alpha", "beta", "gamma"]) == [
        ("gamma", None), ("beta", None), ("delta", None), ("alpha", None),
    ]  # fmt: skip


def test_mention_goes_by_the_longest_name() -> None:
    names = ["status check", "network status check", "network"]
    text = "Network status check happens before network. Status check happens after network."
    assert [t for t, _ in run("literal", text, names)] == ["network_status_check", "network", "status_check"]


def test_time_blind_is_blind_to_answers() -> None:
    names = ["alpha", "beta", "gamma"]
    text = "Beta happens after alpha. Gamma happens before 12:00."
    runs = [run("time-blind", text, names, d) for d in ([1, 1, 1], [9, 5, 2])]
    assert runs[0] == runs[1] == [("beta", 9), ("alpha", 8), ("gamma", 8)]


def test_time_blind_begins_earlier_where_its_day_is_too_short() -> None:
    names = ["alpha", "beta"]
    tools = tools_for(names, [1, 1])
    start = view("Alpha happens before beta. Beta happens before 5:00.", tools)
    assert moves(play(start, tools, character("time-blind"))) == [("alpha", 3), ("beta", 4)]
    assert moves(play(start, tools, character("time-blind", day="1"))) == [("alpha", 1), ("beta", 2)]


@pytest.mark.parametrize(
    "prompt",
    [
        "Here is the requirement: {}",
        "You need to do it. Here is the requirement: [{}]",
        "Requirements:\n\n{}\n",
        "Requirement: {}\nGood luck with it!",
        "Requirement: [{}] Good luck with it!",
        "Some rules.\n\n{}\n\nNow begin.",
        "{}",
        "Do what follows, one by one.\n{}",
        "I say this. And that, too! {}",
        "The requirement is: {} ",
        "Mind the requirement: all of it. Here is the requirement: {}",
    ],
)
def test_the_requirement_is_found_in_any_prompt(prompt: str) -> None:
    tools = tools_for(["beta", "alpha"])
    start = View(prompt.format("Alpha happens before beta."), tuple(t.spec for t in tools.values()))
    assert moves(play(start, tools, character("careful"))) == [("alpha", None), ("beta", None)]


@pytest.mark.parametrize("profile", ["careful", "literal", "forgetful", "time-blind"])
def test_what_cannot_be_read_is_said_and_ends_it(profile: str) -> None:
    tools = tools_for(["alpha"])
    (only,) = play(view("Please be nice to alpha, will you?", tools), tools, character(profile))
    assert only.tool is None
    assert only.thought.startswith("I cannot read the requirement: ")


def test_it_does_not_insist_on_what_is_refused() -> None:
    tools = tools_for(["alpha", "beta"])
    start = view("Alpha happens before beta.", tools)
    refused = answered_call("alpha", {}, "Error: no.", False)
    assert decide(replace(start, did=(refused,)), character("careful")).tool == "alpha"
    stop = decide(replace(start, did=(refused, refused)), character("careful"))
    assert stop.tool is None
    assert "alpha cannot be done" in stop.thought


def test_an_action_called_ask_for_restart_is_an_action_in_the_base_language() -> None:
    assert run("careful", "Ask for restart happens before alpha.", ["alpha", "ask for restart"]) == [
        ("ask_for_restart", None), ("alpha", None),
    ]  # fmt: skip


def test_a_prefix_that_is_already_lost_is_seen() -> None:
    """Forks hand a careful model what another one did."""
    tools = tools_for(["alpha", "beta", "gamma"], [2, 2, 2])
    start = view("Alpha happens before beta. Gamma happens after 4:00. Alpha happens before 12:00.", tools)
    lost = [[("beta", 3)], [("alpha", 5), ("beta", 3)], [("gamma", 2)], [("alpha", 11)], [("gamma", 11)]]
    for prefix in lost:
        did = tuple(answered_call(t, {"start_time": h}, tools[t].done, True) for t, h in prefix)
        assert decide(replace(start, did=did), character("careful")).tool == "ask_for_restart", prefix
    fine = (answered_call("gamma", {"start_time": 4}, tools["gamma"].done, True),)
    assert decide(replace(start, did=fine), character("careful")).tool == "alpha"


def test_names_with_capitals_are_kept() -> None:
    made = make_toolset([ActionRecord(id="a1", name="PCB assembly", tool="pcb_assembly")], timed=False)
    start = View("Here is the requirement: PCB assembly happens before alpha.", (
        *(t.spec for t in made), *(t.spec for t in tools_for(["alpha"]).values()),
    ))  # fmt: skip
    assert (
        decide(start, character("careful")).thought
        == "Next I do PCB assembly, because it comes before alpha."
    )
