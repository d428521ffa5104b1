"""What a person reads: aligned, within the screen, calm."""

from __future__ import annotations

import pytest

from planscope.safe import cell_width
from tests.cli.support import FIGURE_7, Cli, Files, run, session, variant

ABC = variant("A comes before B.\nB comes before C.", ["a", "b", "c"])


def test_a_verdict(cli: Cli, files: Files) -> None:
    done = cli("check", files("ghost", "b", "a", "a", "c", about=ABC))
    lines = done.out.splitlines()
    assert lines[0] == "WRONG: order error"  # which lost the plan; the primary error came later
    assert lines[1].startswith("At step 4 a was done")
    assert lines[-1] == "run r1: agent tools, model sim:careful; confirmed by Z3"
    findings = [line for line in lines if line.startswith("  ")]
    assert [line[:12] for line in findings] == ["  step 4    ", "  step 1    ", "  step 2    "]
    assert findings[1] == "  step 1      warning: failed call, ghost: there is no such tool"
    assert findings[2] == "  step 2      error: order error, c1 (a before b)"
    assert done.out.endswith("Z3\n") and "\n\n\n" not in done.out


def test_a_run_that_did_everything_wrong_is_told_shortly(cli: Cli, files: Files) -> None:
    names = [f"action {chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(40)]
    listed = ", ".join(names[1:-1])
    about = variant(f"{names[0].capitalize()} comes before {listed} and {names[-1]}.", names)
    path = files(*[n.replace(" ", "_") for n in reversed(names)], about=about)
    done = cli("check", path)
    assert done.status == 1 and done.out.count("error: order error") == 20 and "\n  and 19 more\n" in done.out
    assert len(cli("check", path, "--json").json["findings"]) == 39
    about = variant(f"{listed.capitalize()} and {names[-1]} come before {names[0]}.", names)
    done = cli("check", files(*[n.replace(" ", "_") for n in names], about=about))
    assert " and 34 more" in " ".join(done.out.split()) and len(done.out) < 2000


def test_a_right_run_says_little(cli: Cli, files: Files) -> None:
    out = cli("check", files("a", "b", "c", about=ABC)).out
    assert out == (
        "RIGHT\nThe run meets every requirement.\n\nrun r1: agent tools, model sim:careful; confirmed by Z3\n"
    )
    assert cli("check", files("a", "b", "c", about=ABC), "--no-certify").out.endswith("sim:careful\n")


def test_the_steps_of_a_run(cli: Cli, files: Files) -> None:
    out = cli("replay", files("a", "c", ("ghost", {"x": 1}), ("b", None), about=ABC)).out
    assert out.splitlines() == [
        "   step  call               state     valid orders",
        "✓     0  (before any call)  possible  1",
        "         safe next: a",
        "✓     1  a()                possible  1",
        "         safe next: b",
        "✗     2  c()                violated  0",
        "         error: order error, c2 (b before c)",
        "         LOST HERE (point of no return): c2 (b before c) with step 2",
        "✗     3  ghost(1)           violated  0",
        "         error: failed call, ghost: there is no such tool",
        "✗     4  b(unreadable)      violated  0",
        "         error: failed call, b: this is no JSON",
        "✗   end  (the end)          violated  0",
    ]


def test_the_steps_of_a_timed_run(cli: Cli, files: Files) -> None:
    about = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])
    out = cli("replay", files(("network_diagnosis", 14), "ask_for_restart", about=about)).out
    assert out.splitlines()[:3] == [
        "   step  attempt  call                   hours        state     valid orders",
        "✓     0  1        (before any call)                   possible  1",
        "         safe next: network_diagnosis, start 10 to 12",
    ]
    assert "●     1  1        network_diagnosis(14)  14:00-16:00  lost      0\n" in out
    assert "\n✓     2  2        ask_for_restart()" in out


def test_columns_stand_below_one_another_whatever_the_script(cli: Cli) -> None:
    names = "先检查网络状态, b, ärger, e\u0301e\u0301, 각한"
    lines = cli("parse", "--actions", names, stdin="B comes before 각한.").out.splitlines()
    rows = lines[1 : lines.index("Constraints")]
    tools = ["action", "b", "arger", "ee", "action_2"]
    assert [row.split()[-1] for row in rows] == tools
    starts = {cell_width(row[: row.rindex("  ") + 2]) for row in rows}
    assert len(starts) == 1, rows


def test_a_plan_beside_what_was_done(cli: Cli, files: Files) -> None:
    out = cli("repair", files("c", "a", "a", about=ABC)).out
    assert out.splitlines() == [
        "   1  a  was 2nd",
        "   2  b  never done",
        "   3  c  was 1st",
        "   -  a: its repetition is left out",
        "1 adjacent swap from the agent's order.",
    ]
    right = cli("repair", files("a", "b", "c", about=ABC)).out
    assert right.splitlines() == ["   1  a", "   2  b", "   3  c", "The agent's order."]
    lost = cli("repair", files("b", "a", about=ABC), "--from-step", "1").out
    assert lost == "There is no correct plan: after step 1 nothing can save the plan.\n"


def test_a_plan_with_hours(cli: Cli) -> None:
    assert cli("repair", "figure-10").out.splitlines() == [
        "   1  applying hair color          at 8:00   was 2nd",
        "   2  attending training sessions  at 10:00  was 1st",
        "   3  sanitizing tools             at 18:00",
        "1 adjacent swap from the agent's order.",
    ]


