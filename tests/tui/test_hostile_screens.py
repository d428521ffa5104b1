"""What a session or an agent says is only shown by the screens and dialogs over the debug screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from planscope.agents.simulated.chat import SimulatedChat
from planscope.session.locations import bundled
from planscope.session.model import AnswerEvent, CallEvent, Cell, Dissection, ForkPoint, Session
from planscope.session.store import save
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.screens.debug import running
from tests.hostile import in_turn
from tests.nightly import nightly
from tests.tui.screen import Driven, opened
from tests.tui.test_hostile_screen import SHORT, assert_clean, hostile_session
from tests.tui.test_live import until

BATCHES = [SHORT[i : i + 45] for i in range(0, len(SHORT), 45)]


def hostile_everywhere(texts: tuple[str, ...], *, readable: bool) -> Session:
    """As for the debug screen; and an edited request, a fork whose calls were edited or refused, a dissection."""
    session = hostile_session(texts, readable=readable)
    texts = (*texts, *SHORT[:12])
    variant, run = session.variants[0], session.runs[0]
    words = variant.query.text + (" Disk check follows network audit." if readable else texts[0])
    query = variant.query.model_copy(update={"text": words})
    other = variant.model_copy(update={"id": texts[1] + "2", "parent": variant.id, "query": query})
    events = []
    for i, event in enumerate(run.events):
        change: dict[str, object] = {"kept": True} if i < 6 else {}
        if isinstance(event, CallEvent) and event.step % 2:
            change["asked"] = {texts[2]: texts[3]}
        if isinstance(event, AnswerEvent):
            change |= {"text": texts[4], "said": event.text} if event.step % 4 else {"refused_by": "user"}
        events.append(event.model_copy(update=change))
    fork = run.model_copy(
        update={"id": texts[5] + "2", "forked_from": ForkPoint(run=run.id, step=2), "events": events}
    )
    cells = [Cell(kind="Original", number=1, variant=variant.id, runs=[run.id])]
    cells += [Cell(kind="TopicChange", number=1, variant=other.id)]
    record = Dissection(
        id=texts[6],
        variant=variant.id,
        run=run.id,
        agent=texts[7],
        model="sim:" + texts[8],
        cells=cells,
        closed={"Control": texts[9], "Repeat": texts[10]},
    )
    session.variants, session.runs, session.dissections = [variant, other], [run, fork], [record]
    return session


async def press(driven: Driven, *keys: str) -> None:
    for key in keys:
        await driven.press(key)
        assert_clean(driven)


TURNS = [(k, one) for k in range(len(BATCHES)) for one in in_turn((True, False), k, 2)]


@pytest.mark.parametrize(
    ("batch", "readable", "every"),
    [(*TURNS[0], 15), *nightly(*((*turn, 1) for turn in TURNS))],
)
async def test_the_corpus_on_every_screen(batch: int, readable: bool, every: int, tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(hostile_everywhere(BATCHES[batch][::every], readable=readable), path)
    size = [(80, 24), (120, 40), (200, 60)][batch % 3]
    async with opened(path, size) as driven:
        await press(driven, "d")
        compare = driven.app.screen
        await until(driven, lambda: compare.at_rest)
        for page in "12345":
            await press(driven, page, "n", "n", "N", "pagedown", "end")
        for dialog in "[]y":
            await press(driven, dialog, "down", "escape")
        await press(driven, "%")
        await until(driven, lambda: compare.at_rest)
        await press(driven, "escape", "m")
        dissect = driven.app.screen
        await until(driven, lambda: dissect.at_rest)
        await press(driven, "down", "down", "down", "down", "down", "pagedown", "up", "up")
        for dialog in "O+*y":
            await press(driven, dialog, "down", "escape")
        await press(driven, "m", "escape")  # what cannot be run says so
        await press(
            driven, "space", "+", "pagedown", "end", "y", "escape", "tab", "+", "end", "left", "escape"
        )
        for dialog in "rFxo":
            await press(driven, dialog, "down", "tab", "escape", "escape")
        await press(driven, "g", "p", "down", "enter", "K", "escape")
        assert driven.app.is_running and driven.app.screen is driven.screen


@pytest.mark.parametrize("begin", [0, *nightly(*range(60, len(SHORT), 60))])
async def test_what_a_live_agent_says_and_calls(begin: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that calls tools of any name with any arguments, and tools that answer anything."""
    texts = [t for t in (*SHORT[begin:], *SHORT) if t.strip()]

    def answer(self: SimulatedChat, messages: list[BaseMessage], tools: object) -> tuple[AIMessage, float]:
        i = len(messages) * 3
        name = texts[i] if i % 2 else "replica_procurement"
        call = {"name": name, "args": {"start_time": 3, texts[i + 1]: texts[i + 2]}, "id": f"c{i}"}
        return AIMessage(content=texts[i + 3], tool_calls=[call]), 0.0

    monkeypatch.setattr(SimulatedChat, "_answer", answer)
    monkeypatch.setattr("planscope.agents.toolset.tool_answer", lambda *a, **k: (texts[7], True))
    async with opened(bundled()["first-look"], [(80, 24), (120, 40)][begin % 4 // 2]) as driven:
        running.start_run(driven.screen, "v1", RunChoice(model="sim:careful", stepping=True))
        for step in range(1, 6):
            await until(driven, lambda: not driven.screen.work.live.at_work or driven.state.at_pending)
            assert driven.screen.work.live.at_work, driven.text
            for dialog in "aARx":
                await press(driven, dialog, "escape")
            asked = driven.screen.work.live.paused
            await press(driven, *("a", "enter") if step % 2 else "n")
            await until(driven, lambda asked=asked: driven.screen.work.live.paused not in (None, asked))
        await press(driven, "N", "N", "d", "escape", "X")
        run = driven.screen.work.document.run(driven.state.run.id)
        assert not any(e.asked for e in run.events if isinstance(e, CallEvent))
