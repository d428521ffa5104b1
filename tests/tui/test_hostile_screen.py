"""Nothing that a session holds does anything to the screen but be shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    Given,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    SeenMessage,
    SeenTool,
    Session,
    Variant,
)
from planscope.session.store import save
from tests.hostile import SAVEABLE, in_turn
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows

BAD = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
SHORT = tuple(s[:600] for s in SAVEABLE)
BATCHES = [SHORT[i : i + 16] for i in range(0, len(SHORT), 16)]


def assert_clean(driven: Driven) -> None:
    for row in rows(driven.app):
        if row.isprintable():  # nearly every row is, and this is told at once
            continue
        wrong = [f"U+{ord(c):04X}" for c in row if unicodedata.category(c) in BAD]
        assert not wrong, (wrong[:5], row)


def hostile_session(texts: tuple[str, ...], *, readable: bool) -> Session:
    """Every text in every field that takes any text."""

    def one(i: int) -> str:
        return texts[i % len(texts)]

    text = "Network audit precedes disk check." if readable else " ".join(texts)
    names = ["network audit", "disk check"] if readable else [f"{one(i)} {i}" for i in range(len(texts))]
    records = [ActionRecord(id=f"a{i}", name=name, tool=f"t{i}") for i, name in enumerate(names, 1)]
    tool = SeenTool(name=one(3), description=one(4), parameters={one(5): [one(6)]})
    said = [SeenMessage(role=one(7), text=one(8), calls=[{one(9): one(10)}])]
    events: list[Event] = [PromptEvent(text=one(1), system=one(2), tools=[tool], messages=said)]
    given = Given(system=one(2), tools=[tool], messages=said)
    for step, hostile in enumerate(texts, 1):
        events += [
            MessageEvent(at=step, text=hostile, message={one(step): hostile}, given=given),
            CallEvent(
                at=step,
                step=step,
                tool=hostile,
                arguments={hostile: [hostile, {hostile: hostile}]} if step % 3 else None,
                raw=hostile,
                error=hostile if step % 3 == 0 else None,
            ),
            AnswerEvent(at=step, step=step, text=hostile, status="error" if step % 2 else "ok"),
        ]
    events += [MessageEvent(at=99, text=one(3)), EndEvent(at=99, ending="aborted", reason=one(4))]
    variant = Variant(id=one(5), origin=Origin(kind="written"), query=Query(text=text), actions=records)
    run = Run(id=one(6), variant=one(5), agent=one(7), model="sim:" + one(8), events=list(events))
    return Session(
        id=one(9),
        title=one(10),
        notes=one(11),
        variants=[variant],
        runs=[run],
        breakpoints=list(texts),
        watches=list(texts),
        cursor={"run": one(6), "index": 1, one(0): one(1)},
    )


def keys() -> Iterator[str]:
    yield from "nnNsScCfgGbn"
    yield from ("V", "down", "z", "V", "z", "V")
    yield from ("1", "down", "down", "2", "down", "3", "down", "enter", "4", "down", "5", "down", "z", "z")
    for dialog in ("x", "question_mark", "B", "w", "o", "y", "slash", "J"):
        yield dialog
        yield "escape"


TURNS = [(k, one) for k in range(len(BATCHES)) for one in in_turn((True, False), k, 2)]


@pytest.mark.parametrize(
    ("batch", "readable"),
    [turn if turn[0] == 1 else pytest.param(*turn, marks=pytest.mark.nightly) for turn in TURNS],
)
async def test_the_corpus_in_every_field(batch: int, readable: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(hostile_session(BATCHES[batch], readable=readable), path)
    size = [(80, 24), (120, 40), (200, 60)][batch % 3]
    async with opened(path, size) as driven:
        assert_clean(driven)
        for key in keys():
            await driven.press(key)
            assert_clean(driven)
        await driven.press("ctrl+p")
        await driven.pilot.pause(0.1)
        assert_clean(driven)
        assert driven.app.is_running


async def test_long_texts_in_every_field(tmp_path: Path) -> None:
    texts = tuple(s for s in SAVEABLE if len(s) > 1000)
    path = tmp_path / "x.planscope.json"
    save(hostile_session(texts, readable=True), path)
    async with opened(path) as driven:
        for key in "nnnnngxG":
            await driven.press(key)
            await driven.answered()
            assert_clean(driven)


@pytest.mark.parametrize("every", [12, *nightly(1)])
async def test_hostile_words_typed_or_pasted_into_a_dialog(every: int, tmp_path: Path) -> None:
    from textual import events

    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        for dialog in ("slash", "J", "B", "w"):
            await driven.press(dialog)
            for text in SHORT[::every] if dialog == "B" else SHORT[:: 7 * every]:
                if driven.app.screen is driven.screen:
                    await driven.press(dialog)
                driven.app.screen.focused.post_message(events.Paste(text))
                await driven.press("enter")
                assert_clean(driven)
            await driven.press("escape", "escape")


async def test_a_session_that_cannot_be_loaded_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_text(
        '{"format": "planscope-session", "version": 1, "id": "\\u001b]0;x\\u0007", "title": "\\u001b[31mred", '
        '"variants": [{"id": "v", "query": {"text": "A \\u202e B"}, "origin": {"kind": 7}, "actions": 3}], '
        '"runs": [{"id": "r", "variant": "v", "agent": [], "model": {}, "events": [{"type": "call", "step": "x"}]}]}'
    )
    async with opened(path) as driven:
        assert driven.state.progress == "failed"
        assert_clean(driven)
        told = " ".join(driven.text.replace("│", " ").split())  # the path decides where its line is broken
        assert "is not a valid session" in told
        for key in keys():
            await driven.press(key)
        await driven.answered()
        assert_clean(driven)


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", "null", "[" * 100_000, "\x00\x01", '{"format": 3}'])
async def test_files_that_are_no_sessions(content: str, tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_text(content)
    async with opened(path) as driven:
        assert driven.state.progress == "failed"
        assert str(path.name) in driven.text.replace("\n", "") or "session" in driven.text
        await driven.press(*"n1x")
        assert_clean(driven)


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    async with opened(tmp_path / "gone.planscope.json") as driven:
        assert "there is no file" in driven.text
