"""A program that records is killed, or two of them record into one new file: nothing that was written is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planscope.session import recordings as recordings_module
from planscope.session.files import recordings_of
from planscope.session.library import copy
from planscope.session.merging import merge_recordings
from planscope.session.record import record_of
from planscope.session.recordings import Journal, any_recordings
from planscope.session.store import load, save
from planscope.session.writer import SessionWriter
from tests.cli.conftest import cli as cli
from tests.cli.support import Cli
from tests.nightly import nightly

from .support import answers_of, calls_of, end_of
from .test_own_agent import runs

SCRIPT = """
import os, sys, time
from pathlib import Path
from tests.agents.test_own_kinds import ASKED, AIMessage, BUILD, DEPLOY, LOG, made, says
path, runs, calls = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
if len(sys.argv) > 4:  # two processes, of which the first waits for the second
    both = os.fork()
for _ in range(runs):
    made(path, *[says(LOG) for _ in range(calls)], says(BUILD), says(DEPLOY)).invoke(ASKED)
os.write(1, b"done\\n")  # at once: two processes write it
if len(sys.argv) > 4 and both:
    assert os.waitpid(both, 0)[1] == 0
"""
ROOT = Path(__file__).parent.parent.parent


def start(path: Path, runs: int, calls: int, *both: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, str(path), str(runs), str(calls), *both]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def wait_for(path: Path, size: int) -> None:
    """Until so many bytes were recorded."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        found = [f.stat().st_size for f in recordings_of(path).glob("*.jsonl")]
        if sum(found) > size:
            return
        time.sleep(0.01)
    raise AssertionError("nothing was recorded")


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("size", [1_500, *nightly(8_000)])
def test_killed_in_the_middle(tmp_path: Path, cli: Cli, size: int) -> None:
    """Everything up to the last event that was appended is there, for every command."""
    path = tmp_path / "own.planscope.json"
    process = start(path, 1, 5000)
    wait_for(path, size)
    kill(process)
    path.unlink(missing_ok=True)  # whether or not it was written by then
    (file,) = recordings_of(path).glob("*.jsonl")
    appended = file.read_bytes().rsplit(b"\n", 1)[0].count(b'{"event"')
    (run,) = load(path).runs
    assert len(run.events) == appended
    assert [c.step for c in calls_of(run)] == list(range(1, len(calls_of(run)) + 1))
    assert len(calls_of(run)) - len(answers_of(run)) <= 1
    for command in (["check"], ["replay", "--json"], ["repair"], ["export", "--format", "text"]):
        done = cli(command[0], path, *command[1:])
        assert done.status in (0, 2) and "Traceback" not in done.err, command
    checked = cli("check", path, "--json")
    assert (checked.status, checked.json["verdict"]) == (2, "aborted")
    merge_recordings(path)
    assert len(load(path).runs[0].events) == appended and not any_recordings(path)


