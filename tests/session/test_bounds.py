"""What a file may hold: bounded before it is read, and what is written can be read again."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.session import files, json_bytes, validation
from planscope.session.files import SessionError, writable_target, write_atomic
from planscope.session.json_bytes import DEEPEST, json_text, parse_json
from planscope.session.model import CallEvent, MessageEvent, Session
from planscope.session.store import dumps, load, loads, save
from tests.cli.support import harmless
from tests.each import each
from tests.fuzz.hostile_files import GOOD, SMALL, HostileFile, damaged, documents
from tests.hostile import HOSTILE
from tests.session.make import figure_10


def complaint(data: bytes) -> str:
    with pytest.raises(SessionError) as caught:
        parse_json(data, "x")
    return str(caught.value)


def assert_comes_back(session: Session) -> None:
    """All of it; a field of null counts as absent, ours and others'."""
    data = dumps(session)
    assert dumps(loads(data)) == data


@each("file", SMALL, every=3)
def test_the_corpus(file: HostileFile, tmp_path: Path) -> None:
    path = file.write(tmp_path)
    if file.name == "a link to standard input":
        return
    try:
        session = load(path)
    except SessionError as error:
        assert file.fate != "opens", error
        assert len(str(error).splitlines()) == 1 or "\n" in path.name
    else:
        assert file.fate != "refused"
        assert_comes_back(session)


@given(documents() | damaged())
def test_more_of_it(data: bytes) -> None:
    try:
        session = loads(files.unpacked(data, "x"))
    except SessionError as error:
        assert len(str(error)) < 2000
    else:
        assert_comes_back(session)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def test_depth() -> None:
    for data in (nested(DEEPEST), b'{"a":' * DEEPEST + b"1" + b"}" * DEEPEST, b'"' + b"[" * 999 + b'"'):
        parse_json(data, "x")
    for data in (
        nested(DEEPEST + 1),
        b'{"a":[' * 101 + b"]}" * 101,
        b"[" * 9999,
        nested(150) + b"]",
        nested(99_999),
    ):
        assert "nested too deeply" in complaint(data) or "not JSON" in complaint(data)
    text = rb'"[\"[{\\" , "{" , "\\\\\"[" '
    parse_json(b"[" + b",".join([text] * 300) + b"]", "x")


@given(
    st.recursive(
        st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=20,
    )
)
def test_brackets_and_commas_of_texts_do_not_count(value: Any) -> None:
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")

    def count(one: Any) -> str:
        if isinstance(one, list):
            return "[" + ",".join(map(count, one)) + "]"
        return "{" + ",".join(map(count, one.values())) + "}" if isinstance(one, dict) else ""

    assert json_bytes._structure(data, "x").decode() == count(value)


def test_pieces_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    data = json.dumps([{"a": 'b"],[\\'}, ["c,,", "\\" * 7, '"' * 5], {"[": "]"}] * 40).encode()
    whole = json_bytes._structure(data, "x")
    for size in (1, 2, 7, 64):
        monkeypatch.setattr(json_bytes, "_PIECE", size)
        monkeypatch.setattr(json_bytes, "LONGEST_STRING", 10**9)
        assert json_bytes._structure(data, "x") == whole


def test_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("9" * 1000, "-" + "9" * 1000, '"' + "9" * 5000 + '"', "0." + "1" * 5000):
        parse_json(text.encode(), "x")
    for text in ("9" * 1001, "-" + "9" * 1001, "9" * 4301, "[1, " + "9" * 100_000 + "]"):
        assert "digits, more than 1,000" in complaint(text.encode())
    monkeypatch.setattr(json_bytes, "MOST_VALUES", 500)
    parse_json(json.dumps([[1]] * 240).encode(), "x")
    for many in ([[1]] * 260, [1] * 501, {str(k): "a" for k in range(501)}):
        assert "more than 500 values" in complaint(json.dumps(many).encode())
    parse_json(json.dumps(["," * 5000]).encode(), "x")


def test_names_once() -> None:
    assert "'a' twice in one object" in complaint(b'{"a": 1, "b": {}, "a": 2}')
    assert "twice" in complaint(b'[{"x": {"\\u0061": 1, "a": 2}}]')
    assert parse_json(b'[{"a": 1}, {"a": 2}]', "x") == [{"a": 1}, {"a": 2}]


def test_texts_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_bytes, "_PIECE", 1000)
    monkeypatch.setattr(json_bytes, "LONGEST_STRING", 8000)
    parse_json(json.dumps(["x" * 7000] * 3).encode(), "x")
    for letter in ("x", '"', "\\", "[", "\n", "\u00e9"):
        assert "has a text of more than" in complaint(json.dumps([letter * 10_000]).encode())
    monkeypatch.setattr(json_bytes, "WIDEST", 30_000)
    parse_json(json.dumps(["x" * 5000] * 4).encode(), "x")
    assert "of memory" in complaint(
        json.dumps(["x" * 5000] * 4 + ["\U0001f600"], ensure_ascii=False).encode()
    )


@given(st.text())
def test_the_width_of_a_text_is_known_before_it_is_decoded(text: str) -> None:
    widest = max(map(ord, text), default=0)
    each = 1 if widest < 256 else 2 if widest < 0x10000 else 4
    assert json_bytes._width(text.encode("utf-8")) == each * len(text)


def big(text: str) -> Session:
    session = figure_10()
    session.runs[0].events.insert(1, MessageEvent(text=text))
    return session


