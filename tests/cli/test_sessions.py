"""``planscope sessions``, and names of the library wherever a session is named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.documents.schemas import schema
from planscope.session.files import SessionError
from planscope.session.locations import bundled, library_folder, trash_folder
from planscope.session.lock import Lock
from planscope.session.model import Run
from planscope.session.recovery import DraftFile
from planscope.session.store import load, save
from planscope.session.writer import SessionWriter
from tests.cli.support import Cli, Done, harmless
from tests.hostile import HOSTILE
from tests.session.make import figure_10


@pytest.fixture(autouse=True)
def _nobody_at_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name))


def keep(name: str, title: str = "A title", **fields: Any) -> Path:
    session = figure_10().model_copy(update={"title": title, **fields})
    path = library_folder() / f"{name}.planscope.json"
    save(session, path)
    return path


def checked(done: Done) -> Any:
    """The document that was printed, which its schema allows."""
    assert done.status == 0 and done.err == "", done
    jsonschema.validate(done.json, schema("sessions"))
    return done.json


def names(document: Any) -> list[str]:
    return [one["name"] for one in document["sessions"]]


def many(name: str, right: int, wrong: int, helped: int = 0) -> Path:
    """A session whose last run is right, after wrong ones and some that had help."""
    made = figure_10()
    (lost,) = made.runs
    fine = LiveRun(made.variants[0], RunOptions(model="sim:careful")).wait()
    assert fine.events[-2].type == "message"
    aid = [e.model_copy(update={"said": "no"}) if e.type == "answer" else e for e in fine.events]
    runs = [lost] * wrong + [fine.model_copy(update={"events": aid})] * helped + [fine] * right
    runs = [run.model_copy(update={"id": f"r{n}"}) for n, run in enumerate(runs, 1)]
    return keep(name, runs=runs)


def test_a_list_says_how_many_runs_were_right(cli: Cli) -> None:
    many("many", 14, 6)
    many("fine", 2, 0)
    many("aid", 3, 1, helped=2)
    keep("one")
    found = {one["name"]: one for one in checked(cli("sessions", "--json"))["sessions"]}
    assert (found["many"]["verdict"], found["many"]["error_type"]) == ("right", None)
    outcomes = found["many"]["outcomes"]
    assert (outcomes["right"], outcomes["counted"], outcomes["errors"]) == (14, 20, {"parameter_error": 6})
    rows = {row.split()[0]: row for row in cli("sessions").out.splitlines() if row.startswith("  ")}
    assert "14/20" in rows["many"] and "2/2" in rows["fine"] and "/" not in rows["one"].split("20")[0]
    assert rows["many"].split()[1:3] == ["right", "14/20"]
    assert found["aid"]["outcomes"]["helped"] == found["aid"]["outcomes"]["helped_right"] == 2
    assert "3/4" in rows["aid"] and found["aid"]["helped"] is None
    shown = cli("sessions", "show", "aid").out
    assert "Runs: 3 of 4 right; 2 helped, 2 of them right" in shown
    assert "right, helped: 3 answers edited by hand" in shown
    assert checked(cli("sessions", "show", "aid", "--json"))["run_list"][1]["helped"]["answers_edited"] == 3


def test_any_wrong_run_is_found(cli: Cli) -> None:
    many("many", 14, 6)
    many("fine", 2, 0)
    wrong = names(checked(cli("sessions", "list", "--verdict", "wrong", "--place", "library", "--json")))
    assert wrong == ["many"]
    right = names(checked(cli("sessions", "list", "--verdict", "right", "--place", "library", "--json")))
    assert sorted(right) == ["fine", "many"]
    types = names(checked(cli("sessions", "list", "--error-type", "parameter_error", "--json")))
    assert "many" in types and "fine" not in types
    assert "many" in names(checked(cli("sessions", "list", "wrong", "parameter", "--json")))


def test_a_list_says_of_a_run_that_was_helped_that_it_was(cli: Cli) -> None:
    many("aid", 0, 0, helped=1)
    (found,) = checked(cli("sessions", "list", "--place", "library", "--json"))["sessions"]
    assert (found["verdict"], found["helped"]) == ("right", "3 answers edited by hand")
    assert "right, helped" in cli("sessions").out


def test_a_list(cli: Cli) -> None:
    keep("one", "A first plan")
    document = checked(cli("sessions", "list", "--json"))
    assert document == checked(cli("sessions", "--json")) and document["folder"] == str(library_folder())
    assert names(document) == ["one", *sorted(bundled(), key=lambda n: names(document).index(n))]
    first = document["sessions"][0]
    assert (first["place"], first["title"], first["agent"]) == ("library", "A first plan", "tools")
    assert (first["verdict"], first["error_type"], first["runs"]) == ("wrong", "parameter_error", 1)
    assert first["open"] == "one" and first["size"] == Path(first["path"]).stat().st_size
    done = cli("sessions")
    assert done.status == 0 and done.out.startswith(f"Library ({library_folder()})\n  one")
    assert "parameter error" in done.out and "Bundled with planscope\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80 + len(str(library_folder()))


def test_search_and_filters(cli: Cli) -> None:
    keep("one", "A first plan")
    right = figure_10().model_copy(deep=True)
    right.runs = []
    save(right, library_folder() / "bare.planscope.json")

    def found(*args: str) -> list[str]:
        return names(checked(cli("sessions", "list", "--json", *args)))

    assert found("first", "PLAN") == ["one"] and found("nothing-like-it") == []
    assert found("--place", "library", "--verdict", "wrong") == ["one"]
    assert set(found("--place", "bundled")) == set(bundled())
    assert "figure-5" in found("--error-type", "order_error") and "figure-10" not in found(
        "--error-type", "order_error"
    )
    assert found("--error-type", "Order error") == found("--error-type", "order_error")
    assert (
        "not a type of error; the types are timeout"
        in cli("sessions", "list", "--error-type", "x").complaint()
    )
    assert found("--model", "sim:time-blind", "--place", "library") == ["one"]
    assert found("--agent", "react") == [] and sorted(found("--place", "library")) == ["bare", "one"]
    assert "bare  no run" in cli("sessions", "list", "bare").out
    assert cli("sessions", "list", "nothing-like-it").out == "no sessions\n"
    assert "invalid choice" in cli("sessions", "list", "--verdict", "perhaps").complaint()


def test_a_bundled_session_has_the_date_of_its_making(cli: Cli) -> None:
    made = load(bundled()["figure-10"]).created
    assert made is not None
    (row,) = (line for line in cli("sessions", "list").out.splitlines() if line.startswith("  figure-10 "))
    assert f"{made.astimezone():%Y-%m-%d %H:%M}" in row


def test_the_trash_is_judged_and_names_no_options_that_it_has_not(cli: Cli) -> None:
    keep("one", "A first plan")
    cli("sessions", "delete", "one")
    assert "parameter error" in cli("sessions", "trash").out
    assert checked(cli("sessions", "trash", "--json"))["sessions"][0]["verdict"] == "wrong"


def test_nothing_is_judged_where_that_is_asked(cli: Cli) -> None:
    keep("one")
    document = checked(cli("sessions", "list", "--no-judge", "--json"))
    assert {one["verdict"] for one in document["sessions"]} == {None}
    assert "to be judged" in cli("sessions", "list", "--no-judge").out
    cli("sessions")
    assert "to be judged" not in cli("sessions", "list", "--no-judge").out


def test_broken_sessions_are_listed(cli: Cli) -> None:
    library_folder().mkdir(parents=True)
    (library_folder() / "bad.planscope.json").write_text("{")
    (library_folder() / "gone.planscope.json").symlink_to("nowhere")
    os.mkfifo(library_folder() / "pipe.planscope.json")
    (library_folder() / "\x1b[31mred.planscope.json").write_text("[]")
    document = checked(cli("sessions", "list", "--json", "--place", "library"))
    assert all(one["wrong"] for one in document["sessions"]) and len(document["sessions"]) == 4
    done = cli("sessions")
    assert done.status == 0 and done.out.count("cannot be opened") == 4 and harmless(done.out)
    for why in ("ends in the middle", "cannot be read: No such file", "is not a regular file"):
        assert f"\n         {why}" in done.out
    assert "1970" not in done.out and not [d for d in document["sessions"] if d["changed"] < "2000"]
    assert {one["open"] for one in document["sessions"]} > {
        "bad",
        str(library_folder() / "\x1b[31mred.planscope.json"),
    }


def test_one_is_shown(cli: Cli) -> None:
    document = checked(cli("sessions", "show", "figure-10", "--json"))
    assert document["place"] == "bundled" and [run["id"] for run in document["run_list"]] == ["r1", "r2"]
    assert [run["verdict"] for run in document["run_list"]] == ["right", "wrong"]
    assert document["variant_list"][0]["text"].startswith("Attending training sessions follow")
    path = keep("one")
    with SessionWriter(path):
        assert checked(cli("sessions", "show", "one", "--json"))["writer"]["pid"] == os.getpid()
        assert f"written by   process {os.getpid()}" in cli("sessions", "show", "one").out
    assert checked(cli("sessions", "show", path, "--json"))["writer"] is None
    assert "there is no file nothing" in cli("sessions", "show", "nothing").complaint()
    done = cli("sessions", "show", "one")
    assert done.status == 0 and "Runs\n  r1  parameter error  3 calls  tools sim:time-blind" in done.out


def test_names_are_known_everywhere(cli: Cli) -> None:
    keep("my plan")
    for line in ("check", "replay", "repair", "export --format text"):
        command, *more = line.split()
        assert cli(command, "my plan", *more).status in (0, 1), line
    assert "needs a terminal" in cli("open", "my plan").complaint()
    assert cli("run", "my plan", "--model", "sim:careful").status == 0
    assert len(load(library_folder() / "my plan.planscope.json").runs) == 2
    assert "is it my plan?" in cli("check", "my plam").complaint()


def test_copied_renamed_deleted_restored(cli: Cli) -> None:
    made = checked(cli("sessions", "copy", "figure-10", "--json"))
    assert made["sessions"] == [
        {"name": "figure-10-2", "path": str(library_folder() / "figure-10-2.planscope.json")}
    ]
    assert cli("sessions", "copy", "figure-10", "ten").out == "copied to your library as ten\n"
    assert "already" in cli("sessions", "copy", "figure-7", "ten").complaint()
    assert cli("sessions", "rename", "ten", "x", "--title", "My title").out == "renamed to x\n"
    assert checked(cli("sessions", "show", "x", "--json"))["title"] == "My title"
    assert "give a new NAME" in cli("sessions", "rename", "x").complaint()
    assert (
        "cannot be a session's name: it begins with '.'" in cli("sessions", "rename", "x", "../y").complaint()
    )
    assert "bundled with planscope" in cli("sessions", "delete", "figure-10").complaint()
    assert "there is no session 'y'" in cli("sessions", "delete", "x", "y").complaint()
    assert names(checked(cli("sessions", "list", "--json", "--place", "library"))) == ["x", "figure-10-2"]
    assert cli("sessions", "delete", "x", "figure-10-2").status == 0
    assert sorted(names(checked(cli("sessions", "trash", "--json")))) == ["figure-10-2", "x"]
    assert "Trash (" in cli("sessions", "trash").out
    assert cli("sessions", "restore", "x").out == "restored to your library: x\n"
    assert checked(cli("sessions", "trash", "--empty", "--json"))["removed"] == 1
    assert list(trash_folder().iterdir()) == [] and cli("check", "x").status == 1
    assert "no 'figure-10-2' in the trash" in cli("sessions", "restore", "figure-10-2").complaint()


def test_what_was_deleted_by_its_path_is_called_by_its_name(cli: Cli) -> None:
    odd = keep("odd").rename(library_folder() / "\u202eodd.planscope.json")
    done = cli("sessions", "delete", str(odd))
    assert done.out == "moved to the trash: ⟨U+202E⟩odd (planscope sessions restore brings it back)\n"
    assert cli("sessions", "restore", "\u202eodd").out == "restored to your library: odd\n"


def test_files_outside_the_library_stay(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(figure_10(), path)
    before = path.read_bytes()
    for args in (
        ["delete", path],
        ["rename", path, "y"],
        ["rename", path, "--title", "y"],
        ["restore", path],
    ):
        assert cli("sessions", *args).status == 2
    assert path.read_bytes() == before


def test_what_is_open_is_not_changed(cli: Cli) -> None:
    path = keep("one")
    before = path.read_bytes()
    with Lock(path, lasting=True):
        for args in (["delete", "one"], ["rename", "one", "two"], ["rename", "one", "--title", "two"]):
            complaint = cli("sessions", *args).complaint()
            assert f"is being written by another planscope (process {os.getpid()}, since" in complaint
        for args in (["--model", "sim:careful"], ["--model", "sim:careful", "--times", "2"]):
            assert "is being written by another planscope" in cli("run", "one", *args).complaint()
        assert "is being written" in cli("mutate", "one", "--kind", "TerminalSubstitute").complaint()
    assert path.read_bytes() == before


def test_a_run_is_kept_where_the_file_was_opened_meanwhile(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen opens it while the agent works: the run is not lost."""
    path = keep("one")
    locks: list[Lock] = []

    def opened(live: LiveRun) -> Run:
        made = wait(live)
        locks.append(Lock(path, lasting=True))
        locks[0].acquire()
        return made

    wait = LiveRun.wait
    monkeypatch.setattr(LiveRun, "wait", opened)
    complaint = cli("run", "one", "--model", "sim:careful").complaint()
    locks[0].release()
    assert "the new session is in" in complaint and len(load(path).runs) == 1
    assert len(load(Path(complaint.rpartition(" new session is in ")[2])).runs) == 2


