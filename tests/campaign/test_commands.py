"""``planscope campaign`` as its users type it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.session.store import load
from planscope.wording.phrases import percent

Told = Callable[..., tuple[int, str, str]]
TWO = (
    "--model",
    "sim:careful",
    "--model",
    "sim:literal",
    "--actions",
    "2..3",
    "--cases",
    "8",
    "--workers",
    "1",
)


@pytest.fixture
def told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Told]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(*args: str) -> tuple[int, str, str]:
        status = main(["campaign", *args])
        said = capsys.readouterr()
        return status, said.out, said.err

    yield run


def data(told: Told, *args: str) -> Any:
    status, out, err = told(*args, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def test_a_campaign(told: Told, tmp_path: Path) -> None:
    made = data(told, "run", "c", *TWO)
    assert (made["runs"], made["complete"]) == (32, True)
    found = data(told, "report", "c")
    assert set(found) >= {
        "cases",
        "runs",
        "cells",
        "error_types",
        "causes",
        "topics",
        "arms",
        "limit",
        "z3_checks",
    }
    assert (
        found["cells"][0] | {"runs": 8, "right": 8, "rate": 1.0, "aborted": 0, "actions": 2}
        == found["cells"][0]
    )
    assert found["limit"]["tools/sim:careful"] is None
    compared = data(told, "compare", "c", "sim:careful", "sim:literal")
    assert compared["only_b"] == 0 < compared["only_a"]
    assert compared["p"] < 0.05
    assert compared["difference"] < 0
    assert told("compare", "c", "careful", "literal", "--fail-if-worse")[0] == 1
    assert told("compare", "c", "literal", "careful", "--fail-if-worse")[0] == 0
    assert told("compare", "c", "careful", "careful", "--fail-if-worse=0.5")[0] == 0
    assert (
        told("compare", "c", "careful", "careful", "--fail-if-worse=0.01")[0] == 1
    )  # too few cases to be sure
    wrong = data(told, "show", "c", "--verdict", "wrong")["runs"]
    session = tmp_path / "one.planscope.json"
    assert told("show", "c", wrong[0]["case"], "--arm", wrong[0]["arm"], "-o", str(session))[0] == 0
    assert main(["check", str(session)]) == 1
    assert len(load(session).variants[0].actions) == wrong[0]["actions"]
    told("list")
    assert [one["runs"] for one in data(told, "list")["campaigns"]] == [32]
    status, _, err = told("delete", "c")
    assert (status, "--yes" in err) == (2, True)
    assert told("delete", "c", "--yes")[0] == 0
    assert data(told, "list")["campaigns"] == []


def test_reports_as_files(told: Told, tmp_path: Path) -> None:
    assert told("run", "c", *TWO, "--agent", "react")[0] == 0
    assert told("dissect", "c", "--sample", "2", "--budget", "12")[0] == 0
    page, tables = tmp_path / "c.html", tmp_path / "tables"
    assert told("report", "c", "--html", str(page), "--csv", str(tables))[0] == 0
    text = page.read_text("ascii")
    assert text.count("<figure>") == 1  # one agent: a line a model
    assert not re.search(r"https?://|<link|src=", text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None and "url(" not in style[1] and "@import" not in style[1]
    found = re.search(r'id="rows">(.*?)</script>', text)
    assert found is not None
    assert [len(table) for table in json.loads(found[1])] == [32]
    with (tables / "runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 32
    assert {row["arm"] for row in rows} == {"react/sim:careful", "react/sim:literal"}
    causes = data(told, "report", "c")
    assert causes["dissected"] == sum(causes["causes"].values()) == 2


def test_parquet_tables_have_what_the_csv_tables_have(told: Told, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    told("run", "c", "--model", "sim:literal", "--actions", "2..3", "--cases", "4")
    assert told("report", "c", "--csv", str(tmp_path), "--parquet", str(tmp_path))[0] == 0
    names = sorted(file.stem for file in tmp_path.glob("*.csv"))
    assert names == sorted(file.stem for file in tmp_path.glob("*.parquet")) and "runs" in names
    for name in names:
        with (tmp_path / f"{name}.csv").open(newline="") as file:
            heading, *lines = csv.reader(file)
        rows = parquet.read_table(tmp_path / f"{name}.parquet").to_pylist()
        plain = [["" if row[one] is None else str(row[one]) for one in heading] for row in rows]
        assert plain == lines


def test_what_models_write_is_no_markup(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told("run", "c", *TWO)[0] == 0
    from planscope.campaign.store import Store

    evil = "</script><script>alert(1)</script>=cmd|' /C calc'!A0\x1b[31m"
    listed = Store.listed
    monkeypatch.setattr(
        Store, "listed", lambda *a, **k: [row | {"topic": evil, "why": f"={evil}"} for row in listed(*a, **k)]
    )
    page = tmp_path / "c.html"
    assert told("report", "c", "--html", str(page), "--csv", str(tmp_path))[0] == 0
    assert "<script>alert" not in page.read_text("ascii")
    with (tmp_path / "runs.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["why"].startswith("'=")
    _, out, _ = told("show", "c")
    assert "\x1b" not in out


def test_the_paper_page_says_what_a_campaign_finds(told: Told) -> None:
    """Two columns of docs/paper.md are made again; the rest takes minutes (``python -m tests.make_paper``)."""
    page = (Path(__file__).parent.parent.parent / "docs" / "paper.md").read_text("utf-8")
    assert [f"## {name}" in page for name in ("Table 2", "Table 7", "Figure 9")] == [True] * 3
    told("run", "c", "--model", "sim:word-blind", "--actions", "2..3")
    cells = [percent(c["rate"]) for c in data(told, "report", "c")["cells"]]
    row = next(line for line in page.partition("## Figure 8")[2].splitlines() if "| sim:word-blind" in line)
    assert [part.split("(")[0].strip() for part in row.split("|")[2:4]] == cells


def test_going_on_with_more(told: Told) -> None:
    first = ("run", "c", "--model", "sim:careful", "--cases", "3", "--seed", "5", "--workers", "1")
    assert data(told, *first, "--actions", "2..2")["runs"] == 3
    assert data(told, *first, "--actions", "2..3")["runs"] == 6
    more = ("run", "c", "--model", "sim:literal", "--actions", "2..2", "--workers", "1")
    assert data(told, *more)["runs"] == 9
    status, _, err = told(*more, "--seed", "6")
    assert (status, "the campaign has seed 5, not 6" in err) == (2, True)
    status, _, err = told(*more, "--shuffle")
    assert (status, "the campaign has shuffle not set, not 2..2" in err) == (2, True)
    status, _, err = told(*more[:4], "--shuffle")
    assert (status, "give --actions" in err) == (2, True)
    assert data(told, "resume", "c")["runs"] == 9


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("run", "../c", "--model", "sim:careful"), "cannot be a campaign's name"),
        (("run", "c"), "needs a model"),
        (("run", "c", "--model", "sim:nobody"), "nobody"),
        (("run", "c", "--model", "sim:careful", "--agent", "nothing"), "nothing"),
        (("run", "c", "--model", "sim:careful", "--actions", "5..3"), "no range of actions"),
        (("run", "c", "--model", "sim:careful", "--actions", "2..30", "--timed"), "do not fit a day"),
        (("run", "c", "--model", "sim:careful", "--shuffle"), "give --actions"),
        (("run", "c", "--model", "sim:careful", "--budget-money", "1"), "--price"),
        (("run", "c", "--model", "sim:careful", "--price", "1"), "is not a price"),
        (("run", "c", "--model", "sim:careful", "--model", "sim:careful"), "given twice"),
        (("run", "c", "--model", "sim:careful", "--prompts", "/none.toml"), "cannot be read"),
        (("report", "nope"), "no campaign 'nope'"),
        (("compare", "nope", "a", "b"), "no campaign 'nope'"),
        (("show", "nope", "n2-0"), "no campaign 'nope'"),
    ],
)
def test_what_cannot_be_done_is_one_line(told: Told, args: tuple[str, ...], says: str) -> None:
    status, out, err = told(*args)
    assert (status, out) == (2, "")
    assert err.startswith("planscope: ")
    assert err.count("\n") == 1
    assert says in err


def test_a_budget_of_time_ends_no_simulated_runs_and_that_is_said(told: Told) -> None:
    small = ("run", "c", "--model", "sim:careful", "--actions", "2..2", "--cases", "1", "--workers", "1")
    status, _, err = told(*small, "--budget-seconds", "1", "--json")
    assert (status, "--budget-seconds does not end their runs" in err) == (0, True)
    assert "budget" not in told(*small)[2]


def test_the_size_of_a_campaign_is_planned(told: Told) -> None:
    one, two = (data(told, "run", "c", "--detect", size)["needed"] for size in ("0.1", "0.2"))
    assert one > two > 50
