"""Files and folders of traces: read by their content, packed and cut, almost right, opened on the screen."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from planscope.commands import open as opens
from planscope.session.model import CallEvent
from planscope.session.store import load
from planscope.traces import Unreadable, importing, open_traces
from planscope.traces.opening import files_in
from planscope.tui import launch
from tests.cli.support import Cli
from tests.traces.samples import CHAT, SAMPLES, lines, whole

ASKED = ["search", "book"]


def test_a_folder_is_read_by_content(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    wanted = ["a.traj", "b", "c.log", "d.gz", "deep/e.jsonl"]
    for name in wanted:
        data = whole(CHAT)
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (tmp_path / ".hidden").write_bytes(whole(CHAT))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "notes.txt").write_text("Nothing here.")
    (tmp_path / "code.tar.gz").write_bytes(gzip.compress(b"./a\0\0"))
    assert [str(file.relative_to(tmp_path)) for file in files_in(tmp_path)] == wanted
    traces = list(open_traces([tmp_path]))
    assert [[call.tool for call in trace.calls] for trace in traces] == [ASKED] * 5


@pytest.mark.parametrize("name", ["chat", "chat, a message a line", "claude code", "otel, lines", "plain"])
def test_a_packed_file_that_was_cut_gives_what_stands_before_its_end(tmp_path: Path, name: str) -> None:
    many = SAMPLES[name][1]
    packed = gzip.compress(many, compresslevel=0)
    path = tmp_path / "run.gz"
    path.write_bytes(packed[: -len(packed) // 8])
    (trace,) = open_traces([path])
    assert [call.tool for call in trace.calls][:1] == ["search"]
    assert trace.problem is not None and trace.ending == "aborted"


def test_a_packed_file_without_anything_in_it_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(whole(CHAT))[:12])
    with pytest.raises(Unreadable, match="the packed data are damaged"):
        list(open_traces([path]))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (json.dumps(CHAT)[:-1] + ",]", "line 1, column {end}"),
        (json.dumps(CHAT, indent=1)[:-2] + ",\n]", "line {lines}, column 1"),
    ],
)
def test_a_trailing_comma_is_said_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    (trace,) = open_traces([path])
    assert [call.tool for call in trace.calls] == ASKED
    where = place.format(end=len(text), lines=text.count("\n") + 1)
    assert trace.problem == f"{where}: there is a comma before the closing bracket"


def test_pythons_text_of_a_value_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(repr(CHAT))
    with pytest.raises(
        Unreadable, match=r"Python's text of a value, not JSON \(a single quote at line 1, column 3\)"
    ):
        list(open_traces([path]))
    path.write_text('{"messages" [1]}')
    with pytest.raises(Unreadable, match="it is not JSON at line 1, column 13: Expecting ':' delimiter"):
        list(open_traces([path]))


def test_a_trace_is_opened_as_an_import_would(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(whole(CHAT))
    done = cli(str(path))
    assert done.status == 2 and f"planscope import {path} makes a session of it" in done.err
    shown: list[Path] = []
    monkeypatch.setattr(opens, "has_terminal", lambda: True)
    monkeypatch.setattr(launch, "run", lambda file, **_: shown.append(file) or 0)
    assert cli(str(path)).status == 0
    session = load(shown[0])
    assert [event.tool for event in session.runs[0].events if isinstance(event, CallEvent)] == ASKED
    assert cli(str(path)).status == 0
    assert shown[1] == shown[0], "the same trace, opened again, is the same session"
    path.write_bytes(lines([{"messages": CHAT}] * 2))
    assert cli(str(path)).status == 0
    assert len(load(shown[2]).runs) == 2 and shown[2] != shown[0]
    (tmp_path / "folder").mkdir()
    for name in "ab":
        (tmp_path / "folder" / f"{name}.json").write_bytes(whole(CHAT))
    assert cli(str(tmp_path / "folder")).status == 0
    assert len(load(shown[3]).runs) == 2


def test_the_first_run_is_one_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = [*CHAT[:4], {**CHAT[4], "content": "done"}]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(lines([{"messages": one} for one in (fine, CHAT, fine)]))
    made = importing.opened(path)
    session = load(made.path)
    assert session.cursor == {"run": session.runs[1].id}
    assert made.line.startswith("read: ") and "3 traces" in made.line


def test_a_trace_on_standard_input_is_no_broken_session(cli: Cli) -> None:
    done = cli("-", stdin=whole(CHAT).decode())
    assert done.status == 2 and "needs a terminal" in done.err


def test_a_trace_opens_with_the_rules_of_a_file(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Path] = []
    told: list[str] = []

    def run(file: Path, *, notice: str, **_: object) -> int:
        shown.append(file)
        told.append(notice)
        return 0

    monkeypatch.setattr(opens, "has_terminal", lambda: True)
    monkeypatch.setattr(launch, "run", run)
    path, rules = tmp_path / "runs.jsonl", tmp_path / "rules.txt"
    booked = [one for one in CHAT if "book" not in json.dumps(one)]
    path.write_bytes(lines([{"messages": one} for one in (booked, CHAT, booked)]))
    rules.write_text("book comes before search.\n")

    def opened(*options: str) -> Path:
        done = cli(str(path), *options)
        assert (done.status, done.err) == (0, "")
        return shown[-1]

    first = opened("--rules", str(rules))
    assert load(first).rules == "book comes before search.\n"
    assert told[-1].startswith("read: ") and told[-1].endswith("; judged by the rules of rules.txt")
    rules.write_text("Never call search.\n")
    assert opened("--rules", str(rules)) == first, "the same trace stays one session"
    session = load(first)
    assert session.rules == "Never call search.\n"
    assert session.rules_before == ["", "book comes before search.\n"], "u brings them back"
    assert session.cursor == {"run": session.runs[0].id}, "a run that violates a rule, before one that failed"
    assert opened("--rules", str(rules)) == first and load(first).rules_before == session.rules_before
    assert opened() == first and load(first).rules == "Never call search.\n", (
        "without --rules it keeps its own"
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("search comes whenever.\n", "rules.txt: line 1"),
        ("", "rules.txt has no rule"),
        (None, "there is no file"),
    ],
)
def test_rules_that_cannot_be_read_open_nothing(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, rules: str | None, said: str
) -> None:
    monkeypatch.setattr(opens, "has_terminal", lambda: True)
    monkeypatch.setattr(launch, "run", lambda file, **_: 0)
    (tmp_path / "run.json").write_bytes(whole(CHAT))
    if rules is not None:
        (tmp_path / "rules.txt").write_text(rules)
    done = cli(str(tmp_path / "run.json"), "--rules", str(tmp_path / "rules.txt"))
    assert done.status == 2 and said in done.err
    assert not list(tmp_path.rglob("*.planscope.json"))


def test_rules_are_for_traces(cli: Cli) -> None:
    done = cli("first-look", "--rules", "rules.txt")
    assert done.status == 2 and "planscope rules add first-look rules.txt" in done.err
