"""What the model saw and said, from the record of a run."""

from __future__ import annotations

from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    Given,
    MessageEvent,
    PromptEvent,
    Run,
    SeenMessage,
    SeenTool,
    Usage,
)
from planscope.session.record import record_of
from planscope.session.seen import NOT_RECORDED, cost_of, given_at_first, said_at

TOOL = SeenTool(name="mail", description="Send it.", parameters={"type": "object"})
RAW = {"type": "ai", "data": {"content": "I send both."}}


def run_of(*events: Event) -> Run:
    return Run(
        id="r1", variant="v1", agent="tools", model="sim:x", events=[*events, EndEvent(ending="stopped")]
    )


def parts(record_parts: object) -> dict[str, object]:
    return {part.name: part.value for part in record_parts}


def test_step_0_has_system_prompt_tools_and_messages_whole() -> None:
    long = "word " * 5000
    record = record_of(run_of(PromptEvent(text=long, system="You plan.", tools=[TOOL])))
    assert parts(given_at_first(record)) == {
        "system prompt": "You plan.",
        "tools": [{"name": "mail", "description": "Send it.", "parameters": {"type": "object"}}],
        "messages": [{"role": "user", "text": long}],
    }


def test_what_an_older_session_did_not_record_is_called_so() -> None:
    found = {part.name: part for part in given_at_first(record_of(run_of(PromptEvent(text="Go."))))}
    assert (found["tools"].value, found["tools"].known) == (NOT_RECORDED, False)
    assert found["messages"].value == [{"role": "user", "text": "Go."}]
    bare = given_at_first(record_of(run_of(CallEvent(step=1, tool="mail"))))
    assert [part.value for part in bare] == [NOT_RECORDED] * 3
    imported = said_at(record_of(run_of(CallEvent(step=1, tool="mail", arguments={}))), 1)
    assert parts(imported)["message"] == NOT_RECORDED


def test_the_first_call_of_an_own_agent_says_what_differs_from_the_prompt() -> None:
    given = Given(
        system="Mine.",
        tools=[TOOL, SeenTool(name="search")],
        messages=[SeenMessage(role="user", text="Before."), SeenMessage(role="user", text="Go.")],
    )
    record = record_of(
        run_of(PromptEvent(text="Go.", tools=[TOOL]), MessageEvent(text="Hm.", given=given, message=RAW))
    )
    found = parts(given_at_first(record))
    assert found["system prompt"] == "Mine."
    assert [tool["name"] for tool in found["tools"]] == ["mail", "search"]
    assert [one["text"] for one in found["messages"]] == ["Before.", "Go."]
    assert "system prompt, changed" not in parts(said_at(record, 1))


def test_a_step_has_the_raw_message_its_tokens_and_its_time() -> None:
    message = MessageEvent(
        at=3.5, text="I send both.", took=0.25, message=RAW, usage=Usage(input_tokens=1200, output_tokens=8)
    )
    record = record_of(
        run_of(
            PromptEvent(text="Go.", tools=[TOOL]),
            message,
            CallEvent(step=1, tool="mail", arguments={"to": "a"}),
            CallEvent(step=2, tool="mail", arguments={"to": "b"}),
            AnswerEvent(step=1, text='{"sent": [1, 2]}', took=0.5, artifact={"id": 7}),
            AnswerEvent(step=2, text="[not JSON"),
            MessageEvent(at=5, text="Done.", given=Given(tools=[])),
        )
    )
    first = parts(said_at(record, 1))
    assert first["raw message"] == RAW
    assert first["tokens and time"] == "1,200 tokens read, 8 written, 0.25 s, 3.5 s after the start"
    assert (first["answer"], first["artifact"], first["time of the tool"]) == (
        {"sent": [1, 2]},
        {"id": 7},
        "0.5 s",
    )
    second = parts(said_at(record, 2))
    assert (second["message"], second["answer"]) == ("the same as at step 1", "[not JSON")
    last = parts(said_at(record, 3))
    assert (last["raw message"], last["tools, changed"]) == ("Done.", "none")
    assert last["tokens and time"].startswith(f"tokens {NOT_RECORDED}, ")
    assert cost_of([]) == ""
