"""Which calls are inside which, and which of them a fold hides."""

from __future__ import annotations

import pytest

from planscope.debugger.nesting import Nesting
from planscope.session.record import RecordedCall


def nesting(*inside: int) -> Nesting:
    return Nesting([RecordedCall(i, "tool", {}, inside=caller) for i, caller in enumerate(inside, 1)])


def test_calls_inside_calls() -> None:
    found = nesting(0, 1, 1, 3, 0)
    assert [found.depth(i) for i in range(7)] == [0, 0, 1, 1, 2, 0, 0]
    assert [found.caller(i) for i in range(7)] == [0, 0, 1, 1, 3, 0, 0]
    assert list(found.inner(1)) == [2, 3, 4] and list(found.inner(3)) == [4] and not found.inner(5)
    assert found and not nesting(0, 0)


@pytest.mark.parametrize(
    ("folded", "current", "hidden"),
    [
        ({1}, 1, {2, 3, 4}),
        ({1}, 5, {2, 3, 4}),
        ({1}, 2, set()),
        ({1, 3}, 3, {4}),
        ({1, 3}, 4, set()),
        ({3}, 0, {4}),
        ({2, 5, 99}, 0, set()),
    ],
)
def test_a_fold_hides_what_is_inside_unless_the_cursor_is_there(
    folded: set[int], current: int, hidden: set[int]
) -> None:
    assert nesting(0, 1, 1, 3, 0).hidden(folded, current) == hidden


def test_a_record_may_claim_anything() -> None:
    found = nesting(1, 3, 2, 10**9, -1)
    assert [found.depth(i) for i in range(6)] == [0, 0, 0, 1, 0, 0]
