"""The actions of a text that nobody listed: found where they are certain, and an error where they are not."""

from __future__ import annotations

import pytest

from planscope.language.find_actions import UnsureActions, find_actions, new_names
from planscope.language.problem import make_actions
from planscope.language.reading import read_query
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
            "Do these in order:\n- wash hands\n- knead the dough\n- heat ovens",
            ("wash hands", "knead the dough", "heat ovens"),
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
        (
            "Run the tests before deploying. Deploy before 5 pm.",
            ("run the tests", "deploying", "deploy"),
            'or pass --timed --actions "run the tests, deploy"',
        ),
        ("", (), "lunch precedes nap"),
        ("Hello.", None, "cannot be read"),
    ],
)
def test_unsure(text: str, found: tuple[str, ...] | None, why: str) -> None:
    with pytest.raises(UnsureActions) as caught:
        find_actions(text)
    assert why in str(caught.value)
    assert found is None or caught.value.found == found


POLICY = (
    "Get the order, check the refund policy, and then refund the customer. "
    "Never refund before checking the policy."
)


def test_an_action_that_is_named_twice_in_other_words_is_asked_about() -> None:
    with pytest.raises(UnsureActions) as caught:
        find_actions(POLICY)
    told = str(caught.value)
    assert '"check the refund policy" and "checking the policy" may be one action' in told
    assert "write the same words in both places" in told
    one, two = caught.value.readings
    assert one == "get the order, check the refund policy, refund the customer"
    assert two == f"{one}, refund, checking the policy"
    assert f'--actions "{one}" or, if there are two, --actions "{two}"' in told
    read = read_query(POLICY, make_actions(one.split(", "))).problem
    assert [c.text for c in read.said] == ["a1 < a2", "a2 < a3", "a3 > a2"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("refund", "refund the customer", True),
        ("the refund", "refund the customer", True),
        ("checking the policy", "check the refund policy", True),
        ("run the tests", "tests", True),
        ("running the tests", "run the tests", True),
        ("deploy", "deploy to production", True),
        ("creation of the account", "create the account", True),
        ("check the order", "check the refund policy", False),
        ("order check", "policy check", False),
        ("test the app", "test the api", False),
        ("build the app", "test the app", False),
        ("deploy to staging", "deploy to production", False),
        ("send the invoice", "sending the order confirmation", False),
        ("open the ticket", "close the ticket", False),
    ],
)
def test_words_that_two_names_share(one: str, other: str, same: bool) -> None:
    text = f"{one.capitalize()} precedes lunch. A nap follows {other}."
    try:
        find_actions(text)
    except UnsureActions as unsure:
        assert same and "may be one action" in unsure.why
    else:
        assert not same


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Log in before sending mail.", ("log in", "sending mail")),
        ("Build the image before you run the tests.", ("build the image", "run the tests")),
        ("Call the supplier before lunch.", ("call the supplier", "lunch")),
    ],
)
def test_verbs_and_their_particles_belong_to_names(text: str, names: tuple[str, ...]) -> None:
    assert find_actions(text) == names


def test_a_verb_that_is_not_known_is_no_part_of_a_name() -> None:
    names = ("lint", "test", "build", "deploy")
    with pytest.raises(UnsureActions) as caught:
        find_actions("Lint, test and build must every finish before deploy.")
    assert caught.value.found == names
    assert find_actions("Lint, test and build must all finish before deploy.") == names


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
