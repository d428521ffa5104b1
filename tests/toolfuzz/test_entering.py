"""Getting in: what exists in a tool's data is learned; and every report says how far it got."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.toolfuzz import engine
from planscope.toolfuzz.accepts import fitting
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.formats import pytest_file
from planscope.toolfuzz.hints import calls_in, examples_of
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.keeping import record_of
from planscope.toolfuzz.outcome import Call
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.tools import load as load_tools
from tests.toolfuzz import data_stores
from tests.toolfuzz.printed import data_of, text_of
from tests.toolfuzz.test_fuzz import without_time

HERE = "tests.toolfuzz.data_stores:"


def fuzz(name: str, calls: int = 200, **more: Any) -> Report:
    """None of its tools hangs, and a call may take long on a busy machine."""
    return Fuzz(Options(HERE + name, calls=calls, sequences=0, call_limit=60, **more)).run()


@cache
def never() -> Report:
    return fuzz("never", 40)


@cache
def stated() -> Report:
    """A report that several tests read: to start the process of the tools takes longer than its calls."""
    return fuzz("STATED", 60)


def test_keys_columns_and_formats_are_learned_where_they_are_looked_up() -> None:
    report = fuzz("DATA", 30)
    assert {one.name: one.succeeded > 0 for one in report.tools} == {one.name: True for one in report.tools}
    assert len(report.tools) == 7


def test_a_fault_of_one_thing_in_thirty_is_found_where_things_are_listed_or_looked_up() -> None:
    report = fuzz("STOCK", 100)
    errors = {one.tool: one.shrunk for one in report.counted()}
    holes = data_stores._HOLES
    assert errors == {
        "price_in_stock": {"code": holes["price"]},
        "state_of_ticket": {"ticket": holes["state"]},
        "due_on_bill": {"code": holes["due"]},
    }


@pytest.mark.nightly
def test_what_is_learned_is_the_same_each_time() -> None:
    first, second = (without_time(fuzz("DATA", 8)) for _ in range(2))
    assert first == second


def test_a_report_says_that_a_tool_was_never_entered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = never()
    (data,) = data_of(report)["tools"]
    assert (data["succeeded"], data["entered"], data["refusal"]) == (0, False, "Error: the shop is closed")
    assert data["branches"] and "never entered: never; 0 errors in 40 calls" in text_of(report)
    junit, sarif, command = (
        tmp_path / "a.xml",
        tmp_path / "a.sarif",
        ["fuzz", HERE + "never", "--calls", "5", "-o", str(tmp_path / "a.planscope.json")],
    )
    assert main([*command, "--junit", str(junit), "--sarif", str(sarif)]) == 0
    reached = "0 of 5 calls succeeded, 1 branch reached; never entered: Error: the shop is closed"
    assert '<skipped message="never entered: Error: the shop is closed"' in junit.read_text()
    assert f"<system-out>{reached}</system-out>" in junit.read_text()
    (said,) = json.loads(sarif.read_text())["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert (said["level"], said["message"]["text"]) == ("warning", f"never: {reached}")
    capsys.readouterr()
    assert main([*command, "--fail-never-entered", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["tools"][0]["entered"] is False
    kept = json.loads((tmp_path / "a.planscope.json").read_text())["fuzzings"][0]["tools"][0]
    assert (kept["succeeded"], kept["refusal"]) == (0, "Error: the shop is closed")


_CLOSED = """
def closed(secret: str) -> str:
    return "in" if hash(secret) == 1 else "Error: access denied"


def other(word: str) -> str:
    return word


