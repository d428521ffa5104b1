"""Writes a judged run as SMT-LIB 2 text, so that any solver can confirm the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planscope.oracle.certificate import encoding_of, member_names
from planscope.oracle.formula import Encoding, Formula
from planscope.oracle.replay import Replay

NO_WORDS: Mapping[str, str] = {}


def term(formula: Formula | int) -> str:
    """Write one term in SMT-LIB syntax."""
    if isinstance(formula, int):
        return str(formula) if formula >= 0 else f"(- {-formula})"
    if isinstance(formula, str):
        return formula
    return "(" + " ".join(term(part) for part in formula) + ")"


def document(
    encoding: Encoding, core: Sequence[str], notes: Mapping[str, str], heading: Sequence[str]
) -> str:
    """Write the whole file. ``core``: members of the minimal core, checked first and alone; the last check judges
    all.

    ``notes`` give a comment for a member, ``heading`` the comment lines at the top.
    """
    lines = [f"; {_plain(line)}" for line in heading]
    lines += ["(set-option :produce-unsat-cores true)", "(set-logic QF_LIA)"]
    lines += [f"(declare-const {name} Int)" for name in encoding.integers]
    lines += [f"(declare-const {name} Bool)" for name in encoding.booleans]
    lines += [f"(assert {term(formula)})" for formula in encoding.background]
    formulas = dict(encoding.members)
    if core:
        lines += ["", "; The minimal core alone: unsat, and sat without any one of its members.", "(push 1)"]
        lines += [f"(assert (! {term(formulas[name])} :named core_{name}))" for name in core]
        lines += ["(check-sat)", "(pop 1)"]
    lines += ["", "; The whole: sat if the run's last attempt meets everything."]
    for name, formula in encoding.members:
        if name in notes:
            lines.append(f"; {name}: {_plain(notes[name])}")
        lines.append(f"(assert (! {term(formula)} :named {name}))")
    lines.append("(check-sat)")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Make a comment one line of printable ASCII: names come from files, and solvers differ in the text they accept."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)


def smt_document(run: Replay, title: str = "", in_words: Mapping[str, str] = NO_WORDS) -> str:
    """Write the problem and the run's last attempt with named assertions; the last check judges the whole.

    If the plan was lost, the minimal core is checked first, alone. ``in_words``: constraints by id, for the comments.
    """
    violation = run.verdict().first_violation
    problem = run.problem
    notes = {
        c.id: f"{c.text} ({in_words[c.id]})" if c.id in in_words else c.text for c in problem.constraints
    }
    for fact in run.facts:
        if fact.action is not None:
            notes[f"step{fact.step}"] = f"step {fact.step}: {problem.actions[fact.action].name}"
    notes["end"] = "the agent ended the run"
    heading = [f"planscope: {title}" if title else "planscope"]
    heading += [f"{a.id} = {a.name}" for a in problem.actions]
    expected = "unsat" if violation else "sat"
    heading.append(f"expected answer of the last check: {expected}")
    if run.trace.ending in ("timeout", "call_limit"):
        heading.append("the run reached a limit; these formulas do not express that error")
    core = member_names(violation.core) if violation else []
    return document(encoding_of(run.own), core, notes, heading)
