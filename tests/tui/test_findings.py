"""The screen of findings: from a step to its finding and back, the reproducer, a session of findings alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing, Session
from planscope.tui.screens.findings.screen import FindingsScreen
from tests.tui import sessions
from tests.tui.screen import opened

CALL = {"tool": "drop", "arguments": {"name": "a"}}
FINDINGS = [
    FuzzFinding(tool="hostile\x1b[31m", kind="unheard of", message="<b>\x07", input=[1, None], shrunk=["x"]),
    FuzzFinding(
        tool="applying_hair_color", kind="raised", exception="KeyError", message="'colour'", location="hair.py:7",
        input={"start_time": 8}, shrunk={"start_time": 0}, traceback="Traceback:\n  hair.py",
    ),
    FuzzFinding(tool="drop", kind="sequence", message="drop said so twice", input=[CALL, CALL], shrunk=[CALL, CALL]),
]  # fmt: skip
FUZZING = Fuzzing(
    id="z1", target="salon:tools", calls=300, findings=FINDINGS,
    tools=[FuzzedTool(tool="applying_hair_color", description="Apply colour to hair.")],
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


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_from_a_step_to_its_finding_and_back(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(sessions.write(failing(), tmp_path), size) as driven:
        await driven.press("g", "n", "n")
        assert driven.state.debug.index == 2 and driven.state.predicted_at(2) is not None
        if size[0] > 80:
            assert "this step failed as the fuzzer" in driven.text
        await driven.press("t")
        screen = driven.app.screen
        assert isinstance(screen, FindingsScreen) and screen.list.at == 1
        for told in (
            "KeyError",
            "hair.py:7",
            '{"start_time": 0}',
            "step 2 of run r2",
            "Apply colour to hair.",
        ):
            assert told in driven.text
        await driven.press("down")
        assert driven.text.count('drop {"name": "a"}') == 2
        await driven.press("enter")
        assert "no step of this session's runs failed so" in driven.text
        await driven.press("home")
        assert "unheard of" in driven.text and "\x1b" not in driven.text and "\x07" not in driven.text
        await driven.press("down", "enter")
        assert driven.app.screen is driven.screen and driven.state.debug.index == 2


async def test_a_session_of_findings_alone_opens_with_them(tmp_path: Path) -> None:
    path = sessions.write(Session(id="f", title="f", fuzzings=[FUZZING]), tmp_path)
    async with opened(path, (120, 40)) as driven:
        await driven.until(lambda: isinstance(driven.app.screen, FindingsScreen))
        assert "1 tool, 300 calls" in driven.text
        await driven.press("down", "y")
        assert "test" in driven.text
        await driven.press("escape", "escape")
        assert driven.app.screen is driven.screen and not driven.screen.work.document.unsaved
