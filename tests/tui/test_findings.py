"""The screen of findings: from a step to its finding and back, the reproducer, a session of findings alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing, FuzzSet, Session
from planscope.toolfuzz.job import Options
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.tool_search import Progress, ToolSearch, again
from planscope.tui.screens.findings.discovery import discovery_lines
from planscope.tui.screens.findings.lines import python_call
from planscope.tui.screens.findings.screen import FindingsScreen
from tests.nightly import nightly
from tests.toolfuzz.printed import call, prompt_run, prompt_set
from tests.tui import sessions
from tests.tui.screen import opened

CALL = {"tool": "drop", "arguments": {"name": "a"}}
FINDINGS = [
    FuzzFinding(tool="hostile\x1b[31m", kind="unheard of", message="<b>\x07", input=[1, None], shrunk=["x"]),
    FuzzFinding(
        tool="applying_hair_color", kind="raised", exception="KeyError", message="'colour'", location="hair.py:7",
        input={"start_time": 8}, shrunk={"start_time": 0}, traceback="Traceback:\n  hair.py", branches=3,
    ),
    FuzzFinding(tool="drop", kind="sequence", message="drop said so twice", input=[CALL, CALL], shrunk=[CALL, CALL]),
]  # fmt: skip
FUZZING = Fuzzing(
    id="z1", target="salon:tools", calls=300, findings=FINDINGS,
    tools=[FuzzedTool(
        tool="applying_hair_color", description="Apply colour to hair.", variable="applying_hair_color",
    )],
)  # fmt: skip


def failing() -> Session:
    made = sessions.figure_10()
    run = made.runs[1]
    run.events = [
        e.model_copy(update={"text": "Error: KeyError('colour')", "status": "error"})
        if e.type == "answer" and e.step == 2
        else e
        for e in run.events
    ]
    return made.model_copy(update={"fuzzings": [FUZZING]})


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_from_a_step_to_its_finding_and_back(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(sessions.write(failing(), tmp_path), size) as driven:
        await driven.press("g", "n", "n")
        assert driven.state.debug.index == 2 and driven.state.predicted_at(2) is not None
        if size[0] > 80:
            assert "this step failed as the fuzzer" in driven.text
        await driven.press("t")
        screen = driven.app.screen
        assert isinstance(screen, FindingsScreen) and screen.list.state.at == 0
        for told in (
            "KeyError",
            "hair.py:7",
            '{"start_time": 0}',
            "applying_hair_color(start_time=0)",
            "step 2 of run r2",
            "Apply colour to hair.",
            *["   hair.py ", "reached   3 branches"] * (size[0] > 80),
        ):
            assert told in driven.text
        await driven.press("down")
        assert driven.text.count('drop {"name": "a"}') == 2
        await driven.press("enter")
        assert "no step of this session's runs failed so" in driven.text
        await driven.press("end")
        assert "unheard of" in driven.text and "\x1b" not in driven.text and "\x07" not in driven.text
        await driven.press("home", "enter")
        assert driven.app.screen is driven.screen and driven.state.debug.index == 2


async def test_the_footer_names_labels_only_at_something_that_was_found(tmp_path: Path) -> None:
    quiet = FUZZING.model_copy(update={"tools": [FuzzedTool(tool="quiet", calls=3)]})
    path = sessions.write(Session(id="f", title="f", fuzzings=[quiet]), tmp_path)
    async with opened(path, (200, 40)) as driven:
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        assert "l label" in driven.text and "i specified" in driven.text and "X stop" not in driven.text
        await driven.press("end")
        assert "Nothing was found in this tool" in driven.text
        assert not any(word in driven.text for word in ("l label", "i specified", "X stop"))
        await driven.press("l", "i")
        assert not driven.screen.work.document.unsaved


async def test_a_session_of_findings_alone_opens_with_them(tmp_path: Path) -> None:
    path = sessions.write(Session(id="f", title="f", fuzzings=[FUZZING]), tmp_path)
    async with opened(path, (120, 40)) as driven:
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        assert "findings  1 tool, 300 calls" in driven.text
        foot = driven.text.splitlines()[-1]
        assert "open step" not in foot and "reproduce" in foot, "no run of this session failed so"
        await driven.press("down", "y")
        assert "test" in driven.text
        await driven.press("escape", "escape")
        assert "This session has no query." in driven.text and "the judge failed" not in driven.text
        assert driven.app.screen is driven.screen and not driven.screen.work.document.unsaved


async def test_without_findings_the_footer_names_what_makes_some(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (200, 40)) as driven:
        await driven.press("t")
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        foot = driven.text.splitlines()[-1]
        assert "r run" in foot and "Esc leave" in foot
        assert not any(
            word in foot for word in ("open step", "copy", "search", "filter", "reproduce", "hide")
        )


def weighed() -> Session:
    seen = [
        FuzzFinding(
            tool="read", kind="returned", message="no such file", occurrences=900, at_call=1, input={"n": 1}
        ),
        FuzzFinding(
            tool="read", kind="raised", exception="KeyError", message="'a'", occurrences=2, at_call=2
        ),
        FuzzFinding(
            tool="write", kind="raised", exception="OSError", message="full", occurrences=40, at_call=3
        ),
    ]
    tools = [
        FuzzedTool(tool="read", calls=1000, succeeded=12, refusal="no such file"),
        FuzzedTool(tool="locked", calls=500, succeeded=0, refusal="not found"),
        FuzzedTool(tool="write", calls=10),
    ]
    return Session(id="f", title="f", fuzzings=[Fuzzing(id="z1", target="m:t", findings=seen, tools=tools)])


def test_a_call_is_pasted_as_its_kind_of_tool_is_called() -> None:
    finding = FuzzFinding(tool="read", kind="raised", input={"n": 1}, at_call=1)
    for variable, wrapped, pasted in (
        ("read", False, "read(n=1)"),
        ("reader", True, "reader.invoke({'n': 1})"),
        ("make_tools()[2]", True, "make_tools()[2].invoke({'n': 1})"),
        ("", False, ""),
    ):
        tools = [FuzzedTool(tool="read", wrapped=wrapped, variable=variable)]
        assert python_call(finding, Fuzzing(id="z1", target="m:t", tools=tools)) == pasted


async def test_findings_stand_by_weight_and_are_searched_and_filtered(tmp_path: Path) -> None:
    async with opened(sessions.write(weighed(), tmp_path), (120, 40)) as driven:
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        screen = driven.app.screen
        assert isinstance(screen, FindingsScreen)

        def listed() -> list[tuple[str, str]]:
            return [(row.tool, row.kind) for row in screen.list.state.listed]

        in_order = [("write", "raised"), ("read", "raised"), ("read", "returned"), ("locked", "nothing")]
        assert listed() == in_order and "1 tool never entered" in driven.text
        await driven.press("slash", *"no such", "enter")
        assert (
            listed() == [("read", "returned")]
            and "12 of 1,000 calls answered; mostly: no such file" in driven.text
        )
        await driven.press("escape", "v", "enter")
        assert len(listed()) == 2 and "only tool read" in driven.text
        await driven.press("escape", "end")
        assert listed() == in_order and "500 calls, never entered; mostly: not found" in driven.text
        await driven.press(".")
        assert "there is no call to make again" in driven.text


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"query": ""}, "it still fails: map_search raised IndexError"),
        ({"query": "query: a"}, "not fail any more"),
    ],
)
def test_a_finding_is_made_again(given: dict[str, str], told: str) -> None:
    fuzzing = Fuzzing(id="z1", target="planscope.toolfuzz.examples:map_search")
    finding = FuzzFinding(tool="map_search", kind="raised", exception="IndexError", input=given, at_call=1)
    assert told in again(fuzzing, finding)


async def test_code_that_a_file_names_is_run_only_after_a_question(tmp_path: Path) -> None:
    finding = FuzzFinding(
        tool="map_search", kind="raised", exception="IndexError", input={"query": ""}, at_call=1
    )
    target = "planscope.toolfuzz.examples:map_search"
    made = Session(id="f", title="f", fuzzings=[Fuzzing(id="z1", target=target, findings=[finding])])
    async with opened(sessions.write(made, tmp_path), (120, 40)) as driven:
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        await driven.press(".", "enter")  # no
        assert "still fails" not in driven.text
        await driven.press(".", "down", "enter")
        await driven.until(lambda: "it still fails" in driven.text)


def prompts(*, faulty: bool, run: str | None = None) -> FuzzSet:
    words = ["3 April", "04/03 \x1b[31m<b>"]
    runs = [
        prompt_run(
            f"Who works on {word}?", f"Who works on {word}?", {"day": word},
            [call("roster", {"date": word if faulty else "04-03"}, f"team {k if faulty else 1}")],
            answer="the team", score=2 if faulty else 9, run=run if k else None,
        )
        for k, word in enumerate(words)
    ]  # fmt: skip
    return prompt_set("roster", "Who works on [day]?", {"day": words}, runs, "team 1 works")


async def test_sets_of_prompts_are_shown_with_their_calls_and_outputs(tmp_path: Path) -> None:
    finding = FuzzFinding(tool="roster", kind="inconsistent", message="2 ways", input={"date": "x"}, set=1)
    made = sessions.figure_10()
    sets = [prompts(faulty=True, run=made.runs[1].id), prompts(faulty=False)]
    made = made.model_copy(
        update={"fuzzings": [Fuzzing(id="z1", target="m:roster", findings=[finding], sets=sets)]}
    )
    async with opened(sessions.write(made, tmp_path), (120, 40)) as driven:
        await driven.press("g", "t")
        screen = driven.app.screen
        assert (
            isinstance(screen, FindingsScreen)
            and len(screen.list.state.listed) == 2
            and screen.list.state.count == 1
        )
        assert "✗✗✗ Who works on [day]?" in driven.text and "\x1b" not in driven.text
        assert "set       faulty" in driven.text and "0 calls, 4 prompts" in driven.text
        assert "✗ inputs differ (2 buckets)" in driven.text
        await driven.press("space")
        assert "call 1: prompt 1" in driven.text and "output 2: prompt 2" in driven.text
        await driven.press("down")
        assert "set       sound" in driven.text
        await driven.press("enter")
        assert "the agent's runs are not kept" in driven.text
        await driven.press("up", "enter")
        assert driven.app.screen is driven.screen and driven.state.run is not None
        assert driven.state.run.id == made.runs[1].id


async def test_a_search_is_shown_while_it_runs_and_its_findings_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planscope.tui.screens.findings.screen.CALLS", 60)
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (80, 24)) as driven:
        await driven.press("t")
        screen = driven.app.screen
        assert isinstance(screen, FindingsScreen) and "No tool was fuzzed" in driven.text
        await driven.press("r", *"no_such_module:x", "enter")
        await driven.until(lambda: "there is no module no_such_module" in driven.text)
        assert screen.fuzzer.progress is None
        await driven.press("r", *"planscope.toolfuzz.examples:map_search", "enter")
        await driven.until(lambda: screen.fuzzer.progress is not None and screen.fuzzer.progress.ended)
        await driven.until(lambda: "2 errors in 60 calls" in driven.text and "IndexError" in driven.text)
        assert "Fuzzed planscope.toolfuzz.examples:map_search" in driven.text and "⣿" not in driven.text
        (kept,) = screen.document.open_session.fuzzings or ()
        assert kept.calls == 60 and screen.document.unsaved


def test_the_curve_rises_where_an_error_was_found() -> None:
    progress = Progress("m:f", "f", 50, 100, 2, [(1, 1), (40, 2)], "about 2.5 in all")
    text = ["".join(run.text for run in one.runs) for one in discovery_lines(progress, 46, 6)]
    assert text[0] == "2 errors in 50 calls, about 2.5 in all" and text[-1].endswith("100 calls")
    rows = [one[6:].rstrip() for one in text[1:-1]]
    assert len(rows[0]) in (20, 21) and len(rows[1]) <= 17 and text[1].startswith("    2 ")
    nothing = discovery_lines(Progress("m:f"), 20, 3)
    assert "0 errors in 0 calls" in nothing[0].runs[0].text


async def test_a_search_that_is_stopped_keeps_what_it_found() -> None:
    document, said = Document(None), list[str]()
    document.open(Session(id="s", title="s"))
    search = ToolSearch(document, jobs := Jobs(asyncio.get_running_loop()), said.append)
    search.start(Options("planscope.toolfuzz.examples:map_search", calls=1_000_000))
    while search.running:
        if search.progress is not None and search.progress.errors:
            search.stop()
        await asyncio.sleep(0.01)
    (kept,) = document.open_session.fuzzings or ()
    assert said[-1] == "stopped; what was found is kept" and kept.findings and 0 < kept.calls < 1_000_000
    jobs.close()
