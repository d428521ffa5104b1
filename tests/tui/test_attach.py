"""An agent of another process on the debug screen. Here it runs in a thread, over the same socket."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from planscope.agents import record
from planscope.agents.attach import listener
from planscope.agents.attach.client import attachable
from planscope.agents.attach.place import SYSTEMS, id_of, sockets
from planscope.agents.shop import RULES, agent, get_order
from planscope.commands.attach import _make_session
from planscope.session.model import AnswerEvent, CallEvent, Run
from planscope.session.store import load
from planscope.tui.controllers.live_run import RunChoice, RunRequest
from tests.tui.screen import PATIENCE, Driven, opened
from tests.tui.test_live import paused
from tests.tui.test_own_debug import answer

pytestmark = pytest.mark.skipif(sys.platform not in SYSTEMS, reason="there are no such sockets")
ASKED = {"messages": [("user", "Refund order 7.")]}


class Program:
    """The user's program: an agent with a recorder, run in a thread when it is told."""

    def __init__(self, path: Path) -> None:
        self.recorder = record(path, rules=RULES.splitlines(), attach=True)
        self.agent = agent([self.recorder])
        self.said: list[str] = []

    def begin(self) -> threading.Thread:
        thread = threading.Thread(target=self._run)
        thread.start()
        return thread

    def _run(self) -> None:
        done = self.agent.invoke(ASKED)
        self.said = [m.content for m in done["messages"] if m.type == "tool"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    monkeypatch.setattr(
        listener, "SILENT", 60.0
    )  # a screen of a busy machine is not let go as one that stands still
    yield Program(tmp_path / "desk.planscope.json")
    listener._close_all()


@asynccontextmanager
async def attached(program: Program, purpose: Any = "debug", **options: Any) -> AsyncIterator[Driven]:
    (place,) = sockets()
    desk = attachable(id_of(place), purpose)
    path = Path(desk.welcome.path)
    _make_session(path, desk.welcome.title)
    choice = RunChoice("desk", "its own", stepping=options.pop("stepping", True), attached=desk)
    live = RunRequest(choice, "", **options)
    async with opened(path, live=live) as driven:
        await driven.until(lambda: program.recorder.talks.watch)
        yield driven


async def joined(thread: threading.Thread) -> None:
    await asyncio.to_thread(thread.join)


def calls(run: Run) -> list[str]:
    return [e.tool for e in run.events if isinstance(e, CallEvent)]


async def test_runs_are_followed_paused_and_decided_about(program: Program) -> None:
    async with attached(program) as driven:
        await driven.sees("attached to desk", "which waits for its next run")
        for key in ("P", "X", "r", "F"):
            await driven.press(key)
            assert "attached" in driven.text, key
        thread = program.begin()
        await paused(driven, 1)
        await driven.sees("get_order", "‖ PAUSED")
        assert [c.text for c in driven.state.debug.run.problem.constraints][:1], "judged by its rules"
        await driven.press("n")
        await paused(driven, 2)
        await driven.sees("which would lose the run")
        await answer(driven, "M", "0 EUR paid back")
        await paused(driven, 3)
        await driven.press("c")
        await driven.sees("waits for its next run")
        await joined(thread)
        assert program.said[1] == "0 EUR paid back"
        run = driven.screen.work.document.run(driven.state.run.id)
        assert run is not None and run.events[-1].type == "end"
        await joined(program.begin())  # c goes on in the next run, too
        await driven.until(lambda: len(driven.screen.work.document.runs) == 2)
        await driven.sees("run 2 of 2", "waits for its next run")
        await driven.press("q")
    runs = load(program.recorder.path).runs
    assert [calls(one) for one in runs] == [["get_order", "refund_order", "check_policy"]] * 2
    assert [e.given_by for e in runs[0].events if isinstance(e, AnswerEvent)] == [None, "user", None]


async def test_other_runs_of_the_process_are_said_to_go_on(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(get_order, "func", lambda order_id: goes_on.wait(PATIENCE) and "paid")
    async with attached(program) as driven:
        first = program.begin()
        await paused(driven, 1)
        other = program.begin()
        await driven.sees("1 other run of this program goes on")
        goes_on.set()
        await joined(other)
        await driven.until(lambda: not driven.state.unfollowed and "other run of" not in driven.text)
        await driven.press("c")
        await joined(first)
        await driven.sees("waits for its next run")


async def test_leaving_at_a_paused_call_asks_nothing_and_lets_it_go_on(program: Program) -> None:
    async with attached(program) as driven:
        thread = program.begin()
        await paused(driven, 1)
        await driven.press("q")
        await driven.until(lambda: driven.app._exit)
    await joined(thread)
    program.recorder.close()
    (run,) = load(program.recorder.path).runs
    assert len(calls(run)) == 3 and run.events[-1].type == "end"


async def test_a_watcher_decides_nothing(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setattr(get_order, "func", lambda order_id: goes_on.wait(PATIENCE) and "paid")
    async with attached(program, "watch") as driven:
        thread = program.begin()
        await driven.sees("▷ RUNNING", "you only watch")
        assert "X stop" not in driven.text
        for key in ("n", "c", "P", "X", "a", "R"):
            await driven.press(key)
            assert "you only watch" in driven.text, key
        goes_on.set()
        await joined(thread)
        await driven.until(lambda: driven.state.run is not None and len(driven.state.run.calls) == 3)
        assert program.said[1] == "40 EUR paid back for order 7"
        assert not driven.screen.work.document.unsaved, "the agent writes the record, not who watches it"


async def test_the_end_of_the_agents_process_is_said(program: Program) -> None:
    async with attached(program) as driven:
        thread = program.begin()
        await paused(driven, 1)
        listener._close_all()
        await driven.sees("no longer attached: the process of the agent has ended")
        await joined(thread)
        for key in ("n", "X", "P"):
            await driven.press(key)
        assert not driven.screen.work.live.at_work
