"""SMT-LIB 2: the problem and the run's last attempt as text, so that any solver can confirm the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planscope.oracle.formula import Encoding, Formula


def term(formula: Formula | int) -> str:
    """One term in SMT-LIB syntax."""
    if isinstance(formula, int):
        return str(formula) if formula >= 0 else f"(- {-formula})"
    if isinstance(formula, str):
        return formula
    return "(" + " ".join(term(part) for part in formula) + ")"


def document(
    encoding: Encoding, core: Sequence[str], notes: Mapping[str, str], heading: Sequence[str]
) -> str:
    """The whole file. ``core``: members of the minimal core, checked first, alone; the last check judges all.

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
    """A comment on one line of printable ASCII: names come from files, and solvers differ in what they read."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)
