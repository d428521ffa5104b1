"""One run has one judgement, whichever door is asked: of random traces, and of samples of every format."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.oracle.trace import Said, Tool, ToolCall, Trace
from planscope.session.model import EndEvent, MessageEvent, PromptEvent, Run
from planscope.session.traces import NO_ANSWER, trace_of
from planscope.traces import open_traces
from tests.hostile import in_turn
from tests.nightly import examples, rounds
from tests.rules import same_everywhere
from tests.rules.same_everywhere import Pair, check_trace, differences, own_rules, random_pair, traits
from tests.traces.rich import FILES

OF_TWO = """\
{a} comes before {b}.
{b} comes before {a}.
{a} that succeeded comes before {b}.
Every {b} is followed by {a}.
Every {a} is followed by any call of unheard_of_*.
{b} with id > 6 never happens.
{b} only if the latest {a} had status = "ok".
{a} by planner comes before {b}.
{b} happens right after {a}.
Every {a} is followed by {b} within 3 seconds.
a user message comes before {a}.
The last call is {b}.
""".splitlines()


def test_the_cause_of_a_run_that_is_cut_off_and_graded_names_no_lost_step() -> None:
    """Only a run that is wrong has a lost step to tell; the door of a session named one."""
    assert differences(random_pair(Random(648))) == []


@settings(max_examples=examples(40), deadline=None)
@given(st.randoms(use_true_random=False))
def test_every_door_judges_a_random_trace_alike(random: Random) -> None:
    assert not differences(random_pair(random))


def test_the_random_pairs_have_what_judgements_can_differ_in() -> None:
    had: Counter[str] = Counter()
    for seed in range(rounds(34, 100)):
        had.update(traits(random_pair(Random(seed))))
    assert (
        min(had.values()) >= rounds(1, 3)
        and {"an unknown rule", "a broken rule", "verdict aborted"} <= had.keys()
    )


@pytest.mark.parametrize("turn,name", list(enumerate(FILES)))
def test_every_door_judges_a_file_alike(
    turn: int, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("trace") / "run.txt"
    path.write_bytes(FILES[name])
    for trace in open_traces([path]):
        tools = list(dict.fromkeys(call.tool for call in trace.calls)) or ["search"]
        pair = Pair(trace, "")
        for rule in in_turn(OF_TWO, turn, 16):
            text = rule.format(a=f"`{tools[0]}`", b=f"`{tools[-1]}`")
            assert not differences(pair.by(text)), (text, trace)


def verdicts(trace: Trace, text: str) -> set[str | None]:
    pair = Pair(trace, text)
    assert not differences(pair)
    return {check_trace(pair).verdict, own_rules(pair).verdict}


def test_an_answer_that_was_not_captured_is_none() -> None:
    look, refund = (
        ToolCall("look", answered=True),
        ToolCall("refund", answer="done", answered=True, failed=False),
    )
    trace = Trace([look, refund])
    assert verdicts(trace, 'refund only if the latest look had status = "ok".') == {"unknown"}
    assert verdicts(trace, "Every look that failed is followed by look.") == {"unknown"}
    run = Pair(trace, "look happens.").run
    assert any(getattr(event, "text", "") == NO_ANSWER for event in run.events)
    assert [(call.answer, call.answered, call.failed) for call in trace_of(run).calls] == [
        (None, True, None),
        ("done", True, False),
    ]


def test_a_format_is_no_agent() -> None:
    trace = Trace([ToolCall("look"), ToolCall("refund")], format="openai-chat", agent="planner")
    assert verdicts(trace, "look by planner comes before refund.") == {"unknown"}
    assert verdicts(trace, "look by `openai-chat` comes before refund.") == {"unknown"}


def test_an_agent_that_planscope_recorded_has_its_name() -> None:
    events = [PromptEvent(text="go"), MessageEvent(), *_called("look", None), *_called("look", "helper")]
    run = Run(id="r1", variant="v1", agent="planner", model="m", events=[*events, EndEvent(ending="stopped")])
    assert [call.agent for call in trace_of(run).calls] == ["planner", "helper"]


def _called(tool: str, agent: str | None) -> list[object]:
    from planscope.session.model import CallEvent

    return [CallEvent(step=1 if agent is None else 2, tool=tool, arguments={}, agent=agent)]


def test_a_tool_that_was_called_is_not_one_that_was_defined() -> None:
    text = "Every deploy is followed by any call of notify_*."
    called = Pair(Trace([ToolCall("deploy"), ToolCall("write_log")]), text)
    assert not differences(called)
    assert own_rules(called).lost == 3, "only at the end: a tool that nobody has seen may notify"
    tools = {name: Tool(name) for name in ("deploy", "write_log")}
    defined = Pair(Trace([ToolCall("deploy"), ToolCall("write_log")], tools=tools), text)
    assert not differences(defined)
    assert own_rules(defined).lost == 1


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("look comes before refund. refund is a tool.", "right"),
        ("Every look is followed by refund. refund is a tool.", "aborted"),
        ("look never happens.", "wrong"),
    ],
)
def test_a_file_that_is_cut_off_says_so(text: str, verdict: str) -> None:
    cut = Trace([ToolCall("look")], "aborted", "line 3: it is not JSON", "cut_off")
    pair = Pair(cut, text)
    assert not differences(pair)
    assert {check_trace(pair).verdict, own_rules(pair).verdict} == {verdict}
    assert own_rules(pair).reason == "cut_off"
    end = pair.run.events[-1]
    assert isinstance(end, EndEvent) and (end.ending, end.cause, end.reason) == (
        "aborted",
        "cut_off",
        cut.reason,
    )


def test_times_that_were_not_recorded_are_none() -> None:
    items = [Said("user", "go"), ToolCall("look", at=0.0), ToolCall("refund"), ToolCall("look", at=40.0)]
    back = trace_of(Pair(Trace(items), "look happens.").run)
    assert [item.at for item in back.items] == [None, 0.0, None, 40.0]
    once = trace_of(Pair(Trace([ToolCall("look", at=0.0), ToolCall("refund")]), "look happens.").run)
    assert [item.at for item in once.items] == [0.0, None]


def test_a_door_that_disagrees_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    doors = {**same_everywhere.DOORS, "a liar": lambda pair: same_everywhere.Judgement("right")}
    monkeypatch.setattr(same_everywhere, "DOORS", doors)
    (line,) = differences(Pair(Trace([ToolCall("look")]), "look never happens."))
    assert line.startswith("verdict: ") and "'a liar': 'right'" in line
