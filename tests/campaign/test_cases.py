"""Cases are made by their names alone, and arms are named by all that changes their runs."""

from __future__ import annotations

import pytest

from planscope.campaign.cases import Arm, Knobs, case_id, case_seed, make_case, read_case_id, run_seed
from planscope.errors import UserError
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.session.oracle_input import problem_of


def test_the_papers_number_of_cases() -> None:
    assert [Knobs().count(n) for n in (2, 3, 4, 5, 6, 7, 20)] == [20, 60, 120, 200, 300, 300, 300]
    assert Knobs(cases=7).count(2) == 7


@pytest.mark.parametrize("timed", [False, True])
def test_a_case_can_be_made_again(timed: bool) -> None:
    knobs = Knobs(seed=5, timed=timed)
    first, again = make_case(knobs, 4, 9), make_case(knobs, 4, 9)
    assert first == again
    assert first.printed != make_case(knobs, 4, 10).printed
    assert first.printed != make_case(Knobs(seed=6, timed=timed), 4, 9).printed
    assert len(first.variant.actions) == 4
    blank = replay(problem_of(first.variant), Trace((), "running"))
    assert blank.steps[0].state == "completable"


def test_a_case_does_not_depend_on_how_many_there_are() -> None:
    assert case_seed(Knobs(cases=3), 4, 1) == case_seed(Knobs(cases=300), 4, 1)


def test_arms_have_the_same_cases_and_other_seeds() -> None:
    knobs = Knobs()
    one, two = Arm("tools", "sim:flaky"), Arm("react", "sim:flaky")
    assert run_seed(knobs, one, 3, 0) != run_seed(knobs, two, 3, 0)
    assert run_seed(knobs, one, 3, 0) == run_seed(knobs, one, 3, 0)


def test_drawn_numbers_of_actions_stay_in_their_range() -> None:
    cases = list(Knobs(cases=50, drawn=(3, 5)).cases_of(3, 5))
    assert len(cases) == 150
    assert {n for n, _ in cases} == {3, 4, 5}
    assert [index for _, index in cases] == list(range(150))
    assert cases == list(Knobs(cases=50, drawn=(3, 5)).cases_of(3, 5))


def test_names() -> None:
    assert Arm("tools", "openai:x/y").name == "tools/openai:x/y"
    assert Arm("tools", "sim:careful", prompts="/a/short.toml").name == "tools+short.toml/sim:careful"
    assert Arm("tools", "m", guard=True).name == "tools+guard/m"
    assert Arm("tools", "m", role="a").name != Arm("tools", "m", role="b").name
    assert "/" not in Arm("a/b:f", "m", prompts="c\\d.toml").name.removesuffix("/m")
    assert read_case_id(case_id(5, 17)) == (5, 17)
    for wrong in ("", "5-17", "n5", "n5-", "nx-1", "n5-1-2", "n" + "9" * 40 + "-1"):
        with pytest.raises(UserError, match="is not a case"):
            read_case_id(wrong)
