"""Random rules and files of chat messages, judged by tables and without: ``python -m tests.rules.plain_cases 500``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from planscope.documents.rules import TraceDocument
from planscope.rules import many
from planscope.rules.quick import Quick
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions
from planscope.traces import open_traces

TOOLS = ("get_order", "pay", "mcp__x__y", "Get Order", "é")
HUGE = 2**64 + 1
SETS = (
    "get_order", "pay", "`mcp__x__y`", "é", "`mcp__*`", "any call", "get_order or pay", "Get_Order",
    "pay with id = \"u\"", "pay with n > 1", "get_order with x.y[0] = 1", "pay with id is missing",
    f"pay with n = {HUGE}", f"get_order with n = {HUGE}",
    "pay with flag = true or n = 1", 'get_order with note contains "a"',
)  # fmt: skip
LATE = (
    "pay that failed",
    "é or pay that failed",
    "get_order that succeeded",
    'get_order with answer.status = "ok"',
)
ODD = ("pay by planner", "a user message", 'a user message with text contains "yes"')
PER = ("", "", "", " per id", " per x.y", " per id and n", " for the same id", " for the same id as ref")
SENTENCES = (
    "{a} comes before {b}{per}.", "Every {b} has its own {a} before it{per}.", "Every {a} is followed by {b}{per}.",
    "{b} happens right after {a}{per}.", "Every {a} is followed right away by {b}{per}.",
    "Every {a} is followed by {b} within 2 calls{per}.", "{a} happens{per}.", "{a} happens at most 2 times{per}.",
    "{a} happens exactly 1 time{per}.", "{a} never happens{per}.", "{b} never happens after {a}{per}.",
    "If {a} happens, {b} never happens{per}.", "If {a} happens, {b} happens{per}.", "{a} happens first{per}.",
    "{a} happens last{per}.", "The first call is {a}{per}.", "The last call is {a}{per}.",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    "u",
    "v",
    "",
    None,
    1,
    1.0,
    True,
    HUGE,
    HUGE,
    2**64,
    -(2**70),
    0.5,
    [1],
    {"y": [1]},
    {"y": 1},
    "a\u0000",
)
DEEP = "DEEP"
ANSWERS = ("ok", "Error: no", '{"error": "x"}', '{"error": null}', '{"status": "ok"}', "", " Error")


def rule_text(random: Random) -> str:
    """Rules that can be read. Most do not look at answers, and hardly any at users."""
    mode = random.random()
    sets = SETS + (LATE * 4 if mode < 0.4 else ()) + (ODD if mode < 0.05 or mode > 0.9 else ())
    lines: list[str] = []
    for _ in range(random.choice((1, 1, 2, 4))):
        if mode < 0.4 and random.random() < 0.15:
            line = 'pay only if the latest get_order for the same id had status = "ok".'
        else:
            a, b, per = random.choice(sets), random.choice(sets), random.choice(PER)
            line = random.choice(SENTENCES).format(a=a, b=b, per=per)
        try:
            read_rules(line)
        except Exception:
            continue
        lines.append(line)
    return "\n".join(lines) or "pay comes before get_order."


def arguments(random: Random) -> Any:
    keys = random.sample(("id", "n", "x", "flag", "note", "ref"), random.randint(0, 4))
    made: Any = {key: random.choice(VALUES) if random.random() < 0.4 else random.choice("uv") for key in keys}
    odd = random.random()
    if odd < 0.03:
        return random.choice((None, [], 5, "", " ", "{", "[1]", "null", '{"id": NaN}', '{"id": "\\ud800"}'))
    if odd < 0.06:
        return made
    return json.dumps(made, ensure_ascii=random.random() < 0.5) + " " * (odd < 0.1)


def record(random: Random, odd: float) -> Any:
    """A trace's record. ``odd``: how often a part of it has another shape than most."""

    def rare() -> bool:
        return random.random() < odd

    messages: list[Any] = [{"role": "user", "content": "yes, please"}]
    ids: list[Any] = []
    for _ in range(random.choice((0, 1, 3, 6))):
        calls: list[Any] = []
        for _ in range(random.choice((1, 1, 2))):
            id: Any = f"c{len(ids)}"
            if rare():
                id = random.choice(("c0", None, 5, ""))
            ids.append(id)
            tool: Any = (
                random.choice(random.choice((TOOLS, TOOLS[:2], TOOLS[:2])))
                if not rare()
                else random.choice(("", None, 3, "any", "GET_ORDER"))
            )
            function: Any = {"name": tool, "arguments": arguments(random)}
            one: Any = {"id": id, "type": "function", "function": function}
            if rare():
                one = random.choice(
                    ({"id": id, "function": "pay"}, {"custom": {"name": "pay"}}, 5, {**one, "x": []})
                )
            calls.append(one)
        message: Any = {"role": "assistant", "content": None, "tool_calls": calls}
        if rare():
            message |= random.choice(
                ({"content": [{"type": "text", "text": "x"}]}, {"role": "user"}, {"role": "tool"}, {"content": ""},
                 {"content": [{"type": "tool_use", "id": "z", "name": "pay", "input": {"id": "u"}}]},
                 {"refusal": None}, {"tool_calls": {}}, {"x": DEEP}, {"parts": []},
                 {"timestamp": "2026-01-01T00:00:00Z"})
            )  # fmt: skip
        messages.append(message)
        for id in ids[-len(calls) :]:
            if rare():
                id = random.choice((None, "c0", "other"))
            answer: Any = {"role": "tool", "tool_call_id": id, "content": random.choice(ANSWERS)}
            if rare():
                answer |= random.choice(
                    ({"name": "pay"}, {"content": None}, {"content": [{"text": "Error"}]})
                )
            if not rare():
                messages.append(answer)
        if rare():
            messages.append(
                random.choice(
                    ({"role": "assistant", "content": None, "function_call": {"name": "pay", "arguments": "{}"}},
                     {"role": "user", "content": [{"type": "text", "text": "yes"}]}, 7, [messages[-1]], {},
                     {"role": [], "content": "x"}, {"role": "system", "content": "s", "x": {"y": [[]]}})
                )
            )  # fmt: skip
    if rare():
        return messages
    made: Any = {"id": f"t{random.randint(0, 99)}", "messages": messages}
    if rare():
        made["tools"] = random.choice(
            (
                [{"type": "function", "function": {"name": "pay", "parameters": {"properties": {"id": {}}}}}],
                [],
                {},
            )
        )
    if rare():
        made |= random.choice(
            ({"id": 2**80}, {"id": 0.5}, {"id": None}, {"trace_id": "z"}, {"reward": 1}, {"conversation": messages},
             {"messages": None}, {"messages": messages[::-1]}, {"model": "m"}, {"x": {"deep": []}})
        )  # fmt: skip
    return made


