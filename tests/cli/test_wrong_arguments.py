"""What is wrong with arguments is said in one line on standard error, with exit status 2 and nothing printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import Cli, Files, harmless, variant
from tests.each import each

BIG = "9" * 5000

ARGUMENTS: list[tuple[str, str]] = [
    # commands and options
    ("chek first-look", "did you mean check?"),
    ("neww", "did you mean new?"),
    ("nonsense", "there is no file nonsense, nor a bundled session of that name ("),
    ("--nonsense", "unrecognized arguments: --nonsense (see: planscope open --help)"),
    ("check", "required: SESSION|TRACE (see: planscope check --help)"),
    ("check first-look second", "unrecognized arguments: second (see: planscope check --help)"),
    ("campaign run x --arm y", "unrecognized arguments: --arm y (see: planscope campaign run --help)"),
    ("check first-look --strictly", "unrecognized arguments: --strictly"),
    ("check first-look --stric", "unrecognized arguments: --stric"),
    ("parse", "required: --actions"),
    ("run first-look", "required: --model"),
    ("export first-look", "required: --format (see: planscope export --help)"),
    ("export first-look --format pdf", "invalid choice: 'pdf' (choose from 'json', 'smt2', 'text', 'svg', "),
    # runs and steps
    ("check first-look --run nope", "no run 'nope'; its runs: r1, r2"),
    ("replay first-look --run 3", "no run '3'"),
    ("repair first-look --from-step 99", "--from-step 99: there is no such step; the steps are 0 to 5"),
    ("repair first-look --from-step -1", "--from-step: -1 is out of range"),
    ("repair first-look --from-step 1.5", "'1.5' is not a whole number"),
    (f"repair first-look --from-step {BIG}", "is out of range"),
    ("repair first-look --from-step -+1", "--from-step: expected one argument"),
    ("repair first-look --from-step ²", "'²' is not a whole number"),
    # numbers of new
    ("new --actions 1", "--actions: 1 is out of range; give a whole number 2 or more"),
    ("new --actions -5", "out of range"),
    ("new --actions 2000", "1000 activities"),
    (f"new --actions {BIG}", "out of range"),
    ("new --actions five", "'five' is not a whole number"),
    ("new --actions 25 --timed", "25 timed actions do not fit a day"),
    ("new --seed -1", "--seed: -1 is out of range"),
    (f"new --seed {BIG}", "out of range"),
    ("new --seed NaN", "'NaN' is not a whole number"),
    ("new --sentences 0", "--sentences: 0 is out of range"),
    ("new --count 0", "--count: 0 is out of range"),
    ("new --list-length 0", "--list-length: 0 is out of range"),
    ("new --redundant nan", "--redundant: 'nan' is not a number from 0 to 1"),
    ("new --relatives inf", "not a number from 0 to 1"),
    ("new --lists 1.0001", "not a number from 0 to 1"),
    ("new --second-clauses -0.1", "not a number from 0 to 1"),
    ("new --clock-times half", "not a number from 0 to 1"),
    ("new --clock-times 0.5", "--clock-times needs timed queries; add --timed"),
    ("new --valid-orders 5..2", "'5..2' is an empty range; give A..B with 1 <= A <= B"),
    ("new --valid-orders 0", "empty range"),
    ("new --valid-orders 1...3", "is not a range; give A..B"),
    (f"new --valid-orders 1..{BIG}", "is not a range; give A..B"),
    ("new --valid-orders 900..1000 --actions 3", "3 actions"),
    ("new --valid-orders 1..2 --actions 30", "counted for up to 20 actions"),
    ("new --topic teach", "no topic 'teach'; did you mean teacher?"),
    ("new --topics-file nope.toml", "nope.toml: No such file"),
    ("new --count 2 -o x.json", "-o writes one session"),
    ("topics teach", "did you mean teacher?"),
    ("topics -o x.toml", "-o needs --model; add it, or leave -o out"),
    ("topics nurse --model sim:careful", "a simulated model cannot write topics"),
    ("schema nope", "there is no schema 'nope'; the schemas are session, new,"),
    # models and limits of run
    ("run case --model nope", "'nope' is not a model"),
    ("run case --model sim:nope", "no profile 'nope'; the profiles are careful"),
    ("run case --model sim:", "no profile ''"),
    ("run case --model sim:careful?x=1", "has no parameter 'x'"),
    ("run case --model sim:careful?seed=x", "seed must be a whole number"),
    ("run case --model opneai:x", "no provider 'opneai'; did you mean openai"),
    ("run case --model openai:gpt-4o-mini", "openai needs a key; set OPENAI_API_KEY"),
    ("run case --model groq:x", "groq needs a package; install it with: pip install langchain-groq"),
    ("run case --model openai:x --base-url there", "--base-url must begin with http"),
    ("run case --model sim:careful --base-url http://localhost:1", "a simulated model has no server"),
    ("run case --model sim:careful --agent nope", "no agent 'nope'; the agents are tools"),
    ("run case --model sim:careful --agent nope.module:make", "cannot be imported"),
    ("run case --model sim:careful --variant v9", "no variant 'v9'; its variants: v1"),
    ("run case --model sim:careful --max-seconds nan", "not a number of seconds"),
    ("run case --model sim:careful --max-seconds inf", "not a number of seconds"),
    ("run case --model sim:careful --max-seconds 0", "not a number of seconds"),
    ("run case --model sim:careful --max-seconds 1e300", "not a number of seconds"),
    ("run case --model sim:careful --max-calls 0", "out of range"),
    ("run case --model sim:careful --seed -1", "out of range"),
    (f"run case --model sim:careful --seed {BIG}", "out of range"),
    ("run case --model sim:careful --prompts nope.toml", "nope.toml cannot be read: No such file"),
    ("run case --model sim:careful --prompts .", ". is not a file of prompts"),
    ("run case --model sim:careful --prompts /dev/zero", "/dev/zero is not a file of prompts"),
    ("run case --model sim:careful --times 0", "--times: 0 is out of range"),
    ("run case --model sim:careful --times 1001", "--times: 1001 is out of range"),
    ("run case --model sim:careful --times 2 --at-once 0", "--at-once: 0 is out of range"),
    ("run case --model sim:careful --break doomed", "--break needs --live"),
    ("run case --model sim:careful --times 2 --stepping", "--stepping needs --live"),
    ("run case --model sim:nope --times 2", "no profile 'nope'"),
    ("run case --model sim:careful --times 2 --prompts /dev/zero", "/dev/zero is not a file of prompts"),
    ("models --base-url there", "--base-url must begin with http"),
    (
        "run first-look --model sim:careful",
        "is a bundled session, which is read-only; name a file to write with -o",
    ),
    # pictures
    ("export first-look --format svg --size 5x5", "from 20x5 to 500x300"),
    ("export first-look --format svg --size x", "from 20x5 to 500x300"),
    (f"export first-look --format svg --size {BIG}x9", "from 20x5 to 500x300"),
    ("export first-look --format svg --theme nope", "nope"),
    ("export first-look --format svg --step 99", "99"),
    ("export first-look --format text --step 3", "need --format svg"),
    # options that have no effect
    ("run case --model sim:careful --at-once 3", "--at-once needs --times; add it, or leave --at-once out"),
    ("run case --model sim:careful --at-once=3", "--at-once needs --times"),
    (
        "dissect case --model sim:flaky --method paper --culprit-budget 5",
        "--culprit-budget needs --method rates",
    ),
    ("dissect case --model sim:flaky --method paper --no-culprit", "--no-culprit needs --method rates"),
    ("dissect case --model sim:flaky --no-culprit --culprit-budget 0", "leave one out"),
    ("check first-look --details 20", "--details needs --rules; add it"),
    ("check first-look --junit x.xml", "--junit needs --rules"),
    ("check first-look --no-certify --rules nope", "--no-certify is for a session's own verdict"),
    ("check folder --branches", "--branches needs --rules"),
    ("check first-look --rules r --branches", "--branches is for traces"),
    ("fuzz math:sqrt --model openai:x --correctness --calls 5", "--calls is for calls of the tools alone"),
    ("replay first-look --changes", "--changes needs --json"),
    ("compare first-look --all --json", "JSON has all calls"),
    ("export first-look --format text --only", "--only is for html and session"),
    ("mutate case --kind other-words --topics-file x.toml", "--topics-file is for --kind other-topic"),
    ("import x.json --list --rules r.txt", "--rules makes a session, and --list none"),
    ("new --new-actions", "--new-actions needs --text"),
    ("topics --base-url http://localhost:1", "--base-url needs --model"),
    ("rules draft x.txt --yes", "--yes needs -o"),
    ("rules draft x.txt --base-url http://localhost:1", "--base-url needs --model"),
    ("debug x:y --run r1", "--run names a run of --answers SESSION"),
    ("debug x:y --answers x.json", "--answers needs --dry"),
    ("fuzz math:sqrt --redact", "--redact replaces nothing on the screen"),
    ("campaign show trial n2-1 --all", "--all is for the list of runs"),
    # a file of code is no trace
    ("fuzz mytools.py", "name what to fuzz in it, as in: planscope fuzz mytools:TOOLS"),
    ("fuzz ./a/mytools.py:search", "planscope fuzz a.mytools:search"),
    ("fuzz /a/mytools.py", "planscope fuzz mytools:TOOLS, and start planscope in /a"),
    # what is private
    ("export first-look --format text --keep 9", "there is no finding 9; nothing private was found"),
]


@pytest.mark.parametrize("line,says", ARGUMENTS, ids=[line[:60] for line, _ in ARGUMENTS])
def test_one_line(cli: Cli, files: Files, line: str, says: str) -> None:
    case = files("a", about=variant("A comes before B.", ["a", "b"]))
    before = case.read_bytes()
    done = cli(*(str(case) if word == "case" else word for word in line.split()))
    assert says in done.complaint()
    assert case.read_bytes() == before


@each("bad", ["\x1b[31mred\x1b[0m", "\x9b2J", "a\u202eb", "x\x00", "\udcff\udcfe", "two\nlines", "\x07"])
@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "{} first-look",
        "check {}",
        "check first-look {}",
        "check first-look --run {}",
        "repair first-look --from-step {}",
        "export first-look --format {}",
        "export first-look --format text -o {}/x/\x00",
        "parse {} --actions a",
        "new --seed {}",
        "new --topic {}",
        "new --redundant {}",
        "new --valid-orders {}",
        "new --topics-file {}",
        "topics {}",
        "topics --file {}",
        "schema {}",
        "run case --model {}",
        "run case --model sim:{}",
        "run case --model {}:x",
        "run case --model sim:careful?{}=1",
        "run case --model sim:careful --agent {}",
        "run case --model sim:careful --agent {}:x",
        "run case --model sim:careful --variant {}",
        "run case --model sim:careful --prompts {}",
        "run case --model sim:careful --max-seconds {}",
    ],
)
def test_what_is_repeated_in_an_error_is_harmless(cli: Cli, files: Files, line: str, bad: str) -> None:
    case = files("a", about=variant("A comes before B.", ["a", "b"]))
    done = cli(*(str(case) if word == "case" else word.format(bad) for word in line.split(" ")))
    assert harmless(done.complaint())


NAMES = [
    ("", "names with commas between them"),
    (" , ", "names with commas between them"),
    ("a,,b", "names with commas between them"),
    ("a, b,", "names with commas between them"),
    ("a, b, A", "have the same name"),
    ("a, b, a", "have the same name"),
    ("the,\udcff", "--actions is not UTF-8 text"),
]


@pytest.mark.parametrize("names,says", NAMES)
def test_names_of_actions(cli: Cli, names: str, says: str) -> None:
    assert says in cli("parse", "--actions", names, stdin="A comes before B.").complaint()


DURATIONS = [
    (["--durations", "1, 2"], "--durations needs --timed; add it"),
    (["--timed", "--durations", "1"], "has 1 values for 2 actions"),
    (["--timed", "--durations", ""], "whole hours from 1 to 24"),
    (["--timed", "--durations", "0, 1"], "whole hours from 1 to 24"),
    (["--timed", "--durations", "25, 1"], "whole hours from 1 to 24"),
    (["--timed", "--durations", "1.5, 1"], "whole hours from 1 to 24"),
    (["--timed", "--durations", "nan, 1"], "whole hours from 1 to 24"),
    (["--timed", "--durations", f"{BIG}, 1"], "whole hours from 1 to 24"),
]


@pytest.mark.parametrize("args,says", DURATIONS)
def test_durations(cli: Cli, args: list[str], says: str) -> None:
    assert says in cli("parse", "--actions", "a, b", *args, stdin="A comes before B.").complaint()


def test_odd_names_are_names_all_the_same(cli: Cli) -> None:
    many = ", ".join(f"name {k}x" for k in range(5000))
    done = cli("parse", "--actions", f"a, b, {many}", "--json", stdin="A comes before B.")
    assert done.status == 0 and len(done.json["actions"]) == 5002 and done.json["valid_orders"] is None
    odd = "a, b, \x1b[31m\x07, c\u202ed, " + "é" * 3000 + ", " + "x" * 50_000
    for more in ([], ["--json"]):
        done = cli("parse", "--actions", odd, *more, stdin="A comes before B.")
        assert done.status == 0 and harmless(done.out)
    tools = [
        a["tool"] for a in cli("parse", "--actions", odd, "--json", stdin="A comes before B.").json["actions"]
    ]
    assert len(set(tools)) == 6 and all(len(t) <= 64 and t.isascii() for t in tools)


OUTPUTS = [
    ("folder", "folder is a directory; name a file in it"),
    ("pipe", "pipe is not a regular file"),
    ("/dev/null", "/dev/null is not a regular file"),
    ("text/x.json", "text is not a directory"),
    ("", "-o needs the name of a file"),
    ("\0", "a null byte"),
    ("x" * 5000, "cannot be written: File name too long"),
    ("/proc/nothing/x.json", "cannot be written"),
]


@pytest.mark.parametrize("output,says", OUTPUTS, ids=[o[:20] for o, _ in OUTPUTS])
@pytest.mark.parametrize(
    "line", ["new --seed 1 -o", "run case --model sim:careful -o", "export case --format text -o"]
)
def test_places_that_cannot_be_written(
    cli: Cli, files: Files, tmp_path: Path, line: str, output: str, says: str
) -> None:
    import os

    case = files("a", about=variant("A comes before B.", ["a", "b"]))
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(p.name for p in tmp_path.iterdir())
    done = cli(*(str(case) if word == "case" else word for word in line.split()), output)
    assert says in done.complaint()
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_where_to_write_is_looked_at_before_an_agent_runs(
    cli: Cli, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planscope.agents import runner

    def never(*args: object, **options: object) -> None:
        raise AssertionError("an agent ran")

    monkeypatch.setattr(runner, "LiveRun", never)
    case = files("a", about=variant("A comes before B.", ["a", "b"]))
    cli("run", case, "--model", "sim:careful", "-o", tmp_path).complaint()


def test_the_file_behind_a_link_is_written_and_the_link_stays(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    assert cli("new", "--seed", "1", "-o", "link.json").status == 0
    assert (tmp_path / "link.json").is_symlink()
    assert (
        cli("check", "real.json").status == 2 and "planscope-session" in (tmp_path / "real.json").read_text()
    )


def test_a_crash_is_one_line_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.commands import check

    def broken(args: object) -> int:
        raise ZeroDivisionError("a\nb\x1b[31m")

    monkeypatch.setattr(check.COMMANDS["check"], "run", broken)
    done = cli("check", "first-look")
    assert done.status == 2 and done.out == "" and harmless(done.err) and done.err.count("\n") == 1
    assert "a bug in planscope: ZeroDivisionError" in done.err
    monkeypatch.setenv("PLANSCOPE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli("check", "first-look")
