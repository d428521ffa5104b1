"""Whether two requests ask for the same: Z3's answer against every order and every hour there is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest

from planscope.language.problem import Problem
from planscope.oracle.equivalence import equivalent
from planscope.oracle.redundancy import redundant
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.each import each
from tests.nightly import rounds
from tests.oracle.brute import base_legal, timed_starts
from tests.oracle.build import problem
from tests.synthesis.mutant_checks import closure


def random_said(rng: Random, names: str, timed: bool) -> list[str]:
    said = []
    for _ in range(rng.randint(1, 5)):
        if timed and rng.random() < 0.6:
            said.append(f"{rng.choice(names)}{rng.choice(['>=', '<='])}{rng.randint(0, 24)}")
        else:
            said.append("<".join(rng.sample(names, 2)))
    return said


def a_change(rng: Random, said: list[str], names: str, timed: bool) -> list[str]:
    """The same with something left out, added or moved by an hour; often it means the same still."""
    said = rng.sample(said, len(said))
    kind = rng.randrange(3)
    if kind == 0 and len(said) > 1:
        said.pop()
    elif kind == 1:
        said += random_said(rng, names, timed)[:1]
    elif "=" in said[0]:
        left, hour = said[0][:3], int(said[0][3:])
        said[0] = f"{left}{min(24, max(0, hour + rng.choice([-1, 1])))}"
    return said


@each("seed", range(rounds(50, 150)))
def test_base(seed: int) -> None:
    rng = Random(seed)
    names = "ABCD"[: rng.randint(2, 4)]
    said = random_said(rng, names, False)
    one = problem(" ".join(names), *said)
    other = problem(" ".join(names), *a_change(rng, said, names, False))
    same = set(base_legal(one, [])) == set(base_legal(other, []))
    assert equivalent(one, other) is equivalent(other, one) is same
    assert equivalent(one, other, foreseen=True) is same


@each("seed", range(150), every=30)
def test_timed(seed: int) -> None:
    rng = Random(seed)
    names = "ABC"[: 3 if seed < 20 else 2]
    takes = [rng.randint(1, 6) for _ in names]
    said = random_said(rng, names, True)
    one = problem(" ".join(names), *said, timed=True, durations=takes)
    changed = a_change(rng, said, names, True)
    other = problem(" ".join(names), *changed, timed=True, durations=takes)
    same = timed_starts(one) == timed_starts(other)
    assert equivalent(one, other) is same
    if equivalent(one, other, foreseen=True):
        assert same, "what is the same whatever the durations are is so with these"


@each("seed", range(rounds(50, 150)))
def test_whatever_the_durations_are(seed: int) -> None:
    """Differences of two hours: all that follows from them is found by shortest paths."""
    rng = Random(seed)
    names = "ABCDE"[: rng.randint(2, 5)]
    said = random_said(rng, names, True)
    one = problem(" ".join(names), *said, timed=True)
    other = problem(" ".join(names), *a_change(rng, said, names, True), timed=True)
    known, changed = closure(one), closure(other)
    lost = [any(found[x, x] < 0 for x, _ in found) for found in (known, changed)]
    same = known == changed if not any(lost) else all(lost)
    assert equivalent(one, other, foreseen=True) is same


@pytest.mark.parametrize("timed", [False, True])
@each("seed", range(rounds(8, 25)))
def test_one_constraint_less_is_the_same_where_the_others_imply_it(seed: int, timed: bool) -> None:
    asked = synthesize(Request(actions=5, seed=seed, timed=timed, lists=0.4)).problem
    implied = redundant(asked)
    for c in asked.said:
        less = replace(asked, constraints=tuple(d for d in asked.constraints if d is not c))
        assert equivalent(asked, less, foreseen=True) is (c.id in implied)


def test_what_only_the_durations_and_the_clock_say() -> None:
    """One by one, with six hours each: B cannot come first. Nobody who plans could know."""

    def asked(*said: str) -> Problem:
        return problem("A B", *said, timed=True, durations=[6, 6])

    assert equivalent(asked("A<=8"), asked("A<=8", "A<B")) is True
    assert equivalent(asked("A<=8"), asked("A<=8", "A<B"), foreseen=True) is False
    assert equivalent(asked("A<B", "B<=20"), asked("A<B", "B<=20", "A<=14")) is True
    assert equivalent(asked("A<B", "B<=20"), asked("A<B", "B<=20", "A<=14"), foreseen=True) is False
    assert equivalent(asked("A<B", "B<=20"), asked("A<B", "B<=20", "A<=19"), foreseen=True) is True


def test_ids_are_the_renaming() -> None:
    one, other = problem("A B C", "A<B", "B<C"), problem("X Y Z", "Y<Z", "X<Y", "X<Z")
    assert equivalent(one, other) is True
    assert equivalent(one, problem("A B C", "A<B", "A<C")) is False


def test_other_actions_are_never_the_same() -> None:
    timed = problem("A B", "A<B", timed=True, durations=[1, 2])
    assert equivalent(problem("A B", "A<B"), problem("A B C", "A<B")) is False
    assert equivalent(problem("A B", "A<B"), timed) is False
    assert equivalent(timed, problem("A B", "A<B", timed=True, durations=[2, 2])) is False
    unknown = problem("A B", "A<B", timed=True)
    assert equivalent(unknown, problem("A B", "A<B", timed=True, durations=[1, 1])) is True


def test_contradictions_are_all_the_same() -> None:
    one, other = problem("A B", "A<B", "B<A"), problem("A B", "A<A")
    assert equivalent(one, other) is True
    assert equivalent(one, problem("A B", "A<B")) is False


def test_none_where_z3_gives_up() -> None:
    names, takes = " ".join("ABCDEFGH"), [2, 3, 1, 4, 2, 3, 4, 5]
    one = problem(names, "A<B", timed=True, durations=takes)
    other = problem(names, "A<B", "C<=20", timed=True, durations=takes)
    assert equivalent(one, other) is False
    assert equivalent(one, other, effort=1) is None
    assert equivalent(one, other) is False, "what was asked before is forgotten"


def test_each_thread_has_its_own_solver() -> None:
    def work(seed: int) -> bool:
        asked = synthesize(Request(actions=5, seed=seed, timed=seed % 2 == 0)).problem
        less = replace(asked, constraints=asked.constraints[1:])
        same = asked.constraints[0].id in redundant(asked)
        return all(
            equivalent(asked, asked) and equivalent(asked, less, foreseen=True) is same for _ in range(5)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(16)))
