"""A user's own agent on the debug screen: its tools are really called, but only as the user decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt

from planscope.agents.own_live import load_agent
from planscope.debugger.cursor import go_to
from planscope.session.model import AnswerEvent, CallEvent, Run
from planscope.session.store import load
from planscope.tui.controllers.live_run import OwnChoice, RunChoice
from planscope.tui.screens.debug import running
from tests.agents.support import says
from tests.agents.test_own_agent import Both
from tests.agents.test_own_tools import SCRIPT, by_name, done, quickstart, tools_in
from tests.tui.screen import Driven, opened
from tests.tui.test_live import ended, paused, until

SHOP = "planscope.agents.shop:agent"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """The session that ``planscope debug`` makes for the agent."""
    import argparse

    from planscope.commands.own import place_for

    agent = load_agent(SHOP)
    agent.make_once()
    given = argparse.Namespace(agent=SHOP, output=str(tmp_path / "shop.planscope.json"), rules=None)
    path, variant = place_for(given, agent)
    assert [a.tool for a in variant.actions] == ["get_order", "check_policy", "refund_order"]
    return path


async def start(driven: Driven, agent: str = SHOP, **own: bool) -> None:
    choice = RunChoice(agent=agent, model="its own", stepping=True, own=OwnChoice("Refund order 7.", **own))
    running.start_run(driven.screen, driven.state.variant.id, choice)
    if agent == SHOP:
        await paused(driven, 1)


def calls(run: Run) -> list[tuple[str, object]]:
    return [(e.tool, (e.arguments or {}).get("order_id")) for e in run.events if isinstance(e, CallEvent)]


def answers(run: Run) -> list[tuple[str, str | None]]:
    return [(e.text, e.given_by or e.refused_by) for e in run.events if isinstance(e, AnswerEvent)]


async def answer(driven: Driven, key: str, text: str) -> None:
    await driven.press(key)
    await until(driven, lambda: driven.app.screen is not driven.screen)
    driven.app.screen.query_one("Input").value = text
    await driven.press("enter")


async def test_it_pauses_before_each_tool_and_does_as_it_is_told(session: Path) -> None:
    async with opened(session) as driven:
        await start(driven)
        assert "M answer without calling" in " ".join(driven.text.split()) or "M" in driven.text
        await driven.press("n")
        await paused(driven, 2)
        assert driven.screen.work.live.paused.agent == "refund desk"
        await answer(driven, "M", "0 EUR paid back")
        await paused(driven, 3)
        await answer(driven, "R", "no need")
        run = await ended(driven)
        assert calls(run) == [("get_order", "7"), ("refund_order", "7"), ("check_policy", None)]
        assert answers(run)[:2] == [
            ("1 lamp, 40 EUR, paid, delivered 3 days ago", None),
            ("0 EUR paid back", "user"),
        ]
        assert answers(run)[2][1] == "user"
        assert (run.agent, run.model) == (SHOP, "Desk")
        # then a fork from step 1, with its own tools
        driven.screen.move(go_to(driven.state.debug, 1))
        await driven.press("F")
        await until(driven, lambda: driven.app.screen is not driven.screen)
        await driven.press("enter")
        await paused(driven, 2)
        await driven.press("c")
        fork = await ended(driven)
        assert fork.forked_from is not None and fork.forked_from.step == 1
        assert answers(fork)[1] == ("40 EUR paid back for order 7", None)
    assert len(load(session).runs) == 2


async def test_a_dry_run_calls_no_tool(session: Path) -> None:
    async with opened(session) as driven:
        await start(driven, dry=True)
        for step, text in enumerate(("one", "two", "three"), 1):
            await paused(driven, step)
            await answer(driven, "n", text)
        run = await ended(driven)
        assert answers(run) == [("one", "user"), ("two", "user"), ("three", "user")]


@tool
def ask_clerk(question: str) -> str:
    """Ask a clerk."""
    return f"{interrupt(question)!r}"


def asking() -> Any:
    """An agent that asks for approval of a call, which then asks a question."""
    call = ("ask_clerk", {"question": "Is it theirs?"})
    decisions: Any = {"ask_clerk": {"allowed_decisions": ["approve", "edit"]}}
    return create_agent(
        Both(script=[says(call).model_copy(update={"content": "I am sure to ask."}), AIMessage("Done.")]),
        [ask_clerk],
        middleware=[HumanInTheLoopMiddleware(interrupt_on=decisions)],
        checkpointer=InMemorySaver(),
    )


async def test_an_interrupted_agent_is_answered_on_the_screen(session: Path) -> None:
    async with opened(session) as driven:
        await start(driven, "tests.tui.test_own_debug:asking")
        live = driven.screen.work.live
        await driven.sees("ASKS YOU", "it said  I am sure to ask.")
        assert live.question is not None and "approval of ask_clerk" in " ".join(driven.text.split())
        await driven.press("R")
        await driven.sees("does not let this call be rejected")
        await answer(driven, "a", '{"question": "Whose is it?"}')
        await paused(driven, 1)
        assert live.paused.arguments == {"question": "Whose is it?"}
        await driven.press("n")
        await driven.sees("asks you Whose is it?")
        assert live.question is not None and live.question.tool is None
        await answer(driven, "M", '{"name": "Ann"}')
        run = await ended(driven)
        assert run.events[-1].ending == "stopped"
        assert "{'name': 'Ann'}" in answers(run)[0][0]
        (call,) = [e for e in run.events if isinstance(e, CallEvent)]
        assert (call.arguments, call.asked) == ({"question": "Whose is it?"}, {"question": "Is it theirs?"})


async def test_without_the_agent_it_says_how_to_run_it(session: Path) -> None:
    """Mock tools cannot stand in for real ones."""
    async with opened(session) as driven:
        await driven.press("r")
        await until(driven, lambda: "planscope debug package.module:agent" in " ".join(driven.text.split()))
        assert driven.app.screen is driven.screen


async def test_the_dialog_for_arguments_goes_by_the_tools_own_schema(session: Path) -> None:
    async with opened(session) as driven:
        await start(driven)
        await driven.press("a")
        await until(driven, lambda: driven.app.screen is not driven.screen)
        typed = driven.app.screen.query_one("Input")
        for text, said in (
            ('{"order_id": 7}', "the tool would refuse the call: order_id must be a string, not an integer"),
            ("{}", "the tool would refuse the call: order_id is missing"),
            ('{"order_id": "7", "why": 1}', "the tool does not name why among its arguments"),
        ):
            typed.value = text
            await until(driven, lambda said=said: said in " ".join(driven.text.split()))
        typed.value = '{"order_id": "8"}'
        await until(driven, lambda: "the tool " not in driven.text)
        await driven.press("enter")
        await paused(driven, 2)
        await driven.press("X")
        run = await ended(driven)
        assert calls(run)[0] == ("get_order", "8")


def by_hand() -> Any:
    """A graph whose node calls the tools itself."""
    folder = Path(FOLDER[-1])
    return quickstart(by_name)(Both(script=list(SCRIPT)), tools_in(folder))


FOLDER: list[str] = []


async def test_a_dry_run_of_a_graph_that_calls_its_tools_itself(session: Path, tmp_path: Path) -> None:
    FOLDER.append(str(tmp_path))
    async with opened(session) as driven:
        await start(driven, "tests.tui.test_own_debug:by_hand", dry=True)
        for step, text in enumerate(('{"paid": 1}', "mailed"), 1):
            await paused(driven, step)
            await answer(driven, "n", text)
        run = await ended(driven)
        assert answers(run) == [('{"paid": 1}', "user"), ("mailed", "user")] and done(tmp_path) == []
