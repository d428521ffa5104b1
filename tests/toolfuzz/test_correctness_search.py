"""The search for correctness failures, with a scripted model and a scripted agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from planscope.errors import UserError
from planscope.session.model import FuzzPrompt
from planscope.toolfuzz.correctness.baselines import Baseline, found_by
from planscope.toolfuzz.correctness.search import NOT_CALLED, Correctness
from planscope.toolfuzz.correctness.templates import Filled
from planscope.toolfuzz.outcome import Made, Outcome
from planscope.toolfuzz.tool_report import ToolReport
from tests.toolfuzz.printed import call, prompt_run, set_data

ROUTE = ToolReport(
    "route", "Find a route.", {"properties": {"to": {"type": "string"}}}, source="def route(to): ..."
)
ANSWERS: dict[str, Any] = {
    "templates": {"templates": ["How far is [A]?"]},
    "fillings": {"A": ["Bern", "Berne", "BE"]},
    "answers": {"answers": ["5 km"]},
    "expectation": {"expectation": "5 km"},
    "judge": {"correctness_degree": 2, "reason": "no"},
}


class Scripted:
    """A model that says the same to the same question, and an agent that does what ``act`` returns."""

    def __init__(self, act: Callable[[str], tuple[list[Made], str]], **answers: Any) -> None:
        self.act, self.answers = act, {**ANSWERS, **answers}
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self.ran: list[str] = []

    def ask_for(self, name: str, read: Callable[[Any], Any], fields: Mapping[str, str]) -> Any:
        self.asked.append((name, fields))
        answer = self.answers.get(name)
        if isinstance(answer, Exception):
            raise answer
        return read(answer)

    def run(self, prompt: str, filled: Filled) -> tuple[FuzzPrompt, list[Made]]:
        self.ran.append(prompt)
        calls, answer = self.act(prompt)
        told = [call(one.tool, one.arguments, one.text, one.kind != "ok") for one in calls]
        return prompt_run(prompt, filled.text, filled.words, told, answer=answer or None), calls

    def count(self, name: str) -> int:
        return sum(one == name for one, _ in self.asked)


def as_written(prompt: str) -> tuple[list[Made], str]:
    """Call the tool with the place as the prompt writes it."""
    place = prompt.removeprefix("How far is ").removesuffix("?")
    return [Made("route", {"to": place}, f"{place}: far")], "It is far."


def done(door: Scripted, **options: Any) -> Correctness:
    search = Correctness([ROUTE], door, **options)
    search.run()
    return search


def test_a_set_is_made_run_and_judged() -> None:
    door = Scripted(as_written)
    search = done(door, context="a folder with maps")
    [one] = search.sets
    assert one.faulty and one.expectation == "5 km" and len(one.runs) == 3
    assert sorted(door.ran) == ["How far is BE?", "How far is Bern?", "How far is Berne?"]
    assert dict(door.asked)["templates"]["tool_context"] == "a folder with maps"
    assert door.count("judge") == 3 and door.count("answers") == door.count("expectation") == 1
    assert one.runs[0].reason == "no"
    again = done(Scripted(as_written))
    assert json.dumps(set_data(again.sets[0])) == json.dumps(set_data(one))


@pytest.mark.parametrize(
    ("answers", "oracle"),
    [
        ({"judge": "gibberish"}, "unjudged"),
        ({"judge": None}, "unjudged"),
        ({"judge": {"correctness_degree": 99}}, "unjudged"),
        ({"answers": None}, "unjudged"),
        ({"expectation": {}}, "unjudged"),
        ({"judge": {"correctness_degree": 5}}, "passes"),
    ],
)
def test_an_answer_that_cannot_be_read_leaves_a_set_unjudged(answers: dict[str, Any], oracle: str) -> None:
    [one] = done(Scripted(as_written, **answers)).sets
    assert (one.oracle, one.faulty, one.inputs_agree) == (oracle, False, False)


def test_an_agent_that_says_nothing_is_no_data_and_is_not_judged() -> None:
    door = Scripted(lambda prompt: ([], ""))
    [one] = done(door).sets
    assert (one.inputs_agree, one.outputs_agree, one.oracle, one.faulty) == (True, None, "no data", False)
    assert door.count("judge") == door.count("answers") == 0


def test_the_judge_is_told_that_the_tool_was_not_called() -> None:
    door = Scripted(lambda prompt: ([Made("map", {}, "a map")], "It is far."))
    done(door)
    assert dict(door.asked)["judge"]["tool_output"] == NOT_CALLED


def test_templates_that_a_model_was_told_to_avoid_are_used_only_if_there_are_no_others() -> None:
    avoid, good = "How far is [the_place]?", "How far is [A]?"
    words = {"A": ["Bern", "BE"], "the place": ["Bern", "BE"]}
    for templates, used in (([avoid, good], [good]), ([avoid], [avoid])):
        door = Scripted(as_written, templates={"templates": templates}, fillings=words)
        assert [one.template for one in done(door).sets] == used
        assert door.count("templates") == 2  # the second answer brings nothing new


def test_a_template_without_synonyms_is_replaced_by_another() -> None:
    door = Scripted(
        as_written, templates={"templates": ["Where is [B]?", "How far is [A]?", "How far, [A]?"]}
    )
    search = done(door, most_sets=1)
    assert [one.template for one in search.sets] == ["How far is [A]?"] and len(search.remarks) == 1


def test_what_is_unusable_is_left_out_with_a_remark() -> None:
    assert done(Scripted(as_written, templates={"templates": ["no placeholder"]})).remarks == [
        "route: the model gave no template of a prompt that can be used."
    ]
    assert "no synonyms" in done(Scripted(as_written, fillings={"A": ["Bern"]})).remarks[0]


@pytest.mark.parametrize(("asks", "left"), [("judge", 1), ("fillings", 0)])
def test_a_spent_budget_keeps_the_sets_that_were_run(asks: str, left: int) -> None:
    search = Correctness([ROUTE], Scripted(as_written, **{asks: UserError("the budget is spent")}))
    with pytest.raises(UserError):
        search.run()
    assert len(search.sets) == left
    assert all(one.oracle == "unjudged" and len(one.runs) == 3 for one in search.sets)


def test_an_interruption_after_two_prompts_keeps_them() -> None:
    def act(prompt: str) -> tuple[list[Made], str]:
        if len(door.ran) == 3:
            raise KeyboardInterrupt
        return as_written(prompt)

    door = Scripted(act)
    search = Correctness([ROUTE], door)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert [len(one.runs) for one in search.sets] == [2]


@pytest.mark.parametrize(
    ("budget", "sets"), [({"most_calls": 3}, 1), ({"most_calls": 4}, 2), ({"seconds": 0}, 0), ({}, 2)]
)
def test_no_set_is_begun_once_a_budget_of_the_tool_is_spent(budget: dict[str, Any], sets: int) -> None:
    templates = {"templates": ["How far is [A]?", "How far is [A] ?"]}
    assert len(done(Scripted(as_written, templates=templates), **budget).sets) == sets


def test_wordings_that_change_the_meaning_are_not_used() -> None:
    worded = {"prompts": ["how far to bern", "how far to berne", "the way to be"]}
    door = Scripted(as_written, natural=worded, same_meaning={"same": [True, False, True]})
    done(door)
    assert [one.startswith("How far is") for one in door.ran] == [False, True, False]
    door = Scripted(as_written, natural=worded, same_meaning="perhaps")
    done(door)
    assert all(one.startswith("How far is") for one in door.ran)


def test_baselines_flag_crashes_and_wrong_answers_with_and_without_the_code() -> None:
    bad = Outcome("raised", "IndexError", "no", "m.py:3", key="k", plain="k")

    def act(prompt: str) -> tuple[list[Made], str]:
        return [Made("route", {"to": prompt}, None, bad)], "It is near."

    answers = {
        "crash_prompts": {"prompts": ["crash one", "crash two"]},
        "wrong_prompts": {"prompts": ["mislead one", "mislead two"]},
        "is_correct": {"correct": False, "reason": "it is far"},
    }
    for source in (False, True):
        door = Scripted(act, **answers)
        search = Baseline([ROUTE], door, ["runtime", "correctness"], source, 2)
        search.run()
        assert ("def route" in door.asked[0][1]["tool_info"]) is source
        found = list(found_by(search.tried).values())
        assert [(one.kind, one.occurrences) for one in found] == [
            ("raised", 2), ("inconsistent", 1), ("inconsistent", 1)
        ]  # fmt: skip
        assert found[0].location == "m.py:3" and "it is far" in found[1].message
    silent = Baseline([ROUTE], Scripted(act, **{**answers, "is_correct": "?"}), ["correctness"], False, 2)
    silent.run()
    assert [one.correct for one in silent.tried] == [None, None] and not found_by(silent.tried)