tools = [closed, other]
"""


def test_a_tool_that_is_sent_its_own_error_is_not_entered_by_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed_tools.py").write_text(_CLOSED)
    monkeypatch.chdir(tmp_path)
    report = Fuzz(Options("closed_tools:tools", calls=20, sequences=20)).run()
    assert [one.name for one in report.never_entered()] == ["closed"]


def test_calls_that_answered_before_one_hung_are_counted() -> None:
    (tool,) = Fuzz(Options(HERE + "waits_for", calls=10, sequences=0, call_limit=0.3)).run().tools
    assert tool.calls == 10 and 0 < tool.succeeded < 10 and tool.entered


def test_a_tool_that_other_tools_make_ready_is_entered_in_sequences() -> None:
    report = Fuzz(Options(HERE + "CART", calls=20, sequences=20)).run()
    tool = report.tool("average_price")
    assert tool.succeeded == 0 < tool.answered <= tool.played and tool.entered
    assert report.never_entered() == [] and data_of(report)["tools"][1]["entered"] is True
    kept = record_of(report).tools[1]
    assert (kept.calls, kept.succeeded) == (20 + tool.played, tool.answered)


def test_a_report_says_what_helps_where_the_sandbox_refused(tmp_path: Path) -> None:
    written, asked = fuzz("opens_by_address", 10), fuzz("asks_server", 5)
    [outside] = [one for one in written.sorted() if one.kind == "outside"]
    assert outside.shrunk == {"mode": "rwc"} and "no-such.db" in outside.message
    assert "--folder DIR" in text_of(written) and "--network" not in text_of(written)
    assert asked.sorted()[0].message == "the sandbox refused to connect to localhost:8765"
    assert "--network" in text_of(asked) and "--folder DIR" not in text_of(asked)
    assert "--example FILE" in text_of(never()) and "--example" not in text_of(written)
    assert any("--example FILE" in said for said in data_of(never())["remarks"])
    assert "--folder" in text_of(never()) and "--folder" not in text_of(
        replace(never(), settings={"folder": str(tmp_path)})
    )
    (tmp_path / "a.txt").write_text("a")
    given = fuzz("opens_by_address", 10, folder=str(tmp_path))
    assert "outside" in [one.kind for one in given.counted()] and "--folder" not in text_of(given)


_TILL = """
import sqlite3
from pathlib import Path


def price_of(code: str) -> str:
    with sqlite3.connect(Path(__file__).with_name("till.db")) as till:
        row = till.execute("SELECT price FROM parts WHERE code = ?", (code,)).fetchone()
    return "Error: no such part" if row is None else str(100 // row[0])


def sell(code: str) -> str:
    with sqlite3.connect(Path(__file__).with_name("till.db")) as till:
        return str(till.execute("DELETE FROM parts WHERE code = ?", (code,)).rowcount)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a file system that is read-only")
def test_a_database_of_the_tools_own_is_read_and_writing_to_it_is_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "till.py").write_text(f"{_TILL}\n\ntools = [price_of, sell]\n")
    with closing(sqlite3.connect(tmp_path / "till.db")) as till:
        till.executescript(
            "CREATE TABLE parts (code, price); INSERT INTO parts VALUES ('P/1', 5), ('P/2', 0)"
        )
    monkeypatch.chdir(tmp_path)
    report = Fuzz(Options("till:tools", calls=40, sequences=0, call_limit=60)).run()
    assert report.tool("price_of").succeeded
    assert [(one.tool, one.kind, one.shrunk) for one in report.counted()] == [
        ("price_of", "raised", {"code": "P/2"}),
        ("sell", "outside", {"code": ""}),
    ]
    assert "--folder DIR" in text_of(report)


_RATES = """
import tempfile
from pathlib import Path

MADE = Path(tempfile.mkdtemp())
(MADE / "rates.csv").write_text("EUR,2 USD,0")


def rate(code: str) -> str:
    rates = dict(line.split(",") for line in (MADE / "rates.csv").read_text().split())
    return str(1 / int(rates[code])) if code in rates else "Error: no such currency"


def note(text: str) -> str:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    return "noted"


tools = [rate, note]
"""


def test_temporary_files_are_the_tools_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rates.py").write_text(_RATES)
    monkeypatch.chdir(tmp_path)
    report = Fuzz(Options("rates:tools", calls=30, sequences=0, call_limit=60)).run()
    assert [(one.tool, one.kind, one.shrunk) for one in report.counted()] == [
        ("rate", "raised", {"code": "USD"})
    ]
    assert report.never_entered() == [] and report.tool("note").succeeded == 30


