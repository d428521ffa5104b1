"""Whole runs, in child processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.errors import UserError
from planscope.session.model import FuzzFinding
from planscope.session.store import load
from planscope.sharing.formats import share
from planscope.sharing.redact import Surroundings, look_through
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.formats import pytest_file, title
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import Call
from planscope.toolfuzz.report import Report, missing
from planscope.toolfuzz.reproduce import check
from planscope.toolfuzz.tools import load as load_tools
from tests.toolfuzz import shapes, tools
from tests.toolfuzz.printed import data_of, page

HERE = "tests.toolfuzz.tools:"


def fuzz(name: str, calls: int = 200, **more: Any) -> Report:
    """A tool that does not hang has long for a call: the machine may be busy."""
    return Fuzz(Options(HERE + name, calls=calls, **{"call_limit": 60.0, **more})).run()


def found(report: Report, tool: str | None = None) -> dict[tuple[str, str | None], dict[str, Any]]:
    return {(f.kind, f.exception): f for f in report.sorted() if tool in (None, f.tool)}


@cache
def once(name: str, calls: int) -> Report:
    """A report that several tests read: to start the process of the tools takes longer than its calls."""
    return fuzz(name, calls, sequences=0)


def several() -> Report:
    return once("ONE_SEARCH", 40)


def without_time(report: Report) -> str:
    return json.dumps({k: v for k, v in data_of(report).items() if k != "seconds"})


def test_figure_3() -> None:
    report = once("figure_3", 100)
    errors = found(report)
    assert set(errors) == {("raised", "IndexError"), ("raised", "AssertionError")}
    assert errors["raised", "IndexError"].shrunk == {"query": ""}
    assert len(errors["raised", "AssertionError"].shrunk["query"]) == 100
    assert all(f.at_call <= 50 for f in errors.values())
    failed = sum(f.occurrences for f in errors.values())
    assert failed < 50  # at least half pass both checks, and so the split
    assert errors["raised", "IndexError"].documented and not errors["raised", "AssertionError"].documented
    assert without_time(report) == without_time(fuzz("figure_3", 100, sequences=0))


def test_json_three_keys_deep() -> None:
    errors = found(several(), "three_keys")
    assert errors["raised", "RuntimeError"].at_call <= 20


def test_arguments_of_all_types_run() -> None:
    report = several()
    assert found(report, "all_types") == {} and report.tool("all_types").refused <= 10


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    report = once("SOUND", 40)
    assert report.findings == {} and [tool.calls for tool in report.tools] == [40] * 4


def test_one_tool_does_not_change_another() -> None:
    alone = fuzz("plain_answer", 40, sequences=0)
    assert data_of(alone)["tools"][0] == data_of(once("SOUND", 40))["tools"][0]


def test_a_call_that_hangs_is_found_and_the_run_goes_on() -> None:
    times: list[float] = []
    run = Fuzz(Options(HERE + "blocks", calls=12, call_limit=0.2))
    run.run(
        lambda message, _: (
            times.append(time.monotonic()) if message["event"] in ("tools", "finding") else None
        )
    )
    assert times[1] - times[0] < 60  # blocks for ever if nothing ends it; how fast depends on the machine
    errors = found(run.report)
    one = errors["hung", None]
    assert one.location is not None and one.location.endswith("tools.py:104")
    assert run.report.calls == 12 > one.at_call and one.occurrences > 3


def test_attacks_are_survived_and_told() -> None:
    tools.OUTSIDE.unlink(missing_ok=True)
    report = fuzz("ATTACKS", 8, call_limit=2.0)
    kinds = {(f.tool, f.kind) for f in report.sorted()}
    assert ("ends_process", "killed") in kinds
    assert ("forks", "infrastructure") in kinds
    assert ("fills_disk", "killed") in kinds
    assert ("writes_outside", "outside") in kinds
    assert ("connects", "infrastructure") in kinds
    assert ("kills_parent", "outside") in kinds
    assert not tools.OUTSIDE.exists()
    assert [tool.calls for tool in report.tools] == [8] * len(tools.ATTACKS)
    assert not any(f.tool == "plain_answer" for f in report.sorted())
    assert not any("toolfuzz/sandbox.py" in f.traceback for f in report.sorted())
    assert report.sandbox["writes"] in ("namespace", "audit hook")
    assert bool(missing(report.sandbox)) == (report.sandbox["writes"] != "namespace")


def test_calls_that_succeeded_before_the_process_ended_between_two_are_not_made_again() -> None:
    report = fuzz("leaves_a_process", 90)
    assert all(one.kind == "infrastructure" and "the sandbox" in one.message for one in report.sorted())
    assert 60 < report.tools[0].succeeded <= report.tools[0].calls == 90 or not report.remarks


_NAMED = """
from functools import partial
from langchain_core.tools import tool


@tool("look up")
def search(word: str) -> str:
    "Look a word up."
    return word


def half(n: int) -> float:
    return n / 2


