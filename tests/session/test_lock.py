"""One writer at a time, told by name, and nothing left of one that was killed."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from planscope.session.locations import locks_folder
from planscope.session.lock import Held, Holder, Lock, holder_of

HOLDS = """
import sys
from pathlib import Path
from planscope.session.lock import Lock
lock = Lock(Path(sys.argv[1]), lasting=sys.argv[2] == "lasting")
lock.acquire()
print("held", flush=True)
sys.stdin.readline()
lock.release()
"""


def holder(path: Path, kind: str = "lasting") -> subprocess.Popen[str]:
    """Another process that holds the lock by now, until its standard input is closed."""
    command = [sys.executable, "-c", HOLDS, str(path), kind]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def left() -> list[str]:
    return [p.name for p in locks_folder().iterdir()] if locks_folder().exists() else []


def test_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    with holder(path) as other:
        with pytest.raises(Held) as caught:
            Lock(path).acquire(5)
        assert caught.value.holder is not None and caught.value.holder.pid == other.pid
        assert f"another planscope (process {other.pid}, since " in str(caught.value)
        assert caught.value.holder == holder_of(path) and not caught.value.holder.here
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert holder_of(path) is None
    with Lock(path) as lock:
        found = holder_of(path)
        assert lock.works and found is not None and found.here and not found.lasting
    assert left() == [] and list(tmp_path.iterdir()) == []


def test_one_who_only_writes_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    with holder(path, "a moment") as other:
        with pytest.raises(Held):
            Lock(path).acquire(0.1)
        assert other.stdin is not None
        leaving = threading.Timer(0.3, other.stdin.close)
        leaving.start()
        lock = Lock(path)
        lock.acquire(60)
        lock.release()
        leaving.join()
        assert other.wait() == 0


def test_two_of_one_process_are_two(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    with Lock(path, lasting=True):
        with pytest.raises(Held) as caught:
            Lock(path).acquire(5)
        assert caught.value.holder is not None and caught.value.holder.here


def test_links_lead_to_one_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "x.planscope.json", tmp_path / "link"
    path.touch()
    link.symlink_to(path)
    monkeypatch.chdir(tmp_path)
    with Lock(path):
        for other in (link, Path(path.name), tmp_path / "no" / ".." / path.name):
            with pytest.raises(Held):
                Lock(other).acquire()
        with Lock(tmp_path / "another"):
            pass


def test_many_at_once_are_one_after_another(tmp_path: Path) -> None:
    """Each unlinks the lock's file as it leaves; nobody may be let in by a file that is gone."""
    path, inside, most = tmp_path / "x", [0], [0]

    def work() -> None:
        for _ in range(30):
            lock = Lock(path)
            lock.acquire(60)
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1
            lock.release()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] and left() == []


def test_where_no_lock_can_be_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Lock(tmp_path / "x") as lock:
        assert not lock.works and holder_of(tmp_path / "x") is None
        with Lock(tmp_path / "x") as second:
            assert not second.works


@pytest.mark.parametrize("said", [b"", b"{", b"[1]", b'{"pid": "x"}', b'{"pid": 1}', b"\xff", b"[" * 5000])
def test_a_lock_that_says_nonsense_is_held_by_nobody_known(tmp_path: Path, said: bytes) -> None:
    path = tmp_path / "x"
    lock = Lock(path)
    lock.acquire()
    (file,) = locks_folder().iterdir()
    os.truncate(file, 0)
    file.write_bytes(said)
    with pytest.raises(Held) as caught:
        Lock(path).acquire()
    assert caught.value.holder is None and "by another planscope; close" in str(caught.value)
    lock.release()


def test_a_link_in_the_locks_folder_is_not_followed(tmp_path: Path) -> None:
    path, victim = tmp_path / "x", tmp_path / "victim"
    victim.write_text("precious")
    with Lock(path):
        (name,) = left()
    (locks_folder() / name).symlink_to(victim)
    with Lock(path) as lock:
        assert not lock.works
    assert victim.read_text() == "precious"


def test_words_for_a_holder() -> None:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    assert str(Holder(7, platform.node(), now)) == f"process 7, since {now.astimezone():%H:%M:%S}"
    old = Holder(7, "elsewhere", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert str(old).startswith("process 7 on elsewhere, since 2026-01-0")