_LEDGER = """
import sqlite3
import tempfile
from pathlib import Path

PLACE = Path(tempfile.mkdtemp()) / "ledger.db"
with sqlite3.connect(PLACE) as database:
    database.execute("CREATE TABLE entries (text TEXT)")


def book(text: str) -> str:
    with sqlite3.connect(PLACE) as database:
        database.execute("INSERT INTO entries VALUES (?)", (text.encode("utf-8", "replace").decode(),))
        [[count]] = database.execute("SELECT COUNT(*) FROM entries").fetchall()
    if count > 500:
        raise ValueError("the ledger is full")
    return f"{count} entries"
"""


def test_what_an_import_made_in_a_temporary_folder_can_be_written_and_is_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ledger.py").write_text(_LEDGER)
    monkeypatch.chdir(tmp_path)
    report = Fuzz(Options("ledger:book", calls=100, sequences=0, call_limit=60)).run()
    assert report.counted() == [] and report.tool("book").succeeded == 100
    for _ in range(2):
        calls = [Call(tool="book", arguments={"text": "a"})] * 2
        made = Fuzz(Options("ledger:book")).play(calls)
        assert [one.answer for one in made] == ["1 entries", "2 entries"]


def test_a_limit_of_one_argument_is_documented_if_that_argument_breaks_it() -> None:
    for name, documented in (("percent", True), ("share", False), ("ratio", False)):
        assert [one.documented for one in stated().counted(name)] == [documented], name


def test_a_folder_is_given_under_its_own_path_and_each_child_finds_it_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.json").write_text('{"order_id": "Q-17"}')
    (folder / "keys.pem").write_text("secret")
    report = Fuzz(Options(HERE + "in_folder", calls=60, sequences=0, folder=str(folder))).run()
    (tool,) = report.tools
    assert tool.succeeded > 2 and report.remarks == []
    assert {one.exception for one in report.counted()} <= {"OSError"}  # a name that is too long
    assert sorted(one.name for one in folder.iterdir()) == ["a.json", "keys.pem"]
    made = Fuzz(Options(HERE + "in_folder", folder=str(folder))).play(
        [{"tool": "in_folder", "arguments": {"path": str(folder), "order_id": "Q-17"}}]
    )
    assert made[0].answer == ["a.json", "new.txt"]


