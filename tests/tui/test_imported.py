"""A run of another program on screen: turns of the user, failed calls, its name, its grade, what was left out."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from textual import events

from planscope.oracle.trace import LeftOut, Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.rules.offers import examples, labelled, offers
from planscope.session.locations import bundled
from planscope.session.traces import session_of
from planscope.wording import terms
from tests.nightly import nightly
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
    found = [row.partition("│")[0].strip("┃ ") for row in rows(driven.app)]
    start = next(k for k, row in enumerate(found) if "4 Timeline" in row)
    return found[start + 1 : start + 7]


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_turns_failures_name_and_grade_are_on_the_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(imported(tmp_path, []), size) as driven:
        await driven.press("g")
        lines = timeline(driven)
        assert "before any call" in lines[0]
        assert lines[1].endswith("↤ cause possible") and "!" in lines[1]
        assert lines[2].startswith("user  Try it") and lines[3] == "user  Please."
        await driven.press("(")
        assert timeline(driven)[2].endswith("2 turns folded possible") and "Please." not in "".join(
            timeline(driven)
        )
        await driven.press("(")
        if size[1] > 24:
            assert lines[4].startswith("2 ✓ refund(order=7") and lines[4].endswith("possible")
        assert "41.␛[31m41" in rows(driven.app)[0] and "RIGHT graded wrong ↤ cause step 1" in " ".join(
            rows(driven.app)[0].split()
        )
        await driven.press("4", "down")
        assert driven.state.debug.index == 1 and "the tool answered with an error" in driven.text
        await driven.press("down")
        assert driven.state.debug.index == 2 and "user     Please." in driven.text
        await driven.press("up")
        assert driven.state.debug.index == 1
        await driven.press("G")
        shown = " ".join(driven.text.split())
        assert "graded 0, keeps all rules" in shown and "not recorded" in shown and "0.0 s" not in shown


def test_rules_to_begin_with_cost_little_where_there_are_very_many_tools() -> None:
    calls = [ToolCall(f"tool_{k}", {"id": k}) for k in range(1_000)]
    tracemalloc.start()
    try:
        offered = offers(Trace(calls))
        assert tracemalloc.get_traced_memory()[1] < 5_000_000, "each pair of tools was a sentence: 90 MB"
    finally:
        tracemalloc.stop()
    assert "tool_1 comes before tool_0." in offered and "tool_0 comes before tool_1." in offered


async def test_words_beside_a_long_label_are_safe(tmp_path: Path) -> None:
    hostile = "We \x1b[31mred\x1b]0;title\x07 " + "word " * 40 + "\nnext line"
    said = [Said("user", "Hi."), Said("compacted", hostile), Said("handoff", "\x1b[2J"), Said("user", "On.")]
    call = ToolCall("look_up", {"order": 7}, answer="{}", answered=True, failed=False)
    path = sessions.write(session_of([Trace([*said, call], id="t")]), tmp_path)
    async with opened(path, (120, 40)) as driven:
        await driven.press("g", "n")
        step = [row.partition("│")[2] for row in rows(driven.app)]
        assert any(row.startswith(" history compacted  We ␛[31mred␛]0;title␇ word") for row in step)
        assert any(row.startswith(" handed over  ␛[2J") for row in step)
        assert not {"\x1b", "\x07"} & set(driven.text) and any("next line" in row for row in step)


async def test_what_was_left_out_is_in_the_left_column(tmp_path: Path) -> None:
    async with opened(imported(tmp_path, LEFT_OUT), (120, 40)) as driven:
        left = " ".join(" ".join(row.partition("│")[0].strip("┃ ") for row in rows(driven.app)[:18]).split())
        assert "1 call not understood: no name (first: m[3])" in left
        assert "5 calls not of this run: gold plan" in left and "g[0]" not in left
        assert "NOT DECIDED graded wrong ↤ cause step 1" in " ".join(rows(driven.app)[0].split())


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


def unruled(folder: Path, *, failed: bool = True) -> Path:
    items = [
        Said("user", "Refund order 7."),
        Said("model", "Which payment?"),
        Said("user", "The card."),
        Said("model", "I look it up."),
        ToolCall("look_up", {"order": 7}, answer="{}", answered=True, failed=False),
        ToolCall("refund", {"order": 7}, answer="Error: no", answered=True, failed=failed),
        Said("model", "It cannot be refunded."),
    ]
    return sessions.write(session_of([Trace(items, id="t")]), folder)


async def test_the_only_run_has_nothing_to_compare_with(tmp_path: Path) -> None:
    async with opened(unruled(tmp_path), (200, 60)) as driven:
        assert "d compare" not in rows(driven.app)[-1]
        await driven.press("d")
        await driven.until(lambda: "nothing to compare with: the session has one run" in driven.text)


async def test_what_is_not_recorded_is_not_repeated_for_each_run(tmp_path: Path) -> None:
    traces = [
        Trace([ToolCall("look_up", {"order": n}, answer="{}", answered=True)], id=f"t{n}") for n in (1, 2)
    ]
    async with opened(sessions.write(session_of(traces), tmp_path), (120, 40)) as driven:
        assert "d compare" in rows(driven.app)[-1]
        await driven.press("o")
        await driven.until(lambda: "t2" in driven.text and "1 call" in driven.text)
        assert "not recorded" not in driven.text
        await driven.press("escape", "d")
        await driven.until(lambda: "compare" in driven.text and " here" in rows(driven.app)[0])
        assert not any("not recorded" in row for row in rows(driven.app) if " run " in row)


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_a_trace_without_rules_shows_who_spoke_and_invites_rules(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(unruled(tmp_path), size) as driven:
        text = driven.text
        assert "model Which payment?" in text and "user  The card." in text
        assert "I look it up." not in timeline(driven)[2], "the words with a call are the call's thought"
        assert "not judged" not in "".join(timeline(driven)[:3]), "the header says it once"
        if size[0] > 100:
            assert "model It cannot be refunded." in text
            assert "keeps   look_up comes before refund." in text
            assert "breaks  refund comes before look_up." in text
            assert "2 Tree" not in text and "3 Constraints" not in text
            await driven.press("2")
            assert "2 Tree" in driven.text
            await driven.press("4")
            assert "2 Tree" not in driven.text
        foot = rows(driven.app)[-1]
        assert (
            "write rules" in foot and "failed call" in foot and "dissect" not in foot and "rerun" not in foot
        )
        await driven.press("f")
        assert driven.state.debug.index == 2 and "! failed" in driven.text
        await driven.press("x")
        assert "Not judged: there is no query and no rule" in driven.text
        assert "Most likely cause: step 2" in driven.text, "there the cause is all there is"
        await driven.press("escape")
        await driven.press("m")
        assert "a dissection changes its words" in driven.text and driven.app.screen is driven.screen


async def test_search_finds_the_task_and_what_was_said_at_the_end(tmp_path: Path) -> None:
    async with opened(unruled(tmp_path)) as driven:
        for text, index, pane in (("Refund order", 0, "query"), ("cannot be refunded", -1, "step")):
            await driven.press("home", "/")
            await driven.type(text)
            await driven.press("enter")
            assert "1 of 1 place" in driven.text
            assert driven.state.debug.index == index % len(driven.state.debug.run.steps)
            shown = driven.screen.pane(pane)
            assert any(terms.HIT_GLYPH in shown.line_at(i).text for i in range(shown.size_of()))


async def test_without_a_failed_call_f_goes_to_the_likely_cause(tmp_path: Path) -> None:
    async with opened(unruled(tmp_path, failed=False)) as driven:
        await driven.press("home")
        assert "f likely cause" in rows(driven.app)[-1]
        await driven.press("f")
        assert driven.state.debug.index == driven.state.cause_at and "Most likely cause" in driven.text
        await driven.press("f")
        assert "no other call failed" in driven.text
        driven.screen.change(cause=None)
        await driven.press("f")
        assert "no call failed; not judged" in driven.text
        assert "likely cause" not in rows(driven.app)[-1]


async def test_with_rules_all_panes_are_back_and_e_is_rules(tmp_path: Path) -> None:
    async with opened(imported(tmp_path, []), (120, 40)) as driven:
        assert "2 Tree" in driven.text and "3 Constraints" in driven.text
        foot = rows(driven.app)[-1]
        assert "e rules" in foot and "rerun" not in foot and "dissect" not in foot and "fork" not in foot


@pytest.mark.parametrize("ruled", [False, True])
async def test_without_a_run_an_imported_trace_promises_no_run(tmp_path: Path, *, ruled: bool) -> None:
    path = imported(tmp_path, []) if ruled else unruled(tmp_path)
    async with opened(path, (120, 40)) as driven:
        await driven.press("o", "up", "enter")
        await driven.rest()
        assert driven.state.run is None
        foot = rows(driven.app)[-1]
        assert "run it" not in foot and "dissect" not in foot and "what if" not in foot and "o runs" in foot
        assert "No run is shown; o lists the runs." in driven.text and "press r" not in driven.text
        assert "1 Task" in driven.text
        await driven.press("n")
        assert "no run is shown; o lists the runs" in driven.text


def test_examples_are_kept_and_broken_as_they_say() -> None:
    for called in (["Read", "Write"], ["a-b", "call", "time"], ["lookup"], ["before", "and"]):
        trace = Trace([ToolCall(tool, {}, answered=True) for tool in called])
        shown = examples(called)
        assert [word for word, _ in shown] == ["keeps", "breaks"]
        assert list(labelled([text for _, text in shown], trace)) == list(shown)


async def test_the_header_keeps_what_fits_where_a_long_name_does_not(tmp_path: Path) -> None:
    calls = [ToolCall("a", {}, answer="ok", answered=True)]
    trace = Trace(calls, id="an-id-of-many-letters", title="A conversation about a project of alpha")
    session = session_of([trace])
    add_rules(session, "a never happens.")
    async with opened(sessions.write(session, tmp_path), (96, 40)) as driven:
        header = rows(driven.app)[0]
        assert header.startswith(" planscope ") and "run 1 of 1" not in header, header
