"""A solver of Z3, as every question here begins with it."""

from __future__ import annotations

from typing import Any

import z3

DIFFERENCES = {"arith.solver": 3}
"""For systems of differences that are sparse: a third to a fifth of the time."""


def fresh_solver(**settings: int) -> tuple[Any, Any]:
    """A context of its own and an empty solver in it, for one thread at a time. ``settings``: by Z3's names."""
    context = z3.Context()
    solver = z3.SimpleSolver(ctx=context)
    solver.set(ctrl_c=False, **settings)  # an interrupt from the keyboard is Python's
    return context, solver
