"""The agent of a run is chosen or typed; naming the user's own imports nothing."""

from __future__ import annotations

import sys

import pytest

from planscope.errors import UserError
from planscope.session.locations import bundled
from planscope.tui.controllers.live_run import OwnChoice, RunChoice
from planscope.tui.dialogs.forms import agent_offers, fork_form, read_choice
from tests.tui import sessions
from tests.tui.screen import opened


def test_an_agent_of_ones_own_is_taken_by_name_and_not_imported() -> None:
    answers = {"model": "sim:careful", "seed": "", "base_url": "", "guard": "off", "stepping": "off"}
    assert read_choice(answers | {"agent": " react "}, RunChoice()).agent == "react"
    assert read_choice(answers | {"agent": "antigravity:make"}, RunChoice()).agent == "antigravity:make"
    assert "antigravity" not in sys.modules
    with pytest.raises(UserError, match="no agent reakt; there are tools, react, responses"):
        read_choice(answers | {"agent": "reakt"}, RunChoice())
    assert [offer.text for offer in agent_offers("mine:make")] == ["tools", "react", "responses", "mine:make"]


@pytest.mark.parametrize("own", [None, OwnChoice("Book it.")])
def test_a_fork_pauses_where_its_form_says(own: OwnChoice | None) -> None:
    session = sessions.figure_10()
    run = session.runs[0]
    form = fork_form(run, 1, None, RunChoice(model="sim:careful", own=own), session.variants)
    answers = {field.name: field.value for field in form.fields}
    assert answers["stepping"] == "off" and not form.read(answers).choice.stepping
    forked = form.read(answers | {"stepping": "on"})
    assert forked.choice.stepping and (forked.variant, forked.answer) == (run.variant, None)


async def test_agents_are_chosen_from_a_list() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        await driven.press("r", "down", "tab")
        assert "text: thought, action, observation" in driven.text
        await driven.press("down", "enter")
        assert "Agent        react" in driven.text
