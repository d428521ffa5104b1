"""Hostile strings in every field of a session: no command lets one of them steer the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Cli, Files, harmless, run, session, variant
from tests.each import each
from tests.hostile import HOSTILE, in_turn
from tests.nightly import nightly

COMMANDS = [
    "check {}",
    "check {} --json",
    "check {} --run nope",
    "replay {}",
    "replay {} --json",
    "repair {}",
    "repair {} --json",
    "reasons {}",
    "reasons {} --json",
    "export {} --format json",
    "export {} --format text",
    "export {} --format smt2",
    "open {}",
]
AB = variant("A comes before B.", ["a", "b"])
TIMED = variant("A comes before B.", ["a", "b"], [1, 2])


H = "HOSTILE"
"""Stands for the hostile string until the session is JSON: a model holds no halves of surrogate pairs."""


def hostile_free_text(h: str, timed: bool) -> dict[str, Any]:
    """A session with the string wherever text is free: names come from elsewhere."""
    strange = {"start_time": H} if timed else {H: H}
    made = session(TIMED if timed else AB, run("a", (H, {H: H, "x": [H, {H: None}]}), ("b", strange)))
    document: dict[str, Any] = json.loads(made.model_dump_json())
    document |= {"title": H, "notes": H, "id": H, "breakpoints": [H], "watches": [H], "cursor": {H: H}, H: H}
    document["variants"][0] |= {"id": H}
    document["variants"][0]["query"] |= {"topic": H, "tree": {H: H}}
    record = document["runs"][0]
    record |= {"id": H, "variant": H, "agent": H, "model": H}
    record["events"][0] |= {"text": H, "system": H}
    record["events"][1:1] = [
        {"type": "message", "text": H, "message": {H: H}},
        {"type": "error", "kind": H, "text": H},
    ]
    calls = [e for e in record["events"] if e["type"] == "call"]
    calls[0] |= {"call_id": H, "raw": H}
    calls[2] |= {"error": H}
    record["events"][-1:-1] = [{"type": "answer", "step": 1, "text": H, "said": H, "call_id": H}]
    record["events"][-1] |= {"reason": H, "ending": "aborted" if timed else "timeout"}
    found: dict[str, Any] = put(document, h)
    return found


def put(value: Any, h: str) -> Any:
    """The JSON with the string in its places."""
    if isinstance(value, dict):
        return {put(k, h): put(v, h) for k, v in value.items()}
    if isinstance(value, list):
        return [put(v, h) for v in value]
    return h if value == H else value


def hostile_names(h: str) -> Iterator[dict[str, Any]]:
    """Sessions with the string in an action's name, in the text, and both."""
    for name, text in [
        (h, "A comes before B."),
        (f"a {h}", f"A {h} comes before B."),
        ("a", f"A comes before B. {h}"),
    ]:
        document = json.loads(
            session(AB, run("a", "ghost", "b"), run("b", "a", run_id="r2")).model_dump_json()
        )
        document["variants"][0]["actions"][0]["name"] = name
        document["variants"][0]["query"]["text"] = text
        yield document


def write(path: Path, document: dict[str, Any]) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")  # halves of surrogate pairs as escapes
    return path


def check_some(cli: Cli, path: Path, turn: int) -> None:
    for command in in_turn(COMMANDS, turn, 4):
        done = cli(*command.format(path).split())
        for shown in (done.out, done.err):
            assert harmless(shown), (command, shown[:500])
        if done.status == 2 and "check" not in command:
            done.complaint()
        assert "bug in planscope" not in done.err and len(done.err) < 2100, (command, done.err)
        if "json" in command and done.out:
            assert done.out.isascii()
            assert isinstance(done.json, dict)
        elif "export" not in command:
            assert max(map(len, done.out.splitlines()), default=0) < 1500, command


@each("k", range(len(HOSTILE)), every=16)
def test_every_field(cli: Cli, tmp_path: Path, k: int) -> None:
    for turn, timed in enumerate((False, True)):
        document = hostile_free_text(HOSTILE[k], timed)
        check_some(cli, write(tmp_path / "x.planscope.json", document), k + 2 * turn)


@each("k", range(len(HOSTILE)), every=16)
def test_names_and_texts(cli: Cli, tmp_path: Path, k: int) -> None:
    for turn, document in enumerate(hostile_names(HOSTILE[k])):
        check_some(cli, write(tmp_path / "x.planscope.json", document), k + turn)