KILLED = """
import os, random, sys, time
from pathlib import Path
from planscope.session.files import recordings_of
from planscope.session.store import load
from tests.agents.test_own_kinds import ASKED, BUILD, DEPLOY, LOG, made, says
random.seed(7)
path = Path(sys.argv[1])
for _ in range(5):
    child = os.fork()
    while child == 0:
        made(path, *[says(LOG) for _ in range(6)], says(BUILD), says(DEPLOY)).invoke(ASKED)
    before = len(load(path).runs) if path.exists() else 0
    ends = time.monotonic() + 30
    while not path.exists() and not recordings_of(path).exists() and time.monotonic() < ends:
        time.sleep(0.002)
    time.sleep(random.random() * 0.4)
    os.kill(child, 9)
    os.waitpid(child, 0)
    runs = load(path).runs
    assert len(runs) >= before and len({run.recording for run in runs}) == len(runs)
    for run in runs:
        steps = [event.step for event in run.events if event.type == "call"]
        assert steps == list(range(1, len(steps) + 1))
print("done", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.nightly
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """While runs begin, end and are merged: the session is whole, and what breaks off says so."""
    path = tmp_path / "own.planscope.json"
    command = [sys.executable, "-c", KILLED, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "done\n", done.stderr
    broken = [run for run in load(path).runs if not run.events or run.events[-1].type != "end"]
    assert broken and {record_of(run).ending for run in broken} == {"aborted"}
    assert {record_of(run).reason for run in broken} == {"the record breaks off here"}


@pytest.mark.skipif(os.name == "nt", reason="there is no fork")
def test_two_processes_make_one_file(tmp_path: Path) -> None:
    path = tmp_path / "own.planscope.json"
    process = start(path, 2, 3, "both")
    out, _ = process.communicate(timeout=120)
    assert out == "done\n" * 2 and process.returncode == 0
    found = runs(path)
    assert len(found) == 4 and {end_of(run).ending for run in found} == {"stopped"}
    assert len({run.id for run in found}) == 4
    assert not any_recordings(path) and not recordings_of(path).exists()


def test_a_copy_and_an_open_debugger_have_the_runs_that_are_being_recorded(tmp_path: Path) -> None:
    path = tmp_path / "own.planscope.json"
    process = start(path, 1, 5000)
    wait_for(path, 5_000)
    try:
        with SessionWriter(path) as keeper:
            session = load(path)
            before = len(session.runs[0].events)
            keeper.save(session.model_copy(update={"title": "looked at"}))
        time.sleep(0.1)
    finally:
        kill(process)
    now = load(path)
    assert now.title == "looked at" and len(now.runs) == 1 and len(now.runs[0].events) >= before
    copied = copy(path, "taken-along")
    assert len(load(copied).runs[0].events) == len(now.runs[0].events)
    assert not any_recordings(path)
    copied.unlink()


def test_a_complete_journal_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for the first run of a session: a long one takes much memory."""
    read: list[str] = []
    really = recordings_module._read
    monkeypatch.setattr(recordings_module, "_read", lambda *given: read.append(given[1]) or really(*given))
    path = tmp_path / "new.planscope.json"
    head = {"title": "t", "query": "", "timed": False, "agent": "own", "model": "m"}
    journals = [Journal(path, {**head, "started": f"2026-01-0{day}T00:00:00+00:00"}) for day in (1, 2)]
    journals[0].close()
    merge_recordings(path)
    assert len(read) == len(set(read)) == 2 and len(load(path).runs) == 2, "one is still open"
    journals[1].close()


def test_broken_and_strange_journals_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "own.planscope.json"
    process = start(path, 1, 0)
    process.communicate(timeout=60)
    session = load(path)
    folder = recordings_of(path)
    folder.mkdir()
    (folder / "aaaa.jsonl").write_text("no JSON\n")
    (folder / "bbbb.jsonl").write_text('{"format": "planscope-recording", "version": 1, "token": "other"}\n')
    (folder / "cccc.jsonl").write_bytes(b"\xff" * 1000)
    (folder / "dddd.jsonl").symlink_to(path)
    head = (
        '{"format": "planscope-recording", "version": 1, "token": "eeee", "title": "t", "query": "", "timed": false,'
        ' "agent": "own", "model": "m", "started": "2026-11-22T10:00:00+00:00"}\n'
    )
    prompt, call = (
        '{"event": {"type": "prompt", "text": "hi"}}\n',
        '{"event": {"type": "call", "step": 7, "tool": "x"}}\n',
    )
    (folder / "eeee.jsonl").write_text(head + prompt + call + prompt)
    found = load(path)
    assert [r.id for r in found.runs] == ["r1", "r2"]
    assert found.runs[0] == session.runs[0]
    assert [e.type for e in found.runs[1].events] == ["prompt"]
    merge_recordings(path)
    assert sorted(f.name[:4] for f in folder.iterdir()) == ["aaaa", "bbbb", "cccc", "dddd"]
    assert [r.recording for r in load(path).runs][1] == "eeee"
    save(load(path), path)
    assert len(load(path).runs) == 2