def test_a_request(cli: Cli) -> None:
    text = "A comes before B. B happens after 10:00. B comes before A."
    out = cli("parse", "--actions", "a, b", "--timed", "--durations", "2, 1", stdin=text).out
    assert out.splitlines()[:7] == [
        "Actions",
        "  a1  a  a  2 h",
        "  a2  b  b  1 h",
        "Constraints",
        "  c1  a1.end <= a2.start  sentence 1  a before b",
        "  c2  a2.start >= 10      sentence 2  b starts at 10:00 or later",
        "  c3  a2.end <= a1.start  sentence 3  b before a",
    ]
    assert out.endswith("Valid orders: 0\nCONFLICT (unsat core): c1, c3; these cannot all hold\n")


def test_the_place_of_an_error_is_shown(cli: Cli) -> None:
    text = "先检查 comes before B.\nB comes after 先检查. B goes ahead off 先检查."
    lines = cli("parse", "--actions", "先检查, b", stdin=text).out.splitlines()
    assert lines[0].startswith("standard input, line 2, column ")
    shown, mark = lines[-2], lines[-1]
    column = int(lines[0].split("column ")[1].split(":")[0])
    assert mark.endswith("^") and mark.strip() == "^"
    before = shown[: shown.index(text.split("\n")[1][column - 1 :][:5])]
    assert cell_width(before) == len(mark) - 1
    long = "B comes after A. " * 300 + "B comes near A."
    shown, mark = cli("parse", "--actions", "a, b", stdin=long).out.splitlines()[-2:]
    assert (
        shown.startswith("    ...") and len(shown) <= 80 and shown[len(mark) - 1 :].startswith("comes near")
    )


@pytest.mark.parametrize("columns,widest", [(40, 40), (80, 80), (300, 100)])
def test_sentences_fit_the_screen(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: int, widest: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = cli("check", "figure-10").out
    assert max(map(len, out.splitlines()[:-1])) in range(widest - 18, widest + 1)
    made = cli("new", "--seed", "7", "--timed").out
    assert max(map(len, made.split("\n\n")[0].splitlines())) <= widest


def test_a_run_as_text(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files("b", "a", "c", about=ABC)
    text = cli("export", path, "--format", "text").out
    monkeypatch.setenv("COLUMNS", "200")
    assert cli("export", path, "--format", "text").out == text, "what is shared is the same on every screen"
    assert text.startswith(
        "✗ Wrong: order error, lost at step 1\nSession A title, run r1: agent tools, model sim:careful\n\n"
        "Query\nA comes before B.\nB comes before C.\n\n"
    )
    parts = ["Why\n", "A correct plan\n", "Steps\n", "Constraints at the end\n"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "  ● conflict  c1  a before b\n  ✓ holds     c2  b before c\n" in text
    assert cli("export", path, "--format", "text", "-o", "x.txt").out == ""
    assert (files.folder / "x.txt").read_text(encoding="utf-8") == text
    assert cli("export", path, "--format", "text", "-o", "-").out == text
    right = cli("export", files("a", "b", "c", about=ABC), "--format", "text").out
    assert "should have done" not in right
    bare = cli("export", files.keep(session(ABC)), "--format", "text").out
    assert "(before any call)" in bare and "not over" not in bare and "RIGHT" not in bare


def test_smt_lib_ends_with_the_judgement_of_the_whole(cli: Cli, files: Files) -> None:
    out = cli("export", files("b", "a", "c", about=ABC), "--format", "smt2").out
    assert out.rstrip().endswith("(check-sat)") and out.count("(check-sat)") == 2
    assert "; expected answer of the last check: unsat" in out and ":named c1" in out
    assert out.count("(") == out.count(")")
    right = cli("export", files("a", "b", "c", about=ABC), "--format", "smt2").out
    assert right.count("(check-sat)") == 1 and "expected answer of the last check: sat" in right


def test_a_picture(cli: Cli, files: Files) -> None:
    pytest.importorskip("planscope.tui.picture")
    import xml.etree.ElementTree

    path = files.keep(session(ABC, run("b", "a", "c"), run("a", "b", "c", run_id="r2")))
    done = cli("export", path, "--format", "svg", "--size", "80x24", "--run", "r1", "-o", "x.svg")
    assert done.status == 0 and done.out == "" and done.err == ""
    root = xml.etree.ElementTree.parse(files.folder / "x.svg").getroot()
    assert root.tag.endswith("svg")
    printed = cli("export", path, "--format", "svg", "--size", "80x24", "--run", "r1", "--theme", "light")
    assert printed.status == 0 and printed.out.startswith("<svg")


def test_lists(cli: Cli) -> None:
    topics = cli("topics").out.splitlines()
    assert len(topics) == 50 and len({line.index("20 activities") for line in topics}) == 1
    assert len(cli("topics", "nurse").out.splitlines()) == 20
    themes = cli("themes").out.splitlines()
    assert themes[0].split() == ["dark", "dark"] and themes[-1].startswith("Put your own themes into ")
    grammar = cli("grammar").out
    assert "Clause skeletons           250\n" in grammar and max(map(len, grammar.splitlines())) <= 80
    for terminal in ("VP<", "VP>", "VP0", "P<", "P>", "SC<", "SC>", "J"):
        assert f"\n{terminal}  " in grammar


def test_models_in_two_columns(cli: Cli) -> None:
    lines = cli("models").out.splitlines()
    simulated = lines[1 : lines.index("")]
    assert all(line[:18].strip() == "" or line[18:20] == "  " for line in simulated)
    assert all(len(line) <= 80 for line in simulated)
    assert any(line.startswith("  careful           plans, replans after tool answers") for line in simulated)
    assert any(line.split()[:2] == ["openai", "not"] for line in lines)


def test_the_rate_of_many_runs(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    out = cli("run", path, "--model", "sim:literal", "--times", "3").out
    assert out.startswith("3 of 3 runs right: 100 %, 95 % interval ")
    assert f"runs r1 to r3: agent tools, model sim:literal; recorded in {path}\n" in out
