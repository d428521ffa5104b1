"""Journals of recorded runs: what is written, read up to its first broken line, put in order and merged."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from planscope.session import merging, recordings
from planscope.session.files import SessionError, recordings_of
from planscope.session.lock import Held, Lock
from planscope.session.merging import merge_now, merge_recordings
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    PromptEvent,
    Session,
)
from planscope.session.recordings import (
    Journal,
    RecordedRun,
    RecordingTail,
    any_recordings,
    complete_recordings,
    kept_rules,
    placed,
    session_in_journal,
    with_recordings,
)
from planscope.session.store import load, save
from tests.session.make import figure_10

START = datetime(2026, 11, 1, 12, tzinfo=UTC)


def head(**fields: Any) -> dict[str, Any]:
    more = {"timed": False, "started": START.isoformat(), "agent": "x:y", "model": "m"}
    return {"title": "T", "query": "", **more, **fields}


def recorded(
    token: str = "t1", minutes: int = 0, tools: tuple[ActionRecord, ...] = (), **fields: Any
) -> RecordedRun:
    said = {"title": "T", "query": "", "timed": False, "agent": "x:y", "model": "m", **fields}
    started = START + timedelta(minutes=minutes)
    return RecordedRun(token, started=started, tools={tool.tool: tool for tool in tools}, **said)


def tool(name: str, **fields: Any) -> ActionRecord:
    return ActionRecord(id="a1", name=name, tool=name, **fields)


def lines(*said: dict[str, Any] | str) -> bytes:
    first = {"format": "planscope-recording", "version": 1, "token": "t", **head()}
    rows = [first, *said]
    return b"".join((row if isinstance(row, str) else json.dumps(row)).encode() + b"\n" for row in rows)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"event": {"type": kind, **fields}}


def events(*said: dict[str, Any] | str) -> list[Event]:
    session = session_in_journal(lines(*said))
    assert session is not None
    return session.runs[0].events


CALL = event("call", step=1, tool="look", arguments={"a": 1})


def test_what_is_appended_is_read_while_it_grows_and_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    assert not any_recordings(path)
    journal = Journal(path, head(title="Mine", query="A precedes b.", rules="Look comes first.\n"))
    assert any_recordings(path) and journal.open
    tail = RecordingTail(path, journal.token)
    assert (tail.more(), tail.tools) == ([], 0)
    run = tail.run
    assert run is not None and run.started == START
    said = (run.title, run.query, run.rules, run.timed, run.agent, run.model)
    assert said == ("Mine", "A precedes b.", "Look comes first.\n", False, "x:y", "m")
    prompt, call = PromptEvent(text="go"), CallEvent(step=1, tool="look")
    journal.events([prompt, call])
    journal.append({"tool": {"name": "look", "description": "Looks"}})
    assert tail.more() == [prompt, call] and tail.more() == [] and tail.tools == 1
    with complete_recordings(path) as found:
        assert found == []  # its writer has not ended
    assert [one.events for one in recordings.recordings(path)] == [[prompt, call]]
    os.write(journal._handle, b'{"event": {"type": "answer"')
    journal.close()
    journal.append({"lost": True})
    assert not journal.open and tail.more() == []
    with complete_recordings(path) as found:
        assert [(one.token, one.events) for one in found] == [(journal.token, [prompt, call])]
        assert list(found[0].tools) == ["look"]
    assert not any_recordings(path) and not recordings_of(path).exists()
    assert tail.run is not None and tail.run.events == [prompt, call]
    tail.close()
    with pytest.raises(OSError, match=journal.token):
        RecordingTail(path, journal.token)


def test_journals_stay_if_they_could_not_be_used(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for minutes in (2, 1):
        Journal(path, head(started=(START + timedelta(minutes=minutes)).isoformat())).close()
    folder = recordings_of(path)
    (folder / "broken.jsonl").write_text("{}\n")
    (folder / "notes.txt").write_text("x")
    (folder / "link.jsonl").symlink_to(folder / "broken.jsonl")
    (folder / "deep.jsonl").mkdir()
    with pytest.raises(ZeroDivisionError), complete_recordings(path) as found:
        assert [one.started.minute for one in found] == [1, 2]
        raise ZeroDivisionError
    assert len(recordings.recordings(path)) == 2
    with complete_recordings(path) as found:
        assert len(found) == 2
    left = ["broken.jsonl", "deep.jsonl", "link.jsonl", "notes.txt"]
    assert sorted(p.name for p in folder.iterdir()) == left


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"},
        {"started": "soon"},
        {"started": 3},
        {"title": None, "drop": "title"},
        {"drop": "timed"},
        {"drop": "token"},
        {"drop": "model"},
    ],
)
def test_a_journal_without_a_whole_head_is_none(change: dict[str, Any], tmp_path: Path) -> None:
    first = {"format": "planscope-recording", "version": 1, "token": "t", **head(), **change}
    if "drop" in first:
        del first[first.pop("drop")]
    assert session_in_journal(json.dumps(first).encode() + b"\n") is None
    assert session_in_journal(b"") is None and session_in_journal(lines()[:-1]) is None
    assert session_in_journal(b"[1]\n") is None
    folder = recordings_of(tmp_path / "x")
    folder.mkdir()
    for name in ("t", "u"):
        (folder / f"{name}.jsonl").write_bytes(lines())
    assert [one.token for one in recordings.recordings(tmp_path / "x")] == ["t"]


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        '["event"]',
        event("call", step=3, tool="look"),
        event("call", step=1, tool="look"),
        event("answer", step=2, text="x"),
        event("nothing"),
        {"tool": {"description": "x"}},
        {"done_with": {"a": 1}},
        {"done_with": 5, "step": 1},
    ],
)
def test_a_journal_is_read_up_to_its_first_broken_line(broken: dict[str, Any] | str) -> None:
    session = session_in_journal(lines(CALL, broken, event("answer", step=1, text="x")))
    assert session is not None
    (run,) = session.runs
    assert [one.type for one in run.events] == ["call"]
    assert [(one.kind, one.path) for one in run.left_out or ()] == [
        ("not understood", "line 3 of its recording")
    ]


def test_a_journal_holds_at_most_as_many_calls_as_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_CALLS", 2)
    found = events(*[event("call", step=n, tool="look") for n in (1, 2, 3)])
    assert [one.step for one in found if isinstance(one, CallEvent)] == [1, 2]


def test_events_are_put_in_order() -> None:
    answer, end = event("answer", step=1, text="first", at=2.0), event("end", ending="stopped", at=1.0)
    twice = event("answer", step=1, text="second", at=3.0)
    found = events(CALL, {"step": 1, "done_with": {"a": 2}}, end, answer, twice)
    assert [one.type for one in found] == ["call", "answer", "end"]
    call, said, ended = found
    assert isinstance(call, CallEvent) and (call.arguments, call.asked) == ({"a": 2}, {"a": 1})
    assert isinstance(said, AnswerEvent) and said.text == "first"
    assert ended.at == 3.0
    again = events(end, CALL, answer)
    assert [one.type for one in again] == ["call", "answer"]  # it went on after its end
    assert [one.type for one in events(CALL, end, end)] == ["call", "end"]
    assert isinstance(events(end)[0], EndEvent)


def test_tools_are_named_plainly_and_each_once() -> None:
    session = session_in_journal(
        lines(
            {"tool": {"name": "look_up-it", "description": "old"}},
            {"tool": {"name": "look_up-it", "description": "new", "parameters": {"type": "object"}}},
            {"tool": {"name": "no tool"}},
            {"tool": {"name": 5}},
            {"tool": {"name": "look-up_it"}},
            {"unknown": 1},
            {"tool": {"name": "Look_Up_It"}},
        )
    )
    assert session is not None
    assert [(a.id, a.name, a.tool, a.description) for a in session.variants[0].actions] == [
        ("a1", "look up it", "look_up-it", "new"),
        ("a2", "look up it 2", "look-up_it", None),
        ("a3", "Look Up It 3", "Look_Up_It", None),
    ]
    variant = session.variants[0]
    assert (variant.id, variant.own, variant.origin.kind) == ("v1", True, "imported")
    assert (session.id, session.title, session.runs[0].recording) == ("st", "T", "t")


def test_what_a_known_tool_does_not_say_yet_is_added_and_nothing_is_replaced() -> None:
    schema, other = {"type": "object", "x": 1}, {"type": "object", "x": 2}
    session = with_recordings(
        None, [recorded(tools=(tool("look"), tool("go", description="Goes", parameters=other)))]
    )
    variant, _ = placed(
        session, recorded("t2", tools=(tool("look", description="Looks", parameters=schema),))
    )
    assert [(a.tool, a.description, a.parameters) for a in variant.actions] == [
        ("look", "Looks", schema),
        ("go", "Goes", other),
    ]
    variant, _ = placed(session, recorded("t1", tools=(tool("go", description="Leaves", parameters=schema),)))
    assert [(a.tool, a.description, a.parameters) for a in variant.actions] == [
        ("look", None, None),
        ("go", "Goes", other),
    ]
    assert session.variants[0].actions[0].description is None  # nothing changed in the session


def test_a_variant_holds_at_most_as_many_tools_as_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_ACTIONS", 2)
    variant, _ = placed(Session(id="s", title="s"), recorded(tools=tuple(map(tool, "abc"))))
    assert [a.tool for a in variant.actions] == ["a", "b"]


def test_runs_of_one_query_share_a_variant_unless_their_tools_disagree() -> None:
    schema, other = {"x": 1}, {"x": 2}
    query = {"query": "A precedes b."}
    session = with_recordings(
        None,
        [
            recorded("t1", tools=(tool("a", parameters=schema), tool("b")), **query),
            recorded("t2", tools=(tool("b", parameters=other),), **query),
            recorded("t3", tools=(tool("a", parameters=other),), **query),
            recorded("t4", tools=(tool("a"),), **query),
            recorded("t5", query="A precedes b.", timed=True),
            recorded("t6", query="B precedes a."),
            recorded("t7", tools=(tool("a", parameters=other),), **query),
        ],
    )
    assert [(run.id, run.variant, run.recording) for run in session.runs] == [
        ("r1", "v1", "t1"),
        ("r2", "v1", "t2"),
        ("r3", "v2", "t3"),
        ("r4", "v1", "t4"),
        ("r5", "v3", "t5"),
        ("r6", "v4", "t6"),
        ("r7", "v2", "t7"),
    ]
    assert [v.query.timed for v in session.variants] == [False, False, True, False]
    assert [[a.tool for a in v.actions] for v in session.variants] == [["a", "b"], ["a"], [], []]
    written = figure_10()
    same = recorded(query=written.variants[0].query.text, timed=True)
    assert with_recordings(written, [same]).runs[-1].variant == "v2"  # mock tools are no own tools


def test_the_query_is_found_in_the_prompt_if_all_of_it_can_be_read() -> None:
    asked = [PromptEvent(text="A precedes b.")]
    tools = (tool("a"), tool("b"))

    def query(**fields: Any) -> tuple[str, bool]:
        found = with_recordings(None, [recorded(**fields)]).variants[0].query
        return found.text, found.timed

    assert query(tools=tools, events=asked) == ("A precedes b.", False)
    assert query(tools=tools, events=asked, timed=True) == ("A precedes b.", True)
    assert query(events=asked) == ("", False)
    assert query(tools=tools[:1], events=asked) == ("", False)
    assert query(tools=tools, events=[PromptEvent(text="Do as you like.")]) == ("", False)
    assert query(tools=tools, events=[]) == ("", False)
    assert query(tools=tools, events=asked, query="B precedes a.") == ("B precedes a.", False)


def test_a_known_run_gets_what_was_recorded_since_and_is_never_cut() -> None:
    first = [PromptEvent(text="go"), MessageEvent(text="x")]
    session = with_recordings(None, [recorded(events=list(first))])
    with_recordings(session, [recorded(events=first[:1], tools=(tool("a"),))])
    assert session.runs[0].events == first and session.variants[0].actions == []
    longer = [*first, CallEvent(step=1, tool="a")]
    with_recordings(session, [recorded(events=longer, tools=(tool("a"),))])
    assert len(session.runs) == 1 and session.runs[0].events == longer
    assert [a.tool for a in session.variants[0].actions] == ["a"]
    _, run = placed(session, recorded(events=longer))
    assert run.id == "r1"
    _, run = placed(session, recorded("t2"))
    assert run.id == "r2" and len(session.runs) == 1


OLD, NEW = "Look comes first.\n", "Go comes last.\n"


@pytest.mark.parametrize(
    ("fields", "given", "changes"),
    [
        ({}, "", {}),
        ({}, " \n", {}),
        ({}, OLD, {"rules": OLD, "rules_recorded": OLD, "rules_before": [""]}),
        ({"rules": OLD}, OLD, {}),
        ({"rules": NEW, "rules_recorded": OLD}, OLD, {}),
        (
            {"rules": OLD, "rules_recorded": OLD},
            NEW,
            {"rules": NEW, "rules_recorded": NEW, "rules_before": [OLD]},
        ),
        (
            {"rules": OLD, "rules_before": ["x"]},
            NEW,
            {"rules": OLD + NEW, "rules_recorded": NEW, "rules_before": ["x", OLD]},
        ),
        ({"rules": NEW + OLD, "rules_recorded": "x"}, f"\n{OLD}", {"rules_recorded": f"\n{OLD}"}),
    ],
)
def test_rules_of_a_recorder_replace_those_of_the_last_one_and_no_others(
    fields: dict[str, Any], given: str, changes: dict[str, Any]
) -> None:
    assert kept_rules(Session(id="s", title="s", **fields), given) == changes


def test_a_recording_brings_its_rules() -> None:
    session = with_recordings(None, [recorded(rules=OLD), recorded("t2", rules=NEW), recorded("t3")])
    assert (session.rules, session.rules_recorded, session.rules_before) == (NEW, NEW, ["", OLD])


def test_only_the_last_rules_are_kept() -> None:
    before = [str(n) for n in range(50)]
    session = Session(id="s", title="s", rules=OLD, rules_before=before)
    found = kept_rules(session, NEW)["rules_before"]
    assert len(found) == 50 and found == [*before[1:], OLD]


def test_complete_journals_are_merged_into_the_file_and_running_ones_only_into_a_new_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.planscope.json"
    merge_recordings(path)
    assert not path.exists()
    running = Journal(path, head(title="Running"))
    merge_recordings(path)
    assert [run.recording for run in load(path).runs] == [running.token]  # a new file appears at once
    before = path.read_bytes()
    merge_recordings(path)
    assert path.read_bytes() == before
    done = Journal(path, head(title="Done", started=(START - timedelta(hours=1)).isoformat()))
    done.events([PromptEvent(text="go")])
    done.close()
    with Lock(path, lasting=True):
        with pytest.raises(Held):
            merge_now(path)
        assert path.read_bytes() == before
        merge_recordings(path, held=True)
    assert sorted(p.stem for p in recordings_of(path).iterdir()) == [running.token]
    running.close()
    assert merge_now(path) is None
    tokens = [run.recording for run in load(path).runs]
    assert tokens == [running.token, done.token] and not recordings_of(path).exists()


def test_what_cannot_be_merged_goes_into_one_new_file_in_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "stand_ins", {})
    path = tmp_path / "x.planscope.json"
    path.write_text("no session")
    for number in (1, 2):
        Journal(path, head(title=f"Run {number}")).close()
        if number == 1:
            with pytest.warns(RuntimeWarning, match="planscope cannot record in .*x.planscope.json: "):
                merging._Merger().merge(path)
        else:
            merging._Merger().merge(path)  # a warning would be an error here
    assert path.read_text() == "no session" and not any_recordings(path)
    (place,) = merging.stand_ins.values()
    assert place != path and len(load(place).runs) == 2


def handles() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files of Linux")
def test_no_file_stays_open(tmp_path: Path) -> None:
    before, path = handles(), tmp_path / "none" / "yet" / "x"
    journal, dropped = Journal(path, head()), Journal(path, head())
    assert handles() == before + 2
    (recordings_of(path) / "pipe.jsonl").mkdir()
    del dropped
    assert handles() == before + 1
    tail = RecordingTail(path, journal.token)
    assert len(recordings.recordings(path)) == 2
    with complete_recordings(path) as found:
        assert len(found) == 1 and handles() == before + 3
    assert handles() == before + 2
    journal.close()
    tail.close()
    tail.close()
    assert handles() == before
    (file,) = recordings_of(path).glob(f"{journal.token}.jsonl")
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_follows_a_broken_line_is_never_read(tmp_path: Path) -> None:
    for first in ("{}", json.dumps({"event": {"type": "message", "text": "x"}})):
        journal = Journal(tmp_path / "x", head())
        file = recordings_of(tmp_path / "x") / f"{journal.token}.jsonl"
        if first == "{}":
            file.write_text("{}\n")
        tail = RecordingTail(tmp_path / "x", journal.token)
        journal.append_text(first)
        known = tail.more()
        assert len(known) == (first != "{}")
        journal.append_text('{"event": 1}', first)
        assert tail.more() == []
        journal.append_text(first)
        assert tail.more() == [] and tail.tools == 0
        assert (tail.run is None) is (first == "{}")


def test_at_most_as_much_is_read_as_a_session_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "x", head())
    size = (recordings_of(tmp_path / "x") / f"{journal.token}.jsonl").stat().st_size
    line = json.dumps({"event": {"type": "message", "text": "x"}})
    monkeypatch.setattr(recordings, "LARGEST", size + len(line) + 1)
    monkeypatch.setattr(recordings, "_PIECE", 7)
    journal.append_text(line, line)
    tail = RecordingTail(tmp_path / "x", journal.token)
    assert len(tail.more()) == 1 and tail.more() == []
    assert [len(one.events) for one in recordings.recordings(tmp_path / "x")] == [1]


def test_what_can_be_merged_nowhere_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "stand_ins", {})
    path = tmp_path / "x.planscope.json"
    save(figure_10(), path)
    Journal(path, head()).close()

    def full(*_: object) -> None:
        raise SessionError("the disk is full")

    warned: list[tuple[str, Path]] = []
    merger = merging._Merger()
    with monkeypatch.context() as broken:
        broken.setattr(merging, "write_atomic", full)
        broken.setattr(merging, "warn", lambda *told: warned.append(told))
        said = merge_now(path)
        assert said == (
            f"planscope could not save a recording: the disk is full; it is kept in {recordings_of(path)}"
        )
        assert any_recordings(path)
        assert merger.merge(path) is False and warned == [(said, path)]
        with Lock(path, lasting=True):
            assert merger.merge(path) is True  # it is tried again later
    merger._due = {path: 0.0}
    merger.finish()
    assert not any_recordings(path) and merger._due == {} and len(load(path).runs) == 2
