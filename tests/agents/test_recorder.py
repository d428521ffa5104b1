"""What the recorder makes of a model's messages, good and bad, in the real agent loop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, messages_from_dict

from planscope.session.model import AnswerEvent, CallEvent, MessageEvent, PromptEvent, Run
from tests.agents.support import run_agent
from tests.nightly import examples

from .support import (
    abc,
    answers_of,
    calls_of,
    check_record,
    end_of,
    says,
    scripted,
    variant,
)


async def run(*script: Any, timed: bool = False, **options: Any) -> Run:
    case = variant("Alpha happens before beta.", ["alpha", "beta"], durations=[2, 3] if timed else None)
    found = await run_agent(case, model=scripted(*script), **options)
    check_record(found.events)
    return found


async def test_a_run_is_recorded_from_prompt_to_end() -> None:
    found = await run(says(("alpha", {}), text="First alpha."), says(("beta", {})), role="You plan.")
    assert [e.type for e in found.events] == [
        "prompt", "message", "call", "answer", "message", "call", "answer", "message", "end",
    ]  # fmt: skip
    prompt, message, call, answer = found.events[:4]
    assert isinstance(prompt, PromptEvent)
    assert "Alpha happens before beta." in prompt.text
    assert prompt.system == "You plan."
    assert [(tool.name, tool.description) for tool in prompt.tools or ()] == [
        ("alpha", "Alpha."),
        ("beta", "Beta."),
    ]
    assert prompt.messages is None
    assert isinstance(message, MessageEvent)
    assert message.given is None
    assert message.text == "First alpha."
    assert isinstance(call, CallEvent)
    assert (call.step, call.tool, call.arguments, call.error) == (1, "alpha", {}, None)
    assert isinstance(answer, AnswerEvent)
    assert (answer.step, answer.text, answer.status) == (1, "Alpha has been done.", "ok")
    assert answer.call_id == call.call_id == "c1"
    assert end_of(found).ending == "stopped"
    assert found.started is not None


async def test_events_come_as_they_happen() -> None:
    seen: list[str] = []

    class Watching(list[Any]):
        def __call__(self, event: Any) -> None:
            seen.append(event.type)

    found = await run(says(("alpha", {})), says(("beta", {})), on_event=Watching())
    assert seen == [e.type for e in found.events]


async def test_messages_are_kept_to_fork_from() -> None:
    found = await run(says(("alpha", {"why": 1}), text="hm"))
    stored = [e.message for e in found.events if isinstance(e, MessageEvent)]
    first = messages_from_dict([m for m in stored if m])[0]
    assert isinstance(first, AIMessage)
    assert first.text == "hm"
    assert [(c["name"], c["args"], c["id"]) for c in first.tool_calls] == [("alpha", {"why": 1}, "c1")]


async def test_usage_and_thoughts() -> None:
    thought = AIMessage(
        [{"type": "reasoning", "reasoning": "alpha is first"}], tool_calls=says(("alpha", {})).tool_calls
    )
    counted = AIMessage("ok", usage_metadata={"input_tokens": 7, "output_tokens": 2, "total_tokens": 9})
    found = await run(thought, counted)
    first, second = [e for e in found.events if isinstance(e, MessageEvent)]
    assert first.text == "alpha is first"
    assert first.usage is None
    assert second.usage is not None
    assert (second.usage.input_tokens, second.usage.output_tokens) == (7, 2)


async def test_raw_arguments_are_recorded_and_not_what_a_tool_makes_of_them() -> None:
    wanted: list[dict[str, Any]] = [
        {"start_time": "8"}, {"start_time": True}, {"start_time": 8.0}, {"start_time": 8, "x": [1]}, {},
    ]  # fmt: skip
    found = await run(*(says(("alpha", a)) for a in wanted), timed=True)
    got = [c.arguments for c in calls_of(found)]
    assert got == wanted
    assert [type((a or {}).get("start_time")) for a in got] == [str, bool, float, int, type(None)]
    assert [a.status for a in answers_of(found)] == ["error", "error", "ok", "ok", "error"]


async def test_an_unknown_tool_is_a_step_with_an_error() -> None:
    found = await run(says(("ghost", {"a": 1})), says(("alpha", {})))
    ghost, alpha = calls_of(found)
    assert (ghost.tool, ghost.arguments) == ("ghost", {"a": 1})
    assert [a.status for a in answers_of(found)] == ["error", "ok"]
    assert "ghost" in answers_of(found)[0].text
    assert alpha.step == 2


async def test_calls_of_one_message_keep_their_order() -> None:
    names = ["beta", "alpha", "ghost", "beta", "alpha", "ghost", "alpha"]
    found = await run(says(*((n, {"n": i}) for i, n in enumerate(names))))
    assert [(c.tool, (c.arguments or {})["n"]) for c in calls_of(found)] == [
        (n, i) for i, n in enumerate(names)
    ]
    kinds = [e.type for e in found.events if e.type in ("call", "answer")]
    assert kinds == ["call", "answer"] * len(names)  # never two at once


async def test_an_unreadable_call_alone_ends_the_run() -> None:
    found = await run(says(("alpha", '{"start_')))
    (call,) = calls_of(found)
    assert (call.tool, call.arguments, call.raw) == ("alpha", None, '{"start_')
    assert call.error is not None
    assert "not JSON" in call.error
    assert answers_of(found) == []
    assert end_of(found).ending == "stopped"


async def test_an_unreadable_call_beside_a_good_one() -> None:
    found = await run(says(("beta", "[8]"), ("alpha", {})), says(("beta", {})))
    assert [(c.step, c.tool, c.arguments) for c in calls_of(found)] == [
        (1, "alpha", {}), (2, "beta", None), (3, "beta", {}),
    ]  # fmt: skip
    assert sorted((a.step, a.status) for a in answers_of(found)) == [(1, "ok"), (2, "error"), (3, "ok")]


async def test_the_order_of_unreadable_calls_is_kept_where_it_is_known() -> None:
    message = says(("beta", "{"), ("alpha", {}), ("beta", "8"))
    message.additional_kwargs["tool_calls"] = [{"id": "c1"}, {"id": "c2"}, {"id": "c3"}]
    found = await run(message)
    assert [(c.tool, c.arguments) for c in calls_of(found)] == [("beta", None), ("alpha", {}), ("beta", None)]


@pytest.mark.parametrize("identity", [None, "", "c1"])
async def test_calls_without_ids_of_their_own(identity: str | None) -> None:
    def one(name: str) -> AIMessage:
        call: Any = {"name": name, "args": {}, "id": identity, "type": "tool_call"}
        return AIMessage("", tool_calls=[call, {**call, "name": "alpha"}])

    found = await run(one("alpha"), one("beta"))
    assert [c.tool for c in calls_of(found)] == ["alpha", "alpha", "beta", "alpha"]
    assert len({c.call_id for c in calls_of(found)}) == 4
    assert [a.status for a in answers_of(found)] == ["ok"] * 4


async def test_messages_with_the_same_id_do_not_hide_one_another() -> None:
    first, second = says(("alpha", {})), says(("beta", {}))
    first.id = second.id = "m1"
    model = scripted(first, second)
    found = await run_agent(abc(), model=model)
    assert [c.tool for c in calls_of(found)] == ["alpha", "beta"]
    assert [m.type for m in model.chat.seen[-1]] == ["human", "ai", "tool", "ai", "tool"]


async def test_what_json_cannot_hold_is_recorded_and_does_no_harm() -> None:
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    odd = {"start_time": float("nan"), "x\ud800": "\udfff", "deep": deep, "big": 10**400}
    found = await run(says(("alpha", odd), text="\ud800!"), timed=True)
    again = Run.model_validate_json(found.model_dump_json())
    assert again == found
    assert answers_of(found)[0].status == "error"


@settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["alpha", "beta", "gamma", "ghost", ""]),
                st.sampled_from([{}, {"a": 1}, {"start_time": 3}, {"self": 0}, "{", "[]", "8", None]),
            ),
            max_size=4,
        ),
        max_size=4,
    )
)
async def test_every_record_is_well_formed(script: list[list[tuple[str, Any]]]) -> None:
    found = await run_agent(abc(), model=scripted(*(says(*calls) for calls in script)))
    check_record(found.events)
    wanted = []
    for calls in script:
        good = [name for name, arguments in calls if isinstance(arguments, dict)]
        wanted += good + [name for name, arguments in calls if not isinstance(arguments, dict)]
        if not good:
            break
    assert [c.tool for c in calls_of(found)] == wanted
    assert Run.model_validate_json(found.model_dump_json()) == found
