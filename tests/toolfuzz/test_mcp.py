"""MCP servers as targets."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.errors import UserError
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.mcp_process import command_of
from planscope.toolfuzz.outcome import Made, Outcome
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.stateful import Knowledge, contradictions, roles_of, with_hints
from tests.nightly import nightly
from tests.toolfuzz.printed import data_of

pytestmark = pytest.mark.skipif(
    find_spec("mcp") is None, reason="there is no mcp"
)  # imported by servers alone
HERE = f"mcp:{sys.executable} -m tests.toolfuzz.mcp_servers "


def fuzz(name: str, calls: int = 60, **more: Any) -> Report:
    return Fuzz(Options(name if name.startswith("mcp:") else HERE + name, calls=calls, **more)).run()


def found(report: Report) -> dict[tuple[str, str], dict[str, Any]]:
    return {(f.tool, f.kind): f for f in report.sorted()}


def without_time(report: Report) -> str:
    return json.dumps({k: v for k, v in data_of(report).items() if k != "seconds"})


def test_each_bug_planted_in_a_server_is_found_and_nothing_in_its_sound_tools() -> None:
    report = fuzz("sound broken", 6, sequences=0)
    assert [(tool.name, tool.calls) for tool in report.tools[:2]] == [("convert", 6), ("words", 6)]
    assert report.sandbox["writes"] in ("namespace", "nothing")
    errors = found(report)
    assert {tool for tool, _ in errors} == {"shows", "tells"}
    shown = errors["shows", "protocol"]
    assert (shown.exception, shown.shrunk) == ("KeyError", {"key": ""})
    assert shown.location.startswith("tests/toolfuzz/mcp_servers.py:")
    assert "there is no" in errors["tells", "returned"].message and len(errors) == 2


RAW = """
import json, sys, time
number = {"type": "integer", "minimum": 0}
def tool(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": "", "inputSchema": schema}
tools = [tool("add", a=number, b={"type": "integer"}), tool("hangs", a=number), tool("floods", a=number),
    tool("dies", a=number)]
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
print("add server 1.0 is ready", flush=True)
for line in sys.stdin:
    one = json.loads(line)
    if "id" not in one:
        continue
    answer = {}
    if one["method"] == "initialize":
        answer = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x"}}
    elif one["method"] == "tools/list":
        answer = {"tools": tools}
    elif one["method"] == "tools/call":
        name, given = one["params"]["name"], one["params"]["arguments"]
        a = given.get("a")
        answer = {"content": [{"type": "text", "text": str(a) + str(given.get("b"))}]}
        if name != "add" and not (isinstance(a, int) and a >= 0):
            send(id=one["id"], error={"code": -32602, "message": "a is wrong"})
            continue
        if name == "add" and a == 0:
            send(id=one["id"], error={"code": -32603, "message": "Internal error"})
            continue
        if name == "hangs" and a > 100:
            time.sleep(60)
        if name == "dies" and a > 100:
            raise ValueError("it is too large")
        while name == "floods" and a > 100:
            send(method="notifications/message", params={"data": "x" * 10000})
    send(id=one["id"], result=answer)
"""
"""A server without the package: it greets on standard output, and fails in its own way in each tool."""


def test_a_server_without_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.py").write_text(RAW)
    target = f"mcp:{sys.executable} raw.py"
    options: dict[str, Any] = {"sequences": 0, "call_limit": 1.0}
    report = fuzz(target, 8, **options)
    assert [(one.tool, one.kind, one.message.partition(":")[0]) for one in report.sorted()] == [
        ("add", "protocol", "a protocol error for arguments that its schema accepts"),
        ("add", "protocol", "a line on standard output that is no message"),
        ("add", "protocol", "it accepts arguments that its schema refuses"),
        ("add", "protocol", "it accepts arguments that its schema refuses"),
        ("add", "protocol", "it accepts arguments that its schema refuses"),
        ("hangs", "hung", "the call did not end within 1 second"),
        ("floods", "protocol", "a flood on standard output before the answer"),
        ("dies", "killed", "the server ended with exit status 1"),
    ]
    died = report.sorted()[-1]
    assert (died.exception, died.source) == ("ValueError", 'raise ValueError("it is too large")')
    assert died.location.startswith("raw.py:") and 'File "raw.py"' in died.traceback
    assert [tool.calls for tool in report.tools] == [8] * 4


def test_a_call_of_a_server_that_is_only_late_when_it_is_made_smaller_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sleeps = RAW.replace('if name == "hangs" and a > 100:', 'if name == "hangs":')
    (tmp_path / "raw.py").write_text(
        sleeps.replace("time.sleep(60)", "time.sleep(60 if a > 100 else min(a, 1) / 2)")
    )
    report = fuzz(f"mcp:{sys.executable} raw.py", 8, tools=("hangs",), call_limit=1.0)
    [hung] = report.counted()
    assert hung.kind == "hung" and hung.shrunk["a"] > 100


def test_what_a_server_does_after_some_calls_is_kept_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.py").write_text(
        RAW.replace("and a > 100:\n            raise", 'and one["id"] > 9:\n            raise')
    )
    [killed] = fuzz(f"mcp:{sys.executable} raw.py", 14, tools=("dies",), sequences=0).counted()
    assert killed.kind == "killed" and killed.needs is not None and 1 <= len(killed.needs) <= 4


def test_a_server_is_searched_in_the_same_way_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.py").write_text(RAW)
    target = f"mcp:{sys.executable} raw.py"
    first, second = (fuzz(target, 2, tools=("add", "dies"), sequences=0) for _ in range(2))
    assert without_time(first) == without_time(second)


@pytest.mark.parametrize("calls", [2, *nightly(10)])
def test_the_tests_that_are_written_for_a_server_fail(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.py").write_text(RAW)
    target, tests = f"mcp:{sys.executable} raw.py", tmp_path / "test_it.py"
    command = ["fuzz", target, "--tool", "add", "--calls", str(calls), "--sequences", "0"]
    assert main([*command, "--pytest", str(tests), "--json"]) == 1
    names: dict[str, Any] = {}
    exec(compile(tests.read_text(), "reproducer", "exec"), names)
    written = [test for name, test in names.items() if name.startswith("test_")]
    assert len(written) >= 2
    for test in written:
        with pytest.raises(AssertionError, match="protocol"):
            test()


def test_what_is_no_server_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    for target in (
        "mcp:",
        "mcp:no-such-command-here x",
        "mcp:'",
        f"mcp:{sys.executable} -c 'import no_such_module'",
    ):
        assert main(["fuzz", target]) == 2
        said = capsys.readouterr().err
        assert said.startswith("planscope: ") and said.count("\n") == 1 and "bug" not in said
    assert "No module named 'no_such_module'" in said


def test_a_file_of_the_current_folder_is_found_from_the_empty_one(tmp_path: Path) -> None:
    (tmp_path / "server.py").touch()
    (tmp_path / "python3").touch()
    words = command_of("mcp:python3 server.py --db . other.py", tmp_path)
    assert words == ["python3", str(tmp_path / "server.py"), "--db", ".", "other.py"]
    with pytest.raises(UserError, match="no command"):
        command_of("mcp:./none", tmp_path)


def test_a_servers_hints_pair_its_tools() -> None:
    key, both = {"properties": {"name": {}}, "required": ["name"]}, {"properties": {"name": {}, "text": {}}}
    schemas = {
        "note_now": key,
        "note_upsert": {**both, "required": ["name", "text"]},
        "note_purge": key,
        "get_x": key,
    }
    hints = {
        "note_now": {"readOnlyHint": True},
        "note_upsert": {"destructiveHint": True},
        "note_purge": {"destructiveHint": True, "idempotentHint": True},
        "get_x": {},
    }
    roles = with_hints(roles_of(schemas), schemas, hints)
    told = {name: (role.what, role.noun) for name, role in roles.items()}
    assert told == {
        "note_now": ("read", "note"), "note_upsert": ("write", "note"), "note_purge": ("delete", "note"),
        "get_x": ("read", "x"),
    }  # fmt: skip
    key_of = {"name": "a"}
    made = [
        Made("note_upsert", {"name": "a", "text": "apple"}, "written"),
        Made("note_now", key_of, {"text": "apple"}),
        Made("note_purge", key_of, "dropped"),
        Made("note_purge", key_of, "dropped"),
        Made("note_upsert", {"name": "a", "text": "pear"}, "written"),
        Made("note_now", key_of, {"error": "it is not there"}, Outcome("returned")),
    ]
    assert [one.kind for one in contradictions(made, roles, Knowledge())] == ["lying"]
    assert [one.kind for one in contradictions(made, {**roles, "note_purge": roles["note_purge"]._replace(again=False)},
        Knowledge())] == ["sequence", "lying"]  # fmt: skip
    sure = with_hints(roles_of({"delete_x": key}), {"delete_x": key}, {"delete_x": {"readOnlyHint": True}})
    assert sure["delete_x"].what == "look"


LISTS = """
import json, sys

def tool(name, **schema):
    return {"name": name, "description": "A tool.", "inputSchema": {"type": "object"} | schema}

TOOLS = [
    tool("divide", properties={"n": {"type": "integer"}}, required=["n"]),
    tool("kind", properties={"n": {"type": "intger", "minimum": "low"}}, required=["n"]),
    tool("shape", properties={"n": {"type": "string", "pattern": "(["}}, required=["n"]),
    tool("tree", properties={"n": {"$ref": "#/$defs/node"}}, required=["n"],
         **{"$defs": {"node": {"type": "object", "required": ["next"],
                               "properties": {"next": {"$ref": "#/$defs/node"}}}}}),
]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method, answer = asked["method"], {"jsonrpc": "2.0", "id": asked["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x"}}
    elif method == "tools/list":
        page = asked["params"].get("cursor", 0)
        more = [tool(f"more_{page}_{k}", properties={}) for k in range(300)] if "--grows" in sys.argv else []
        answer["result"] = {"tools": TOOLS * (page == 0 or not more) + more, "nextCursor": page + 1}
    elif method == "tools/call" and not isinstance(asked["params"]["arguments"].get("n"), int):
        answer["result"] = {"content": [{"type": "text", "text": "n must be a number"}], "isError": True}
    elif method == "tools/call" and asked["params"]["arguments"]["n"] == 0:
        answer["result"] = {"content": [{"type": "text", "text": "division by zero"}], "isError": True}
    elif method == "tools/call":
        answer["result"] = {"content": [{"type": "text", "text": "1"}]}
    else:
        answer["result"] = {}
    print(json.dumps(answer), flush=True)
"""


def test_a_broken_schema_and_an_endless_list_cost_no_other_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.py").write_text(LISTS)
    report = fuzz(f"mcp:{sys.executable} lists.py", 20, sequences=0)
    why = {tool.name: tool.skipped for tool in report.tools}
    assert why.pop("divide") is None
    assert [str(said).partition(": ")[0] for said in why.values()] == [
        "its inputSchema is broken at properties.n.type",
        "its inputSchema is broken at properties.n.pattern",
        "its inputSchema needs a value without end",
    ]
    assert [(one.tool, one.kind) for one in report.sorted()] == [("divide", "returned")]
    assert report.remarks == [
        "The server breaks the protocol: its list of tools does not end; the first 4 are taken."
    ]


def test_a_list_of_ever_new_tools_ends_and_costs_no_other_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.py").write_text(LISTS)
    report = fuzz(f"mcp:{sys.executable} lists.py --grows", 10, sequences=0, tools=("divide", "kind"))
    assert [(tool.name, tool.skipped is None) for tool in report.tools] == [("divide", True), ("kind", False)]
    assert [(one.tool, one.kind) for one in report.sorted()] == [("divide", "returned")]
    assert "its list of tools does not end; the first 304 are taken" in report.remarks[0]


def test_an_error_of_our_own_ends_one_search_alone() -> None:
    from planscope.toolfuzz.child import _Work
    from planscope.toolfuzz.job import Job

    told: list[str] = []

    def breaks() -> None:
        raise IndexError("no such place")

    job = Job(Options("x:y"), "token", "/nowhere", "/nowhere", ())
    assert not _Work(job, -1, lambda event, text: told.append(text))._survives("divide", breaks)
    assert "divide: a bug in planscope ended this search: IndexError" in told[0]
