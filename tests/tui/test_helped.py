"""On screen a run that was helped says so, and a headline names what lost the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.model import Session
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import opened


def helped() -> Session:
    """Two right runs: the first one alone, in the second the guard refused a call and a person changed an answer."""
    made = sessions.base("Network audit precedes disk check.", "A B C")
    (run,) = made.runs
    events = list(sessions.base("Network audit precedes disk check.", "B A B C").runs[0].events)
    for i, event in enumerate(events):
        if event.type == "answer" and event.step == 1:
            events[i] = event.model_copy(update={"refused_by": "guard", "status": "error"})
        if event.type == "answer" and event.step == 3:
            events[i] = event.model_copy(update={"said": "Done at last."})
    made.runs.append(run.model_copy(update={"id": "r2", "events": events}))
    return made


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_the_header_says_it(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(sessions.write(helped(), tmp_path), size) as driven:
        head = driven.text.splitlines()[0]
        assert "✓ RIGHT  helped" in head
        if size[0] >= 120:
            assert "helped: 1 call refused, 1 answer edited by hand" in head and "tools + guard" in head
        driven.open_run_number(0)
        await driven.rest()
        head = driven.text.splitlines()[0]
        assert "✓ RIGHT" in head and "helped" not in head and "guard" not in head


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_list_of_runs_says_it(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(sessions.write(helped(), tmp_path), size) as driven:
        await driven.press("o")
        await driven.sees("1 r1  ✓ right")
        (row,) = [row for row in driven.text.splitlines() if " 2 r2  ✓ right" in row]
        assert "helped: 1 call refused" in row
        (alone,) = [row for row in driven.text.splitlines() if " 1 r1  ✓ right" in row]
        assert "helped" not in alone


async def test_the_headline_names_the_finding_that_lost_the_plan(tmp_path: Path) -> None:
    """An action that was never done is the primary error, and comes later."""
    path = sessions.write(sessions.base("Network audit precedes disk check.", "B A"), tmp_path)
    async with opened(path) as driven:
        assert driven.state.verdict.error_type == "action_lost"
        assert "✗ ORDER ERROR  lost at step 1" in driven.text.splitlines()[0]
        assert driven.text.splitlines()[0].count("step 1") == 1
        await driven.press("o")
        await driven.sees("✗ order error")
