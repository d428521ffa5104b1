"""Dissecting: mutants are made and run, one after the other or several at a time, until the cause is clear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from planscope.session.model import Cell, CellKind, Dissection, Limits, Run, Session, Variant

OnCell = Callable[[Cell, Variant], None]
OnRun = Callable[[Cell, Run], None]


class Dissector:
    """One dissection under way. The session is read when this is made, and changed by :meth:`add_to` alone.

    ``variant`` is the request; ``run`` the failing run that it begins with, if any. ``resume``: a dissection of
    this session to go on with (then ``variant``, ``run``, ``method`` and ``seed`` are its own).
    ``on_cell`` gets each mutant when it is made (no run yet), ``on_run`` each run when it has ended, on the thread
    of :meth:`go` or the agents' event loop: pass them on and return at once. What they are given is not changed
    afterwards. The ids of what is made begin with the dissection's (``d1v1``, ``d1r1``), so they are free.

    Raises what :class:`planscope.agents.runner.LiveRun` raises where no run can begin, ``ParseFailure`` where the
    request cannot be read, and ``UserError`` where ``resume`` does not fit.
    """

    def __init__(
        self,
        session: Session,
        variant: Variant,
        *,
        model: str,
        agent: str = "tools",
        run: Run | None = None,
        method: Literal["rates", "paper"] = "rates",
        budget: int = 60,
        seed: int | None = None,
        at_once: int = 8,
        base_url: str | None = None,
        role: str | None = None,
        limits: Limits | None = None,
        resume: Dissection | None = None,
        on_cell: OnCell | None = None,
        on_run: OnRun | None = None,
    ) -> None:
        raise NotImplementedError

    @property
    def dissection(self) -> Dissection:
        """A copy of the record so far, from any thread."""
        raise NotImplementedError

    def go(self, kind: CellKind | None = None, number: int | None = None, *, times: int = 1) -> Dissection:
        """Spend runs, and block until it is done. May be called again, also after :meth:`stop`.

        Without a ``kind``: as the method wants, until it is decided or the budget is spent. With a ``kind``: a run
        on each of ``times`` mutants that have none yet. With a ``number`` too: ``times`` runs of that mutant. All
        count against the budget. An interrupt (Ctrl-C) stops what is under way, and is passed on.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """End :meth:`go` soon, from any thread: runs under way are cancelled and dropped, finished ones stay."""
        raise NotImplementedError

    def add_to(self, session: Session) -> Dissection:
        """Put what there is so far into a session, from the thread that owns it; may be done again and again."""
        raise NotImplementedError
