"""``planscope import``: one trace becomes a session, many are listed, what is no trace is one line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.cause.find import find_cause
from planscope.doors.plan_rules import plan_rules
from planscope.doors.questions import Questions
from planscope.oracle.trace import Branch, LeftOut, ToolCall, Trace
from planscope.session.model import CallEvent, EndEvent, MessageEvent, Session
from planscope.session.record import cost_of
from planscope.session.store import dumps, load, loads
from planscope.session.traces import session_of, trace_of
from planscope.traces import Options, open_traces
from planscope.traces.opening import read
from planscope.traces.source import stream_source
from tests.cli.support import Cli
from tests.traces.samples import SAMPLES


def call(identity: str, tool: str, arguments: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": identity, "function": function}]}


def answer(identity: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity, "content": content}


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Refund order 7."},
    call("c1", "find order", {"order": 7}),
    answer("c1", '{"status": "paid"}'),
    {"role": "user", "content": "yes"},
    call("c2", "refund", {"order": 7}),
    answer("c2", "Error: refused by the bank"),
    {"role": "assistant", "content": "Sorry."},
]


def save(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_chat_becomes_a_session_that_says_that_it_is_not_judged(cli: Cli, tmp_path: Path) -> None:
    trace, out = save(tmp_path / "run.json", CHAT), tmp_path / "run.planscope.json"
    done = cli("import", str(trace), "-o", str(out))
    assert done.status == 0 and done.err == ""
    assert "2 calls of 2 tools" in done.out and "2 answers have no mark for errors; 1 of them" in done.out
    session = load(out)
    assert session.variants[0].origin.kind == "imported" and session.title == "Refund order 7."
    judged = cli("check", str(out))
    assert judged.status == 2 and judged.out.startswith("NOT JUDGED")


def test_a_run_of_a_session_is_the_trace_that_it_was_made_of(tmp_path: Path) -> None:
    (before,) = open_traces([save(tmp_path / "run.json", CHAT)])
    session = loads(dumps(session_of([before])))
    after = trace_of(session.runs[0])
    assert after.calls == [*after.calls] and len(after.calls) == 2
    for old, new in zip(before.calls, after.calls, strict=True):
        for name in ("step", "tool", "arguments", "answer", "answered", "failed", "guessed", "call_id"):
            assert getattr(old, name) == getattr(new, name), name
    kinds = [(type(i).__name__, getattr(i, "by", None), getattr(i, "text", None)) for i in after.items]
    assert kinds == [
        (type(i).__name__, getattr(i, "by", None), getattr(i, "text", None)) for i in before.items
    ]


def test_calls_of_one_message_stay_together() -> None:
    session = Session.model_validate_json((Path(__file__).parent / "data" / "one_message.json").read_bytes())
    trace = trace_of(session.runs[0])
    assert [c.message for c in trace.calls] == [1, 1, 2]


def test_a_users_word_between_calls_is_kept_and_is_no_model_call(tmp_path: Path) -> None:
    (trace,) = open_traces([save(tmp_path / "run.json", CHAT)])
    events = session_of([trace]).runs[0].events
    said = [e.text for e in events if isinstance(e, MessageEvent) and e.by == "user"]
    assert said == ["yes"]
    places = [type(e) for e in events if not isinstance(e, MessageEvent) or e.by == "user"]
    assert places.index(MessageEvent) > places.index(CallEvent)


def test_many_traces_are_listed_and_one_is_picked(cli: Cli, tmp_path: Path) -> None:
    results = [{"task_id": 4, "trial": k, "reward": k, "info": {}, "traj": CHAT} for k in (0, 1)]
    trace, out = save(tmp_path / "results.json", results), tmp_path / "one.planscope.json"
    done = cli("import", str(trace))
    assert done.status == 2 and done.out.splitlines() == [
        "4.0  2 calls  reward 0  Refund order 7.",
        "4.1  2 calls  reward 1  Refund order 7.",
    ]
    assert done.err == "planscope: there are 2 traces; choose one with --pick ID, or all with --all\n"
    assert cli("import", str(trace), "--pick", "4.1", "-o", str(out)).status == 0
    assert cli("import", str(trace), "--pick", "9").err.startswith(
        "planscope: there is no trace '9'; the traces are: 4.0"
    )
    assert cli("import", str(trace), "--all", "-o", str(out)).status == 0
    assert len(load(out).runs) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("hello", "is not JSON"),
        ('{"a": 1}', "not in a format of traces that planscope knows (it has a;"),
        (
            '{"history": [{"role": "Orchestrator (thought)", "name": "x", "content": "hi"}]}',
            "without structured calls",
        ),
        ("[" * 100_000, "not a trace"),
    ],
)
def test_what_is_no_trace_is_one_line(cli: Cli, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    done = cli("import", str(path))
    assert done.status == 2 and done.out == "" and done.err.count("\n") == 1 and said in done.err, done.err


def test_a_rewound_branch_becomes_a_fork(tmp_path: Path) -> None:
    (trace,) = open_traces([save(tmp_path / "run.json", CHAT)])
    trace.branches.append(Branch(1, [ToolCall("cancel", {}, step=2, message=5)]))
    session = loads(dumps(session_of([trace])))
    fork, live = session.runs
    assert fork.forked_from is not None and (fork.forked_from.run, fork.forked_from.step) == (live.id, 1)
    assert [c.tool for c in trace_of(fork).calls] == ["find order", "cancel"]


@pytest.mark.parametrize("reason", ["the disk is full", None])
def test_a_run_that_was_aborted_says_why(reason: str | None) -> None:
    session = Session.model_validate_json((Path(__file__).parent / "data" / "one_message.json").read_bytes())
    run = session.runs[0]
    events = [*(e for e in run.events if e.type != "end"), EndEvent(ending="aborted", reason=reason)]
    trace = trace_of(run.model_copy(update={"events": events}))
    assert (trace.reason, trace.ending, trace.cause) == (reason, "aborted", None), "no cause was recorded"


def test_a_piped_trace_is_read_in_parts_and_again() -> None:
    source = stream_source(io.BytesIO(b"one\ntwo\n"))
    for _ in range(2):
        raw = source.raw()
        assert (raw.readline(2), raw.readline(), raw.readline(None), raw.read(None)) == (
            b"on",
            b"e\n",
            b"two\n",
            b"",
        )


def test_what_was_left_out_and_the_grade_are_kept_and_said(cli: Cli, tmp_path: Path) -> None:
    left_out = [
        LeftOut("not understood", "a call without a name", "messages[3]", 2),
        LeftOut("not of this run", "a gold plan", "gold[0]", 5),
    ]
    calls = [ToolCall("a", {}, answer="ok", answered=True, failed=False)]
    traces = [
        Trace(calls, id="case \x1b[31m7", format="test", left_out=left_out, reward=0.0),
        Trace(calls, id="41.41", format="test", reward=0.0),
        Trace(calls, id="41.41", format="test", reward=1.0),
    ]
    session = loads(dumps(session_of(traces)), "session")
    assert [run.id for run in session.runs] == ["case \x1b[31m7", "41.41", "41.41~2"]
    assert [trace_of(run).left_out for run in session.runs] == [left_out, [], []]
    assert [trace_of(run).reward for run in session.runs] == [0.0, 0.0, 1.0]
    assert "left out: 2 calls not understood: a call without a name" in session.notes
    path, rules = tmp_path / "s.planscope.json", tmp_path / "r.rules"
    path.write_bytes(dumps(session))
    rules.write_text("a happens at most once.\n")
    done = cli("check", str(path), "--rules", str(rules))
    assert done.status == 2 and "\x1b" not in done.out
    said = " ".join(done.out.split())
    assert (
        "Left out: 2 calls not understood" in said and "Graded 0, keeps all rules: 1 trace (41.41)." in said
    )
    assert "41.41: RIGHT (graded 0). The run keeps every rule." in said
    told = json.loads(cli("check", str(path), "--rules", str(rules), "--json").out)
    assert [one["verdict"] for one in told["traces"]] == ["unknown", "right", "right"]
    assert [one["count"] for one in told["traces"][0]["left_out"]] == [2, 5]
    assert told["summary"]["graded_but"] == {"graded 0, keeps all rules": 1}
    assert cli("rules", "add", str(path), str(rules)).status == 0
    listed = cli("runs", str(path)).out
    assert "1 graded 0, but right" in listed and "41.41~2" in listed
    assert "Graded 0, keeps all rules." in cli("check", str(path), "--run", "41.41").out
    assert cli("check", str(path), "--run", "41.41").status == 0
    assert [one["reward"] for one in json.loads(cli("runs", str(path), "--json").out)["runs"]] == [0, 0, 1]


def test_a_failed_call_is_marked_and_what_was_not_recorded_is_no_zero(cli: Cli, tmp_path: Path) -> None:
    trace, out = save(tmp_path / "run.json", CHAT), tmp_path / "run.planscope.json"
    assert cli("import", str(trace), "-o", str(out)).status == 0
    assert "! failed: the tool answered with an error" in cli("replay", str(out)).out
    steps = json.loads(cli("replay", str(out), "--json").out)["steps"]
    assert [one["call"]["failed"] for one in steps if one["call"]] == [False, True]
    page, note = tmp_path / "p.html", tmp_path / "n.md"
    assert cli("export", str(out), "--format", "html", "-o", str(page)).status == 0
    assert "! failed" in page.read_text()
    assert cli("export", str(out), "--format", "markdown", "-o", str(note)).status == 0
    assert "**! failed**" in note.read_text() and "0 s" not in note.read_text()
    assert "time not recorded" in note.read_text()
    walked = cli("walk", str(out), stdin="n\nn\nq\n")
    assert "Failed: the tool answered with an error" in walked.out
    run = load(out).runs[0]
    assert (cost_of(run).known_seconds, cost_of(run).known_model_seconds) == (None, None)


def with_gold(*actions: tuple[str, Any]) -> list[dict[str, Any]]:
    """A results file of tau-bench with its gold plan."""
    task = {"actions": [{"name": name, "kwargs": given} for name, given in actions]}
    return [{"task_id": 4, "trial": 0, "reward": 0, "info": {"task": task}, "traj": CHAT}]


def test_a_session_blames_the_call_that_its_trace_blames(cli: Cli, tmp_path: Path) -> None:
    trace = save(tmp_path / "gold.json", with_gold(("find order", {"order": 7}), ("exchange", {"order": 7})))
    out, rules = tmp_path / "gold.planscope.json", tmp_path / "rules.txt"
    rules.write_text("find order comes before refund.\nrefund that succeeded happens.\n")
    assert cli("import", str(trace), "-o", str(out)).status == 0
    for more in ((), ("--rules", str(rules))):
        causes = []
        for source in (trace, out):
            told = json.loads(cli("check", str(source), "--json", *more).out)
            causes.append(told["traces"][0]["cause"] if "traces" in told else told["cause"])
        assert causes[0] == causes[1] and causes[0]["step"] == 2, more
        assert any("gold plan has no such call" in why for why in causes[0]["reasons"]), causes[0]
    asked = [why(source) for source in (trace, out)]
    assert asked[0] == asked[1] and "gold plan" in asked[0]
    failures = []
    for source in (trace, out):
        with pytest.raises(AssertionError) as failure:
            plan_rules(rules).check(source)
        failures.append(str(failure.value))
    assert failures[0] == failures[1] and "gold plan has no such call" in failures[0]


def why(source: Path) -> str:
    """What a coding agent is told of the cause."""
    ask = Questions([source.parent])
    return json.dumps(json.loads(ask.answer(ask.why(str(source))))["cause"])


def samples() -> Iterator[Trace]:
    for name, (_, data) in SAMPLES.items():
        yield from read(stream_source(io.BytesIO(data), name), Options(), lambda problem: None)
    for folder in ("data", "recorded"):
        for path in sorted((Path(__file__).parent / folder).iterdir()):
            yield from open_traces([path], options=Options(False), on_problem=lambda problem: None)
    for gold in ([("refund", {"order": 7})], [("refund", {"order": 8})], [("exchange", {"order": 7})]):
        yield from read(
            stream_source(io.BytesIO(json.dumps(with_gold(*gold)).encode()), "tau"), Options(), lambda _: None
        )


def test_every_sample_and_its_session_have_one_cause() -> None:
    causes = golds = 0
    for trace in samples():
        after = trace_of(loads(dumps(session_of([trace]))).runs[-1])
        assert find_cause(trace) == find_cause(after), trace.id
        assert trace.expected == after.expected
        causes += find_cause(trace).step is not None
        golds += bool(trace.expected)
    assert causes > 20 and golds >= 3
