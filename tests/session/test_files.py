"""What is said of a file that cannot be read or written, and where exactly the limits are."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from planscope.session import containers, files, json_bytes, mock_tools
from planscope.session.containers import (
    for_page,
    for_test,
    is_page,
    is_session_file,
    is_test,
    session_json,
    temporary_file,
)
from planscope.session.files import (
    Changed,
    SessionError,
    check_unchanged,
    fingerprint_of,
    open_regular,
    read_bytes,
    recordings_of,
    short_name,
    unpacked,
    writable_target,
    write_atomic,
)
from planscope.session.json_bytes import (
    check_writable,
    json_text,
    parse_json,
    plain_text,
    visible_json,
    without_surrogates,
)
from planscope.session.locations import locks_folder
from planscope.session.lock import Held, Holder, Lock, holder_of
from planscope.session.model import ActionRecord


def said(work: Any, *given: Any) -> str:
    with pytest.raises(SessionError) as caught:
        work(*given)
    return str(caught.value)


def test_a_file_is_read_up_to_the_limit_and_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 3 * 2**20)
    path = tmp_path / "x"
    for size, packed in ((3 * 2**20, False), (3 * 2**20, True)):
        data = b"x" * size
        path.write_bytes(gzip.compress(data) if packed else data)
        assert read_bytes(path) == data
        path.write_bytes(gzip.compress(data + b"x") if packed else data + b"x")
        assert said(read_bytes, path) == f"{path} is larger than 3 MB; no session is that large"
    assert said(unpacked, b"x" * (3 * 2**20 + 1), "it") == "it is larger than 3 MB; no session is that large"
    assert unpacked(gzip.compress(b"abc"), "it") == unpacked(b"abc", "it") == b"abc"
    whole = gzip.compress(os.urandom(100))
    assert said(unpacked, whole[:-20], "it") == (
        "it is cut off in the middle of its packed data; get the file again"
    )
    assert said(unpacked, whole[:12] + b"\0" * 50, "it").startswith("it is damaged (it cannot be unpacked: ")
    assert said(unpacked, files.GZIP + b"nothing", "it").endswith("; get the file again")


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert said(read_bytes, tmp_path) == f"{tmp_path} is a directory, not a session file; name a file in it"
    assert said(read_bytes, tmp_path / "y") == f"there is no file {tmp_path / 'y'}; check the name"
    assert said(read_bytes, Path("a\0b")).endswith(" cannot be read: embedded null byte")
    assert (
        said(read_bytes, Path("/dev/null"))
        == "/dev/null is not a regular file; copy its content to one first"
    )
    with pytest.raises(OSError, match="it is not a regular file"):
        open_regular(Path("/dev/null"))
    with open_regular(Path(__file__)) as file:
        assert file.read(3) == b'"""'