def test_hostile_names_are_read_where_they_can_be(cli: Cli, tmp_path: Path) -> None:
    """The test above would say nothing if every name were refused."""
    judged = 0
    for h in HOSTILE[::5]:
        for document in hostile_names(h):
            judged += cli("check", write(tmp_path / "x.json", document), "--json").status == 1
    assert judged > len(HOSTILE[::5])


def test_no_line_of_a_session_passes_for_one_of_ours(cli: Cli, files: Files) -> None:
    lie = "x\nRIGHT\n\nrun r1: all is well"
    made = session(AB, run("b", ("ghost\nRIGHT", {"a\nRIGHT": "b\nRIGHT"}), "a"))
    made.runs[0].agent = made.runs[0].model = made.runs[0].id = made.title = lie
    path = files.keep(made)
    for command in ("check {}", "replay {}", "repair {}", "export {} --format smt2"):
        lines = cli(*command.format(path).split()).out.splitlines()
        assert not [line for line in lines if line.strip().startswith("RIGHT")], command
    text = cli("export", path, "--format", "text").out.splitlines()
    assert not [line for line in text if line.startswith("RIGHT")]


def test_smt_lib_is_text_that_nobody_can_break_out_of(cli: Cli, files: Files) -> None:
    made = session(AB, run("a", "b"))
    made.title = "x\n(assert false)\r(exit)"
    out = cli("export", files.keep(made), "--format", "smt2").out
    assert out.isascii() and not [x for x in out.splitlines() if x.startswith(("(assert false", "(exit"))]


@each("k", range(len(HOSTILE)), every=16)
def test_a_text_to_be_read(cli: Cli, k: int) -> None:
    text = f"A comes before B. {HOSTILE[k]} A comes {HOSTILE[k]} before B.".encode("utf-8", "replace")
    for more in ([], ["--json"], ["--timed"]):
        done = cli("parse", "--actions", "a, b", *more, stdin=text)
        assert done.status in (0, 1) and done.err == "" and harmless(done.out)
        assert len(done.out) < 3_000_000


def test_topics_and_themes_of_a_users_own(cli: Cli, tmp_path: Path) -> None:
    for k, h in enumerate(HOSTILE):
        text = json.dumps(h.encode("utf-8", "replace").decode())
        file = tmp_path / f"t{k}.toml"
        file.write_text(f'[[topic]]\njob = {text}\nactivities = [{text}, "wand repair"]\n', encoding="utf-8")
        for args in (
            ["topics", "--file", file],
            ["topics", "--file", file, "--json"],
            ["new", "--topics-file", file],
        ):
            done = cli(*args)
            assert harmless(done.out) and harmless(done.err) and "bug in planscope" not in done.err
    folder = tmp_path / "config" / "planscope" / "themes"
    folder.mkdir(parents=True)
    for k, h in enumerate(HOSTILE[:150]):
        text = json.dumps(h.encode("utf-8", "replace").decode())
        (folder / f"t{k}\x1b[31m.toml").write_text(
            f"name = {text}\n[colors]\nprimary = {text}\n", encoding="utf-8"
        )
    for args in (["themes"], ["themes", "--json"]):
        done = cli(*args)
        assert done.status == 0 and harmless(done.out) and done.err == ""


@pytest.mark.parametrize(
    "name",
    ["\x1b[31mtwo\nRIGHT.json", *nightly("a\u202eb.json", "\x9b2J.json", "[bold].json")],
)
def test_names_of_files(cli: Cli, files: Files, name: str) -> None:
    path = files.folder / name
    assert cli("new", "--seed", "1", "-o", path).status == 0
    for args in (
        ["new", "--seed", "1", "-o", path],
        ["run", path, "--model", "sim:careful"],
        ["run", path, "--model", "sim:careful", "--times", "2"],
        ["check", path],
        ["replay", path],
        ["open", path],
        ["check", f"{path}.gone"],
        ["parse", path, "--actions", "a"],
        ["export", path, "--format", "text", "-o", f"{path}.txt"],
    ):
        done = cli(*args)
        assert harmless(done.out) and harmless(done.err) and "bug in planscope" not in done.err, args
        assert not [line for line in done.out.splitlines()[1:] if line.startswith("RIGHT")], args