def test_work_that_could_not_be_saved_is_given_back(cli: Cli, tmp_path: Path) -> None:
    assert cli("sessions", "recover").out == "no unsaved work\n"
    path = keep("one")
    keeper = SessionWriter(path)
    path.write_text("{}")
    with pytest.raises(SessionError):
        keeper.save(figure_10().model_copy(update={"title": "unsaved"}))
    assert checked(cli("sessions", "recover", "--json"))["recoveries"] == []
    keeper.close()
    (found,) = checked(cli("sessions", "recover", "--json"))["recoveries"]
    assert found["path"] == str(path) and "changed by another program" in found["why"]
    assert str(path) in cli("sessions", "recover").out
    assert f"unsaved work on {path}" in cli("sessions").out
    target = tmp_path / "back.planscope.json"
    assert checked(cli("sessions", "recover", "one", "-o", target, "--json"))["action"] == "recover"
    assert load(target).title == "unsaved" and path.read_text() == "{}"
    assert "there is no unsaved work on" in cli("sessions", "recover", "one").complaint()


def test_drafts_that_a_crash_left_are_listed(cli: Cli, tmp_path: Path) -> None:
    path = keep("one")
    kept = DraftFile(path)
    before = load(path).variants[0]
    kept.keep("s", before.model_copy(update={"id": "draft", "parent": before.id}))
    assert cli("sessions", "recover").out == "no unsaved work\n"  # it is being written
    kept.close()
    first, second = cli("sessions", "recover").out.splitlines()
    assert first == str(path) and second.endswith(": draft of v1; to continue, press e in the debugger")
    kept = DraftFile(tmp_path / "\x1b[31m.json")
    kept.keep("s", before.model_copy(update={"parent": "\x1b]0;x"}))
    kept.close()
    assert harmless(cli("sessions", "recover").out)


