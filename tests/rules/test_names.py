"""Names of tools in rules: what is a name, which tools are known, and what a rule about an unknown tool is worth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planscope
from planscope.language.calls import path_text
from planscope.language.errors import ParseFailure
from planscope.oracle.trace import Tool, ToolCall, Trace
from planscope.rules import names
from planscope.rules.judge import Rulebook
from planscope.rules.names import read_tools
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions, check_trace
from planscope.rules.rule import Rule
from planscope.rules.words import meaning, sentence_of
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.rules.own_words import verdicts
from tests.rules.test_check import chat
from tests.rules.test_check import write as write

Write = Callable[..., tuple[str, str]]


def named(text: str, *tools: str) -> list[str]:
    return [calls.name for rule in read_rules(text, tools).rules for calls in rule.sets]


@pytest.mark.parametrize(
    "text",
    [
        "pay without approval never happens.",
        "Never call pay outside office hours.",
        "Do not call refund again.",
        "pay abroad never happens.",
        "Something happens after cancel.",
        "Without approval never happens.",
        "Every happens.",
        "Follow up meeting comes before get order.",
        "Nothing comes before nothing.",
        "call happens.",
        "Never call time.",
        "the message comes before pay.",
        "After pay we are done: no different tool may be called for the rest of the run.",
    ],
)
def test_english_is_no_tool(text: str) -> None:
    with pytest.raises(ParseFailure):
        read_rules(text)


@pytest.mark.parametrize(
    ("text", "tools", "found"),
    [
        ("Approval comes before any refund.", (), ["Approval", "refund"]),
        ("A look comes before a cancel.", (), ["look", "cancel"]),
        ("Every pay is followed by a receipt.", (), ["pay", "receipt"]),
        ("Read comes before Edit for the same file_path.", (), ["Read", "Edit"]),
        ("Write comes before Read.", ("Read", "Write"), ["Write", "Read"]),
        ("call comes before time.", ("call", "time"), ["call", "time"]),
        ("Never call call.", ("call",), ["call"]),
        ("message happens at most twice.", ("message", "other"), ["message"]),
        ("`any call` happens.", (), ["any call"]),
        ("`pay abroad` never happens.", (), ["pay abroad"]),
        ("pay abroad never happens.", ("pay_abroad", "pay"), ["pay_abroad"]),
        ("Follow up call comes before get it.", ("follow_up_call", "get_it"), ["follow_up_call", "get_it"]),
        ("GET IT comes before Get It Now.", ("get_it", "get_it_now"), ["get_it", "get_it_now"]),
        ("pay comes before PAY.", ("pay", "PAY"), ["pay", "PAY"]),
        ("git.push comes before mcp/x:y-z.", ("git.push", "mcp/x:y-z"), ["git.push", "mcp/x:y-z"]),
        ("Looking up the order comes before refunds.", ("look_up_order", "refund"), ["look_up_order", "refund"]),
        ("refunds come before notes.", ("refund", "refunds", "notes"), ["refunds", "notes"]),
        ("A note has been added before the ticket is closed.", ("add_note", "close_ticket"), []),
        ("look up order is a tool. look up order comes before pay.", (), None),
        ("`look up order` is a tool. Look up order comes before pay.", (), ["look up order", "pay"]),
        ("cut_it writes. get_it only reads. Cut it comes before Get It.", (), ["cut_it", "get_it"]),
    ],
)  # fmt: skip
def test_what_is_named(text: str, tools: tuple[str, ...], found: list[str] | None) -> None:
    if not found:
        with pytest.raises(ParseFailure):
            read_rules(text, tools)
        return
    assert named(text, *tools) == found


def test_a_name_and_a_keyword_that_both_make_a_sentence_are_both_shown() -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules("pay comes before any call.", ["call", "pay"])
    readings = caught.value.errors[0].readings
    assert set(readings) == {
        "pay comes before any call of `*` other than pay.",
        "pay comes before `call`.",
    }
    meant = [[c.name for c in read_rules(one, ["pay", "call"]).rules[0].then] for one in readings]
    assert sorted(meant) == [["*"], ["call"]]


def test_tools_that_differ_only_in_case_need_the_exact_name() -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules("Pay happens.", ["pay", "PAY"])
    assert "differ only in case" in caught.value.errors[0].message
    assert sorted(caught.value.errors[0].readings) == ["`PAY`", "`pay`"]


def test_no_word_of_a_name_is_lost() -> None:
    (rule,) = read_rules("`any refund` comes before `a b`.").rules
    assert meaning(rule) == "Each `a b` needs `any refund` before it; kept if there is none."
    (rule,) = read_rules("any call of get_* comes before a user message.").rules
    assert meaning(rule) == "Each user message needs any call of get_* before it; kept if there is none."


AS = {
    "{a} comes before {b}": ("x", "y"),
    "{b} happens after {a}": ("y", "x"),
    "{b} follows {a}": ("y", "x"),
    "{b} happens right after {a}": ("y", "x"),
    "Every {b} has its own {a} before it": ("y", "x"),
    "{b} never happens after {a}": ("y", "x"),
    "Before {b}, call {a}": ("y", "x"),
    "Every {a} is followed by {b}": ("x", "y"),
    "Every {a} is followed right away by {b}": ("x", "y"),
    "{b} happens within 5 calls after {a}": ("y", "x"),
    "If {a} happens, {b} never happens": ("x", "y"),
    "{b} needs {a}": ("y", "x"),
    "Never call {b} before {a}": ("y", "x"),
    "{b} must wait for {a}": ("y", "x"),
    '{b} only if the latest {a} had status = "ok"': ("y", "x"),
}


@pytest.mark.parametrize("form", AS)
def test_the_first_name_is_that_of_the_tool_that_is_named_first(form: str) -> None:
    """x is an argument of a, y of b."""
    one, other = AS[form]
    (rule,) = read_rules(f"{form.format(a='aa', b='bb')} for the same {one} as {other}.").rules
    paths = [tuple(map(path_text, some)) for some in (rule.per, rule.per_then)]
    sides = dict(zip((rule.first[0].name, rule.then[0].name), paths, strict=True))
    assert sides == {"aa": ("x",), "bb": ("y",)}


def verdict(
    text: str, calls: list[tuple[str, dict[str, Any]]], tools: dict[str, Any] | None = None
) -> tuple[str, list[Any]]:
    made = [ToolCall(tool, given, step=k, message=k) for k, (tool, given) in enumerate(calls, 1)]
    trace = Trace(made, id="t")
    trace.tools = {
        name: Tool(name, None, {"properties": {key: {} for key in args}})
        for name, args in (tools or {}).items()
    }
    found = check_trace(Rulebook(read_rules(text).rules), trace, CheckOptions())
    return found.verdict, [(lack.tool, lack.argument, lack.near) for lack in found.lacks]


def test_a_side_without_the_argument_makes_the_rule_unknown() -> None:
    text = "refund happens after lookup for the same order_id as id."
    good = [("lookup", {"id": 7}), ("refund", {"order_id": 7})]
    assert verdict(text, good) == ("right", [])
    assert (
        verdict(text, [("lookup", {"id": 1, "order_id": 7}), ("refund", {"order_id": 7, "id": 1})])[0]
        == "wrong"
    )
    turned = "refund happens after lookup for the same id as order_id."
    assert verdict(turned, good) == ("unknown", [("lookup", "order_id", None), ("refund", "id", None)])
    # a schema says it, too, of a tool that is not called
    void = "Every transfer is followed by get_balance for the same name as dst."
    calls: list[tuple[str, dict[str, Any]]] = [("transfer", {"name": "ann"})]
    tools = {"transfer": ["name"], "get_balance": ["name"]}
    assert verdict(void, calls, tools) == ("unknown", [("get_balance", "dst", None)])
    assert verdict(void, [("other", {})], tools) == ("right", [])
    # of a set all tools must lack it
    either = "lookup or search comes before refund for the same id."
    assert verdict(either, [("lookup", {}), ("search", {"id": 7}), ("refund", {"id": 7})]) == ("right", [])
    assert verdict(either, [("lookup", {}), ("search", {"idd": 7}), ("refund", {"id": 7})])[0] == "unknown"
    assert verdict(either, [("lookup", {}), ("refund", {"id": 7})], {"search": ["id"]})[0] == "wrong"
    assert verdict(either, [("lookup", {}), ("refund", {"id": 7})], {"search": ["idd"]}) == (
        "unknown", [("search", "id", "idd"), ("lookup", "id", None)],
    )  # fmt: skip


UNKNOWN = "look comes before cut.\npay_outside never happens."


def test_a_rule_about_an_unknown_tool_is_undecided(cli: Cli, write: Write) -> None:
    traces, rules = write(UNKNOWN, chat("look", "cut"))
    told = cli("check", traces, "--rules", rules)
    assert told.status == 2 and "no trace calls or defines pay_outside" in " ".join(told.out.split())
    assert "“pay_outside never happens” names pay_outside" in " ".join(told.out.split())
    document = cli("check", traces, "--rules", rules, "--json").json
    assert [one["state"] for one in document["traces"][0]["rules"]] == ["kept", "unknown"]
    assert document["traces"][0]["verdict"] == "unknown"
    assert cli("check", traces, "--rules", rules, "--allow-unknown").status == 0
    assert cli("check", traces, "--rules", rules, "--allow-unknown", "--strict").status == 2
    traces, rules = write(UNKNOWN, chat("look", "cut"), chat("cut"))
    assert cli("check", traces, "--rules", rules).status == 1, "another rule is broken"
    traces, rules = write(UNKNOWN, chat("look", "cut"), chat("look", "pay_outside"))
    assert cli("check", traces, "--rules", rules).status == 1
    traces, rules = write(
        "look comes before cut. mend happens at most once.", chat("look", "cut"), chat("mend")
    )
    done = cli("check", traces, "--rules", rules, "--json")
    assert done.status == 0 and [one["verdict"] for one in done.json["traces"]] == ["right", "right"]


def test_what_makes_a_tool_known(cli: Cli, write: Write, tmp_path: Path) -> None:
    listed = tmp_path / "tools.txt"
    listed.write_text("pay_outside\n# more\n- `other`\n")
    traces, rules = write(UNKNOWN, chat("look", "cut"))
    assert cli("check", traces, "--rules", rules, "--tools", str(listed)).status == 0
    traces, rules = write(f"{UNKNOWN}\npay_outside is a tool.", chat("look", "cut"))
    assert cli("check", traces, "--rules", rules).status == 0
    traces, rules = write(f"{UNKNOWN}\npay_outside writes.", chat("look", "cut"))
    assert cli("check", traces, "--rules", rules).status == 0
    defined = [{"type": "function", "function": {"name": "pay_outside", "parameters": {}}}]
    traces, rules = write(UNKNOWN, chat("look", "cut", tools=defined))
    assert cli("check", traces, "--rules", rules).status == 0
    traces, rules = write("any call of pay_* never happens.", chat("look"))
    assert cli("check", traces, "--rules", rules).status == 2
    traces, rules = write("any call of look* never happens.", chat("cut"), chat("look_up"))
    assert cli("check", traces, "--rules", rules).status == 1
    # a name with blanks is read with the names of the traces
    traces, rules = write("Look up comes before cut.", chat("look_up", "cut"))
    assert cli("check", traces, "--rules", rules).status == 0
    assert cli("check", traces, "--rules", rules, "--tools", "gone.txt").status == 2


def test_a_stream_and_a_large_file_know_their_tools_in_the_end(
    cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces, rules = write("mend happens at most once.", chat("look"), chat("mend"))
    text = Path(traces).read_text()
    assert cli("check", "-", "--rules", rules, stdin=text).status == 0
    assert cli("check", "-", "--rules", rules, stdin=text.splitlines()[0]).status == 2
    monkeypatch.setattr(names, "SMALL", 1)
    assert cli("check", traces, "--rules", rules).status == 0
    traces, rules = write("mend happens at most once.", chat("look"), chat("cut"))
    done = cli("check", traces, "--rules", rules, "--json")
    assert done.status == 2 and [one["verdict"] for one in done.json["traces"]] == ["unknown", "unknown"]


def test_every_door_says_it(cli: Cli, write: Write, tmp_path: Path) -> None:
    run = chat("look", "cut")
    for allow, expected in ((False, "unknown"), (True, "right")):
        found: Any = planscope.check(run, rules=UNKNOWN, allow_unknown=allow)
        assert found.traces[0].verdict == expected
        assert any("pay_outside" in warning for warning in found.warnings)
    with pytest.raises(AssertionError, match="pay_outside"):
        planscope.plan_rules(UNKNOWN).check(run)
    planscope.plan_rules(UNKNOWN, allow_unknown=True).check(run)
    with pytest.raises(AssertionError, match="pay_outside"):
        planscope.plan_rules(UNKNOWN, strict=True, allow_unknown=True).check(run)
    traces, rules = write(UNKNOWN, run)
    session = str(tmp_path / "s.planscope.json")
    assert cli("import", traces, "--rules", rules, "-o", session).status == 0
    assert cli("check", session).status == 2
    assert cli("check", session, "--rules", rules).status == 2


NEVER_BEFORE = "Never call cut before look. glue must not happen before look."


def test_never_before_has_one_warning_everywhere(cli: Cli, write: Write, tmp_path: Path) -> None:
    (warning,) = read_rules(NEVER_BEFORE).warnings
    assert '"look comes before cut."' in warning and '"look never happens after cut."' in warning
    assert "so is 1 more" in warning
    run = chat("look", "cut", "look", "cut", "glue")
    traces, rules = write(NEVER_BEFORE, run)
    done = cli("check", traces, "--rules", rules, "--json")
    assert done.status == 0 and done.json["warnings"] == [warning]
    assert "Warning: line 1: " in cli("check", traces, "--rules", rules).out
    assert cli("rules", "check", rules, "--json").json["warnings"] == [warning]
    assert "Warning: line 1: " in cli("rules", "check", rules).out
    found: Any = planscope.check(run, rules=NEVER_BEFORE)
    assert found.warnings == [warning]
    with pytest.raises(AssertionError, match="is read as"):
        planscope.plan_rules(NEVER_BEFORE, strict=True).check(run)
    session = str(tmp_path / "s.planscope.json")
    assert cli("import", traces, "-o", session).status == 0
    assert cli("rules", "add", session, rules, "--json").json["warnings"] == [warning]
    assert cli("check", traces, "--rules", rules).status == 0
    traces, rules = write(NEVER_BEFORE, chat("cut"))
    assert cli("check", traces, "--rules", rules).status == 1


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("a\nb # c\n\n- `d e`\n", {"a", "b", "d e"}),
        ('["a", "b"]', {"a", "b"}),
        ('{"tools": [{"name": "a", "inputSchema": {}}, {"name": "b"}]}', {"a", "b"}),
        ('[{"type": "function", "function": {"name": "a"}}, {"name": "b", "input_schema": {}}]', {"a", "b"}),
    ],
)
def test_files_of_tools(text: str, tools: set[str]) -> None:
    assert read_tools(text) == tools


def test_rules_keep_their_words() -> None:
    def words(rule: Rule) -> list[str]:
        return [calls.text for calls in rule.sets]

    (rule,) = read_rules("Looking up the order comes before refund with amount > 5.", ["look_up_order"]).rules
    assert words(rule) == ["look_up_order", "refund with amount > 5"]
    assert json.dumps([rule.text]) == '["Looking up the order comes before refund with amount > 5"]'


def test_what_may_be_meant_for_each_thing_by_itself_is_said() -> None:
    tools = ("read_file", "edit_file", "block_card", "unblock_card", "run_tests")
    (warning,) = read_rules("A file has to be read before it is edited.", tools).warnings
    assert warning.startswith('line 1: "A file has to be read before it is edited" is read as of any file: ')
    assert warning.endswith('such as "read_file comes before edit_file for the same file."')
    assert read_rules("After a card was blocked it can't be unblocked again.", tools).warnings
    assert read_rules("Once a card was blocked, the card must not be unblocked.", tools).warnings
    assert read_rules("Files must be read before they are edited.", tools).warnings
    for plain in (
        "read_file comes before edit_file.",
        "read_file comes before edit_file for the same path.",
        "The tests must run before it edits a file.",
        "edit_file needs read_file before it.",
    ):
        assert read_rules(plain, tools).warnings == (), plain


@pytest.mark.parametrize(
    ("sentence", "kept", "broken"),
    [
        ("Every db_* call needs an earlier db_open.", "db_open db_get", "db_get db_open"),
        ("db_open comes before db_*.", "db_open db_open db_get", "db_get"),
        ("Every db_* call must be followed by db_close.", "db_get db_close", "db_close db_get"),
        ("Every call is followed right away by log.", "db_get log db_close log", "db_get db_close log"),
        ("Every call needs an earlier db_open.", "db_open db_get log", "log db_open"),
        ("Every call of db_* other than db_get is followed by log.", "db_get", "db_open"),
        ("All tools except log need an earlier db_open.", "log db_open db_get", "db_get"),
        ("After db_open, no call until db_close.", "log db_open db_close log", "db_open log db_close"),
        (
            "After db_open, nothing but db_get until db_close.",
            "db_open db_get db_close",
            "db_open log db_close",
        ),
        ("After db_open only db_get until db_close.", "db_open db_get db_close log", "db_open log db_close"),
        ("No call other than db_* after db_open.", "db_open db_get", "db_open log"),
        (
            "Nothing but db_get between db_open and db_close.",
            "db_open db_get db_close",
            "db_open log db_close",
        ),
        ("Only log may run before db_open.", "log db_open db_get", "db_get db_open"),
        ("db_* happens only between db_open and db_close.", "db_open db_get db_close", "db_get db_open"),
        ("Until db_open, only log is allowed.", "log db_open db_get", "db_get db_open"),
        ("Only db_* is allowed after log.", "log db_get", "log log"),
    ],
)
def test_sets_of_all_other_calls(sentence: str, kept: str, broken: str) -> None:
    row = {"tools": ["db_open", "db_get", "db_close", "log"]}
    for text in (sentence, sentence_of(read_rules(sentence, row["tools"]).rules[0])):
        runs = [
            {"calls": [{"tool": tool, "arguments": {}} for tool in run.split()]} for run in (kept, broken)
        ]
        assert verdicts(text, row, runs) == ["right", "wrong"]


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("The valve may never be opened once closed.", '"closed" is no tool; is it `close_valve`?'),
        ("Do not both open_valve and log before close_valve.", ""),
        ("No log before open_valve, but after close_valve.", ""),
        ("Or rather the other way round: no log before open_valve.", ""),
        ("Open each valve at most twice.", ""),
        ("Look up a log at most once.", '"up" is not read here'),
        ("log must not be called twice with the same arguments.", "say which argument must be the same"),
    ],
)
def test_what_may_mean_a_tool_or_deny_two_things_is_refused(sentence: str, said: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_rules(sentence, ["open_valve", "close_valve", "log"])
    assert said in caught.value.errors[0].message


def test_a_latest_call_that_others_need_does_not_need_itself() -> None:
    row = {"tools": ["db_open", "db_get"]}
    opened = [
        {"tool": "db_open", "arguments": {}, "answer": json.dumps({"ok": answer})} for answer in (True, False)
    ]
    runs = [{"calls": [one, {"tool": "db_get", "arguments": {}}]} for one in opened]
    assert verdicts("db_* only if the latest db_open had ok = true.", row, runs) == ["right", "wrong"]
