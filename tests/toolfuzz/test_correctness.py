"""Prompts that mean the same: their templates and fillings, the form of calls, the three checks, the search."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from planscope.documents.fuzz import FuzzDocument
from planscope.session.model import FuzzPrompt
from planscope.session.store import load
from planscope.show.text import lines as text_lines
from planscope.toolfuzz.correctness.canonical import canonical, canonical_output
from planscope.toolfuzz.correctness.checks import PromptSet, cross_calls, read_score
from planscope.toolfuzz.correctness.templates import (
    Filled,
    natural,
    placeholders,
    prompts,
    read_fillings,
    read_templates,
    same_meaning,
)
from planscope.toolfuzz.formats import pytest_file
from planscope.toolfuzz.keeping import keep, put, record_of, set_of
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.tool_report import ToolReport
from planscope.views.prompt_sets import pieces, set_blocks
from tests.toolfuzz.printed import call, data_of, page, prompt_run, prompt_set, set_data


def test_templates_have_placeholders_of_words_only() -> None:
    answer = {
        "questions": [
            "How far is [A] from [the city]?",
            "how far is [A] from [the city]?",
            "No placeholder",
            "What is [locations_rating]?",
            "What is [bracket_selector[]]?",
            7,
        ]
    }
    assert read_templates(answer) == ["How far is [A] from [the city]?"]
    assert read_templates("no list") == read_templates(None) == []
    assert placeholders("[A] and [B] and [A]") == ["A", "B"]


@pytest.mark.parametrize(
    "answer",
    [
        {"A": ["Zurich", "ZH"], "B": ["Bern"]},
        {"[A]": ["Zurich", "ZH", "Zurich "], "[B]": ["Bern", "[B]", "b"]},
        [{"placeholder": "A", "infills": ["Zurich", "ZH"]}, {"placeholder": "B", "infills": ["Bern"]}],
        [{"A": ["Zurich", "ZH"]}, {"B": ["Bern"]}],
        {"infills": {"A": ["Zurich", "ZH"], "B": ["Bern"]}},
        {"infills": [{"mask": "A", "words": ["Zurich", "ZH"]}, {"mask": "B", "words": ["Bern"]}]},
    ],
)
def test_fillings_are_read_in_the_ways_that_models_write_them(answer: Any) -> None:
    assert read_fillings(answer, "From [A] to [B]") == {"A": ["Zurich", "ZH"], "B": ["Bern"]}


@pytest.mark.parametrize(
    "answer", [None, "x", {}, {"A": ["Zurich"]}, {"A": ["Zurich"], "B": ["Bern"]}, {"A": [1]}]
)
def test_fillings_that_make_no_two_prompts_are_none(answer: Any) -> None:
    assert read_fillings(answer, "From [A] to [B]") is None


def test_prompts_are_drawn_from_the_product_and_all_words_come_early() -> None:
    fillings = {"A": [f"a{k}" for k in range(4)], "B": [f"b{k}" for k in range(3)], "C": ["c0", "c1"]}
    made = prompts("[A] [B] [C]", fillings, 8, "1")
    assert made == prompts("[A] [B] [C]", fillings, 8, "1") != prompts("[A] [B] [C]", fillings, 8, "2")
    assert len({one.text for one in made}) == 8
    assert all(one.text == " ".join(one.words.values()) for one in made)
    counts = Counter(item for one in made for item in one.words.items())
    assert set(counts) == {(name, word) for name, words in fillings.items() for word in words}
    assert len(prompts("[A] [B] [C]", fillings, 99, "1")) == 24
    many = {name: [f"{name}{k}" for k in range(20)] for name in "ABCDEFGH"}
    assert len(prompts(" ".join(f"[{name}]" for name in many), many, 30, "1")) == 30


def test_natural_wordings_are_one_for_each_prompt_or_none_is_used() -> None:
    filled = [Filled("one", {}), Filled("two", {}), Filled("three", {})]
    assert natural(filled, ["1", "2", "3"]) == ["1", "2", "3"]
    assert natural(filled, {"prompts": ["1", "1", ""]}) == ["1", "two", "three"]
    assert natural(filled, ["1", "2"]) is None
    assert same_meaning({"answers": [True, False, True]}, 3) == [True, False, True]
    assert same_meaning([{"same": True}, {"same": False}], 2) == [True, False]
    assert same_meaning([True, "yes"], 2) is None
    assert same_meaning([True], 2) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": [1.0]}, {"b": [1], "a": 1.00}, True),
        ({"q": " big   city\n"}, {"q": "big city"}, True),
        ({"q": '{"a": 1, "b": 2}'}, {"q": '{"b":2.0,"a":1}'}, True),
        (1e22, 10**22, True),
        (0.1, "0.1", False),
        (-0.0, 0, True),
        (True, 1, False),
        ("007", "7", False),
        (None, "", False),
        ({"q": "City"}, {"q": "city"}, False),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        (123456789.123456789, 123456789.12345678, False),
        (10**400, 10**400 + 1, False),
    ],
)
def test_the_form_of_a_call(one: Any, other: Any, same: bool) -> None:
    assert (canonical(one) == canonical(other)) is same


def test_the_form_of_an_output() -> None:
    assert canonical_output('{"km": 5.0}') == canonical_output(' {"km":5}\n')
    assert canonical_output("5.0") == canonical_output("5")
    assert canonical_output("5 km") == canonical_output("5  km") != canonical_output("5.0 km")
    assert canonical_output(None) != canonical_output("")
    deep = "[" * 100_000 + "]" * 100_000
    assert canonical_output(deep) == canonical_output(deep) != canonical_output("[]")


def _run(
    k: int, given: Any, output: str | None, score: int | None, words: dict[str, str] | None = None
) -> FuzzPrompt:
    calls = [] if given is None else [call("route", given, output)]
    return prompt_run(
        f"prompt {k}", f"prompt {k}", words or {"A": f"a{k}"}, calls, answer="an answer", score=score
    )


@pytest.mark.parametrize(("inputs", "outputs", "oracle"), list(itertools.product([True, False], repeat=3)))
def test_a_set_is_faulty_only_if_all_three_checks_fail(inputs: bool, outputs: bool, oracle: bool) -> None:
    runs = [
        _run(
            k, {"to": "Bern" if inputs else f"Bern {k}"}, "5 km" if outputs else f"{k} km", 9 if oracle else 2
        )
        for k in range(4)
    ]
    made = prompt_set("route", "How far is [A]?", {"A": ["a0", "a1", "a2", "a3"]}, runs, "about 5 km")
    data = set_data(made)
    assert (data["inputs_agree"], data["outputs_agree"]) == (inputs, outputs)
    assert data["oracle"] == ("passes" if oracle else "fails")
    assert data["faulty"] is (not inputs and not outputs and not oracle)
    assert len(data["inputs"]) == (1 if inputs else 4)
    assert len(data["outputs"]) == (1 if outputs else 4)
    assert data["prompts"] == [f"prompt {k}" for k in range(4)]
    assert data["scores"] == [9 if oracle else 2] * 4


@pytest.mark.parametrize(
    ("scores", "oracle"),
    [
        ([4, 4, 5, 10], "fails"),
        ([4, 5, 5, 10], "passes"),
        ([0, 10], "fails"),
        ([None, None, 10, 10], "unjudged"),
        ([None, 10, 10, 10], "passes"),
        ([None, 4, 10, 10], "unjudged"),
        ([None, 4, 4, 10], "fails"),
        ([None], "unjudged"),
        ([], "no data"),
    ],
)
def test_the_oracle(scores: list[int | None], oracle: str) -> None:
    made = prompt_set(
        "route", "[A]", {}, [_run(k, {"to": k}, str(k), score) for k, score in enumerate(scores)]
    )
    assert made.oracle == oracle


def test_no_call_is_a_bucket_and_an_agent_that_is_down_is_none() -> None:
    runs = [_run(1, {"to": "Bern"}, "5", 9), _run(2, None, None, 9), _run(3, {"to": "Bern"}, "5", 9)]
    down = prompt_run("prompt 4", "prompt 4", {}, [], error="the model is down")
    made = prompt_set("route", "[A]", {}, [*runs, down])
    assert [(one.prompts, one.calls) for one in made.inputs] == [([1, 3], [{"to": "Bern"}]), ([2], [])]
    assert (made.inputs_agree, made.outputs_agree) == (False, False)
    assert prompt_set("route", "[A]", {}, [runs[0], down]).inputs_agree is None
    silent = prompt_set("route", "[A]", {}, [_run(1, None, None, 1), _run(2, None, None, 1)])
    assert (silent.inputs_agree, silent.outputs_agree, silent.faulty) == (True, None, False)
    nothing = prompt_set("route", "[A]", {}, [down, down])
    assert (nothing.inputs_agree, nothing.outputs_agree, nothing.oracle) == (None, None, "no data")


def test_an_output_that_nobody_recorded_is_no_data() -> None:
    runs = [_run(1, {"to": "Bern"}, "5", 1), _run(2, {"to": "Zug"}, None, 1), _run(3, {"to": "Bern"}, "5", 1)]
    made = prompt_set("route", "[A]", {}, runs)
    assert (made.inputs_agree, made.outputs_agree, made.faulty) == (False, True, False)
    assert prompt_set("route", "[A]", {}, runs[:2]).outputs_agree is None
    assert prompt_set("route", "[A]", {}, [*runs, _run(4, {"to": "Chur"}, "9", 1)]).faulty


def test_calls_are_compared_in_order_and_only_those_to_the_tool() -> None:
    first, second = call("route", {"to": "Bern"}, "5"), call("route", {"to": "Zug"}, "6")
    other = call("weather", {"in": "Bern"}, "rain")
    runs = [
        prompt_run("p", "p", {}, calls, answer="x")
        for calls in ([first, other, second], [first, second], [second, first])
    ]
    assert [one.prompts for one in prompt_set("route", "[A]", {}, runs).inputs] == [[1, 2], [3]]


def test_the_words_that_decide_what_differs_are_told() -> None:
    fillings = {"day": ["3 April", "04/03"], "city": ["Bern", "Berne"]}
    runs = [
        _run(
            k,
            {"date": "04-03" if day == "3 April" else "03-04", "city": "Bern"},
            "x",
            1,
            {"day": day, "city": city},
        )
        for k, (day, city) in enumerate(itertools.product(*fillings.values()))
    ]
    [one] = prompt_set("route", "[day] in [city]", fillings, runs).differences
    assert (one.argument, one.words) == ("date", ("day",))
    assert [(shown.value, list(shown.prompts)) for shown in one.values] == [
        ("04-03", [1, 2]),
        ("03-04", [3, 4]),
    ]
    alone = prompt_set("route", "[day] in [city]", fillings, [runs[0], runs[3]])
    assert alone.differences[0].words == ()  # each word comes once: it could be either
    alone.fillings = {"day": fillings["day"], "city": ["Bern"]}
    assert alone.differences[0].words == ("day",)  # nothing else varies


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ({"correctness_degree": 7, "reason": "close"}, 7),
        ({"score": "8"}, 8),
        ({"score": " 7.5 / 10"}, 7),
        ({"score": "7/100"}, None),
        ({"score": "eight"}, None),
        ({"correctness_degree": 4.9}, 4),
        ({"correctness_degree": 0}, 0),
        ({"correctness_degree": 11}, None),
        ({"correctness_degree": True}, None),
        ({"correctness_degree": float("nan")}, None),
        ({}, None),
        ("8", None),
        (None, None),
    ],
)
def test_the_score_of_a_judge(answer: Any, score: int | None) -> None:
    found = read_score(answer)
    assert (found and found[0]) == score


def test_the_matrix_counts_prompts_and_not_calls() -> None:
    one = call("route", {}, "5")
    runs = [
        ("route", prompt_run("p", "p", {}, [one, one])),
        ("route", prompt_run("p", "p", {}, [call("map", {}, "x"), one])),
        ("map", prompt_run("p", "p", {}, [one])),
        ("map", prompt_run("p", "p", {})),
        ("map", prompt_run("p", "p", {}, error="down")),
    ]
    assert cross_calls(runs, ["route", "map"]) == [
        {"tool": "route", "prompts": 2, "none": 0, "called": {"route": 2, "map": 1}},
        {"tool": "map", "prompts": 2, "none": 1, "called": {"route": 1, "map": 0}},
    ]


# --- how sets are shown and kept ---


def test_fillings_are_found_as_whole_words_in_a_natural_wording() -> None:
    run = prompt_run("maybe near be, or Bern?", "", {"A": "BE", "B": "Bern"})
    assert [(one.text, one.placeholder) for one in pieces(run) if one.placeholder] == [
        ("be", "A"),
        ("Bern", "B"),
    ]
    assert "".join(one.text for one in pieces(run)) == run.prompt


HOSTILE = "<script>alert(1)</script>"


def twelve() -> PromptSet:
    """A faulty set of 12 prompts that led to 12 calls and 12 outputs, with hostile text everywhere."""
    words = [f"{HOSTILE} {k}" for k in range(12)]
    runs = [
        prompt_run(
            f"Is {word} near https://evil.example/{k}?",
            f"Is {word} near?",
            {"A": word},
            [
                call(
                    "route",
                    {"to": f"{word} bucket-in-{k}"},
                    f"{HOSTILE} http://evil.example bucket-out-{k} {'x' * 3000}",
                )
            ],
            answer=f"{HOSTILE}\x1b[31m",
            score=1,
            reason=HOSTILE,
        )
        for k, word in enumerate(words)
    ]
    return prompt_set("route", f"Is [A] near {HOSTILE}?", {"A": words}, runs, HOSTILE)


def report() -> Report:
    made = Report("mine:route", 1, tools=[ToolReport("route"), ToolReport("map")])
    sound = prompt_set(
        "map", "[A]?", {"A": ["a", "b"]}, [_run(1, None, None, 9), _run(2, None, None, 9)], "x"
    )
    sets = [twelve(), sound]
    made.put_sets(sets, cross_calls([(one.tool, run) for one in sets for run in one.runs], ["route", "map"]))
    return made


def test_the_page_shows_twelve_buckets_whole_and_nothing_of_it_runs() -> None:
    text = page(report())
    assert text.count("<script") == 1 and "\x1b" not in text
    assert "://" not in text and "src=" not in text and "@import" not in text
    for k in range(12):
        assert text.count(f"bucket-in-{k}&quot;") == text.count(f"bucket-out-{k} {'x' * 3000}") + 1 == 2
        assert f"call {k + 1}: prompt {k + 1}<" in text and f"output {k + 1}: prompt {k + 1}<" in text
    assert text.count("<mark") == 12


def test_a_faulty_set_is_a_finding_and_the_others_are_kept() -> None:
    data = data_of(report())
    FuzzDocument.model_validate(data)
    [finding] = data["findings"]
    assert (finding["kind"], finding["set"], finding["occurrences"]) == ("inconsistent", 1, 12)
    assert finding["input"] == {"to": f"{HOSTILE} 0 bucket-in-0"}
    assert data["statistics"]["unique_errors"] == 1
    assert data["statistics"]["calls_per_unique_error"] == 12
    assert [one["faulty"] for one in data["sets"]] == [True, False]
    assert data["matrix"][1] == {"tool": "map", "prompts": 2, "none": 2, "called": {"route": 0, "map": 0}}
    assert "def test_" not in pytest_file(report())


def test_sets_are_kept_in_a_session_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    keep(record_of(report()), path)
    session = load(path)
    [fuzzing] = session.fuzzings or []
    found = set_of(fuzzing.findings[0], fuzzing)
    assert found == twelve()
    fuzzing.findings[0] = fuzzing.findings[0].model_copy(update={"label": "true"})
    again = record_of(report())
    again.findings.append(again.findings[0].model_copy(update={"set": 2}))  # another set: it has no label
    put(session, again)
    assert [one.label for one in session.fuzzings[0].findings] == ["true", None]
    fuzzing.findings[0] = fuzzing.findings[0].model_copy(update={"set": 99})
    assert set_of(fuzzing.findings[0], fuzzing) is None


@pytest.mark.parametrize("width", [80, 120])
def test_the_lines_of_a_set_fit_and_hold_no_controls(width: int) -> None:
    lines = list(text_lines(set_blocks(twelve(), 1), width))
    assert max(map(len, lines)) <= width and "\x1b" not in "".join(lines)
    assert all(any(f"call {k}: prompt {k}" in one for one in lines) for k in range(1, 13))