def test_where_a_session_may_be_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert writable_target(path) == path and writable_target(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert said(writable_target, tmp_path) == f"{tmp_path} is a directory; name a file in it"
    assert said(writable_target, Path("/dev/null")) == (
        "/dev/null is not a regular file; name a file that can be replaced"
    )
    path.write_text("x")
    below = path / "deep" / "y"
    assert said(writable_target, below) == f"{below} cannot be written: {path} is not a directory"
    for mode in (0o200, 0o020, 0o002, 0o600):
        path.chmod(mode)
        if os.access(path, os.W_OK):
            assert writable_target(path) == path
    path.chmod(0o444)
    assert said(writable_target, path) == (
        f"{path} is write-protected; choose another file, or allow it (chmod u+w)"
    )
    around = tmp_path / "around"
    around.symlink_to(around)
    assert said(writable_target, around).startswith(f"{around} cannot be written: ")
    assert len(said(writable_target, Path("x" * 5000))) < 300


def test_a_packed_file_is_the_same_for_the_same_session(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.gz"
    write_atomic(path, b"abc")
    assert read_bytes(path) == b"abc" and path.read_bytes()[4:8] == b"\0" * 4
    assert [p.name for p in path.parent.iterdir()] == ["x.gz"]


def test_a_write_that_fails_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    for number, advice in (
        (28, "; the old file is unchanged; make room or choose another place"),
        (122, "; the old file is unchanged; make room or choose another place"),
        (30, "; choose another place"),
        (5, ""),
    ):
        error = OSError(number, "it fails")
        with monkeypatch.context() as broken:
            broken.setattr(files.os, "fsync", lambda handle, error=error: (_ for _ in ()).throw(error))
            assert said(write_atomic, path, b"new") == f"{path} cannot be written: it fails{advice}"
        assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_modes_of_files(tmp_path: Path) -> None:
    path, before = tmp_path / "x", os.umask(0o027)
    try:
        write_atomic(path, b"x")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_atomic(path, b"y")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
        os.umask(0)
        with Lock(path):
            (file,) = locks_folder().iterdir()
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_names_beside_a_file_fit_and_are_its_own(tmp_path: Path) -> None:
    assert short_name("x" * 90) == "x" * 80 and short_name("ü" * 50) == "ü" * 40 == short_name("ü" * 40)
    assert short_name("x" + "ü" * 50) == "x" + "ü" * 39
    path = tmp_path / "x.planscope.json"
    assert recordings_of(path) == tmp_path / ".x.planscope.json.recording"
    link = tmp_path / "link"
    link.symlink_to(path)
    assert recordings_of(link) == recordings_of(path)


def test_a_file_that_another_program_changed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    check_unchanged(path, None)
    path.write_text("one")
    changed = f"{path} was changed by another program since it was read; it was not overwritten"
    assert said(check_unchanged, path, None) == changed
    known = fingerprint_of(path)
    assert known is not None and known.size == 3 and len(known.digest) == 64
    check_unchanged(path, known)
    os.utime(path, (5, 5))
    check_unchanged(path, known)  # the same content
    path.write_text("two")
    assert said(check_unchanged, path, known) == changed
    path.unlink()
    assert said(check_unchanged, path, known) == f"{path} was deleted after it was read; nothing was written"
    with pytest.raises(Changed, match=r"cannot be read any more \(Not a directory\); nothing was written"):
        check_unchanged(Path(__file__) / "x", known)
    assert fingerprint_of(path) is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is empty; is it a session file?"),
        (b" \n", "it is empty; is it a session file?"),
        (b"\xff\xfe", "it is not UTF-8 text (byte 0); is it a session file?"),
        (b'{"a": "\xc3', "it is not UTF-8 text (byte 7); is it a session file?"),
        (b'{"a": 1', "it ends in the middle (line 1, column 8); it was cut off, get it again"),
        (b'{"a": 1,\n  ', "it ends in the middle (line 2, column 3); it was cut off, get it again"),
        (b'{"a": "b c', "it ends in the middle (line 1, column 7); it was cut off, get it again"),
        (b"[1] 2", "it is not JSON (line 1, column 5: Extra data); is it a session file?"),
        (b"hello world", "it is not JSON (line 1, column 1: Expecting value); is it a session file?"),
        (b'{"a": NaN}', "it cannot be read: NaN is not a number that JSON allows"),
        (b'{"a": 1, "a": 2}', "it cannot be read: it has 'a' twice in one object"),
        (
            b'{"%s": 1, "%s": 2}' % ((b"x" * 99,) * 2),
            f"it cannot be read: it has {'x' * 80!r} twice in one object",
        ),
        (b"-" + b"1" * 1001, "it cannot be read: it has a number of 1,001 digits, more than 1,000"),
        (b"[" * 300 + b"]" * 300, "it is nested too deeply to be a session"),
    ],
)
def test_what_is_not_json_says_where(data: bytes, why: str) -> None:
    assert said(parse_json, data, "it") == why


