"""The parts of the fuzzer that need no child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planscope.toolfuzz.accepts import mismatch
from planscope.toolfuzz.hints import Hints, read_function
from planscope.toolfuzz.host import Channel, Host, _is_starved, _work_of
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.nodes import Knowledge
from planscope.toolfuzz.outcome import Places, normal, raised, returned_error
from planscope.toolfuzz.search import Search
from planscope.toolfuzz.shrink import Shrinker
from planscope.toolfuzz.taint import taint
from planscope.toolfuzz.tools import load
from tests.toolfuzz import tools

HERE = "tests.toolfuzz.tools:"


def test_a_call_that_a_busy_machine_keeps_waiting_does_not_hang() -> None:
    assert _is_starved(0.1, False, 2.0)
    assert not _is_starved(1.9, False, 2.0)  # it works: a loop without end
    assert not _is_starved(0.0, True, 2.0)  # it sleeps
    if sys.platform.startswith("linux"):
        assert _work_of(os.getpid())[0] > 0


def test_the_package_is_imported_quickly() -> None:
    code = "import time; a = time.process_time(); import planscope.toolfuzz; print(time.process_time() - a)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 0.3


def test_a_system_without_fork_is_told_so_in_one_line() -> None:
    code = "import os, sys; sys.modules['pwd'] = sys.modules['resource'] = sys.modules['fcntl'] = None; del os.fork\n"
    code += "from planscope.toolfuzz.engine import check_platform; check_platform()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(
        "planscope.errors.UserError: fuzzing needs a system with fork"
    )


@pytest.mark.parametrize(
    "value,fails,best",
    [
        ({"q": "x" * 5000}, lambda v: len(v["q"]) >= 100, {"q": "0" * 100}),
        ({"q": "abc", "n": 70}, lambda v: v.get("n", 0) > 41, {"n": 42}),
        ({"a": [1, "b", {"c": "needle!"}]}, lambda v: "needle" in json.dumps(v), None),
        ({"q": "some: text"}, lambda v: ": " not in v["q"] or True, {}),
    ],
)
def test_shrinking(value: Any, fails: Any, best: Any) -> None:
    def guarded(candidate: Any) -> bool:
        try:
            return bool(fails(candidate))
        except KeyError:
            return best == {}

    shrinker = Shrinker(value, guarded)
    made = shrinker.run()
    assert shrinker.calls <= 500 and guarded(made)
    assert made == best if best is not None else len(json.dumps(made)) < len(json.dumps(value))


def test_the_constants_of_a_tools_code_are_read() -> None:
    hints = Hints()
    read_function(tools.figure_3, hints)
    assert {"query: ", "supermarket"} <= set(hints.strings) and 100 in hints.numbers
    read_function(tools.three_keys, hints)
    assert "go" in hints.strings


def test_taint_survives_what_a_tool_derives() -> None:
    knowledge = Knowledge()
    text = taint("  a=1;b=two ", knowledge.node("q"))
    pairs = dict(part.split("=") for part in text.strip().split(";"))
    assert pairs["b"] == "two" and pairs["a"].startswith("9") is False
    assert int(pairs["a"]) == 1
    number = taint(7, knowledge.node("n"))
    assert number + 3 > 9
    data = taint({"x": {"y": "z"}}, knowledge.node("d"))
    assert data.get("x")["y"] == "z" and data.get("no") is None
    assert json.dumps(data) == '{"x": {"y": "z"}}'
    strip = knowledge.roots["q"].children[("same", "strip")].children[("split", ";")]
    second = strip.children[("item", 1)].children[("split", "=")].children[("item", 1)]
    assert second.facts["eq"] == ["two"]
    assert knowledge.roots["n"].children[("add", 3)].facts["cmp"] == [9]
    assert ("key", "no") in knowledge.roots["d"].children
    taint({"never": {"asked": 1}, "for": [1]}, knowledge.node("e"))
    assert knowledge.roots["e"].children == {}  # else what is drawn would grow without end


def arguments(name: str, count: int = 300) -> tuple[Any, list[dict[str, Any]]]:
    (tool,) = load(HERE + name)
    search = Search(tool, 1)
    search.begin(0)
    return tool, [search.draw(number)[0] for number in range(count)]


def test_what_is_drawn_is_what_the_schema_accepts() -> None:
    tool, drawn = arguments("all_types")
    accepted = 0
    for given in drawn:
        json.dumps(given, allow_nan=False)
        accepted += mismatch(given, tool.schema) is None
    assert accepted >= 0.9 * len(drawn)
    assert {given["colour"] for given in drawn} == {"red", "blue"}
    assert any("anything" not in given for given in drawn) and any("anything" in given for given in drawn)


def test_half_of_the_inputs_pass_the_split() -> None:
    (tool,) = load(HERE + "figure_3")
    search, drawn = Search(tool, 1), list[str]()
    search.begin(0)
    for number in range(300):
        given, _ = search.draw(number)
        drawn.append(given["query"])
        if search.carries_taint(number):
            with suppress(Exception):
                tool.function(query=taint(given["query"], search.knowledge.node("query")))
    assert sum("query: " in one for one in drawn) > len(drawn) / 2


def test_the_same_seed_draws_the_same() -> None:
    assert arguments("all_types", 50)[1] == arguments("all_types", 50)[1]
    assert Random("1/x").random() == Random("1/x").random()


def test_errors_are_told_apart_by_place_and_message() -> None:
    places = Places(tools.__file__, False)

    def key(code: int) -> tuple[str, str]:
        try:
            tools.by_number(code)
        except Exception as error:
            found = raised(error, {"code": code}, places, [])
            return found.key, found.kind
        return "", ""

    assert key(-5) == key(-77)
    assert key(51) != key(52) and key(51) == key(53)


class Said:
    """A message with a tool's answer, as LangChain writes it."""

    tool_call_id, status = "call-1", "success"

    def __init__(self, content: str) -> None:
        self.content = content


