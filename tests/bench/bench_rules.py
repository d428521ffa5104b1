"""Rules: a long trace, the cost of a call, every step's state, and a large file against a loop of ``json`` alone.

``python -m tests.bench.bench_rules [MEGABYTES]``: the size of the first file, 1000 for the whole measurement (default
50). The second one has 60 MB then.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from planscope.documents.rules import Results, TraceDocument
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.beside import judged_trace
from planscope.rules.core import feed
from planscope.rules.judge import Judge, Rulebook
from planscope.rules.many import check_many
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions, Summary
from tests.bench.yardstick import table

TOOLS = 40
KINDS = (
    "{a} comes before {b}.",
    "Every {a} is followed by {b}.",
    "{a} happens at most 1000 times.",
    "If {a} happens, {b} happens.",
    "{a} comes before {b} per id.",
    "{a} with n > 3 comes before {b}.",
    "Every {a} that failed is followed by {b}.",
    "Every {a} is followed by {b} within 900 calls.",
    "{a} never happens after nothing_{b}.",
    "Every {a} is followed by {b} for the same id.",
)


def rule_text(count: int) -> str:
    """Rules of ten kinds over pairs of tools."""
    chance = random.Random(1)
    lines = []
    for k in range(count):
        a, b = chance.sample(range(TOOLS), 2)
        lines.append(KINDS[k % len(KINDS)].format(a=f"tool_{min(a, b)}", b=f"tool_{max(a, b)}"))
    return "\n".join(lines)


def calls_of(count: int) -> list[ToolCall]:
    chance = random.Random(2)
    return [
        ToolCall(
            f"tool_{chance.randrange(TOOLS)}",
            {"id": f"R{chance.randrange(20)}", "n": chance.randrange(9)},
            step=k + 1,
            message=k,
            answer="fine",
            answered=True,
            failed=chance.random() < 0.1,
        )
        for k in range(count)
    ]


def long_trace() -> None:
    book = Rulebook(read_rules(rule_text(200)).rules)
    rows = []
    for count in (1_000, 10_000):
        calls = calls_of(count)
        touched = [sum(map(len, book.touches(call.tool))) for call in calls]
        best = []
        for _ in range(5):
            judge = Judge(book)
            begun = time.perf_counter()
            for call in calls:
                judge.take(call, call.step)
            best.append(time.perf_counter() - begun)
        seconds = statistics.median(best)
        share = statistics.mean(touched) / len(book.rules)
        rows.append(
            (f"{count:,}", f"{seconds * 1000:.1f} ms", f"{seconds / count * 1e6:.1f} us", f"{share:.0%}")
        )
    table("200 rules, judged call by call", ("calls", "median", "a call", "rules that a call touches"), rows)
    every_step()


LOCKED = (
    "Every {a} is followed by {b}.",
    "{a} comes before {b}.",
    "{b} never happens after end_{a}.",
    "If {a} happens, {b} happens.",
    "Every {a} is followed by {b} per id.",
    "Every {a} that failed is followed by {b}.",
)


def interlocking(count: int, tools: int) -> str:
    """Rules of six kinds over pairs of a few tools, which can all be kept."""
    chance = random.Random(5)
    lines = []
    for k in range(count):
        a, b = sorted(chance.sample(range(tools), 2))
        lines.append(LOCKED[k % len(LOCKED)].format(a=f"tool_{a}", b=f"tool_{b}"))
    return "\n".join(lines)


def every_step() -> None:
    """Print what the state of every step costs, also with the tools that are safe next."""
    rows = []
    for count, tools in ((20, 30), (24, 12)):
        file = read_rules(interlocking(count, tools))
        calls = [
            replace(call, tool=f"tool_{k if k < tools else int(call.tool[5:]) % tools}")
            for k, call in enumerate(calls_of(1_000))
        ]
        trace = Trace(list(calls), id="t", format="bench")
        begun = time.perf_counter()
        feed(Judge(Rulebook(file.rules)), [(call, call.step) for call in calls])
        took = [time.perf_counter() - begun]
        for safe in (False, True):
            begun = time.perf_counter()
            run = judged_trace(file, trace)
            for view in run.steps if safe else ():
                run.safe_moves(view.index)
            took.append(time.perf_counter() - begun)
        rows.append((f"{count} over {tools} tools", "1,000", *(f"{t * 1000:.0f} ms" for t in took)))
    head = ("rules", "calls", "judged", "with states", "with safe tools")
    table("interlocking rules at every step", head, rows)


def write_traces(path: Path, megabytes: int) -> int:
    """Chat traces as JSONL, some ten calls and ten kilobytes each."""
    chance = random.Random(3)
    filler = "The order was looked up; what else can I do for you today? " * 9
    size = count = 0
    with path.open("w") as file:
        while size < megabytes * 10**6:
            messages = [{"role": "user", "content": filler}]
            tools = list(range(chance.randint(8, 12)))
            if chance.random() < 0.02:
                chance.shuffle(tools)
            for k, tool in enumerate(tools):
                function = {
                    "name": f"tool_{tool}",
                    "arguments": json.dumps({"id": "R1", "note": filler[:60]}),
                }
                call = {"id": f"call_{k}", "type": "function", "function": function}
                messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
                messages.append(
                    {"role": "tool", "tool_call_id": f"call_{k}", "content": json.dumps({"text": filler})}
                )
                messages.append({"role": "assistant", "content": filler[:300]})
            line = json.dumps({"id": f"t{count}", "messages": messages}) + "\n"
            size += file.write(line)
            count += 1
    return count


RULES = "\n".join(
    [f"tool_{k} comes before tool_{k + 1}." for k in range(4)]
    + [f"Every tool_{k} is followed by tool_{k + 2}." for k in range(4)]
    + [f"tool_{k} happens at most 9 times." for k in range(4)]
    + [f"tool_{k} comes before tool_{k + 1} per id." for k in range(4)]
    + [f'tool_{k} with id = "R1" happens at most 9 times.' for k in range(4)]
)


BROKEN = """
tool_0 or tool_1 comes before a user message.
no reading: tool_1 never happens.
tool_2 comes before tool_1.
Every tool_3 has its own user message before it.
tool_2 comes before tool_3 for the same id.
tool_4 happens at most once.
Every tool_5 is followed by tool_0.
tool_6 happens last.
Every tool_7 that failed is followed by tool_6.
tool_1 with id = "R1" never happens.
The last call is tool_99.
tool_3 only if the latest tool_2 for the same id had text = "no".
"""


def large_file(megabytes: int, rules: str, title: str) -> None:
    """Print what a check of a large file costs, with its text of JSON, and what ``json`` alone costs."""
    file = read_rules(rules)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "traces.jsonl")
        count = write_traces(path, megabytes)
        begun = clock()
        with path.open("rb") as lines:
            for line in lines:
                json.loads(line)
        parsed = since(begun)
        begun = clock()
        known: Results = {}
        summary = Summary(list(file.rules))
        for judged in check_many([str(path)], file, CheckOptions(), print):
            summary.add(judged.checked)
            TraceDocument.about(judged.checked, known).as_line()
        checked = since(begun)
        assert summary.traces == count
    memory = (
        sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        // 1024
    )
    table(
        f"{title}: {megabytes:,} MB, {count:,} chat traces, {summary.verdicts}, {len(file.rules)} rules, "
        f"{os.cpu_count()} processors, at most {memory} MB",
        ("", "json alone", "checked", "times json"),
        [
            (name, f"{one:.1f} s", f"{other:.1f} s", f"{other / one:.2f}")
            for name, one, other in zip(
                ("time", "processor time of all processes"), parsed, checked, strict=True
            )
        ],
    )


def clock() -> tuple[float, float]:
    """Return seconds by the clock, and of processor time, with that of workers that have ended."""
    times = os.times()
    return time.perf_counter(), times.user + times.system + times.children_user + times.children_system


def since(begun: tuple[float, float]) -> tuple[float, float]:
    now = clock()
    return now[0] - begun[0], now[1] - begun[1]


def main(megabytes: int = 50) -> None:
    large_file(megabytes, RULES, "most traces keep all rules")
    large_file(max(megabytes * 60 // 1000, 20), BROKEN, "every trace breaks some rule")
    long_trace()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
