"""Every minimal core and every minimal correction set of a run that failed (MARCO, Liffiton et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.reason_types import Correction, Reasons
from planscope.oracle.verdict_types import Core
from planscope.oracle.walk import Walk

MOST = 100
"""Cores, and corrections, that are looked for at most."""


def reasons(
    run: Walk,
    index: int | None = None,
    *,
    most: int = MOST,
    timeout: int = 2_000,
    on_core: Callable[[Core], None] | None = None,
    on_correction: Callable[[Correction], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    started: Callable[[Callable[[], None]], None] | None = None,
) -> Reasons:
    """Why the plan is lost at ``index`` (default: at the first doomed step of the last attempt).

    ``most``: cores, and corrections, at most. ``timeout``: milliseconds for each question that Z3 is asked.
    ``on_core`` and ``on_correction`` are called for each as it is found, the oracle's own core first. ``stopped`` is
    looked at between questions; ``started`` is handed, once, a function that ends the search at once, for any
    thread to call.
    """
    raise NotImplementedError