def test_examples_are_sent_first_and_their_values_serve_other_tools(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text('{"tool": "open_box", "arguments": {"box_id": "zz-9"}}\n')
    command = [
        "fuzz",
        HERE + "BOXES",
        "--calls",
        "30",
        "--sequences",
        "0",
        "--json",
        "-o",
        str(tmp_path / "a.planscope.json"),
    ]
    assert main([*command, "--example", str(file), "--fail-never-entered"]) == 0
    report = Fuzz(Options(HERE + "BOXES", calls=30, sequences=0)).run()
    assert [one.name for one in report.never_entered()] == ["open_box", "close_box"]


def test_what_tools_that_read_answer_is_known_to_others() -> None:
    report = Fuzz(Options(HERE + "SHOP", calls=60, sequences=0)).run()
    assert report.never_entered() == []
    alone = Fuzz(Options(HERE + "SHOP", calls=60, sequences=0, tools=("rename_shelf",))).run()
    assert alone.tool("rename_shelf").curve == report.tool("rename_shelf").curve
    assert alone.tool("rename_shelf").succeeded == report.tool("rename_shelf").succeeded


@pytest.mark.parametrize(
    "given,wanted",
    [
        ("[1]", "has no calls"),
        ("", "has no calls"),
        ("nothing", "has no calls"),
        pytest.param("[" * 100_000, "has no calls", id="deep"),
    ],
)
def test_a_file_without_calls_is_one_clear_line(
    given: str, wanted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "calls.json"
    file.write_text(given)
    assert main(["fuzz", HERE + "never", "--example", str(file)]) == 2
    assert wanted in capsys.readouterr().err


CLIENT = """
def go(text, number):
    if not text:
        raise ValueError("text is empty")
    if number < 0:
        raise ValueError("number is negative")
    if "/" in text:
        raise ValueError(f"{text} has a slash")
    return text * (number % 3)
"""


def test_errors_behind_a_thin_wrapper_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wrap_lib.py").write_text(CLIENT)
    (tmp_path / "wrap_app.py").write_text(
        "import wrap_lib\n\ndef run(text: str, number: int) -> str:\n    return wrap_lib.go(text, number)\n"
    )
    monkeypatch.chdir(tmp_path)
    report = Fuzz(Options("wrap_app:run", calls=100, sequences=0)).run()
    assert len(report.counted()) == 3 and {one.exception for one in report.counted()} == {"ValueError"}
    assert len({one.location for one in report.counted()}) == 1


def test_a_message_that_lists_names_in_other_orders_is_one_error() -> None:
    assert [one.kind for one in stated().sorted() if one.tool == "tables"] == ["returned"]


def test_a_missing_package_is_said_once() -> None:
    report = fuzz("lacks")
    (data,) = data_of(report)["tools"]
    assert data["calls"] < 10 and data["stopped"] == "unusable"
    assert [one.kind for one in report.sorted()] == ["infrastructure"]
    assert "a package is missing" in text_of(report) and "--example" not in text_of(report)


def test_what_is_only_listed_gets_no_test_that_fails() -> None:
    assert "def test_" not in pytest_file(never())


def test_a_factory_is_known_by_its_answer_and_a_tool_is_not_called_for_it() -> None:
    assert [one.name for one in load_tools(HERE + "all_of_them")] == ["never", "day_of_week"]
    assert [one.name for one in load_tools(HERE + "tidy_up")] == ["tidy_up"] and data_stores._CALLED == []


def test_examples_of_docstrings_and_schemas_are_sent() -> None:
    report = Fuzz(Options(HERE + "DOORS", calls=40, sequences=0)).run()
    assert {one.name: one.entered for one in report.tools} == {"door": True, "gate": True, "lid": True}


def test_examples_of_an_argument() -> None:
    text = (
        "Weather.\n\nArgs:\n    city (str): such as 'Paris, France' or so\n    day: e.g. 3 or 4; default: 1\n"
    )
    schema = {"examples": ["Bern"], "default": "Rome", "description": "A city, for example Oslo and Bergen."}
    assert examples_of("city", schema, text) == ["Bern", "Rome", "Oslo", "Bergen", "Paris, France"]
    assert fitting(examples_of("day", {}, text), {"type": "integer"}) == [3, 4]
    assert examples_of("other", {}, text) == []
    assert [*calls_in(">>> f(1, b='x')\n>>> g(2)\n>>> f(open('a'))\n>>> f(", "f", ["a", "b"])] == [
        {"a": 1, "b": "x"}
    ]


def test_a_finding_says_how_many_branches_its_smallest_call_takes() -> None:
    report = fuzz("deep", 100)
    [finding] = report.counted()
    assert finding.branches == 3 and re.search(r"reached +3 branches", text_of(report))
    assert data_of(report)["findings"][0]["branches"] == 3


REFUSED = """
import ctypes, struct
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 272), (6, 0, 0, 0x50001), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in steps))
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(Filter(4, ctypes.addressof(code)))) == 0
"""
"""Has the kernel refuse ``unshare``, by a filter of system calls."""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of the system call is that of x86-64")
def test_a_folder_without_namespaces_is_a_copy_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_BOOT", f"exec({REFUSED!r}); {engine._BOOT}")
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "a.json").write_text('{"order_id": "Q-17"}')
    (folder / "keys.pem").write_text("secret")
    options = Options(HERE + "in_folder", calls=60, sequences=0, folder=str(folder))
    report = Fuzz(options).run()
    assert report.sandbox["writes"] == "audit hook" and report.tool("in_folder").succeeded > 2
    assert any("no namespaces here, so the copy is at" in one for one in report.remarks)
    assert "arguments are rewritten" in " ".join(text_of(report).split())
    assert {one.exception for one in report.counted()} <= {"OSError"}
    call = Call(tool="in_folder", arguments={"path": str(folder), "order_id": "Q-17"})
    assert Fuzz(options).play([call])[0].answer == ["a.json", "new.txt"]
    assert sorted(one.name for one in folder.iterdir()) == ["a.json", "keys.pem"]
