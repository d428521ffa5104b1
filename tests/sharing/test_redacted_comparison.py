"""A comparison is redacted also if its session was read, or changed, after the runs were chosen."""

from __future__ import annotations

import pytest

from planscope.errors import UserError
from planscope.session.locations import bundled
from planscope.session.store import load
from planscope.sharing.redact import redacted_comparison


def test_runs_are_found_by_their_ids() -> None:
    session, again = load(bundled()["first-look"]), load(bundled()["first-look"])
    a, b = again.runs
    assert redacted_comparison(session, a, session, b).comparison is not None
    session.runs.remove(session.runs[1])
    with pytest.raises(UserError, match=f"{b.id} is not in the session any more"):
        redacted_comparison(session, a, session, b)
