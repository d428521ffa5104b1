"""``check --rules`` and ``rules check``: documents, exit statuses, JUnit, SARIF, sessions, several processes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planscope.documents.rules import TraceDocument
from planscope.documents.schemas import schema
from planscope.oracle.trace import Said, Tool, ToolCall, Trace
from planscope.oracle.verdict_types import Core
from planscope.rules import many
from planscope.rules.checking import examine
from planscope.rules.confirm import confirmed, kept_confirmed
from planscope.rules.core import Lost, each
from planscope.rules.judge import Event, Rulebook, events, judge_trace, turn
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions
from planscope.rules.rule import MOST_NAMES, unseen_names
from planscope.session.locations import resolve
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli


def chat(*tools: str, **beside: Any) -> dict[str, Any]:
    """A trace of OpenAI chat messages, with one call a message."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for k, tool in enumerate(tools):
        call = {"id": f"call{k}", "type": "function", "function": {"name": tool, "arguments": '{"id": "R1"}'}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call{k}", "content": "fine"})
    return {"messages": messages, **beside}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., tuple[str, str]]:
    def made(rules: str, *traces: dict[str, Any]) -> tuple[str, str]:
        trace_file, rule_file = tmp_path / "traces.jsonl", tmp_path / "rules.txt"
        trace_file.write_text("".join(json.dumps(t) + "\n" for t in traces))
        rule_file.write_text(rules)
        return str(trace_file), str(rule_file)

    return made