def test_unsaved_work_into_the_library_or_thrown_away(cli: Cli) -> None:
    for args in ([], ["--discard"]):
        path = keep("one")
        keeper = SessionWriter(path)
        path.unlink()
        with pytest.raises(SessionError):
            keeper.save(figure_10().model_copy(update={"title": "unsaved"}))
        keeper.close()
        assert cli("sessions", "recover", path, *args).status == 0
        assert cli("sessions", "recover").out == "no unsaved work\n"
        if not args:
            assert load(path).title == "unsaved"
    assert "name the session" in cli("sessions", "recover", "--discard").complaint()


def test_titles_are_shown_and_do_nothing(cli: Cli) -> None:
    for number, text in enumerate(HOSTILE):
        document = json.loads(figure_10().model_dump_json())
        document |= {"title": text, "notes": text}
        document["runs"][0] |= {"agent": text, "model": text}
        library_folder().mkdir(parents=True, exist_ok=True)
        (library_folder() / f"s{number}.planscope.json").write_text(json.dumps(document))
    done = cli("sessions")
    assert done.status == 0 and done.err == "" and harmless(done.out)
    assert len(done.out.splitlines()) >= len(HOSTILE)
    assert cli("sessions", "list", "--json", "--no-judge").out.isascii()
    for number in range(0, len(HOSTILE), 7):
        assert harmless(cli("sessions", "show", f"s{number}").out)


