"""Simulated models that misread documentation in a stated way, over the local server: what is faulty is found."""

from __future__ import annotations

from typing import Any

import pytest

from planscope.agents.fuzz_models import FuzzModels, ModelOptions
from planscope.agents.fuzz_prompts import PromptDoor
from planscope.toolfuzz.correctness.search import About, Correctness
from planscope.toolfuzz.engine import Options
from planscope.toolfuzz.served import ServedTools
from tests.toolfuzz.reader import Answering, Reader

FAULTS = {"roster": "day-first", "parcel": "no-units", "ship": "second-choice"}


def searched(reader: Reader, *names: str, **options: Any) -> Correctness:
    with (
        Answering(reader) as server,
        FuzzModels(
            ModelOptions("openai:local", base_url=server.base_url, tokens=options.pop("tokens", None))
        ) as models,
        ServedTools(Options("tests.toolfuzz.misleading:tools", tools=names)) as tools,
    ):
        about = [About(one.name, one.description, one.schema) for one in tools.tools]
        search = Correctness(about, PromptDoor(models, tools), most_sets=2, **options)
        search.run()
    return search


@pytest.mark.parametrize("tool", FAULTS)
def test_a_misread_tool_is_found_and_what_its_documentation_says_is_not(tool: str) -> None:
    reader = Reader(frozenset(FAULTS.values()))
    faulty = searched(reader, tool)
    assert [one.faulty for one in faulty.sets] == [True, True]
    assert searched(reader, f"{tool}_said").sets[0].faulty is False
    for one in faulty.sets:
        assert len(one.inputs) == len(one.outputs) == 2
        assert one.runs[0].prompt.startswith("hey, ") and one.runs[-1].prompt == one.runs[-1].filled
    assert reader.asked["judge"] == 16


def test_a_careful_reader_finds_nothing_in_misleading_tools() -> None:
    for tool in FAULTS:
        assert [one.as_data()["inputs_agree"] for one in searched(Reader(), tool).sets] == [True, True]