@pytest.mark.parametrize(
    "answer,expected",
    [
        ("Error: no", True),
        ("Traceback (most recent call last)", True),
        ("Errors are human", False),
        ("it said Error: no", False),
        ({"error": "no"}, True),
        ({"error": ""}, False),
        ({"isError": True}, True),
        ({"isError": False, "error": None}, False),
        (["Error: no"], False),
        ('{"error": "no"}', True),
        ('{"error": ""}', False),
        ('{"code": "{error}"', False),
        (Said('{"error": "no"}'), True),
    ],
)
def test_error_texts_are_found_by_rule(answer: Any, expected: bool) -> None:
    assert (returned_error(answer) is not None) is expected


def test_messages_lose_what_differs() -> None:
    assert normal("no 'x' at /a/b.txt line 12") == normal("no 'yy z' at /c/d.txt line 3")
    assert normal("no file: x 'a", {"p": "x 'a"}) == normal("no file: other", {"p": "other"})
    places = Places(
        "/x", False, sandbox="/tmp/planscope-fuzz-abc/work/here", temporary="/tmp/planscope-fuzz-abc"
    )
    assert "abc" not in places.clean(
        "at /tmp/planscope-fuzz-abc/work/here/a and /tmp/planscope-fuzz-abc/home"
    )
    cannot = "'latin-1' codec can't encode character {} in position 3: ordinal not in range(256)"
    assert normal("slot  is taken", {"slot": ""}) == normal("slot 26169908 is taken", {"slot": "26169908"})
    assert normal(cannot.format(r"'\U000661af'")) == normal(cannot.format(r"'\u0130'")) != ""
    assert normal(cannot).endswith("ordinal not in range(N)")
    assert normal("float division by zero") == normal("division by zero") == "division by zero"
    longer = "fatal: cannot change to '{}': File name too long"
    assert normal(longer.format("0" * 2500)) == normal(longer.format("x")) != ""
    token = 'unrecognized token: "{}"'
    assert normal(token.format("'\"/:;0X%' limit 10")) == normal(token.format("' limit 10")) != ""
    long = "a" * 20_000
    began = time.process_time()
    assert normal(f"Error: no entry for {long}", {"q": long}) == "Error: no entry for"
    assert normal(f"Error: no entry for {long}") and time.process_time() - began < 0.5
    assert normal("unknown city Sofia", {"city": "Sofia"}) == normal(
        "unknown city Zurich", {"city": "Zurich"}
    )


def test_the_number_of_sequences_follows_the_calls() -> None:
    asked = [Options("x", calls=calls).most_sequences for calls in (None, 5, 200, 1990, 2000, 9000)]
    assert asked == [200, 10, 20, 199, 200, 200]
    assert Options("x", calls=5, sequences=0).most_sequences == 0


def test_a_tool_that_leaves_an_error_for_later_is_told_as_killed(tmp_path: Path) -> None:
    host = Host(tmp_path, Places(__file__, False), False, False)

    def in_a_call(channel: Channel) -> None:
        channel.begin(3, '{"n": 1}')
        raise KeyError("later")

    def between(channel: Channel) -> None:
        raise KeyError("later")

    end = host.run(in_a_call, lambda **_: None, lambda: 5.0)
    assert (end.how, end.number, end.text) == ("died", 3, '{"n": 1}')
    assert end.outcome is not None and end.outcome.kind == "killed" and "KeyError" in end.outcome.message
    assert host.run(between, lambda **_: None, lambda: 5.0).number == -1
    host._trace.close()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:1/nothing"}, {"$ref": "#/nowhere"}, {"$ref": "#"}, {"minimum": "low"},
        {"type": "intger"}, {"items": [{"type": "null"}], "minItems": "x"}, {"pattern": "(["}, {"allOf": 3},
        {"$schema": "http://127.0.0.1:1/"},
    ],
)  # fmt: skip
def test_a_broken_schema_refuses_nothing_and_nothing_is_fetched_for_it(
    schema: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_: pytest.fail("it was fetched"))
    assert [mismatch(value, schema) for value in (1, "a", [1])] == [None] * 3


def test_why_a_schema_refuses_a_value() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/b"}}},
        "required": ["c"],
    }
    schema["$defs"] = {"b": {"maximum": 3}}
    assert mismatch({"a": [1, 9], "c": 0}, schema) == "a.1 is not as its schema says (maximum: 3)"
    assert mismatch({}, schema) == "c is missing" and mismatch({"c": 0}, schema) is None
    assert mismatch(9, {"$ref": "#/$defs/b"}, schema) == "the value is not as its schema says (maximum: 3)"


def test_a_process_that_the_sandbox_does_not_let_start_is_no_error_of_the_tool() -> None:
    names: dict[str, Any] = {}
    code = "def start(): raise BlockingIOError(11, 'Resource temporarily unavailable')"
    exec(compile(code, "/lib/subprocess.py", "exec"), names)
    try:
        names["start"]()
    except OSError as error:
        outcome = raised(error, {}, Places(__file__, False), [])
    assert outcome.kind == "infrastructure" and outcome.message.startswith(
        "the sandbox lets no more processes"
    )
