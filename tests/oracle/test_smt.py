"""Questions to Z3: what each formula means, minimal cores, and the limits that a solver is given."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import z3

from planscope.oracle.formula import Encoding, Formula
from planscope.oracle.smt import Judge, fresh_solver


def judge(*members: tuple[str, Formula], background: tuple[Formula, ...] = (), **more: Any) -> Judge:
    return Judge(Encoding(("x", "y"), ("p", "q"), background, members), **more)


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        (("<", "x", 2), [0, 1]),
        (("<=", "x", 2), [0, 1, 2]),
        ((">", "x", 2), [3]),
        ((">=", "x", 2), [2, 3]),
        (("=", "x", 2), [2]),
        (("not", ("=", "x", 2)), [0, 1, 3]),
        (("and", (">", "x", 0), ("<", "x", 2)), [1]),
        (("or", ("=", "x", 0), ("=", "x", 3)), [0, 3]),
        (("=>", (">", "x", 1), ("=", "x", 3)), [0, 1, 3]),
        (("=", ("+", "x", 1, 1), 3), [1]),
        (("=", ("ite", ("<", "x", 2), "x", 5), 1), [1]),
        ("true", [0, 1, 2, 3]),
    ],
)
def test_what_a_formula_means(formula: Formula, values: list[int]) -> None:
    made = judge(("m", formula), *((f"x{n}", ("=", "x", n)) for n in range(4)))
    assert [n for n in range(4) if made.check(["m", f"x{n}"]) == "sat"] == values


def test_a_minimal_core_is_no_core_without_any_of_its_members() -> None:
    made = judge(
        ("a", ("<", "x", 1)), ("b", (">", "x", 1)), ("c", ("=", "y", 1)), background=((">", "y", 0),)
    )
    assert (made.check(), made.check(["a", "c"]), made.check(["a", "b"])) == ("unsat", "sat", "unsat")
    assert made.hint() == {"a", "b"}
    assert made.is_minimal_core(["a", "b"]) is True
    assert made.is_minimal_core(["a", "b", "c"]) is False and made.is_minimal_core(["a", "c"]) is False
    assert made.all_true([("unsat", ["a", "b"]), ("sat", ["c"])]) is True
    assert made.all_true([("sat", ["c"]), ("unsat", ["a"])]) is False
    assert judge(("a", ("<", "y", 1)), background=((">", "y", 0),)).is_minimal_core(["a"]) is True


class Told:
    """A solver that notes its settings and what it answers."""

    def __init__(self, solver: Any, answer: Any = None) -> None:
        self.solver, self.answer = solver, answer
        self.settings: list[dict[str, Any]] = []

    def set(self, **settings: Any) -> None:
        self.settings.append(settings)
        self.solver.set(**settings)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solver, name)

    def check(self, *literals: Any) -> Any:
        return self.solver.check(*literals) if self.answer is None else self.answer


@pytest.mark.parametrize(("timeout", "shorter"), [(1000, 200), (4, 1)])
def test_questions_about_minimality_get_a_fifth_of_the_time(timeout: int, shorter: int) -> None:
    made = judge(("a", ("<", "x", 1)), ("b", (">", "x", 1)), timeout=timeout)
    made._solver = told = Told(made._solver)
    assert made.is_minimal_core(["a", "b"]) is True
    assert told.settings == [{"timeout": shorter}, {"timeout": timeout}]
    made._solver = Told(told.solver, z3.unknown)
    assert (made.check(), made.is_minimal_core(["a"]), made.all_true([("sat", ["a"])])) == (
        "unknown",
        None,
        None,
    )


def test_a_solver_has_the_limits_that_it_is_given() -> None:
    def asked(**settings: int) -> Any:
        context, solver = fresh_solver(**settings)
        holes = [[z3.Bool(f"{i} in {j}", context) for j in range(7)] for i in range(8)]
        solver.add(*(z3.Or(row) for row in holes))
        solver.add(
            *(z3.Or(z3.Not(a[j]), z3.Not(b[j])) for j in range(7) for a in holes for b in holes if a is not b)
        )
        return solver.check()

    assert asked(rlimit=50) == z3.unknown
    assert asked() == z3.unsat


class Plans:
    """Hints that note what they are asked, with one plan and one fact."""

    def __init__(self, plan: dict[str, int] | None, fact: tuple[str, Formula] | None = None) -> None:
        self.given, self.fact, self.asked = plan, fact, list[str]()

    def follows(self, members: Any) -> list[tuple[str, Formula]]:
        self.asked.append(f"follows {' '.join(members)}")
        return [] if self.fact is None else [self.fact]

    def plan(self, members: Any) -> dict[str, int] | None:
        self.asked.append(f"plan {' '.join(members)}")
        return self.given


def test_hints_save_work_and_decide_nothing() -> None:
    right, wrong, none = Plans({"x": 0}), Plans({"x": 5}), Plans(None, ("a", ("<", "x", 1)))
    for hints, asked in (
        (right, ["plan a"]),
        (wrong, ["plan a", "follows a"]),
        (none, ["plan a", "follows a"]),
    ):
        made = judge(("a", ("<", "x", 1)), ("b", (">", "x", 1)), hints=hints)
        assert made.check(["a"]) == "sat" and hints.asked == asked
        assert made.check() == "unsat" and made.check(["b"]) == "sat"


def test_a_signal_while_z3_begins_leaves_no_second_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    dropped: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", dropped.append)
    monkeypatch.setattr("z3.z3.Z3_mk_context_rc", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fresh_solver()
    gc.collect()
    assert not dropped
