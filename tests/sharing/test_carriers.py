"""A page gives its session back, and only its session, a test its case; what is neither is refused in one line."""

from __future__ import annotations

import ast
import asyncio
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.session.containers import (
    CLOSING,
    OPENING,
    TEST_OPENING,
    for_page,
    for_test,
    is_session_file,
    read_stream,
    session_json,
    temporary_file,
)
from planscope.session.files import LARGEST, SessionError
from planscope.session.store import dumps, load, loads, save
from planscope.session.writer import SessionWriter
from planscope.sharing.formats import FORMATS, share
from tests.sharing.cases import plain_session, planted

HOSTILE = (
    "</script><script>alert(1)</script>",
    '<script type="application/json" id="planscope-session">{}</script>',
    "<!-- <script> --><img src=x onerror=alert(1)>",
    "]]>&lt;&amp;\u2028\u2029'\"`${1}\\",
    "\x1b[31m\u202e\u0000\ufeff",
    "{{view}} {{session}} @session@",
)


def page_of(session: object) -> bytes:
    return share(session, None, "html", redaction=None).encode()


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.carries])
def test_what_carries_a_session_gives_it_back_equal(name: str, tmp_path: Path) -> None:
    session = planted(HOSTILE)
    session.title = HOSTILE[0]
    data = share(session, None, name, redaction=None).encode()
    assert loads(data) == session
    plain, packed = tmp_path / f"x{FORMATS[name].suffix}", tmp_path / f"x{FORMATS[name].suffix}.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    assert load(plain) == load(packed) == session
    assert loads(read_stream(io.BytesIO(gzip.compress(data)))) == session
    assert loads(b"\xef\xbb\xbf \r\n" + data) == session


def test_hostile_text_never_opens_or_ends_an_element() -> None:
    page = page_of(planted(HOSTILE)).decode()
    assert page.count(OPENING.decode()) == 1 and page.isascii()
    assert page.count("<script") == page.count("</script>") == 3
    assert "<img" not in page and "alert(1)</script>" not in page


@given(st.text())
def test_text_in_a_page_has_no_markup_and_reads_the_same(text: str) -> None:
    for ascii_only in (True, False):
        made = for_page(json.dumps(text, ensure_ascii=ascii_only))
        assert not set("<>&") & set(made) and made.isascii()
        assert json.loads(made) == text


