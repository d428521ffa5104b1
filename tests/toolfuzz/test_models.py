"""The fuzzer's door to models: prompts, budgets, answers, and agents with sandboxed tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from planscope.errors import UserError
from planscope.session.model import AnswerEvent, CallEvent, Limits
from planscope.toolfuzz.answers import read_json
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.models import FuzzModels, ModelDown, ModelOptions, ToolRun
from planscope.toolfuzz.prompts import load_prompts
from planscope.toolfuzz.served import ServedTools
from planscope.toolfuzz.spending import BudgetSpent, Spending
from tests.agents.support import end_of
from tests.agents.wire.replies import Fail, Reply, Say, call, calls
from tests.agents.wire.server import WireServer, nobody

LOCAL = "openai:local"


@pytest.fixture(scope="module")
def served() -> Iterator[ServedTools]:
    with ServedTools(Options("tests.toolfuzz.model_tools:tools", call_limit=1.0)) as tools:
        yield tools


def models(server: WireServer, **options: Any) -> FuzzModels:
    return FuzzModels(ModelOptions(LOCAL, base_url=server.base_url, **options))


# --- prompts ---


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "judge = 'x {nothing} {format_instructions}'",
            "judge has no field {nothing}; its fields are {agent_output}",
        ),
        ("judge = '{agent_output}'", "judge must have {format_instructions}"),
        ("judge = '{format_instructions}'", "judge uses no field"),
        ("jugde = 'x'", "there is no prompt 'jugde'; the prompts are sane, "),
        ("judge = 3", "judge must be a text"),
        ("judge = ", "is not TOML"),
        ("format_instructions = 3", "format_instructions must be a table"),
    ],
)
def test_a_file_of_prompts_that_is_wrong_is_told_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(UserError) as error:
        load_prompts(tmp_path / "p.toml")
    assert why in str(error.value) and "\n" not in str(error.value)


def test_a_file_replaces_one_prompt_and_a_field_is_filled_in_once(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('judge = "{agent_output}/{expected} {format_instructions}"')
    prompts = load_prompts(tmp_path / "p.toml")
    filled = prompts.filled("judge", {"agent_output": "{expected}", "tool_output": "", "expected": "{x}"})
    assert filled.startswith("{expected}/{x} Answer with one JSON")
    assert prompts.texts["sane"] == load_prompts().texts["sane"]


# --- answers ---


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Sure! [like this]\n```json\n{"a": [1, 2]}\n```\nbye {"b": 1}', {"a": [1, 2]}),
        ('<think>{"a": 1}</think>no, {"a": 2}', {"a": 2}),
        ('{"a": NaN}', None),
        ("[" * 100_000, None),
        ("no", None),
        ("", None),
    ],
)
def test_json_is_read_out_of_an_answer(text: str, value: Any) -> None:
    assert read_json(text) == value


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_is_none() -> None:
    with WireServer([Say("no"), Say('{"sane": true}'), Say("?"), Say("!")]) as server, models(server) as door:
        fields = {"tool_prompt": "t", "tool_name": "t", "bad_arg": "{}"}
        assert door.ask_for("sane", lambda answer: answer, fields) == {"sane": True}
        assert door.ask_for("sane", lambda answer: answer, fields) is None
        assert len(server.requests) == 4
        assert door.spending.as_data() == {
            "model_calls": 4, "tokens_in": 28, "tokens_out": 12, "tokens_estimated": 0, "money": None
        }  # fmt: skip


# --- budgets ---


def test_budgets_of_tokens_and_money_end_the_questions() -> None:
    yes: list[Reply] = [Say('{"sane": true}')] * 9
    fields = {"tool_prompt": "t", "tool_name": "t", "bad_arg": "{}"}
    with WireServer(yes) as server, models(server, tokens=15) as door:
        door.ask_for("sane", lambda answer: answer, fields)
        door.ask_for("sane", lambda answer: answer, fields)
        with pytest.raises(BudgetSpent, match="15 tokens"):
            door.ask_for("sane", lambda answer: answer, fields)
    with WireServer(yes) as server, models(server, money=0.00002, price=(1.0, 5.0)) as door:
        door.ask_for("sane", lambda answer: answer, fields)
        with pytest.raises(BudgetSpent, match="2e-05 is spent"):
            door.ask_for("sane", lambda answer: answer, fields)
        assert door.spending.spent == pytest.approx(22e-6)


def test_tokens_that_no_server_counts_are_estimated() -> None:
    spending = Spending(tokens=30)
    spending.count(None, asked=41, answered=4)
    assert (spending.tokens_in, spending.tokens_out, spending.estimated) == (11, 1, 12)


def test_money_without_a_price_and_simulated_models_are_refused() -> None:
    with pytest.raises(UserError, match="--price"):
        FuzzModels(ModelOptions(LOCAL, money=1.0))
    with pytest.raises(UserError, match="reads no documentation"):
        FuzzModels(ModelOptions("sim:careful"))


def test_the_temperature_is_sent() -> None:
    with WireServer([Say("{}"), Say("{}")]) as server, models(server, temperature=0.7) as door:
        door.ask_for("mend_text", lambda answer: answer, {"tool_description": "t"})
        assert {one["temperature"] for one in server.requests} == {0.7}


# --- agents ---


def run(served: ServedTools, replies: Sequence[Reply], **options: Any) -> tuple[ToolRun, dict[str, Any]]:
    with WireServer(replies) as server, models(server, **options) as door:
        made = door.run("Do it.", served, descriptions={"second": "New words."})
        offered = {(f := t.get("function", t))["name"]: f for t in server.requests[0].get("tools", ())}
        return made, offered


def test_an_agent_calls_sandboxed_tools_and_its_calls_come_back_with_outcomes(served: ServedTools) -> None:
    made, offered = run(
        served,
        [
            calls(call("second", {"text": "a b"})),
            calls(call("second", {"text": "a"}), call("second", {"words": 3}, id="call_2")),
            calls(call("keep", {"text": "kept"}, id="call_3")),
            Say("Done."),
        ],
    )
    assert [one.outcome.kind for one in made.calls] == ["ok", "raised", "refused", "ok"]
    assert made.calls[0].answer == "b" and made.calls[1].outcome.exception == "IndexError"
    assert made.answer == "Done." and made.down == ""
    assert made.files == {"kept.txt": "kept"}
    assert (
        offered["second"]["description"] == "New words."
        and "text" in offered["second"]["parameters"]["properties"]
    )
    answers = [e for e in made.run.events if isinstance(e, AnswerEvent)]
    assert [e.status for e in answers] == ["ok", "error", "error", "ok"]
    assert answers[1].text == "Error: IndexError: list index out of range"
    assert end_of(made.run).ending == "stopped"


def test_each_run_begins_with_the_first_state_and_a_tool_that_dies_or_hangs_is_answered(
    served: ServedTools,
) -> None:
    made, _ = run(
        served,
        [
            calls(call("count", {})),
            calls(call("leave", {})),
            calls(call("wait", {"seconds": 1000})),
            calls(call("count", {})),
            Say("Done."),
        ],
    )
    assert [(one.tool, one.outcome.kind, one.answer) for one in made.calls] == [
        ("count", "ok", 1),
        ("leave", "killed", None),
        ("wait", "hung", None),
        ("count", "ok", 1),
    ]


@pytest.mark.parametrize("agent", ["react", "responses", "tests.toolfuzz.model_tools:own_agent"])
def test_every_agent_can_run_them(served: ServedTools, agent: str) -> None:
    react: list[Reply] = [
        Say('Thought: x\nAction: second\nAction Input: {"text": "a b"}'),
        Say("Final Answer: b"),
    ]
    replies = react if agent == "react" else [calls(call("second", {"text": "a b"})), Say("b")]
    made, _ = run(served, replies, agent=agent)
    assert [(one.tool, one.answer) for one in made.calls] == [("second", "b")]
    assert any(isinstance(e, CallEvent) for e in made.run.events)


def test_an_agent_that_is_down_is_told_apart_and_blames_no_tool(served: ServedTools) -> None:
    made, _ = run(served, [calls(call("second", {"text": "a b"})), Fail(400, "broken")])
    assert "refused the request" in made.down and len(made.calls) == 1
    with nobody() as address, FuzzModels(ModelOptions(LOCAL, base_url=address)) as door:
        made = door.run("Do it.", served)
        assert "could not be reached" in made.down and made.calls == []
        assert end_of(made.run).ending == "aborted"
        with pytest.raises(ModelDown, match="could not be reached"):
            door.ask_for("mend_text", lambda answer: answer, {"tool_description": "t"})


def test_a_budget_ends_a_run_and_limits_do_too(served: ServedTools) -> None:
    again: list[Reply] = [calls(call("second", {"text": "a b"}))] * 9
    with WireServer(again) as server, models(server, tokens=15) as door:
        with pytest.raises(BudgetSpent):
            door.run("Do it.", served)
        assert len(server.requests) == 2
    with WireServer(again) as server, models(server) as door:
        made = door.run("Do it.", served, limits=Limits(model_calls=2))
        assert made.down == "" and len(made.calls) == 2 and end_of(made.run).ending == "call_limit"


def test_what_is_asked_of_a_model_is_in_the_paper_s_words() -> None:
    text = " ".join(" ".join(load_prompts().texts.values()).split())
    assert "AVOID [locations_rating]" in text and "within 10% margin of error" in text
    assert "shouldn't be longer than 100 words" in text