def test_documents_and_statuses(cli: Cli, write: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    traces, rules = write(
        "look first: look comes before cut.\nEvery cut is followed by mend.\nlook comes before glue.\nglue is a tool.",
        chat("cut", "mend"),
        chat("look", "cut", "mend"),
    )
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.json"
    done = cli("check", traces, "--rules", rules, "--json", "--junit", str(junit), "--sarif", str(sarif))
    assert done.status == 1
    Draft202012Validator(schema("check")).validate(done.json)
    first, second = done.json["traces"]
    assert (first["verdict"], second["verdict"]) == ("wrong", "right")
    assert first["first_violation"] == {
        "step": 1,
        "rules": ["c1"],
        "steps": [1],
        "confirmed": True,
        "proof": "confirmed",
    }
    assert first["repair"]["inserted"] == [{"tool": "look", "before": 1, "turns": 0, "with": None}]
    assert [r["state"] for r in second["rules"]] == ["kept", "kept", "not_applicable"]
    assert done.json["summary"]["rules"][0] == {
        "id": "c1", "name": "look first", "text": "look comes before cut", "applicable": 2, "broken": 1, "unknown": 0,
    }  # fmt: skip
    suite = ElementTree.parse(junit).getroot()
    assert suite.attrib["tests"] == "2" and suite.attrib["failures"] == "1"
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "look first" and "step 1" in result["message"]["text"]
    told = cli("check", traces, "--rules", rules)
    assert told.status == 1 and told.out.count("not put to the test") == 1
    (tmp_path / "traces.jsonl").write_text(json.dumps(chat("look", "cut", "mend")))
    assert cli("check", traces, "--rules", rules).status == 0


def test_sarif_and_junit_have_the_line_of_the_call(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("# a comment\ncut never happens.")
    junit, sarif = tmp_path / "j.xml", tmp_path / "s.json"

    def regions(name: str, text: str) -> list[Any]:
        (tmp_path / name).write_text(text)
        options = ("--rules", str(tmp_path / "rules.txt"), "--junit", str(junit), "--sarif", str(sarif))
        assert cli("check", str(tmp_path / name), *options, "--allow-unknown").status == 1
        results = json.loads(sarif.read_text())["runs"][0]["results"]
        return [one["locations"][0]["physicalLocation"]["region"] for one in results]

    good, bad = chat("look"), chat("look", "cut", note="\u00e9\u4e2d")
    line = json.dumps(bad, ensure_ascii=False)
    lines = json.dumps(good) + "\n\n" + line + "\n" + line + "\n"
    column = line.index('"call1"') + 1
    assert regions("lines.jsonl", lines) == [{"startLine": k, "startColumn": column} for k in (3, 4)]
    assert "(step 2; line 3)" in junit.read_text() and "(step 2; line 4)" in junit.read_text()
    whole = json.dumps(bad, indent=1)
    number = whole[: whole.index('"call1"')].count("\n") + 1
    column = len('     "id": ') + 1
    assert regions("whole.json", whole) == [{"startLine": number, "startColumn": column}]
    assert regions("line.json", line) == [{"startLine": 1, "startColumn": line.index('"call1"') + 1}]
    assert regions("many.json", json.dumps([good, bad, bad])) == [{"startLine": 1}] * 2
    assert sarif.read_text().count("Where the call is in the file is not known.") == 2


def test_replay_tells_every_step(cli: Cli, write: Callable[..., tuple[str, str]]) -> None:
    text = "Every a is followed by c. b comes before c. b never happens after a."
    traces, rules = write(text, chat("x", "a", "b"))
    done = cli("replay", traces, "--rules", rules, "--json")
    Draft202012Validator(schema("replay")).validate(done.json)
    steps = done.json["steps"]
    assert [s["state"] for s in steps] == ["completable", "completable", "doomed", "broken", "broken"]
    assert steps[2]["core"] == ["c1", "c2", "c3"]
    assert steps[-1]["state"] == "broken" and {step["valid_completions"] for step in steps} == {None}
    assert "a" not in steps[0]["safe_next"] and "b" in steps[0]["safe_next"]
    assert steps[2]["constraints"] == {"c1": "owed", "c2": "kept_so_far", "c3": "kept_so_far"}


def test_rules_check(cli: Cli, write: Callable[..., tuple[str, str]]) -> None:
    _, rules = write(
        "a comes before b per id.\nEvery b is followed right away by c.\nEvery b is followed by c."
    )
    done = cli("rules", "check", rules, "--json")
    assert done.status == 0
    Draft202012Validator(schema("rules")).validate(done.json)
    assert done.json["implied"] == [{"rule": "c3", "by": ["c2"]}] and done.json["contradiction"] is None
    assert done.json["rules"][0]["per"] == "id" and "For each id" in done.json["rules"][0]["meaning"]
    _, rules = write("a comes before any call of get_*.")
    assert cli("rules", "check", rules, "--json").json["implied"] == []
    _, rules = write("a happens.\nb comes before a.\nb never happens.")
    assert cli("rules", "check", rules, "--json").json["contradiction"] == ["c1", "c2", "c3"]
    _, rules = write("a comes before b.\nb comes before a.")
    assert cli("rules", "check", rules, "--json").json["uncallable"] == ["a", "b"]
    _, rules = write("a is followed by b.")
    done = cli("rules", "check", rules, "--json")
    assert done.status == 1 and done.json["errors"][0]["line"] == 1
    assert [done.json[name] for name in ("rules", "contradiction", "implied", "uncallable")] == [
        [],
        None,
        [],
        [],
    ]
    Draft202012Validator(schema("rules")).validate(done.json)
    assert cli("check", "first-look", "--rules", rules).status == 2


@pytest.mark.parametrize(
    ("text", "implied"),
    [
        ('a user message with text containing "yes" comes before any call of modify_*.', []),
        ("Any call of get_* never happens.\nget_order never happens.", ["c2"]),
        ("Any call of *_order never happens.\nAny call of get_* never happens.", []),
        ("Any call of *_order never happens.\nAny call of get_*_order never happens.", ["c2"]),
    ],
)
def test_a_glob_may_name_tools_that_no_rule_names(text: str, implied: list[str]) -> None:
    assert [one for one, _ in examine(read_rules(text).rules).implied] == implied


def test_a_step_that_is_lost_is_not_said_to_break_what_breaks_later(
    cli: Cli, write: Callable[..., tuple[str, str]]
) -> None:
    traces, rules = write("Every pay is followed by tell.\nclose happens last.", chat("pay", "close", "tell"))
    (one,) = cli("check", traces, "--rules", rules, "--json").json["traces"]
    assert one["first_violation"]["step"] == 2
    said = "From step 2 (close) on, after step 1 (pay) nothing that follows can keep these rules together"
    assert said in one["explanation"]


def test_two_globs_may_name_a_tool_together() -> None:
    text = (
        "any call of get_* happens.\nany call of *_order happens.\n"
        "any call of get_* or any call of *_order happens at most once."
    )
    assert examine(read_rules(text).rules).contradiction is None, "get_order is both"
    assert unseen_names(("get_*", "*_order", "*")) == ["get_*", "*_order", "get_*_order"]
    assert unseen_names(("a*b", "c*", "*a*")) == ["a*b", "c*", "*a*", "c*a*"], "each a*b fits *a*, too"
    assert unseen_names(("*a*", "*b*", "*c*"))[-1] == "*a*b*c*"
    assert len(unseen_names([f"*{k}*" for k in range(50)])) == MOST_NAMES


def test_a_tool_that_no_trace_has_is_not_taken_for_one_beside_it(
    cli: Cli, write: Callable[..., tuple[str, str]]
) -> None:
    traces, rules = write(
        "get_order comes before cancel_order. setle_bill happens.", chat("cancel_order", "settle_bill")
    )
    assert cli("check", traces, "--rules", rules, "--json").json["warnings"] == [
        "line 1: no trace calls or defines get_order",
        "line 1: no trace calls or defines setle_bill; did you mean settle_bill?",
    ]


def test_an_argument_that_no_call_has_is_named_with_the_nearest(
    cli: Cli, write: Callable[..., tuple[str, str]]
) -> None:
    traces, rules = write("look comes before cut per idd.", chat("look", "cut"), chat("mend"))
    done = cli("check", traces, "--rules", rules, "--json")
    assert done.status == 2 and [one["verdict"] for one in done.json["traces"]] == ["unknown", "right"]
    assert done.json["warnings"] == [
        "line 1: no call of cut has idd in 1 trace; did you mean id?",
        "line 1: no call of look has idd in 1 trace; did you mean id?",
    ]


def test_a_glob_may_name_a_tool_that_the_trace_has_not_called_yet(
    cli: Cli, write: Callable[..., tuple[str, str]]
) -> None:
    traces, rules = write("Every a is followed by any call of modify_*.", chat("a", "b"))
    steps = cli("replay", traces, "--rules", rules, "--json").json["steps"]
    assert [s["state"] for s in steps if s["step"] != "end"] == ["completable"] * (len(steps) - 1)
    assert "modify_*" in steps[-2]["safe_next"]


def test_a_session_is_judged_run_by_run(cli: Cli, write: Callable[..., tuple[str, str]]) -> None:
    _, rules = write("network_diagnosis happens at most once.")
    done = cli("check", "figure-7", "--rules", rules, "--json")
    (one,) = done.json["traces"][-1:]
    assert one["rules"][0]["state"] == "kept" and one["verdict"] == "wrong" and one["query"] == "wrong"
    assert "At step 2 network speed test ended at 17:00" in one["explanation"]
    assert "WRONG. At step 2 network speed test" in " ".join(
        cli("check", "figure-7", "--rules", rules).out.split()
    )


def trace(*items: ToolCall | Said, **more: Any) -> Trace:
    return Trace(list(items), id="t", format="test", **more)


def verdict(text: str, given: Trace, *, running: bool = False) -> str:
    from planscope.rules.report import check_trace

    return check_trace(Rulebook(read_rules(text).rules), given, CheckOptions(running=running)).verdict


def test_endings() -> None:
    text = "Every a is followed by b."
    cut = trace(ToolCall("a", None), ending="aborted", cause="cut_off")
    assert verdict(text, trace(ToolCall("a", None))) == "wrong"
    assert verdict(text, cut) == "aborted"
    assert verdict(text, cut, running=True) == "unknown"
    assert verdict("a never happens.", cut) == "wrong"
    assert verdict("a happens.", cut) == "right"


def test_what_was_not_captured_is_unknown_unless_it_does_not_matter() -> None:
    text = "a with x = 1 never happens."
    hidden = ToolCall("a", None)
    assert verdict(text, trace(hidden)) == "unknown"
    assert verdict(text, trace(hidden, ToolCall("a", {"x": 1}))) == "wrong"
    assert (
        verdict(
            "a with x = 1 happens at least 1 times.",
            trace(hidden, ToolCall("a", {"x": 1})),
        )
        == "right"
    )
    per = "a comes before b for the same id."
    assert verdict(per, trace(hidden, ToolCall("b", {"id": 1}))) == "unknown"
    assert (
        verdict(
            per,
            trace(ToolCall("a", {"id": 1.0}), ToolCall("b", {"id": 1})),
        )
        == "right"
    )
    assert (
        verdict(
            per,
            trace(ToolCall("a", {"id": "1"}), ToolCall("b", {"id": 1})),
        )
        == "wrong"
    )
    nowhere = trace(ToolCall("a", {"key": 1}), ToolCall("b", {"key": 1}))
    assert verdict(per, nowhere) == "unknown"
    nowhere.tools = {t: Tool(t, None, {"properties": {"id": {}}}) for t in "ab"}
    assert verdict(per, nowhere) == "right"
    failing = "a that failed never happens."
    assert verdict(failing, trace(ToolCall("a", None, answered=True, failed=None))) == "unknown"
    assert verdict(failing, trace(ToolCall("a", None))) == "right"


def test_seconds_and_messages() -> None:
    text = "Every a is followed by b within 30 seconds."
    calls = [
        ToolCall("a", None, at=0.0),
        ToolCall("c", None, at=31.0),
        ToolCall("b", None, at=32.0),
    ]
    judge = judge_trace(Rulebook(read_rules(text).rules), trace(*calls))
    assert judge.results(trace(*calls))[0].broken_at == [2]
    calls[1].at, calls[2].at = 10.0, 30.0
    assert verdict(text, trace(*calls)) == "right"
    calls[2].at = None
    assert verdict(text, trace(*calls)) == "unknown"
    late = "a that succeeded comes before b."
    together = [
        ToolCall("a", None, answered=True, failed=False, message=1),
        ToolCall("b", None, message=1),
    ]
    assert verdict(late, trace(*together)) == "wrong"
    together[1].message = 2
    assert verdict(late, trace(*together)) == "right"
    agreed = 'a user message with text containing "yes" comes before b.'
    assert verdict(agreed, trace(Said("user", "oh yes", 0), ToolCall("b", None))) == "right"
    assert verdict(agreed, trace(Said("model", "yes", 0), ToolCall("b", None))) == "wrong"


def test_refused_and_failed_calls() -> None:
    assert verdict("a never happens.", trace(ToolCall("a", None, refused=True))) == "right"
    book = Rulebook(read_rules("a happens at most once.").rules, succeeded_only=True)
    calls = trace(
        ToolCall("a", None, answered=True, failed=True),
        ToolCall("a", None, answered=True, failed=False),
    )
    assert judge_trace(book, calls).results(calls)[0].state == "kept"


def test_details_are_those_of_the_first_wrong_traces(write: Callable[..., tuple[str, str]]) -> None:
    traces, _ = write("", *[chat(*("ab" if k % 3 else "ba")) for k in range(60)])
    judged = many.check_many([traces], read_rules("a comes before b."), CheckOptions(details=5), print)
    found = [TraceDocument.about(one.checked).as_data() for one in judged]
    assert sum(one["first_violation"] is not None for one in found) == 5
    assert [one["verdict"] for one in found] == ["right" if k % 3 else "wrong" for k in range(60)]


def test_traces_are_judged_to_the_end_when_nobody_reads(write: Callable[..., tuple[str, str]]) -> None:
    """The last of them is the wrong one, behind more JSON than a pipe holds."""
    traces, rules = write("a comes before b.", *[chat(*"ab")] * 600, chat(*"ba"))
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "planscope", "check", traces, "--rules", rules, "--json"]
    done = subprocess.run(command, stdout=written, stderr=subprocess.PIPE, check=False)
    os.close(written)
    assert (done.returncode, done.stderr) == (1, b"")


def test_standard_input_is_judged_as_the_same_file(
    cli: Cli, write: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    traces, rules = write("pay never happens after loook.", chat("look", "pay", id="t"))

    def alike(source: Path, *more: str) -> tuple[int, list[dict[str, Any]]]:
        of_file = cli("check", source, "--rules", rules, "--json", *more)
        piped = cli("check", "-", "--rules", rules, "--json", *more, stdin=source.read_bytes())
        assert (piped.status, piped.json) == (of_file.status, of_file.json)
        return piped.status, [{"verdict": one["verdict"], **one["rules"][0]} for one in piped.json["traces"]]

    status, (found,) = alike(Path(traces))
    assert (status, found["verdict"], found["state"]) == (2, "unknown", "unknown")
    status, (found,) = alike(Path(traces), "--allow-unknown")
    assert (status, found["verdict"], found["state"]) == (0, "right", "not_applicable")

    session = resolve("first-look").read_bytes()
    packed, page = tmp_path / "packed", tmp_path / "page.html"
    packed.write_bytes(gzip.compress(session))
    assert cli("export", "first-look", "--format", "html", "-o", page).status == 0
    for source in (resolve("first-look"), packed, page):  # the query of the second run is not met
        status, found = alike(source, "--allow-unknown")
        assert (status, [one["verdict"] for one in found]) == (1, ["right", "wrong"])
    piped = cli("replay", "-", "--rules", rules, "--json", stdin=session).json
    assert piped == cli("replay", "first-look", "--rules", rules, "--json").json


def test_a_trace_may_speak_of_sessions(cli: Cli, write: Callable[..., tuple[str, str]]) -> None:
    text = json.dumps({"format": "planscope-session", "to": "planscope-session"})
    traces, rules = write("look comes before pay.", chat("look", "pay", note=text))
    assert cli("check", traces, "--rules", rules).status == 0


def test_what_cannot_be_read_is_an_error(
    cli: Cli, write: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    rules = write("look comes before pay.", chat("look", "pay"))[1]
    (tmp_path / "other.json").write_text('{"a": 1}')
    for more in ((), ("--json",)):
        done = cli("check", tmp_path / "other.json", "--rules", rules, *more)
        assert done.status == 2 and done.err.startswith(
            f"planscope: {tmp_path / 'other.json'}: JSON, but not in"
        )
        assert done.err.count("\n") == 1
        assert cli("check", tmp_path, "--rules", rules, *more).err == done.err
    assert cli("rules", "mine", tmp_path).err == done.err


def test_strict_leaves_a_trace_with_a_warning_undecided(
    cli: Cli, write: Callable[..., tuple[str, str]]
) -> None:
    traces, rules = write("Never pay before look.", chat("look", "pay"))
    assert cli("check", traces, "--rules", rules, "--json").json["traces"][0]["verdict"] == "right"
    done = cli("check", traces, "--rules", rules, "--json", "--strict")
    assert (done.status, done.json["traces"][0]["verdict"]) == (2, "unknown")
    assert done.json["traces"][0]["explanation"].endswith("With --strict its warnings leave this undecided.")


def test_damaged_data_may_hold_calls_at_every_door(cli: Cli, tmp_path: Path) -> None:
    """Of a line of calls, a record of a run, a message of a JSON array, and a trace that is a line."""
    call = {tool: {"tool": tool, "arguments": {}, "answer": "ok"} for tool in ("look", "pay")}
    look, pay = map(json.dumps, call.values())
    messages = [json.dumps(one) for one in chat("look", "pay")["messages"]]
    files = {
        "lines": [f"{look}\n{{bad\n{pay}\n"],
        "runs": [
            f"{json.dumps({'run': 1, **call['look']})}\n{{bad\n{json.dumps({'run': 1, **call['pay']})}\n"
        ],
        "messages": ["\n".join([*messages, "{bad", *messages]) + "\n"],
        "array": ["[" + ",".join([*messages, "{bad}", *messages]) + "]"],
        "traces": [json.dumps(chat("look", "pay")) + "\n", "{bad\n"],
    }
    trace, rules, session = tmp_path / "t.json", tmp_path / "r", tmp_path / "s.planscope.json"
    for name, parts in files.items():
        trace.write_text("".join(parts))
        for rule, verdict, status in (
            ("look comes before pay.", "unknown", 2),
            ("look never happens.", "wrong", 1),
        ):
            rules.write_text(rule)
            done = cli("check", trace, "--rules", rules, "--json")
            *_, last = done.json["traces"]
            if name == "traces" and verdict == "wrong":
                verdict = "unknown"  # the other trace is wrong
            assert (name, done.status, last["verdict"]) == (name, status, verdict)
            (left,) = last["left_out"]
            assert (left["kind"], left["reason"]) == ("not understood", "damaged data may hold calls")
            assert any("it is not JSON" in line for line in done.json["warnings"]), name
            session.unlink(missing_ok=True)
            cli("import", trace, "-o", session, "--rules", rules, *(("--all",) if name == "traces" else ()))
            for options in (), ("--rules", rules):
                done = cli("check", session, "--json", *options)
                one = done.json["traces"][-1] if options else done.json
                assert one["verdict"] == verdict, name
        said = " ".join(cli("check", trace, "--rules", rules).out.split())
        assert "1 place not understood: damaged data may hold calls (first: " in said, name
        assert "it is not JSON" in said
        assert "damaged data may hold calls" in cli("export", session, "--format", "html").out, name
        if name in ("lines", "messages"):  # it is read again for each piece that comes
            rules.write_text("look comes before pay.")
            running = cli("check", "-", "--rules", rules, "--running", stdin="".join(parts)).out
            assert "1 place not understood" in running and "rule 1: not sure" in running, running


def test_a_session_is_judged_with_the_options_of_its_traces(cli: Cli, tmp_path: Path) -> None:
    """Failed calls do not count, and what is owed may still come, in a trace and in the session made of it."""
    trace, rules, session = tmp_path / "t.json", tmp_path / "r", tmp_path / "s.planscope.json"
    calls = [
        {"tool": "look", "arguments": {}, "answer": "no", "error": "down"},
        {"tool": "pay", "arguments": {}},
    ]
    trace.write_text("".join(json.dumps(one) + "\n" for one in calls))
    rules.write_text("look comes before pay.\nEvery pay is followed by look.\n")
    cli("import", trace, "-o", session)
    for options, states in (
        ((), ["kept", "broken"]),
        (("--succeeded-only",), ["broken", "broken"]),
        (("--running",), ["kept", "unknown"]),
    ):
        for path in trace, session:
            (found,) = cli("check", path, "--rules", rules, "--json", *options).json["traces"]
            assert [one["state"] for one in found["rules"]] == states, (path.name, options)


def test_no_trace_is_a_whole_document(cli: Cli, write: Callable[..., tuple[str, str]]) -> None:
    traces, rules = write("a comes before b.")
    done = cli("check", traces, "--rules", rules, "--json")
    Draft202012Validator(schema("check")).validate(done.json)
    assert (done.status, done.json["traces"], done.json["summary"]["traces"]) == (2, [], 0)


def test_hostile_ids_and_texts_stay_in_their_place(
    cli: Cli, write: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    traces, rules = write("a never happens.", chat("a", id='x\x1b]52;c;AA\x07"<&\u202e\n'))
    junit = tmp_path / "j.xml"
    done = cli("check", traces, "--rules", rules, "--junit", str(junit))
    assert done.status == 1 and "\x1b" not in done.out and "\u202e" not in done.out
    assert ElementTree.parse(junit).getroot().attrib["failures"] == "1"


def test_a_broken_reader_of_another_package_is_one_line(cli: Cli, tmp_path: Path) -> None:
    """It says so, and changes no exit status: the file was read by another reader."""
    (tmp_path / "rules.txt").write_text("look comes before cut.")
    (tmp_path / "run.json").write_text(json.dumps(chat("look", "cut")))
    line = "the trace reader theirs (theirs:Reader) of another package cannot be used: ImportError: theirs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planscope.traces.opening.other_readers", lambda: ((), (line,)))
        done = cli("check", str(tmp_path / "run.json"), "--rules", str(tmp_path / "rules.txt"))
        document = json.loads(
            cli("check", str(tmp_path / "run.json"), "--rules", str(tmp_path / "rules.txt"), "--json").out
        )
    assert done.status == 0 and f"Warning: {line}." in " ".join(done.out.split())
    assert document["warnings"] == [line]


def upto(given: Trace, calls: int) -> list[tuple[Event, int]]:
    happened = list(events(given.items))
    event, step = happened[calls - 1]
    after = happened[calls][0] if calls < len(happened) else None
    return [*happened[:calls], *((begun, step) for begun in turn(event, after))]


def proof_of(book: Rulebook, tools: list[str], trace: Trace, step: int, core: Core) -> str:
    return confirmed(Lost(book, tools, step, upto(trace, step), each(r.id for r in book.rules)), core)


def test_a_core_with_what_it_does_not_need_is_not_confirmed() -> None:
    book = Rulebook(read_rules("a never happens. b never happens.").rules)
    trace = Trace([ToolCall("a", {}, answer="x", answered=True, failed=False)], id="t", format="test")
    assert proof_of(book, ["a", "b"], trace, 1, Core(("c1",), (1,))) == "confirmed"
    assert proof_of(book, ["a", "b"], trace, 1, Core(("c1", "c2"), (1,))) == "denied"
    assert proof_of(book, ["a", "b"], trace, 1, Core(("c2",), (1,))) == "denied"


def test_z3_confirms_a_core_of_three_rules() -> None:
    file = read_rules("Every a is followed by c. b comes before c. b never happens after a.")
    trace = Trace([ToolCall(step=1, message=1, tool="a", arguments={}, answer="ok")], "stopped")
    core = Core(("c1", "c2", "c3"), (1,))
    assert proof_of(Rulebook(file.rules), ["a", "b", "c"], trace, 1, core) == "confirmed"


def test_z3_knows_from_when_on_an_answer_counts() -> None:
    """A call of the same message does not know the answer, and a later message can still bring one."""
    text = 'pay only if the latest look had status = "ok".\npay happens.\nlook happens once.'
    book = Rulebook(read_rules(text).rules)

    def call(step: int, tool: str, message: int, answer: str = "done") -> ToolCall:
        return ToolCall(tool, {}, step=step, message=message, answer=answer, answered=True, failed=False)

    good, bad = json.dumps({"status": "ok"}), json.dumps({"status": "no"})
    together = Trace([call(1, "look", 0, good), call(2, "pay", 0)], id="t", format="test")
    assert proof_of(book, ["look", "pay"], together, 2, Core(("c1",), (2,))) == "confirmed"
    assert proof_of(book, ["look", "pay"], together, 2, Core(("c1",), (1, 2))) == "denied"
    apart = Trace([call(1, "look", 0, good), call(2, "pay", 1)], id="t", format="test")
    assert proof_of(book, ["look", "pay"], apart, 2, Core(("c1",), (2,))) == "confirmed"
    assert kept_confirmed(book, apart) == "confirmed" and kept_confirmed(book, together) == "denied"
    refused = Trace([call(1, "look", 0, bad), call(2, "other", 1)], id="t", format="test")
    assert proof_of(book, ["look", "pay", "other"], refused, 1, Core(("c1", "c2", "c3"), (1,))) == "confirmed"
    assert proof_of(book, ["look", "pay", "other"], refused, 1, Core(("c1", "c2"), (1,))) == "denied"
