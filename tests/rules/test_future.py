"""What is said about the future of a trace: known tools, the first lost step, safe calls with their witnesses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import planscope
from planscope.doors.questions import Questions
from planscope.language.constructions import Kind
from planscope.oracle.replay import replay
from planscope.oracle.trace import Item, Said, Tool, ToolCall, Trace
from planscope.rules.beside import NO_QUERY, checked_run, judged_trace, ruled
from planscope.rules.confirm import kept_confirmed
from planscope.rules.future import Future
from planscope.rules.judge import Rulebook, known_tools
from planscope.rules.kinds import KINDS, machine_of
from planscope.rules.letters import Letter
from planscope.rules.reading import read_rules
from planscope.rules.satisfiable import Formula, combinations
from planscope.rules.track import Track
from planscope.rules.values import belongs
from planscope.rules.witness import witness
from tests.bench.bench_rules import calls_of, interlocking
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.rules import many_futures
from tests.rules.worlds import TEXT_MODES

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay


def trace(*items: Item, **more: Any) -> Trace:
    return Trace(items, id="t", format="test", **more)


def played(text: str, *items: Item, **more: Any) -> Replay:
    """A recorded run with these calls, judged by rules alone."""
    return replay(ruled(NO_QUERY, read_rules(text)), trace(*items, **more))


def states(text: str, given: Trace) -> list[str]:
    return [view.state for view in judged_trace(read_rules(text), given).steps]


DEPLOY = "Every deploy is followed by any call of notify_*."


def test_tools_that_were_called_are_not_all_that_there_are() -> None:
    """A trace that defines no tools may still call one that fits a glob; by either way of judging it."""
    calls = trace(ToolCall("deploy"), ToolCall("log"))
    assert states(DEPLOY, calls) == ["completable"] * 3 + ["broken"]
    run = played(DEPLOY, ToolCall("deploy"), ToolCall("log"))
    assert [view.state for view in run.steps] == ["completable"] * 3 + ["broken"]
    told = {name: Tool(name) for name in ("deploy", "log")}
    assert [view.state for view in played(DEPLOY, ToolCall("deploy"), tools=told).steps][1] == "doomed"
    calls.tools = told
    assert states(DEPLOY, calls)[1:] == ["doomed", "doomed", "broken"]


def test_a_glob_that_fits_a_known_tool_may_mean_another_one_too() -> None:
    text = "Every put_it is followed by any call of *it*.\nput_it happens last."
    calls = trace(ToolCall("put_it"))
    assert states("Every put_it is followed by any call of *it*.", calls)[1] == "completable"
    assert states(text, calls)[1] == "doomed", "nothing may follow put_it"
    text = "Every put_it is followed by any call of *it*.\nput_it happens at most once."
    assert states(text, calls)[1] == "completable"
    book = Rulebook(read_rules(text).rules)
    assert known_tools(book, calls) == ["put_it", "*it*"]
    calls.tools = {"put_it": Tool("put_it")}
    assert known_tools(book, calls) == ["put_it"] and states(text, calls)[1] == "doomed"


def test_the_unnamed_tool_fits_no_glob() -> None:
    """It was called "any other tool", which fits ``a*``."""
    assert states("any call of a* never happens.\nThe last call is any call.", trace())[0] == "completable"
    text = "Every alpha is followed right away by any call.\nany call of a* happens at most once."
    assert states(text, trace(ToolCall("alpha")))[1] == "completable"
    (other,) = played(text, ToolCall("alpha"), ending="running").one_way(1) or ()
    assert other.action == "any other tool"


def said(*calls: tuple[str, int, str]) -> Trace:
    """Calls with their messages and answers."""
    made = [
        ToolCall(tool, message=message, answer=answer, answered=True, failed=answer.startswith("Error"))
        for tool, message, answer in calls
    ]
    return trace(*made)


def safe_next(text: str, given: Trace) -> list[tuple[str, ...]]:
    run = judged_trace(read_rules(text), given)
    return [tuple(move.action for move in run.safe_moves(view.index)) for view in run.steps]


LOCK = "write_it never happens after lock that failed."
PAY = 'pay only if the latest check had status = "ok".'
OK, BAD = '{"status": "ok"}', '{"status": "bad"}'


def test_the_next_call_knows_the_last_answer() -> None:
    failed = ("lock", 1, "Error: busy")
    assert safe_next(LOCK, said(failed))[:2] == [("lock", "write_it"), ("lock",)]
    assert safe_next(PAY, said(("check", 1, OK), ("check", 2, BAD)))[1:3] == [("check", "pay"), ("check",)]
    both = said(failed, ("write_it", 1, "done"))
    assert states(LOCK, both)[1:3] == ["completable"] * 2 and safe_next(LOCK, both)[1:3] == [("lock",)] * 2


def test_only_what_was_recorded_may_go_on_with_a_message() -> None:
    """Nothing can be written any more once the answer is there; in the message of the call it could be."""
    text = f"{LOCK}\nwrite_it happens."
    failed = ("lock", 1, "Error: busy")
    assert states(text, said(failed))[1] == "doomed"
    assert states(text, said(failed, ("log", 2, "done")))[1] == "doomed"
    together = said(failed, ("write_it", 1, "done"))
    assert states(text, together)[1:3] == ["completable"] * 2
    assert states(text, said(failed, ("log", 1, "done"), ("log", 2, "done")))[1:3] == [
        "completable",
        "doomed",
    ]


def test_a_run_that_grows_learns_that_a_message_goes_on() -> None:
    text = f"{LOCK}\nwrite_it happens."
    lock, write = said(("lock", 1, "Error: busy"), ("write_it", 1, "done")).items
    run = played(text, lock, ending="running")
    assert run.steps[1].state == "doomed" and run.first_doomed == 1 and not run.safe_moves(1)
    longer = run.then(write)
    assert [view.state for view in longer.steps] == ["completable"] * 3 and longer.first_doomed is None
    apart = replace(write, message=2)
    assert [view.state for view in run.then(apart).steps][1:] == ["doomed", "broken"]
    whole = played(text, lock, write)
    assert [view.state for view in whole.steps][:3] == ["completable"] * 3


WITNESSED = [
    ("x = 1", "x = 2", "x > 1"),
    ("x > 1", "x < 2", "x != 1.5"),
    ('x starts with "a"', 'x contains "b"', 'x ends with "c"'),
    ("x contains 1", 'x contains "a"', "x is missing"),
    ('x >= "2026-01-31"', 'x < "2026-02-01"', 'x = "2026-01-31"'),
    ("x.k = 1", "x is missing", "x.k.l = true"),
    ('answer.s = "ok"', "answer.s is missing", 'answer = "fine"'),
    ("answer[0].n > 3", "x is one of [1, 2]", 'answer contains "a"'),
    ("x = 1 and y = 1", "x = 1 or y = 1", "y is missing"),
]


@pytest.mark.parametrize("conditions", WITNESSED, ids=" | ".join)
def test_each_way_to_meet_conditions_has_a_witness(conditions: tuple[str, ...]) -> None:
    formulas = [Formula.of(read_rules(f"a with {one} happens.").rules[0].first[0]) for one in conditions]
    formulas += [Formula(outcome="failed"), Formula(agent="ann")]
    for truths in combinations(formulas):
        found = witness(Letter("a", tuple(zip(formulas, truths, strict=True))), ())
        assert found is not None, truths
        for formula, truth in zip(formulas, truths, strict=True):
            assert belongs(formula.calls, found) is truth


def test_a_witness_has_the_values_that_rules_go_by() -> None:
    given = trace(ToolCall("look", {"id": 7}, answer="x", answered=True, failed=False))
    text = "cut happens after look for the same id.\ncut with n > 3 never happens.\nlook that failed never happens."
    look, cut = judged_trace(read_rules(text), given).safe_calls(1)
    assert (look.tool, look.answer, look.failed) == ("look", "done", False)
    assert (cut.tool, cut.answer, cut.failed) == ("cut", None, None), "no rule looks at its answer"
    asked = "cut with id = 7 happens.\nEvery cut with id = 7 is followed by look for the same id."
    assert [call.arguments for call in judged_trace(read_rules(asked), trace()).safe_calls(0)] == [
        {"id": 7},
        {},
    ]


@pytest.mark.parametrize("seed", range(40))
def test_every_state_and_every_safe_call_by_trying_everything(seed: int) -> None:
    many_futures.case(seed, Counter())


@pytest.mark.parametrize("seed", range(8))
def test_what_regular_expressions_ask_for_by_trying_everything(seed: int) -> None:
    many_futures.case(seed, Counter(), TEXT_MODES)


def test_conditions_that_cannot_be_tried_together_leave_a_step_undecided() -> None:
    """What a text that matches and contains something can be is not known; the replay broke off."""
    file = read_rules(
        'Every log with id matching "^[0-9]+$" is followed by pay.\nlog with id containing "5" never happens.\n'
        'Every pay with d > "2026-01-31" is followed by log.\npay with d starting with "2025" never happens.'
    )
    run = judged_trace(file, trace(ToolCall("pay", {})))
    assert next(iter(run.steps)).state == "completable"
    assert {call.tool for call in run.safe_calls(0)} <= {"log", "pay"}


CONTRADICTION = """
del_it happens exactly once.
put_it must come immediately after put_it.
Per x, put_it with x = 1 happens twice.
If del_it happens, put_it happens.
"""


def first_violation(text: str, given: Trace) -> tuple[object, tuple[str, ...], str]:
    file = read_rules(text)
    found = checked_run(judged_trace(file, given), file, "t").why
    assert found is not None
    return found.step, found.rules, found.proof


def test_the_first_lost_step_is_the_first_that_was_decided() -> None:
    """A bisection took the step in between, which the search did not decide, for one that is not lost."""
    given = trace(ToolCall("del_it", {"x": "a"}, answer="done", answered=True, failed=False))
    assert states(CONTRADICTION, given) == ["doomed", "doomed", "broken"]
    assert first_violation(CONTRADICTION, given) == (0, ("c1", "c2", "c4"), "confirmed")


def test_a_core_is_confirmed_only_if_the_step_before_was_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    given, text = said(("a", 1, "done"), ("b", 2, "done"), ("c", 3, "done")), "b never happens after a."
    assert first_violation(text, given) == (2, ("c1",), "confirmed")
    state = Track._state
    monkeypatch.setattr(Track, "_state", lambda one: "unknown" if state(one) == "completable" else state(one))
    assert first_violation(text, given) == (2, ("c1",), "not_asked")


MIXED = "a or c that failed comes before b."


@pytest.mark.parametrize(
    ("text", "calls", "good"),
    [
        (MIXED, [("a", 1, "done"), ("b", 1, "done")], True),
        (MIXED, [("c", 1, "Error"), ("b", 1, "done")], False),
        (MIXED, [("c", 1, "Error"), ("b", 2, "done")], True),
        ("Every a or c that failed is followed by b.", [("a", 1, "done"), ("b", 1, "done")], True),
        ("Every a or c that failed is followed by b.", [("c", 1, "Error"), ("b", 1, "done")], False),
        ("b never happens after a or c that failed.", [("a", 1, "done"), ("b", 1, "done")], False),
        ("b never happens after a or c that failed.", [("c", 1, "Error"), ("b", 1, "done")], True),
        (
            "b happens right after a or c that failed.",
            [("c", 1, "Error"), ("a", 1, "x"), ("b", 1, "y")],
            True,
        ),
    ],
)
def test_only_what_an_answer_shows_counts_from_the_next_message_on(
    text: str, calls: list[tuple[str, int, str]], good: bool
) -> None:
    """A plain tool beside one with a condition on its answer was taken for one whose answer matters, too."""
    file, given = read_rules(text), said(*calls)
    assert (judged_trace(file, given).verdict().verdict == "right") == good
    assert kept_confirmed(Rulebook(file.rules), given) == ("confirmed" if good else "denied")


def test_failed_calls_that_do_not_count_are_no_way_out() -> None:
    def first(text: str) -> tuple[str, list[tuple[str, bool | None]]]:
        run = judged_trace(read_rules(text), trace(), succeeded_only=True)
        return run.steps[0].state, [(call.tool, call.failed) for call in run.safe_calls(0)]

    assert first("a that failed happens.") == ("doomed", [])
    assert first("a that succeeded happens.") == ("completable", [("a", False)])
    assert first("a that succeeded never happens.\na happens.")[0] == "completable", "it may have no answer"


def test_every_door_names_the_same_safe_calls(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ("Error: busy", "done", "done")
    calls = [
        {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for tool in ("lock", "write_it", "log")
    ]
    told: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for some in (calls[:2], calls[2:]):
        told.append({"role": "assistant", "content": None, "tool_calls": some})
        told += [
            {"role": "tool", "tool_call_id": one["id"], "content": answer}
            for one, answer in zip(calls, answers, strict=True)
            if one in some
        ]
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps({"messages": told}))
    Path("rules.txt").write_text(LOCK)
    replayed = cli("replay", "run.json", "--rules", "rules.txt", "--json").json["steps"]
    assert cli("import", "run.json", "--rules", "rules.txt", "-o", "run.planscope.json").status == 0
    imported = cli("replay", "run.planscope.json", "--json").json["steps"]
    given = planscope.replay({"messages": told}, rules="rules.txt").as_data()["steps"]
    asked = Questions([tmp_path]).safe_moves("run.json", 2, rules=LOCK).as_data()["steps"][0]

    def safe(step: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return [(one["tool"], one["arguments"], one["answer"]) for one in step["safe_calls"]]

    assert (
        [safe(step) for step in replayed]
        == [safe(step) for step in imported]
        == [safe(step) for step in given]
    )
    assert safe(asked) == safe(replayed[2]) == [("lock", {}, "done"), ("log", {}, None)]
    assert [step["call"] and step["call"].get("same_message") for step in replayed] == [
        None,
        None,
        True,
        None,
        None,
    ]
    words = cli("replay", "run.json", "--rules", "rules.txt").out
    assert words.count("in one message with the call before") == 1


def test_safe_calls_of_a_step_share_one_continuation(monkeypatch: pytest.MonkeyPatch) -> None:
    file = read_rules(interlocking(20, 30))
    calls = [replace(one, tool=f"tool_{k % 30}") for k, one in enumerate(calls_of(120))]
    run = judged_trace(file, Trace(list(calls), id="t"))
    searched = 0
    search = Future._calls

    def counted(self: Future, *given: Any, **named: Any) -> Any:
        nonlocal searched
        searched += 1
        return search(self, *given, **named)

    monkeypatch.setattr(Future, "_calls", counted)
    named = sum(len(run.safe_calls(view.index)) for view in run.steps)
    assert named > 3_000
    assert searched < named / 5  # a search for each call alone takes nine times as many as there are calls


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_message_alone_neither_keeps_nor_breaks_a_rule(kind: Kind) -> None:
    for seconds in (False, True) if kind == "within" else (False,):
        machine = machine_of(kind, 2, seconds)
        for state in range(machine.size):
            begun = machine.flush(state)
            assert machine.accepting[begun] == machine.accepting[state]
            assert machine.flush(begun) == begun


def test_only_messages_that_rules_hear_make_a_core_too_long_for_z3() -> None:
    said: list[Item] = [Said("user", "well?", k) for k in range(200)]
    trace = Trace([*said, ToolCall("pay", {}, step=1, message=200)], id="t")
    for rule, proof in (
        ("look comes before pay.", "confirmed"),
        ("Every user message is followed by look.", "not_asked"),
    ):
        run = judged_trace(read_rules(rule), trace)
        assert run.verdict().verdict == "wrong"
        assert run.certify() == proof