PAGE = page_of(plain_session())
REFUSED = {
    "no session": (b"<!doctype html><p>hello</p>", "contains no session"),
    "another script": (
        b'<html><script type="application/json" id="other">{}</script>',
        "contains no session",
    ),
    "two sessions": (PAGE + OPENING + b"{}" + CLOSING, "more than one session"),
    "two pages": (PAGE + PAGE, "more than one session"),
    "cut off": (PAGE[: PAGE.index(OPENING) + 300], "ends in the middle"),
    "markup inside": (PAGE.replace(OPENING, OPENING + b"<b>"), "has markup"),
    "comment inside": (PAGE.replace(OPENING, OPENING + b"<!--"), "has markup"),
    "no JSON": (b"<html>" + OPENING + b"alert(1)" + CLOSING, "not JSON"),
    "empty": (b"<html>" + OPENING + CLOSING, "empty"),
    "other JSON": (b"<html>" + OPENING + b"[1]" + CLOSING, "not a planscope session"),
    "deep": (b"<html>" + OPENING + b"[" * 100_000 + CLOSING, "nested too deeply"),
    "broken text": (b"<html>" + OPENING + b'{"a": "\xff"}' + CLOSING, "not UTF-8"),
    "SVG": (b"<svg><script>alert(1)</script></svg>", "contains no session"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_pages_are_refused_in_one_line(case: str, tmp_path: Path) -> None:
    data, why = REFUSED[case]
    path = tmp_path / "x.html"
    path.write_bytes(data)
    with pytest.raises(SessionError, match=why) as found:
        load(path)
    assert "\n" not in str(found.value) and str(path) in str(found.value)


def test_a_test_gives_its_case_back(tmp_path: Path) -> None:
    session = planted(HOSTILE)
    session.title = HOSTILE[0]
    run = session.runs[-1]
    data = share(session, run.id, "pytest", redaction=None).encode()
    case = loads(data)
    assert (case.title, case.id, [one.id for one in case.runs]) == (session.title, session.id, [run.id])
    assert case.runs[0].events == [e for e in run.events if e.type in ("call", "answer", "end")]
    assert loads(b"\xef\xbb\xbf" + data) == loads(data.replace(b"\n", b"\r\n")) == case
    packed = tmp_path / "case.py"
    packed.write_bytes(gzip.compress(data))
    assert load(packed) == case
    assert not is_session_file(packed) and not is_session_file(tmp_path / "new.py")


def test_a_test_takes_numbers_without_end() -> None:
    session = plain_session()
    call = next(e for e in session.runs[-1].events if e.type == "call")
    call.arguments["x"] = [float("inf"), -float("inf")]
    case = loads(share(session, None, "pytest", redaction=None).encode())
    assert next(e for e in case.runs[0].events if e.type == "call").arguments == call.arguments


@given(st.text())
def test_a_literal_in_a_test_reads_as_python_reads_it(text: str) -> None:
    made = json.dumps(text)
    literal = for_test(made)
    assert literal.isascii() and ast.literal_eval(f"(\n{literal}\n)") == made
    assert session_json(TEST_OPENING + b"\nSESSION = (\n" + literal.encode() + b"\n)\n", "x") == made.encode()


TEST = share(plain_session(), None, "pytest", redaction=None).encode()
REFUSED_TESTS = {
    "no session": (TEST_OPENING + b'"""\n', "contains no session"),
    "two sessions": (TEST + TEST, "more than one session"),
    "cut off": (TEST[:-200], "ends in the middle"),
    "a call": (TEST.replace(b"SESSION = (\n", b"SESSION = (\n    print(1),\n"), "other code"),
    "a call after": (TEST.replace(b"'\n)", b"' + exec('1')\n)"), "other code"),
    "a formatted text": (TEST.replace(b"SESSION = (\n    ", b"SESSION = (\n    f"), "other code"),
    "an open escape": (TEST.replace(b"SESSION = (\n    '", b"SESSION = (\n    '\\x41"), "other code"),
    "not UTF-8": (TEST.replace(b"SESSION = (\n    '{", b"SESSION = (\n    '{\xff"), "not UTF-8"),
}


@pytest.mark.parametrize("case", REFUSED_TESTS)
def test_other_tests_are_refused_in_one_line(case: str) -> None:
    data, why = REFUSED_TESTS[case]
    with pytest.raises(SessionError, match=why) as found:
        loads(data, "x.py")
    assert "\n" not in str(found.value) and str(found.value).startswith("x.py")


def test_a_page_is_bounded(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<html>" + b" " * (LARGEST + 10))
    path = tmp_path / "bomb.html"
    path.write_bytes(bomb)
    with pytest.raises(SessionError, match="larger than"):
        load(path)
    with pytest.raises(SessionError, match="larger than"):
        read_stream(io.BytesIO(bomb))


def test_json_is_no_page() -> None:
    assert session_json(b'  {"a": "<html>"}', "x") == b'  {"a": "<html>"}'


def test_a_page_is_never_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    session = plain_session()
    page, strange = tmp_path / "case.html", tmp_path / "case.planscope.json"
    for path in (page, strange):
        path.write_bytes(PAGE)
        assert not is_session_file(path)
        with pytest.raises(SessionError, match="is a page"):
            save(session, path)
        keeper = SessionWriter(path)
        try:
            saved = keeper.save(session.model_copy(update={"title": "changed"}))
        finally:
            keeper.close()
        assert path.read_bytes() == PAGE
        assert saved.parent == tmp_path / "data" / "planscope" / "sessions"
        assert saved.name.startswith("case") and load(saved).title == "changed"
    assert not is_session_file(tmp_path / "new.html") and is_session_file(tmp_path / "new.planscope.json")
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(PAGE))
    assert not is_session_file(packed)


def test_standard_input_is_no_place_to_save_to(tmp_path: Path) -> None:
    with temporary_file(dumps(plain_session())) as path:
        assert load(path) == plain_session().model_copy(update={"created": load(path).created})
        assert not is_session_file(path)
    assert not path.exists()


def test_the_screen_shows_a_page_at_once(tmp_path: Path) -> None:
    from planscope.tui.opening.summary import summary_of
    from planscope.tui.picture import export_svg

    page = tmp_path / "case.html"
    page.write_bytes(PAGE)
    assert summary_of(page).title == "A case" and len(summary_of(page).run_ids) == 1
    assert "ORDER ERROR" in asyncio.run(export_svg(page, size=(100, 30))).replace("&#160;", " ")
    assert page.read_bytes() == PAGE
