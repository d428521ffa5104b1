"""A dissection under way as the document sees it: what several threads make of it is told in no wrong order."""

from __future__ import annotations

import asyncio
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from textual.message import Message

from planscope.session.model import Cell, Dissection
from planscope.tui.controllers.dissecting import JOB, DissectChoice, Dissecting, Launch
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.messages import DocumentChanged
from tests.tui import sessions


class Slow:
    """Two runs end at once. Who asks for the record first is held up until the second run is told."""

    def __init__(self, session: Any, variant: Any, options: Any, *, on_run: Any, **more: Any) -> None:
        self.runs, self.on_run = session.runs, on_run
        self.cell = Cell(kind="Original", number=1, variant=variant.id)
        self.first_is_there, self.second_was_told = threading.Event(), threading.Event()

    @property
    def dissection(self) -> Dissection:
        made = Dissection(id="d1", variant="v1", agent="tools", model="sim:literal", cells=[self.cell])
        copy = made.model_copy(deep=True)
        if threading.current_thread().name == "first":
            self.first_is_there.set()
            self.second_was_told.wait(20)
        return copy

    def end(self, number: int) -> None:
        self.cell.runs.append(self.runs[number].id)
        self.on_run(self.cell, self.runs[number])

    def go(self, *given: Any, **more: Any) -> Dissection:
        first = threading.Thread(target=lambda: (self.end(0), self.first_is_there.set()), name="first")
        first.start()
        self.first_is_there.wait(20)
        self.end(1)
        self.second_was_told.set()
        first.join()
        return self.dissection

    def stop(self) -> None:
        pass


async def test_runs_that_end_at_once_take_nothing_from_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.dissection.engine.Dissector", Slow)
    seen: list[list[str]] = []

    def heard(message: Message) -> None:
        if isinstance(message, DocumentChanged) and message.what == "dissection":
            seen.append(document.open_session.dissections[0].cells[0].runs)

    document, jobs = Document(Path("none"), heard), Jobs(asyncio.get_running_loop())
    document.open(sessions.figure_10())
    work = Dissecting(document, jobs, heard)
    work.launch(document.open_session.variants[0], DissectChoice("tools", "sim:literal"), Launch())
    while jobs.running(JOB):
        await asyncio.sleep(0.01)
    assert work.trouble == "" and seen[-1] == ["r1", "r2"]
    assert all(set(before) <= set(after) for before, after in pairwise(seen)), seen


async def test_a_record_that_was_read_before_a_run_ended_loses_no_run() -> None:
    document, jobs = Document(Path("none"), lambda message: None), Jobs(asyncio.get_running_loop())
    document.open(sessions.figure_10())
    work = Dissecting(document, jobs, lambda message: None)
    stale = None
    for _ in range(3):
        once = Launch("Original", None if stale is None else 1)
        work.launch(document.open_session.variants[0], DissectChoice("tools", "sim:literal"), once, stale)
        while jobs.running(JOB):
            await asyncio.sleep(0.01)
        stale = stale or work.record
    (record,) = document.open_session.dissections
    assert work.trouble == "" and [len(cell.runs) for cell in record.cells] == [3]


class Leaking:
    """Fails with an error that repeats the key of a model."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.dissection = Dissection(id="d1", variant="v1", agent="tools", model="openai:m")

    def go(self, *given: Any, **more: Any) -> Dissection:
        raise RuntimeError(f"Incorrect API key provided: {KEY}")


KEY = "Wq7rT2mZx9Lp4Vb8Nc3K"


async def test_an_error_shows_no_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("planscope.dissection.engine.Dissector", Leaking)
    document, jobs = Document(Path("none"), lambda message: None), Jobs(asyncio.get_running_loop())
    document.open(sessions.figure_10())
    work = Dissecting(document, jobs, lambda message: None)
    work.launch(document.open_session.variants[0], DissectChoice("tools", "openai:m"), Launch())
    while jobs.running(JOB):
        await asyncio.sleep(0.01)
    assert work.trouble == "Incorrect API key provided: [secret]"
