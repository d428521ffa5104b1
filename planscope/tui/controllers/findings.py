"""What the last dissection of the displayed query found, judged in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.messages import CauseFound

if TYPE_CHECKING:
    from planscope.dissection.told import Found

JOB = "found"


class Findings:
    """Posts :class:`CauseFound` when it is known what a query's last dissection found. Answers are kept."""

    def __init__(self, document: Document, jobs: Jobs, post: Post) -> None:
        self._document, self._jobs, self._post = document, jobs, post
        self._known: dict[tuple[str, str, int], Found | None] = {}

    @property
    def busy(self) -> bool:
        return self._jobs.running(JOB)

    def of(self, variant: str) -> Found | None:
        """Return what is known about a query."""
        key = self._key(variant)
        return self._known.get(key) if key is not None else None

    def look(self, variant: str) -> None:
        """Find out, unless it is known or the query was never dissected."""
        key = self._key(variant)
        if key is None or key in self._known:
            return
        session = self._document.snapshot()

        def work(token: object) -> Found | None:
            from planscope.dissection.told import found_in

            return found_in(session, variant)

        def done(found: Found | None) -> None:
            self._known[key] = found
            self._post(CauseFound(variant))

        def failed(error: Exception) -> None:
            self._known[key] = None

        self._jobs.start(JOB, work, done, failed)

    def _key(self, variant: str) -> tuple[str, str, int] | None:
        """Return the query, its last dissection, and the number of its runs."""
        if self._document.session is None:
            return None
        for one in reversed(self._document.open_session.dissections):
            runs = sum(len(cell.runs) for cell in one.cells)
            if one.variant == variant and runs:
                return variant, one.id, runs
        return None
