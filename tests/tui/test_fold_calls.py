"""Calls of sub-agents in the timeline: indented, folded and unfolded, hand-offs marked."""

from __future__ import annotations

from pathlib import Path

from planscope.debugger.selection import SelectedStep
from planscope.session.model import CallEvent, Event, MessageEvent
from planscope.tui.view import TURNS
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows


def team(folder: Path) -> Path:
    """The chief asks a scout, who makes two calls, and then hands over to a writer."""
    made = sessions.variant("Alpha check precedes beta test.", ["alpha check", "beta test", "gamma review"])
    agents = {2: ("scout", 1), 3: ("scout", 1), 4: ("writer", None)}
    events: list[Event] = []
    for one in sessions.events(
        [
            ("gamma_review", {}, "ok"),
            ("alpha_check", {}, "ok"),
            ("beta_test", {}, "ok"),
            ("alpha_check", {}, "ok"),
        ]
    ):
        if isinstance(one, CallEvent) and one.step in agents:
            agent, inside = agents[one.step]
            if agent == "writer":
                events.append(MessageEvent(at=one.at, by="handoff", text="writer"))
            one = one.model_copy(update={"agent": agent, "inside": inside})
        events.append(one)
    return sessions.write(sessions.session("team", made, events), folder)


def timeline(driven: Driven) -> list[str]:
    return [row for row in rows(driven.app) if "_check()" in row[:30] or "_test()" in row[:30]]


async def test_a_sub_agents_calls_fold_and_unfold(tmp_path: Path) -> None:
    async with opened(team(tmp_path), (120, 40)) as driven:
        await driven.press("g", "n", "4")
        assert (
            len(timeline(driven)) == 3
            and "  alpha_check()" in timeline(driven)[0]
            and "scout" in timeline(driven)[0]
        )
        assert "handed over" in timeline(driven)[2] and "handed over" not in timeline(driven)[0]
        await driven.press("left_parenthesis")
        assert len(timeline(driven)) == 1 and "2 calls folded" in driven.text
        await driven.press("down")
        assert driven.state.focus == SelectedStep(4)
        await driven.press("up", "n")
        assert driven.state.debug.index == 2 and len(timeline(driven)) == 3
        await driven.press("left_parenthesis")
        assert driven.state.debug.index == 1 and len(timeline(driven)) == 1
        await driven.press("left_parenthesis")
        assert len(timeline(driven)) == 3 and "2 calls unfolded" in driven.text
        await driven.press("G", "left_parenthesis")
        assert TURNS in {key for _, key in driven.state.folded}, (
            "the hand-over is a turn, so turns are folded"
        )
