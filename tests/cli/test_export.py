"""``planscope export``: redacted unless told otherwise, previewed, decided, in every form; sessions from streams."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from planscope.session.model import ErrorEvent, ForkPoint, Session
from planscope.session.store import dumps, load, loads, save
from planscope.sharing.formats import FORMATS
from planscope.sharing.redact import Surroundings
from tests.cli.support import Cli, program
from tests.sharing.cases import plain_session, planted, run_of, written

SECRET = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWx"
TEXTS = (f"use {SECRET} please", "ask ada@acmecorp.io", "ask bob@acmecorp.io on db-1.prod.internal")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with nothing private of its own."""
    monkeypatch.setattr("planscope.sharing.redact.review.own", Surroundings)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    path = tmp_path / "private.planscope.json"
    save(planted(TEXTS), path)
    return path


def leaks(text: str) -> bool:
    return any(value in text for value in (SECRET, "ada@acmecorp", "bob@acmecorp", "prod.internal"))


@pytest.mark.parametrize("name", FORMATS)
def test_every_form_is_redacted_and_says_so(cli: Cli, private: Path, name: str) -> None:
    done = cli("export", private, "--format", name)
    assert done.status == 0 and done.out and not leaks(done.out)
    assert done.err.splitlines() == [
        "replaced: Anthropic key (1): REDACTED_ANTHROPIC_KEY_1",
        "replaced: e-mail address (2): REDACTED_EMAIL_1, REDACTED_EMAIL_2",
        "replaced: host name (1): REDACTED_HOST_1",
    ]
    target = private.parent / f"out{FORMATS[name].suffix}"
    written = cli("export", private, "--format", name, "-o", target)
    assert written.out == "" and written.err == done.err
    assert target.read_text(encoding="utf-8") == done.out


def test_a_picture_is_redacted_too(cli: Cli, tmp_path: Path) -> None:
    session = plain_session()
    query = session.variants[0].query
    session.title = "for ada@acmecorp.io"
    path = tmp_path / "x.planscope.json"
    save(session, path)
    done = cli("export", path, "--format", "svg", "--size", "100x30")
    assert done.status == 0 and "ada@acmecorp" not in done.out and "EMAIL_1" in done.out
    assert query.text.split()[0] in done.out
    assert done.err == "replaced: e-mail address (1): REDACTED_EMAIL_1\n"
    assert "ada@acmecorp" in cli("export", path, "--format", "svg", "--size", "100x30", "--no-redact").out


def test_the_preview_lists_and_writes_nothing(cli: Cli, private: Path) -> None:
    done = cli("export", private, "--preview", "--format", "html", "-o", private.parent / "x.html")
    assert done.status == 0 and done.err == "" and not (private.parent / "x.html").exists()
    lines = done.out.splitlines()
    assert f"  1  Anthropic key: {SECRET} becomes REDACTED_ANTHROPIC_KEY_1" in lines
    assert "  2  e-mail address: ada@acmecorp.io becomes REDACTED_EMAIL_1" in lines
    assert "     in notes" in lines and any(line.startswith("     in run r1, ") for line in lines)
    assert any("more places" in line for line in lines)
    assert cli("export", private, "--preview").out == done.out, "no form need be named"
    decided = cli("export", private, "--preview", "--keep", "2", "--replace", "3=ROBERT").out
    assert "ada@acmecorp.io stays" in decided and "bob@acmecorp.io becomes ROBERT" in decided


def test_the_preview_as_json(cli: Cli, private: Path) -> None:
    listed = cli("export", private, "--preview", "--json", "--keep", "2").json["private"]
    assert [one["number"] for one in listed] == [1, 2, 3, 4]
    assert (listed[0]["text"], listed[0]["replacement"]) == (SECRET, "REDACTED_ANTHROPIC_KEY_1")
    assert [one["kept"] for one in listed] == [False, True, False, False]
    assert {"field": "notes", "variant": None, "run": None, "event": None, "step": None} in listed[0][
        "places"
    ]
    assert "--json needs --preview" in cli("export", private, "--format", "text", "--json").complaint()


@pytest.mark.parametrize(
    "name", ["x.html", "x.html.gz", "x.md", "x.txt", "test_x.py", "x.smt2", "x.json", "x.planscope.json"]
)
def test_the_name_of_the_file_says_the_form(cli: Cli, private: Path, tmp_path: Path, name: str) -> None:
    said, guessed = tmp_path / "said" / name, tmp_path / name
    forms = {"html": "html", "gz": "html", "md": "markdown", "txt": "text", "py": "pytest", "smt2": "smt2"}
    form = forms.get(name.rpartition(".")[2], "session" if "planscope" in name else "json")
    assert cli("export", private, "-o", guessed).status == 0
    assert cli("export", private, "-o", said, "--format", form).status == 0
    assert guessed.read_bytes() == said.read_bytes()
    assert "--format" in cli("export", private, "-o", tmp_path / "x.doc").complaint()


def test_one_decides_by_number(cli: Cli, private: Path) -> None:
    done = cli("export", private, "--format", "session", "--keep", "2", "--replace", "3=ROBERT")
    assert "ada@acmecorp.io" in done.out and "ROBERT" in done.out and "bob@acmecorp" not in done.out
    assert "ROBERT" in done.err and "ada" not in done.err


@pytest.mark.parametrize(
    "options,why",
    [
        ("--keep 9", "no finding 9; they count from 1 to 4"),
        ("--keep x", "not a whole number"),
        ("--replace 1", "'1' is not N=WORD, the number of a finding and a word"),
        ("--replace 1=", "one word of at most 40"),
        ("--replace 1=a/b", "one word of at most 40"),
        ("--replace 1=REDACTED_EMAIL_2", "replaces another value already"),
        ("--no-redact --preview", "--no-redact replaces nothing"),
        ("--no-redact --keep 1", "--no-redact replaces nothing"),
    ],
)
def test_wrong_decisions(cli: Cli, private: Path, options: str, why: str) -> None:
    assert why in cli("export", private, "--format", "text", *options.split()).complaint()


