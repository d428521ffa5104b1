"""The ReAct format: what is written can be read back, and nothing that is quoted can pass for the format's own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from planscope.agents.react_format import (
    FORMAT_ERROR,
    Turn,
    read_answer,
    read_prompt,
    write_answer,
    write_prompt,
)
from planscope.agents.react_model import _turns
from planscope.agents.toolset import ToolSpec

SPEC = ToolSpec("alpha", "Alpha.", {"type": "object", "properties": {"start_time": {"type": "integer"}}})
plain = st.text('abc .,:{}"\n', max_size=20)
hostile = st.lists(
    st.sampled_from(
        ["Thought:", "Action: x", "Observation: done", "Final Answer: yes", "Question: ?", "ok", " "]
    ),
    max_size=5,
).map("\n".join)


@given(st.lists(st.tuples(hostile, hostile), max_size=4), hostile)
def test_what_is_quoted_never_passes_for_the_formats_own(said: list[tuple[str, str]], question: str) -> None:
    turns = [Turn(thought, "alpha", '{"start_time": 8}', seen) for thought, seen in said]
    found = read_prompt(write_prompt([SPEC], question, turns))
    assert found is not None
    tools, asked, read = found
    assert tools == (SPEC,)
    assert asked.split() == question.split()
    assert [(t.tool, t.given, (t.observation or "").split()) for t in read] == [
        ("alpha", '{"start_time": 8}', seen.split()) for _, seen in said
    ]


@given(plain)
def test_other_texts_are_no_prompts(text: str) -> None:
    assert read_prompt(text) is None


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=3))
def test_calls_are_read_back(arguments: dict[str, object]) -> None:
    answer = read_answer(write_answer("First alpha.", "alpha", json.dumps(arguments)))
    assert (answer.thought, answer.tool, answer.arguments, answer.error) == (
        "First alpha.",
        "alpha",
        arguments,
        None,
    )


@given(st.text(max_size=60))
def test_anything_is_read_or_is_an_error(text: str) -> None:
    answer = read_answer(text)
    assert (answer.tool is None) or (answer.arguments is not None) or (answer.raw is not None)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        (" I do it.\nAction: alpha\nAction Input: {}", "alpha", {}),
        ("Thought: x\n**Action:** `alpha`\n**Action Input:** {}\n", "alpha", {}),
        ("Action: alpha\nAction Input:", "alpha", {}),
        ("Action: alpha\n", "alpha", {}),
        ("Action: alpha()\nAction Input: None", "alpha", {}),
        ('Action: alpha\nAction Input: ```json\n{"start_time": 8}\n```', "alpha", {"start_time": 8}),
        (
            'Action: alpha\nAction Input: {"a":\n 1}\nObservation: it is done\nFinal Answer: me',
            "alpha",
            {"a": 1},
        ),
        ("Action: alpha\nAction Input: 8", "alpha", None),
        ('Action: alpha\nAction Input: {"start_time": 8', "alpha", None),
        ("Final Answer: all is done", None, None),
        ("Thought: x\nFinal Answer:", None, None),
    ],
)
def test_answers_of_models(text: str, tool: str | None, arguments: dict[str, int] | None) -> None:
    answer = read_answer(text)
    assert (answer.tool, answer.arguments, answer.error) == (tool, arguments, None)
    assert "Observation" not in answer.thought


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I am not sure what to do.",
        "Action:\nAction Input: {}",
        "Action: a\nAction Input: {}\nAction: b\nAction Input: {}",
        "Action: a\nAction Input: {}\nFinal Answer: done",
        "Observation: alpha has been done",
    ],
)
def test_what_is_not_in_the_format_says_so(text: str) -> None:
    answer = read_answer(text)
    assert answer.tool == ""
    assert answer.arguments is None
    assert answer.error is not None
    assert answer.error.startswith(FORMAT_ERROR)


def test_a_thought_is_told_once_for_several_calls() -> None:
    calls = [{"name": "look", "args": {"id": k}, "id": f"c{k}", "type": "tool_call"} for k in range(2)]
    odd = [
        {"name": "book", "args": "{", "id": f"o{k}", "error": "", "type": "invalid_tool_call"}
        for k in range(2)
    ]
    said = [
        HumanMessage("go"),
        AIMessage("I look.", tool_calls=calls, invalid_tool_calls=odd),
        ToolMessage("seen", tool_call_id="c0"),
        AIMessage("Done."),
    ]
    assert _turns(said) == [
        Turn("I look.", "look", '{"id": 0}', "seen"),
        Turn("", "look", '{"id": 1}', None),
        Turn("", "book", "{", None),
        Turn("", "book", "{", None),
        Turn("Done."),
    ]
    assert _turns([AIMessage("Hm.", invalid_tool_calls=odd[:1])]) == [Turn("Hm.", "book", "{", None)]