renamed = half
tools = [search, half, partial(half, n=2)]
"""


def test_a_tool_is_called_as_its_code_calls_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "named_tools.py").write_text(_NAMED)
    monkeypatch.syspath_prepend(tmp_path)
    found = [(one.name, one.variable) for one in load_tools("named_tools:tools")]
    assert found == [("look up", "search"), ("half", "half"), ("half", "tools[2]")]


def test_a_partial_function_has_the_name_and_the_place_of_the_function_in_it() -> None:
    tool = several().tool("letter")
    assert tool.description == "Return a letter of a text." and tool.branches
    assert str(several().counted("letter")[0].location).startswith("tests/toolfuzz/tools.py:")


def test_a_moment_is_sent_with_a_time_zone_and_without() -> None:
    report = several()
    assert [one.exception for one in report.counted("days_until")] == ["TypeError"]
    assert report.tool("days_until").succeeded > 0


def test_what_a_generator_yields_is_taken() -> None:
    names = ["pages", "pages_later"]
    for name in names:
        [one] = several().counted(name)
        assert (one.exception, one.shrunk) == ("LookupError", {"query": "0000"})
        assert several().tool(name).succeeded > 3
    calls = [Call(tool=name, arguments={"query": "a"}) for name in names]
    for made in Fuzz(Options(HERE + "ONE_SEARCH")).play(calls):
        assert made.outcome.kind == "ok" and made.answer[:2] == ["a page of a"] * 2


def test_one_error_whose_message_holds_the_input_is_told_once() -> None:
    report = fuzz("TOLD_ONCE", 250, sequences=0)
    kinds = [(one.tool, one.kind) for one in report.sorted()]
    assert len(kinds) == len(set(kinds)), [one.message for one in report.sorted()]
    assert {tool for tool, _ in kinds} == {"finds_none", "encodes"}


@pytest.mark.parametrize(("name", "kind"), [("ends_later", "killed"), ("hangs_later", "hung")])
def test_a_call_that_ends_or_hangs_after_others_is_kept_with_them(name: str, kind: str) -> None:
    [one] = fuzz(name, 30, call_limit=0.5).counted()
    assert (one.kind, one.shrunk) == (kind, None) and len(one.needs) == 9


def test_an_error_that_needs_earlier_calls_keeps_them() -> None:
    one = found(fuzz("after_three", 40))["raised", "KeyError"]
    assert one.shrunk is None and len(one.needs) == 3
    assert fuzz("after_three", 40, reset=HERE + "reset_seen").findings == {}


def test_an_error_that_the_tool_gives_to_the_agent_is_listed_only() -> None:
    report = Fuzz(Options("tests.toolfuzz.langchain_tools:ERRORS", calls=15, sequences=0)).run()
    assert [(f.tool, f.kind) for f in report.sorted()] == [
        ("handled", "returned"),
        ("answers_an_error", "returned"),
    ]
    assert report.counted() == []


def test_the_page_is_safe_and_loads_nothing() -> None:
    text = page(several())
    assert text.count("<script>") == 1 and "&lt;script&gt;" in text
    assert "http://" not in text and "https://" not in text and "\x1b" not in text


def test_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schema.json").write_text(
        json.dumps({
            "type": "function",
            "function": {"name": "divide", "parameters": {
                "type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"],
            }},
        })
    )  # fmt: skip
    (tmp_path / "mine.py").write_text("def divide(n):\n    return 1 // n\n")
    monkeypatch.chdir(tmp_path)
    names = {name: str(tmp_path / f"out.{name}") for name in ("html", "pytest", "junit", "sarif")}
    options = [word for name, file in names.items() for word in (f"--{name}", file)]
    assert main(["fuzz", "schema.json=mine:divide", "--calls", "100", "--json", *options]) == 1
    document = json.loads(capsys.readouterr().out)
    (one,) = document["findings"]
    assert (one["exception"], one["location"], one["input"]) == ("ZeroDivisionError", "mine.py:2", {"n": 0})
    assert document["statistics"]["unique_errors"] == 1
    assert 'failures="1"' in Path(names["junit"]).read_text()
    sarif = json.loads(Path(names["sarif"]).read_text())["runs"][0]
    levels = {one["id"]: one["defaultConfiguration"]["level"] for one in sarif["tool"]["driver"]["rules"]}
    assert sarif["results"][0]["level"] == levels["raised"] == "error" and levels["returned"] == "note"
    compile(Path(names["pytest"]).read_text(), "out.pytest", "exec")
    assert "<pre>{\n &quot;n&quot;: 0\n}</pre>" in Path(names["html"]).read_text()
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "mine.py",
        "out.html",
        "out.junit",
        "out.pytest",
        "out.sarif",
        "schema.json",
    ]


LEAK = """
def fetch(n: int) -> str:
    raise ValueError(f"token={'ghp_' + '0123456789abcdefghijABCDEFGHIJ012345'} in /home/mkowalska/x")
