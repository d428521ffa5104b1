"""A plan that a person played, kept as a run of the session."""

from __future__ import annotations

from typing import Protocol

from planscope.oracle.trace import Call
from planscope.session.model import Run, Session, Variant

AGENT = "person"
MODEL = "played by hand"
"""What such a run says of who made it."""


class PlayedCalls(Protocol):
    """What is kept of ``planscope.debugger.played.Played``."""

    @property
    def kept(self) -> tuple[Call, ...]: ...
    @property
    def calls(self) -> tuple[Call, ...]: ...


def as_run(session: Session, run: Run | None, played: PlayedCalls, *, variant: Variant | None = None) -> Run:
    """What was played, as a run of its own that begins with the first calls of ``run`` and ends there.

    It belongs to the variant of ``run``; where nothing was run yet (None), to ``variant``, by default the newest.
    Each call is answered as its mock tool does. The session is not changed: append the run to ``session.runs``.
    """
    raise NotImplementedError