def test_what_could_not_be_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.planscope.json"
    save(figure_10(), path)
    before = path.read_bytes()

    def refused(session: Session, says: str) -> None:
        with pytest.raises(SessionError, match=says):
            save(session, path)
        assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == [path.name]

    for number, says in [(10**1001, "digits"), (10**5000, "digits"), (float("nan"), "nan")]:
        refused(with_argument(number), says)
    deep: Any = 1
    for _ in range(250):
        deep = [deep]
    refused(with_argument(deep), "nested too deeply")
    circle: list[Any] = []
    circle.append(circle)
    refused(with_argument(circle), "cannot be written")
    monkeypatch.setattr(json_bytes, "LARGEST", 20_000)
    refused(big("x" * 20_000), "larger than")


def with_argument(value: Any) -> Session:
    session = figure_10()
    event = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    place = session.runs[0].events.index(event)
    session.runs[0].events[place] = event.model_copy(update={"arguments": {"start_time": value}})
    return session


def test_numbers_without_end_come_back() -> None:
    for value in (float("inf"), float("-inf"), [{"a": float("inf")}], "Infinity", "1e999"):
        session = with_argument(value)
        session.cursor = {"x": value}
        again = loads(dumps(session))
        assert again == session and b"Infinity," not in dumps(session)


def test_what_takes_too_much_memory_is_written_in_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    session = big("x" * 40_000 + "\U0001f600")
    monkeypatch.setattr(json_bytes, "WIDEST", 100_000)
    monkeypatch.setattr("planscope.session.store.WIDEST", 100_000)
    assert dumps(session).isascii() and loads(dumps(session)) == session


def test_a_file_can_be_looked_at_with_any_program() -> None:
    for text in HOSTILE:
        session = big(text.encode("utf-8", "replace").decode())
        session.title = session.notes = session.runs[0].model = session.runs[0].events[1].text
        data = dumps(session)
        assert harmless(data.decode()) and loads(data) == session
    assert "日本語 é 👍".encode() in dumps(big("日本語 é 👍"))


@given(st.text())
def test_every_text_comes_back(text: str) -> None:
    assert json.loads(json_text({"x": text, text: 1})) == {"x": text, text: 1}


def test_limits_of_a_session() -> None:
    def refused(session: Session, says: str) -> None:
        with pytest.raises(SessionError, match=says):
            validation.check_sizes(session, "x")
        with pytest.raises(SessionError, match=says):
            dumps(session)

    session = figure_10()
    session.variants[0].query.text = "x" * (validation.LONGEST_TIMED + 1)
    refused(session, "longer than 60,000 characters")
    session.variants[0].query.timed = False
    validation.check_sizes(session, "x")
    session.variants[0].query.text = "x" * (validation.LONGEST_QUERY + 1)
    refused(session, "longer than 300,000 characters")
    session = figure_10()
    session.runs[0].events = [CallEvent(step=k, tool="x") for k in range(1, validation.MOST_CALLS + 2)]
    refused(session, "more than 100,000 calls")
    del session.runs[0].events[3000:]
    validation.check_sizes(session, "x")
    session.variants[0].query.timed, session.variants[0].query.text = False, "x" * 200_000
    refused(session, "too long to be judged")


# -- where a file goes --------------------------------------------------------------------------------------------


def test_permissions_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    mask = os.umask(0o027)
    try:
        write_atomic(path, b"1")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640
    for mode in (0o600, 0o664, 0o777):
        path.chmod(mode)
        write_atomic(path, b"2")
        assert path.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.touch()
    os.chown(path, 12345, 54321)
    path.chmod(0o640)
    write_atomic(path, b"1")
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 54321, 0o640)


def test_links_are_followed_and_stay(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    path, link, lost = tmp_path / "real" / "x", tmp_path / "link", tmp_path / "lost"
    path.touch()
    link.symlink_to(Path("real") / "x")
    lost.symlink_to(tmp_path / "real" / "new")
    for place, target in ((link, path), (lost, tmp_path / "real" / "new")):
        assert writable_target(place) == target
        write_atomic(place, b"content")
        assert place.is_symlink() and target.read_bytes() == b"content"
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(SessionError, match="cannot be written"):
        write_atomic(loop, b"")


NEVER = {
    "folder": "is a directory",
    "pipe": "not a regular file",
    "fixed": "write-protected",
    "pipe/x": "is not a directory",
    "fixed/x": "is not a directory",
}


@pytest.mark.parametrize("name,says", NEVER.items())
def test_what_is_never_replaced(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "fixed").write_bytes(b"old")
    (tmp_path / "fixed").chmod(0o444)
    (tmp_path / "link").symlink_to(name)
    for place in (tmp_path / name, tmp_path / "link"):
        with pytest.raises(SessionError, match=says):
            write_atomic(place, b"new")
    assert (tmp_path / "fixed").read_bytes() == b"old" and (tmp_path / "pipe").is_fifo()


def test_devices_are_never_replaced() -> None:
    for device in ("/dev/null", "/dev/full"):
        with pytest.raises(SessionError):
            write_atomic(Path(device), b"x")
    assert GOOD and Path("/dev/null").is_char_device()


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_users_permissions_and_the_umask_stays(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_atomic(tmp_path / "new", b"x")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("enabled", [True, False])
def test_loading_leaves_the_garbage_collector_as_it_was(enabled: bool) -> None:
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        loads(dumps(figure_10()))
        for broken in (b"{", b"{}", b'{"format": "planscope-session", "version": 1}'):
            with pytest.raises(SessionError):
                loads(broken)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_a_long_number_is_found_wherever_it_is() -> None:
    longest = "9" * json_bytes.LONGEST_NUMBER
    for form in ("[%s]", '{"a": -%s}', '{"a": [1, %s, 2]}'):
        parse_json((form % longest).encode(), "x")
        assert "1,001 digits" in complaint((form % f"{longest}1").encode())
    assert parse_json(b'["%s1"]' % longest.encode(), "x") == [f"{longest}1"]