"""


@pytest.mark.parametrize(
    ("option", "redacted"),
    [
        (None, {"html", "junit", "sarif"}),
        ("--redact", {"html", "junit", "sarif", "pytest", "json"}),
        ("--no-redact", set()),
    ],
)
def test_reports_are_redacted_and_the_session_keeps_what_was_sent(
    option: str | None,
    redacted: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "leaking.py").write_text(LEAK)
    monkeypatch.chdir(tmp_path)
    names = {name: str(tmp_path / f"out.{name}") for name in ("html", "pytest", "junit", "sarif")}
    options = [word for name, file in names.items() for word in (f"--{name}", file)]
    command = ["fuzz", "leaking:fetch", "--calls", "20", "--json", "-o", "kept.planscope.json", *options]
    assert main([*command, *([option] if option else [])]) == 1
    made = {name: Path(file).read_text() for name, file in names.items()} | {"json": capsys.readouterr().out}
    for name, text in made.items():
        for secret in ("ghp_0123456789", "mkowalska"):
            assert (secret in text) == (name not in redacted), name
    assert "Content-Security-Policy" in made["html"]
    kept = Path("kept.planscope.json").read_text()
    assert "ghp_0123456789" in kept
    shared = share(
        load(Path("kept.planscope.json")),
        None,
        "session",
        redaction=look_through(load(Path("kept.planscope.json")), Surroundings()),
    )
    assert "ghp_0123456789" not in shared and "mkowalska" not in shared


@pytest.mark.parametrize(
    "target",
    [
        HERE + "make_broken_tools",
        "nothing",
        "no_such_module:x",
        HERE + "nothing",
        "tests.toolfuzz.tools",
        "x.json=json:loads",
    ],
)
def test_a_target_that_is_none_is_one_clear_line(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", target]) == 2
    said = capsys.readouterr().err
    assert said.startswith("planscope: ") and said.count("\n") == 1 and "bug" not in said


def test_a_reproducer_fails_while_the_tool_does(tmp_path: Path) -> None:
    report = once("figure_3", 100)
    names: dict[str, Any] = {}
    exec(compile(pytest_file(report), "reproducer", "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    with pytest.raises(AssertionError, match="IndexError"):
        tests[0]()


def test_an_error_without_an_exception_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text("def wait(n: int) -> str:\n    while True:\n        pass\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"^wait hung: the call did not end within 0.3 seconds\n"):
        check("mine:wait", "wait", {"n": 1}, limit=0.3)
    finding = FuzzFinding(tool="wait", kind="hung", message="the call did not end", input={}, at_call=1)
    assert title(finding) == "hung: the call did not end"


def test_a_search_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("def f(text: str) -> str:\n    return text\n")
    Fuzz(Options("own:f", calls=20)).run()
    assert [one.name for one in tmp_path.iterdir()] == ["own.py"]
    with pytest.raises(UserError):
        Fuzz(Options("own:g", calls=20)).run()


def test_a_coroutine_that_waits_for_ever_is_found() -> None:
    options = Options("tests.toolfuzz.langchain_tools:waits", calls=20, call_limit=0.4)
    (one,) = Fuzz(options).run().sorted()
    assert one.kind == "hung" and one.shrunk == {"text": ""}
    assert Path(str(one.location).rpartition(":")[0]).name == "langchain_tools.py"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_an_interrupt_ends_with_130_and_loses_no_finding() -> None:
    command = [
        sys.executable,
        "-m",
        "planscope",
        "fuzz",
        HERE + "slow_and_wrong",
        "--calls",
        "1000000",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        ends = time.monotonic() + 60
        while time.monotonic() < ends and not _started(children):
            time.sleep(0.05)
        time.sleep(1)  # a busy machine is slow to make the first call
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    document = json.loads(out)
    assert document["interrupted"] and [f["exception"] for f in document["findings"]] == ["RuntimeError"]


def _started(children: Path) -> bool:
    """Whether the fuzzer's process has forked the child that makes the calls."""
    try:
        found = children.read_text().split()
        return any(Path(f"/proc/{pid}/task/{pid}/children").read_text().split() for pid in found)
    except OSError:
        return False


@pytest.mark.parametrize("group", ["SHAPES", "BREAKERS"])
def test_every_shape_is_called_as_an_agent_calls_it_and_none_breaks_the_search(group: str) -> None:
    report = Fuzz(Options(f"tests.toolfuzz.shapes:{group}", calls=30, call_limit=1.0, sequences=0)).run()
    told: dict[str, set[Any]] = {tool.name: set() for tool in report.tools}
    for one in report.sorted():
        told[one.tool].add((one.kind, one.exception))
    assert told == {name: shapes.FINDS[name] for name in told}
    assert len(told) == len(getattr(shapes, group))
    for tool in report.tools:
        assert tool.skipped or (tool.calls == 30 and tool.refused <= 3), tool.name
    skipped = {tool.name: str(tool.skipped) for tool in report.tools if tool.skipped}
    assert set(skipped) <= {"with_connection"} and all("link" in why for why in skipped.values())


def test_a_title_is_short_though_its_message_says_the_same_letter_again_and_again() -> None:
    data: dict[str, Any] = {"tool": "a", "kind": "raised", "exception": "OSError", "input": {}, "at_call": 1}
    one = FuzzFinding(**data, message=f"name too long: '/a/{'0' * 255}/b'")
    assert title(one) == "raised OSError: name too long: '/a/000…/b'"