def line_of(random: Random) -> bytes:
    odd = random.choice((0.0, 0.0, 0.05, 0.3))
    text = json.dumps(record(random, odd), ensure_ascii=random.random() < 0.5)
    line = text.encode()
    if random.random() < odd:
        at = random.randrange(len(line))
        line = random.choice(
            (line[:at], line[:at] + b"\xff" + line[at:], b"", b"  ", line.replace(b" ", b"\r", 3), b"[" * 2_000,
             b'{"messages": [], "x": ' + b"[" * 1010 + b"]" * 1010 + b"}", b"\xef\xbb\xbf" + line, line + line)
        )  # fmt: skip
    return line.replace(b'"DEEP"', b"[" * 1010 + b"]" * 1010)


def case(seed: int) -> int:
    """Judge a file both ways, and compare all that is known of each trace. Return how many the tables judged."""
    random = Random(seed)
    text = rule_text(random)
    first = json.dumps({"id": "t", "messages": [{"role": "user", "content": "x"}]}).encode()
    lines = [first, *(line_of(random) for _ in range(40))]
    if random.random() < 0.5:
        lines.append(b"")
    running, details, succeeded_only = random.random() < 0.2, random.choice((0, 0, 2)), random.random() < 0.2
    options = CheckOptions(running, False, details, succeeded_only)
    quick = 0
    right = Quick.right

    def counted(self: Quick, trace: Any) -> Any:
        nonlocal quick
        found = right(self, trace)
        quick += found is not None
        return found

    def told(judged: Iterable[many.Judged]) -> list[Any]:
        return [
            (TraceDocument.about(one.checked), one.checked.lacks, one.source, one.tools) for one in judged
        ]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(b"\n".join(lines))
        file, heard, expected_heard = read_rules(text), list[str](), list[str]()
        with mock.patch.object(Quick, "right", counted):
            found = told(many.check_many([str(path)], file, options, heard.append))
        traces = open_traces([path], on_problem=expected_heard.append)
        expected = told(many.check_traces(traces, file, options))
        for one, other in zip([*found, heard], [*expected, expected_heard], strict=True):
            assert one == other, (seed, text, one, other)
    return quick


def main(count: int, first: int = 0) -> None:
    quick = 0
    for seed in range(first, first + count):
        quick += case(seed)
    sys.stdout.write(f"{count} files of 41 traces agree; the tables judged {quick:,} traces\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
