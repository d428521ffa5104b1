"""Exit statuses, and what is printed with them."""

from __future__ import annotations

import re

import pytest

from planscope.wording.terms import VERDICTS
from tests.cli.support import Cli, Files, run, session, variant

AB = variant("A comes before B.", ["a", "b"])


def test_check_says_it_by_its_status(cli: Cli, files: Files) -> None:
    expected = {
        files("a", "b", about=AB, name="right"): (0, "right"),
        files("b", "a", about=AB, name="wrong"): (1, "wrong"),
        files("a", about=AB, name="timeout", ending="timeout"): (1, "wrong"),
        files("a", about=AB, name="limit", ending="call_limit"): (1, "wrong"),
        files("a", "b", about=AB, name="aborted", ending="aborted", reason="no network"): (2, "aborted"),
        files("b", "a", about=AB, name="lost", ending="aborted"): (2, "aborted"),
        files("a", about=AB, name="broken-off", ending=None): (2, "aborted"),
        files("a", "b", about=AB, name="owes-nothing", ending=None): (0, "right"),
        files.keep(session(AB), "no-run"): (2, "unknown"),
    }
    words = {"no-run": "NO RUN", "broken-off": "CUT OFF"}
    for path, (status, verdict) in expected.items():
        done = cli("check", path, "--json")
        assert (done.status, done.json["verdict"]) == (status, verdict), path
        assert done.err == ""
        person = cli("check", path)
        assert person.status == status and person.err == ""
        assert person.out.startswith(words.get(path.name.partition(".")[0], VERDICTS[verdict].upper()))


def test_what_z3_does_not_confirm_is_unknown(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.oracle.replay import Replay

    path = files("a", "b", about=AB)
    monkeypatch.setattr(Replay, "certify", lambda self: "denied")
    done = cli("check", path, "--json")
    assert done.status == 2 and done.json["verdict"] == "unknown" and done.json["certified"] is False
    assert cli("check", path).out.startswith("NOT DECIDED\nplanscope and Z3 disagree")
    assert cli("check", path, "--no-certify").status == 0
    monkeypatch.setattr(Replay, "certify", lambda self: "gave_up")
    gave_up = cli("check", path)
    assert gave_up.status == 0 and "Z3 gave up: not confirmed" in gave_up.out


def test_warnings_fail_a_strict_check_only(cli: Cli, files: Files) -> None:
    path = files("ghost", "a", "b", about=AB)
    assert cli("check", path).status == 0
    strict = cli("check", path, "--strict", "--json")
    assert strict.status == 1
    assert (strict.json["verdict"], strict.json["error_type"]) == ("wrong", "act_error")
    assert cli("check", path, "--strict").out.startswith("WRONG: failed call")


@pytest.mark.parametrize("steps,options", [(("b", "a"), {}), ((), {}), (("a",), {"ending": "aborted"})])
def test_replay_repair_and_export_are_content_with_any_run(
    cli: Cli, files: Files, steps: tuple[str, ...], options: dict[str, str]
) -> None:
    path = files(*steps, about=AB, **options)
    for args in (["replay"], ["repair"], ["export", "--format", "text"], ["export", "--format", "smt2"]):
        done = cli(args[0], path, *args[1:])
        assert done.status == 0 and done.err == "" and done.out


def test_parse(cli: Cli) -> None:
    for text, status in [
        ("A comes before B.", 0),
        ("A comes before B. B comes before A.", 0),
        ("A comes B.", 1),
        ("", 1),
        (" \n ", 1),
        ("C comes before A.", 1),
    ]:
        for more in ([], ["--json"]):
            done = cli("parse", "--actions", "a, b", *more, stdin=text)
            assert done.status == status, text
            assert done.err == "" and done.out


def test_parse_counts_lines_as_the_file_has_them(cli: Cli) -> None:
    done = cli(
        "parse", "--actions", "a, b", "--json", stdin="\ufeff\n\nA comes before B.\r\nA comes near B.\r\n\n"
    )
    (error,) = done.json["errors"]
    assert (error["line"], error["column"]) == (4, 3)


def test_without_a_terminal_there_is_no_debugger(cli: Cli) -> None:
    for args in ([], ["figure-10"], ["open"], ["open", "figure-10", "--run", "r1"]):
        name = "first-look" if "figure-10" not in args else "figure-10"
        complaint = cli(*args).complaint()
        assert complaint.startswith("the debugger needs a terminal")
        assert f"planscope check {name}, planscope replay {name}" in complaint


def test_what_the_complaint_offers_works(cli: Cli) -> None:
    offers = re.findall(r"planscope \w+ first-look(?: --format \w+)?", cli().complaint())
    assert [cli(*offer.split()[1:]).status for offer in offers] == [1, 0, 0]


def test_what_an_error_offers_works(cli: Cli, files: Files) -> None:
    path = files.keep(session(AB))
    complaint = cli("replay", path).complaint()
    assert complaint.endswith("planscope run SESSION --model sim:careful")
    assert cli("run", path, "--model", "sim:careful").status == 0
    assert cli("replay", path).status == 0


def test_several_runs_each_have_a_status(cli: Cli, files: Files) -> None:
    path = files.keep(session(AB, run("a", "b", run_id="r1"), run("b", "a", run_id="r2")))
    assert [cli("check", path, "--run", one).status for one in ("r1", "r2", "r3")] == [0, 1, 2]
    assert cli("check", path).status == 1
