"""A second solver reads what is exported and must say the same: of the whole, and of the core."""

from __future__ import annotations

import random

import pytest

from planscope.oracle.replay import replay
from planscope.oracle.smtlib import smt_document
from tests.nightly import rounds
from tests.oracle import brute

cvc5 = pytest.importorskip("cvc5")


def answers(text: str) -> list[str]:
    """What cvc5 says to each check of an SMT-LIB file."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    symbols = cvc5.SymbolManager(terms)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "export")
    found = []
    while not (command := parser.nextCommand()).isNull():
        out = command.invoke(solver, symbols).strip()
        if out in ("sat", "unsat", "unknown"):
            found.append(out)
        else:
            assert not out, out
    return found


@pytest.mark.parametrize("timed", [False, True])
def test_cvc5_agrees(timed: bool) -> None:
    for seed in range(rounds(60, 200)):
        rng = random.Random(seed)
        problem, trace = brute.random_timed(rng) if timed else brute.random_base(rng)
        run = replay(problem, trace)
        verdict = run.verdict()
        expected = ["unsat", "unsat"] if verdict.first_violation else ["sat"]
        assert answers(smt_document(run, f"case {seed}")) == expected, seed


@pytest.mark.parametrize("timed", [False, True])
def test_cvc5_finds_every_core_minimal(timed: bool) -> None:
    for seed in range(rounds(20, 60)):
        rng = random.Random(seed)
        problem, trace = brute.random_timed(rng) if timed else brute.random_base(rng)
        run = replay(problem, trace)
        if run.verdict().first_violation is None:
            continue
        text = smt_document(run)
        lines = text.splitlines()
        core = [k for k, line in enumerate(lines) if ":named core_" in line]
        for dropped in core:
            smaller = "\n".join(line for k, line in enumerate(lines) if k != dropped)
            assert answers(smaller)[0] == "sat", (seed, lines[dropped])


def test_hostile_names_stay_in_comments() -> None:
    from planscope.language.problem import Problem, make_actions, rules

    hostile = Problem(make_actions(["a\n(assert false)", "b) (exit", "ünï|c"]), rules(False))
    run = replay(hostile, brute.trace("a_assert_false b_exit uni_c"))
    assert answers(smt_document(run, "x\n(assert false)")) == ["sat"]
