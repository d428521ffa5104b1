"""What the library lists: filtered, searched, sorted; a row a session, whatever its file says."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.safe import cell_width
from planscope.session.library_index import Entry
from planscope.session.locations import bundled
from planscope.session.model import FuzzFinding, Fuzzing, Session
from planscope.session.run_list import Facet
from planscope.session.store import load
from planscope.session.tally import Outcome, Tally
from planscope.tui.controllers.library_list import (
    ORDERS,
    VERDICTS,
    Preview,
    SessionList,
    contents_of,
    verdict_of,
)
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.columns import head_line
from planscope.tui.screens.library.lines import columns_for, preview_lines
from planscope.tui.style.lines import width_of
from planscope.wording.phrases import date
from tests.hostile import SAVEABLE
from tests.tui.test_hostile_screen import BAD

NOW = datetime(2026, 11, 8, 12, tzinfo=UTC)


def entry(number: int, **more: object) -> Entry:
    name = f"s{number}"
    fields = {
        "name": name,
        "path": Path(f"/x/{name}.planscope.json"),
        "place": "library",
        "title": f"Case {number}",
        "size": number,
        "changed": NOW - timedelta(days=number),
        "runs": 1,
        "checked": True,
        "outcome": Outcome("right"),
    }
    return Entry(**{**fields, **more})  # fields by their names


ENTRIES = (
    entry(1, outcome=Outcome("wrong", "order_error"), model="sim:literal"),
    entry(2, title="alpha", model="sim:careful"),
    entry(3, outcome=Outcome("wrong", "action_lost"), title="beta"),
    entry(4, outcome=None, runs=0),
    entry(5, outcome=None, checked=False),
    entry(6, wrong="s6 is cut off"),
    entry(7, place="bundled", outcome=Outcome("aborted"), created=NOW),
)
WIDEST = [replace(one, agent="a" * 99, model="m" * 99) for one in ENTRIES]
LIST = SessionList(ENTRIES, (entry(9, place="trash", deleted=NOW),), complete=True)


def names(sessions: SessionList) -> list[str]:
    return [e.name for e in sessions.arranged().listed]


def test_places_verdicts_and_errors_are_filtered() -> None:
    assert names(LIST) == ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
    assert names(replace(LIST, shown="library")) == ["s1", "s2", "s3", "s4", "s5", "s6"]
    assert names(replace(LIST, shown="bundled")) == ["s7"]
    assert names(replace(LIST, shown="trash")) == ["s9"]
    for verdict, expected in zip(
        VERDICTS, (["s2"], ["s1", "s3"], ["s7"], [], [], [], [], ["s4"], ["s6"]), strict=True
    ):
        assert names(replace(LIST, facets=frozenset({Facet("verdict", verdict)}))) == expected
    assert names(replace(LIST, facets=frozenset({Facet("error", "order_error")}))) == ["s1"]
    assert {facet.value: count for facet, count in LIST.counts("verdict")} == {
        "wrong": 2,
        "right": 1,
        "no run": 1,
        "broken": 1,
        "aborted": 1,
    }
    assert {facet.value: count for facet, count in LIST.counts("error")} == {
        "order_error": 1,
        "action_lost": 1,
    }


def test_a_session_with_any_wrong_run_is_found() -> None:
    many = Tally(14, 6, headlines={"order_error": 6})
    aided = Tally(3, 0, helped=2, helped_right=1, headlines={"action_lost": 1})
    found = (entry(1, runs=20, outcomes=many), entry(2, runs=5, outcomes=aided), entry(3))
    sessions = SessionList(found, complete=True)
    assert names(replace(sessions, facets=frozenset({Facet("verdict", "wrong")}))) == ["s1", "s2"]
    assert names(replace(sessions, facets=frozenset({Facet("verdict", "right")}))) == ["s1", "s2", "s3"]
    assert names(replace(sessions, facets=frozenset({Facet("error", "action_lost")}))) == ["s2"]
    assert names(replace(sessions, words="wrong order")) == ["s1"]
    assert sessions.counts("verdict") == [(Facet("verdict", "wrong"), 2)]  # all have a right run
    assert {facet.value for facet, _ in sessions.counts("error")} == {"order_error", "action_lost"}


@pytest.mark.parametrize("width", [80, 120, 200])
def test_rows_say_how_many_runs_were_right_and_what_was_helped(width: int) -> None:
    found = (
        entry(1, runs=20, outcomes=Tally(14, 6)),
        entry(2, helped="1 call refused", outcomes=Tally(helped=1, helped_right=1)),
        entry(3, outcomes=Tally(1)),
    )
    columns = columns_for(width, found, NOW)
    many, helped, one = (columns.row(e, False).text for e in found)
    assert "✓ right" in many and "14/20" in many and "/" not in one
    assert "✓ right" in helped and "helped" in helped and "helped" not in many + one
    assert all(cell_width(row) <= width for row in (many, helped, one))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ALPHA", ["s2"]),
        ("wrong lost", ["s3"]),
        ("order error", ["s1"]),
        ("sim:", ["s1", "s2"]),
        ("  ", ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]),
        ("broken", ["s6"]),
        ("nowhere", []),
    ],
)
def test_words_are_looked_for(words: str, expected: list[str]) -> None:
    assert names(replace(LIST, words=words)) == expected


def test_orders() -> None:
    found = {order: names(replace(LIST, order=order)) for order in ORDERS}
    assert found["date"] == ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
    assert found["title"] == ["s2", "s3", "s1", "s4", "s5", "s6", "s7"]
    assert found["verdict"] == ["s3", "s1", "s2", "s7", "s4", "s6", "s5"]
    assert found["model"][:2] == ["s2", "s1"]
    assert found["size"] == ["s7", "s6", "s5", "s4", "s3", "s2", "s1"]
    assert names(replace(LIST, reverse=True)) == ["s7", "s6", "s5", "s4", "s3", "s2", "s1"]


@given(
    st.sampled_from(ORDERS),
    st.booleans(),
    st.sampled_from(["", "a", "case", "wrong", "zzz"]),
    st.integers(0, 9),
)
def test_the_chosen_one_stays_chosen_while_it_is_shown(order: str, back: bool, words: str, at: int) -> None:
    before = LIST.arranged()
    before = replace(before, at=min(at, len(before.listed) - 1))
    after = replace(before, order=order, reverse=back, words=words).arranged()
    assert set(after.listed) <= set(LIST.entries)
    if before.chosen in after.listed:
        assert after.chosen == before.chosen
    elif after.listed:
        assert after.chosen is not None
    else:
        assert after.chosen is None


def test_verdicts_come_in_one_by_one() -> None:
    late = ENTRIES[4]
    assert verdict_of(late) == ""
    judged = replace(late, checked=True, outcome=Outcome("wrong", "order_error"))
    sessions = LIST.arranged().with_judged({late.path: judged})
    assert [verdict_of(e) for e in sessions.listed].count("wrong") == 3
    assert len(sessions.listed) == len(ENTRIES)


@pytest.mark.parametrize("width", [52, 56, 71, 72, 76, 107, 108, 116, 150, 196])
def test_a_row_fits_whatever_it_says(width: int) -> None:
    columns = columns_for(width, WIDEST, NOW)
    assert width_of(head_line(columns.whole).runs) <= max(width, 52)
    for text in SAVEABLE:
        hostile = entry(1, title=text[:200], agent=text[:200], model=text[:200])
        for one in (hostile, replace(hostile, wrong=text), replace(hostile, place="trash")):
            line = columns.row(one, True)
            assert width_of(line.runs) <= max(width, 52)
            assert not {unicodedata.category(c) for c in line.text} & BAD
            assert preview_lines(one, None, width)


def test_the_title_gets_what_the_other_columns_do_not_need() -> None:
    agents = [replace(one, agent="tools", model="sim:literal") for one in ENTRIES]
    needed, most = (
        {column.name: column.width for column in columns_for(160, some, NOW).whole}
        for some in (agents, WIDEST)
    )
    assert (needed["agent"], needed["model"]) == (5, 11)
    assert needed["session"] - most["session"] == (most["agent"] - 5) + (most["model"] - 11)
    assert (most["agent"], most["model"]) == (12, 24)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_a_row_says_a_thing_once_and_counts_runs(width: int) -> None:
    title = "A returns desk: an imported trace judged by rules"
    found = (
        entry(1, title=title, outcome=Outcome("wrong", "order_error"), outcomes=Tally(1, 2), runs=3),
        entry(2, outcome=None, checked=False, runs=73),
        entry(3, place="bundled"),
    )
    wrong, late, bundled = (columns_for(width, found, NOW).row(one, False).text for one in found)
    assert wrong.count("order error") == 1 and "✗ wrong" not in wrong and "1/3" in wrong
    assert "73" in late and "bundled" in bundled and "bundled" not in wrong
    assert (title in wrong) == (width > 80)


def test_a_small_list_has_verdict_and_error_in_one() -> None:
    columns = columns_for(76, WIDEST, NOW)
    told = [columns.row(one, False).text[2:].split("  ")[0] for one in ENTRIES]
    assert told == [
        "✗ order error",
        "✓ right",
        "✗ missing action",
        "· no run",
        "… judging",
        "✗ BROKEN",
        "! aborted",
    ]
    assert {column.name: column.width for column in columns.whole}["session"] >= 25


def test_what_dissections_ran_is_counted_and_not_listed() -> None:
    path = bundled()["cause-terminal"]
    seen, one = load(path), entry(1, path=path)
    told = "\n".join(made.text for made in preview_lines(one, Preview(one, contents_of(seen)), 100))
    assert f"{len(seen.runs)} runs of" in told and f"{len(seen.runs) - 1} of them made by dissections" in told
    assert told.count("simulated") == 1
    assert " ".join(seen.variants[0].query.text.split())[:60] in told


def test_a_file_of_findings_says_how_many_and_not_that_it_has_no_run() -> None:
    finding = FuzzFinding(tool="t", kind="raised")
    for found, said in (([finding], "1 finding in tools"), ([], "0 findings in tools")):
        session = Session(id="f", title="f", fuzzings=[Fuzzing(id="z1", target="m:t", findings=found)])
        one = entry(1)
        told = "\n".join(made.text for made in preview_lines(one, Preview(one, contents_of(session)), 100))
        assert said in told and "run" not in told


def test_dates_and_sizes_for_people() -> None:
    today = datetime.now().astimezone()
    assert date(today, today, short=True) == "today" and date(None) == ""
    assert date(today) == f"{today:%Y-%m-%d %H:%M}"
    assert date(today, today) == f"today {today:%H:%M}"
    assert date(today - timedelta(days=400), today, short=True) == f"{today - timedelta(days=400):%Y-%m-%d}"
    assert date(datetime.min.replace(tzinfo=UTC), today, short=True) in ("", "0001-01-01")


def test_lines_are_made_when_they_are_looked_at() -> None:
    made: list[int] = []

    def make(i: int):  # a line
        made.append(i)
        return head_line(columns_for(80, WIDEST, NOW).whole)

    box = BoxPane(id="list")
    box.set_content(1000, make)
    assert box.size_of() == 1000 and made == []
    assert box.line_at(3) and made == [3]