def test_nothing_is_replaced_where_that_is_typed(cli: Cli, private: Path) -> None:
    done = cli("export", private, "--format", "session", "--no-redact")
    assert done.err == "" and loads(done.out.encode()) == load(private)
    assert cli("export", private, "--no-red", "--format", "text").status == 2, "in full"


def test_what_is_not_private_is_shared_without_a_word(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(plain_session(), path)
    for name in FORMATS:
        done = cli("export", path, "--format", name)
        assert done.err == "" and done.out == cli("export", path, "--format", name, "--no-redact").out
    assert cli("export", path, "--preview").out == "Nothing private was found.\n"


def test_what_cannot_be_kept_is_refused(cli: Cli, tmp_path: Path) -> None:
    from tests.sharing.cases import run_of, written

    variant = written("Mail ada@acmecorp.io comes before mail bob.", ("mail ada@acmecorp.io", "mail bob"))
    path = tmp_path / "x.planscope.json"
    save(Session(id="s", title="t", variants=[variant], runs=[run_of(variant, (1, 0))]), path)
    target = tmp_path / "x.html"
    done = cli("export", path, "--format", "html", "--replace", "1=bob", "-o", target)
    assert "variant v1 would read differently after redaction" in done.complaint() and not target.exists()


def test_pages_and_streams_are_sessions(cli: Cli, private: Path) -> None:
    page = private.parent / "case.html"
    assert cli("export", private, "--format", "html", "-o", page).status == 0
    session = load(page)
    for source, stdin in ((page, None), ("-", page.read_bytes()), ("-", gzip.compress(dumps(session)))):
        assert json.loads(cli("check", source, "--json", stdin=stdin).out)["verdict"] == "wrong"
        assert loads(cli("export", source, "--format", "session", stdin=stdin).out.encode()) == session
    assert "contains no session" in cli("check", "-", stdin=b"<html></html>").complaint()
    assert "standard input is empty" in cli("check", "-", stdin=b"").complaint()


def test_commands_that_write_do_not_write_into_a_page(cli: Cli, private: Path) -> None:
    page = private.parent / "case.html"
    cli("export", private, "--format", "html", "-o", page)
    before = page.read_bytes()
    assert "is a page" in cli("run", page, "--model", "sim:careful").complaint()
    assert "is a page" in cli("run", private, "--model", "sim:careful", "-o", page).complaint()
    assert "not standard input" in cli("run", "-", "--model", "sim:careful", stdin=before).complaint()
    assert "is a page" in cli("new", "--seed", "1", "-o", private.parent / "new.html").complaint()
    assert page.read_bytes() == before
    target = private.parent / "more.planscope.json"
    assert cli("run", page, "--model", "sim:careful", "-o", target).status == 0
    assert len(load(target).runs) == 2


def test_open_takes_a_stream_where_there_is_a_terminal(private: Path) -> None:
    done = program("open", "-", input=private.read_bytes(), stdin=None)
    assert "the debugger needs a terminal" in done.complaint()
    done = program("open", "-", input=b"<p>no</p>", stdin=None)
    assert "contains no session" in done.complaint()


def test_this_machines_secrets_do_not_leave(private: Path) -> None:
    done = program(
        "export",
        private,
        "--format",
        "session",
        env={"SOME_API_KEY": "x-please-use-x", "OTHER_TOKEN": "failed:ask-me"},
    )
    assert done.status == 0 and not leaks(done.out)


def test_one_run_can_be_shared_alone(cli: Cli, tmp_path: Path) -> None:
    """With what it was forked from; of the others nothing goes along, nor is it looked through."""
    variants = [written(id="v1"), written(id="v2").model_copy(update={"parent": "v1"}), written(id="v3")]
    runs = [run_of(variants[n], (1, 0, 2), id=f"r{k}") for k, n in enumerate((0, 2, 1), 1)]
    runs[2] = runs[2].model_copy(update={"forked_from": ForkPoint(run="r1", step=1)})
    runs[1].events.insert(1, ErrorEvent(kind="agent", text="ask zoe@acmecorp.io"))
    path = tmp_path / "x.planscope.json"
    save(Session(id="s", title="t", notes="by ada@acmecorp.io", variants=variants, runs=runs), path)
    whole = cli("export", path, "--run", "r3", "--format", "session")
    assert "REDACTED_EMAIL_2" in whole.err and whole.out.count('"id": "r') == 3
    for form in ("session", "html"):
        target = tmp_path / f"alone{FORMATS[form].suffix}"
        done = cli("export", path, "--run", "r3", "--format", form, "--only", "-o", target)
        assert done.err == "replaced: e-mail address (1): REDACTED_EMAIL_1\n"
        alone = load(target)
        assert [r.id for r in alone.runs] == ["r1", "r3"] and [v.id for v in alone.variants] == ["v1", "v2"]
    for form in ("markdown", "text", "json", "smt2", "pytest"):
        done = cli("export", path, "--run", "r3", "--format", form)
        assert "zoe" not in done.out and "EMAIL_2" not in done.err
    numbered = cli("export", path, "--run", "r3", "--format", "markdown", "--keep", "2")
    assert numbered.status == 0 and "EMAIL_2" not in numbered.err
    bare = cli("export", path, "--format", "session", "--only", "--run", "r2", "--no-redact")
    assert "zoe" in bare.out and "r1" not in bare.out