def test_wrong_arguments(cli: Cli) -> None:
    for args in (
        ["frob"],
        ["show"],
        ["rename"],
        ["copy"],
        ["delete"],
        ["restore"],
        ["list", "--frob"],
        ["trash", "x"],
    ):
        assert "--help" in cli("sessions", *args).complaint()
    for name in ("list", "show", "rename", "copy", "delete", "restore", "trash", "recover"):
        done = cli("sessions", name, "--help")
        assert done.status == 0 and f"usage: planscope sessions {name}" in done.out


def test_a_program_gets_all_verdicts_at_once_and_a_person_in_good_time(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that take a long time to be judged: two seconds of it is what a person waits."""
    from planscope.commands import sessions
    from planscope.session import library as judged_in

    clock = [0.0]
    judge = judged_in.judge

    def slowly(*args: Any) -> Any:
        clock[0] += 0.7
        return judge(*args)

    monkeypatch.setattr(judged_in, "judge", slowly)
    monkeypatch.setattr(sessions.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sessions, "_person_waits", lambda: True)
    assert "to be judged" in cli("sessions", "list").out
    known = checked(cli("sessions", "list", "--no-judge", "--json"))["sessions"]
    assert 2 <= sum(one["verdict"] is not None for one in known) <= 4
    monkeypatch.setattr(sessions, "_person_waits", lambda: False)
    assert "to be judged" not in cli("sessions", "list").out
