"""The actions of a text that nobody listed: found where they are certain, and an error where they are not."""

from __future__ import annotations

import pytest

from planscope.language.find_actions import UnsureActions, find_actions, new_names
from planscope.language.problem import make_actions
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Build image comes before run tests. Deploy, which follows run tests, precedes announce release.",
            ("build image", "run tests", "deploy", "announce release"),
        ),
        ("First build the image, then run the tests.", ("build the image", "run the tests")),
        (
            "1. Wash hands\n2. Knead dough and heat oven\n3. Bake bread",
            ("wash hands", "knead dough", "heat oven", "bake bread"),
        ),
        (
            "Check-in precedes the client's call. A QA review comes last.",
            ("check-in", "client's call", "a QA review"),
        ),
        ("A precedes B. Alarm review follows b.", ("A", "B", "alarm review")),
        (
            "Buy milk before baking bread. Restart the server last.",
            ("buy milk", "baking bread", "restart the server"),
        ),
        (
            "Don't do review of the draft for print until lunch is done.",
            ("review of the draft for print", "lunch"),
        ),
    ],
)
def test_found(text: str, names: tuple[str, ...]) -> None:
    assert find_actions(text) == names


@pytest.mark.parametrize(
    ("text", "found", "why"),
    [
        ("Follow up meeting precedes lunch.", ("up meeting", "lunch"), "--actions"),
        ("Test run before lunch.", ("test", "lunch"), '"Test run"'),
        ("Code review precedes lunch. Code reviews follow a nap.", None, "may be one action"),
        ("Code reviews follow code review.", ("code reviews", "code review"), "may be one action"),
        ("Zork or blip precedes lunch.", ("zork", "blip", "lunch"), '"or" is not supported'),
        ("Lunch happens after 12:00.", ("lunch",), "--timed"),
        ("", (), "lunch precedes nap"),
        ("Hello.", None, "cannot be read"),
    ],
)
def test_unsure(text: str, found: tuple[str, ...] | None, why: str) -> None:
    with pytest.raises(UnsureActions) as caught:
        find_actions(text)
    assert why in str(caught.value)
    assert found is None or caught.value.found == found


def test_names_besides_those_that_are_known() -> None:
    assert find_actions("Zork precedes lunch break.", ["lunch break"]) == ("lunch break", "zork")
    assert new_names("Zork precedes lunch break, and blip foo", make_actions(["lunch break"])) == (
        "zork",
        "blip foo",
    )


def test_what_is_found_in_random_queries_is_right_or_unsure() -> None:
    sure = 0
    for seed in range(60):
        made = synthesize(Request(actions=2 + seed % 5, seed=seed, timed=seed % 2 == 0))
        wanted = {action.name.casefold() for action in made.problem.actions}
        try:
            found = find_actions(made.text, timed=made.problem.timed)
        except UnsureActions:
            continue
        sure += 1
        assert {name.casefold() for name in found} == wanted, made.text
    assert sure > 50


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Review of the draft precedes lunch.", ("review of the draft", "lunch")),
        ("Review of a draft for the print precedes lunch.", ("review of a draft for the print", "lunch")),
        ("The lunch precedes the nap", ("lunch", "nap")),
    ],
)
def test_words_inside_a_name_belong_to_it_if_a_word_of_a_name_follows(
    text: str, names: tuple[str, ...]
) -> None:
    assert new_names(text, ()) == names
