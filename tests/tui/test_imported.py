"""A run of another program on screen: turns of the user, failed calls, its name, its grade, what was left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from planscope.oracle.trace import LeftOut, Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.locations import bundled
from planscope.session.traces import session_of
from tests.traces.samples import CHAT, whole
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows

LEFT_OUT = [LeftOut("not understood", "no name", "m[3]"), LeftOut("not of this run", "gold plan", "g[0]", 5)]


def imported(folder: Path, left_out: list[LeftOut]) -> Path:
    items = [
        Said("user", "Refund order 7."),
        ToolCall("refund", {"order": 7}, answer="Error: no", answered=True, failed=True),
        Said("user", "Try it \x1b[31magain."),
        Said("user", "Please."),
        ToolCall("refund", {"order": 7, "note": "x" * 80}, answer="done", answered=True, failed=False),
    ]
    session = session_of([Trace(items, id="41.\x1b[31m41", left_out=left_out, reward=0.0)])
    add_rules(session, "refund happens at most twice.")
    return sessions.write(session, folder)


def timeline(driven: Driven) -> list[str]:
    found = [row.partition("││")[0].strip("│┃ ") for row in rows(driven.app)]
    start = next(k for k, row in enumerate(found) if "4 Timeline" in row)
    return found[start + 1 : start + 7]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_turns_failures_name_and_grade_are_on_the_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(imported(tmp_path, []), size) as driven:
        await driven.press("g")
        lines = timeline(driven)
        assert "before any call" in lines[0]
        assert lines[1].split()[-2:] == ["failed", "possible"] and "!" in lines[1]
        assert lines[2].startswith("user  Try it") and lines[3] == "user  Please."
        if size[1] > 24:
            assert lines[4].startswith("2 ✓ refund(order=7") and lines[4].endswith("possible")
        assert "41.␛[31m41" in rows(driven.app)[0] and "RIGHT  graded 0" in rows(driven.app)[0]
        await driven.press("4", "down")
        assert driven.state.debug.index == 1 and "the tool answered with an error" in driven.text
        await driven.press("down")
        assert driven.state.debug.index == 2 and "user     Please." in driven.text
        await driven.press("up")
        assert driven.state.debug.index == 1
        await driven.press("G")
        shown = " ".join(driven.text.split())
        assert "graded 0, keeps all rules" in shown and "not recorded" in shown and "0.0 s" not in shown


async def test_what_was_left_out_is_in_the_left_column(tmp_path: Path) -> None:
    async with opened(imported(tmp_path, LEFT_OUT), (120, 40)) as driven:
        left = " ".join(
            " ".join(row.partition("││")[0].strip("│┃ ") for row in rows(driven.app)[:18]).split()
        )
        assert "1 call not understood: no name (first: m[3])" in left
        assert "5 calls not of this run: gold plan (first: g[0])" in left
        assert "NOT DECIDED graded 0" in " ".join(rows(driven.app)[0].split())


async def test_a_path_that_is_pasted_and_one_that_is_typed_open_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    trace = tmp_path / "it's mine.json"
    trace.write_bytes(whole(CHAT))
    async with opened(bundled()["first-look"]) as driven:
        driven.app.screen.post_message(events.Paste("no such file"))
        await driven.until(lambda: "no file has this name" in driven.text)
        driven.app.screen.post_message(events.Paste(f'"{trace}"\n'))
        await driven.until(lambda: driven.state.title != "" and "read: " in driven.state.notice)
        await driven.rest()
        assert [call.tool for call in driven.state.run.calls] == ["search", "book"]
        trace.write_bytes(whole(CHAT[:3]))
        await driven.press("L", "+", "down", "down", "enter", *str(trace), "enter")
        await driven.until(lambda: driven.state.run.calls[1:] == () and "read: " in driven.state.notice)
