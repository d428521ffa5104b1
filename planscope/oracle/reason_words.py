"""Cores and corrections in plain sentences that name actions and quote the request. No id appears in them."""

from __future__ import annotations

from planscope.oracle.reason_types import Correction
from planscope.oracle.verdict_types import Core
from planscope.oracle.walk import Walk


def describe_core(run: Walk, index: int, core: Core) -> str:
    """One or two sentences: why what is in the core cannot be met together."""
    raise NotImplementedError


def describe_correction(run: Walk, index: int, correction: Correction) -> str:
    """One sentence: what would have to be given up, and what could be had then."""
    raise NotImplementedError
