"""Z3's word on the verdict: shown calmly, a warning where it disagrees, dropped where nobody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.debugger.run_index import RunIndex
from planscope.session.model import Session
from planscope.tui.controllers import judge as certifying
from planscope.tui.controllers.judge import Certificate
from planscope.tui.dialogs.why import explanation
from planscope.wording import terms
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows


def says(monkeypatch: pytest.MonkeyPatch, certificate: Certificate) -> None:
    monkeypatch.setattr(certifying, "certify", lambda run, started: certificate)


async def until(driven: Driven, condition: Callable[[], bool]) -> None:
    await driven.until(condition)


@pytest.mark.parametrize("made", [sessions.figure_10, sessions.out_of_order, sessions.contradictory])
async def test_a_verdict_is_confirmed(made: Callable[[], Session], tmp_path: Path) -> None:
    path = sessions.write(made(), tmp_path)
    async with opened(path, (120, 40)) as driven:
        assert driven.state.certificate == "confirmed"
        assert "Z3 ✓" in rows(driven.app)[0]
        assert "confirmed by Z3" in driven.text
        await driven.press("x")
        assert driven.text.count("confirmed by Z3") >= 1 and "CONFLICT (unsat core)" in driven.text
    async with opened(path, (119, 40)) as driven:
        assert "Z3" not in rows(driven.app)[0]


async def test_the_step_says_it_once_where_the_verdict_was_decided(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (200, 60)) as driven:
        assert driven.text.count("confirmed by Z3") == 1
        await driven.press("n")
        assert "confirmed by Z3" not in driven.text
        await driven.press("G")
        assert driven.text.count("confirmed by Z3") == 1


async def test_the_request_alone_is_confirmed_as_well(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.no_run(), tmp_path)) as driven:
        await driven.press("x")
        assert "confirmed by Z3" in driven.text


async def test_giving_up_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, "gave_up")
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (120, 40)) as driven:
        header = rows(driven.app)[0]
        assert "PARAMETER ERROR" in header and "Z3 ?" in header
        assert "Z3 gave up: not confirmed" in driven.text
        await driven.press("x")
        assert "Z3 gave up: not confirmed" in driven.text and "CONFLICT (unsat core)" in driven.text


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_where_z3_disagrees_the_verdict_is_unknown(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, "denied")
    async with opened(sessions.write(sessions.figure_10(), tmp_path), size) as driven:
        header = rows(driven.app)[0]
        assert "? NOT DECIDED" in header and "Z3 disagrees" in header and "PARAMETER ERROR" not in header
        assert "planscope and Z3 disagree" in driven.text and "Please report" in driven.text
        await driven.press("x")
        assert [line.text for line in explanation(driven.state, 200)] == [terms.CERTIFICATES["denied"]]
        assert "CONFLICT (unsat core)" not in driven.text
        await driven.press("escape", "o", "up", "enter")
        await driven.rest()
        await driven.press("o", "down", "enter")
        await driven.rest()
        assert "? NOT DECIDED" in rows(driven.app)[0] and "PARAMETER ERROR" not in rows(driven.app)[0]


async def test_a_certificate_of_a_run_that_one_left_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The late answer to the first run neither shows at the second nor is kept for the first."""
    release, finished = threading.Event(), threading.Event()
    asked: list[RunIndex] = []

    def slow(run: RunIndex, started: object) -> Certificate:
        asked.append(run)
        if len(asked) > 1:
            return "confirmed"
        release.wait(60)
        finished.set()
        return "denied"

    monkeypatch.setattr(certifying, "certify", slow)
    path = sessions.write(sessions.figure_10(), tmp_path)
    from planscope.tui.app import PlanscopeApp

    app = PlanscopeApp(path)
    async with app.run_test(size=(120, 40)) as pilot:
        driven = Driven(app, pilot)
        await until(driven, lambda: len(asked) == 1)
        assert "PARAMETER ERROR" in rows(app)[0] and not driven.screen.at_rest  # shown without waiting for Z3
        await driven.press("n")
        assert driven.state.debug.index == 2  # nor does a key
        driven.open_run_number(0)
        await driven.rest()
        assert len(asked) == 2 and driven.state.certificate == "confirmed"
        release.set()
        await until(driven, finished.is_set)
        await until(driven, lambda: not driven.screen.work.jobs.running("certify"))
        await driven.answered()
        assert driven.state.certificate == "confirmed" and "RIGHT" in rows(app)[0]
        driven.open_run_number(1)
        await driven.rest()
        assert len(asked) == 3 and driven.state.certificate == "confirmed"  # asked again
