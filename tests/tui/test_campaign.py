"""The campaign screen: tables and curves, the runs of a cell, a run opened, the campaign run and stopped."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from planscope.campaign.cases import Arm, Knobs
from planscope.campaign.engine import Campaign
from planscope.campaign.report import report
from planscope.campaign.result import CampaignCellDocument
from planscope.campaign.store import Budget, Store, campaign_path
from planscope.campaign.worker import MadeCase, Row
from planscope.session.locations import bundled, campaigns_folder, library_folder
from planscope.session.model import Limits
from planscope.session.store import load
from planscope.stats import wilson
from planscope.tui.controllers.campaign_view import Wanted
from planscope.tui.panes.columns import head_line, row_line
from planscope.tui.screens.campaign.curves import curve_lines
from planscope.tui.screens.campaign.screen import CampaignScreen
from planscope.tui.screens.campaign.tables import TABLES, columns_of, table_of
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.tui.screen import Driven, opened
from tests.tui.test_hostile_screen import assert_clean
from tests.tui.test_live import until

FIRST = bundled()["first-look"]
LITERAL, FLAKY = (Arm("tools", f"sim:{name}") for name in ("literal", "flaky"))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.tui.screens.campaign.screen.SOON", 0.1)


def begun(name: str = "c", cases: int = 6, actions: tuple[int, int | None] = (2, 3), go: bool = True) -> Path:
    campaigns_folder().mkdir(parents=True, exist_ok=True)
    path = campaign_path(name)
    with closing(Store(path, make=True)) as store:
        store.keep_settings(Knobs(cases=cases), Limits(), "1")
        for arm in (LITERAL, FLAKY):
            store.add_arm(arm, *actions, Budget())
        if go:
            Campaign(store).go()
    return path


async def entered(driven: Driven) -> CampaignScreen:
    await driven.press("#")
    screen = driven.app.screen
    assert isinstance(screen, CampaignScreen)
    await until(driven, lambda: screen.at_rest and screen.state.listed)
    return screen


async def test_from_any_cell_to_its_runs_and_from_a_run_to_the_debugger() -> None:
    begun()
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.sees("▶1 Rates", "24 runs complete", "tools/sim:flaky", "Runs 6")
        assert screen.state.wanted == Wanted("tools/sim:literal", 2)
        await driven.press("3")
        await until(driven, lambda: screen.state.listed and bool(screen.state.runs))
        assert {run["error_type"] for run in screen.state.runs} == {"order_error"}
        assert {run["arm_name"] for run in screen.state.runs} == {screen.state.wanted.arm}
        await driven.press("enter", "j", "enter")
        await until(driven, lambda: driven.app.screen is not screen and "ORDER ERROR" in driven.text)
        (file,) = library_folder().glob("c n*.planscope.json")
        (run,) = load(file).runs
        assert run.model == "sim:literal"
        with file.open("a") as written:
            written.write("\n")  # as if it was changed since
        before, here = file.read_bytes(), driven.app.screen
        await driven.press("#")
        again = driven.app.screen
        assert isinstance(again, CampaignScreen)
        await until(driven, lambda: again.at_rest and again.state.listed)
        await driven.press("3")
        await until(driven, lambda: again.state.listed and bool(again.state.runs))
        await driven.press("enter", "j", "o")
        await until(driven, lambda: driven.app.screen not in (again, here))
        await driven.rest()  # Textual cannot close an application that is opening a session
        assert [*library_folder().glob("*.planscope.json")] == [file] and file.read_bytes() == before


async def test_a_campaign_is_run_in_a_process_and_stopped() -> None:
    begun(go=False, cases=4000, actions=(5, 5))
    async with opened(FIRST) as driven:
        await driven.press("#")
        screen = driven.app.screen
        assert isinstance(screen, CampaignScreen)
        await driven.sees("No run yet: r runs the campaign.")
        await driven.press("X")
        assert "X stop" not in driven.text and not screen.notice
        await driven.press("r")
        await until(driven, lambda: screen.state.report.runs > 0, 60)
        await driven.sees("▷ running", "of 8,000 runs", "X stop")
        await driven.press("r")
        await driven.sees("it runs already: X stops it")
        await driven.press("X")
        await until(driven, lambda: not screen.state.at_work, 60)
        had = screen.state.report.runs
        assert 0 < had < 8000 and not screen.state.trouble
        with closing(Store(screen.campaign.path)) as store:
            assert report(store, "c").runs == had and not store.workers()


async def test_a_process_that_fails_says_why() -> None:
    path = begun(go=False)
    with closing(Store(path)) as store:
        store.add_arm(Arm("tools", "nowhere:model"), 2, 2, Budget())
    async with opened(FIRST) as driven:
        await driven.press("#")
        screen = driven.app.screen
        await driven.press("r")
        await until(driven, lambda: bool(screen.state.trouble), 60)
        assert "nowhere" in screen.state.trouble and not screen.state.at_work


@pytest.mark.parametrize("size", [(80, 24), (120, 40), *nightly(((200, 60),))])
async def test_the_curves_have_their_place(size: tuple[int, int]) -> None:
    begun()
    async with opened(FIRST, size) as driven:
        screen = await entered(driven)
        broad = size[0] >= 120
        assert screen.curves.display is broad and screen.table.display
        await driven.press("V")
        await until(driven, lambda: screen.curves.display is not broad)
        assert screen.table.display is broad
        await driven.press("2")
        await driven.sees("▶2 Totals")


def test_each_table_fits_any_width_and_leads_to_what_it_counts(tmp_path: Path) -> None:
    path = begun(cases=12)
    with closing(Store(path)) as store:
        found = report(store, "c")
        for name in TABLES:
            table = table_of(found, name)
            for width in (30, 60, 76, 100, 200):
                columns = columns_of(table, width)
                head = head_line(columns)
                rows = [row_line(columns, row, not k) for k, row in enumerate(table.rows)]
                assert all(len(line.text) <= width for line in (head, *rows)), (name, width)
                assert len(rows) == len(table.rows)
        for row in table_of(found, "errors").rows:
            wanted = row.wanted
            runs = store.listed(None, None, None, wanted.error_type)
            limit = found.limit[wanted.arm or ""]
            below = [r for r in runs if r["arm_name"] == wanted.arm and (limit is None or r["n"] < limit)]
            assert row.texts[2] == str(len(below))


def cell(arm: str, n: int, right: int) -> CampaignCellDocument:
    """Ten judged runs of an arm."""
    none = dict.fromkeys(("aborted", "unknown", "helped"), 0)
    named = {"arm": arm, "agent": "tools", "model": arm, "timed": False, "actions": n, "runs": 10}
    rate = {"rate": right / 10, "ci": wilson(right, 10)}
    return CampaignCellDocument.model_validate({**named, **none, **rate, "right": right, "wrong": 10 - right})


def test_curves() -> None:
    lines = curve_lines([cell("a", n, 10 if n < 4 else 0) for n in range(2, 7)], "a", 40, 14)
    assert len(lines) == 14 and all(len(line.text) <= 40 for line in lines)
    assert lines[0].text.startswith("100 % ") and lines[10].text.startswith("  0 % ")
    drawn = [line.text[6:] for line in lines[:11]]
    assert drawn[0].count("●") == 2 and drawn[10].rstrip()[-1] == "●"
    assert len(drawn[0].rstrip()) < len(drawn[10].rstrip())  # it falls to the right
    assert lines[11].text.split() == ["2", "3", "4", "5", "6"]
    assert "No run" in curve_lines([], None, 40, 14)[0].text
    assert curve_lines([cell("a", 3, 5)], None, 20, 8)


def test_each_curve_has_its_own_sign_and_colour_and_all_are_named() -> None:
    arms = [f"tools/model-{k}" for k in range(6)]
    cells = [cell(arm, n, 10 - k) for k, arm in enumerate(arms) for n in (2, 5)]
    lines = curve_lines(cells, arms[2], 70, 30)
    looks = {
        (sign, run.role) for line in lines for run in line.runs for sign in run.text if sign in "●■▲◆○□△◇"
    }
    assert len(looks) == len({sign for sign, _ in looks}) == 6
    named = [run for line in lines[-3:] for run in line.runs if run.text.strip() in arms]
    assert {run.text.strip() for run in named} == set(arms)
    assert [run.text.strip() for run in named if run.role == "strong"] == [arms[2]]


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),))])
async def test_the_title_names_all_tables_and_a_click_shows_one(size: tuple[int, int]) -> None:
    begun()
    async with opened(FIRST, size) as driven:
        screen = await entered(driven)
        title = driven.text.splitlines()[0]
        assert all(f"{k} {name.title()}" in title for k, name in enumerate(TABLES, 1)), title
        rows = driven.text.split("Runs 6")[1]
        assert "2 actions" in rows and rows.count("tools/sim:literal") == 1  # in the title of the list
        await driven.pilot.click("#title-bar", offset=(title.index("5 Topics") + 2, 0))
        await driven.sees("▶5 Topics", "of queries below the limit")
        await until(driven, lambda: screen.state.listed and bool(screen.state.runs))
        rows = driven.text.split("─ Runs ")[1]
        assert "tools/sim:" in rows and screen.wanted is not None and screen.wanted.arm is None


async def test_what_is_listed_is_what_the_row_counts_and_says_what_is_left_out() -> None:
    begun(cases=12)
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        await driven.press("2")  # totals
        await until(driven, lambda: screen.state.listed and bool(screen.state.runs))
        assert f"{len(screen.state.runs)}" in driven.text and {
            one["verdict"] for one in screen.state.runs
        } > {"wrong"}
        await driven.press("3")
        await driven.sees("only order error, below the limit")


def test_right_runs_are_no_red_bar_and_wrong_ones_no_green_bar() -> None:
    with closing(Store(begun(cases=12))) as store:
        found = report(store, "c")
    for name in TABLES:
        table = table_of(found, name)
        columns = columns_of(table, 200)
        bars = [run for row in table.rows for run in row_line(columns, row, False).runs if "█" in run.text]
        assert {run.role for run in bars} <= {"tool" if name == "rates" else "broken"}
        assert bars or name in ("totals", "causes")


async def test_hostile_names_are_harmless() -> None:
    path = begun(go=False)
    texts = SAVEABLE
    with closing(Store(path)) as store:
        store.add_arm(Arm("tools", "sim:literal", role="".join(texts)), 2, 2, Budget())
        made = [MadeCase(2, k, k, text, "x", 1, 0.0, 0.0, 0) for k, text in enumerate(texts)]
        rows = [
            Row(0, 2, k, "aborted", None, False, None, 0, 0, None, None, 0.0, text, b"")
            for k, text in enumerate(texts)
        ]
        store.keep((1,), made, rows, "p")
    async with opened(FIRST, (120, 40)) as driven:
        screen = await entered(driven)
        for key in ("tab", "end", "1", "2", "3", "4", "5"):
            await driven.press(key)
            await until(driven, lambda: screen.at_rest)
            assert_clean(driven)


async def test_a_file_that_is_no_campaign_is_one_line() -> None:
    campaigns_folder().mkdir(parents=True, exist_ok=True)
    campaign_path("broken").write_text("no database")
    async with opened(FIRST) as driven:
        await driven.press("#")
        await driven.sees("file is not a database")