def test_limits_of_json(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse_json(b"[" * 3 + b"]" * 3, "it", deepest=3) == [[[]]]
    assert "too deeply" in said(lambda: parse_json(b"[" * 4 + b"]" * 4, "it", deepest=3))
    monkeypatch.setattr(json_bytes, "MOST_VALUES", 5)
    assert parse_json(b"[1, 1, 1, 1, 1]", "it") == [1] * 5
    assert (
        said(parse_json, b"[1, 1, 1, 1, 1, 1]", "it") == "it has more than 5 values; no session has as many"
    )
    monkeypatch.setattr(json_bytes, "WIDEST", 2 * 2**20)
    long = '["' + "a" * (2**20 - 5)
    assert len(parse_json(f'{long}ü"]'.encode(), "it")[0]) == 2**20 - 4
    assert parse_json(f'{long}Ā"]'.encode(), "it")
    for letter in ("\u0100a", "\U0001f600"):
        assert said(parse_json, f'{long}{letter}"]'.encode(), "it") == (
            "it takes more than 2 MB of memory; no session needs as much"
        )
    monkeypatch.setattr(json_bytes, "LARGEST", 2**20)
    check_writable(b"1" + b" " * (2**20 - 1))
    assert said(check_writable, b"1" + b" " * 2**20) == (
        "the session would be larger than 1 MB, and could not be read again; begin a new one"
    )


def test_json_that_any_program_can_show() -> None:
    odd = {"a": [float("inf"), -float("inf"), 1.5], "b": "\x7f\u202e\U000e0001ü\ud83d"}
    text = json_text(odd)
    assert "[\n  1e999,\n  -1e999,\n  1.5\n ]" in text and text.endswith("}\n")
    assert '"\\u007f\\u202e\\udb40\\udc01ü\\ud83d"' in text
    assert '"\\u007f\\u202e\\udb40\\udc01\\u00fc\\ud83d"' in json_text({"b": odd["b"]}, ascii_only=True)
    assert json_text({"a": [1, {}]}) == '{\n "a": [\n  1,\n  {}\n ]\n}\n'
    assert visible_json("ü") == "ü" and visible_json("a\x7f") == "a\\u007f"
    with pytest.raises(ValueError, match="JSON"):
        json_text(float("nan"))
    assert plain_text("a\ud800b") == "a\ufffdb" and plain_text("\ud83d\ude00") == "\U0001f600"
    assert without_surrogates({"\ud800": ["\udc00", 1]}) == {"\ufffd": ["\ufffd", 1]}
    assert parse_json(b'{"a": "\\ud800"}', "it") == parse_json(b'{"a": "\\uD800"}', "it") == {"a": "\ufffd"}


def test_a_session_in_a_page_or_in_a_test() -> None:
    page = b"\xef\xbb\xbf \n<p>" + containers.OPENING + b'{"a": 1}' + containers.CLOSING
    assert is_page(page) and not is_page(b"{}") and session_json(page, "it") == b'{"a": 1}'
    assert not is_page(b" " * 5000 + b"<")
    assert said(session_json, b"<p>", "it") == (
        "it is a page (HTML), but contains no session; planscope export --format html makes one"
    )
    assert said(session_json, page + containers.OPENING, "it") == (
        "it contains more than one session; planscope did not make it"
    )
    assert said(session_json, page[:-3], "it") == "it ends in the middle of its session; get the file again"
    assert said(session_json, page.replace(b"1", b"<"), "it") == (
        "it has markup in place of its session; planscope did not make it"
    )
    text = json.dumps({"a": "'\"\\ " * 60})
    lines = for_test(text)
    assert {len(eval(line.strip())) for line in lines.splitlines()[:-1]} == {100}
    test = containers.TEST_OPENING + b'"""\nSESSION = (\n' + lines.encode() + b"\n)\n"
    assert is_test(test) and session_json(test, "it") == text.encode()
    assert session_json(test.replace(b"\n", b"\r\n"), "it") == text.encode()
    assert said(session_json, containers.TEST_OPENING, "it") == (
        "it is a test (pytest), but contains no session; export it again with planscope"
    )
    assert said(session_json, test.replace(b"\n    ", b"\n    x", 1), "it") == (
        "it has other code in place of its session; planscope did not make it"
    )
    assert for_page("<&>ü\U0001f600x") == "\\u003c\\u0026\\u003e\\u00fc\\ud83d\\ude00x"
    assert session_json(b"{}", "it") == b"{}"


def test_what_is_saved_where_it_was_opened(tmp_path: Path) -> None:
    for name in ("x.html", "x.HTM", "x.py.gz"):
        assert not is_session_file(tmp_path / name)
    path = tmp_path / "x.planscope.json"
    assert is_session_file(path) and is_session_file(tmp_path)
    for data, session in ((b"{}", True), (b" <p>", False), (containers.TEST_OPENING, False)):
        for made in (data, gzip.compress(data)):
            path.write_bytes(made)
            assert is_session_file(path) is session
    with temporary_file(b"{}") as passing:
        assert passing.read_bytes() == b"{}" and not is_session_file(passing)
        assert passing.name == "standard-input.planscope.json"
    assert not passing.exists()


def test_a_lock_says_who_holds_it_and_is_taken_once(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with Lock(path, lasting=True) as lock:
        holder = holder_of(path)
        assert holder is not None and holder.here and holder.lasting
        error = said(Lock(path).acquire)
        assert error == (
            f"{path} is being written by another planscope ({holder}); close it there, or write to another file"
        )
        assert str(Held(path, None, "wait")) == f"{path} is being written by another planscope; wait"
        with pytest.raises(RuntimeError, match="this lock is already held"):
            lock.acquire()
        (file,) = locks_folder().iterdir()
        written = json.loads(file.read_text())
        assert set(written) == {"pid", "host", "since", "lasting"} and len(file.name) == 32 + len(".lock")
        file.write_text(json.dumps(written | {"host": "h" * 99, "pid": 7}))
        far = holder_of(path)
        assert far is not None and (far.pid, far.host, far.here) == (7, "h" * 80, False)
        assert not Holder(os.getpid(), "elsewhere", far.since).here
    lock.release()
    assert holder_of(path) is None


def test_answers_of_mock_tools() -> None:
    def action(name: str, duration: int | None) -> ActionRecord:
        return ActionRecord(id="a1", name=name, tool=name, duration=duration)

    durations = (None, 1, 2)
    assert [mock_tools.done_text(action("buy milk", n), timed=True) for n in durations] == [
        "Buy milk takes 1 hour.",
        "Buy milk takes 1 hour.",
        "Buy milk takes 2 hours.",
    ]
    assert mock_tools.done_text(action("x", 2), timed=False) == "X has been done."
    known = [action("a", 1), action("b", 2)]
    restart = mock_tools.RESTART_TOOL
    unread = ("Error: the arguments could not be read. Nothing was done.", False)
    asked: list[tuple[str, dict[str, Any] | None, bool, tuple[str, bool]]] = [
        ("a", {}, False, ("A has been done.", True)),
        ("a", None, False, unread),
        ("b", {"start_time": 3}, True, ("B takes 2 hours.", True)),
        ("c", {}, False, ("Error: c is not a valid tool, try one of [a, b].", False)),
        ("c", {}, True, (f"Error: c is not a valid tool, try one of [a, b, {restart}].", False)),
        (restart, {}, True, (mock_tools.RESTART_ANSWER, True)),
        (restart, None, True, unread),
        (restart, {}, False, (f"Error: {restart} is not a valid tool, try one of [a, b].", False)),
    ]
    for tool, given, timed, answer in asked:
        assert mock_tools.answer_to(tool, given, known, timed=timed) == answer
    text, done = mock_tools.answer_to("b", {}, known, timed=True)
    assert text.startswith("Error: ") and text.endswith(". Nothing was done.") and not done
